"""Proximal policy optimisation in one file: from the canvas's pixels to the ends of strokes.

    python -m designgym.train.ppo --seed 0                        # about six minutes on one core
    python -m designgym.train.ppo --seed 0 --strokes 3 --start runs/ppo-0/policy.pt

It trains on the goal ``closure``: join the open ends of the starting shape. The vector environment restarts episodes
within the step that ends them (``SAME_STEP``), so every transition belongs to one episode, and values are bootstrapped
from ``final_obs`` where an episode was truncated. After Schulman et al., "Proximal policy optimization algorithms"
(2017), with the details that are listed in "The 37 implementation details of PPO" (Huang et al., 2022).
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import mean
from typing import Any, Literal

import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from pydantic import Field, ValidationError
from torch import Tensor, nn

from designgym.atomic import write_atomically
from designgym.cli.console import stdout
from designgym.config import Section, Seed
from designgym.errors import UserError
from designgym.jsonl import JsonlWriter
from designgym.manifest import collect, write_manifest
from designgym.rewards import resolve
from designgym.tasks import Split
from designgym.train.ppo_evaluation import Choose, Played, Task, compare, held_out, play, table
from designgym.train.tracking.progress import work

METRICS, WEIGHTS = "metrics.jsonl", "policy.pt"

Envs = VectorEnv[Any, Any, Any]


class Settings(Section):
    """What can be set from the command line, ``--learning-rate 1e-3`` and so on."""

    seed: Seed = 0
    """Seed of the weights, of the sampled strokes and of the training tasks."""
    output: Path | None = None
    """Folder of the run; runs/ppo-<seed> by default."""
    start: Path | None = None
    """Weights to start from, the policy.pt of another run with the same cells and width."""
    strokes: int = Field(1, ge=1, le=300)
    """Strokes of an episode."""
    steps: int = Field(65_536, ge=1)
    """Steps in the environment, over all copies."""
    copies: int = Field(32, ge=1)
    """Environments that are stepped together."""
    horizon: int = Field(16, ge=1)
    """Steps of each copy between two updates."""
    cells: int = Field(40, ge=4, le=400)
    """Rows and columns of cells that the canvas is seen in and that strokes start and end in."""
    width: int = Field(16, ge=1)
    """Channels of the network."""
    epochs: int = Field(2, ge=1)
    """Passes over the steps of an update."""
    minibatch: int = Field(128, ge=2)
    """Steps of a gradient."""
    learning_rate: float = Field(4e-3, gt=0)
    """Adam's step at the start; it falls to 0 in a straight line."""
    discount: float = Field(0.99, ge=0, le=1)
    """What a reward one step later is worth."""
    gae_lambda: float = Field(0.95, ge=0, le=1)
    """Trades bias (0) against variance (1) of the advantages."""
    clip: float = Field(0.2, gt=0)
    """How far the probability of a stroke may move from its old one before the gradient is cut."""
    entropy: float = Field(0.01, ge=0)
    """Weight of the entropy bonus."""
    value: float = Field(0.5, ge=0)
    """Weight of the value's squared error."""
    max_gradient: float = Field(0.5, gt=0)
    """Longest gradient; a longer one is scaled down."""
    threads: int = Field(1, ge=1)
    """Threads of torch. The results are the same on one machine with one thread."""
    evaluate_every: int = Field(8192, ge=1)
    """Steps between two evaluations on the first hundred held-out tasks."""
    evaluation_tasks: int = Field(1000, ge=2, le=3000)
    """Held-out tasks of the evaluation before and after the training, beside the bank."""
    constants: int = Field(512, ge=64)
    """Random strokes among which the best constant one is sought, on half as many training shapes."""
    wandb: Literal["off", "offline", "online"] = "off"
    """Whether curves also go to wandb."""


