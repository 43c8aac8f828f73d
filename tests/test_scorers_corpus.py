"""The AuDrA corpus as it is published, drawn by the test; what is wrong with it is said or counted."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from audra_corpus import write_corpus, write_set
from PIL import Image

from designgym.errors import UserError
from designgym.eval.ratings.corpus import FAR, PRIMARY, SETS, read_corpus
from designgym.eval.ratings.rating import counted


def test_all_four_sets_are_read_with_ratings_scaled_within_each(tmp_path: Path) -> None:
    write_corpus(tmp_path, primary=12, other=5)
    found = read_corpus(tmp_path)
    assert list(found) == list(SETS)
    assert [len(found[name].drawings) for name in SETS] == [12, 5, 5, 5]
    for corpus_set in found.values():
        ratings = [drawing.rating for drawing in corpus_set.drawings]
        assert (min(ratings), max(ratings)) == (0.0, 1.0)
        assert corpus_set.excluded == ()
    first = found[PRIMARY].drawings[0]
    assert first.path == tmp_path / "primary_images" / f"{first.name}.jpg"


def test_ratings_are_scaled_by_hand(tmp_path: Path) -> None:
    write_set(tmp_path, PRIMARY, {"1_1": 2.0, "1_2": 4.0, "2_1": 2.5})
    assert {d.name: d.rating for d in read_corpus(tmp_path)[PRIMARY].drawings} == {"1_1": 0.0, "1_2": 1.0, "2_1": 0.25}


def test_a_corpus_may_have_the_primary_set_alone(tmp_path: Path) -> None:
    write_set(tmp_path, PRIMARY, {"a": 1.0, "b": 2.0})
    assert list(read_corpus(tmp_path)) == [PRIMARY]


def test_a_table_beside_its_images_is_found(tmp_path: Path) -> None:
    write_set(tmp_path, PRIMARY, {"a": 1.0, "b": 2.0})
    (tmp_path / "primary_jrt.csv").rename(tmp_path / "primary_images" / "primary_jrt.csv")
    assert len(read_corpus(tmp_path)[PRIMARY].drawings) == 2


def test_what_does_not_fit_together_is_counted(tmp_path: Path) -> None:
    write_set(tmp_path, PRIMARY, {"a": 1.0, "b": 2.0, "unrated": 1.5})
    (tmp_path / "primary_jrt.csv").write_text("a,1.0\nb.jpg,2.0\na,3.0\ngone,2.5\nunrated,nan\nb,x\n\n")
    shutil.copy(tmp_path / "primary_images/a.jpg", tmp_path / "primary_images/a.png")
    found = read_corpus(tmp_path)[PRIMARY]
    assert {d.name: d.rating for d in found.drawings} == {"a": 0.0, "b": 1.0}
    assert counted(found.excluded) == {
        "rating that is not a number": 2,
        "drawing that was rated further up": 1,
        "rating of a drawing that is not there": 1,
        "drawing without a rating": 1,
        "file whose stem another file has": 1,
    }


def test_the_hash_depends_on_ratings_and_not_on_their_order(tmp_path: Path) -> None:
    ratings = {"a": 1.0, "b": 2.0, "c": 1.5}
    folders: Mapping[str, dict[str, float]] = {
        "one": ratings,
        "turned": dict(reversed(ratings.items())),
        "other": {**ratings, "c": 1.6},
    }
    for name, values in folders.items():
        write_set(tmp_path / name, PRIMARY, values)
    one, turned, other = (read_corpus(tmp_path / name)[PRIMARY].hash for name in folders)
    assert one == turned != other


@pytest.mark.parametrize("name", [PRIMARY, FAR])
def test_a_folder_without_its_table_is_an_error(tmp_path: Path, name: str) -> None:
    write_corpus(tmp_path, primary=4, other=3)
    (tmp_path / SETS[name][1]).unlink()
    with pytest.raises(UserError, match=f"has the folder '{SETS[name][0]}' but not its table of ratings"):
        read_corpus(tmp_path)


def test_a_table_without_its_folder_is_an_error(tmp_path: Path) -> None:
    write_set(tmp_path, PRIMARY, {"a": 1.0, "b": 2.0})
    (tmp_path / "fg_jrt.csv").write_text("a,1\nb,2\n")
    with pytest.raises(UserError, match="not its folder of drawings 'far_generalization_images'"):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("a,3\nb,3\n", "equal ratings throughout"),
        ("x,1\ny,2\n", "no drawing that has both"),
        ("", "no drawing that has both"),
        ("a,1,2\n", "two fields"),
        ("a 1\n", "two fields"),
    ],
)
def test_tables_that_teach_nothing_are_refused(tmp_path: Path, table: str, said: str) -> None:
    write_set(tmp_path, PRIMARY, {"a": 1.0, "b": 2.0})
    (tmp_path / "primary_jrt.csv").write_text(table)
    with pytest.raises(UserError, match=said):
        read_corpus(tmp_path)


def test_another_folder_is_told_what_a_corpus_is(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no AuDrA corpus: it has no folder 'primary_images'"):
        read_corpus(tmp_path)
    with pytest.raises(UserError, match="does not exist"):
        read_corpus(tmp_path / "none")


def test_the_drawn_corpus_is_as_the_published_one(tmp_path: Path) -> None:
    write_corpus(tmp_path, primary=3, other=2)
    with Image.open(next((tmp_path / "primary_images").iterdir())) as image:
        assert (image.format, image.size, image.mode) == ("JPEG", (400, 400), "RGB")
        assert np.asarray(image).min() < 60
