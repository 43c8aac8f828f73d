"""A second judge of held-out episodes, and the warning that a reward may be gamed."""

import dataclasses
import json

import numpy as np
import pytest

from designgym.config import load_config
from designgym.errors import UserError
from designgym.train.validation.parting import Estimate, estimate, parted

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

import tiny_run  # noqa: E402
from turn_run import curves, quiet, run_config  # noqa: E402

from designgym.agents.table import build  # noqa: E402
from designgym.eval.results import Result  # noqa: E402
from designgym.eval.runner import make  # noqa: E402
from designgym.eval.runner import run as play  # noqa: E402
from designgym.eval.statistics import bootstrap  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.config import TrackingSection, TrainConfig  # noqa: E402
from designgym.train.curves import curves as report_curves  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.tracking.tracker import Tracker  # noqa: E402
from designgym.train.validation import held_out  # noqa: E402
from designgym.train.validation import playing as validation  # noqa: E402
from designgym.train.validation.gaming import warnings  # noqa: E402
from designgym.train.validation.scores import Score  # noqa: E402

# ---------------------------------------------------------------- the rule


def estimates(means, error=0.01):
    return [None if mean is None else Estimate(mean, error) for mean in means]


RISING = estimates([0.2, 0.3, 0.4, 0.5])


@pytest.mark.parametrize(
    ("scores", "holds"),
    [
        ([0.5, 0.45, 0.42, 0.40], True),
        ([0.5, 0.40, 0.45, 0.42], True),  # not in order, but always below where it started
        ([0.5, 0.51, 0.42, 0.30], False),  # once above it
        ([0.5, 0.49, 0.49, 0.48], False),  # within chance: 1.96 x sqrt(0.01^2 + 0.01^2) = 0.028
        ([0.5, 0.49, 0.48, 0.47], True),  # 0.03
        ([0.5, 0.55, 0.60, 0.65], False),
        ([0.5, None, 0.42, 0.40], False),
        ([None, 0.45, 0.42, 0.40], False),
    ],
)
def test_a_score_that_falls_while_the_training_reward_rises_is_told_from_chance(scores, holds):
    assert parted(RISING, estimates(scores), 3) is holds


@pytest.mark.parametrize(
    "trained", [[0.5, 0.5, 0.5, 0.5], [0.5, 0.4, 0.6, 0.7], [0.5, 0.51, 0.51, 0.52], [None, 0.3, 0.4, 0.5]]
)
def test_nothing_is_said_where_the_training_reward_does_not_rise(trained):
    assert not parted(estimates(trained), estimates([0.5, 0.4, 0.3, 0.2]), 3)


def test_only_the_last_validations_count_and_there_must_be_enough_of_them():
    falling = estimates([0.5, 0.4, 0.3, 0.2])
    assert parted(RISING, falling, 3) and not parted(RISING, falling, 4)
    assert parted(RISING, falling, 2)
    again = estimates([0.9, 0.1, 0.1, 0.1])
    assert not parted([*RISING, *again], [*falling, *again], 3)


def test_flat_noisy_series_hardly_ever_warn():
    """Means of 100 tasks and of 10 logged points: 200 runs of 20 validations each, without any effect."""
    rng = np.random.default_rng(0)
    warned = 0
    for _ in range(200):
        trained = [estimate(rng.normal(0.5, 0.1, 10)) for _ in range(20)]
        judged = [estimate(rng.normal(0.4, 0.3, 100)) for _ in range(20)]
        warned += any(parted(trained[:end], judged[:end], 3) for end in range(4, 21))
    assert warned <= 6  # 3 of 100 runs
    # Without a look at chance, being on the two sides of the start would do:
    loose = [
        any(parted(estimates(t[:end], 0), estimates(j[:end], 0), 3) for end in range(4, 21))
        for t, j in ((rng.normal(size=20), rng.normal(size=20)) for _ in range(200))
    ]
    assert sum(loose) > 60


