from __future__ import annotations

from typing import Any

import pytest

from designgym.envs.design.workspace import Step
from designgym.eval.workflow import (
    dead_loop,
    delivered,
    error_counts,
    error_free,
    error_shares,
    execution_success,
    expert_use_efficiency,
    mean_measures,
    measure,
    step_efficiency,
    steps_of,
)

PHOTO, VECTOR, LAYOUT = "photo_editor", "vector_graphic_editor", "layout_designer"


def step(expert: str = LAYOUT, action: str = "CreateText", description: str = "", **parameters: Any) -> Step:
    return Step(expert, action, parameters, description)


def many(count: int, *experts: str) -> list[Step]:
    """So many different steps, the experts one after the other."""
    return [step(experts[n * len(experts) // count], number=n) for n in range(count)]


@pytest.mark.parametrize(
    ("count", "experts", "strict", "release"),
    [
        (9, (LAYOUT,), True, True),
        (10, (LAYOUT,), True, False),
        (11, (LAYOUT,), False, False),
        (19, (PHOTO, LAYOUT), True, True),
        (20, (PHOTO, LAYOUT), True, False),
        (21, (PHOTO, LAYOUT), False, False),
        (29, (PHOTO, VECTOR, LAYOUT), True, True),
        (30, (PHOTO, VECTOR, LAYOUT), True, False),
        (31, (PHOTO, VECTOR, LAYOUT), False, False),
        (0, (LAYOUT,), False, False),
    ],
)
def test_workflows_are_delivered_within_10_20_30_steps(
    count: int, experts: tuple[str, ...], strict: bool, release: bool
) -> None:
    steps = many(count, *experts)
    assert (delivered(steps), delivered(steps, "release")) == (strict, release)


def test_an_expert_who_does_not_exist_earns_no_steps() -> None:
    steps = [*many(10, LAYOUT), Step("art_director", "CreateText", error="invalid_expert")]
    assert not delivered(steps)
    assert delivered([*many(10, LAYOUT), step("Photo Editor")])


def test_the_same_step_three_times_running_is_a_dead_loop_and_not_delivered() -> None:
    a, b = step(text="a"), step(text="b")
    assert not dead_loop([a, a, b, a, a])
    assert dead_loop([b, a, a, a, b])
    assert not dead_loop([a, step(PHOTO, text="a"), a])
    assert not delivered([b, a, a, a]) and delivered([b, a, a])


def test_release_tells_steps_by_their_descriptions() -> None:
    steps = [step(description="Add a text", text=word) for word in "abc"]
    assert not dead_loop(steps) and dead_loop(steps, "release")
    assert step_efficiency(steps) == 1.0
    assert step_efficiency(steps, "release") == pytest.approx(1 / 3)
    same = [step(text="a", description=words) for words in ("Add a text", "Add it again")]
    assert step_efficiency(same) == 0.5 and step_efficiency(same, "release") == 1.0
    # Without descriptions there is nothing to tell them by, so that the other three do.
    assert step_efficiency([step(text="a"), step(text="b")], "release") == 1.0


def test_parameters_in_another_order_make_no_other_step() -> None:
    assert step_efficiency([step(x=1, y=2), step(y=2, x=1), step(x=1, y=2.5)]) == pytest.approx(2 / 3)


def test_experts_are_used_well_if_they_are_switched_as_little_as_can_be() -> None:
    assert expert_use_efficiency(many(4, LAYOUT)) == 1.0
    assert expert_use_efficiency([step(PHOTO), step(PHOTO), step(LAYOUT)]) == 1.0  # 1 of 1
    assert expert_use_efficiency([step(PHOTO), step(LAYOUT), step(PHOTO), step(LAYOUT)]) == pytest.approx(1 / 3)
    there_and_back = [step(PHOTO), step(VECTOR), step(LAYOUT), step(VECTOR)]
    assert expert_use_efficiency(there_and_back) == pytest.approx(2 / 3)
    assert expert_use_efficiency([]) == 0.0


def test_errors_are_counted_by_kind_and_dependencies_by_whose_they_are() -> None:
    steps = [
        step(),
        Step(LAYOUT, "ColorText", {"layerName": "x"}, error="dependency", dependency="local"),
        Step(LAYOUT, "ImportObject", {"fileName": "x"}, error="dependency", dependency="global"),
        Step(LAYOUT, "ImportObject", {"fileName": "y"}, error="dependency", dependency="global"),
        Step(LAYOUT, "Blur", error="invalid_action"),
        Step("boss", "CreateText", error="invalid_expert"),
        Step(LAYOUT, "CreateText", error="invalid_parameters"),
        Step(LAYOUT, "", error="format"),
    ]
    counts = error_counts(steps)
    assert counts == {
        "format": 1,
        "invalid_expert": 1,
        "invalid_action": 1,
        "invalid_parameters": 1,
        "dependency_local": 1,
        "dependency_global": 2,
        "limit": 0,
    }
    assert execution_success(steps) == 1 / 8 and not error_free(steps)
    shares = error_shares([steps, many(8, LAYOUT)])
    assert shares["dependency_global"] == 2 / 16 and shares["dependency"] == 3 / 16
    assert execution_success([]) == 0.0 and not error_free([]) and error_free([step()])


def test_refused_steps_whose_parameters_were_lost_are_told_by_what_is_known() -> None:
    refused = Step(LAYOUT, "CreateText", {}, "Write the title", "invalid_parameters")
    other = Step(LAYOUT, "CreateText", {}, "Write the date", "invalid_parameters")
    assert step_efficiency([refused, other]) == 1.0
    assert step_efficiency([refused, refused]) == 0.5


def test_means_are_over_workflows_but_execution_success_is_over_all_steps() -> None:
    failed = Step(LAYOUT, "ColorText", {"layerName": "x"}, error="dependency", dependency="local")
    short, long = [failed], many(19, LAYOUT)
    means = mean_measures([short, long])
    assert means.execution_success == 19 / 20
    assert means.delivery_rate == 0.5  # 19 steps of one expert are too many
    assert (means.steps, means.error_free) == (10.0, 0.5)
    assert measure(short).execution_success == 0.0
    with pytest.raises(ValueError, match="no workflow"):
        mean_measures([])


def test_steps_are_read_back_from_an_episode() -> None:
    taken = [Step(LAYOUT, "CreateText", {"layerName": "a"}, "", "dependency", "local"), step(PHOTO)]
    assert steps_of([one.to_json() for one in taken]) == taken
