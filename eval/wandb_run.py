"""A run in wandb, for training and for evaluations; wandb never asks for anything.

The rule: ``offline`` writes below the run's folder and needs neither key nor network; ``online`` needs a key and is
refused before any work without one, and falls back to offline, with a line that says so, if the server does not answer;
``off`` or the environment variable ``WANDB_MODE=disabled`` leave it out.

What is tracked is a copy. So nothing that goes wrong in wandb once a run has begun ends the work: it is said once,
counted, and left out.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.eval.attempts import Attempts
from designgym.eval.report.data import Box, Example

LOGIN_TIMEOUT_S = 20
"""Longest wait for the server in ``online`` mode."""

FINISH_TIMEOUT_S = 300
"""Longest wait for what is still to be uploaded when a run is finished; the rest is for ``wandb sync``."""

FINISH_SPARE_S = 20
"""So much later a wandb that does not keep to that is left alone."""

PROJECT_PATTERN = r"^[^/\\#?%:]{1,128}$"
"""Names of projects that wandb takes."""

Mode = Literal["offline", "online", "off"]
Say = Callable[[str], None]


def check_wandb(mode: Mode, *, needed: bool = False) -> None:
    """Find out before any work whether wandb can do what is asked of it.

    Args:
        mode: See the module.
        needed: Whether wandb must be installed for ``offline`` too.

    Raises:
        UserError: If wandb is not installed, or there is no key for ``online``.
    """
    if mode == "off" or switched_off() or (mode == "offline" and not needed):
        return
    if not installed():
        raise UserError(f"tracking.wandb is '{mode}', and wandb is not installed: pip install 'designgym[train]'.")
    if mode == "online" and not (os.environ.get("WANDB_API_KEY") or _stored_key()):
        raise UserError(
            "tracking.wandb is 'online', and there is no key for it. Set WANDB_API_KEY or run `wandb login` first, "
            "or set tracking.wandb to 'offline' and upload the run later with `wandb sync`."
        )


class WandbRun:
    """One run, or nothing at all.

    Attributes:
        run: What ``wandb.init`` gave; None where nothing is tracked.
        attempts: How often wandb raised.

    Args:
        mode: See the module.
        project: In wandb.
        folder: The run's folder; wandb's files, caches and settings go below it.
        name: The run's name.
        settings: The effective configuration, shown beside what is tracked.
        say: Told which rule was applied.
        instead: Where things are if wandb is not installed or fails, as a sentence's end.
    """

    def __init__(
        self,
        mode: Mode,
        project: str,
        folder: Path,
        name: str,
        settings: Mapping[str, Any],
        say: Say,
        instead: str = "nothing is tracked",
    ) -> None:
        self.run: Any = None
        self.attempts = Attempts("wandb", instead, say)
        self._folder = folder
        self._environment: dict[str, str | None] = {}
        if mode == "off" or switched_off():
            return
        if not installed():
            say(f"wandb is not installed; {instead}.")
            return
        home = folder / "wandb"
        for variable, value in {
            "WANDB_DIR": folder,
            "WANDB_DATA_DIR": home / "data",
            "WANDB_CACHE_DIR": home / "cache",
            "WANDB_CONFIG_DIR": home / "config",
            "WANDB_SILENT": "true",
        }.items():
            self._environment[variable] = os.environ.get(variable)
            os.environ[variable] = str(value)
        self.attempts("to begin", lambda: self._begin(mode, project, name, settings))

    def attempt(self, what: str, do: Callable[[Any], object]) -> None:
        """Let the run take something; if there is none, nothing happens.

        Args:
            what: In words, for the message if wandb raises, such as ``"a table"``.
            do: Makes what is logged and hands it to the run.
        """
        if self.run is not None:
            self.attempts(f"to take {what}", lambda: do(self.run))

    def close(self) -> None:
        """Finish the run and restore the environment."""
        if self.run is not None:
            self._finish()
            self.run = None
        for variable, value in self._environment.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = value
        self._environment = {}

    def _begin(self, mode: Mode, project: str, name: str, settings: Mapping[str, Any]) -> None:
        (self._folder / "wandb").mkdir(parents=True, exist_ok=True)
        self.run = _begin(mode, project, self._folder, name, settings, self.attempts.say)

    def _finish(self) -> None:
        problem = _within(FINISH_TIMEOUT_S + FINISH_SPARE_S, self.run.finish)
        if isinstance(problem, _Unended):
            self.attempts.say(f"wandb does not end; what it has not uploaded is in '{self._folder / 'wandb'}'.")
        elif problem is not None:
            self.attempts.failed("to end", problem)
        self.attempts.sum_up()
        if self.attempts.failures or problem is not None:
            import wandb

            _within(FINISH_SPARE_S, wandb.teardown)  # or it would try once more when the process ends


class _Unended(Exception):
    """Something has not ended in time."""


def _within(seconds: float, do: Callable[[], object]) -> Exception | None:
    """Do something in a thread that is left alone after a time; what it raised, or `_Unended`."""
    raised: list[Exception] = []

    def guarded() -> None:
        try:
            do()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=guarded, name="wandb-finish", daemon=True)
    thread.start()
    thread.join(seconds)
    return _Unended() if thread.is_alive() else next(iter(raised), None)


def boxes(example: Example) -> dict[str, Any]:
    """An example's boxes in the form of ``wandb.Image``; a missing box is an empty list."""
    answer = () if example.answer is None else (example.answer,)
    return layers({"truth": () if example.truth is None else (example.truth, *example.more), "answer": answer})


