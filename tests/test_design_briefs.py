from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.resources import files

import pytest

from designgym.envs.design.briefs.brief import TYPES, Brief
from designgym.envs.design.briefs.colors import GROUNDS, INKS, WHITE, inks_on, unlike
from designgym.envs.design.briefs.concepts import concepts
from designgym.envs.design.briefs.diversity import MAX_SHARED, bigrams, closest_shares, shared
from designgym.envs.design.briefs.generate import SIZES, TEST_COUNTS, brief, drawing_of, task_ids, type_of
from designgym.envs.design.briefs.naming import described, with_article
from designgym.envs.design.briefs.pairing import candidates, file_name, likeness
from designgym.envs.design.briefs.places import TEXTS_EACH, arrangements, text_positions
from designgym.errors import UserError
from designgym.graphics.color import contrast_ratio, to_hex
from designgym.pool.embedded import embedded
from designgym.pool.pool import PoolPicture
from designgym.rewards.judges.meanings import COLOR_TOLERANCE, LEAST_CONTRAST, color_distance


@pytest.fixture(scope="module")
def test_briefs() -> list[Brief]:
    return [brief(task) for task in task_ids("test")]


def test_the_test_split_has_the_papers_counts(test_briefs: list[Brief]) -> None:
    assert Counter(made.type for made in test_briefs) == {
        "poster": 336, "book cover": 260, "postcard": 260, "business card": 203,
    }  # fmt: skip
    assert (SIZES["train"], SIZES["validation"], SIZES["test"]) == (1_000_000, 10_000, 1_059)


def test_other_splits_have_nearly_the_papers_proportions() -> None:
    counts = Counter(type_of(task) for task in task_ids("validation"))
    for type, count in TEST_COUNTS.items():
        assert counts[type] / 10_000 == pytest.approx(count / 1_059, abs=0.02)


def test_a_thousand_test_briefs_are_distinct(test_briefs: list[Brief]) -> None:
    assert len({made.query for made in test_briefs}) == len(test_briefs)
    assert len({(made.type, tuple(text.content.casefold() for text in made.texts)) for made in test_briefs}) >= 1_000


def test_no_two_test_briefs_of_a_type_share_more_bigrams_than_allowed(test_briefs: list[Brief]) -> None:
    for type in TYPES:
        texts = [[text.content for text in made.texts] for made in test_briefs if made.type == type]
        shares = closest_shares(texts)
        assert max(shares) <= MAX_SHARED
        assert sum(shares) / len(shares) <= 0.4


def test_texts_and_pictures_are_as_many_as_in_the_paper(test_briefs: list[Brief]) -> None:
    means = {"book cover": (3.05, 1.33), "business card": (2.15, 1.0), "postcard": (1.03, 1.28), "poster": (1.99, 1.04)}
    for type, (texts, pictures) in means.items():
        made = [each for each in test_briefs if each.type == type]
        assert sum(len(each.texts) for each in made) / len(made) == pytest.approx(texts, rel=0.05)
        assert sum(len(each.visuals) for each in made) / len(made) == pytest.approx(pictures, rel=0.05)


def test_every_component_is_named_in_the_query(test_briefs: list[Brief]) -> None:
    for made in test_briefs:
        assert str(made.background) in made.query
        for text in made.texts:
            assert f"“{text.content}”" in made.query
            assert text.color is None or text.color.name in made.query
            assert text.size is None or text.size in made.query
        for visual in made.visuals:
            assert with_article(visual.name) in made.query
        assert "{" not in made.query and "  " not in made.query and "None" not in made.query


def test_parts_differ_and_each_picture_has_a_file(test_briefs: list[Brief]) -> None:
    for made in test_briefs:
        assert len({text.role for text in made.texts}) == len(made.texts)
        assert len({text.content for text in made.texts}) == len(made.texts)
        assert [image.caption for image in made.images] == [visual.name for visual in made.visuals]
        assert len({image.file for image in made.images}) == len(made.images)
        assert all(image.file.isascii() and image.file.endswith(".png") for image in made.images)


