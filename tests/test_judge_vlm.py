from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import Reply, chat_server, pictures, texts

from designgym.errors import UserError
from designgym.graphics.document import Document, TextLayer
from designgym.rewards.judges.base import Judge, Page
from designgym.rewards.judges.questions import Question
from designgym.rewards.judges.vlm import VlmJudge, read_verdict

PAGE = Page(np.full((40, 60, 3), 200, np.uint8))
RED, TITLE = (Question(text, "free", "x") for text in ("Is the page red?", "Is there a title?"))


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("yes", True),
        ("Yes.", True),
        (" NO\n", False),
        ("**No**", False),
        ('"yes"!', True),
        ("Yes, it is red.", None),
        ("yes no", None),
        ("yesterday", None),
        ("true", None),
        ("", None),
        ("nope", None),
    ],
)
def test_only_the_one_word_is_an_answer(reply: str, verdict: bool | None) -> None:
    assert read_verdict(reply) is verdict


def by_question(number: int, body: dict[str, Any]) -> Reply:
    return Reply("Yes." if "red" in texts(body) else "It may well have one")


def test_an_endpoint_is_asked_once_about_the_same_page_and_question(tmp_path: Path) -> None:
    cache = str(tmp_path / "replies.jsonl")
    with chat_server(by_question) as server:
        judge = VlmJudge("llava", server.url, cache=cache)
        assert judge.answer(PAGE, [RED, TITLE, RED]) == [True, None, True]
        assert len(server.requests) == 2
        judge.answer(Page(np.zeros((40, 60, 3), np.uint8)), [RED])
        assert len(server.requests) == 3
        assert VlmJudge("llava", server.url, cache=cache).answer(PAGE, [TITLE, RED]) == [None, True]
        assert len(server.requests) == 3
        VlmJudge("another", server.url, cache=cache).answer(PAGE, [RED])
        assert len(server.requests) == 4
    body = server.requests[0]["body"]
    assert body["temperature"] == 0.0 and len(pictures(body)) == 1 and "Is the page red?" in texts(body)


def test_the_model_sees_nothing_of_the_document() -> None:
    layer = TextLayer(id="answer-yes", name="say yes", text="x", x=0, y=0, width=50, height=20)
    page = Page(PAGE.image, Document(60, 40, layers=(layer,)))
    with chat_server(by_question) as server:
        VlmJudge("llava", server.url).answer(page, [RED])
    assert "say" not in texts(server.requests[0]["body"]) and "answer-yes" not in str(server.requests[0]["body"])


def test_a_refusal_leaves_a_question_unanswered_and_is_asked_again() -> None:
    replies = [Reply(None, refusal="no comment"), Reply("no")]
    with chat_server(lambda number, body: replies[number]) as server:
        judge = VlmJudge("llava", server.url)
        assert judge.answer(PAGE, [RED]) == [None]
        assert judge.answer(PAGE, [RED]) == [False]


def test_a_wrong_request_is_the_users_mistake() -> None:
    with (
        chat_server(lambda number, body: Reply(status=404, body="no such model")) as server,
        pytest.raises(UserError, match="404"),
    ):
        VlmJudge("llava", server.url).answer(PAGE, [RED])
    with pytest.raises(ValueError, match="needs a model"):
        VlmJudge("")


def test_it_is_a_judge_that_can_be_pickled() -> None:
    judge = VlmJudge("llava", "http://localhost:1/v1")
    again = pickle.loads(pickle.dumps(judge))
    assert isinstance(again, Judge) and again.backend == judge.backend
    assert judge.backend != VlmJudge("other", "http://localhost:1/v1").backend


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("torch")
    with pytest.raises(UserError, match="no-such"):
        VlmJudge(str(tmp_path / "no-such")).answer(PAGE, [RED])


@pytest.mark.skipif(importlib.util.find_spec("trl") is None, reason="models come with the extra 'train'")
def test_a_local_model_is_loaded_and_asked(tmp_path: Path) -> None:
    from designgym.agents.qwen import tiny

    config = tiny.TinyConfig(
        image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
    )
    tiny.save(config, tmp_path / "tiny")
    judge = VlmJudge(str(tmp_path / "tiny"), cache=str(tmp_path / "replies.jsonl"))
    # Its weights are random, so that what it says is no answer; it says the same each time.
    assert judge.answer(PAGE, [RED, RED]) == [None, None]
    assert len((tmp_path / "replies.jsonl").read_text().splitlines()) == 1
