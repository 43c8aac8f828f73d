"""`designgym data`: data sets and briefs that are made and looked over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from designgym.cli.command import group, only, run
from designgym.cli.once import OnceCommand
from designgym.errors import UserError

data = group("Make data sets.")


@data.command("aesthetics", cls=OnceCommand)
def data_aesthetics(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder to write; the same command goes on there.")
    ] = None,
    benchmark: Annotated[
        bool, typer.Option("--benchmark", help="Freeze test designs with all questions about them instead.")
    ] = False,
    designs: Annotated[int | None, typer.Option(metavar="N", help="Designs of the benchmark; 1500 by default.")] = None,
    check: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Only check that a frozen benchmark is as it was frozen.")
    ] = None,
    n: Annotated[int, typer.Option("--n", metavar="N", help="Number of question-answer pairs.")] = 30_000,
    tasks: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Of judgment,selection,localization; all by default.")
    ] = None,
    indicators: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Such as color-contrast,font-hierarchy; all by default.")
    ] = None,
    positive_share: Annotated[
        float | None, typer.Option(metavar="X", help="Share of good designs within each task; 0.4 by default.")
    ] = None,
    no_positive: Annotated[bool, typer.Option("--no-positive", help="Flawed designs only.")] = False,
    no_reasoning: Annotated[bool, typer.Option("--no-reasoning", help="Answers without reasoning paths.")] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all that is drawn.")] = 0,
    source: Annotated[
        str, typer.Option(metavar="NAME|PATH", help="Generated layouts, simple blocks, or a data folder.")
    ] = "layouts",
    frame: Annotated[
        str, typer.Option(metavar="NAME", help="How boxes are written: thousand, resized_pixel or fraction.")
    ] = "thousand",
    wording: Annotated[str, typer.Option(metavar="NAME", help="How the model is asked: full or brief.")] = "full",
    image_size: Annotated[int, typer.Option(metavar="PX", help="Longer side of the page.")] = 448,
    shard: Annotated[int, typer.Option(metavar="N", help="Pairs in a file.")] = 250,
    workers: Annotated[int, typer.Option(metavar="N", help="Processes.")] = 1,
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="Let a model behind a chat endpoint write the reasoning.")
    ] = None,
    model_name: Annotated[str | None, typer.Option("--model", metavar="NAME", help="Its name there.")] = None,
    key_variable: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable that holds the endpoint's key.")
    ] = "OPENAI_API_KEY",
    attempts: Annotated[int, typer.Option(metavar="N", help="Texts asked for until one can be used.")] = 3,
    concurrency: Annotated[int, typer.Option(metavar="N", help="Requests under way at once.")] = 8,
    timeout_s: Annotated[
        float, typer.Option("--timeout", metavar="S", help="Longest silence of the endpoint.")
    ] = 120.0,
    rejected: Annotated[
        str, typer.Option(metavar="WHAT", help="Where no text can be used: the path by rules, or nothing.")
    ] = "rules",
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first broken record of a data folder.")] = False,
) -> None:
    """Write training pairs about the aesthetics of designs, with reasoning at regions; or freeze a benchmark."""
    if check is not None:
        only(context, "--check", {"check"})
        run("designgym.train.aesthetics_data.benchmark_cli:check_frozen", folder=check)
    if out is None:
        raise UserError("Name the folder to write with --out.")
    if benchmark:
        only(context, "--benchmark", {"benchmark", "out", "designs", "seed", "source", "strict"})
        wanted: dict[str, Any] = {"out": out, "seed": seed, "source": source, "strict": strict}
        if designs is not None:
            wanted["designs"] = designs
        run("designgym.train.aesthetics_data.benchmark_cli:freeze", **wanted)
    if designs is not None:
        raise UserError("--designs belongs to --benchmark; the number of training pairs is --n.")
    run(
        "designgym.train.aesthetics_data.cli:pairs",
        out=out,
        n=n,
        tasks=tasks,
        indicators=indicators,
        positive_share=positive_share,
        positive=not no_positive,
        reasoning=not no_reasoning,
        seed=seed,
        source=source,
        frame=frame,
        wording=wording,
        image_size=image_size,
        shard=shard,
        workers=workers,
        endpoint=endpoint,
        model=model_name,
        key_variable=key_variable,
        attempts=attempts,
        concurrency=concurrency,
        timeout_s=timeout_s,
        rejected=rejected,
        strict=strict,
    )


@data.command("label", cls=OnceCommand)
def data_label(
    source: Annotated[str, typer.Option(metavar="NAME|PATH", help="Designs to label: layouts, or a data folder.")],
    demonstrations: Annotated[
        Path, typer.Option(metavar="FILE", help="Votes of people (CSV or JSON lines); some of their designs are shown.")
    ],
    endpoint: Annotated[str, typer.Option(metavar="URL", help="A chat endpoint, such as http://localhost:8000/v1.")],
    model_name: Annotated[str, typer.Option("--model", metavar="NAME", help="The model's name there.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="JSON lines to write; the same command goes on there.")],
    n: Annotated[int, typer.Option("--n", metavar="N", help="Number of labels.")] = 1000,
    split: Annotated[str, typer.Option(metavar="NAME", help="train, validation or test.")] = "train",
    seed: Annotated[int, typer.Option(metavar="N", help="Draws what is labelled and what is shown.")] = 0,
    shots: Annotated[int, typer.Option(metavar="N", help="Labelled designs shown for each indicator.")] = 4,
    attempts: Annotated[int, typer.Option(metavar="N", help="Answers asked for until one is yes or no.")] = 3,
    concurrency: Annotated[int, typer.Option(metavar="N", help="Requests under way at once.")] = 8,
    image_size: Annotated[int, typer.Option(metavar="PX", help="Longer side of the page.")] = 448,
    key_variable: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable that holds the endpoint's key.")
    ] = "OPENAI_API_KEY",
    timeout_s: Annotated[
        float, typer.Option("--timeout", metavar="S", help="Longest silence of the endpoint.")
    ] = 120.0,
) -> None:
    """Let a model that people's labels guide say which designs have an issue, and compare it with the label rule."""
    run(
        "designgym.train.aesthetics_data.label_cli:label",
        source=source,
        demonstrations=demonstrations,
        endpoint=endpoint,
        model=model_name,
        out=out,
        n=n,
        split=split,
        seed=seed,
        shots=shots,
        attempts=attempts,
        concurrency=concurrency,
        image_size=image_size,
        key_variable=key_variable,
        timeout_s=timeout_s,
    )


