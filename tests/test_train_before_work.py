"""What would end a run only after stages were trained is refused before any work."""

import pytest
from turn_training import ENV, SHAPE

from designgym.config import load_config
from designgym.errors import UserError
from designgym.train.checks import check, check_played
from designgym.train.config import TrainConfig
from designgym.train.model.launch import check_launched
from designgym.train.players import check_player
from designgym.yaml12 import dump_yaml

pytest.importorskip("torch")
pytest.importorskip("trl")

FIRST = {
    "name": "sft", "kind": "sft", "teacher": {"name": "join-ends", "options": {"one_by_one": True}},
    "tasks": {"count": 8, "where": {"open_ends": 2}}, "steps": 1, "batch_size": 2, "learning_rate": 1e-3,
}  # fmt: skip
SECOND = {
    "name": "grpo", "kind": "grpo", "tasks": {"first": 100, "count": 8}, "steps": 1, "batch_size": 4,
    "num_generations": 4, "learning_rate": 1e-3, "max_completion_length": 24,
}  # fmt: skip
CANVAS = {
    "model": "tiny", "fast_vision": True, "allow_resize": True, "tiny": SHAPE,
    "env": {"id": ENV, "kwargs": {"reward": "closure", "kinds": ["is"], "max_calls": 3}},
    "prompt": {"wording": "brief", "context": ["canvas", "history"]},
    "stages": [FIRST, SECOND], "tracking": {"wandb": "off"},
    "evaluation": {"count": 3, "agents": ["join-ends"]}, "validation": {"count": 3, "agents": ["blank"]},
}  # fmt: skip


def canvas(tmp_path, *overrides):
    path = tmp_path / "canvas.yaml"
    path.write_text(dump_yaml(CANVAS), encoding="utf-8")
    return load_config(path, TrainConfig, list(overrides))


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("evaluation.agents=[heuristic]", "'heuristic' answers with yes or no .* does not ask for"),
        ("evaluation.agents=[mean-box]", "'mean-box' answers with a box, which .* does not ask for"),
        ("evaluation.agents=[designer]", "'designer' makes pages by design actions"),
        ("evaluation.agents=[{name: chat, options: {url: u}}]", "'chat' needs the option 'model'"),
        ("validation.agents=[full-page]", "'full-page' answers with a box, which .* does not ask for"),
        (
            "stages.1.tasks.where={open_ends: 99}",
            "Stage 'grpo' takes tasks with open_ends: 99, and none of its 8 has it; change 'where'",
        ),
        ("evaluation.where={open_ends: 99}", "The evaluation takes tasks with open_ends: 99, and none of its 3 has it"),
        ("peft={targets: [q_proj, query]}", r"peft.targets \['query'\] name no layer of the language model of 'tiny'"),
        ("validation.where={open_ends: 99}", "The validation takes tasks with open_ends: 99, and none of its 3 has it"),
    ],
)
def test_what_nobody_can_play_is_refused_before_any_work(override, says, tmp_path):
    with pytest.raises(UserError, match=says):
        check(canvas(tmp_path, override))


def test_a_second_judge_that_a_stage_alone_is_trained_on_is_refused(tmp_path):
    second = "validation.second_reward=ink"
    check_played(canvas(tmp_path, second))
    check_played(canvas(tmp_path, second, "stages.0.env={reward: ink}"))  # supervised: it learns from no reward
    with pytest.raises(UserError, match="'ink', which stage 'grpo' is trained on"):
        check_played(canvas(tmp_path, second, "stages.1.env={reward: ink}"))


@pytest.mark.parametrize(
    ("variables", "kind"),
    [
        ({"ACCELERATE_USE_FSDP": "true"}, "FSDP"),
        ({"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_ZERO_STAGE": "3"}, "DeepSpeed ZeRO-3"),
    ],
)
def test_several_calls_on_weights_in_pieces_are_refused_before_the_first_stage(variables, kind, tmp_path, monkeypatch):
    config = canvas(tmp_path)
    check(config)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("designgym.train.checks.check_launched", lambda: None)  # DeepSpeed need not be here
    with pytest.raises(UserError, match=f"{kind} gathers weights in every forward pass"):
        check(config)


def test_a_launcher_that_needs_deepspeed_where_it_is_missing_is_refused(monkeypatch):
    launched = {"ACCELERATE_USE_DEEPSPEED": "true"}
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    check_launched({})
    with pytest.raises(UserError, match=r"launched with DeepSpeed, .* not installed: pip install deepspeed"):
        check_launched(launched)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    check_launched(launched)


def test_an_agent_that_asks_a_server_is_not_made_before_the_training(tmp_path, monkeypatch):
    def made(*arguments, **options):
        raise AssertionError("it was made")

    monkeypatch.setattr("designgym.train.players.build", made)
    config = canvas(tmp_path, "evaluation.agents=[{name: chat, options: {url: 'http://localhost:1', model: m}}]")
    check_player(config.evaluation.agents[0], None, 0)
