"""Rewards: one file each, named by strings or dicts in configurations and resolved from a table of import strings."""

from designgym.rewards.base import EpisodeReward
from designgym.rewards.compose import WeightedSum
from designgym.rewards.table import REWARDS, resolve
from designgym.score import Backend, Reward, Score

__all__ = ["REWARDS", "Backend", "EpisodeReward", "Reward", "Score", "WeightedSum", "resolve"]
