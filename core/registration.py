"""The ids of the environments, registered with Gymnasium when the package is imported.

Entry points are strings: nothing of an environment is loaded before it is made, and specifications can be written as
JSON.
"""

from __future__ import annotations

import gymnasium as gym

from designgym.errors import UserError
from designgym.nearest import did_you_mean

ENTRY_POINTS: dict[str, str] = {
    "designgym/AestheticJudgment-v0": "designgym.envs.aesthetics.judgment:AestheticJudgment",
    "designgym/AestheticLocalization-v0": "designgym.envs.aesthetics.localization:AestheticLocalization",
    "designgym/CanvasDrawing-v0": "designgym.envs.canvas.env:CanvasDrawing",
    "designgym/DesignActions-v0": "designgym.envs.design.env:DesignActions",
    "designgym/RegionSelection-v0": "designgym.envs.aesthetics.selection:RegionSelection",
}
"""Id -> class. To add an environment: write its file, add its line here; the contract tests find it by this table."""

VECTOR_ENTRY_POINTS: dict[str, str] = {
    "designgym/CanvasDrawing-v0": "designgym.envs.canvas.vector:CanvasVectorEnv",
}
"""Id -> class of several copies in one, where it is faster than what Gymnasium makes of single ones."""


def register_all() -> None:
    """Register every id that is not registered yet."""
    for env_id, entry_point in ENTRY_POINTS.items():
        if env_id not in gym.registry:
            gym.register(id=env_id, entry_point=entry_point, vector_entry_point=VECTOR_ENTRY_POINTS.get(env_id))


def full_id(name: str) -> str:
    """Return the registered id that a name means: itself, or the newest version of that name.

    Raises:
        UserError: If there is none; the message names the nearest one.
    """
    if name in ENTRY_POINTS:
        return name
    wanted = name.removeprefix("designgym/")
    short = {env_id: env_id.removeprefix("designgym/").rpartition("-v")[0] for env_id in ENTRY_POINTS}
    candidates = [env_id for env_id, without in short.items() if without == wanted]
    if candidates:
        return max(candidates, key=lambda env_id: int(env_id.rpartition("-v")[2]))
    raise UserError(f"There is no environment '{name}'.{did_you_mean(wanted.partition('-v')[0], short.values())}")
