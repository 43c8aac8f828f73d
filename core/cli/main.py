"""The command line. What a command does is loaded when it runs, so that help and errors come at once.

Exit codes: 0 all is well; 1 the work failed; 2 a mistake of the user, found before any work; 130 interrupted,
by Ctrl-C or by a scheduler (SIGTERM).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer

from designgym.cli.loading import load, missing_extra
from designgym.cli.once import OnceCommand
from designgym.cli.printable import printable
from designgym.cli.scorers import fit, ratings
from designgym.errors import UserError

_APP = {"no_args_is_help": True, "add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "rich"}

app = typer.Typer(help="Environments in which agents draw, design and judge designs.", **_APP)  # type: ignore[arg-type]
model = typer.Typer(help="Build models.", **_APP)  # type: ignore[arg-type]
app.add_typer(model, name="model")
data = typer.Typer(help="Make data sets.", **_APP)  # type: ignore[arg-type]
app.add_typer(data, name="data")
assets = typer.Typer(help="Make what scorers need once, and see what is there.", **_APP)  # type: ignore[arg-type]
app.add_typer(assets, name="assets")
app.add_typer(ratings, name="ratings")
app.add_typer(fit, name="fit")

Overrides = Annotated[
    list[str],
    typer.Option("--set", metavar="KEY=VALUE", help="Set one setting, such as training.steps=5; may be repeated."),
]
Played = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set one setting, such as env.kwargs.reward=closure; may be repeated. --dry-run lists them.",
    ),
]
WHO = (
    "Who plays, in place of the configuration's agents: a name (designgym list) or package.module:factory. Repeatable."
)
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only check, and print every setting and where it comes from.")]


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Args:
        arguments: What stands after the program's name; by default that of the process.
    """
    _open_streams()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)  # a scheduler's wish to stop is answered as Ctrl-C is
    try:
        app(args=arguments, prog_name="designgym")
    except UserError as error:
        _fail(str(error))
    except ImportError as error:
        way_out = missing_extra(error)
        if way_out is None:
            raise
        _fail(way_out)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def _open_streams() -> None:
    """Let nothing that is printed end a command: not a closed stream, nor one that lacks a character."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _fail(message: str) -> NoReturn:
    print(f"designgym: {printable(message)}", file=sys.stderr)
    sys.exit(2)


def _run(function: str, /, **arguments: Any) -> NoReturn:
    code = load(function)(**arguments)
    raise typer.Exit(code or 0)


def _only(context: typer.Context, option: str, known: set[str]) -> None:
    """Refuse options that say nothing beside one of several uses of a command."""
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name))
        if parameter.name not in known and given is not None and given.name == "COMMANDLINE":
            raise UserError(f"{parameter.opts[-1]} says nothing beside {option}; leave one of them out.")


@app.command("list", cls=OnceCommand)
def list_() -> None:
    """List the environments, rewards and agents, and the configurations that ship with the package."""
    _run("designgym.cli.catalogue:print_list")


@app.command("show", cls=OnceCommand)
def show(
    env_id: Annotated[str, typer.Argument(metavar="ENV_ID", help="Such as AestheticLocalization.")],
    task: Annotated[
        str | None, typer.Option(metavar="ID", help="Also show this task's question, e.g. test-000012.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the task's image as PNG.")] = None,
) -> None:
    """Show an environment: its description, tools and spaces; with --task an example of what it asks."""
    _run("designgym.cli.catalogue:print_environment", env_id=env_id, task=task, out=out)


@app.command("train", cls=OnceCommand)
def train(
    config: Annotated[str, typer.Argument(help="A YAML file, or the name of a bundled configuration (quickstart).")],
    overrides: Overrides = [],  # noqa: B006 - typer copies it
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the run.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Fine-tune a model on an environment, evaluate it on held-out tasks and write a report."""
    _run("designgym.train.cli:run", config=config, overrides=overrides, output=output, dry_run=dry_run)


