"""GraphicTown's six steps with a scripted model in all roles."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from chat_server import Reply, chat_server, texts

import designgym  # noqa: F401 - registers the environments
from designgym.agents.graphictown import reading
from designgym.agents.graphictown.agent import GraphicTown
from designgym.agents.graphictown.town import Stuck, plan
from designgym.agents.table import build
from designgym.envs.design.actions import ACTIONS
from designgym.errors import UserError
from designgym.eval.runner import run
from designgym.eval.workflow import measure, steps_of
from designgym.prompt import Message

ENV = "designgym/DesignActions-v0"
TASK = "test-000021"
PLAN = {"mode": "plan", "split": "test"}


def designers_steps(task: str) -> list[dict[str, Any]]:
    """The scripted designer's calls as the steps of a plan: what a perfect model would retrieve."""
    env = gym.make(ENV, split="test")
    observation, info = env.reset(seed=0, options={"task": task})
    agent = build("designer", env, 0)
    if hasattr(agent, "begin"):
        agent.begin(env, info)
    steps, over = [], False
    while not over:
        call = agent(observation, info)
        calls = getattr(call, "calls", (call,))
        for each in calls:
            if each["name"] != "finish":
                parameters = {key: value for key, value in each["arguments"].items() if key != "expert"}
                expert = each["arguments"].get("expert") or info["expert"]
                steps.append({"expert": expert, "action": each["name"], "parameters": parameters})
            observation, _, over, _, info = env.step(each)
    return steps


class Model:
    """Answers each of the five steps; the retrievals are given."""

    def __init__(self, steps: Sequence[dict[str, Any]], spoil: dict[int, str] | None = None) -> None:
        self.steps = list(steps)
        self.spoil = spoil or {}
        self.asked: list[str] = []
        self.retrieved = 0

    def __call__(self, messages: Sequence[Message]) -> str:
        return self.answer("\n".join(message.text for message in messages))

    def answer(self, text: str) -> str:
        number = len(self.asked)
        self.asked.append(text)
        if number in self.spoil:
            return self.spoil[number]
        if "Write a design outline" in text:
            return "A card with everything that the brief says."
        if "Choose the experts" in text:
            return json.dumps({"experts": [{"expert": "Layout Designer", "goal": "Make the page."}]})
        if "Break your goal down" in text:
            return "Here: " + json.dumps({"steps": [f"do {step['action']}" for step in self.steps]})
        if "Make one workflow" in text:
            listed = [{"expert": step["expert"], "step": f"do {step['action']}"} for step in self.steps]
            return f"```json\n{json.dumps({'workflow': listed})}\n```"
        step = self.steps[self.retrieved]
        assert f"do {step['action']}" in text
        self.retrieved += 1
        return json.dumps({"action": step["action"], "parameters": step["parameters"]})


def test_five_steps_make_the_plan_that_the_workbench_carries_out() -> None:
    steps = designers_steps(TASK)
    model = Model(steps)
    env = gym.make(ENV, **PLAN)
    observation, info = env.reset(seed=0, options={"task": TASK})
    reply = GraphicTown(model)(observation, info)
    _, reward, over, _, info = env.step(reply.calls[0])
    assert over and reward == 1 and info["execution_success"] == 1
    assert len(model.asked) == 4 + len(steps)
    assert measure(steps_of(env.unwrapped.episode().truth["plan"])).error_free == 1
    outline = next(text for text in model.asked if "Write a design outline" in text)
    assert observation["task"] in outline


def test_retrieval_sees_the_outline_the_actions_so_far_and_the_experts_actions_alone() -> None:
    steps = designers_steps(TASK)
    model = Model(steps)
    plan(model, TASK, "A card.\n\nFiles that can be imported:\n- owl.png: owl")
    last = model.asked[-1]
    assert "everything that the brief says" in last and "owl.png" in last
    for step in steps[:-1]:
        assert f"{step['expert']}: {step['action']} {json.dumps(step['parameters'], ensure_ascii=False)}" in last
    for action in ACTIONS.values():
        assert (f"- {action.name}(" in last) is (steps[-1]["expert"] in action.experts)


