"""The chat agent against a scripted server: what it sends, how it reads what comes back, and what it puts up with."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer, Reply, call, chat_server, pictures, texts
from PIL import Image

from designgym.agents.chat import agent as chat
from designgym.agents.chat.frames import frame_of, number_frame
from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools
from designgym.agents.qwen.frames import resized
from designgym.boxes import NumberFrame
from designgym.config import load_config
from designgym.errors import UserError
from designgym.eval.config import EvalConfig
from designgym.eval.evaluate import evaluate
from designgym.eval.results import Result, read_results
from designgym.eval.runner import make, run
from designgym.eval.summary import Policy
from designgym.eval.usage import usage_tables
from designgym.prompt import to_openai
from designgym.trace import read_episodes

LOCALIZATION, CANVAS = "designgym/AestheticLocalization-v0", "designgym/CanvasDrawing-v0"
PAGES: dict[str, Any] = {"split": "test", "designs": "blocks", "image_size": 64}
DRAWING: dict[str, Any] = {"split": "test", "max_calls": 6}
PAGE = "test-000000"
LINES = {"lines": [{"x1": 10, "y1": 10, "x2": 90, "y2": 90}]}
DONE = call("drawing_finished", {"label": "a thing"}, id="call-2")
USED = {"prompt_tokens": 100, "completion_tokens": 20}

Answer = Callable[[int, dict[str, Any]], Reply]


def script(*replies: Reply) -> Answer:
    """Each reply in turn, the last for ever."""
    return lambda number, body: replies[min(number, len(replies) - 1)]


def play(answer: Answer, env_id: str, kwargs: dict[str, Any], tasks: list[str], **options: Any) -> Any:
    """The results, and the server with what it was sent."""
    with chat_server(answer) as server:
        agent = made(server, env_id, kwargs, **options)
        return run(agent, env_id, kwargs, tasks), server


def made(server: ChatServer, env_id: str, kwargs: dict[str, Any], **options: Any) -> chat.ChatAgent:
    pauses: list[float] = options.pop("pauses", [])
    agent = chat.build(make(env_id, kwargs), url=server.url, **{"model": "a-model", "timeout_s": 5.0, **options})
    agent.client._pause = pauses.append
    return agent


def draw(answer: Answer, **options: Any) -> tuple[Result, list[dict[str, Any]]]:
    """The result of one drawing, and the bodies of the requests."""
    (result,), server = play(answer, CANVAS, DRAWING, ["is01"], **options)
    return result, [request["body"] for request in server.requests]


def locate(answer: Answer, **options: Any) -> tuple[Result, dict[str, Any]]:
    (result,), server = play(answer, LOCALIZATION, PAGES, [PAGE], **options)
    return result, server.requests[0]["body"]


# ------------------------------------------------------------ what is sent


def test_a_native_request_is_the_prompt_builders_messages_with_the_tools_beside_it() -> None:
    result, body = locate(script(Reply(None, calls=[call("answer", {"bbox": [0.1, 0.2, 0.5, 0.6]})])))
    env = make(LOCALIZATION, PAGES)
    observation, _ = env.reset(options={"task": PAGE})
    design: Any = env.unwrapped
    asked = prompt_builder(LOCALIZATION)(
        observation, design.tool_table, wording="full", frame=NumberFrame(), **design.prompt_options()
    )
    assert body["messages"] == to_openai(asked)
    assert body["tools"] == design.tool_table.schemas(NumberFrame())
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("a-model", 0.0, 2048)
    shown = Image.open(io.BytesIO(base64.b64decode(pictures(body)[0].partition(",")[2])))
    assert np.array_equal(np.asarray(shown), observation["image"])
    assert result.answer == {"bbox": [0.1, 0.2, 0.5, 0.6]} and result.end == "submit"


def test_a_request_for_json_announces_the_tools_as_the_local_agent_does() -> None:
    written = 'It is here: {"name": "answer", "arguments": {"bbox": null}}'
    result, body = locate(script(Reply(written)), tools="json")
    env = make(LOCALIZATION, PAGES)
    observation, _ = env.reset(options={"task": PAGE})
    design: Any = env.unwrapped
    asked = prompt_builder(LOCALIZATION)(
        observation, design.tool_table, wording="full", frame=NumberFrame(), **design.prompt_options()
    )
    assert body["messages"] == to_openai(announce_tools(asked, design.tool_table, NumberFrame()))
    assert "tools" not in body
    assert result.answer == {"bbox": None} and result.text == written


def test_settings_reach_the_prompt_and_the_request() -> None:
    options = {"framing": "depictive", "context": ["canvas"], "detail": "low", "extra": {"top_p": 0.5, "seed": 3}}
    _, bodies = draw(script(Reply("Done.")), temperature=None, max_tokens=None, **options)
    (body,) = bodies
    _, (plain,) = draw(script(Reply("Done.")), context=["canvas"])
    assert len(pictures(body)) == 1 and texts(body) != texts(plain)
    images = [part for message in body["messages"][1:] for part in message["content"] if part["type"] == "image_url"]
    assert images[0]["image_url"]["detail"] == "low"
    assert (body["top_p"], body["seed"]) == (0.5, 3)
    assert "temperature" not in body and "max_tokens" not in body


def test_a_framing_in_words_asks_without_tools_and_reads_words() -> None:
    (result,), server = play(
        script(Reply("No, there is none.")),
        "designgym/AestheticJudgment-v0",
        {"split": "test", "image_size": 64},
        ["test-000000"],
        framing="original",
    )
    assert "tools" not in server.requests[0]["body"]
    assert result.answer == {"verdict": "no"} or result.answer == {"verdict": False}


# ------------------------------------------------------------ rounds


def test_all_calls_of_a_reply_are_carried_out_and_each_result_is_told_in_the_next_turn() -> None:
    first = Reply("Two at once.", calls=[call("draw_lines", LINES), call("draw_circle", {"x": 1}, id="b")])
    result, bodies = draw(script(first, Reply(None, calls=[DONE])))
    assert (result.calls, result.rounds, result.end) == (3, 2, "finished")
    assert result.errors == {"invalid_action": 1}
    history = texts(bodies[1])
    assert '{"name":"draw_lines","arguments":' + json.dumps(LINES, separators=(",", ":")) + "} -> " in history
    assert '{"name":"draw_circle","arguments":{"x":1}} -> Error (invalid_action)' in history
    assert len(pictures(bodies[1])) == 2 and pictures(bodies[0])[0] != pictures(bodies[1])[0]


def test_calls_written_into_the_text_are_a_round_too() -> None:
    two = "".join(f"<tool_call>{json.dumps({'name': 'draw_lines', 'arguments': LINES})}</tool_call>" for _ in range(2))
    for form in ("json", "native"):
        result, _ = draw(script(Reply(two), Reply("I am done.")), tools=form)
        assert (result.calls, result.rounds, result.end, result.errors) == (2, 2, "silent", {})


def test_a_reply_without_a_call_ends_the_trial_and_is_scored() -> None:
    result, bodies = draw(script(Reply(None, calls=[call("draw_lines", LINES)]), Reply("I am done.")))
    assert (result.end, result.calls, result.scored, result.text) == ("silent", 1, True, "I am done.")
    assert len(bodies) == 2


def test_an_empty_reply_ends_the_trial_like_any_other_without_a_call() -> None:
    assert draw(script(Reply("")))[0].end == "silent"


def test_the_page_of_a_design_is_shown_once_there_is_one() -> None:
    env_id, kwargs = "designgym/DesignActions-v0", {"split": "test", "max_calls": 3}
    table = make(env_id, kwargs).unwrapped.tool_table  # type: ignore[attr-defined]
    opened = next(tool.name for tool in table if "reate" in tool.name and "ocument" in tool.name)
    example = table[opened].example()
    task = make(env_id, kwargs).unwrapped.task_ids("test")[0]  # type: ignore[attr-defined]
    answer = script(Reply(None, calls=[call(opened, example)]), Reply("Done."))
    (result,), server = play(answer, env_id, kwargs, [task])
    first, second = (request["body"] for request in server.requests)
    assert result.errors == {} and (len(pictures(first)), len(pictures(second))) == (0, 1)


# ------------------------------------------------------------ what is malformed


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (call("draw_lines", '{"lines": ['), "format"),
        (call("draw_lines", "[1, 2]"), "invalid_parameters"),
        (call("draw_lines", ""), "invalid_parameters"),
        (call("draw_spirals", {}), "invalid_action"),
        (call(None, {}), "format"),
        ({"id": "x"}, "format"),
        (7, "format"),
    ],
)
def test_a_malformed_call_costs_a_step_and_the_trial_goes_on(made: Any, kind: str) -> None:
    result, _ = draw(script(Reply(None, calls=[made]), Reply(None, calls=[DONE])))
    assert (result.errors, result.calls, result.end) == ({kind: 1}, 2, "finished")


def test_a_call_without_an_id_is_a_call() -> None:
    result, _ = draw(script(Reply(None, calls=[call("draw_lines", LINES, id=None)]), Reply("Done.")))
    assert (result.calls, result.errors) == (1, {})


def test_the_rest_of_a_text_that_cannot_be_read_costs_a_step() -> None:
    good = json.dumps({"name": "draw_lines", "arguments": LINES})
    text = f'{good}\n{{"name": "draw_lines", "arguments": {{"lines"'
    result, bodies = draw(script(Reply(text), Reply("Done.")), tools="json")
    assert (result.calls, result.errors, result.end) == (2, {"format": 1}, "silent")
    assert "Error (format)" in texts(bodies[1])


def test_a_reply_that_was_cut_off_is_no_farewell() -> None:
    cut = Reply("<think>I wonder whether", finish="length", usage=USED)
    result, _ = draw(script(cut, Reply("Done.", usage=USED)))
    assert (result.errors, result.end, result.usage["cut_off"]) == ({"format": 1}, "silent", 1.0)


def test_where_one_answer_is_asked_for_two_are_none() -> None:
    box = {"bbox": [0.1, 0.2, 0.5, 0.6]}
    result, _ = locate(script(Reply(None, calls=[call("answer", box), call("answer", box)])))
    assert (result.answer, result.errors, result.calls) == (None, {"format": 1}, 1)


def test_reasoning_is_recorded_and_no_call_is_read_in_it() -> None:
    thought = json.dumps({"name": "answer", "arguments": {"bbox": [0, 0, 1, 1]}})
    body = {"content": '{"bbox": null}', "reasoning_content": thought}
    reply = Reply(body=json.dumps({"choices": [{"message": body, "finish_reason": "stop"}]}))
    result, _ = locate(script(reply))
    assert result.answer == {"bbox": None}
    assert result.text == f'<think>\n{thought}\n</think>\n{{"bbox": null}}'


# ------------------------------------------------------------ refusals, faults and limits


@pytest.mark.parametrize(
    "refusal",
    [
        Reply(None, refusal="I cannot help with that."),
        Reply("", finish="content_filter"),
        Reply(status=400, body='{"error": {"code": "content_filter"}}'),
    ],
)
def test_a_refusal_is_recorded_as_such_and_ends_the_trial(refusal: Reply) -> None:
    result, bodies = draw(script(refusal))
    assert (result.end, result.failure, result.calls, len(bodies)) == ("refused", "", 0, 1)
    assert result.text


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=429, headers={"retry-after": "3"}),
        Reply(status=500),
        Reply(body='{"choices": [{"mess'),
        Reply(body='{"choices": []}'),
        Reply("a reply that breaks off", cut=30),
    ],
)
def test_faults_that_pass_leave_no_trace_but_the_number_of_requests(fault: Reply) -> None:
    pauses: list[float] = []
    result, bodies = draw(script(fault, Reply(None, calls=[DONE])), pauses=pauses)
    assert (result.end, result.failure, len(bodies)) == ("finished", "", 2)
    assert result.usage["requests"] == 2.0 and len(pauses) == 1
    if fault.status == 429:
        assert pauses == [3.0]


def test_a_silent_server_is_asked_again() -> None:
    result, bodies = draw(script(Reply(delay_s=0.5), Reply(None, calls=[DONE])), timeout_s=0.2)
    assert (result.end, len(bodies)) == ("finished", 2)


def test_a_trial_that_gets_no_answer_fails_alone() -> None:
    def answer(number: int, body: dict[str, Any]) -> Reply:
        return Reply(status=500) if number < 2 else Reply(None, calls=[DONE])

    results, _ = play(answer, CANVAS, DRAWING, ["is01", "is02"], tries=2, concurrency=1)
    assert "gave no answer in 2 tries" in results[0].failure and results[1].end == "finished"


def test_a_request_that_is_refused_for_its_length_fails_alone() -> None:
    def answer(number: int, body: dict[str, Any]) -> Reply:
        too_long = Reply(status=400, body='{"error": "maximum context length"}')
        return too_long if number == 0 else Reply(None, calls=[DONE])

    results, _ = play(answer, CANVAS, DRAWING, ["is01", "is02"], concurrency=1)
    assert "context length" in results[0].failure and results[1].end == "finished"


def test_a_wrong_key_ends_the_run_in_a_sentence() -> None:
    with pytest.raises(UserError, match=r"HTTP 401.*OPENAI_API_KEY is not set"):
        draw(script(Reply(status=401, body="who are you?")), key_variable="OPENAI_API_KEY")


def test_an_address_where_nobody_answers_is_refused_before_any_work() -> None:
    with pytest.raises(UserError, match=r"Nobody answers at http://127\.0\.0\.1:1/v1"):
        chat.build(make(CANVAS, DRAWING), url="http://127.0.0.1:1/v1", model="m")


@pytest.mark.parametrize(
    ("option", "end", "calls"),
    [({"trial_rounds": 2}, "rounds", 2), ({"trial_tokens": 240}, "tokens", 2), ({"trial_tokens": 1}, "tokens", 1)],
)
def test_a_trials_budget_ends_it_after_the_turn_that_reaches_it(option: Any, end: str, calls: int) -> None:
    result, _ = draw(script(Reply(None, calls=[call("draw_lines", LINES)], usage=USED)), **option)
    assert (result.end, result.calls, result.scored) == (end, calls, True)


def test_a_trial_out_of_time_ends_without_waiting_for_the_server() -> None:
    result, bodies = draw(script(Reply(delay_s=1.0)), trial_seconds=0.3)
    assert (result.end, result.failure) == ("seconds", "") and result.usage["seconds"] >= 0.3
    assert len(bodies) == 1


def test_a_token_budget_needs_a_server_that_counts() -> None:
    with pytest.raises(UserError, match="leave trial_tokens out"):
        draw(script(Reply("x")), trial_tokens=100)


def test_tokens_and_cost_are_added_up_over_a_trial() -> None:
    replies = (Reply(None, calls=[call("draw_lines", LINES)], usage=USED), Reply("Done.", usage=USED))
    result, _ = draw(script(*replies), price_prompt=2.0, price_completion=10.0)
    usage = dict(result.usage)
    assert usage.pop("seconds") > 0
    assert usage == {
        **{"requests": 2.0, "cut_off": 0.0, "prompt_tokens": 200.0, "completion_tokens": 40.0},
        "cost": pytest.approx((200 * 2 + 40 * 10) / 1e6),
    }


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"tools": "xml"}, "one of native, json"),
        ({"wording": "long"}, "one of full, brief"),
        ({"detail": "sharp"}, "one of auto, low, high"),
        ({"boxes": "px"}, "one of fraction"),
        ({"concurrency": 0}, "1 or more"),
        ({"trial_seconds": 0}, "above 0"),
        ({"requests_per_minute": 0}, "above 0"),
        ({"price_prompt": -1.0}, "0 or more"),
        ({"key_variable": "sk-abc-123"}, "name of an environment variable"),
        ({"url": "http://host/v1?key=s3cret"}, "environment variable"),
        ({"framing": "odd"}, "no framing"),
    ],
)
def test_options_that_make_no_sense_are_refused_and_never_repeated_if_they_may_be_keys(option: Any, words: str) -> None:
    settings = {"url": "http://127.0.0.1:1/v1", "model": "m", **option}
    with pytest.raises(UserError, match=words) as caught:
        chat.build(make(CANVAS, DRAWING), **settings)
    assert "sk-abc" not in str(caught.value) and "s3cret" not in str(caught.value)


# ------------------------------------------------------------ boxes


@pytest.mark.parametrize(
    ("model", "frame"),
    [
        ("Qwen/Qwen2-VL-7B-Instruct", "thousand"),
        ("Qwen/Qwen2.5-VL-72B-Instruct-AWQ", "resized_pixel"),
        ("qwen2_5_vl", "resized_pixel"),
        ("qwen/qwen3-vl-235b-a22b-instruct", "thousand"),
        ("google/gemini-2.5-pro", "thousand"),
        ("gpt-5", "fraction"),
        ("my-model", "fraction"),
    ],
)
def test_the_frame_of_boxes_follows_from_the_models_name(model: str, frame: str) -> None:
    assert frame_of(model) == frame and frame_of(model, "pixel") == "pixel"


def test_frames_in_pixels_count_those_of_the_page_as_the_model_sees_it() -> None:
    image = np.zeros((448, 448, 3), np.uint8)
    page = {"page": (300, 200)}
    assert number_frame("pixel", image, page) == NumberFrame("pixel", (300, 200))
    assert number_frame("resized_pixel", image, page) == NumberFrame("resized_pixel", (308, 196))
    assert number_frame("thousand", image, page) == NumberFrame("thousand")


def test_resized_sizes_are_those_of_the_published_preprocessor() -> None:
    pytest.importorskip("transformers")
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    rng = np.random.default_rng(0)
    for width, height in [(1, 1), (9000, 9000), (56, 3000), *rng.integers(20, 4000, (300, 2)).tolist()]:
        for factor, least, most in ((28, 3136, 12845056), (32, 65536, 16777216), (28, 3136, 100352)):
            expected = smart_resize(height, width, factor=factor, min_pixels=least, max_pixels=most)
            assert resized((width, height), factor, least, most) == expected[::-1]


def test_boxes_are_asked_for_and_read_in_the_models_frame() -> None:
    reply = Reply(None, calls=[call("answer", {"bbox": [100, 200, 500, 600]})])
    result, body = locate(script(reply), model="Qwen/Qwen3-VL-8B-Instruct")
    assert result.answer == {"bbox": [0.1, 0.2, 0.5, 0.6]}
    assert "1000" in texts(body) and "1000" in json.dumps(body["tools"])


# ------------------------------------------------------------ many at once


def test_as_many_requests_are_under_way_as_trials_and_none_waits_for_another() -> None:
    tasks = [f"test-00000{i}" for i in range(8)]
    barrier = threading.Barrier(4, timeout=10)

    def answer(number: int, body: dict[str, Any]) -> Reply:
        barrier.wait()
        return Reply(None, calls=[call("answer", {"bbox": None})])

    results, server = play(answer, LOCALIZATION, PAGES, tasks, concurrency=4)
    assert [r.task for r in results] == tasks and not any(r.failure for r in results)
    assert server.most_at_once == 4


def test_the_key_is_sent_and_stands_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: Any
) -> None:
    key = "sk-planted-0123456789"
    monkeypatch.setenv("MY_KEY", key)
    caplog.set_level(0)
    told = f'Your key is {key}. {{"bbox": null}}'
    replies = [
        Reply(told),
        Reply(None, refusal=f"Not with {key}"),
        Reply(None, calls=[call("answer", {"bbox": None, "key": key})]),
        Reply(status=400, body=f"bad request by {key}"),
        Reply(status=500, body=key),
    ]
    with chat_server(script(*replies)) as server:
        options = {"url": server.url, "model": "m", "key_variable": "MY_KEY", "tries": 1, "concurrency": 1}
        config = EvalConfig.model_validate(
            {
                "env": {"id": LOCALIZATION, "kwargs": {"designs": "blocks", "image_size": 64}},
                "agents": [{"name": "chat", "options": options}],
                "limit": 5,
                "images": True,
            }
        )
        done = evaluate(config, tmp_path / "out")
    sent = {k.lower(): v for k, v in server.requests[0]["headers"].items()}
    assert sent["authorization"] == f"Bearer {key}"
    failures = [r.failure for r in done.policies[0].results]
    assert "***" in done.policies[0].results[0].text and "***" in failures[3]
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) > 8
    for path in files:
        assert key.encode() not in path.read_bytes(), path
    out, err = capfd.readouterr()
    assert key not in out + err + caplog.text


# ------------------------------------------------------------ records


def test_a_run_is_recorded_like_any_other(tmp_path: Path) -> None:
    with chat_server(script(Reply("Two.", calls=[call("draw_lines", LINES), DONE], usage=USED))) as server:
        agent = made(server, CANVAS, DRAWING)
        run(agent, CANVAS, DRAWING, ["is01"], out=tmp_path, name="chat")
    (episode,) = read_episodes(tmp_path / "traces.jsonl")
    assert [step.action["name"] for step in episode[1:]] == ["draw_lines", "drawing_finished"]
    assert [step.round for step in episode[1:]] == [0, 0] and episode[1].reply.startswith("Two.\n<tool_call>")
    assert [step.usage.get("prompt_tokens") for step in episode] == [None, 100, None]
    assert read_results(tmp_path / "results.jsonl")["is01"].usage["prompt_tokens"] == 100.0


def test_settings_that_hold_the_key_itself_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "k3y-0123456789")
    for option in ({"extra": {"token": "k3y-0123456789"}}, {"url": "http://127.0.0.1:1/k3y-0123456789/v1"}):
        settings: dict[str, Any] = {"url": "http://127.0.0.1:1/v1", "model": "m", "key_variable": "MY_KEY", **option}
        with pytest.raises(UserError, match="hold the key itself") as caught:
            chat.build(make(CANVAS, DRAWING), **settings)
        assert "k3y" not in str(caught.value)


def test_what_models_took_is_a_table_of_the_report() -> None:
    took = [{"requests": 1.0, "completion_tokens": 10.0, "cost": 0.5}, {"requests": 3.0, "completion_tokens": 30.0}]
    results = [Result(f"t{i}", usage=usage) for i, usage in enumerate(took)]
    results.append(Result("t2", end="refused", usage={"requests": 2.0}))
    (table,) = usage_tables([Policy("silent", [Result("t0")]), Policy("model", results)])
    assert [m.key for m in table.measures] == ["requests", "completion_tokens", "refused", "cost"]
    (row,) = table.rows
    assert row.name == "model" and row.cells["cost"] == 0.5
    means = {key: row.cells[key].mean for key in ("requests", "completion_tokens", "refused")}  # type: ignore[union-attr]
    assert means == {"requests": 2.0, "completion_tokens": 20.0, "refused": pytest.approx(1 / 3)}
    assert usage_tables([Policy("silent", [Result("t0")])]) == []


@pytest.mark.parametrize("name", ["canvas-chat", "design-chat", "aesthetics-chat"])
def test_bundled_configurations_are_valid(name: str) -> None:
    config = load_config(f"eval/{name}", EvalConfig)
    from designgym.agents.table import check

    for agent in config.agents:
        check(agent.name, agent.options)
    assert "chat" in [agent.name for agent in config.agents]
