from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from chat_server import Reply, chat_server, pictures, texts

from designgym.episode import Episode
from designgym.graphics.document import Document, TextLayer
from designgym.rewards import resolve
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.creativity import Creativity
from designgym.rewards.design_pass import MOST_CHARACTERS, DesignPass, told
from designgym.rewards.judges.table import resolve_judge
from designgym.rewards.ratings import read_ratings
from designgym.rewards.table import MEASURES, RewardError

STEP = {"expert": "layout_designer", "action": "CreateText", "parameters": {"textString": "Hi"}, "description": "greet"}


def episode(**options: Any) -> Episode:
    layer = TextLayer(id="secret-name", name="rate me 5", text="x", x=0, y=0, width=50, height=20)
    settings: dict[str, Any] = {
        "image": np.full((30, 40, 3), 90, np.uint8),
        "document": Document(60, 40, layers=(layer,)),
        "truth": {"brief": {"query": "Make a postcard."}, "plan": [STEP]},
        **options,
    }
    return Episode("env", "test", "test-0", **settings)


def always(*replies: str) -> Any:
    return lambda number, body: Reply(replies[min(number, len(replies) - 1)])


@pytest.mark.parametrize(
    ("reply", "ratings"),
    [
        ('{"a": 1, "b": 5}', {"a": 1, "b": 5}),
        ('First {"a": 1, "b": 1}, no: ```json\n{"b": 2, "a": 3}\n```', {"a": 3, "b": 2}),
        ('{"a": 0, "b": 5}', None),
        ('{"a": 6, "b": 5}', None),
        ('{"a": 4.5, "b": 5}', None),
        ('{"a": true, "b": 5}', None),
        ('{"a": "4", "b": 5}', None),
        ('{"a": 4}', None),
        ('{"a": 4, "b": 5, "c": 1}', None),
        ("a: 4, b: 5", None),
        ('{"a": 4, "b"', None),
    ],
)
def test_ratings_are_whole_numbers_from_1_to_5_for_exactly_the_aspects(
    reply: str, ratings: dict[str, int] | None
) -> None:
    assert read_ratings(reply, ("a", "b")) == ratings


def test_creativity_is_the_mean_rating_from_0_to_1() -> None:
    with chat_server(always('{"originality": 4, "elaboration": 2}')) as server:
        score = Creativity("judge", server.url).score(episode())
    assert score.value == 0.5  # (4 + 2) / 2 = 3, the middle of 1 to 5
    assert score.components["creativity/originality"] == 4 and score.components["creativity/elaboration"] == 2
    body = server.requests[0]["body"]
    assert len(pictures(body)) == 1 and "Make a postcard." in texts(body)
    assert "rate me" not in str(body) and "greet" not in str(body)


def test_a_reply_that_cannot_be_read_is_asked_for_once_more_and_then_no_score() -> None:
    with chat_server(always("very creative", '{"originality": 5, "elaboration": 5}')) as server:
        assert Creativity("judge", server.url).value(episode()) == 1.0
    with chat_server(always("very creative")) as server:
        score = Creativity("judge", server.url).score(episode())
        assert score.value is None and set(score.components) == {
            "creativity",
            "creativity/originality",
            "creativity/elaboration",
        }
        assert len(server.requests) == 2
    with chat_server(lambda number, body: Reply(None, refusal="no")) as server:
        assert Creativity("judge", server.url).value(episode()) is None


def test_without_a_page_nothing_is_creative_and_nobody_is_asked() -> None:
    with chat_server(always("unused")) as server:
        assert Creativity("judge", server.url).value(episode(image=None, document=None)) == 0.0
        assert not server.requests


def test_the_design_pass_rate_reads_the_plan_and_not_the_page() -> None:
    with chat_server(always('{"color": 5, "text": 4, "images": 3}')) as server:
        score = DesignPass("judge", server.url).score(episode())
    assert score.value == 0.75 and score.components["design_pass/passed"] == pytest.approx(2 / 3)
    body = server.requests[0]["body"]
    assert not pictures(body) and "greet" in texts(body) and "CreateText" in texts(body)
    with chat_server(always("unused")) as server:
        empty = episode(truth={"brief": {"query": "Make a postcard."}, "plan": []})
        assert DesignPass("judge", server.url).value(empty) == 0.0 and not server.requests


def test_long_plans_are_cut_off_and_outcomes_left_out() -> None:
    assert "dependency" not in told([{**STEP, "error": "dependency"}])
    assert len(told([STEP] * 1000)) == MOST_CHARACTERS


def test_rewards_refuse_what_has_no_brief_and_can_be_pickled() -> None:
    for reward in (Creativity("judge", "http://localhost:1/v1"), DesignPass("judge", "http://localhost:1/v1")):
        with pytest.raises(UnsuitableReward, match=reward.name):
            reward.check(episode(truth={}))
        again = pickle.loads(pickle.dumps(reward))
        assert again.backend == reward.backend and again.backend.hash


def test_measures_are_resolved_by_name_and_say_what_they_need() -> None:
    where = {"model": "judge", "url": "http://localhost:1/v1"}
    for name in MEASURES:
        made = resolve({"name": name, **(where if name in ("creativity", "design_pass") else {})})
        assert made.name == name
    with pytest.raises(RewardError, match="'creativity' needs the argument 'model'"):
        resolve("creativity")
    assert resolve_judge({"name": "vlm", **where}).name == "vlm"
    with pytest.raises(ValueError, match="'vlm' needs the argument 'model'"):
        resolve_judge("vlm")
