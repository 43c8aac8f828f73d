"""Plan mode: a whole workflow as one call, read step by step, carried out as far as it goes."""

import json

import numpy as np
import pytest
from design_bench import L, P, V, workspace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from designgym.envs.design.plan import EXECUTE, MAX_STEPS, execute, plan_table, read_step
from designgym.tools import Accepted, Declined


def step(action: str, expert: str = L, **parameters: object) -> dict:
    return {"expert": expert, "action": action, "parameters": parameters, "description": f"do {action}"}


def read(steps: object) -> Accepted | Declined:
    return plan_table().read({"name": EXECUTE, "arguments": {"steps": steps}})


def carried_out(*steps: object):
    call = read(list(steps))
    assert isinstance(call, Accepted), call
    bench = workspace()
    return bench, execute(bench, call.arguments["steps"])


GOOD = [
    step("CreateDocument", docType="poster"),
    step("CreateText", layerName="title", textString="Open day"),
    step("SaveDocument", fileName="page", format="png"),
]


def test_a_plan_is_carried_out_in_order() -> None:
    bench, executed = carried_out(*GOOD)
    assert executed.done == 3
    assert executed.text == "3 of 3 steps were carried out."
    assert bench.design is not None
    assert [layer.id for layer in bench.design.layers] == ["title"]
    assert "page.png" in bench.files


@pytest.mark.parametrize(
    ("bad", "kind", "dependency"),
    [
        ("not a step", "format", ""),
        ({"expert": L, "action": "CreateText", "parameter": {}}, "format", ""),
        ({"expert": L, "action": 3}, "format", ""),
        (step("CreateText", "text_editor", layerName="a", textString="b"), "invalid_expert", ""),
        (step("ApplyArialFont", layerName="title"), "invalid_action", ""),
        (step("DrawCircle", L, layerName="c", radius=5, red=0, green=0, blue=0), "invalid_action", ""),
        (step("CreateDocument", doc="poster"), "invalid_parameters", ""),
        ({"expert": L, "action": "CreateText", "parameters": ["title", "Open"]}, "invalid_parameters", ""),
        (step("ColorText", layerName="nobody", red=0, green=0, blue=0), "dependency", "local"),
        (step("ImportObject", fileName="hero.png", layerName="hero"), "dependency", "global"),
        (step("CreateText", P, layerName="x", textString="y"), "dependency", "local"),
        (step("CreateText", layerName="x", textString="y" * 2001), "limit", ""),
    ],
)
def test_a_failing_step_is_noted_and_the_rest_is_done(bad: object, kind: str, dependency: str) -> None:
    alone, _ = carried_out(*GOOD)
    bench, executed = carried_out(*GOOD[:2], bad, GOOD[2])
    failed = executed.steps[2]
    assert (failed.error, failed.dependency) == (kind, dependency)
    assert executed.done == 3
    assert f"Step 3 ({failed.action or 'unreadable'}, {kind}): {failed.message}" in executed.text
    assert bench.design == alone.design
    assert set(bench.files) == set(alone.files)


def test_who_acted_last_goes_on_where_no_expert_is_named() -> None:
    first = {"expert": V, "action": "CreateDocument", "parameters": {"docType": "poster"}}
    second = {"action": "DrawCircle", "parameters": {"layerName": "c", "radius": 9, "red": 1, "green": 2, "blue": 3}}
    _, executed = carried_out(first, second)
    assert [s.expert for s in executed.steps] == [V, V]
    assert executed.done == 2


def test_other_spellings_are_kept_in_the_papers() -> None:
    _, executed = carried_out(
        {"expert": "Photo Editor", "action": "CreateDocument", "parameters": {"docType": "Business Card"}},
        step("StrokeDrawing", V, layerName="x", strokeWidth=1, red=0, green=0, blue=0),
    )
    assert executed.steps[0].expert == P
    assert executed.steps[0].parameters == {"docType": "business card"}
    assert executed.steps[1].action == "StorkeDrawing"


@pytest.mark.parametrize("steps", [None, "", [], {}, 3, "I would start with a document.", "[{]", '{"a": 1}'])
def test_what_is_no_list_of_steps_is_of_the_kind_format(steps: object) -> None:
    declined = read(steps)
    assert isinstance(declined, Declined)
    assert declined.kind == "format"


def test_a_plan_may_come_as_json_text() -> None:
    assert read(json.dumps(GOOD)) == read(GOOD)


def test_too_many_steps_are_past_a_limit() -> None:
    declined = read([GOOD[0]] * (MAX_STEPS + 1))
    assert isinstance(declined, Declined)
    assert declined.kind == "limit"
    assert str(MAX_STEPS) in declined.message


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)
STEP = st.fixed_dictionaries(
    {"action": st.sampled_from(["CreateText", "DrawStar", "AdjustHSL", "finish", "x"]) | ANY},
    optional={"expert": st.sampled_from([L, V, "x"]) | ANY, "parameters": ANY, "description": ANY, "refused": ANY},
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEP | ANY, min_size=1, max_size=4))
def test_any_list_is_read_and_reading_what_was_read_gives_the_same(raw: list) -> None:
    call = read(raw)
    assert isinstance(call, Accepted)
    steps = call.arguments["steps"]
    json.dumps(steps, allow_nan=False).encode("utf-8")
    assert [read_step(s) for s in steps] == steps
    bench = workspace()
    executed = execute(bench, steps)
    assert len(executed.steps) == len(raw)


def test_sampled_plans_can_be_read() -> None:
    rng = np.random.default_rng(0)
    tool = plan_table()[EXECUTE]
    kinds = set()
    for _ in range(40):
        arguments = tool.sample(rng)
        call = read(arguments["steps"])
        assert isinstance(call, Accepted)
        kinds |= {s.get("refused") for s in call.arguments["steps"]}
    assert kinds == {None}
