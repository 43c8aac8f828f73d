"""Labels by a model that people's labels guide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aesthetics_samples import faint_line, sample
from chat_server import Reply, chat_server, pictures

from designgym.endpoint import ChatClient, Endpoint
from designgym.envs.aesthetics.sample import Sample
from designgym.envs.aesthetics.sources.votes import Vote, Votes, read_votes
from designgym.errors import UserError
from designgym.train.aesthetics_data import label_cli
from designgym.train.aesthetics_data.agreement import by_indicator, cohen
from designgym.train.aesthetics_data.labelling import (
    Demonstration,
    Labeller,
    LabelSettings,
    choose_demonstrations,
    label_all,
    read_label,
)

ASKED = "color-contrast"


def design(name: str) -> Sample:
    """Designs of odd numbers have a faint line of text."""
    number = int(name.rpartition("-")[2])
    if number >= 40:
        raise KeyError(name)
    return sample(*([faint_line()] if number % 2 else []), name=name)


class Stored:
    name = "stored"

    def size(self, split: str) -> int:
        return 40 if split == "train" else 0

    def ask(self, split: str, number: int) -> tuple[Sample, str]:
        return design(f"stored-{number:02d}"), ASKED


def _last(body: dict[str, Any]) -> str:
    return next(part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text")


def labeller(url: str, **options: Any) -> Labeller:
    shown = {ASKED: [Demonstration(design("stored-01"), True), Demonstration(design("stored-00"), False)]}
    return Labeller(
        ChatClient(Endpoint(url, "a-model", tries=2), pause=lambda s: None), shown, LabelSettings(**options)
    )


@pytest.mark.parametrize("text", ["yes", "Yes.", " YES\n", '"yes"', "**Yes**", "yes!"])
def test_yes_is_read_in_its_usual_forms(text: str) -> None:
    assert read_label(text) is True


@pytest.mark.parametrize("text", ["", "yes and no", "Yes, it has an issue.", "y", "true", "1", "not yes", "yes\nno"])
def test_all_else_is_no_label(text: str) -> None:
    assert read_label(text) is None


def test_demonstrations_changed_boxes_and_the_question_are_shown() -> None:
    with chat_server(lambda n, b: Reply("no")) as server:
        assert labeller(server.url).label(design("stored-03"), ASKED) is False
    body = server.requests[0]["body"]
    assert [message["role"] for message in body["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    assert [body["messages"][at]["content"] for at in (2, 4)] == ["yes", "no"]
    assert len(pictures(body)) == 3
    assert "Changed regions: [100, 300, 500, 350]." in _last(body) and "color contrast" in _last(body)
    assert "Changed regions: none." in body["messages"][3]["content"][1]["text"]


def test_an_answer_that_is_neither_is_asked_for_again_and_left_out_in_the_end() -> None:
    with chat_server(lambda n, b: Reply("Perhaps." if n < 2 else "yes")) as server:
        one = labeller(server.url)
        assert one.label(design("stored-03"), ASKED) is True
    assert one.counts == {"asked": 3, "turned down: neither yes nor no": 2}
    with chat_server(lambda n, b: Reply(None, refusal="No.") if n == 0 else Reply(status=500)) as server:
        two = labeller(server.url, attempts=2)
        assert two.label(design("stored-03"), ASKED) is None
    assert two.counts == {"asked": 2, "turned down: refused": 1, "turned down: no answer": 1, "given up": 1}


def test_votes_are_written_as_annotators_votes_and_not_asked_for_again(tmp_path: Path) -> None:
    out = tmp_path / "votes.jsonl"
    questions = [(f"stored-{number:02d}", ASKED) for number in range(6)]
    with chat_server(lambda n, b: Reply("no" if "none" in _last(b) else "yes")) as server:
        first = label_all(labeller(server.url), questions[:4], design, out, "a-model")
        told: list[int] = []
        both = label_all(labeller(server.url), questions, design, out, "a-model", told.append)
        assert len(server.requests) == 6 and told == [5, 6]
    assert {question: bool(int(question[0][-1]) % 2) for question in questions} == both
    assert first.items() <= both.items()
    read = read_votes(out)
    assert read.labels() == both and {vote.annotator for vote in read.votes} == {"a-model"}


def test_demonstrations_are_of_both_labels_in_turn_and_ties_are_none() -> None:
    votes = [Vote(f"stored-{n:02d}", ASKED, "ann", n % 5 == 0) for n in range(20)]
    votes += [Vote("stored-00", ASKED, "bob", False)]  # a tie
    shown, taken = choose_demonstrations(Votes(tuple(votes)), design, LabelSettings(shots=4))
    assert [one.has_issue for one in shown[ASKED]] == [True, False, True, False]
    assert len(taken) == 4 and ("stored-00", ASKED) not in taken
    assert choose_demonstrations(Votes(tuple(votes)), design, LabelSettings(shots=4))[1] == taken
    more, _ = choose_demonstrations(Votes(tuple(votes)), design, LabelSettings(shots=9))
    assert sorted(one.has_issue for one in more[ASKED]) == [False] * 6 + [True] * 3


def test_demonstrations_of_a_design_that_is_not_there_are_refused() -> None:
    votes = Votes((Vote("stored-77", ASKED, "ann", True),))
    with pytest.raises(UserError, match="name the design 'stored-77'"):
        choose_demonstrations(votes, design, LabelSettings())


def test_cohens_kappa_worked_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement .7, by chance .5 * .6 + .5 * .4 = .5, kappa .4
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    found = cohen(pairs)
    assert (found.items, found.percent) == (50, 0.7) and found.kappa == pytest.approx(0.4)
    assert cohen([(True, True)] * 3).kappa is None
    assert cohen([(True, False)] * 2 + [(False, True)] * 2).kappa == pytest.approx(-1.0)


def test_agreement_is_over_what_both_labelled_by_indicator() -> None:
    one = {("a", ASKED): True, ("b", ASKED): False, ("c", "color-appeal"): True, ("d", ASKED): True}
    two = {("a", ASKED): True, ("b", ASKED): True, ("c", "color-appeal"): True}
    found = by_indicator(one, two)
    assert {name: (agreed.items, agreed.percent) for name, agreed in found.items()} == {
        "all": (3, pytest.approx(2 / 3)),
        ASKED: (2, 0.5),
        "color-appeal": (1, 1.0),
    }


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Votes of one person on ten designs, who sees the flaws but for one."""
    path = tmp_path / "people.csv"
    rows = [f"stored-{n:02d},{ASKED},ann,{'yes' if n % 2 and n != 9 else 'no'}" for n in range(10)]
    path.write_text("design,indicator,annotator,vote\n" + "\n".join(rows) + "\n")
    return path