def test_a_reply_that_cannot_be_read_is_answered_with_what_is_wrong_with_it() -> None:
    model = Model(designers_steps(TASK), spoil={1: '{"experts": [{"expert": "painter", "goal": "Paint."}]}'})
    found = plan(model, TASK, "A card.")
    assert "painter" in model.asked[2] and "photo_editor" in model.asked[2]
    assert found.calls == len(model.asked) and [step for step, _ in found.unreadable] == ["recruitment"]
    assert found.goals == {"layout_designer": "Make the page."}


def test_a_step_without_an_action_is_refused_and_the_others_are_carried_out(tmp_path: Path) -> None:
    steps = designers_steps(TASK)
    last = 3 + len(steps)
    model = Model(steps, spoil={last: "I would rather not.", last + 1: "No."})
    results = run(GraphicTown(model, artefacts=tmp_path), ENV, PLAN, [TASK])
    (plan_made,) = [json.loads((tmp_path / f"{TASK}.json").read_text())["plan"]]
    assert plan_made[-1]["action"] == "No."
    assert not results[0].failure and 0 < results[0].rewards["vqa"] <= 1
    counts = [step["error"] for step in results[0].truth["plan"]]
    assert counts == [""] * (len(steps) - 1) + ["invalid_action"]


def test_no_readable_workflow_is_a_plan_that_cannot_be_read(tmp_path: Path) -> None:
    model = Model(designers_steps(TASK), spoil={2: "no", 3: "never"})
    (result,) = run(GraphicTown(model, artefacts=tmp_path), ENV, PLAN, [TASK])
    assert not result.failure and result.errors == {"format": 1} and result.reward == 0
    kept = json.loads((tmp_path / f"{TASK}.json").read_text())
    assert kept["failed_at"] == "workflow of layout_designer" and kept["outline"] and kept["plan"] == []
    with pytest.raises(Stuck):
        plan(Model([], spoil={1: "a", 2: "b"}), TASK, "A card.")


def test_it_plays_over_an_endpoint_and_keeps_the_key_to_itself(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("TOWN_KEY", "sk-very-secret")
    model = Model(designers_steps(TASK))
    with chat_server(lambda number, body: Reply(model.answer(texts(body)))) as server:
        env = gym.make(ENV, **PLAN)
        options = {"url": server.url, "model": "town", "key_variable": "TOWN_KEY", "artefacts": str(tmp_path / "made")}
        agent = build("graphictown", env, 0, **options)
        (result,) = run(agent, ENV, PLAN, [TASK], out=tmp_path / "run", name="graphictown", options=options)
        assert {
            request["headers"]["authorization" if "authorization" in request["headers"] else "Authorization"]
            for request in server.requests
        } == {"Bearer sk-very-secret"}
        assert all(request["body"]["temperature"] == 0 for request in server.requests)
    assert result.reward == 1
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or b"sk-very-secret" not in file.read_bytes()


@pytest.mark.parametrize(
    ("read", "reply", "value"),
    [
        (
            reading.goals,
            '{"experts": [{"expert": "photo editor", "goal": "a"}, {"expert": "Photo_Editor", "goal": "b"}]}',
            {"photo_editor": "a b"},
        ),
        (reading.texts, 'So: {"steps": ["one", "two"]} Done.', ["one", "two"]),
        (reading.texts, '["one"]', ["one"]),
        (reading.workflow, '{"workflow": [{"expert": "Painter", "step": "paint"}]}', [("Painter", "paint")]),
        (reading.call, '[{"action": "DrawStar", "parameters": {"sides": 5}}]', ("DrawStar", {"sides": 5})),
        (reading.call, '{"action": "FlipObject"}', ("FlipObject", {})),
    ],
)
def test_replies_are_read(read: Any, reply: str, value: Any) -> None:
    assert read(reply) == value


@pytest.mark.parametrize("reply", ["", "none", "{", "[" * 5000, '{"experts": []}', '{"experts": 3}', "[1, 2]", "null"])
@pytest.mark.parametrize("read", [reading.goals, reading.texts, reading.workflow, reading.call])
def test_what_is_no_answer_is_unreadable(read: Any, reply: str) -> None:
    with pytest.raises(reading.Unreadable) as caught:
        read(reply)
    assert re.search(r"\w", str(caught.value)) and len(str(caught.value)) < 500


def test_other_modes_are_refused() -> None:
    with pytest.raises(UserError, match="mode='plan' alone"):
        build("graphictown", gym.make(ENV), 0, url="http://localhost:1/v1", model="town")