def test_a_brief_is_the_same_in_another_process() -> None:
    tasks = ["test-001058", "train-999999", "validation-000007"]
    code = (
        "import json\nfrom designgym.envs.design.briefs.generate import brief\n"
        f"print(json.dumps([brief(task).to_dict() for task in {tasks!r}]))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert [Brief.from_dict(values) for values in json.loads(there)] == [brief(task) for task in tasks]


@pytest.mark.parametrize("task", ["test-001059", "dev-000000", "test-1", "", "train-1000000"])
def test_an_unknown_task_is_refused_with_the_known_ones(task: str) -> None:
    with pytest.raises(UserError, match="test-000000 to test-001058"):
        brief(task)


def test_components_have_the_released_shape_without_what_is_open() -> None:
    made = brief("test-000002")
    components = made.components()
    assert set(components) == {"background_color", "text", "visual"}
    for text in made.texts:
        expected = {"content"} | {name for name in ("size", "color", "position") if getattr(text, name) is not None}
        assert set(components["text"][text.role]) == expected


def test_pictures_are_what_the_names_say() -> None:
    pool = embedded()
    names = {name for type in TYPES for concept in concepts(type) for name in concept.pictures}
    assert len(names) > 250
    for name in names:
        best, *others = candidates(pool, name)
        assert described(best.caption) == name
        assert likeness(name, best) == 1
        assert len(others) <= 2


def test_likeness_counts_common_words_and_half_of_keywords() -> None:
    fox = PoolPicture("a/fox", "red fox", ("animal", "forest"), "animals", 1.0)
    assert likeness("a red fox", fox) == 1
    assert likeness("fox", fox) == 0.5  # one of two words
    assert likeness("forest animals", fox) == 0.5
    assert likeness("sailboat", fox) == 0


def test_a_pool_without_a_fitting_picture_is_refused() -> None:
    with pytest.raises(UserError, match="no picture of 'zeppelin hangar'"):
        candidates(embedded(), "zeppelin hangar")


def test_file_names_are_plain_and_differ() -> None:
    assert file_name("Jack-o'-lantern", set()) == "jack-o-lantern.png"
    assert file_name("piñata", set()) == "pinata.png"
    assert file_name("fox", {"fox.png"}) == "fox-2.png"
    assert file_name("../…", set()) == "picture.png"


def test_articles_are_those_of_speech() -> None:
    assert with_article("anchor") == "an anchor"
    assert with_article("unicorn") == "a unicorn"
    assert with_article("musical notes") == "musical notes"
    assert with_article("sun") == "the sun"


def test_no_background_is_taken_for_an_untouched_page() -> None:
    assert all(color_distance(ground.rgb, WHITE) > 1.2 * COLOR_TOLERANCE for ground in GROUNDS)


def test_texts_are_legible_on_every_background() -> None:
    for ground in GROUNDS:
        for ink in inks_on(ground):
            assert contrast_ratio(to_hex(ink.rgb), to_hex(ground.rgb)) > LEAST_CONTRAST
        assert inks_on(ground)


def test_colours_of_twins_are_taken_for_neither_colour() -> None:
    for ground in GROUNDS:
        assert unlike(ground)
        for ink in inks_on(ground):
            for other in unlike(ink, ground.rgb):
                assert color_distance(other.rgb, ink.rgb) > 2 * COLOR_TOLERANCE
                assert color_distance(other.rgb, ground.rgb) > 2 * COLOR_TOLERANCE
    assert not [other.name for ink in INKS for other in unlike(ink) if set(ink.name.split()) & set(other.name.split())]


def test_arrangements_have_room_and_no_text_stands_before_an_earlier_one() -> None:
    for type in TYPES:
        for pictures in (1, 2, 3):
            for texts in (1, 2, 3, 4):
                found = arrangements(type, pictures, texts)
                assert found
                for arrangement in found:
                    for split in range(8):
                        order = [arrangement.texts.index(at) for at in text_positions(arrangement.texts, texts, split)]
                        assert order == sorted(order)
                        assert max(Counter(order).values()) <= TEXTS_EACH
                        assert not {place.position for place in arrangement.pictures} & set(arrangement.texts)


def test_bigrams_by_hand() -> None:
    assert bigrams(["The Blue Note", "Café"]) == {("the", "blue"), ("blue", "note"), ("cafe",)}
    assert shared(bigrams(["the blue note"]), bigrams(["the blue note of a bird"])) == 1
    assert shared(bigrams(["the blue note"]), bigrams(["blue note"])) == 1
    assert shared(bigrams(["the blue note"]), bigrams(["the blue bird"])) == 0.5
    assert closest_shares([["the blue note"], ["the blue bird"], ["no more"]]) == [0.5, 0.5, 0]


def test_a_drawing_that_embeddings_found_too_alike_is_nobodys_brief() -> None:
    listed = files("designgym.envs.design.briefs").joinpath("alike.txt").read_text().splitlines()
    left_out = [line.split() for line in listed if not line.startswith("#")]
    assert left_out
    for task, drawing in left_out:
        assert drawing_of(task) > int(drawing)
