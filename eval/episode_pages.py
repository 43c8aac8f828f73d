"""Some episodes of an evaluation as pages to step through, beside its report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from designgym.eval.drawings import choose
from designgym.eval.record import TRACES, slug
from designgym.eval.replay import replay
from designgym.eval.report import episode
from designgym.eval.report.data import EpisodeLink
from designgym.eval.results import Result

FOLDER = "episodes"


def selected(results: Sequence[Result], count: int, seed: int) -> dict[str, str]:
    """Name of a trial -> why it is shown: the best and the worst that were scored, and others drawn by seed."""
    scored = sorted((result for result in results if result.scored and not result.failure), key=lambda r: r.reward)
    found: dict[str, str] = {}
    if count >= 2 and len(scored) >= 2 and scored[0].reward < scored[-1].reward:
        found = {scored[-1].name: "best", scored[0].name: "worst"}
    others = [result.name for result in results if result.name not in found]
    return found | dict.fromkeys(choose(others, count - len(found), seed), "drawn by seed")


def write_pages(
    name: str, results: Sequence[Result], run: Path, output: Path, *, count: int, seed: int
) -> list[EpisodeLink]:
    """Write the pages of one agent's episodes by playing them again.

    Args:
        name: Of the agent.
        results: Its trials.
        run: The folder of its run, which holds the trace.
        output: The evaluation's folder; pages go to ``episodes/<agent>/``.
        count: How many.
        seed: Draws those that are neither best nor worst.

    Returns:
        A link for each, best and worst first; paths are relative to ``output``.
    """
    chosen = selected(results, count, seed)
    if not chosen:
        return []
    rewards = {result.name: result.value for result in results}
    links: dict[str, EpisodeLink] = {}
    # A trial that was begun again is in the trace twice, and its last page stays.
    for again in replay(run / TRACES, list(chosen)):
        place = Path(FOLDER) / slug(name) / f"{slug(again.name)}.html"
        episode.write(output / place, again.steps, again.images, policy=name)
        links[again.name] = EpisodeLink(name, again.name, chosen[again.name], rewards[again.name], place.as_posix())
    return [links[trial] for trial in chosen if trial in links]
