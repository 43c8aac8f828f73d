"""Environments in which agents draw, design and judge designs.

Importing the package registers its environments with Gymnasium::

    import designgym
    import gymnasium as gym

    env = gym.make("designgym/AestheticLocalization-v0")
"""

from designgym.registration import register_all
from designgym.vector import make_vec

__version__ = "0.1.0.dev0"

__all__ = ["__version__", "make_vec"]

register_all()
