"""The command ``designgym data label``: labels by a model that people's labels guide, and how far it agrees."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from designgym.atomic import require_writable
from designgym.cli.console import stdout
from designgym.endpoint import ChatClient, Endpoint, EndpointDownError
from designgym.envs.aesthetics.sample import Sample, Source
from designgym.envs.aesthetics.sources.resolve import resolve_source
from designgym.envs.aesthetics.sources.votes import read_votes
from designgym.errors import UserError
from designgym.tasks import SPLITS, Split
from designgym.train.aesthetics_data.agreement import Agreed, by_indicator
from designgym.train.aesthetics_data.labelling import (
    Labeller,
    LabelSettings,
    Question,
    choose_demonstrations,
    label_all,
)
from designgym.train.tracking.progress import work

_NUMBER = re.compile(r"-(\d+)$")


def label(
    *,
    source: str,
    demonstrations: Path,
    endpoint: str,
    model: str,
    out: Path,
    n: int = 1000,
    split: str = "train",
    seed: int = 0,
    shots: int = 4,
    attempts: int = 3,
    concurrency: int = 8,
    image_size: int = 448,
    key_variable: str = "OPENAI_API_KEY",
    timeout_s: float = 120.0,
) -> int:
    """Label designs, write the votes and print how far they agree with the label rule and with people.

    Args:
        source: Designs by name or path.
        demonstrations: Votes of people, some of whose designs are shown to the model.
        endpoint: Address of a chat endpoint.
        model: The model's name there, and as an annotator.
        out: JSON-lines file of votes; one that exists is gone on with.
        n: Number of questions, drawn by the seed.
        split: Of which split.
        seed: Draws questions and demonstrations.
        shots: Demonstrations for each indicator.
        attempts: Answers that are asked for until one is yes or no.
        concurrency: Requests under way at once.
        image_size: The page's longer side, px.
        key_variable: Environment variable with the endpoint's key.
        timeout_s: Longest silence of the endpoint.

    Returns:
        The exit code: 1 if the endpoint is down, after what was labelled is kept.

    Raises:
        UserError: For whatever is wrong before any work.
    """
    settings = LabelSettings(shots, attempts, concurrency, image_size, seed)
    if n < 1:
        raise UserError(f"--n is {n}; it must be 1 or more.")
    if split not in SPLITS:
        raise UserError(f"--split '{split}' is unknown; choose one of {', '.join(SPLITS)}.")
    if out.suffix != ".jsonl":
        raise UserError(f"--out '{out}' must end in .jsonl: votes are written as JSON lines.")
    require_writable(out.parent)
    where = Endpoint(endpoint, model, key_variable, timeout_s, temperature=0.0, max_tokens=64)
    votes = read_votes(demonstrations)
    designs = resolve_source(source)
    if not designs.size(split):
        raise UserError(f"The designs of '{source}' have no split '{split}'; choose another --split.")
    find = finder(designs, split)
    shown, taken = choose_demonstrations(votes, find, settings)
    questions, rule = _questions(designs, split, n, seed, taken)
    if missing := sorted({indicator for _, indicator in questions} - set(shown)):
        raise UserError(f"'{demonstrations}' has no label for {', '.join(missing)}; people must label some of each.")
    console = stdout()
    client = ChatClient(where)
    labeller = Labeller(client, shown, settings)
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with work(console, "labels", len(questions)) as bar:
            labels = label_all(labeller, questions, find, out, model, bar.step)
    except EndpointDownError as error:
        console.print(f"designgym: {error} What was labelled is kept; the same command goes on with {out}.")
        return 1
    people = {question: label for question, label in votes.labels().items() if label is not None}
    _print(console, "the label rule", by_indicator(labels, rule))
    _print(console, "people", by_indicator(labels, people))
    told = {**labeller.counts, **client.faults}
    console.print("endpoint: " + ", ".join(f"{name} {count}" for name, count in sorted(told.items())))
    console.print(f"{len(labels)} labels of {len(questions)} in {out}")
    return 0


def finder(source: Source, split: Split) -> Callable[[str], Sample]:
    """How a design of a source is found by its id.

    Args:
        source: Stored designs know theirs; those made on demand end in their number.
        split: Of which split those made on demand are.
    """
    stored: Callable[[str], Sample] | None = getattr(source, "sample", None)
    if stored is not None:
        return stored

    def find(design: str) -> Sample:
        number = _NUMBER.search(design)
        if number is None or int(number[1]) >= source.size(split):
            raise KeyError(design)
        sample, _ = source.ask(split, int(number[1]))
        if sample.id != design:
            raise KeyError(design)
        return sample

    return find


def _questions(
    source: Source, split: Split, n: int, seed: int, taken: set[Question]
) -> tuple[list[Question], dict[Question, bool]]:
    """Questions in an order drawn by the seed, those of the demonstrations left out, and the rule's labels."""
    order = np.random.default_rng((seed, 0x1A)).permutation(source.size(split))
    rule: dict[Question, bool] = {}
    for number in order:
        if len(rule) >= n:
            break
        sample, indicator = source.ask(split, int(number))
        if (sample.id, indicator) not in taken:
            rule[sample.id, indicator] = bool(sample.harmed.get(indicator))
    return list(rule), rule


def _print(console: Console, whom: str, found: Mapping[str, Agreed]) -> None:
    if not found:
        console.print(f"No question was also labelled by {whom}.")
        return
    table = Table(title=f"agreement with {whom}", box=None, pad_edge=False, header_style="bold", title_justify="left")
    for column in ("indicator", "labels", "agree", "Cohen's kappa"):
        table.add_column(column, justify="left" if column == "indicator" else "right")
    for name, agreed in found.items():
        kappa = "-" if agreed.kappa is None else f"{agreed.kappa:.3f}"
        table.add_row(name, str(agreed.items), f"{agreed.percent:.1%}", kappa)
    console.print(table)
