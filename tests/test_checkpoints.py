"""A checkpoint is gone on from only if it was written to its end and has lost nothing since."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")

from designgym.train.guards.checkpoints import WHOLE, MarkWhole, is_whole, last_whole, mark, remove_parts  # noqa: E402


def checkpoint(folder, step, marked=True):
    """A checkpoint with three files."""
    made = folder / f"checkpoint-{step}"
    (made / "shards").mkdir(parents=True)
    for name, size in (("model.safetensors", 1000), ("shards/0.pt", 50), ("trainer_state.json", 9)):
        (made / name).write_bytes(b"x" * size)
    if marked:
        mark(made)
    return made


def test_the_last_whole_one_counts_by_its_number(tmp_path):
    for step, marked in ((2, True), (4, False), (10, True), (12, False)):
        checkpoint(tmp_path, step, marked)
    (tmp_path / "checkpoint-x").mkdir()
    assert last_whole(tmp_path).name == "checkpoint-10"
    assert last_whole(tmp_path / "none") is None


@pytest.mark.parametrize("name", ["model.safetensors", "shards/0.pt", "trainer_state.json", WHOLE])
@pytest.mark.parametrize("spoil", ["cut", "empty", "gone"])
def test_with_a_file_cut_off_or_gone_the_one_before_counts(name, spoil, tmp_path):
    checkpoint(tmp_path, 3)
    file = checkpoint(tmp_path, 6) / name
    if spoil == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[: 0 if spoil == "empty" else -3])
    assert last_whole(tmp_path).name == "checkpoint-3"
    assert remove_parts(tmp_path) == ["checkpoint-6"]
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-3"]


@pytest.mark.parametrize("content", ["{}", "[]", "7", "null", '{"a": "b"}', "\x00"])
def test_a_mark_that_says_nothing_of_use_is_none(content, tmp_path):
    made = checkpoint(tmp_path, 1)
    (made / WHOLE).write_text(content)
    assert not is_whole(made)


def test_what_is_saved_is_marked_by_the_process_that_saves(tmp_path):
    made = checkpoint(tmp_path, 5, marked=False)
    for saves in (False, True):
        args = SimpleNamespace(output_dir=str(tmp_path), should_save=saves)
        MarkWhole().on_save(args, SimpleNamespace(global_step=5), None)
        assert is_whole(made) == saves
