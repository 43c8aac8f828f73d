"""Wrappers that give environments plain arrays or plain text to observe and act with.

``PixelObservation`` and ``StrokeActions`` together make canvas drawing an environment of arrays alone, for a stock
implementation of PPO; their twins for vector environments are in :mod:`designgym.envs.wrappers.vector`.
"""

from designgym.envs.wrappers.json_actions import JsonActions
from designgym.envs.wrappers.pixels import PixelObservation
from designgym.envs.wrappers.strokes import StrokeActions

__all__ = ["JsonActions", "PixelObservation", "StrokeActions"]