def test_a_true_fall_is_found():
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(100):
        trained = [estimate(rng.normal(0.3 + 0.1 * n, 0.1, 10)) for n in range(5)]
        judged = [estimate(rng.normal(0.5 - 0.07 * n, 0.3, 100)) for n in range(5)]
        found += any(parted(trained[:end], judged[:end], 3) for end in (4, 5))
    assert found > 90


def test_an_estimate_is_of_finite_values():
    assert estimate([]) is None and estimate([float("nan")]) is None
    assert estimate([0.25]) == Estimate(0.25, 0.0)
    assert estimate([1.0, float("nan"), 3.0]) == Estimate(2.0, pytest.approx(1.0))  # sqrt(2) / sqrt(2)


# ---------------------------------------------------------------- scores


def score(step, mean, trained, second=None):
    made = Score(
        step, mean, mean - 0.02, mean + 0.02, 100, trained=None if trained is None else Estimate(trained, 0.01)
    )
    return made if second is None else dataclasses.replace(made, second=score(step, second, None))


def test_the_warning_names_the_score_that_fell_and_by_how_much():
    rows = [(0, 0.3, None, 0.7), (10, 0.4, 0.2, 0.7), (20, 0.4, 0.3, 0.6), (30, 0.5, 0.4, 0.5), (40, 0.5, 0.5, 0.4)]
    series = [score(step, mean, trained, second) for step, mean, trained, second in rows]
    found = warnings(series, 3)
    assert list(found) == ["second"]
    assert "since step 10 the training reward rose from 0.200 to 0.500" in found["second"]
    assert "the second judge's score fell from 0.700 to 0.400" in found["second"]
    turned = [
        dataclasses.replace(each, mean=each.second.mean, low=each.second.low, high=each.second.high, second=None)
        for each in series
    ]
    assert list(warnings(turned, 3)) == ["reward"]


def test_a_score_comes_back_from_its_line():
    made = dataclasses.replace(score(3, 0.5, 0.4, 0.6), warnings={"second": "Warning: x"}, parts={"iou": 0.5})
    assert Score.from_json(json.loads(json.dumps(dataclasses.asdict(made)))) == made
    old = {"step": 1, "mean": 0.5, "low": 0.4, "high": 0.6, "n": 9, "parts": {}}
    assert Score.from_json(old) == Score(1, 0.5, 0.4, 0.6, 9)


# ---------------------------------------------------------------- before any work

SECTION = "validation={{every: 2, first: 8, count: 3, keep_best: false, second_reward: {}}}"


@pytest.mark.parametrize(
    ("reward", "says"),
    [
        ("inkk", r"validation.second_reward: There is no reward 'inkk'. Did you mean 'ink'"),
        ("{name: ink, size: 3}", "validation.second_reward: .*has no argument 'size'"),
        ("diversity", "'diversity' compares the episodes of a group and cannot score one"),
        ("iou", "validation.second_reward: "),
        ("figural", "'figural', which the model is trained on; a second judge must be another reward"),
    ],
)
def test_a_judge_that_cannot_work_is_refused_before_any_work(reward, says, tmp_path):
    with pytest.raises(UserError, match=says):
        check(run_config(tmp_path, [SECTION.format(reward)]))


@pytest.mark.parametrize("reward", ["ink", "{name: closure}"])
def test_a_judge_is_named_as_the_rewards_of_environments_are(reward, tmp_path):
    check(run_config(tmp_path, [SECTION.format(reward)]))


