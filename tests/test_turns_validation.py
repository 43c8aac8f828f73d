"""Held-out tasks played during the training: what they tell, what they keep, and that they change nothing."""

import json
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

import tiny_run  # noqa: E402
from turn_run import curves, drawing, quiet, run_config, weights  # noqa: E402

from designgym.agents.qwen.local import load  # noqa: E402
from designgym.config import load_config  # noqa: E402
from designgym.errors import UserError  # noqa: E402
from designgym.eval.results import Result, read_results  # noqa: E402
from designgym.train import checks  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.config import TrainConfig  # noqa: E402
from designgym.train.validation import held_out  # noqa: E402
from designgym.train.validation.playing import undisturbed  # noqa: E402
from designgym.train.validation.scores import Score  # noqa: E402

VALIDATION = (
    "validation={every: 3, first: 8, count: 3, keep_best: false, agents: [blank, {name: join-ends, label: steady}]}"
)


def run(config, folder):
    console = quiet()
    running.run(config, folder, console)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A run without validation and the same with it: their folders, and what the second printed."""
    folder = tmp_path_factory.mktemp("validation")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_evaluate", lambda *arguments: None)
        drawing(patch)
        run(run_config(folder), folder / "without")
        printed = run(run_config(folder, [VALIDATION]), folder / "with")
    return folder / "without", folder / "with", printed


def is_validation(figures):
    return any(name.startswith("validation/") for name in figures)


def test_a_run_learns_the_same_with_validation_and_without(pair):
    without, with_it, _ = pair
    assert [point for point in curves(with_it) if not is_validation(point[2])] == curves(without)


def test_the_curves_have_the_held_out_score_with_its_interval_beside_the_policies(pair):
    points = [point for point in curves(pair[1]) if is_validation(point[2])]
    assert [(stage, step) for stage, step, _ in points] == [(s, n) for s in ("sft", "grpo") for n in (0, 3, 4)]
    for _, _, figures in points:
        assert figures["validation/low"] <= figures["validation/reward"] <= figures["validation/high"]
        assert figures["validation/agents/steady"] > 0.0 == figures["validation/agents/blank"]
        assert figures["validation/agents_low/steady"] < figures["validation/agents_high/steady"]
        assert "validation/parts/figural" in figures
    scores = [json.loads(line) for line in (pair[1] / "stages/grpo/validation.jsonl").read_text().splitlines()]
    assert [score["step"] for score in scores] == [0, 3, 4] and {score["n"] for score in scores} == {3}
    assert "sft, step 3: 0." in pair[2] and "steady: 0." in pair[2] and "on 3 held-out tasks" in pair[2]


def test_the_policies_play_once_for_all_stages(pair):
    found = read_results(pair[1] / "validation" / "steady" / "results.jsonl")
    assert list(found) == [f"validation-is-{number:06d}" for number in (8, 9, 10)]
    assert len((pair[1] / "validation" / "steady" / "results.jsonl").read_text().splitlines()) == 3


def scored(patch, values):
    """Let the held-out scores be these, in order."""
    waiting = iter(values)
    patch.setattr(held_out, "play", lambda agent, config, tasks, stop, out: [Result(tasks[0], next(waiting))])


@pytest.mark.parametrize(("keep", "equal_to"), [(True, 3), (False, 4)])
def test_the_stage_leaves_the_weights_that_scored_best(keep, equal_to, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    section = f"validation={{every: 1, first: 8, count: 1, keep_best: {str(keep).lower()}}}"
    config = run_config(tmp_path, [section])
    config = config.model_copy(update={"stages": config.stages[:1]})
    seen = {}
    original = held_out.HeldOut._evaluate

    def evaluate(self, state, last=False):
        seen[state.global_step] = {name: p.detach().clone() for name, p in self.local.model.named_parameters()}
        original(self, state, last)

    monkeypatch.setattr(held_out.HeldOut, "_evaluate", evaluate)
    scored(monkeypatch, [0.1, 0.3, 0.2, 0.5, 0.5])  # of equal ones the earlier
    run(config, tmp_path / "run")
    left = dict(load(tmp_path / "run/stages/sft/model").model.named_parameters())
    equal = [step for step, found in seen.items() if all(torch.equal(found[name], left[name]) for name in left)]
    assert equal == [equal_to]
    done = json.loads((tmp_path / "run/stages/sft/done.json").read_text())
    assert (done.get("best_step"), done.get("validation")) == ((3, 0.5) if keep else (None, None))
    assert not (tmp_path / "run/stages/sft/best").exists()


def test_an_interrupt_during_a_validation_is_made_up_for(pair, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    drawing(monkeypatch)
    config, folder = run_config(tmp_path, [VALIDATION]), tmp_path / "run"
    with monkeypatch.context() as patch:
        original = held_out.play

        def play(*arguments):
            if trainer_step[0] == 3:
                raise held_out.Stopped
            return original(*arguments)

        trainer_step = [0]
        patch.setattr(held_out, "play", play)
        evaluate = held_out.HeldOut._evaluate

        def noted(self, state, last=False):
            trainer_step[0] = state.global_step
            evaluate(self, state, last)

        patch.setattr(held_out.HeldOut, "_evaluate", noted)
        with pytest.raises(KeyboardInterrupt):
            run(config, folder)
    assert (folder / "stages/sft/checkpoints/checkpoint-3/trainer_state.json").is_file()
    scores = [json.loads(line)["step"] for line in (folder / "stages/sft/validation.jsonl").read_text().splitlines()]
    assert scores == [0]
    run(config, folder)
    for stage in ("sft", "grpo"):
        assert weights(folder, stage) == weights(pair[1], stage)
        own, other = (run / "stages" / stage / "validation.jsonl" for run in (folder, pair[1]))
        assert own.read_text() == other.read_text()


def test_random_states_and_modes_are_put_back():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    model[1].eval()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    expected = random.random(), np.random.rand(), torch.rand(1).item()
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    with undisturbed(model):
        assert not any(module.training for module in model.modules())
        random.random(), np.random.rand(), torch.rand(3)
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == expected
    assert [module.training for module in model.modules()] == [True, True, False]


def test_a_score_is_of_the_trials_that_could_be_scored():
    results = [
        Result("a", 0.2, {"x": 0.2}), Result("b", 0.6, {"x": 0.4}), Result("c", 0.0, {}, scored=False)
    ]  # fmt: skip
    score = Score.of(5, results, seed=0)
    assert (score.step, score.mean, score.n, score.parts) == (5, pytest.approx(0.4), 2, {"x": pytest.approx(0.3)})
    assert score.low == pytest.approx(0.2) and score.high == pytest.approx(0.6)
    nothing = Score.of(0, results[2:], seed=0)
    assert nothing.mean is None and nothing.figures() == {}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("validation={first: 2, count: 3}", r"tasks 2 to 4 of the split 'validation', some of which the evaluation"),
        ("validation={count: 2000000000}", r"the split 'validation' has \d+"),
        ("validation={first: 8, count: 2, agents: [qwen]}", "it is the run's own model that is validated"),
        (
            "validation={first: 8, count: 2, agents: [blank, blank]}",
            "Two policies of the validation",
        ),
        ("validation={first: 8, count: 2, agents: [nobody]}", "nobody"),
    ],
)
def test_what_is_wrong_about_a_validation_is_said_before_any_work(change, says, tmp_path):
    with pytest.raises(UserError, match=says):
        checks.check(run_config(tmp_path, [change]))


def test_weights_may_be_measured_where_none_are_chosen(tmp_path):
    checks.check(run_config(tmp_path, ["validation={count: 4, keep_best: false}"]))


def test_adapters_and_single_answers_are_validated_and_kept_alike(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    scored(monkeypatch, [0.1, 0.3, 0.2, 0.4, 0.1, 0.2])
    changes = ["validation={every: 2, count: 4, agents: [always-none]}", "peft.rank=2", "stages.1.steps=4"]
    config = load_config(tiny_run.write_config(tmp_path), TrainConfig, changes)
    run(config, tmp_path / "run")
    done = [json.loads((tmp_path / f"run/stages/{stage}/done.json").read_text()) for stage in ("sft", "grpo")]
    assert [(each["best_step"], each["validation"]) for each in done] == [(2, 0.3), (0, 0.4)]
    adapter = (tmp_path / "run/stages/grpo/model/adapter_model.safetensors").read_bytes()
    assert adapter == (tmp_path / "run/stages/sft/model/adapter_model.safetensors").read_bytes()  # step 0 is its start
    assert load(tmp_path / "run/stages/grpo/model").family.name == "Qwen3-VL"


def test_a_stage_of_a_model_that_fails_on_a_held_out_task_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(held_out.QwenAgent, "act_batch", lambda self, observations, infos: 1 / 0)
    with pytest.raises(RuntimeError, match="failed in the held-out task 'validation-is-000008': ZeroDivisionError"):
        run(run_config(tmp_path, [VALIDATION]), tmp_path / "run")