@app.command("eval", cls=OnceCommand)
def evaluate(
    target: Annotated[
        str, typer.Argument(metavar="CONFIG|ENV_ID", help="A configuration, or the id of an environment.")
    ],
    agents: Annotated[list[str], typer.Option("--agent", metavar="NAME", help=WHO)] = [],  # noqa: B006
    split: Annotated[str | None, typer.Option(metavar="NAME", help="train, validation or test.")] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Play only the first N tasks.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, help="Seed of agents and intervals.")] = None,
    overrides: Played = [],  # noqa: B006
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the results.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what the folder holds.")] = False,
    workers: Annotated[int | None, typer.Option(metavar="N", min=1, help="Processes that play.")] = None,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Play on a Ray cluster: auto, ray://..., or local for a new one."),
    ] = None,
    wandb: Annotated[
        bool, typer.Option("--wandb", help="Track tables and pictures in wandb, offline unless tracking.wandb=online.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Let agents play an environment and report their scores with intervals."""
    _run(
        "designgym.eval.cli:run",
        target=target,
        agents=agents,
        split=split,
        limit=limit,
        seed=seed,
        overrides=overrides,
        output=output,
        resume=resume,
        workers=workers,
        ray=ray,
        wandb=wandb,
        dry_run=dry_run,
    )


@app.command("replay", cls=OnceCommand)
def replay(
    trace: Annotated[Path, typer.Argument(help="A trace, such as runs/eval/agents/grow/traces.jsonl.")],
    episodes: Annotated[
        list[str], typer.Option("--episode", metavar="NAME", help="Only this episode; may be repeated.")
    ] = [],  # noqa: B006
    images: Annotated[Path | None, typer.Option(metavar="DIR", help="Save what each round shows as PNG.")] = None,
    filmstrip: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the rounds of the (first) episode in one PNG.")
    ] = None,
    gif: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the rounds of the (first) episode as a moving GIF.")
    ] = None,
    pages: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Save each episode as a page to step through, HTML.")
    ] = None,
) -> None:
    """Play the episodes of a trace again and compare every step; exit code 1 if anything differs."""
    saved = {"images": images, "filmstrip": filmstrip, "gif": gif, "pages": pages}
    _run("designgym.cli.replaying:run", trace=trace, episodes=episodes, **saved)


@app.command("compare", cls=OnceCommand)
def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs or evaluations.")],
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="Compare every run with this one, not every pair.")
    ] = None,
    common: Annotated[
        bool, typer.Option("--common", help="Compare on the tasks that all runs played, if they played others, too.")
    ] = False,
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for report.html and the tables.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of intervals and permutations.")] = 0,
) -> None:
    """Compare recorded runs by task: differences with intervals, corrected tests, effect sizes, a verdict in words."""
    _run("designgym.eval.compare_cli:run", paths=runs, baseline=baseline, common=common, output=output, seed=seed)


@app.command("rescore", cls=OnceCommand)
def rescore(
    paths: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Traces, or folders of evaluations.")],
    rewards: Annotated[
        list[str],
        typer.Option("--reward", metavar="NAME", help="A reward, or {name: vqa, judge: ocr}; may be repeated."),
    ],
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the scores and their table.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the intervals.")] = 0,
) -> None:
    """Score recorded episodes with other rewards, without the agents; exit code 1 if one is not as recorded."""
    _run("designgym.eval.rescore_cli:run", paths=paths, rewards=rewards, output=output, seed=seed)


@app.command("markers", cls=OnceCommand)
def markers(
    paths: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Traces, or folders of evaluations.")],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Save a line a trial as CSV.")] = None,
) -> None:
    """Print how drawings came about: process markers and effort of every policy in the traces."""
    _run("designgym.eval.markers_cli:run", paths=paths, output=output)