# ---------------------------------------------------------------- in a run


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A short run on the canvas with the second judge ``ink``; its folder and what it printed."""
    folder = tmp_path_factory.mktemp("judged")
    section = (
        "validation={every: 2, first: 8, count: 3, keep_best: false, second_reward: ink, agents: [join-ends, blank]}"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_evaluate", lambda *arguments: None)
        config = run_config(folder, [section])
        config = config.model_copy(update={"stages": config.stages[:1]})
        console = quiet()
        running.run(config, folder / "run", console)
    return config, folder / "run", console.file.getvalue()


def test_the_second_judge_gives_what_its_reward_would_have_paid_for_the_same_episodes(judged):
    """The scripted hand plays alike whatever the reward; so an environment that pays the second reward tells."""
    config, folder, _ = judged
    kwargs = {**config.env.kwargs, "split": "validation", "reward": "ink"}
    env = make(config.env.id, kwargs)
    tasks = env.unwrapped.task_ids()[8:11]
    expected = {}
    for name in ("join-ends", "blank"):
        results = play(build(name, env, config.evaluation.seed), config.env.id, kwargs, tasks, config.evaluation.seed)
        expected[name] = bootstrap([result.value for result in results], config.evaluation.seed)
    points = [figures for _, _, figures in curves(folder) if "validation/reward" in figures]
    assert len(points) == 3
    for figures in points:
        for name, interval in expected.items():
            assert figures[f"validation/second/agents/{name}"] == pytest.approx(interval.mean, abs=1e-12)
        assert figures["validation/second/agents_low/join-ends"] == pytest.approx(expected["join-ends"].low, abs=1e-12)
        low, mean, high = (figures[f"validation/second/{n}"] for n in ("low", "reward", "high"))
        assert low <= mean <= high
        assert figures["validation/agents/join-ends"] != figures["validation/second/agents/join-ends"] > 0
    assert not any("warnings" in name for figures in points for name in figures)


def test_the_second_score_is_told_and_kept(judged):
    _, folder, printed = judged
    lines = [json.loads(line) for line in (folder / "stages/sft/validation.jsonl").read_text().splitlines()]
    assert [line["second"]["n"] for line in lines] == [3, 3, 3]
    assert all(line["trained"] is None and line["warnings"] == {} for line in lines)  # nothing is earned in imitation
    assert "; second judge 0." in printed


def test_the_report_draws_it_against_the_policies(judged):
    config, folder, _ = judged
    made = {curve.title: curve for curve in report_curves(config, folder / "metrics.jsonl")}
    assert list(made)[:2] == ["Held-out reward during sft", "Second judge (ink) during sft"]
    for curve in list(made.values())[:2]:
        assert [series.label for series in curve.series] == ["sft", "join-ends", "blank"]
        assert curve.series[0].x == (0, 2, 4) and curve.series[1].x == (0, 4)


def rewarded(patch, means, second):
    """Let training pay more and more, and the held-out scores and those of the second judge be these, in order."""
    played = {"count": 0}
    waiting, judging = iter(means), iter(second)

    def pay(self, text, task):
        played["count"] += 1
        return 0.02 * (played["count"] // 8) + 0.001 * (played["count"] % 2), {}

    def results(tasks, mean):
        return [Result(task, mean + (0.02 if index % 2 else -0.02)) for index, task in enumerate(tasks)]

    patch.setattr(EnvironmentReward, "play", pay)
    patch.setattr(held_out, "play", lambda agent, config, tasks, stop, out: results(tasks, next(waiting)))
    patch.setattr(held_out, "judge", lambda reward, tasks, out, say: results(tasks, next(judging)))
    patch.setattr(running, "_evaluate", lambda *arguments: None)


def test_a_warning_is_printed_recorded_and_sent_once_and_the_weights_go_by_the_first_judge_alone(tmp_path, monkeypatch):
    alerts = []
    monkeypatch.setattr(Tracker, "alert", lambda self, title, text: alerts.append((title, text)))
    rewarded(monkeypatch, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [0.9, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    section = "validation={every: 1, count: 12, keep_best: true, second_reward: iou, warn_after: 2}"
    changes = [section, "evaluation.split=test", "stages.1.steps=6", "stages.1.start=init"]
    config = load_config(tiny_run.write_config(tmp_path), TrainConfig, changes)
    config = config.model_copy(update={"stages": config.stages[1:]})
    console = quiet()
    running.run(config, tmp_path / "run", console)
    lines = [json.loads(line) for line in (tmp_path / "run/stages/grpo/validation.jsonl").read_text().splitlines()]
    # What a step earns is logged after it is validated, so the first two have no training reward beside them.
    assert [line["trained"] is None for line in lines] == [True, True, False, False, False, False, False]
    assert [list(line["warnings"]) for line in lines] == [[], [], [], [], ["second"], ["second"], ["second"]]
    figures = {step: found for _, step, found in curves(tmp_path / "run") if "validation/reward" in found}
    assert [step for step, found in figures.items() if "validation/warnings/second" in found] == [4, 5, 6]
    assert len(alerts) == 1 and alerts[0][0] == "grpo: the reward may be gamed"
    assert alerts[0][1].startswith("Step 4: Warning: since step 2 the training reward rose from 0.0")
    printed = " ".join(console.file.getvalue().split())
    assert printed.count("the second judge's score fell from 0.800 to 0.600") == 1
    assert printed.count("Warning:") == 1
    done = json.loads((tmp_path / "run/stages/grpo/done.json").read_text())
    assert (done["best_step"], done["validation"]) == (6, pytest.approx(0.7))  # where the second judge's is lowest
    captions = [curve.caption for curve in report_curves(config, tmp_path / "run/metrics.jsonl")[:2]]
    assert "Warning" not in captions[0]
    assert "Warning at steps 4, 5 and 6: this score fell by more than chance explains" in captions[1]


def test_wandb_takes_the_warning_offline(tmp_path):
    pytest.importorskip("wandb")
    said = []
    tracker = Tracker(TrackingSection(wandb="offline"), tmp_path, "run", {}, said.append)
    tracker.alert("grpo: the reward may be gamed", "Step 3: Warning")
    failures = tracker._wandb.attempts.failures
    tracker.close()
    assert failures == 0 and said == []


def test_a_judge_that_fails_is_told_of_and_costs_the_run_nothing(tmp_path, monkeypatch):
    def broken(reward, folder, say):
        raise ConnectionError("no answer")

    monkeypatch.setattr(validation, "judged", broken)
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    config = load_config(
        tiny_run.write_config(tmp_path),
        TrainConfig,
        ["validation={every: 9, count: 2, second_reward: iou}", "evaluation.split=test"],
    )
    config = config.model_copy(update={"stages": config.stages[:1]})
    console = quiet()
    running.run(config, tmp_path / "run", console)
    assert "The second judge 'iou' failed: ConnectionError: no answer" in " ".join(console.file.getvalue().split())
    lines = [json.loads(line) for line in (tmp_path / "run/stages/sft/validation.jsonl").read_text().splitlines()]
    assert [line["second"] for line in lines] == [None, None] and all(line["n"] == 2 for line in lines)


def test_an_episode_that_goes_otherwise_again_is_not_scored(tmp_path, monkeypatch):
    from designgym.eval import rescore
    from designgym.rewards.table import resolve
    from designgym.train.validation.second_judge import judged

    env_id, kwargs = "designgym/CanvasDrawing-v0", {"max_calls": 2, "kinds": ["is"], "split": "validation"}
    env = make(env_id, kwargs)
    tasks = env.unwrapped.task_ids()[:2]
    play(build("join-ends", env, 0), env_id, kwargs, tasks, 0, out=tmp_path / "played")
    said = []
    first = judged(resolve("ink"), tmp_path / "played", said.append)
    assert all(result.scored and result.value > 0 for result in first) and said == []
    replay = rescore.replay
    monkeypatch.setattr(
        rescore, "replay", lambda *a, **k: (dataclasses.replace(e, differences=("text",)) for e in replay(*a, **k))
    )
    second = judged(resolve("ink"), tmp_path / "played", said.append)
    assert [result.value for result in second] == [None, None]
    assert len(said) == 2 and "went otherwise again: text" in said[0]
