"""Process markers of drawing trials that are counted by hand, the effort index, and reading traces as a stream."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from designgym.errors import UserError
from designgym.eval.effort import effort, standardized
from designgym.eval.markers import FIELDS, Markers, entropy_bits, erases, markers
from designgym.eval.process import endings
from designgym.eval.trials import Trial, read_trials, trials_of
from designgym.trace_step import ImageDigest, Step

IMAGE = ImageDigest("0" * 64, (400, 400, 1))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


UNDO, FINISH = call("undo_last_action"), call("drawing_finished", label="Moth")


def ink(tool: str, operations: int, erase: bool = False) -> tuple[Any, int]:
    """A call and how many operations it drew; what exactly they are does not matter here."""
    return call(f"draw_{tool}", **{tool: [{}] * operations, "erase": erase}), operations


def trial(
    *rounds: list[Any],
    end: str = "finished",
    episode: str = "is01",
    env: str = "designgym/CanvasDrawing-v0",
    **info: Any,
) -> list[Step]:
    """The steps of a trial by rounds. An entry is an action, or a pair of it and either what it drew or its error."""
    base = {"operations": 0.0, "malformed": 0.0, "failed_call_rate": 0.0, "malformed_rate": 0.0}
    shared: dict[str, Any] = {"env": env, "kwargs": {}, "split": "test", "task": episode, "seed": 0, "image": IMAGE}
    steps = [Step(episode=episode, step=0, round=0, action=None, info=base, **shared)]
    for number, entries in enumerate(rounds):
        for entry in entries:
            action, what = entry if isinstance(entry, tuple) else (entry, 0)
            drawn, error = (0, what) if isinstance(what, str) else (what, "")
            step = Step(
                episode=episode, step=len(steps), round=number, action=action, error=error,
                info={**base, "operations": float(drawn)}, **shared,
            )  # fmt: skip
            steps.append(step)
    if end:
        last = steps.pop()
        ending = {"end": end, "title": "Moth" if end == "finished" else "", "added_ink": 1200.0}
        steps.append(Step(**{**vars(last), "terminated": True, "reward": 0.5, "info": {**last.info, **ending, **info}}))
    return steps


# ------------------------------------------------------------ trials by hand


def test_a_trial_with_looks_before_and_after_and_an_undo() -> None:
    # round 0   the agent writes no call                    before the first ink
    # round 1   undo, with nothing to undo                  before the first ink, 1 call
    # round 2   draw 3 lines, draw 1 circle                 2 ink calls, 4 operations, 2 calls: parallel
    # round 3   undo                                        1 call
    # round 4   draw 4 circles                              1 ink call, 4 operations: the last ink
    # round 5   the agent writes no call                    after the last ink
    # round 6   undo                                        after the last ink: no ink call, so verification
    # round 7   drawing_finished                            finishes, so no verification
    #
    # tool calls 3, operations 3 + 1 + 4 = 8, rounds 8; lines 3, circles 5 of 8:
    # diversity = -(3/8 log2 3/8 + 5/8 log2 5/8) = .375 * 1.415037 + .625 * .678072 = .530639 + .423795 = .954434
    # all calls: 1 + 2 + 1 + 1 + 1 + 1 = 7, of which 3 undo
    steps = trial(
        ["I look first."],
        [(UNDO, "dependency")],
        [ink("lines", 3), ink("circles", 1)],
        [UNDO],
        [ink("circles", 4)],
        ["It looks fine."],
        [UNDO],
        [FINISH],
    )
    found = markers(steps)
    assert found == Markers(
        tool_calls=3,
        drawing_operations=8,
        rounds=8,
        tool_diversity=found.tool_diversity,
        exploration_rounds=2,
        verification_rounds=2,
        operations_per_round=1.0,
        parallel_rounds=1,
        largest_round=2,
        undo_calls=3 / 7,
        erase_calls=0.0,
    )
    assert found.tool_diversity == pytest.approx(0.954434, abs=1e-6)


def test_a_trial_with_erasing_failing_calls_and_malformed_operations() -> None:
    # round 0   draw_blob (no such tool), draw 2 lines      the failed call is a call but no ink; parallel
    # round 1   draw 5 dots, 2 of them malformed            1 ink call, 3 operations
    # round 2   draw 2 rectangles, both malformed           an error: no ink call; 1 call
    # round 3   erase with 1 line                           an ink call: erasing draws in white; 1 operation
    # round 4   arguments that cannot be read               1 call, no ink: verification
    # round 5   drawing_finished
    #
    # tool calls: lines, dots, erasing lines = 3; operations 2 + 3 + 1 = 6, of which lines 3, dots 3: 1 bit
    # rounds 6, operations per round 1; all calls 2 + 1 + 1 + 1 + 1 + 1 = 7, of which 1 erases
    steps = trial(
        [(call("draw_blob"), "invalid_action"), ink("lines", 2)],
        [(call("draw_dots", dots=[{}] * 5, erase=False), 3)],
        [(call("draw_rectangles", rects=[{}, {}]), "invalid_parameters")],
        [ink("lines", 1, erase=True)],
        [(call("draw_lines", lines="x"), "invalid_parameters")],
        [FINISH],
        failed_call_rate=2 / 7,
        malformed_rate=4 / 10,
    )
    assert markers(steps) == Markers(3, 6, 6, 1.0, 0, 1, 1.0, 1, 2, 0.0, 1 / 7)
    (found,) = trials_of(steps, "t").values()
    assert (found.failed_call_rate, found.malformed_rate) == (2 / 7, 0.4)


def test_a_trial_without_ink() -> None:
    # round 0   every operation malformed; round 1   undo, nothing to undo; round 2   drawing_finished
    # no ink operation: nothing is before the first or after the last; 3 calls, 1 of them undo; no tool was used: 0 bits
    steps = trial(
        [(call("draw_lines", lines=[{}], erase=True), "invalid_parameters")], [(UNDO, "dependency")], [FINISH],
        added_ink=0.0,
    )  # fmt: skip
    assert markers(steps) == Markers(0, 0, 3, 0.0, None, None, 0.0, 0, 1, 1 / 3, 1 / 3)
    (found,) = trials_of(steps, "t").values()
    assert found.null is True and found.finished


def test_a_trial_that_is_finished_in_the_round_of_its_last_ink() -> None:
    # round 0   draw 2 polylines, draw 2 arcs, drawing_finished      3 calls: parallel, the fullest; nothing after it
    # 4 operations of 2 tools evenly: 1 bit; 4 / 1 operations a round
    steps = trial([ink("polylines", 2), ink("arcs", 2), FINISH])
    assert markers(steps) == Markers(2, 4, 1, 1.0, 0, 0, 4.0, 1, 3, 0.0, 0.0)


def test_a_trial_that_the_budget_ends() -> None:
    # round 0   draw 1 dot; round 1   draw 1 line; round 2   draw 1 dot, undo; round 3   undo: the budget is spent
    # nobody finishes, so round 3 is a round after the last ink without ink; dots 2 of 3, lines 1 of 3:
    # diversity = 2/3 log2 3/2 + 1/3 log2 3 = .389975 + .528321 = .918296; 5 calls, 2 of them undo
    steps = trial([ink("dots", 1)], [ink("lines", 1)], [ink("dots", 1), UNDO], [UNDO], end="budget")
    found = markers(steps)
    assert found == Markers(3, 3, 4, found.tool_diversity, 0, 1, 0.75, 1, 2, 2 / 5, 0.0)
    assert found.tool_diversity == pytest.approx(0.918296, abs=1e-6)
    (read,) = trials_of(steps, "t").values()
    assert (read.end, read.finished, read.title) == ("budget", False, "")


def test_a_trial_of_markup_has_one_tool_and_the_elements_as_operations() -> None:
    # round 0   19 elements, of which 2 skipped; round 1   40 elements; round 2   drawing_finished
    svg = [(call("draw_svg", svg="<svg/>"), 17)], [(call("draw_svg", svg="<svg/>"), 40)], [FINISH]
    assert markers(trial(*svg)) == Markers(2, 57, 3, 0.0, 0, 0, 19.0, 0, 1, 0.0, 0.0)


def test_a_trial_in_which_the_agent_did_nothing_at_all() -> None:
    steps = trial(end="")
    assert markers(steps) == Markers(0, 0, 0, 0.0, None, None, None, 0, 0, None, None)
    (found,) = trials_of(steps, "t").values()
    assert (found.end, found.finished, found.null) == ("", False, None)


def test_the_round_of_the_last_ink_counts_though_calls_follow_in_it() -> None:
    # round 0   draw 1 line; round 1   undo, then draw 1 line; round 2   undo, then drawing_finished
    steps = trial([ink("lines", 1)], [UNDO, ink("lines", 1)], [UNDO, FINISH])
    found = markers(steps)
    assert (found.exploration_rounds, found.verification_rounds, found.parallel_rounds) == (0, 0, 2)


def test_a_drawing_call_that_drew_nothing_or_was_refused_is_no_ink() -> None:
    steps = trial([(call("draw_svg", svg="<svg/>"), 0)], [ink("lines", 2)], [FINISH])
    assert markers(steps) == Markers(1, 2, 3, 0.0, 1, 0, 2 / 3, 0, 1, 0.0, 0.0)
    refused = Step(**{**vars(steps[2]), "error": "limit"})
    assert markers([*steps[:2], refused, steps[3]]).tool_calls == 0


# ------------------------------------------------------------ entropy, erasing


def test_entropy_of_two_tools_evenly_is_one_bit() -> None:
    assert entropy_bits([7, 7]) == 1.0
    assert entropy_bits([4, 2, 1, 1]) == pytest.approx(0.5 * 1 + 0.25 * 2 + 2 * 0.125 * 3)  # 1.75
    assert entropy_bits([9]) == 0.0 and entropy_bits([]) == 0.0 and entropy_bits([3, 0]) == 0.0
    assert entropy_bits([5] * 12) == pytest.approx(math.log2(12))


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"erase": True}, True), ({"erase": "true"}, True), ({"erase": "True"}, True), ('{"erase": true}', True),
        ({"erase": False}, False), ({"erase": 1}, False), ({"erase": None}, False), ({}, False), (None, False),
        ([], False), ('{"erase": ', False), ('{"erase": true, "erase": true}', False), ({"erase": [True]}, False),
    ],
)  # fmt: skip
def test_erasing_is_read_from_arguments_of_any_form(arguments: Any, said: bool) -> None:
    assert erases({"name": "draw_lines", "arguments": arguments}) is said


# ------------------------------------------------------------ effort


def of(tool_calls: int, operations: int, rounds: int, diversity: float) -> Markers:
    return Markers(tool_calls, operations, rounds, diversity, 0, 0, operations / rounds, 0, 1, 0.0, 0.0)


def test_effort_of_three_trials_by_hand() -> None:
    # Every component takes a low, a middle and a high value evenly apart, whose z-scores with the population's
    # deviation are -1.224745, 0, 1.224745: for 1, 3, 5 the mean is 3 and s = sqrt((4 + 0 + 4) / 3) = 1.632993.
    #               tool calls   operations   rounds    diversity
    # first          1  -1.2247   10 -1.2247   8 +1.2247  0.5  0        sum -1.2247   / 4 = -.306186
    # second         3   0        20  0        6  0       1.0 +1.2247   sum +1.2247   / 4 = +.306186
    # third          5  +1.2247   30 +1.2247   4 -1.2247  0.0 -1.2247   sum  0        / 4 = 0
    study = [of(1, 10, 8, 0.5), of(3, 20, 6, 1.0), of(5, 30, 4, 0.0)]
    assert effort(study) == pytest.approx([-0.306186, 0.306186, 0.0], abs=1e-6)


def test_effort_of_uneven_trials_by_hand() -> None:
    # tool calls 2, 2, 8: mean 4, s = sqrt((4 + 4 + 16) / 3) = sqrt(8) = 2.828427: z = -.707107, -.707107, 1.414214
    # the others are equal in all trials and contribute 0: a quarter of z is left
    study = [of(2, 9, 5, 1.0), of(2, 9, 5, 1.0), of(8, 9, 5, 1.0)]
    assert effort(study) == pytest.approx([-0.176777, -0.176777, 0.353553], abs=1e-6)


def test_effort_has_mean_zero_and_is_defined_for_every_study() -> None:
    study = [of(i * i % 7, 3 + i % 5, 1 + i, (i % 3) / 2) for i in range(20)]
    assert math.fsum(effort(study)) == pytest.approx(0.0, abs=1e-12)
    assert effort([]) == [] and effort([of(3, 3, 3, 1.0)]) == [0.0]
    assert standardized([0.1] * 3) == [0.0] * 3  # whose mean misses them by an ulp


# ------------------------------------------------------------ traces


def write(path: Path, *episodes: list[Step]) -> Path:
    path.write_text("".join(json.dumps(step.to_json()) + "\n" for steps in episodes for step in steps))
    return path


def test_trials_are_read_with_their_ends_and_titles(tmp_path: Path) -> None:
    one = trial([ink("lines", 1)], [FINISH])
    two = trial([ink("lines", 1)], [ink("dots", 2)], end="", episode="ot03")  # stopped by the runner's limit of rounds
    path = write(tmp_path / "t.jsonl", one, two)
    found = read_trials(path)
    assert found == {
        "is01": Trial("is01", "is01", markers(one), "finished", "Moth", 0.5, 0.0, 0.0, 1200, {"draw_lines": 1}),
        "ot03": Trial("ot03", "ot03", markers(two), operations={"draw_lines": 1, "draw_dots": 2}),
    }
    assert (found["is01"].null, found["ot03"].null) == (False, None)


def test_a_reward_that_is_paid_on_the_way_is_summed() -> None:
    steps = trial([ink("lines", 1)], [FINISH])
    steps[1] = Step(**{**vars(steps[1]), "reward": 0.25})
    (found,) = trials_of(steps, "t").values()
    assert found.reward == 0.75


def test_null_drawings_are_a_share_of_the_trials_that_ended() -> None:
    # Of three trials one did not end; of the other two one is null.
    empty, drawn = trial([FINISH], added_ink=0.0), trial([ink("lines", 9)], [FINISH], end="budget", added_ink=900.0)
    study = [next(iter(trials_of(s, "t").values())) for s in (empty, drawn, trial([ink("dots", 1)], end=""))]
    found = endings(study)
    assert (found["null"].mean, found["null"].n) == (0.5, 2)  # type: ignore[union-attr]
    assert (found["finish"].mean, found["finish"].n) == (pytest.approx(1 / 3), 3)  # type: ignore[union-attr]


@pytest.mark.parametrize(("pixels", "null"), [(0, True), (299, True), (300, False)])
def test_a_null_drawing_has_fewer_than_300_added_pixels(pixels: int, null: bool) -> None:
    (found,) = trials_of(trial([FINISH], added_ink=float(pixels)), "t").values()
    assert found.null is null


def test_of_a_trial_that_was_begun_again_the_last_one_counts(tmp_path: Path) -> None:
    stopped = trial([ink("lines", 1)], [ink("lines", 1)], end="")
    failed = trial([ink("lines", 9)], [FINISH])
    again = trial([ink("dots", 2)], [FINISH])
    found = read_trials(write(tmp_path / "t.jsonl", stopped, failed, again))
    assert [t.markers.drawing_operations for t in found.values()] == [2]


def test_episodes_side_by_side_are_told_apart() -> None:
    one = trial([ink("lines", 1)], [ink("lines", 2)], [FINISH], episode="a")
    two = trial([ink("dots", 5)], [ink("dots", 5)], [FINISH], episode="b")
    mixed = [step for pair in zip(one, two, strict=True) for step in pair]
    assert [t.markers for t in trials_of(mixed, "t").values()] == [markers(one), markers(two)]


def test_missing_lines_and_traces_of_other_environments_are_refused(tmp_path: Path) -> None:
    steps = trial([ink("lines", 1)], [ink("lines", 1)], [FINISH])
    with pytest.raises(UserError, match=r"t.jsonl: in episode 'is01' step 2 stands where step 1 belongs"):
        read_trials(write(tmp_path / "t.jsonl", [steps[0], *steps[2:]]))
    with pytest.raises(UserError, match=r"step 1 stands where step 0 belongs"):
        trials_of(steps[1:], "t")
    other = Step(**{**vars(steps[0]), "env": "designgym/AestheticLocalization-v0", "info": {"error": ""}})
    with pytest.raises(UserError, match=r"of no drawing.*this one is of designgym/AestheticLocalization-v0"):
        trials_of([other], "t")


def test_many_trials_are_read_without_being_held() -> None:
    kept = trial(*[[ink("lines", 1)]] * 3, [FINISH])

    def study() -> Iterator[Step]:
        for number in range(2_000):
            for step in kept:
                yield Step(**{**vars(step), "episode": str(number), "text": "x" * 2_000})

    tracemalloc.start()
    try:
        found = trials_of(study(), "t")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found) == 2_000
    assert peak < 2_000 * 2_000  # less than the texts of one step of each trial, of which each has five


def test_there_are_eleven_markers() -> None:
    assert len(FIELDS) == 11