@app.command("study", cls=OnceCommand)
def study(
    paths: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of evaluations of drawing, or traces.")
    ],
    ratings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="People's ratings of the drawings, CSV or JSON lines.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The AuDrA corpus, to compare with drawings of people.")
    ] = None,
    scorers: Annotated[
        list[str],
        typer.Option("--scorer", metavar="NAME", help="figural, vidra, {name: audra, checkpoint: FILE}; repeatable."),
    ] = [],  # noqa: B006
    features: Annotated[
        str, typer.Option(metavar="NAME", help="What tells drawings apart: hog, effnet-lite0+hog, dinov2 or none.")
    ] = "hog",
    agents: Annotated[
        list[str], typer.Option("--agent", metavar="NAME", help="Only this agent; by default all that see something.")
    ] = [],  # noqa: B006
    baseline: Annotated[
        str, typer.Option(metavar="NAME", help="The agent that others are compared with; by default the best.")
    ] = "",
    drawings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write the drawings there, to have them rated.")
    ] = None,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the report.")] = Path("runs/study"),
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of intervals and of the human sample.")] = 0,
) -> None:
    """Compare agents that draw, and scorers of their drawings with people's ratings, in the tables of PainterBench."""
    _run(
        "designgym.eval.creativity.cli:run",
        paths=paths,
        ratings=ratings,
        corpus=corpus,
        scorers=scorers,
        features=features,
        agents=agents,
        baseline=baseline,
        drawings=drawings,
        output=output,
        seed=seed,
    )


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
        _only(context, "--check", {"check"})
        _run("designgym.train.aesthetics_data.benchmark_cli:check_frozen", folder=check)
    if out is None:
        raise UserError("Name the folder to write with --out.")
    if benchmark:
        _only(context, "--benchmark", {"benchmark", "out", "designs", "seed", "source", "strict"})
        wanted: dict[str, Any] = {"out": out, "seed": seed, "source": source, "strict": strict}
        if designs is not None:
            wanted["designs"] = designs
        _run("designgym.train.aesthetics_data.benchmark_cli:freeze", **wanted)
    if designs is not None:
        raise UserError("--designs belongs to --benchmark; the number of training pairs is --n.")
    _run(
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
    _run(
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
    _run(
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


@app.command("pool", cls=OnceCommand)
def pool(
    words: Annotated[list[str], typer.Argument(metavar="[WORD]...", help="What to look for; none: an overview.")] = [],  # noqa: B006
    name: Annotated[
        str, typer.Option("--pool", metavar="NAME|FOLDER", help="embedded, openclipart, or a folder of pictures.")
    ] = "embedded",
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="List at most N pictures.")] = 20,
    sheet: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the pictures on one sheet, PNG.")] = None,
) -> None:
    """Look for pictures with which designs are illustrated."""
    _run("designgym.cli.pool:run", words=words, pool=name, limit=limit, sheet=sheet)


@model.command("tiny", cls=OnceCommand)
def tiny(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write; it must not hold anything yet.")],
    overrides: Overrides = [],  # noqa: B006
) -> None:
    """Build the tiny Qwen3-VL: the real architecture with half a million weights, made by code."""
    _run("designgym.agents.qwen.cli:tiny", out=out, overrides=overrides)


AssetFolder = Annotated[Path | None, typer.Option("--folder", metavar="DIR", help="In place of the cache folder.")]


@assets.command("build", cls=OnceCommand)
def assets_build(folder: AssetFolder = None) -> None:
    """Convert EfficientNet-Lite0 to ONNX for the features effnet-lite0+hog, which then need no torch."""
    _run("designgym.rewards.features.assets_cli:build", folder=folder)


@assets.command("list", cls=OnceCommand)
def assets_list(folder: AssetFolder = None) -> None:
    """Say which assets are there and whether they are what was built."""
    _run("designgym.rewards.features.assets_cli:show", folder=folder)


@app.command("version", cls=OnceCommand)
def version() -> None:
    """Print the versions of the package and of what results depend on."""
    _run("designgym.cli.versions:print_versions")


if __name__ == "__main__":
    main()
