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

from designgym.cli.bundled import configs
from designgym.cli.command import group, run
from designgym.cli.data import data
from designgym.cli.loading import missing_extra
from designgym.cli.once import OnceCommand
from designgym.cli.printable import printable
from designgym.cli.scorers import assets, fit, ratings
from designgym.cli.training import Overrides, train
from designgym.errors import UserError

app = group("Environments in which agents draw, design and judge designs.")
model = group("Build models.")
app.add_typer(train, name="train")
app.add_typer(configs, name="configs")
app.add_typer(model, name="model")
app.add_typer(data, name="data")
app.add_typer(assets, name="assets")
app.add_typer(ratings, name="ratings")
app.add_typer(fit, name="fit")

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


@app.command("list", cls=OnceCommand)
def list_() -> None:
    """List the environments, rewards and agents, and the configurations that ship with the package."""
    run("designgym.cli.catalogue:print_list")


@app.command("show", cls=OnceCommand)
def show(
    env_id: Annotated[str, typer.Argument(metavar="ENV_ID", help="Such as AestheticLocalization.")],
    task: Annotated[
        str | None, typer.Option(metavar="ID", help="Also show this task's question, e.g. test-000012.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the task's image as PNG.")] = None,
) -> None:
    """Show an environment: its description, tools and spaces; with --task an example of what it asks."""
    run("designgym.cli.catalogue:print_environment", env_id=env_id, task=task, out=out)


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
    run(
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
    run("designgym.cli.replaying:run", trace=trace, episodes=episodes, **saved)


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
    run("designgym.eval.compare_cli:run", paths=runs, baseline=baseline, common=common, output=output, seed=seed)


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
    run("designgym.eval.rescore_cli:run", paths=paths, rewards=rewards, output=output, seed=seed)


@app.command("markers", cls=OnceCommand)
def markers(
    paths: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Traces, or folders of evaluations.")],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Save a line a trial as CSV.")] = None,
) -> None:
    """Print how drawings came about: process markers and effort of every policy in the traces."""
    run("designgym.eval.markers_cli:run", paths=paths, output=output)


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
    run(
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


@app.command("ablation", cls=OnceCommand)
def ablation(
    base: Annotated[str, typer.Option(metavar="MODEL", help="The model that was trained: a folder or a hub id.")],
    trained: Annotated[
        str | None, typer.Option(metavar="MODEL", help="What the pairs of `designgym data aesthetics` made of it.")
    ] = None,
    no_reasoning: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The same with pairs without reasoning paths.")
    ] = None,
    no_positive: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The same with pairs without good designs.")
    ] = None,
    tasks: Annotated[
        list[str], typer.Option("--task", metavar="NAME", help="judgment, selection or localization; all by default.")
    ] = [],  # noqa: B006
    overrides: Overrides = [],  # noqa: B006
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the report.")] = Path("runs/ablation"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what the folder holds.")] = False,
) -> None:
    """Compare models trained on AesEval-Train with their base on its three tasks, as the paper's Table 6 does."""
    run(
        "designgym.eval.aesthetics.ablation_cli:run",
        base=base,
        trained=trained,
        no_reasoning=no_reasoning,
        no_positive=no_positive,
        tasks=tasks,
        overrides=overrides,
        output=output,
        resume=resume,
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
    run("designgym.cli.pool:run", words=words, pool=name, limit=limit, sheet=sheet)


@model.command("tiny", cls=OnceCommand)
def tiny(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write; it must not hold anything yet.")],
    overrides: Overrides = [],  # noqa: B006
) -> None:
    """Build the tiny Qwen3-VL: the real architecture with half a million weights, made by code."""
    run("designgym.agents.qwen.cli:tiny", out=out, overrides=overrides)


@app.command("version", cls=OnceCommand)
def version() -> None:
    """Print the versions of the package and of what results depend on."""
    run("designgym.cli.versions:print_versions")


if __name__ == "__main__":
    main()