def test_the_command_labels_and_reports_agreement_with_rule_and_people(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(label_cli, "resolve_source", lambda name: Stored())
    out = tmp_path / "votes.jsonl"
    with chat_server(lambda n, b: Reply("no" if "none" in _last(b) else "yes")) as server:
        code = label_cli.label(
            source="stored",
            demonstrations=people,
            endpoint=server.url,
            model="a-model",
            out=out,
            n=12,
            concurrency=2,
            image_size=64,
        )
    assert code == 0
    shown = capsys.readouterr().out
    assert "12 labels of 12" in shown
    assert len([json.loads(line) for line in out.read_text().splitlines()]) == 12
    rule = next(line for line in shown.splitlines() if line.startswith(ASKED))
    assert rule.split() == [ASKED, "12", "100.0%", "1.000"]
    assert "agreement with people" in shown
    labelled = {vote.design for vote in read_votes(out).votes}
    demonstrated, _ = choose_demonstrations(read_votes(people), design, LabelSettings())
    assert len(labelled) == 12 and labelled.isdisjoint(one.sample.id for one in demonstrated[ASKED])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "--n is 0"),
        ({"split": "testing"}, "--split 'testing'"),
        ({"split": "test"}, "no split 'test'"),
        ({"out": Path("votes.csv")}, "must end in .jsonl"),
        ({"shots": 0}, "--shots is 0"),
        ({"endpoint": "localhost"}, "no endpoint"),
        ({"demonstrations": Path("nowhere.csv")}, "nowhere.csv"),
    ],
)
def test_wrong_options_are_refused_before_any_request(
    options: dict[str, Any], words: str, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_cli, "resolve_source", lambda name: Stored())
    given = {
        "source": "stored",
        "demonstrations": people,
        "endpoint": "http://127.0.0.1:9/v1",
        "model": "m",
        "out": tmp_path / "votes.jsonl",
        **options,
    }
    with pytest.raises(UserError, match=words):
        label_cli.label(**given)  # type: ignore[arg-type]
