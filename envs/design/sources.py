"""Where tasks of the workbench come from, by name."""

from __future__ import annotations

from pathlib import Path

from designgym.env import MisuseError
from designgym.envs.design.generated import GeneratedTasks
from designgym.envs.design.placement import PlacementTasks
from designgym.envs.design.released import ReleasedTasks
from designgym.envs.design.task import TaskSource


def resolve_tasks(briefs: str | Path | TaskSource) -> TaskSource:
    """The source that an environment's argument ``briefs`` names.

    Raises:
        MisuseError: For what is neither a name nor a source.
    """
    if isinstance(briefs, str) and briefs == "generated":
        return GeneratedTasks()
    if isinstance(briefs, str) and briefs == "placement":
        return PlacementTasks()
    if isinstance(briefs, TaskSource) and not isinstance(briefs, type):
        return briefs
    if isinstance(briefs, str | Path) and Path(briefs).exists():
        return ReleasedTasks(briefs)
    raise MisuseError(
        f"briefs is {briefs!r}; it must be 'generated', 'placement', the path of GraphicBench's released files or a "
        "source of tasks."
    )
