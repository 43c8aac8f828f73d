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
from designgym.errors import UserError

_APP = {"no_args_is_help": True, "add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "rich"}

app = typer.Typer(help="Environments in which agents draw, design and judge designs.", **_APP)  # type: ignore[arg-type]
model = typer.Typer(help="Build models.", **_APP)  # type: ignore[arg-type]
app.add_typer(model, name="model")

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
) -> None:
    """Play the episodes of a trace again and compare every step; exit code 1 if anything differs."""
    _run("designgym.cli.replaying:run", trace=trace, episodes=episodes, images=images, filmstrip=filmstrip)


@app.command("markers", cls=OnceCommand)
def markers(
    paths: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Traces, or folders of evaluations.")],
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Save a line a trial as CSV.")] = None,
) -> None:
    """Print how drawings came about: process markers and effort of every policy in the traces."""
    _run("designgym.eval.markers_cli:run", paths=paths, output=output)


@model.command("tiny", cls=OnceCommand)
def tiny(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write; it must not hold anything yet.")],
    overrides: Overrides = [],  # noqa: B006
) -> None:
    """Build the tiny Qwen3-VL: the real architecture with half a million weights, made by code."""
    _run("designgym.agents.qwen.cli:tiny", out=out, overrides=overrides)


@app.command("version", cls=OnceCommand)
def version() -> None:
    """Print the versions of the package and of what results depend on."""
    _run("designgym.cli.versions:print_versions")


if __name__ == "__main__":
    main()
