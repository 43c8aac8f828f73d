"""The types of designs, and the results of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from designgym.envs.design.briefs.brief import DesignType
from designgym.eval.results import Result

TYPES: tuple[str, ...] = get_args(DesignType)


def of_type(results: Sequence[Result], kind: str) -> list[Result]:
    """The results whose brief asks for this type of design."""
    return [result for result in results if result.truth["type"] == kind]
