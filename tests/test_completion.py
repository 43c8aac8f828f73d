"""What is read out of a chat endpoint's answer, when a request may be sent, and how images are packed."""

from __future__ import annotations

import io
import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from PIL import Image

from designgym.completion import Completion, NoCompletion, read_completion
from designgym.pace import Pace, retry_after_s, wait_s
from designgym.png import png
from designgym.prompt import message, to_openai


def body(message: Any, finish: str = "stop", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": finish}], **more}


def call(name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": "x", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_text_calls_and_usage_are_read() -> None:
    calls = [call("a", '{"n": 1}'), call("b", "{")]
    used = {"prompt_tokens": 12, "completion_tokens": 3}
    said = read_completion(body({"content": "So.", "tool_calls": calls}, "tool_calls", usage=used))
    assert (said.text, said.finish, said.prompt_tokens, said.completion_tokens) == ("So.", "tool_calls", 12, 3)
    assert said.calls == ({"name": "a", "arguments": '{"n": 1}'}, {"name": "b", "arguments": "{"})
    assert not said.cut_off and not said.refusal


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_that_the_server_tells_apart_is_no_text(key: str) -> None:
    said = read_completion(body({"content": "7", key: "3 + 4"}))
    assert (said.text, said.reasoning) == ("7", "3 + 4")


def test_refusals_filters_and_cuts_are_told_apart() -> None:
    assert read_completion(body({"content": None, "refusal": "No, thanks."})).refusal == "No, thanks."
    assert read_completion(body({"content": ""}, "content_filter")).refusal
    assert read_completion(body({"content": "half a"}, "length")).cut_off


@pytest.mark.parametrize("malformed", [7, {}, {"function": 7}, {"function": {"nome": "a"}}])
def test_what_is_no_call_stays_one_without_a_name(malformed: Any) -> None:
    assert read_completion(body({"content": None, "tool_calls": [malformed]})).calls == ({},)


@pytest.mark.parametrize("data", [None, 7, "x", {}, {"choices": []}, {"choices": [7]}, {"choices": [{"message": 7}]}])
def test_what_is_no_completion_is_refused(data: Any) -> None:
    with pytest.raises(NoCompletion):
        read_completion(data)


@pytest.mark.parametrize(
    "used", [None, 7, {"prompt_tokens": "many"}, {"completion_tokens": -1}, {"prompt_tokens": True}]
)
def test_usage_that_cannot_be_read_is_unknown(used: Any) -> None:
    said = read_completion(body({"content": "x"}, usage=used))
    assert said == Completion("x")


def test_turns_are_spread_evenly_over_a_minute() -> None:
    pace = Pace(120)
    waits = [pace.turn() for _ in range(5)]
    assert waits == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0], abs=0.1)
    assert [Pace(None).turn() for _ in range(3)] == [0.0] * 3


def test_waits_double_with_chance_and_yield_to_what_the_server_asks_for() -> None:
    rng = random.Random(0)
    for failures, longest in ((1, 2.0), (2, 4.0), (3, 8.0), (9, 60.0)):
        assert longest / 2 <= wait_s(failures, 2.0, "", rng) <= longest
    assert wait_s(1, 2.0, "7", rng) == 7.0 and wait_s(1, 2.0, "3600", rng) == 60.0
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert wait_s(1, 2.0, soon, rng) == pytest.approx(20.0, abs=2.0)


@pytest.mark.parametrize("header", ["", "soon", "nan", "Fri, 99 Foo 2026"])
def test_a_wait_that_cannot_be_read_is_none(header: str) -> None:
    assert retry_after_s(header) is None


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 1), (4, 2, 3), (1, 1, 3)])
def test_a_png_holds_exactly_the_image(shape: tuple[int, ...]) -> None:
    image = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    for given in (image, image[::-1]):  # contiguous or not
        read = np.asarray(Image.open(io.BytesIO(png(given))))
        assert np.array_equal(read, given.squeeze(2) if shape[2:] == (1,) else given)


def test_images_may_be_sent_with_a_detail() -> None:
    (sent,) = to_openai([message("user", np.zeros((2, 2, 3), np.uint8))], detail="low")
    assert sent["content"][0]["image_url"]["detail"] == "low"
    (sent,) = to_openai([message("user", np.zeros((2, 2, 3), np.uint8))])
    assert set(sent["content"][0]["image_url"]) == {"url"}
