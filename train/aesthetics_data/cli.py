"""The command ``designgym data aesthetics``: pairs for training, or a frozen benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from designgym.cli.console import stdout
from designgym.endpoint import ChatClient, Endpoint, EndpointDownError
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.errors import UserError
from designgym.train.aesthetics_data.build import build, check
from designgym.train.aesthetics_data.folder import REPLIES
from designgym.train.aesthetics_data.model_writer import ModelWriter
from designgym.train.aesthetics_data.rows import RULES
from designgym.train.aesthetics_data.settings import PAIRS_IN_A_SHARD, TASKS, DataSettings

POSITIVE_SHARE = 0.4


def pairs(
    *,
    out: Path,
    n: int = 30_000,
    tasks: str | None = None,
    indicators: str | None = None,
    positive_share: float | None = None,
    reasoning: bool = True,
    positive: bool = True,
    seed: int = 0,
    source: str = "layouts",
    frame: str = "thousand",
    wording: str = "full",
    image_size: int = 448,
    shard: int = PAIRS_IN_A_SHARD,
    workers: int = 1,
    endpoint: str | None = None,
    model: str | None = None,
    key_variable: str = "OPENAI_API_KEY",
    attempts: int = 3,
    concurrency: int = 8,
    timeout_s: float = 120.0,
    rejected: str = "rules",
    strict: bool = False,
) -> int:
    """Write question-answer pairs and print what was written.

    Args:
        out: Folder; one with the same settings is gone on with.
        n: Number of pairs.
        tasks: Tasks by name, with commas; None for all three.
        indicators: Indicators by name, with commas; None for all twelve.
        positive_share: Share of good designs; None for 0.4.
        reasoning: Whether answers follow a reasoning path.
        positive: Whether there are good designs at all.
        seed: Seed of all that is drawn.
        source: Where designs come from.
        frame: How boxes are written.
        wording: How the model is asked.
        image_size: The page's longer side, px.
        shard: Pairs in a file.
        workers: Processes.
        endpoint: Address of a chat endpoint whose model writes the paths; None: the rules write them.
        model: The model's name there.
        key_variable: Environment variable with the endpoint's key.
        attempts: Texts that are asked for at most for one path.
        concurrency: Requests under way at once.
        timeout_s: Longest silence of the endpoint.
        rejected: ``"rules"`` or ``"nothing"``: what a pair gets whose path the model failed to write.
        strict: Whether the first broken record of a data folder ends the run.

    Returns:
        The exit code: 1 if the endpoint is down or a worker was killed; what was made is kept.

    Raises:
        UserError: For whatever is wrong before any work.
    """
    if not positive and positive_share is not None:
        raise UserError("--no-positive and --positive-share contradict each other; give one of them.")
    if (endpoint is None) != (model is None):
        raise UserError("--endpoint and --model belong together; give both, or none for paths by rule.")
    if endpoint is not None and not reasoning:
        raise UserError("--no-reasoning leaves nothing for a model to write; leave --endpoint out.")
    if rejected not in ("rules", "nothing"):
        raise UserError(f"--rejected '{rejected}' is unknown; choose 'rules' or 'nothing'.")
    if wording not in ("full", "brief"):
        raise UserError(f"--wording '{wording}' is unknown; choose 'full' or 'brief'.")
    settings = DataSettings(
        n=n,
        tasks=_names(tasks, TASKS),  # type: ignore[arg-type]
        indicators=_names(indicators, tuple(INDICATORS)),
        positive_share=0.0 if not positive else (POSITIVE_SHARE if positive_share is None else positive_share),
        reasoning=reasoning,
        seed=seed,
        source=source,
        frame=frame,  # type: ignore[arg-type]
        wording=wording,  # type: ignore[arg-type]
        image_size=image_size,
        shard=shard,
        writer=RULES if model is None else model,
        rejected=rejected,  # type: ignore[arg-type]
        strict=strict,
    )
    check(settings, out, workers)
    console = stdout()
    writer = None
    if endpoint is not None and model is not None:
        client = ChatClient(Endpoint(endpoint, model, key_variable, timeout_s))
        writer = ModelWriter(settings, client, out / REPLIES, attempts, concurrency)
    try:
        manifest = build(settings, out, console, workers=workers, writer=writer)
    except EndpointDownError as error:
        console.print(f"designgym: {error} What was written is kept; the same command goes on in {out}.")
        return 1
    except BrokenProcessPool:
        console.print(
            "designgym: A worker ended before its time, as when memory runs out; the same command goes on in "
            f"{out}, with fewer --workers if need be."
        )
        return 1
    except KeyboardInterrupt:
        console.print(f"Interrupted. The same command goes on in {out}.")
        raise
    _print(manifest, out, console)
    return 0


def _names(text: str | None, all_: tuple[str, ...]) -> tuple[str, ...]:
    """Names with commas between them, in the order of the table; unknown ones stay, to be refused."""
    if text is None:
        return all_
    given = [name.strip() for name in text.split(",") if name.strip()]
    return tuple(sorted(given, key=lambda name: all_.index(name) if name in all_ else len(all_)))


def _print(manifest: Mapping[str, Any], out: Path, console: Console) -> None:
    counts = manifest["counts"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("indicator", "pairs"):
        table.add_column(column, justify="right" if column == "pairs" else "left")
    for name in INDICATORS:
        if name in counts["indicator"]:
            table.add_row(name, str(counts["indicator"][name]))
    console.print(table)
    for key in ("task and label", "writer"):
        console.print(f"{key}: " + ", ".join(f"{name} {count}" for name, count in counts[key].items()))
    varied = manifest["diversity"]
    if varied["texts"]:
        shares = " ".join(f"{value:.3f}" for value in varied["distinct"])
        console.print(
            f"reasoning: {varied['words']:.0f} words a path, {varied['distinct_sentences']:.1%} of the sentences "
            f"distinct, {varied['distinct_forms']} forms of sentences, distinct-1/2/3 {shares}"
        )
    if "endpoint" in manifest:
        told = {**manifest["endpoint"]["texts"], **manifest["endpoint"]["faults"]}
        console.print("endpoint: " + ", ".join(f"{name} {count}" for name, count in told.items()))
    console.print(f"{manifest['pairs']} pairs in {out}, hash {manifest['hash']}")
