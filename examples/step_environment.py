"""Step an environment: a question, a bad call, an answer.

    python examples/step_environment.py [--task test-000012] [--image page.png]

The page is 448 px wide; nothing but the base install is needed.
"""

from __future__ import annotations

import argparse

import gymnasium as gym
from PIL import Image

import designgym  # noqa: F401 - registers the environments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="test-000012", help="a task of the test split")
    parser.add_argument("--image", help="save the page as PNG")
    arguments = parser.parse_args()

    # Two calls instead of one, to show what a bad call does.
    env = gym.make("designgym/AestheticLocalization-v0", split="test", designs="blocks", max_calls=2)
    observation, info = env.reset(seed=0, options={"task": arguments.task})
    print(f"{info['task']}: {observation['task']}")
    if arguments.image:
        Image.fromarray(observation["image"]).save(arguments.image)

    # A bad call changes nothing: it costs a step and is explained.
    observation, reward, terminated, _, info = env.step({"name": "answer", "arguments": {"bbox": [0.5, 0.5, 0.1, 0.1]}})
    print(f"{observation['text']}\nreward {reward}, error {info['error']!r}, terminated {terminated}")

    # A box that is read is scored; `info` then holds the truth. An empty list stands for None: no flaw.
    observation, reward, terminated, _, info = env.step({"name": "answer", "arguments": {"bbox": [0.1, 0.1, 0.5, 0.4]}})
    print(observation["text"])
    print(f"reward {reward:.3f}, end {info['end']!r}, truth {info['truth']}, flaw {info['flaw']!r}")


if __name__ == "__main__":
    main()
