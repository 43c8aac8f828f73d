"""The runner and evaluations: what is recorded, and that a failing agent or a stop costs only the trial at hand."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from designgym.agents.base import Reply
from designgym.agents.table import BOX_CONSTANTS, build
from designgym.cli.main import main
from designgym.config import load_config
from designgym.env import DesignEnv, Facts, Outcome
from designgym.episode import Episode
from designgym.errors import UserError
from designgym.eval import localization
from designgym.eval.aesthetics import examples
from designgym.eval.config import AgentSection, EvalConfig
from designgym.eval.evaluate import check, evaluate
from designgym.eval.record import slug
from designgym.eval.replay import replay
from designgym.eval.results import Result, clusters, read_results, values
from designgym.eval.runner import run, task_seed
from designgym.eval.summary import Policy, results_table
from designgym.lock import hold
from designgym.score import Backend, Score
from designgym.tasks import Split, TaskIds
from designgym.tools import Number, Parameter, Tool, ToolTable
from designgym.trace import read_episodes

COUNT = "designgym-test/Count-v0"
LOCALIZATION = "designgym/AestheticLocalization-v0"
SMALL: dict[str, Any] = {"split": "test", "designs": "blocks", "image_size": 64}


class Sum:
    """Pays the sum of what was counted, over 10; a judge fails on task 7."""

    name = "sum"
    backend = Backend("exact", "1")

    def score(self, episode: Episode) -> Score:
        value = sum(call.arguments.get("n", 0) for call in episode.done_calls) / 10
        value_or_none = None if episode.task.endswith("7") else float(value)
        return Score(value_or_none, {"sum": value_or_none}, self.backend)


class CountEnv(DesignEnv[dict[str, int]]):
    """Two tools: ``add`` counts, ``stop`` ends. The picture shows the number of the task."""

    env_id = COUNT

    def __init__(self, split: Split = "test", max_calls: int = 4, render_mode: str | None = None):
        n = Parameter("n", Number(0, 5, integer=True), "What to add.")
        super().__init__(
            tool_table=ToolTable((Tool("add", "Add.", (n,)), Tool("stop", "Stop."))),
            image_shape=(2, 2, 3),
            reward=Sum(),  # type: ignore[arg-type]
            split=split,
            reward_mode="terminal",
            max_calls=max_calls,
            render_mode=render_mode,
        )

    def task_ids(self, split: Split | None = None) -> TaskIds:
        return TaskIds(split or self.split, 10)

    def begin(self, task: str) -> dict[str, int]:
        return {"number": int(task[-6:])}

    def call(self, content: dict[str, int], call: Any) -> Outcome:
        return Outcome("Stopped.", end="submit") if call.name == "stop" else Outcome("OK")

    def picture(self, content: dict[str, int]) -> np.ndarray:
        return np.full((2, 2, 3), content["number"], np.uint8)

    def facts(self, content: dict[str, int]) -> Facts:
        return Facts(("Count.",), {"number": content["number"]})


if COUNT not in gym.registry:
    gym.register(COUNT, entry_point=CountEnv)

TASKS = [f"test-00000{i}" for i in range(6)]


def add(n: int) -> dict[str, Any]:
    return {"name": "add", "arguments": {"n": n}}


STOP = {"name": "stop", "arguments": {}}


def counter(observation: Any, info: Any) -> dict[str, Any]:
    """Adds the number that the picture shows, then stops."""
    return add(min(5, int(observation["image"][0, 0, 0]))) if info["calls_left"] == 4.0 else STOP


class Batch:
    """The same in batches; remembers how many observations each batch had."""

    def __init__(self, broken: str = "") -> None:
        self.sizes: list[int] = []
        self.broken = broken

    def __call__(self, observation: Any, info: Any) -> dict[str, Any]:
        if info["task"] == self.broken:
            raise RuntimeError("cannot")
        return counter(observation, info)

    def act_batch(self, observations: Any, infos: Any) -> list[Any]:
        self.sizes.append(len(observations))
        return [self(o, i) for o, i in zip(observations, infos, strict=True)]


def test_a_plain_function_is_an_agent_and_its_trials_are_reported_in_the_order_of_the_tasks() -> None:
    results = run(counter, COUNT, tasks=TASKS)
    assert [r.task for r in results] == TASKS
    assert [r.reward for r in results] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    first = results[3]
    assert (first.end, first.calls, first.rounds, first.errors, first.failure) == ("submit", 2, 2, {}, "")
    assert first.rewards == {"sum": 0.3} and first.truth == {"number": 3} and first.scored


def test_batches_refill_as_trials_end_and_play_as_single_trials_do() -> None:
    agent = Batch()
    assert run(agent, COUNT, tasks=TASKS, batch_size=4) == run(counter, COUNT, tasks=TASKS)
    assert agent.sizes == [4, 4, 2, 2]


def test_an_agent_without_batches_plays_one_trial_after_the_other() -> None:
    under_way: list[str] = []

    class Alone:
        def begin(self, env: Any, info: Any) -> None:
            under_way.append(info["task"])

        def __call__(self, observation: Any, info: Any) -> Any:
            assert info["task"] == under_way[-1]
            return counter(observation, info)

    assert all(not r.failure for r in run(Alone(), COUNT, tasks=TASKS, batch_size=4))


def test_a_failing_call_is_recorded_and_the_others_go_on() -> None:
    for batch_size in (1, 4):
        results = run(Batch(broken="test-000002"), COUNT, tasks=TASKS, batch_size=batch_size)
        failed = results[2]
        assert (failed.failure, failed.end, failed.reward, failed.calls) == ("RuntimeError: cannot", "failure", 0.0, 0)
        assert [r.failure for r in results if r.task != "test-000002"] == [""] * 5


def test_a_batch_of_the_wrong_length_is_asked_for_one_by_one() -> None:
    class Short(Batch):
        def act_batch(self, observations: Any, infos: Any) -> list[Any]:
            return []

    assert run(Short(), COUNT, tasks=TASKS, batch_size=3) == run(counter, COUNT, tasks=TASKS)


def test_an_agent_that_fails_at_the_beginning_of_a_trial_fails_in_that_trial_only() -> None:
    class Reads:
        def begin(self, env: Any, info: Any) -> None:
            if info["task"] == "test-000001":
                raise KeyError("no truth")

        def __call__(self, observation: Any, info: Any) -> Any:
            return counter(observation, info)

    results = run(Reads(), COUNT, tasks=TASKS)
    assert [bool(r.failure) for r in results] == [False, True, False, False, False, False]


def test_a_reply_may_hold_several_calls_and_nothing_after_the_end_is_carried_out() -> None:
    def talks(observation: Any, info: Any) -> Reply:
        return Reply("I add twice and stop.", (add(1), add(2), STOP, add(5)))

    (result,) = run(talks, COUNT, tasks=TASKS[:1])
    assert (result.reward, result.calls, result.rounds, result.end) == (pytest.approx(0.3), 3, 1, "submit")
    assert result.text == "I add twice and stop."


@pytest.mark.parametrize("reply", [Reply("I would rather not."), "I would rather not.", None, 7, {"name": "nope"}])
def test_what_is_no_call_costs_a_step_and_is_an_error_of_the_trial(reply: Any, tmp_path: Path) -> None:
    (result,) = run(lambda o, i: reply, COUNT, {"max_calls": 2}, TASKS[:1], out=tmp_path / "run")
    assert sum(result.errors.values()) == 2 and result.end == "budget" and result.answer is None
    assert not result.failure
    assert all(not again.differences for again in replay(tmp_path / "run" / "traces.jsonl"))


def test_the_runners_own_limit_of_rounds_leaves_a_trial_unfinished_and_scored_as_it_stands() -> None:
    (result,) = run(lambda o, i: add(1), COUNT, tasks=TASKS[:1], max_rounds=2)
    assert (result.end, result.calls, result.reward) == ("rounds", 2, pytest.approx(0.2))
    assert result.scored and result.rewards == {"sum": pytest.approx(0.2)}


def test_a_failed_judge_leaves_the_trial_out_of_means_and_is_counted() -> None:
    results = run(counter, COUNT, tasks=["test-000004", "test-000007"])
    assert [r.value for r in results] == [pytest.approx(0.4), None]
    table = results_table([Policy("p", results)], "sum")
    cells = table.rows[0].cells
    assert cells["unscored"] == 1
    assert cells["reward"].mean == pytest.approx(0.4) and cells["reward"].missing == 1  # type: ignore[union-attr]


def test_a_trial_depends_on_seed_and_task_and_not_on_its_place() -> None:
    seeds: dict[str, Any] = {}

    class Looks:
        def begin(self, env: Any, info: Any) -> None:
            seeds[info["task"]] = env.unwrapped.np_random_seed

        def __call__(self, observation: Any, info: Any) -> Any:
            return STOP

    run(Looks(), COUNT, tasks=TASKS, seed=5)
    first = dict(seeds)
    run(Looks(), COUNT, tasks=TASKS[::-1], seed=5)
    assert seeds == first == {task: task_seed(5, task) for task in TASKS}
    assert len(set(first.values())) == len(TASKS) and task_seed(6, TASKS[0]) != first[TASKS[0]]


def test_traces_replay_to_the_same_bytes_and_carry_rounds_and_replies(tmp_path: Path) -> None:
    run(lambda o, i: Reply("two", (add(1), STOP)), COUNT, tasks=TASKS, out=tmp_path, name="two", batch_size=3)
    episodes = list(read_episodes(tmp_path / "traces.jsonl"))
    assert sorted(episode[0].task for episode in episodes) == TASKS
    assert [(s.step, s.round, s.reply) for s in episodes[0]] == [(0, 0, ""), (1, 0, "two"), (2, 0, "")]
    again = list(replay(tmp_path / "traces.jsonl"))
    assert len(again) == 6 and all(a.finished and not a.differences for a in again)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["config"] == {"env": COUNT, "env_kwargs": {}, "agent": "two"} and manifest["seeds"] == {"run": 0}
    assert manifest["rewards"] == [{"name": "exact", "version": "1", "hash": ""}]


def test_results_of_a_run_are_read_back_as_they_were(tmp_path: Path) -> None:
    results = run(Batch(broken="test-000001"), COUNT, tasks=TASKS, out=tmp_path)
    assert list(read_results(tmp_path / "results.jsonl").values()) == results
    (tmp_path / "other.jsonl").write_text('{"task": "x"}\n')
    with pytest.raises(UserError, match=r"other.jsonl:1: this is no result"):
        read_results(tmp_path / "other.jsonl")
    whole = results[0].to_json()
    for change, says in (
        ({"reward": "x"}, "'reward' of the result is 'x', which is no float"),
        ({"scored": 1}, "'scored' of the result is 1, which is no bool"),
        ({"calls": True}, "'calls' of the result is True, which is no int"),
        ({"truth": {"$float": 3}}, "the result cannot be read"),
    ):
        (tmp_path / "other.jsonl").write_text(json.dumps({**whole, **change}) + "\n")
        with pytest.raises(UserError, match=says):
            read_results(tmp_path / "other.jsonl")


def test_a_stopped_run_leaves_what_was_done_and_resumes_without_repeating_it(tmp_path: Path) -> None:
    played: list[str] = []

    def stops(observation: Any, info: Any) -> Any:
        if info["calls_left"] == 4.0:
            played.append(info["task"])
            return add(1)
        if len(played) == 3:
            raise KeyboardInterrupt
        return STOP

    with pytest.raises(KeyboardInterrupt):
        run(stops, COUNT, tasks=TASKS, out=tmp_path, name="a")
    assert list(read_results(tmp_path / "results.jsonl")) == TASKS[:2]
    assert [len(e) for e in read_episodes(tmp_path / "traces.jsonl")] == [3, 3, 2]  # the third one is under way
    with pytest.raises(UserError, match="already holds a run"):
        run(stops, COUNT, tasks=TASKS, out=tmp_path, name="a")
    played.clear()
    done: list[tuple[int, int]] = []
    results = run(
        lambda o, i: played.append(i["task"]) or STOP, COUNT, tasks=TASKS, out=tmp_path, name="a", resume=True,
        progress=lambda n, total, result: done.append((n, total)),
    )  # fmt: skip
    assert played == TASKS[2:] and [r.task for r in results] == TASKS
    assert done == [(3, 6), (4, 6), (5, 6), (6, 6)]
    assert all(not a.differences for a in replay(tmp_path / "traces.jsonl"))


def test_failed_trials_are_tried_again_when_a_run_is_resumed(tmp_path: Path) -> None:
    run(Batch(broken="test-000001"), COUNT, tasks=TASKS, out=tmp_path)
    played: list[str] = []
    results = run(
        lambda o, i: played.append(i["task"]) or STOP, COUNT, tasks=TASKS, out=tmp_path, resume=True
    )  # fmt: skip
    assert played == ["test-000001"] and not results[1].failure
    assert not read_results(tmp_path / "results.jsonl")["test-000001"].failure


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"env_kwargs": {"max_calls": 3}},
        {"name": "b"},
        {"options": {"model": "other"}},
        {"options": None},
        {"env_id": LOCALIZATION},
    ],
)
def test_a_folder_of_another_run_is_not_resumed(change: dict[str, Any], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"env_id": COUNT, "env_kwargs": {}, "seed": 0, "name": "a", "options": {"model": "one"}}
    run(counter, tasks=TASKS, out=tmp_path, **settings)
    with pytest.raises(UserError, match="holds another run"):
        run(counter, tasks=[], out=tmp_path, resume=True, **{**settings, **change})


def test_a_run_of_another_version_is_not_resumed(tmp_path: Path) -> None:
    run(counter, COUNT, tasks=TASKS[:1], out=tmp_path)
    data = json.loads((tmp_path / "manifest.json").read_text())
    data["versions"]["designgym"] = "0.0.1"
    (tmp_path / "manifest.json").write_text(json.dumps(data))
    with pytest.raises(UserError, match=r"version of designgym is '0\.0\.1'"):
        run(counter, COUNT, tasks=TASKS, out=tmp_path, resume=True)


def test_mistakes_of_the_user_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="more than once"):
        run(counter, COUNT, tasks=[TASKS[0], TASKS[0]])
    with pytest.raises(UserError, match="There is no environment 'designgym/Nope-v0'"):
        run(counter, "designgym/Nope-v0", tasks=[])
    with pytest.raises(UserError, match=r"^CountEnv has no argument 'max_call'\. Did you mean 'max_calls'\?$"):
        run(counter, COUNT, {"max_call": 3}, TASKS)
    for name, value in {"id": COUNT, "max_episode_steps": 1, "disable_env_checker": True}.items():
        with pytest.raises(UserError, match=f"no argument '{name}'; that one belongs to gym.make"):
            run(counter, COUNT, {name: value}, TASKS)
    with pytest.raises(UserError, match="render_mode 'human' opens a window"):
        run(counter, COUNT, {"render_mode": "human"}, TASKS)
    with pytest.raises(UserError, match="'CartPole-v1' is no environment of tool calls"):
        run(counter, "CartPole-v1", tasks=[])
    with pytest.raises(UserError, match="No task 'train-000001'"):
        run(counter, COUNT, tasks=["train-000001"])
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be"):
        run(counter, COUNT, tasks=TASKS, out=tmp_path / "file" / "run")


def test_the_runner_costs_at_most_two_milliseconds_a_trial(tmp_path: Path) -> None:
    env = gym.make(COUNT, disable_env_checker=True)

    def bare() -> float:
        start = time.process_time()
        for task in tasks:
            env.reset(options={"task": task})
            env.step(STOP)
        return time.process_time() - start

    tasks = [f"test-00000{i}" for i in range(10)]
    run(lambda o, i: STOP, COUNT, tasks=tasks)
    plain = min(bare() for _ in range(3))
    costs = []
    for i in range(5):
        start = time.process_time()
        run(lambda o, i: STOP, COUNT, tasks=tasks, out=tmp_path / str(i))
        costs.append(time.process_time() - start - plain)
    # The start of a run (manifest, git) is not a trial's cost: it shows as what remains for no task.
    start = time.process_time()
    run(counter, COUNT, tasks=[], out=tmp_path / "none")
    start = time.process_time() - start
    assert (min(costs) - start) / len(tasks) < 0.002


# ------------------------------------------------------------ evaluations


def result(task: str, truth: Any, answer: Any = None, *, valid: bool = True, flaw: str = "", **more: Any) -> Result:
    return Result(
        task, truth={"bbox": truth, "flaw": flaw}, answer={"bbox": answer} if valid else None, **more
    )  # fmt: skip


BOX, HALF = [0.0, 0.0, 1.0, 0.5], [0.0, 0.0, 1.0, 0.25]
RESULTS = [
    result("t0", BOX, BOX, flaw="size", reward=1.0),
    result("t1", BOX, HALF, flaw="size", reward=0.75),
    result("t2", BOX, None, flaw="clash"),
    result("t3", BOX, valid=False, flaw="clash", errors={"format": 1}),
    result("t4", None, None, reward=1.0),
    result("t5", None, BOX),
    result("t6", None, valid=False, failure="RuntimeError: x"),
]


def test_localization_measures_by_hand() -> None:
    (row,) = results_table([Policy("p", RESULTS)], "hurdle").rows
    reward, share, none, invalid = (row.cells[key] for key in ("reward", "iou", "none", "invalid"))
    assert reward.mean == pytest.approx(2.75 / 7)  # type: ignore[union-attr]
    assert (share.mean, share.n) == (pytest.approx((1 + 0.5 + 0 + 0) / 4), 4)  # type: ignore[union-attr]
    assert (none.mean, none.n) == (pytest.approx(1 / 3), 3)  # type: ignore[union-attr]
    assert invalid.mean == pytest.approx(2 / 7) and row.cells["failed"] == 1  # type: ignore[union-attr]


def test_table_by_kind_has_a_column_for_every_kind_that_occurs() -> None:
    table = localization.by_kind({"p": RESULTS})
    assert [m.key for m in table.measures] == ["size", "clash", "clean"]
    cells = table.rows[0].cells
    assert cells["size"].mean == pytest.approx(0.875) and cells["clean"].n == 3  # type: ignore[union-attr]
    assert "2 size, 2 clash, 3 clean" in table.caption


def test_pages_to_look_at_are_chosen_from_all_kinds_and_not_by_success() -> None:
    chosen = examples.choose(RESULTS, 5, seed=0)
    assert [examples.kind(r) for r in chosen] == ["size", "clash", "clean", "size", "clash"]
    better = [Result(r.task, truth=r.truth, reward=1.0) for r in RESULTS]
    assert [r.task for r in examples.choose(better[::-1], 5, seed=0)] == [r.task for r in chosen]
    assert len(examples.choose(RESULTS, 99, seed=0)) == 7


def small(**changes: Any) -> EvalConfig:
    settings = {
        "env": {"kwargs": {"designs": "blocks", "image_size": 64}},
        "agents": ["random", "full-page"],
        "limit": 12,
        "examples": 3,
    }
    return EvalConfig.model_validate({**settings, **changes})


def test_an_evaluation_writes_report_tables_and_traces(tmp_path: Path) -> None:
    done = evaluate(small(), tmp_path / "out")
    assert [p.name for p in done.policies] == ["random", "full-page"] and done.failures == {}
    page = done.report.read_text(encoding="utf-8")
    assert page.count("<img ") == 3 and "Against the best constant" in page
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        ".lock", "agents", "report.html", "results.json", "table.csv", "table.md", "tables",
    }  # fmt: skip
    assert len(read_results(tmp_path / "out/agents/random/results.jsonl")) == 12
    table = json.loads((tmp_path / "out/results.json").read_text())["tables"][0]
    assert [row["name"] for row in table["rows"]] == ["random", "full-page"]


def test_an_evaluation_is_resumed_and_extended_but_never_written_over(tmp_path: Path) -> None:
    first = evaluate(small(), tmp_path)
    with pytest.raises(UserError, match="is not empty"):
        evaluate(small(), tmp_path)
    played: list[str] = []
    more = evaluate(small(limit=14), tmp_path, resume=True, progress=lambda name, n, total: played.append(name))
    assert played == ["random"] * 2 + ["full-page"] * 2
    other = AgentSection(name="mean-box", label="full-page", options={"pages": 5})
    with pytest.raises(UserError, match="holds another run: its options is"):
        evaluate(small(agents=[other]), tmp_path, resume=True)
    assert list(more.policies[0].results[:12]) == list(first.policies[0].results)


def test_an_evaluation_in_a_folder_where_another_works_is_refused(tmp_path: Path) -> None:
    with hold(tmp_path), pytest.raises(UserError, match="Another process is working in"):
        evaluate(small(), tmp_path)


def test_agents_may_be_renamed_but_not_be_called_alike(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Two agents are called 'random'"):
        evaluate(small(agents=["random", "random"]), tmp_path / "a")
    assert not (tmp_path / "a").exists()
    twice = small(agents=[AgentSection(name="random"), AgentSection(name="random", label="../random again")])
    done = evaluate(twice, tmp_path / "b")
    assert [p.name for p in done.policies] == ["random", "../random again"]
    assert {p.name for p in tmp_path.iterdir()} == {"b"} and len(list((tmp_path / "b/agents").iterdir())) == 2


def test_folders_of_labels_are_short_inside_and_their_own() -> None:
    labels = ["a", "A", "..", ".", "~..", "a/b", "a~2f~b", "\u65e5" * 80, "\u65e5" * 79 + "x", "\u65e5" * 79 + "y", " "]
    folders = [slug(label) for label in labels]
    assert len(set(folders)) == len(labels) and folders[0] == "a"
    assert all(len(folder) <= 120 and not folder.startswith(".") and "/" not in folder for folder in folders)


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["eval", *arguments])
    return int(end.value.code or 0)


BLOCKS = "env.kwargs.designs=blocks"
ARGUMENTS = ("AestheticLocalization", "--limit", "3", "--set", "env.kwargs.image_size=64", "--set", BLOCKS)


def test_command_prints_the_table_and_the_path_of_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    arguments = (*ARGUMENTS, "--agent", "random", "--agent", "always-none", "--split", "validation", "--output", out)
    assert command(*arguments) == 0
    printed = capsys.readouterr().out
    assert "always-none" in printed and "None accuracy" in printed and f"Report: {out}" in printed.replace("\n", "")
    assert [r.task for r in read_results(Path(out) / "agents/random/results.jsonl").values()] == [
        f"validation-00000{i}" for i in range(3)
    ]
    assert command(*arguments) == 2 and "--resume" in capsys.readouterr().err
    assert command(*arguments, "--resume") == 0


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("AestheticLocalisation",), "Did you mean 'AestheticLocalization'?"),
        ((*ARGUMENTS, "--agent", "randm"), "Did you mean 'random'?"),
        ((*ARGUMENTS, "--agent", "qwen"), "needs the option 'model'"),
        ((*ARGUMENTS, "--agent", "no.such.module:agent"), "cannot be loaded"),
        ((*ARGUMENTS, "--split", "tset"), "split"),
        ((*ARGUMENTS, "--set", "limt=3"), "limit"),
        ((*ARGUMENTS, "--set", "env.kwargs.image_siz=3"), "Did you mean 'image_size'?"),
        ((*ARGUMENTS, "--set", "env.kwargs.split=test"), "split"),
        ((*ARGUMENTS, "--set", "env.id=designgym/Nope-v0"), "sets the same"),
        (("designgym/Nope-v0",), "no environment 'designgym/Nope-v0'"),
        (("missing.yaml",), "missing.yaml"),
    ],
)
def test_command_refuses_mistakes_before_any_work(
    arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(*arguments, "--output", str(tmp_path / "out")) == 2
    error = capsys.readouterr().err
    assert says in error and "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_command_finds_out_before_any_work_that_the_folder_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert command(*ARGUMENTS, "--output", str(tmp_path / "file" / "out"), "--dry-run") == 2
    assert "cannot be written: Not a directory" in capsys.readouterr().err


def test_command_with_an_agent_that_always_fails_says_so_and_exits_with_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_agent.py").write_text("def make(env, seed):\n    return lambda o, i: 1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert command(*ARGUMENTS, "--agent", "broken_agent:make", "--output", str(tmp_path / "out")) == 1
    assert "broken_agent:make failed on 3 tasks, first with ZeroDivisionError" in capsys.readouterr().out


def test_the_bundled_configuration_of_all_baselines_is_valid(tmp_path: Path) -> None:
    config = load_config("eval/localization", EvalConfig)
    check(config, tmp_path / "out", resume=False)
    assert {agent.name for agent in config.agents} == {*BOX_CONSTANTS, "random", "heuristic", "demonstrator"}


def test_dry_run_prints_the_settings_and_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(*ARGUMENTS, "--dry-run", "--output", str(tmp_path / "out")) == 0
    assert "image_size" in capsys.readouterr().out and not (tmp_path / "out").exists()


def test_replicates_are_trials_of_their_own_and_tasks_are_resampled_whole(tmp_path: Path) -> None:
    tasks = ["is01", "is02", "is03"]
    kwargs = {"split": "test", "max_calls": 4}
    agent = build("random", gym.make("designgym/CanvasDrawing-v0", **kwargs), 0)
    found = run(agent, "designgym/CanvasDrawing-v0", kwargs, tasks, replicates=3, out=tmp_path / "run")
    names = [result.name for result in found]
    assert names == [*tasks, "is01~1", "is02~1", "is03~1", "is01~2", "is02~2", "is03~2"]
    assert len({str(result.answer) for result in found if result.task == "is01"}) > 1
    episodes = list(read_episodes(tmp_path / "run" / "traces.jsonl"))
    assert [steps[0].episode for steps in episodes] == names
    assert [steps[0].seed for steps in episodes] == [task_seed(0, name) for name in names]
    assert values(found)["is01"] == pytest.approx(sum(r.reward for r in found if r.task == "is01") / 3)
    assert clusters(found) == tasks * 3 and clusters(found[:3]) is None
    assert all(again.differences == () for again in replay(tmp_path / "run" / "traces.jsonl"))
    again = run(agent, "designgym/CanvasDrawing-v0", kwargs, tasks, replicates=4, out=tmp_path / "run", resume=True)
    assert again[:9] == found and [result.name for result in again[9:]] == ["is01~3", "is02~3", "is03~3"]


def test_two_trials_of_one_task_are_never_under_way_at_once() -> None:
    class Watching:
        def __call__(self, observation: Any, info: Any) -> Any:
            return self.act_batch([observation], [info])[0]

        def act_batch(self, observations: Any, infos: Any) -> list[Any]:
            tasks = [info["task"] for info in infos]
            assert len(set(tasks)) == len(tasks)
            sizes.append(len(tasks))
            return [{"name": "answer", "arguments": {"bbox": None}} for _ in infos]

    sizes: list[int] = []
    found = run(Watching(), "designgym/AestheticLocalization-v0", {"split": "test"}, ["test-000000", "test-000001"],
                replicates=3, batch_size=4)  # fmt: skip
    assert len(found) == 6 and not any(result.failure for result in found) and max(sizes) == 2
