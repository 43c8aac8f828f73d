"""Score recorded episodes with another reward, without the agent that played them.

    python examples/score_again.py [--trace runs/eval/agents/heuristic/traces.jsonl] [--reward iou]

Without a trace it first records one, of the heuristic agent on a few pages.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym

import designgym  # noqa: F401 - registers the environments
from designgym import exact_json
from designgym.agents.heuristic import Heuristic
from designgym.eval.runner import run
from designgym.rewards import resolve
from designgym.score import Score
from designgym.trace import read_episodes


def record(folder: Path) -> Path:
    """Play the heuristic on twenty pages under the reward `hurdle`; return the trace."""
    tasks = [f"test-{number:06d}" for number in range(20)]
    run(Heuristic(), "designgym/AestheticLocalization-v0", {"split": "test", "designs": "blocks"}, tasks, out=folder)
    return folder / "traces.jsonl"


def scored_again(trace: Path, reward: str) -> Iterator[tuple[str, float, Score]]:
    """Yield each episode's name, what it was paid, and its score by another reward.

    A reward that compares the episodes of a group, such as `diversity`, needs them all at once:
    `designgym.eval.groups.scored_in_groups(trace, reward)`.
    """
    judge = resolve(reward)
    for steps in read_episodes(trace):
        first = steps[0]
        env = gym.make(first.env, **exact_json.decode(first.kwargs))
        env.reset(seed=first.seed, options={"task": first.task})
        for step in steps[1:]:
            env.step(exact_json.decode(step.action))
        yield first.episode, sum(step.reward for step in steps), judge.score(env.unwrapped.episode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trace", type=Path, help="traces.jsonl of an evaluation")
    parser.add_argument("--reward", default="iou", help="a reward that `designgym list` names")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        trace = arguments.trace or record(Path(folder))
        for episode, paid, score in scored_again(trace, arguments.reward):
            print(f"{episode:16} was paid {paid:.3f}; {arguments.reward} {score.value:.3f} ({score.backend.id})")


if __name__ == "__main__":
    main()
