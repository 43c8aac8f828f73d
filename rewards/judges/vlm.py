"""The judge that is a vision-language model: it sees the page and reads each question, and says yes or no."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.endpoint import ChatClient, Endpoint, EndpointDownError, EndpointError
from designgym.jsonl import JsonlWriter, read_jsonl
from designgym.prompt import message
from designgym.rewards.judges.base import Page
from designgym.rewards.judges.local_vlm import LocalVlm
from designgym.rewards.judges.questions import Question
from designgym.score import Backend

WORDING = "Look at this graphic design. {question}\nAnswer with one word, yes or no."
MOST_TOKENS = 8

_WORD = re.compile(r"[\s\"'*`(]*(yes|no)[\s\"'*`).!]*", re.IGNORECASE)


def read_verdict(reply: str) -> bool | None:
    """Yes or no if the reply is that one word, in any case, with punctuation or quotes around it; else None.

    >>> read_verdict("Yes."), read_verdict("**no**"), read_verdict("Yes, but it is small")
    (True, False, None)
    """
    found = _WORD.fullmatch(reply)
    return None if found is None else found[1].casefold() == "yes"


class VlmJudge:
    """Asks a model one question at a time, about the page's pixels and nothing else.

    A reply that is not the one word, and a request that fails for good, leaves its question unanswered. Replies are
    kept by the hash of page, question and model, also across episodes, and in a file if one is named, so that no
    question about the same pixels is paid for twice.

    Args:
        model: The model's name at the endpoint, or without ``url`` a folder or hub id that transformers loads: any
            Qwen-VL, LLaVA or their like (extra ``train``). GraphicBench uses LLaVA-1.5 7b (section 4.2).
        url: Base address of an OpenAI-compatible endpoint, such as ``http://localhost:8000/v1``.
        key_variable: Environment variable that holds the endpoint's key.
        cache: JSON-lines file that replies are read from and added to.
        timeout_s: Longest silence of the endpoint, seconds.
    """

    name = "vlm"

    def __init__(
        self,
        model: str,
        url: str = "",
        key_variable: str = "OPENAI_API_KEY",
        cache: str = "",
        timeout_s: float = 120.0,
    ) -> None:
        if not model:
            raise ValueError("The judge needs a model: its name at the endpoint, a folder, or a hub id.")
        self.model, self.cache = model, cache
        self.endpoint = (
            Endpoint(url, model, key_variable, timeout_s, temperature=0.0, max_tokens=MOST_TOKENS) if url else None
        )
        self._start()

    def _start(self) -> None:
        self._client: ChatClient | None = None
        self._local: LocalVlm | None = None
        self._writer: JsonlWriter | None = None
        self._replies: dict[str, str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "cache": self.cache, "endpoint": self.endpoint}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    @property
    def backend(self) -> Backend:
        """The model, where it is asked, and how the question is worded."""
        where = self.endpoint.url if self.endpoint else "transformers"
        return Backend(f"vlm:{self.model}", "1", hashlib.sha256(f"{where}\n{WORDING}".encode()).hexdigest())

    def answer(self, page: Page, questions: Sequence[Question]) -> list[bool | None]:
        """See :class:`designgym.rewards.judges.base.Judge`.

        Raises:
            UserError: If the model cannot be loaded, or the endpoint is down or will never answer such a request.
        """
        shown = hashlib.sha256(f"{self.backend.id}\n{page.image.shape}\n".encode())
        shown.update(page.image.tobytes())
        return [self._verdict(page.image, question.text, shown.copy()) for question in questions]

    def _verdict(self, image: NDArray[np.uint8], question: str, shown: Any) -> bool | None:
        shown.update(question.encode())
        key = shown.hexdigest()
        known = self._known()
        if key not in known:
            reply = self._ask(image, WORDING.format(question=question))
            if reply is None:
                return None
            known[key] = reply
            if self.cache:
                self._writer = self._writer or JsonlWriter(self.cache)
                self._writer.write({"key": key, "question": question, "reply": reply})
        return read_verdict(known[key])

    def _known(self) -> dict[str, str]:
        if self._replies is None:
            kept = read_jsonl(self.cache) if self.cache and Path(self.cache).exists() else ()
            self._replies = {line.value["key"]: line.value["reply"] for line in kept}
        return self._replies

    def _ask(self, image: NDArray[np.uint8], text: str) -> str | None:
        asked = [message("user", image, text)]
        if self.endpoint is None:
            self._local = self._local or LocalVlm(self.model, MOST_TOKENS)
            return self._local.ask(asked)
        self._client = self._client or ChatClient(self.endpoint)
        try:
            return self._client.ask(asked)
        except EndpointDownError:
            raise
        except EndpointError:
            return None
