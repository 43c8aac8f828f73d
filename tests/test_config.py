"""Configurations: what a value is, where a mistake is reported, and what wins."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import Field, field_validator

from designgym.config import ConfigPath, PathOrName, Section, bundled_names, load_config, read_config
from designgym.errors import UserError
from designgym.eval.config import EvalConfig
from designgym.yaml12 import dump_yaml, parse_scalar, parse_yaml


class Environment(Section):
    id: str = "designgym/AestheticLocalization-v0"
    max_turns: int = 4
    flaws: tuple[str, ...] = ("clash",)


class Training(Section):
    learning_rate: float = 1e-3
    lr_scheduler_type: str = "cosine"
    steps: int = 10
    shuffle: bool = True


class Stage(Section):
    name: str
    steps: int = 1


class Walk(Section):
    kind: Literal["walk"]
    pace: float = Field(1.0, gt=0)


class Ride(Section):
    kind: Literal["ride"]
    gear: int = 1

    @field_validator("gear")
    @classmethod
    def _gears_are_odd(cls, gear: int) -> int:
        if gear % 2 == 0:
            raise ValueError(f"gear {gear} is even; only odd gears exist" + "." * (gear > 2))
        return gear


class Run(Section):
    seed: int = 0
    legs: tuple[Annotated[Walk | Ride, Field(discriminator="kind")], ...] = ()
    num_epochs: int = 1
    note: str = ""
    env: Environment = Environment()
    training: Training = Training()
    stages: tuple[Stage, ...] = ()
    reward: str | dict[str, Any] = "hurdle"
    data: ConfigPath | None = None
    model: PathOrName = "tiny"


@pytest.fixture
def run_file(tmp_path: Path):
    def write(text: str, name: str = "run.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def message(path: Path | str, overrides: tuple[str, ...] = ()) -> str:
    with pytest.raises(UserError) as caught:
        load_config(path, Run, overrides)
    return str(caught.value)


# --- what a scalar is (YAML 1.2 core schema)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-5", 1e-5),
        ("1.0e-5", 1e-5),
        ("12e03", 12000.0),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("0o17", 15),
        ("017", 17),
        ("0x1F", 31),
        ("+7", 7),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("16:9", "16:9"),
        ("190:20:30", "190:20:30"),
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("y", "y"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:00"),
        ("1_000", "1_000"),
        ("tRUE", "tRUE"),
        ("１２", "１２"),
        ("1e", "1e"),
        (".", "."),
        ("0b11", "0b11"),
    ],
)
def test_a_plain_scalar_is_what_yaml_1_2_says(text: str, value: object) -> None:
    from_file = parse_yaml(f"key: {text}\n", name="x.yaml").data["key"]
    assert (from_file, type(from_file)) == (value, type(value))
    assert (parse_scalar(text), type(parse_scalar(text))) == (value, type(value))


def test_quotes_and_the_string_tag_keep_text() -> None:
    assert parse_yaml("[\"1\", '~', !!str 5, 'true']", name="x").data == ["1", "~", "5", "true"]


def test_keys_stay_as_they_are_written() -> None:
    assert parse_yaml("no: 1\n16:9: 2\n1: 3\n<<: 4", name="x").data == {"no": 1, "16:9": 2, "1": 3, "<<": 4}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2", "x.yaml:4: the key 'c' stands twice, first in line 3"),
        ("a: [1, 2", "x.yaml:1: this is not valid YAML"),
        ("a: 1\n\tb: 2", "x.yaml:2: this is not valid YAML"),
        ("a: .inf", "x.yaml:1: .inf is not a finite number"),
        ("a: 1e999", "not a finite number"),
        ("a: .nan", "not a finite number"),
        ("a: &x [*x]", "an alias contains itself"),
        ("a: *nowhere", "undefined alias"),
        ("a: !!python/name:os.system ''", "is not supported"),
        ("a: !!int five", "does not fit the tag '!!int'"),
        ("a: 1\n---\nb: 1", "expected a single document"),
        ("[a, b]: 1", "a key must be a name"),
        ("a: \x00", "the character U+0000"),
        ("[" * 5000, "nested too deeply"),
        ("a: " + "9" * 5000, "too long"),
    ],
)
def test_malformed_yaml_is_reported_with_file_and_line(text: str, says: str) -> None:
    with pytest.raises(UserError, match=r"^x\.yaml") as caught:
        parse_yaml(text, name="x.yaml")
    assert says in str(caught.value)


def test_aliases_may_repeat_a_value_but_not_explode() -> None:
    assert parse_yaml("a: &a [1, 2]\nb: *a", name="x").data == {"a": [1, 2], "b": [1, 2]}
    bomb = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
    with pytest.raises(UserError, match="holds more than"):
        parse_yaml(bomb, name="x")


@given(st.text())
def test_any_text_is_data_or_a_sentence(text: str) -> None:
    try:
        parse_yaml(text, name="x.yaml")
    except UserError as error:
        assert str(error).startswith("x.yaml")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(PLAIN)
@example({"a": "1e-5", "b": "no", "c": "16:9", "d": "~", "e": 1e-5, "f": 1e300, "g": "0o17", "h": "", "no": "on"})
@example(["1_000", "2026-01-01", "true", ".5", "a: b", "# c", "\u2028", "\x85", "x\ny ", "\t"])
def test_dumped_data_reads_back_as_it_was(data: Any) -> None:
    again = parse_yaml(dump_yaml(data), name="x").data
    assert again == data
    assert repr(again) == repr(data)  # 1 and 1.0 and True are equal, but not the same


# --- mistakes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "learning_rte: 1e-5",
            "run.yaml:1: there is no setting 'learning_rte'. Did you mean 'training.learning_rate'?",
        ),
        (
            "seed: 1\ntraining: {lr_scheduler: cosine}",
            "run.yaml:2: there is no setting 'training.lr_scheduler'. Did you mean 'training.lr_scheduler_type'?",
        ),
        ("num-epochs: 3", "there is no setting 'num-epochs'. Did you mean 'num_epochs'?"),
        ("learning_rate: 1.0e-5", "there is no setting 'learning_rate'. Did you mean 'training.learning_rate'?"),
        ("env: {max_turn: 8}", "there is no setting 'env.max_turn'. Did you mean 'env.max_turns'?"),
        ("training:\n  max_turns: 8", "run.yaml:2: there is no setting 'training.max_turns'. Did you mean 'env.max_t"),
        ("steps: 8", "Did you mean 'training.steps' or 'stages.steps'?"),
        ("kind: walk", "Did you mean 'legs.kind'?"),
        ("xyzzy: 1", "there is no setting 'xyzzy'. Known are: data, env, legs, model"),
        ("seed: 1\nseed: 2", "run.yaml:2: the key 'seed' stands twice, first in line 1"),
        ("training: null", "'training' is empty (null)"),
        ("training: 5", "'training' must be a section with keys, not 5"),
        ("stages: [{name: a}, {steps: 2}]", "run.yaml:1: the setting 'stages.1.name' is missing and has no default"),
        ("stages: [{name: a, step: 2}]", "there is no setting 'stages.0.step'. Did you mean 'stages.0.steps'?"),
        ("training: {shuffle: no}", "'training.shuffle' must be true or false, not 'no'"),
        ("seed: true", "'seed' must be a whole number, not True"),
        ("seed: '3'", "'seed' must be a whole number, not '3'"),
        ("note: 16", "'note' must be text (put it in quotes), not 16"),
        ("- 1", "a configuration is a mapping"),
        ("legs: [{kind: walk, pce: 2}]", "there is no setting 'legs.0.pce'. Did you mean 'legs.0.pace'?"),
        ("legs: [{kind: walk, gear: 2}]", "no setting 'legs.0.gear'. It belongs to another kind of this section."),
        ("legs: [{kind: ride, gear: 2}]", "'legs.0.gear': gear 2 is even; only odd gears exist."),
        ("legs: [{kind: ride, gear: 4}]", "'legs.0.gear': gear 4 is even; only odd gears exist."),
        ("legs: [{kind: walk, pace: -1}]", "'legs.0.pace' should be greater than 0, not -1"),
        ("legs:\n- kind: walk\n- kind: fly", "run.yaml:3: 'legs.1.kind' must be one of 'walk', 'ride', not 'fly'"),
        ("legs: [{pace: 2}]", "run.yaml:1: the setting 'legs.0.kind' is missing"),
        ("legs: walk", "'legs' must be a list"),
    ],
)
def test_a_mistake_is_named_with_file_key_and_way_out(run_file, text: str, says: str) -> None:
    said = message(run_file(text))
    assert says in said
    assert "run.yaml" in said and ".." not in said


def test_every_mistake_is_reported_at_once(run_file) -> None:
    said = message(run_file("sed: 1\ntraining:\n  steps: many\n")).splitlines()
    assert [line.rpartition("run.yaml:")[2].partition(":")[0] for line in said] == ["3", "1"]


def test_json_is_checked_in_the_same_way(run_file) -> None:
    run = load_config(run_file('{"training": {"learning_rate": 1e-5}}', "run.json"), Run)
    assert run.training.learning_rate == 1e-5
    assert "Did you mean 'env.max_turns'?" in message(run_file('{"env": {"max_turn": 8}}', "run.json"))
    assert "stands twice" in message(run_file('{"seed": 1, "seed": 2}', "run.json"))
    assert "finite" in message(run_file('{"training": {"learning_rate": NaN}}', "run.json"))
    assert "not valid JSON" in message(run_file('{"seed": ', "run.json"))


def test_an_empty_file_is_all_defaults(run_file) -> None:
    assert load_config(run_file("# nothing\n"), Run) == Run()


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_bytes(b"\xef\xbb\xbfseed: 3\r\nnum_epochs: 2\r\n")
    loaded = load_config(tmp_path / "run.yaml", Run)
    assert (loaded.seed, loaded.num_epochs) == (3, 2)


def test_other_encodings_are_named_with_the_byte_offset(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_bytes("note: caf\xe9".encode("latin-1"))
    assert "byte 0xe9 at offset 9" in message(path)
    path.write_bytes("note: a".encode("utf-16"))
    assert "UTF-16" in message(path)


@pytest.mark.parametrize(
    ("name", "says"),
    [("nowhere.yaml", "There is no file"), (".", "is a folder"), ("notes.txt", "must end in .yaml")],
)
def test_a_file_that_is_none_is_reported(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "notes.txt").write_text("seed: 1")
    assert says in message(tmp_path / name)


# --- overrides


def test_overrides_win_and_are_read_as_they_look(run_file) -> None:
    path = run_file("seed: 1\ntraining: {learning_rate: 1.0, steps: 5}\nstages: [{name: a}]")
    run = load_config(
        path,
        Run,
        [
            "training.learning_rate=1e-5",
            "env.flaws=[clash,size]",
            "note=16:9 # not a comment: x=y",
            "stages.0.steps=7",
            "reward={name: hurdle, floor: 0.5}",
        ],
    )
    assert run.training == Training(learning_rate=1e-5, steps=5)
    assert run.env.flaws == ("clash", "size")
    assert run.note == "16:9 # not a comment: x=y"
    assert run.stages == (Stage(name="a", steps=7),)
    assert run.reward == {"name": "hurdle", "floor": 0.5}


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (("training.learning_rte=1e-5",), "--set training.learning_rte=1e-5: there is no setting"),
        (("training.learning_rte=1e-5",), "Did you mean 'training.learning_rate'?"),
        (("note=caf\udce9",), "--set note=caf\udce9: this is no UTF-8 text"),
        (("seed",), "write it as key=value"),
        (("=1",), "write it as key=value"),
        (("a..b=1",), "write it as key=value"),
        (("seed=1", "seed=2"), "'--set seed=1' sets the same"),
        (("training={steps: 1}", "training.steps=2"), "sets the same"),
        (("training.steps=2", "training={steps: 1}"), "sets the same"),
        (("seed.x=1",), "'seed' is 1 and has no keys"),
        (("stages.3.steps=1",), "'stages' is a list of 1, and '3' is none of its indices"),
        (("seed=1e999",), "not a finite number"),
        (("env.flaws=[clash",), "not valid YAML"),
        (("seed=two",), "--set seed=two: 'seed' must be a whole number, not 'two'"),
    ],
)
def test_a_wrong_override_is_named(run_file, overrides: tuple[str, ...], says: str) -> None:
    assert says in message(run_file("seed: 1\nstages: [{name: a}]"), overrides)


def test_every_setting_knows_where_it_was_written(run_file) -> None:
    path = run_file("seed: 1\ntraining:\n  steps: 5\nreward: iou\nstages: [{name: a}]")
    loaded = read_config(path, Run, ["training.learning_rate=0.5", "env={max_turns: 9}"])
    origins = {setting.key: setting.origin for setting in loaded.settings}
    assert origins["seed"] == f"{path}:1"
    assert origins["training.steps"] == f"{path}:3"
    assert origins["training.learning_rate"] == "--set training.learning_rate=0.5"
    assert origins["training.shuffle"] == "default"
    assert origins["env.max_turns"] == "--set env={max_turns: 9}"
    assert origins["env.id"] == "default"
    assert origins["stages.0.name"] == f"{path}:5"
    assert origins["stages.0.steps"] == "default"
    assert {setting.key: setting.value for setting in loaded.settings}["training.learning_rate"] == 0.5
    assert loaded.name == "run"


# --- paths


def test_paths_are_relative_to_the_file_and_overrides_to_the_current_folder(run_file, tmp_path, monkeypatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = run_file("data: pages/train.jsonl\nmodel: ./weights")
    monkeypatch.chdir(elsewhere)
    run = load_config(path, Run)
    assert run.data == tmp_path / "pages/train.jsonl"
    assert Path(run.model) == tmp_path / "weights"
    assert load_config(path, Run, ["data=x.jsonl"]).data == elsewhere / "x.jsonl"
    assert load_config(path, Run, ["model=../up"]).model == str(elsewhere / "../up")


def test_a_name_is_no_path_and_home_is_expanded(run_file, monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    run = load_config(run_file("model: Qwen/Qwen3-VL-4B-Instruct\ndata: ~/pages"), Run)
    assert run.model == "Qwen/Qwen3-VL-4B-Instruct"
    assert run.data == Path("/home/someone/pages")


def test_in_arguments_only_what_looks_like_a_path_is_one_and_each_is_relative_to_where_it_stands(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "study.yaml"
    path.write_text(
        "env: {id: x, kwargs: {designs: ../pages, reward: [{name: kernel, head: ./heads/a.npz}, .5]}}\n"
        "agents: [random, {name: quickdraw, options: {drawings: ./cats.ndjson, word: cat}}]\n"
        "agent_options: {qwen: {model: ~/weights, framing: a/b}, chat: {model: Qwen/Qwen3}}\n"
    )
    monkeypatch.chdir(tmp_path / "elsewhere")
    overrides = ["ood.designs=./own", "agents.1.options.word=./w"]
    config = load_config(path, EvalConfig, overrides)
    heads = [{"name": "kernel", "head": str(tmp_path / "heads/a.npz")}, 0.5]
    assert config.env.kwargs == {"designs": str(tmp_path / "../pages"), "reward": heads}
    elsewhere = tmp_path / "elsewhere"
    assert config.agents[1].options == {"drawings": str(tmp_path / "cats.ndjson"), "word": str(elsewhere / "w")}
    assert config.agent_options == {"qwen": {"model": "/home/someone/weights", "framing": "a/b"},
                                    "chat": {"model": "Qwen/Qwen3"}}  # fmt: skip
    assert config.ood == {"designs": str(elsewhere / "own")}


def test_bundled_configurations_are_found_by_name(tmp_path, monkeypatch) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "short.yaml").write_text("seed: 7\ndata: pages")
    (tmp_path / "train/big.yaml").write_text("seed: 8")
    monkeypatch.setattr("designgym.config_file.bundled_folder", lambda: tmp_path)
    monkeypatch.setattr("designgym.config.bundled_folder", lambda: tmp_path)
    monkeypatch.chdir(tmp_path.parent)
    assert bundled_names() == ["short", "train/big"]
    assert load_config("short", Run).data == tmp_path.parent / "pages"  # never inside the installed package
    assert load_config("train/big.yaml", Run).seed == 8
    assert "Did you mean 'short'?" in message("shrt")


def test_without_a_file_the_overrides_are_checked_alone() -> None:
    assert load_config(None, Run, ["seed=4"]) == Run(seed=4)
    with pytest.raises(UserError, match=r"^--set sed=4: there is no setting 'sed'"):
        load_config(None, Run, ["sed=4"])
