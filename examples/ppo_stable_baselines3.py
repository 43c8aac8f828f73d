"""Train the PPO of Stable-Baselines3 to draw: pixels as observations, strokes of numbers as actions.

    pip install stable-baselines3
    python examples/ppo_stable_baselines3.py [--steps 512] [--seed 0] [--output runs/sb3]

Stable-Baselines3 is no dependency of this package. It was tried with 2.9.2, which takes gymnasium 1.4; should another
version refuse the installed gymnasium, ``pip install --no-deps stable-baselines3`` installs it all the same. The raw
environment, whose observations hold text and whose actions are tool calls, is not for it: the two wrappers make arrays.

A few hundred steps show that all fits together and are far too few to learn anything. For a training that is measured,
see ``python -m designgym.train.ppo``.
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import RescaleAction
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import designgym  # noqa: F401 - registers the environments
from designgym.envs.wrappers import PixelObservation, StrokeActions

ENV_ID = "designgym/CanvasDrawing-v0"


def make(split: str = "train") -> gym.Env:
    """Two strokes to close the starting shape, paid stroke by stroke; observed in 84 x 84 grey pixels."""
    env = gym.make(ENV_ID, split=split, kinds=("is",), reward="closure", reward_mode="dense", max_calls=2)
    env = PixelObservation(StrokeActions(env), size=84)
    # Their Gaussian policies start around 0, so that is to be the middle of the canvas and not its corner.
    return RescaleAction(env, np.float32(-1), np.float32(1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=512, help="steps in the environment")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, actions and tasks")
    parser.add_argument("--output", help="save the model in this folder")
    arguments = parser.parse_args()

    check_env(make(), warn=True)
    envs = make_vec_env(make, n_envs=4, seed=arguments.seed)
    model = PPO("CnnPolicy", envs, n_steps=64, batch_size=64, n_epochs=4, seed=arguments.seed, verbose=1)
    model.learn(total_timesteps=arguments.steps)

    held_out = make_vec_env(make, n_envs=4, seed=arguments.seed, env_kwargs={"split": "validation"})
    mean, spread = evaluate_policy(model, held_out, n_eval_episodes=40)
    print(f"closure on 40 validation shapes: {mean:.3f} (standard deviation {spread:.3f})")
    if arguments.output:
        model.save(f"{arguments.output}/model.zip")
        print(f"saved as {arguments.output}/model.zip")


if __name__ == "__main__":
    main()
