"""The command ``designgym data briefs``: briefs whose pictures and components a judge has looked over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from designgym.atomic import require_new
from designgym.cli.console import stdout
from designgym.endpoint import ChatClient, Endpoint, EndpointDownError, EndpointError
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.briefs.generate import brief, task_ids
from designgym.envs.design.briefs.pairing import NoBrief
from designgym.envs.design.briefs.ranking import (
    BriefJudge,
    ChatBriefJudge,
    JudgeReplyError,
    KeywordOrder,
    endpoint_chat,
)
from designgym.envs.design.briefs.writing import write_briefs
from designgym.errors import UserError
from designgym.eval.brief_agreement import agreement, read_human_file
from designgym.pool.pool import ImagePool
from designgym.pool.resolve import resolve_pool
from designgym.tasks import Split

READ_SPLITS: tuple[Split, ...] = ("train", "test")
"""Splits that a folder of released files can hold."""


def run(
    *,
    out: Path,
    split: Split = "test",
    n: int | None = None,
    pool: str = "embedded",
    endpoint: str | None = None,
    model: str | None = None,
    people: Path | None = None,
    key_variable: str = "OPENAI_API_KEY",
    timeout_s: float = 120.0,
) -> int:
    """Write briefs as released files are, and compare the judge with people.

    Args:
        out: Folder to write; must not exist, or be empty.
        split: Whose briefs.
        n: The first so many; all by default.
        pool: Where pictures come from, see ``designgym.pool.resolve``.
        endpoint: Address of a chat endpoint whose model ranks pictures and rates components; by default pictures are
            taken by their words and nothing is rated.
        model: The model's name there.
        people: JSON lines of what people said of briefs, which the judge is compared with.
        key_variable: Environment variable with the endpoint's key.
        timeout_s: Longest silence of the endpoint.

    Returns:
        The exit code: 1 if the endpoint is down; nothing is written then.

    Raises:
        UserError: For whatever is wrong before any work.
    """
    if split not in READ_SPLITS:
        raise UserError(f"--split '{split}' cannot be written; the released files know {' and '.join(READ_SPLITS)}.")
    if (endpoint is None) != (model is None):
        raise UserError("--endpoint and --model go together: the address and the name of the model that judges.")
    if people is not None and endpoint is None:
        raise UserError("--people is compared with a judge; name one by --endpoint and --model.")
    require_new(out)
    ids = task_ids(split)[:n]
    pictures = resolve_pool(pool)
    said = read_human_file(people) if people is not None else []
    judge: BriefJudge = KeywordOrder()
    if endpoint is not None and model is not None:
        client = ChatClient(Endpoint(endpoint, model, key_variable, timeout_s, temperature=0.0, max_tokens=512))
        judge = ChatBriefJudge(endpoint_chat(client), model)
    console = stdout()
    left_out: list[str] = []
    try:
        written = write_briefs(_briefs(list(ids), pictures, judge, left_out, console), pictures, out)
        found = agreement(judge, said, brief, pictures) if said else None
    except EndpointDownError as error:
        console.print(f"designgym: {error} Nothing was written.")
        return 1
    for reason in left_out[:5]:
        console.print(f"left out: {reason}")
    console.print(f"{written:,} briefs in {out}, {len(left_out):,} left out; judged by {judge.name}")
    if found is not None:
        kappa, tau = ("-" if value is None else f"{value:.3f}" for value in (found.kappa, found.tau))
        console.print(f"agreement with people: kappa {kappa} of {found.ratings} ratings, tau {tau} of {found.rankings}")
    return 0


def _briefs(
    ids: list[str], pool: ImagePool, judge: BriefJudge, left_out: list[str], console: Console
) -> Iterator[Brief]:
    """The briefs that the judge lets pass; why others were left out goes into ``left_out``."""
    with Progress(console=console, transient=True) as progress:
        for task_id in progress.track(ids, description="briefs"):
            try:
                yield brief(task_id, pool, judge)
            except (EndpointError, JudgeReplyError, NoBrief) as error:
                left_out.append(f"{task_id}: {error}")
