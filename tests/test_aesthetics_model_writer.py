"""Reasoning paths by a model: what it is given, what of its text counts, and what comes in its place."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aesthetics_samples import LINE, faint_line, sample
from chat_server import Reply, chat_server, pictures, texts
from PIL import Image

from designgym.boxes import NumberFrame
from designgym.endpoint import ChatClient, Endpoint, EndpointDownError
from designgym.envs.aesthetics.items import make_item
from designgym.train.aesthetics_data.explained import Request, accepted, answer_text, request
from designgym.train.aesthetics_data.layers import element_alone, marked
from designgym.train.aesthetics_data.model_writer import ModelWriter
from designgym.train.aesthetics_data.pairs import Question, path_by_rule
from designgym.train.aesthetics_data.pen import Pen
from designgym.train.aesthetics_data.rows import Written
from designgym.train.aesthetics_data.settings import DataSettings

datasets = pytest.importorskip("datasets")

from designgym.train.aesthetics_data import cli  # noqa: E402

SETTINGS = DataSettings(n=10, writer="a-model")
Answer = Callable[[int, dict[str, Any]], Reply]


def question(task: str = "localization", *, flawed: bool = True) -> Question:
    design = sample(*([faint_line()] if flawed else []))
    item = make_item(task, design, "color-contrast")  # type: ignore[arg-type]
    assert item is not None
    return Question(item, design.page(448), NumberFrame("thousand"))


def asked(one: Question) -> Request:
    return request(one, Pen(np.random.default_rng(0), one.frame))


def explanation(body: dict[str, Any]) -> str:
    """What a good model writes: each region of interest with its box, and the right answer."""
    told = texts(body)
    regions = re.findall(r"^\w: .*?(\[[\d., ]+\])", told, re.MULTILINE)
    answer = re.search(r"^Right answer: (.+)$", told, re.MULTILINE)
    assert answer is not None
    seen = " ".join(f"The element at {box} is what one has to look at closely." for box in regions)
    return f"{seen}\n\nAnswer: {answer[1]}"


def good(number: int, body: dict[str, Any]) -> Reply:
    return Reply(explanation(body))


def write(
    tmp_path: Path, answer: Answer, *questions: Question, **options: Any
) -> tuple[list[Written], ModelWriter, Any]:
    settings = options.pop("settings", SETTINGS)
    with chat_server(answer) as server:
        endpoint = Endpoint(server.url, "a-model", timeout_s=5.0, tries=options.pop("tries", 2))
        writer = ModelWriter(
            settings, ChatClient(endpoint, pause=lambda s: None), tmp_path / "replies.jsonl", **options
        )
        return writer(list(enumerate(questions))), writer, server


# ---------------------------------------------------------------- what the model is given


def test_it_is_given_page_marked_page_layer_box_reason_and_answer(tmp_path: Path) -> None:
    _, _, server = write(tmp_path, good, question())
    body = server.requests[0]["body"]
    told = texts(body)
    assert "[100, 300, 500, 350]" in told and "Right answer: [100, 300, 500, 350]" in told
    assert "at fault in this respect (has a contrast of only 1.4:1 to its ground)" in told
    assert "color contrast" in told and "from 0 to 1000" in told
    page, outlined, alone = (_decoded(url) for url in pictures(body))
    assert page.shape == outlined.shape == (448, 448, 3)
    changed = np.argwhere((page != outlined).any(axis=2))
    assert changed[:, 0].min() >= 0.2 * 448 and changed[:, 0].max() < 0.36 * 448  # about the line, name included
    assert alone.shape[0] < 60 and alone.shape[1] > 150


def test_a_selection_is_explained_by_all_regions_and_a_good_design_by_some(tmp_path: Path) -> None:
    _, _, server = write(tmp_path, good, question("selection"), question("judgment", flawed=False), concurrency=1)
    offered, fine = (texts(request["body"]) for request in server.requests)
    assert len(re.findall(r"^[A-D]: .* at \[", offered, re.MULTILINE)) == 3
    assert offered.count("; fine in this respect") == 2 and offered.count("; at fault") == 1
    assert 2 <= fine.count("; fine in this respect") <= 3 and "Right answer: no" in fine


def test_marks_lie_around_the_region_and_not_on_it() -> None:
    page = sample().page(200)
    outlined = marked(page, {"A": LINE})
    assert (outlined[60:70, 20:100] == page[60:70, 20:100]).all()
    assert tuple(outlined[58, 50]) == (255, 0, 200)


def test_an_element_by_itself_shows_nothing_of_the_others() -> None:
    design = sample(faint_line())
    alone = element_alone(design, design.element("panel"), 200)
    assert alone.shape == (80, 80, 3) and (alone == (0x20, 0x40, 0xA0)).all()
    line = element_alone(design, design.element("line"), 200)
    assert min(line.shape[:2]) >= 32 and tuple(line[0, 0]) == (0xB4, 0xB4, 0xB4)


# ---------------------------------------------------------------- what counts

TEXT = "The line at [100, 300, 500, 350] is so light that it sinks into the white of the page behind it."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{TEXT}\nAnswer: [100, 300, 500, 350]", ""),
        (f"{TEXT}\n\n**Answer:** [100, 300, 500, 350]", ""),
        (f"{TEXT} Unlike it, the title at [100, 100, 900, 250] stands out.\nAnswer: [100, 300, 500, 350]", ""),
        (f"{TEXT}\nAnswer: None", "answer"),
        (f"{TEXT}\nAnswer: [100, 300, 500, 351]", "answer"),
        (f"{TEXT}\nAnswer: [100, 300, 500, 350] or [0, 0, 1, 1]", "answer"),
        (f"{TEXT} Answer: [100, 300, 500, 350]", "form"),
        (f"{TEXT}\nIt is [100, 300, 500, 350]", "form"),
        (f"<think>Hm.</think>{TEXT}\nAnswer: [100, 300, 500, 350]", "form"),
        ("Light.\nAnswer: [100, 300, 500, 350]", "length"),
        ("x" * 5000 + "\nAnswer: [100, 300, 500, 350]", "length"),
        (
            "The line of text is so light that one can hardly see it there.\nAnswer: [100, 300, 500, 350]",
            "boxes",
        ),
        (TEXT.replace("350", "355") + "\nAnswer: [100, 300, 500, 350]", "boxes"),
        (f"{TEXT} So is [1, 2, 3, 4].\nAnswer: [100, 300, 500, 350]", "boxes"),
        (f"{TEXT} As the given answer says.\nAnswer: [100, 300, 500, 350]", "told"),
        ("", "form"),
        ("I'm sorry, but I can't help with that.", "form"),
    ],
)
def test_a_text_counts_only_with_the_boxes_and_the_right_answer(text: str, reason: str) -> None:
    one = question()
    path, why = accepted(text, one, asked(one))
    assert why.partition(":")[0] == reason
    assert bool(path) == (not reason)
    if path:
        assert path.startswith(TEXT) and "Answer" not in path


@pytest.mark.parametrize(
    ("task", "flawed", "answer"),
    [("judgment", True, "yes"), ("judgment", False, "no"), ("localization", False, "None")],
)
def test_the_right_answer_in_words(task: str, flawed: bool, answer: str) -> None:
    assert answer_text(question(task, flawed=flawed)) == answer


# ---------------------------------------------------------------- faults


def test_a_text_that_is_turned_down_is_asked_for_again_with_the_reason(tmp_path: Path) -> None:
    def answer(number: int, body: dict[str, Any]) -> Reply:
        if number:
            return good(number, body)
        return Reply(
            "It is the line of small text, which is much too light to be seen at all.\nAnswer: [100, 300, 500, 350]"
        )

    (written,), writer, server = write(tmp_path, answer, question())
    assert written.writer == "a-model" and "[100, 300, 500, 350]" in written.path
    again = server.requests[1]["body"]["messages"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert "[100, 300, 500, 350] is not repeated" in again[-1]["content"]
    assert writer.counts == {"asked": 2, "accepted": 1, "turned down: boxes": 1}


@pytest.mark.parametrize("rejected", ["rules", "nothing"])
def test_a_model_that_never_succeeds_is_replaced_as_was_said(tmp_path: Path, rejected: str) -> None:
    settings = DataSettings(n=10, writer="a-model", rejected=rejected)  # type: ignore[arg-type]
    (written,), writer, _ = write(tmp_path, lambda n, b: Reply("No idea."), question(), settings=settings, attempts=2)
    assert writer.counts == {"asked": 2, "turned down: form": 2, "given up": 1}
    if rejected == "rules":
        assert written == Written(path_by_rule(question(), settings, 0), "rules")
    else:
        assert written == Written("", "nobody")


def test_refusals_faults_and_silence_are_counted_and_outlived(tmp_path: Path) -> None:
    script = [
        Reply(None, refusal="I cannot judge designs."),
        Reply(status=429),
        Reply(status=500),
        Reply(body='{"choices": [{"message": {"content": "cut'),
    ]

    def answer(number: int, body: dict[str, Any]) -> Reply:
        return script[number] if number < len(script) else good(number, body)

    (written,), writer, _ = write(tmp_path, answer, question(), attempts=3, tries=2)
    assert written.writer == "a-model"
    assert writer.counts == {"asked": 3, "accepted": 1, "turned down: refused": 1, "turned down: no answer": 1}
    assert writer.client.faults == {"refused": 1, "429": 1, "500": 1, "broken": 1}
    assert writer.report()["texts"]["accepted"] == 1


def test_several_are_asked_at_once_and_come_back_in_order(tmp_path: Path) -> None:
    def answer(number: int, body: dict[str, Any]) -> Reply:
        return Reply(explanation(body), delay_s=0.2 if number < 2 else 0.0)

    tasks = [question(task, flawed=flawed) for task in ("judgment", "localization") for flawed in (True, False)]
    written, _, server = write(tmp_path, answer, *tasks, concurrency=3)
    assert 2 <= server.most_at_once <= 3
    for one, done in zip(tasks, written, strict=True):
        assert accepted(f"{done.path}\nAnswer: {answer_text(one)}", one, Request([], ()))[1] == ""


def test_what_was_written_is_not_asked_for_again(tmp_path: Path) -> None:
    first, _, _ = write(tmp_path, good, question(), question("judgment"))
    again, writer, server = write(tmp_path, good, question(), question("judgment"), question("selection"))
    assert again[:2] == first and len(server.requests) == 1
    assert writer.counts["asked"] == 1


def test_an_endpoint_that_is_down_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(EndpointDownError):
        write(tmp_path, lambda n, b: Reply(status=503), *[question()] * 4, tries=1, attempts=3, concurrency=1)


def test_the_command_goes_on_after_a_failure_and_shows_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret-key")
    out = tmp_path / "out"
    works = False

    def answer(number: int, body: dict[str, Any]) -> Reply:
        return good(number, body) if works or number < 3 else Reply(status=401, body="no: s3cret-key")

    with chat_server(answer) as server:
        options: dict[str, Any] = {
            "n": 6, "shard": 3, "source": "blocks", "indicators": "color-contrast", "endpoint": server.url,
            "model": "a-model", "concurrency": 1,
        }  # fmt: skip
        with pytest.raises(Exception, match="HTTP 401"):
            cli.pairs(out=out, **options)
        assert len(list((out / "data").glob("train-*"))) == 1
        works = True
        assert cli.pairs(out=out, **options) == 0
        assert len(server.requests) == 3 + 1 + 3
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["counts"]["writer"] == {"a-model": 6}
    assert manifest["endpoint"]["texts"] == {"accepted": 3, "asked": 3}
    for row in datasets.load_dataset(str(out), split="train"):
        assert "what one has to look at closely" in row["completion"][0]["content"][0]["text"]
    held = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert b"s3cret" not in held and "s3cret" not in capsys.readouterr().out


def _decoded(url: str) -> Any:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB"))
