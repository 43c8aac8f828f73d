"""Further trackers that get the curves: TensorBoard and trackio, both below the run's folder."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from designgym.errors import UserError
from designgym.eval.attempts import Attempts
from designgym.eval.record import slug
from designgym.train.config import TrackingSection

ADVICE = {
    "tensorboard": "pip install 'designgym[tensorboard]'",
    # It pins a pillow that the project's own constraints do not have.
    "trackio": "pip install trackio 'pillow<13' into an environment without the project's constraints.txt",
}

_POLICY = re.compile(r"validation/agents(?:_(low|high))?/(.+)")


class Board(Protocol):
    """What takes curves."""

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """Take points; ``step`` counts over all stages."""
        ...

    def close(self) -> None:
        """Write what is still to be written."""
        ...


def check_boards(section: TrackingSection) -> None:
    """Find out before any work whether the trackers are installed.

    Raises:
        UserError: For the first one that is not.
    """
    for name in section.report_to:
        if importlib.util.find_spec(name) is None:
            raise UserError(
                f"tracking.report_to names '{name}', which is not installed: {ADVICE[name]}, or leave it out."
            )


class TensorBoard:
    """Event files in ``tensorboard/``.

    The held-out scores of policies to compare with go into folders of their own, under the names of the model's: so
    TensorBoard draws them into the same charts.

    Args:
        folder: The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tensorboard"
        self._writers: dict[str, Any] = {}

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """See `Board`."""
        for name, value in figures.items():
            policy, name = _by_policy(name)
            self._writer(policy, step).add_scalar(f"{stage}/{name}", value, step)
        for writer in self._writers.values():
            writer.flush()  # the process may be killed

    def close(self) -> None:
        """See `Board`."""
        for writer in self._writers.values():
            writer.close()

    def _writer(self, policy: str, step: int) -> Any:
        if policy not in self._writers:
            from torch.utils.tensorboard import SummaryWriter

            folder = self.folder / "agents" / slug(policy) if policy else self.folder / "model"
            # What a run had logged after the checkpoint that it goes on from is hidden.
            self._writers[policy] = SummaryWriter(str(folder), purge_step=step)
        return self._writers[policy]


class Trackio:
    """A trackio project in ``trackio/``; a run that goes on is the same run there.

    Args:
        folder: The run's folder.
        project: Its project.
        name: Its name.
        settings: The effective configuration.
    """

    def __init__(self, folder: Path, project: str, name: str, settings: Mapping[str, Any]) -> None:
        home = (folder / "trackio").resolve()
        home.mkdir(parents=True, exist_ok=True)
        os.environ["TRACKIO_DIR"] = str(home)  # is read when it is imported
        with contextlib.redirect_stdout(io.StringIO()):
            trackio: Any = importlib.import_module("trackio")
            if Path(trackio.utils.TRACKIO_DIR).resolve() != home:
                raise UserError(f"it writes into '{trackio.utils.TRACKIO_DIR}', where this process began to use it")
            self._run = trackio.init(
                project,
                name,
                config=dict(settings),
                resume="allow",
                embed=False,
                auto_log_gpu=False,
                auto_log_cpu=False,
            )

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """See `Board`."""
        self._run.log({f"{stage}/{name}": value for name, value in figures.items()}, step=step)

    def close(self) -> None:
        """See `Board`."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._run.finish()


class Boards:
    """Those that a run was asked for; one that fails is left out, which is said once.

    Args:
        section: Names them.
        folder: The run's folder.
        name: The run's name.
        settings: The effective configuration.
        say: Told of failures.
    """

    def __init__(
        self,
        section: TrackingSection,
        folder: Path,
        name: str,
        settings: Mapping[str, Any],
        say: Callable[[str], None],
    ) -> None:
        makers: dict[str, Callable[[], Board]] = {
            "tensorboard": lambda: TensorBoard(folder),
            "trackio": lambda: Trackio(folder, section.project, name, settings),
        }
        self._boards: list[tuple[Attempts, Board]] = []
        for each in section.report_to:
            attempts = Attempts(each, "its curves are in metrics.jsonl too", say)
            attempts("to begin", partial(self._begin, attempts, makers[each]))

    def log(self, stage: str, step: int, figures: Mapping[str, float]) -> None:
        """See `Board`."""
        for attempts, board in self._boards:
            attempts("to take the curves", partial(board.log, stage, step, figures))

    def close(self) -> None:
        """See `Board`."""
        for attempts, board in self._boards:
            attempts("to end", board.close)
            attempts.sum_up()

    def _begin(self, attempts: Attempts, make: Callable[[], Board]) -> None:
        self._boards.append((attempts, make()))


def _by_policy(name: str) -> tuple[str, str]:
    """Whose a held-out figure is (empty: the model's), and what it is called among those of one policy."""
    found = _POLICY.fullmatch(name)
    if found is None:
        return "", name
    return found[2], f"validation/{found[1] or 'reward'}"