@data.command("briefs", cls=OnceCommand)
def data_briefs(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write; environments take it as briefs=DIR.")],
    split: Annotated[str, typer.Option(metavar="NAME", help="train or test.")] = "test",
    n: Annotated[int | None, typer.Option("--n", metavar="N", min=1, help="Only the first N briefs.")] = None,
    pool: Annotated[
        str, typer.Option(metavar="NAME|PATH", help="Where pictures come from: embedded, openclipart or a folder.")
    ] = "embedded",
    endpoint: Annotated[
        str | None, typer.Option(metavar="URL", help="A chat endpoint that ranks pictures and rates components.")
    ] = None,
    model_name: Annotated[str | None, typer.Option("--model", metavar="NAME", help="The model's name there.")] = None,
    people: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What people said of briefs (JSON lines), to compare with.")
    ] = None,
    key_variable: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable that holds the endpoint's key.")
    ] = "OPENAI_API_KEY",
    timeout_s: Annotated[
        float, typer.Option("--timeout", metavar="S", help="Longest silence of the endpoint.")
    ] = 120.0,
) -> None:
    """Write design briefs with their pictures; a model may choose the pictures and drop what does not go together."""
    run(
        "designgym.eval.briefs_cli:run",
        out=out,
        split=split,
        n=n,
        pool=pool,
        endpoint=endpoint,
        model=model_name,
        people=people,
        key_variable=key_variable,
        timeout_s=timeout_s,
    )