def layers(found: Mapping[str, Sequence[Box]]) -> dict[str, Any]:
    """Boxes by what they are, in the form of ``wandb.Image``: fractions of the page."""
    sides = ("minX", "minY", "maxX", "maxY")
    return {
        name: {
            "box_data": [
                {"position": dict(zip(sides, box, strict=True)), "class_id": 0, "box_caption": name} for box in places
            ],
            "class_labels": {0: name},
        }
        for name, places in found.items()
    }


def caption(example: Example) -> str:
    """What is true and what was answered, in a line."""
    if example.right:
        said = "unreadable answer" if example.error else example.said
        return f"{example.task}: truth {example.right}, answer {said}"
    said = "unreadable answer" if example.error else "None" if example.answer is None else "box"
    true = "None" if example.truth is None else example.kind
    return f"{example.task}: truth {true}, answer {said}"


def switched_off() -> bool:
    """Whether the environment switches wandb off."""
    return (
        os.environ.get("WANDB_MODE", "").lower() == "disabled" or os.environ.get("WANDB_DISABLED", "").lower() == "true"
    )


def installed() -> bool:
    """Whether wandb can be imported."""
    return importlib.util.find_spec("wandb") is not None


def _begin(mode: Mode, project: str, folder: Path, name: str, settings: Mapping[str, Any], say: Say) -> Any:
    import wandb

    identity = folder / "wandb" / "id.txt"
    if not identity.is_file():
        write_atomically(identity, secrets.token_hex(4))

    def begin(mode: Literal["online", "offline"]) -> Any:
        return wandb.init(
            project=project,
            name=name,
            # A run that goes on is the same run there: what was tracked in parts is put together by `wandb sync`.
            id=identity.read_text(),
            resume="allow" if mode == "online" else None,
            dir=str(folder),
            config=dict(settings),
            mode=mode,
            settings=wandb.Settings(
                silent=True,
                console="off",
                init_timeout=LOGIN_TIMEOUT_S,
                finish_timeout=FINISH_TIMEOUT_S,
                disable_code=True,
                disable_git=True,
                x_disable_stats=True,
            ),
        )

    if mode == "online":
        try:
            return begin("online")
        except Exception as error:  # a refused key, no network, a time-out: each its own kind
            say(f"wandb cannot be reached ({type(error).__name__}): tracked offline, for `wandb sync` to upload later.")
    return begin("offline")


def _stored_key() -> bool:
    import netrc

    try:
        return netrc.netrc().authenticators("api.wandb.ai") is not None
    except (OSError, netrc.NetrcParseError):
        return False
