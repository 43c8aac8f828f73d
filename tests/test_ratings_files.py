"""Files of ratings: what is read, what is refused, and that nothing is left out uncounted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from designgym.errors import UserError
from designgym.eval.ratings.answers import CONSTANT, SINGLE, answers_to
from designgym.eval.ratings.composite import composite
from designgym.eval.ratings.rating import Rating, counted
from designgym.eval.ratings.read import TWICE, described, read_ratings

HEADER = "image,model,stimulus,rater,creativity,recognisability\n"


def written(folder: Path, text: str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_plain_format_is_read(tmp_path: Path) -> None:
    found = read_ratings(written(tmp_path, HEADER + "a.png,grok,s01,r1,4,2\nb.png,qwen,s02,r1,1,5\n"))
    assert found.ratings[0] == Rating("a.png", "r1", "grok", "s01", 4.0, 2.0)
    assert len(found.ratings) == 2
    assert found.excluded == ()
    assert described(found) == ""


def test_json_lines_are_read_to_the_same(tmp_path: Path) -> None:
    table = read_ratings(written(tmp_path, HEADER + "a.png,grok,s01,r1,4,\n"))
    lines = read_ratings(
        written(
            tmp_path,
            '{"image":"a.png","model":"grok","stimulus":"s01","rater":"r1","creativity":4,"recognisability":null}\n',
            "r.jsonl",
        )
    )
    assert table.ratings == lines.ratings
    assert counted(lines.excluded) == {"recognisability is not answered": 1}


def test_other_names_of_columns_are_known(tmp_path: Path) -> None:
    found = read_ratings(written(tmp_path, "Worker ID,drawing_id,Creativity,Recognizability\nw1,d1,3,4\n"))
    assert found.ratings == (Rating("d1", "w1", creativity=3.0, recognisability=4.0),)


def test_an_unknown_layout_is_refused_with_what_was_found(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no column 'rater'.*Found: 'image', 'score'\."):
        read_ratings(written(tmp_path, "image,score\na,1\n"))


def test_two_columns_that_mean_the_same_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="several columns for 'rater': 'worker', 'annotator'"):
        read_ratings(written(tmp_path, "image,worker,annotator,creativity\na,b,c,1\n"))


def test_our_own_name_goes_before_others(tmp_path: Path) -> None:
    found = read_ratings(written(tmp_path, "image,file,rater,creativity\na,b,r,1\n"))
    assert found.ratings[0].image == "a"


def test_every_answer_that_cannot_be_used_is_counted(tmp_path: Path) -> None:
    text = HEADER + (
        "a,m,s,r1,4,2\n"
        "a,m,s,r1,5,5\n"  # the same rater again: the first one counts
        "a,m,s,r2,nan,3\n"
        "a,m,s,r3,six,NaN\n"  # nothing left of the row
        "a,m,s,r4,6,0.5\n"
        "b,m,s,r1,inf,1\n"
        ",m,s,r1,1,1\n"
        "b,m,s,,1,1\n"
        "b,m,s,r2,,5\n"
        "b,m,s,r3,1,2,3\n"
    )
    found = read_ratings(written(tmp_path, text))
    assert [(r.image, r.rater, r.creativity, r.recognisability) for r in found.ratings] == [
        ("a", "r1", 4.0, 2.0),
        ("a", "r2", None, 3.0),
        ("b", "r1", None, 1.0),
        ("b", "r2", None, 5.0),
    ]
    assert counted(found.excluded) == {
        "creativity is not a number": 2,
        "creativity is off the scale of 1 to 5": 2,
        TWICE: 1,
        "recognisability is not a number": 1,
        "recognisability is off the scale of 1 to 5": 1,
        "no image": 1,
        "no rater": 1,
        "creativity is not answered": 1,
        "more fields than the header has": 1,
    }
    assert f"{TWICE} (1, first: ratings.csv:3)" in described(found)


def test_a_drawing_of_two_models_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"csv:3: the drawing 'a' is by 'n'.* and by 'm'"):
        read_ratings(written(tmp_path, HEADER + "a,m,s,r1,4,2\na,n,s,r2,4,2\n"))


@pytest.mark.parametrize("text", ["", HEADER, HEADER + "a,m,s,r1,9,9\n"])
def test_a_file_without_a_usable_rating_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError):
        read_ratings(written(tmp_path, text))


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_ratings(tmp_path / "none.csv")


# --- the average of a drawing


def ratings(table: dict[str, dict[str, float]]) -> list[Rating]:
    """Creativity by rater and drawing."""
    return [Rating(image, rater, creativity=v) for rater, given in table.items() for image, v in given.items()]


def test_averages_by_hand() -> None:
    # r1: mean 2, sd sqrt(2/3): -1.2247, 0, 1.2247.  r2: mean 3, sd 2: 1, -1.
    found = composite(ratings({"r1": {"a": 1, "b": 2, "c": 3}, "r2": {"a": 5, "b": 1}}), "creativity")
    means = np.array([(-np.sqrt(1.5) + 1) / 2, -0.5, np.sqrt(1.5)])
    assert list(found.values) == ["a", "b", "c"]
    np.testing.assert_allclose(list(found.values.values()), (means + 0.5) / (np.sqrt(1.5) + 0.5))
    assert found.raters == {"a": 2, "b": 2, "c": 1}


def test_a_raters_use_of_the_scale_changes_nothing() -> None:
    base = {"r1": {"a": 1.0, "b": 2.0, "c": 5.0}, "r2": {"a": 3.0, "b": 1.0, "c": 4.0}}
    other = {**base, "r2": {name: 1 + value / 2 for name, value in base["r2"].items()}}
    first, second = (composite(ratings(table), "creativity").values for table in (base, other))
    assert first == pytest.approx(second)


def test_raters_without_a_z_score_are_left_out_and_named() -> None:
    table = {"r1": {"a": 1, "b": 2}, "same": {"a": 3, "b": 3}, "once": {"b": 5}}
    found = composite(ratings(table), "creativity")
    assert found.raters == {"a": 1, "b": 1}
    assert [(e.reason, e.place) for e in found.excluded] == [
        (f"creativity: {CONSTANT}", "same"),
        (f"creativity: {SINGLE}", "once"),
    ]


def test_a_constant_answer_to_one_question_leaves_the_other_alone() -> None:
    rows = [Rating("a", "r", creativity=3, recognisability=1), Rating("b", "r", creativity=3, recognisability=2)]
    assert len(answers_to(rows, "creativity")[0].value) == 0
    assert len(answers_to(rows, "recognisability")[0].value) == 2


def test_drawings_that_do_not_differ_are_all_zero() -> None:
    found = composite(ratings({"r1": {"a": 1, "b": 2}, "r2": {"a": 2, "b": 1}}), "creativity")
    assert found.values == {"a": 0.0, "b": 0.0}
