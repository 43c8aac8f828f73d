"""The ids of the environments, registered with Gymnasium when the package is imported.

Entry points are strings: nothing of an environment is loaded before it is made, and specifications can be written as
JSON.
"""

from __future__ import annotations

import gymnasium as gym

ENTRY_POINTS: dict[str, str] = {
    "designgym/AestheticLocalization-v0": "designgym.envs.aesthetics.env:AestheticLocalization",
}
"""Id -> class. To add an environment: write its file, add its line here; the contract tests find it by this table."""


def register_all() -> None:
    """Register every id that is not registered yet."""
    for env_id, entry_point in ENTRY_POINTS.items():
        if env_id not in gym.registry:
            gym.register(id=env_id, entry_point=entry_point)
