"""Judges of briefs: who ranks the pictures that might be meant, and rates how well the components go together.

GraphicBench (section 2, Human-LLM Evaluation) asks a language model for both, keeps the picture ranked first and drops
queries with a component rated 1 or 2 of 5. ``KeywordOrder``, the default, works offline: it keeps the order of the
search and rates nothing. ``ChatBriefJudge`` asks a model through any function from messages to a reply, such as a chat
endpoint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from designgym.endpoint import ChatClient
from designgym.envs.design.briefs.brief import Brief
from designgym.errors import UserError
from designgym.pool.pool import PoolPicture
from designgym.prompt import message

T = TypeVar("T")

LEAST_RATING = 3
"""Briefs with a component rated below are dropped (paper, section 2)."""

Chat = Callable[[list[dict[str, str]]], str]
"""Messages with ``role`` and ``content`` -> the model's reply."""


@runtime_checkable
class BriefJudge(Protocol):
    """Ranks pictures and rates components; the same questions must get the same answers."""

    @property
    def name(self) -> str:
        """Tells the judge from others."""

    def rank(self, brief: Brief, description: str, candidates: Sequence[PoolPicture]) -> tuple[PoolPicture, ...]:
        """The candidates for one of the brief's pictures, the best fit first; all of them, each once."""

    def rate(self, brief: Brief) -> Mapping[str, int]:
        """Component -> how well it contributes to a coherent design, 1 to 5; those that were not rated are left out.

        Components are ``"background"``, the roles of texts and the names of pictures.
        """


class KeywordOrder:
    """The order that the search by words has found; nothing is rated."""

    name = "keywords"

    def rank(self, brief: Brief, description: str, candidates: Sequence[PoolPicture]) -> tuple[PoolPicture, ...]:
        """See :meth:`BriefJudge.rank`."""
        return tuple(candidates)

    def rate(self, brief: Brief) -> Mapping[str, int]:
        """See :meth:`BriefJudge.rate`."""
        return {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeywordOrder)

    def __hash__(self) -> int:
        return hash(KeywordOrder)


class JudgeReplyError(UserError):
    """A judge's reply that says something else than what was asked, however often it is asked."""


class ChatBriefJudge:
    """Asks a language model; what it replies must be JSON and is checked, and else it is asked again.

    Args:
        chat: Sends messages to the model; :func:`endpoint_chat` makes one of a chat endpoint.
        name: Names the model, since briefs depend on it.
        tries: How often it is asked the same at most.
    """

    def __init__(self, chat: Chat, name: str, tries: int = 3) -> None:
        self.name = name
        self._chat = chat
        self._tries = tries

    def rank(self, brief: Brief, description: str, candidates: Sequence[PoolPicture]) -> tuple[PoolPicture, ...]:
        """See :meth:`BriefJudge.rank`; ``JudgeReplyError`` for a reply that ranks something else."""
        if len(candidates) < 2:
            return tuple(candidates)
        listed = "\n".join(
            f"{number}: {picture.caption} ({', '.join(picture.keywords[:8])})"
            for number, picture in enumerate(candidates, 1)
        )
        ranking = self._ask(
            f"A design is asked for:\n{brief.query}\n\nIt needs a picture of: {description}\nCandidates:\n{listed}\n\n"
            "Rank all candidates by how well they fit, the best one first. "
            'Reply with JSON only: {"ranking": [numbers]}',
            lambda reply: self._ranking(reply.get("ranking"), len(candidates)),
        )
        return tuple(candidates[number - 1] for number in ranking)

    def rate(self, brief: Brief) -> Mapping[str, int]:
        """See :meth:`BriefJudge.rate`; ``JudgeReplyError`` for a reply that rates something else."""
        parts = component_names(brief)
        return self._ask(
            f"A design is asked for:\n{brief.query}\n\nRate how well each component contributes to the coherence of "
            "the final design, from 1 (not aligned at all) to 5 (completely aligned).\n"
            f"Components: {json.dumps(parts, ensure_ascii=False)}\n"
            'Reply with JSON only: {"ratings": {component: rating}}',
            lambda reply: self._ratings(reply.get("ratings"), parts),
        )

    def _ranking(self, ranking: Any, count: int) -> list[int]:
        if not isinstance(ranking, list) or sorted(map(repr, ranking)) != [repr(n + 1) for n in range(count)]:
            raise JudgeReplyError(
                f"The judge {self.name!r} ranks {ranking!r} where each of 1 to {count} is asked for once."
            )
        return ranking

    def _ratings(self, ratings: Any, parts: Sequence[str]) -> Mapping[str, int]:
        if not isinstance(ratings, dict) or set(ratings) != set(parts):
            raise JudgeReplyError(
                f"The judge {self.name!r} rates {ratings!r} where these are asked for: {', '.join(parts)}."
            )
        for part, rating in ratings.items():
            if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
                raise JudgeReplyError(
                    f"The judge {self.name!r} rates {part!r} {rating!r}; ratings are whole numbers 1 to 5."
                )
        return ratings

    def _ask(self, text: str, checked: Callable[[dict[str, Any]], T]) -> T:
        """What ``checked`` makes of the first reply that it accepts; its error for the last one."""
        for left in reversed(range(self._tries)):
            try:
                return checked(self._object(self._chat([{"role": "user", "content": text}])))
            except JudgeReplyError:
                if not left:
                    raise
        raise ValueError(f"tries is {self._tries}; a judge must be asked once at least.")

    def _object(self, reply: str) -> dict[str, Any]:
        match = re.search(r"\{.*\}", reply, re.DOTALL)
        try:
            value = json.loads(match[0]) if match else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise JudgeReplyError(f"The judge {self.name!r} was asked for a JSON object and replied {reply[:80]!r}.")
        return value


def endpoint_chat(client: ChatClient) -> Chat:
    """Asks the model behind a chat endpoint."""
    return lambda messages: client.ask([message("user", each["content"]) for each in messages])


def component_names(brief: Brief) -> list[str]:
    """What of a brief is rated: ``"background"``, the roles of its texts, the names of its pictures."""
    return ["background", *(text.role for text in brief.texts), *(visual.name for visual in brief.visuals)]


def keeps(ratings: Mapping[str, int]) -> bool:
    """Whether a brief with these ratings stays: none is below :data:`LEAST_RATING`."""
    return all(rating >= LEAST_RATING for rating in ratings.values())
