"""What a report of the aesthetics tasks names beside environment and split: the designs and the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from designgym.envs.aesthetics.deal import source_of
from designgym.eval.aesthetics.scored import applies
from designgym.eval.results import Result
from designgym.eval.runner import make

PROTOCOLS = {
    "strict": "strict: as in the paper",
    "release": "release: as in the paper's released code, which gives 1 to a failed answer where nothing is wrong",
}


def facts(results: Sequence[Result], env_id: str, env_kwargs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and value of each fact; none for results of other tasks.

    Args:
        results: Of any policy.
        env_id: The environment that they were played in.
        env_kwargs: Its arguments.
    """
    if not applies(results):
        return []
    env = make(env_id, env_kwargs)
    try:
        designs = source_of(env.unwrapped.settings).name  # type: ignore[attr-defined]
    finally:
        env.close()
    named = sorted({str(result.truth.get("protocol", "strict")) for result in results})
    return [("Designs", designs), ("Protocol", ", ".join(PROTOCOLS.get(name, name) for name in named))]
