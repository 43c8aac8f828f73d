from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from chat_server import Reply, chat_server, pictures

from designgym.endpoint import MAX_FAILURES, ChatClient, Endpoint, EndpointDownError, EndpointError, RefusedError
from designgym.errors import UserError
from designgym.prompt import message

ASKED = [message("user", "Well?")]


def play(*replies: Reply) -> Any:
    """Each reply in turn, the last for ever."""
    return lambda number, body: replies[min(number, len(replies) - 1)]


def client(url: str, waits: list[float] | None = None, **options: Any) -> ChatClient:
    settings = {"timeout_s": 5.0, **options}
    return ChatClient(Endpoint(url, "a-model", **settings), pause=(waits if waits is not None else []).append)


def test_a_request_holds_model_messages_images_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "s3cret-key")
    with chat_server(play(Reply("good"))) as server:
        asked = [message("system", "Be brief."), message("user", np.zeros((2, 3, 3), np.uint8), "What is it?")]
        assert client(server.url, key_variable="SOME_KEY", temperature=0.25, max_tokens=77).ask(asked) == "good"
    request = server.requests[0]
    assert request["path"] == "/v1/chat/completions"
    assert {k.lower(): v for k, v in request["headers"].items()}["authorization"] == "Bearer s3cret-key"
    body = request["body"]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("a-model", 0.25, 77)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert base64.b64decode(pictures(body)[0].partition(",")[2]).startswith(b"\x89PNG")


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with chat_server(play(Reply())) as server:
        client(server.url).ask(ASKED)
    assert "authorization" not in {name.lower() for name in server.requests[0]["headers"]}


@pytest.mark.parametrize(
    ("fault", "counted"),
    [
        (Reply(status=429), "429"),
        (Reply(status=500), "500"),
        (Reply(status=503, body="<html>busy</html>"), "503"),
        (Reply(body='{"choices": [{"mess'), "broken"),
        (Reply(body='{"choices": []}'), "broken"),
        (Reply(body='{"choices": [7]}'), "broken"),
        (Reply("whole", cut=20), "connection"),
    ],
)
def test_faults_that_pass_are_tried_again_and_counted(fault: Reply, counted: str) -> None:
    waits: list[float] = []
    with chat_server(play(fault, fault, Reply("at last"))) as server:
        asker = client(server.url, waits, backoff_s=2.0)
        assert asker.ask(ASKED) == "at last"
    assert asker.faults == {counted: 2}
    assert len(server.requests) == 3
    assert 1.0 <= waits[0] <= 2.0 <= waits[1] <= 4.0


def test_a_silent_server_times_out() -> None:
    with chat_server(play(Reply(delay_s=0.4), Reply("in time"))) as server:
        asker = client(server.url, timeout_s=0.15)
        assert asker.ask(ASKED) == "in time"
    assert asker.faults == {"timeout": 1}


def test_the_wait_that_the_server_asks_for_is_kept_within_reason() -> None:
    waits: list[float] = []
    busy = (Reply(status=429, headers={"retry-after": "7"}), Reply(status=429, headers={"retry-after": "86400"}))
    with chat_server(play(*busy, Reply())) as server:
        client(server.url, waits).ask(ASKED)
    assert waits == [7.0, 60.0]


def test_a_request_fails_after_its_tries_and_the_next_may_succeed() -> None:
    with chat_server(play(Reply(status=500), Reply(status=500), Reply("back"))) as server:
        asker = client(server.url, tries=2)
        with pytest.raises(EndpointError, match=r"in 2 tries.*HTTP 500"):
            asker.ask(ASKED)
        assert asker.ask(ASKED) == "back"


def test_an_endpoint_that_never_answers_is_called_down() -> None:
    with chat_server(play(Reply(status=502))) as server:
        asker = client(server.url, tries=1)
        for _ in range(MAX_FAILURES - 1):
            with pytest.raises(EndpointError):
                asker.ask(ASKED)
        with pytest.raises(EndpointDownError, match="is the server running"):
            asker.ask(ASKED)


@pytest.mark.parametrize(
    "refusal",
    [
        Reply(None, refusal="I cannot help with that."),
        Reply(""),
        Reply(None),
        Reply(status=400, body='{"error": {"code": "content_filter"}}'),
    ],
)
def test_a_refusal_is_not_asked_again(refusal: Reply) -> None:
    with chat_server(play(refusal)) as server, pytest.raises(RefusedError):
        client(server.url).ask(ASKED)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 400, 401, 404])
def test_what_will_never_work_ends_at_once_and_shows_no_key(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret-key")
    told = json.dumps({"error": "wrong key s3cret-key"})
    reply = Reply(status=status, body=told, headers={"location": "http://127.0.0.1:9/"})
    with chat_server(play(reply)) as server, pytest.raises(UserError, match=f"HTTP {status}") as caught:
        client(server.url).ask(ASKED)
    assert len(server.requests) == 1
    assert "s3cret" not in str(caught.value) and "wrong key ***" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "model", "words"),
    [
        ("localhost:8000", "m", "no endpoint"),
        ("ftp://host/v1", "m", "no endpoint"),
        ("http://me:pass@host/v1", "m", "password"),
        ("http://host/v1", "", "name of a model"),
    ],
)
def test_a_wrong_endpoint_is_refused_in_a_sentence(url: str, model: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        Endpoint(url, model)
