"""Reasoning paths by a vision-language model behind a chat endpoint: several at once, judged, tried again, kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np

from designgym.endpoint import ChatClient, EndpointError, RefusedError
from designgym.errors import UserError
from designgym.jsonl import JsonlWriter, read_jsonl
from designgym.train.aesthetics_data.at_once import at_once
from designgym.train.aesthetics_data.explained import accepted, again, request
from designgym.train.aesthetics_data.pairs import Question, path_by_rule
from designgym.train.aesthetics_data.pen import Pen
from designgym.train.aesthetics_data.rows import NOBODY, RULES, Written
from designgym.train.aesthetics_data.settings import DataSettings

ATTEMPTS = 3
"""Texts that are asked for until one can be used."""
CONCURRENCY = 8
"""Requests under way at once."""


class ModelWriter:
    """A `designgym.train.aesthetics_data.rows.Writer` that asks a model.

    What the model wrote is kept in a file as it comes, so that a run that goes on pays for nothing twice. A pair whose
    path the model failed to write gets what ``settings.rejected`` says.

    Args:
        settings: What is made.
        client: Asks the model.
        replies: The file that keeps the paths.
        attempts: Texts that are asked for at most.
        concurrency: Requests under way at once.
    """

    def __init__(
        self,
        settings: DataSettings,
        client: ChatClient,
        replies: Path,
        attempts: int = ATTEMPTS,
        concurrency: int = CONCURRENCY,
    ) -> None:
        if attempts < 1 or concurrency < 1:
            raise UserError(f"--attempts is {attempts} and --concurrency {concurrency}; both must be 1 or more.")
        self.settings, self.client, self.attempts, self.concurrency = settings, client, attempts, concurrency
        self.counts: Counter[str] = Counter()
        self._replies = replies
        self._kept: dict[int, Written] = {}
        self._read = False
        self._lock = Lock()

    def __call__(self, questions: Sequence[tuple[int, Question]]) -> list[Written]:
        """See `designgym.train.aesthetics_data.rows.Writer`."""
        if not self._read:
            self._read, self._kept = True, dict(self._earlier())
        with JsonlWriter(self._replies) as writer:
            return at_once(lambda asked: self._one(*asked, writer), questions, self.concurrency)

    def report(self) -> dict[str, Any]:
        """What was asked, accepted and turned down in this session, and the endpoint's faults."""
        return {
            "url": self.client.endpoint.url,
            "model": self.client.endpoint.model,
            "texts": dict(sorted(self.counts.items())),
            "faults": dict(sorted(self.client.faults.items())),
        }

    def _one(self, number: int, question: Question, writer: JsonlWriter) -> Written:
        if number in self._kept:
            return self._kept.pop(number)
        path = self._ask(number, question)
        if path:
            written = Written(path, self.settings.writer)
        else:
            written = self._instead(number, question)
        with self._lock:
            writer.write({"number": number, "path": written.path, "writer": written.writer})
        return written

    def _ask(self, number: int, question: Question) -> str:
        """The first text that can be used; empty if none can."""
        asked = first = request(
            question, Pen(np.random.default_rng((self.settings.seed, 0xA5, number)), question.frame)
        )
        for _ in range(self.attempts):
            self._count("asked")
            try:
                text = self.client.ask(asked.messages)
            except RefusedError:
                self._count("turned down: refused")
                asked = first
                continue
            except EndpointError:
                self._count("turned down: no answer")
                asked = first
                continue
            path, reason = accepted(text, question, first)
            if path:
                self._count("accepted")
                return path
            self._count(f"turned down: {reason.partition(':')[0]}")
            asked = again(first, text, reason.partition(": ")[2])
        self._count("given up")
        return ""

    def _instead(self, number: int, question: Question) -> Written:
        rejected: Literal["rules", "nothing"] = self.settings.rejected
        if rejected == "rules":
            return Written(path_by_rule(question, self.settings, number), RULES)
        return Written("", NOBODY)

    def _earlier(self) -> list[tuple[int, Written]]:
        if not self._replies.exists():
            return []
        return [
            (line.value["number"], Written(line.value["path"], line.value["writer"]))
            for line in read_jsonl(self._replies)
        ]

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1