class Policy(nn.Module):
    """Looks at the canvas and points at two of its cells: where a stroke starts and, given that, where it ends.

    A small convolutional network without pooling keeps one vector of features a cell. The start is drawn from a softmax
    over all cells; the end from a second one, which also sees where each cell lies from the start.

    Args:
        cells: Rows and columns of cells, and the size of the observations in px.
        width: Channels.
        channels: Channels of the observations.
    """

    def __init__(self, cells: int, width: int, channels: int = 1) -> None:
        super().__init__()
        self.cells = cells
        self.features = nn.Sequential(
            nn.Conv2d(channels + 2, width, 5, padding=2),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=2, dilation=2),
            nn.ReLU(),
        )
        self.start = nn.Conv2d(width, 1, 1)
        self.end = nn.Sequential(nn.Conv2d(width + 3, width, 1), nn.ReLU(), nn.Conv2d(width, 1, 1))
        self.value = nn.Sequential(nn.Linear(2 * width, 32), nn.ReLU(), nn.Linear(32, 1))
        for last in (self.start, self.end[-1], self.value[-1]):
            nn.init.zeros_(last.weight)  # every cell is as likely as any other at first
            nn.init.zeros_(last.bias)
        place = torch.linspace(-1, 1, cells)
        self.register_buffer("places", torch.stack(torch.meshgrid(place, place, indexing="xy")))
        self.to(memory_format=torch.channels_last)  # twice as fast on a CPU

    def look(self, observations: Tensor) -> Tensor:
        """Features of each cell, N x width x cells x cells, of observations (uint8 N x cells x cells x channels)."""
        ink = 1 - observations.permute(0, 3, 1, 2).float() / 255
        seen = torch.cat([ink, self.places.expand(len(ink), -1, -1, -1)], dim=1)
        return self.features(seen.contiguous(memory_format=torch.channels_last))

    def start_log_probabilities(self, features: Tensor) -> Tensor:
        """Of each cell as the start, N x cells²."""
        return self.start(features).flatten(1).log_softmax(dim=1)

    def end_log_probabilities(self, features: Tensor, start: Tensor) -> Tensor:
        """Of each cell as the end, N x cells², given the starts (int64 N)."""
        origin = self.places.flatten(1)[:, start].T[:, :, None, None]
        away = self.places - origin
        distance = away.square().sum(dim=1, keepdim=True).sqrt()
        return self.end(torch.cat([features, away, distance], dim=1)).flatten(1).log_softmax(dim=1)

    def values(self, features: Tensor) -> Tensor:
        """The expected return, N."""
        return self.value(torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)).squeeze(1)

    @torch.no_grad()
    def act(self, observations: Tensor, generator: torch.Generator | None) -> tuple[Tensor, Tensor, Tensor]:
        """Choose strokes.

        Args:
            observations: uint8 N x cells x cells x channels.
            generator: Draws the strokes; None takes the most likely start and the most likely end from there.

        Returns:
            Actions (int64 N x 4: x and y of start and end, in cells), log-probabilities (N) and values (N).
        """
        features = self.look(observations)

        def choose(log_probabilities: Tensor) -> Tensor:
            if generator is None:
                return log_probabilities.argmax(dim=1)
            return torch.multinomial(log_probabilities.exp(), 1, generator=generator).squeeze(1)

        starts = self.start_log_probabilities(features)
        start = choose(starts)
        ends = self.end_log_probabilities(features, start)
        end = choose(ends)
        actions = torch.stack([start % self.cells, start // self.cells, end % self.cells, end // self.cells], dim=1)
        return actions, _of(starts, start) + _of(ends, end), self.values(features)

    def judge(self, observations: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Log-probabilities of strokes that were drawn, entropies (of the end: given that start) and values, N each."""
        features = self.look(observations)
        start, end = (actions[:, i] + self.cells * actions[:, i + 1] for i in (0, 2))
        starts = self.start_log_probabilities(features)
        ends = self.end_log_probabilities(features, start)
        entropies = -(starts.exp() * starts).sum(dim=1) - (ends.exp() * ends).sum(dim=1)
        return _of(starts, start) + _of(ends, end), entropies, self.values(features)


def _of(table: Tensor, chosen: Tensor) -> Tensor:
    return table.gather(1, chosen[:, None]).squeeze(1)


@dataclass(frozen=True)
class Rollout:
    """Steps of all copies, horizon x copies: what was seen, done and paid, and what follows from it."""

    observations: Tensor
    actions: Tensor
    log_probabilities: Tensor
    rewards: Tensor
    values: Tensor
    advantages: Tensor
    returns: Tensor

    def flat(self) -> Rollout:
        """The same with one axis for horizon and copies."""
        return Rollout(*(getattr(self, field.name).flatten(0, 1) for field in fields(self)))


class Collector:
    """Plays a policy on and on in a vector environment.

    Args:
        envs: With ``SAME_STEP``, pixels as observations and strokes as actions.
        seed: Of the tasks and of the strokes drawn.
    """

    def __init__(self, envs: Envs, seed: int) -> None:
        if envs.metadata.get("autoreset_mode") != AutoresetMode.SAME_STEP:
            raise UserError("PPO needs a vector environment with AutoresetMode.SAME_STEP, so that no step is a reset.")
        self.envs = envs
        self.generator = torch.Generator().manual_seed(seed)
        self.observations = torch.as_tensor(envs.reset(seed=seed)[0])
        self.returns: list[float] = []
        """Of the episodes that ended, without discount, since someone took them."""
        self._so_far = np.zeros(envs.num_envs)

    def collect(self, policy: Policy, horizon: int, discount: float, gae_lambda: float) -> Rollout:
        """The next steps of all copies."""
        observations, actions, log_probabilities, values, next_values, rewards, ends = ([] for _ in range(7))
        for _ in range(horizon):
            action, log_probability, value = policy.act(self.observations, self.generator)
            seen, reward, terminated, truncated, infos = self.envs.step(action.numpy())
            observations.append(self.observations)
            actions.append(action)
            log_probabilities.append(log_probability)
            values.append(value)
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            over = terminated | truncated
            ends.append(torch.as_tensor(over))
            next_values.append(self._after_the_end(policy, truncated & ~terminated, infos))
            self.observations = torch.as_tensor(seen)
            self._so_far += reward
            self.returns += self._so_far[over].tolist()
            self._so_far[over] = 0.0
        with torch.no_grad():
            last = policy.values(policy.look(self.observations))
        following = [*values[1:], last]
        bootstrap = torch.stack(
            [torch.where(end, cut, later) for end, cut, later in zip(ends, next_values, following, strict=True)]
        )
        rewarded, valued = torch.stack(rewards), torch.stack(values)
        advantages = gae(rewarded, valued, bootstrap, torch.stack(ends), discount, gae_lambda)
        return Rollout(
            torch.stack(observations),
            torch.stack(actions),
            torch.stack(log_probabilities),
            rewarded,
            valued,
            advantages,
            advantages + valued,
        )

    def _after_the_end(self, policy: Policy, cut: np.ndarray[Any, Any], infos: Mapping[str, Any]) -> Tensor:
        """The values of what would have come next: 0 after a real end, that of ``final_obs`` where time was up."""
        values = torch.zeros(len(cut))
        if cut.any():
            final = torch.as_tensor(np.stack(list(infos["final_obs"][cut])))
            with torch.no_grad():
                values[torch.as_tensor(cut)] = policy.values(policy.look(final))
        return values


def gae(
    rewards: Tensor, values: Tensor, next_values: Tensor, ends: Tensor, discount: float, gae_lambda: float
) -> Tensor:
    """Generalised advantage estimates (Schulman et al., 2016), all tensors horizon x copies.

    Args:
        rewards: Of each step.
        values: Of what was seen before it.
        next_values: Of what came after it in the same episode; 0 after a real end.
        ends: Whether the episode ended with it, in whatever way: what follows belongs to another one.
        discount: Of a reward one step later.
        gae_lambda: Of a later error of the values, beside the discount.
    """
    advantages = torch.zeros_like(rewards)
    ahead = torch.zeros_like(rewards[0])
    for step in range(len(rewards) - 1, -1, -1):
        error = rewards[step] + discount * next_values[step] - values[step]
        ahead = error + discount * gae_lambda * ahead * ~ends[step]
        advantages[step] = ahead
    return advantages


def update(
    policy: Policy, optimizer: torch.optim.Optimizer, rollout: Rollout, settings: Settings, generator: torch.Generator
) -> dict[str, float]:
    """Some epochs of gradient steps on a rollout; returns figures, means over the minibatches."""
    data = rollout.flat()
    figures: dict[str, list[float]] = {}
    for _ in range(settings.epochs):
        for chosen in torch.randperm(len(data.rewards), generator=generator).split(settings.minibatch):
            log_probabilities, entropies, values = policy.judge(data.observations[chosen], data.actions[chosen])
            change = log_probabilities - data.log_probabilities[chosen]
            ratio = change.exp()
            advantages = data.advantages[chosen]
            if len(chosen) > 1:
                advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
            value_loss = (values - data.returns[chosen]).square().mean()
            loss = policy_loss + settings.value * value_loss - settings.entropy * entropies.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), settings.max_gradient)
            optimizer.step()
            for name, figure in {
                "policy_loss": policy_loss,
                "value_loss": value_loss,
                "entropy": entropies.mean(),
                "kl": (ratio - 1 - change).mean(),
                "clipped": ((ratio - 1).abs() > settings.clip).float().mean(),
            }.items():
                figures.setdefault(name, []).append(float(figure.detach()))
    return {name: float(np.mean(values)) for name, values in figures.items()}


def train(settings: Settings, envs: Envs, policy: Policy, report: Callable[[int, dict[str, float]], None]) -> None:
    """Train a policy in a vector environment.

    Args:
        settings: How.
        envs: Its observations are uint8 N x cells x cells x channels, its actions N x 4 cells.
        policy: Is changed.
        report: Told steps and figures after each update.
    """
    torch.manual_seed(settings.seed)
    collector = Collector(envs, settings.seed)
    optimizer = torch.optim.Adam(policy.parameters(), lr=settings.learning_rate, eps=1e-5)
    shuffle = torch.Generator().manual_seed(settings.seed)
    per_update = settings.horizon * envs.num_envs
    updates = max(1, settings.steps // per_update)
    for number in range(updates):
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (1 - number / updates)
        rollout = collector.collect(policy, settings.horizon, settings.discount, settings.gae_lambda)
        figures = update(policy, optimizer, rollout, settings, shuffle)
        if collector.returns:
            figures["return"] = float(np.mean(collector.returns))
            collector.returns = []
        report((number + 1) * per_update, figures)


# ---------------------------------------------------------------- the command


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate, train, evaluate again; write weights, metrics and results into the run's folder."""
    settings = command_line(arguments)
    folder = settings.output or Path("runs") / f"ppo-{settings.seed}"
    if (folder / METRICS).exists():
        raise UserError(f"'{folder}' holds a run already; choose another folder with --output.")
    torch.set_num_threads(settings.threads)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(settings.seed)
    policy = Policy(settings.cells, settings.width)
    if settings.start is not None:
        load(policy, settings.start)
    folder.mkdir(parents=True, exist_ok=True)
    config = settings.model_dump(mode="json")
    rewards = [asdict(resolve("closure").backend)]
    write_manifest(collect(seeds={"run": settings.seed}, config=config, rewards=rewards), folder / "manifest.json")

    console, task = stdout(), Task(settings.cells, settings.strokes)
    log, close = tracked(settings, folder, console.print)

    def evaluate(name: str, tasks: Mapping[Split, Sequence[str]]) -> dict[Split, list[Played]]:
        ways = {"greedy": None, "sampled": torch.Generator().manual_seed(settings.seed)}
        return {
            split: [play(f"{name}, {way}", strokes_of(policy, drawn), task, split, ids) for way, drawn in ways.items()]
            for split, ids in tasks.items()
        }

    tasks = held_out(settings.evaluation_tasks)
    some: dict[Split, Sequence[str]] = {"validation": tasks["validation"][:100]}
    before = evaluate("start", tasks)
    began, processor = time.monotonic(), time.process_time()
    with JsonlWriter(folder / METRICS) as metrics, work(console, "PPO", settings.steps) as progress:

        def report(steps: int, figures: dict[str, float]) -> None:
            if steps // settings.evaluate_every > (steps - per_update) // settings.evaluate_every:
                greedy, sampled = evaluate("now", some)["validation"]
                figures |= {"held_out_greedy": mean(greedy.closure), "held_out_sampled": mean(sampled.closure)}
            metrics.write({"steps": steps, "seconds": time.monotonic() - began, **figures})
            log(steps, figures)
            progress.step(steps, {name: figures[name] for name in ("return", "held_out_greedy") if name in figures})

        per_update = settings.horizon * settings.copies
        train(settings, task.envs("train", settings.copies, AutoresetMode.SAME_STEP), policy, report)
    cost = {"seconds": time.monotonic() - began, "processor_seconds": time.process_time() - processor}
    close()
    torch.save(policy.state_dict(), folder / WEIGHTS)
    results = compare(
        task, tasks, before, evaluate("PPO", tasks), settings.seed, (settings.constants, settings.constants // 2)
    )
    write_atomically(folder / "results.json", json.dumps({"settings": config, **cost, **results}, indent=1) + "\n")
    console.print(table([results]))


def tracked(
    settings: Settings, folder: Path, say: Callable[[str], None]
) -> tuple[Callable[[int, Mapping[str, float]], None], Callable[[], None]]:
    """How to log figures to wandb and how to finish; both do nothing if it is off."""
    if settings.wandb == "off":
        return lambda steps, figures: None, lambda: None
    from designgym.train.config import TrackingSection
    from designgym.train.tracking.tracker import Tracker, check_tracking

    section = TrackingSection(wandb=settings.wandb)
    check_tracking(section)
    tracker = Tracker(section, folder, folder.name, settings.model_dump(mode="json"), say)
    return lambda steps, figures: tracker.log("ppo", steps, figures), tracker.close


def load(policy: Policy, path: Path) -> None:
    """Take the weights of another run.

    Raises:
        UserError: If the file is none, or of a policy of another size.
    """
    try:
        policy.load_state_dict(torch.load(path, weights_only=True))
    except (OSError, RuntimeError, ValueError, pickle.UnpicklingError) as error:
        raise UserError(f"'{path}' holds no weights for these cells and this width: {error}") from error


def strokes_of(policy: Policy, generator: torch.Generator | None) -> Choose:
    """A policy as the evaluation plays it."""
    return lambda pictures, envs, number: policy.act(torch.as_tensor(pictures), generator)[0].numpy()


def command_line(arguments: Sequence[str] | None = None) -> Settings:
    """The settings of a command line; its help has the sentence under each setting."""
    parser = ArgumentParser(prog="python -m designgym.train.ppo", description="Train PPO to close open shapes.")
    for name, field in Settings.model_fields.items():
        about = f"{field.description} Default: {field.default}.".replace("%", "%%")
        parser.add_argument(f"--{name.replace('_', '-')}", default=field.default, metavar="VALUE", help=about)
    try:
        return Settings.model_validate(vars(parser.parse_args(arguments)))
    except ValidationError as error:
        first = error.errors()[0]
        parser.error(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}")


if __name__ == "__main__":
    try:
        main()
    except UserError as problem:
        sys.exit(f"ppo: {problem}")
