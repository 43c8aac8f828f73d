"""GRPO on episodes of many turns: TRL's trainer with our rollout, and one row of its batch for each row of a dialogue.

Two methods of ``GRPOTrainer`` are replaced. ``_generate`` plays the episodes and returns the first turn of each, as a
stand-in with which TRL computes rewards and group advantages over episodes and processes. Then
``_generate_and_score_completions`` puts in the place of TRL's tensors those of the rows, each with the advantage of
its episode and, where the policy is held to its start, what the start gives its tokens, and counts the tokens again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from accelerate.utils import gather_object
from trl import GRPOConfig, GRPOTrainer

from designgym.agents.qwen.dialogue import Asker, Prompt
from designgym.train.methods.group_rewards import GroupRewards
from designgym.train.turns.guards import check_settings, check_sharding, check_trl
from designgym.train.turns.metrics import LOCAL, episode_metrics, forget_empty_pass, local_sums, means
from designgym.train.turns.pixels import Pixels
from designgym.train.turns.reference import reference_log_probabilities
from designgym.train.turns.rollout import EnvironmentFailed, Slots, Trajectory, play
from designgym.train.turns.rows import choose, common_count, padded, teaching, tensors


class PlayedReward:
    """The one reward function that TRL gets: what the episodes earned that were just played; None if not scored."""

    __name__ = "environment"  # TRL names the reward's curves by it

    def __init__(self) -> None:
        self.trajectories: Sequence[Trajectory] = ()

    def __call__(self, *, log_metric: Callable[[str, float], None], **unused: Any) -> list[float | None]:
        """The rewards in order; what else there is to count goes into the curves."""
        for trajectory in self.trajectories:
            for name, value in episode_metrics(trajectory).items():
                log_metric(name, value)
        return [trajectory.reward for trajectory in self.trajectories]


class TurnGRPOTrainer(GRPOTrainer):
    """Trains a model on episodes that it plays in an environment of many calls.

    Args:
        asker: How the model is asked and read; its model and processor are trained.
        make_env: Makes one environment; there are as many as episodes are played at once, each used again and again.
        args: TRL's settings. ``max_completion_length`` is the longest *turn*, in tokens.
        train_dataset: Rows with ``task`` (an id) and ``prompt`` (anything; TRL wants one).
        max_turns: Turns after which an episode is left unfinished and scored as it stands; None: the environment's
            budget.
        max_rows: Most rows in a forward pass; None: all that the episodes have.
        groups: What is added for how the episodes of a group compare with one another.
        callbacks: Callbacks of transformers.
        optimizers: As TRL takes them.

    Raises:
        UserError: For another version of TRL than this was written for, or settings under which the rows would be
            trained on wrongly.
        EnvironmentFailed: While training, in every process, if an environment raised in one.
    """

    def __init__(
        self,
        *,
        asker: Asker,
        make_env: Callable[[], gym.Env[Any, Any]],
        args: GRPOConfig,
        train_dataset: Any,
        max_turns: int | None = None,
        max_rows: int | None = None,
        groups: GroupRewards | None = None,
        callbacks: Sequence[Any] = (),
        optimizers: tuple[Any, Any] = (None, None),
    ) -> None:
        local = asker.local
        check_trl()
        check_settings(args, asker.history, asker.tools, local.processor, max_rows)
        self.asker = asker
        self.max_turns = max_turns
        self.max_rows = max_rows
        self.groups = groups
        self.played = PlayedReward()
        super().__init__(
            model=local.model,
            reward_funcs=[self.played],
            args=args,
            train_dataset=train_dataset,
            processing_class=local.processor,
            callbacks=list(callbacks),
            optimizers=optimizers,
        )
        deepspeed = self.accelerator.state.deepspeed_plugin
        check_sharding(self.is_fsdp_enabled, 0 if deepspeed is None else deepspeed.zero_stage)
        self._make_env = make_env
        self._slots: Slots | None = None
        self._pixels = Pixels(local.processor)
        self._tasks: list[str] = []
        self._batch = (-1, 0)
        self._turns_asked = 0
        self._cut = 0
        self._lengths: list[int] = []

    @property
    def trajectories(self) -> Sequence[Trajectory]:
        """The episodes of this process that were played last."""
        return self.played.trajectories

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """As transformers' ``train``; the environments are closed when it ends."""
        try:
            return super().train(*args, **kwargs)
        finally:
            if self._slots is not None:
                self._slots.close()
                self._slots = None

    def draw(self, *names: int) -> np.random.SeedSequence:
        """Numbers for the present step and process: a function of the run's seed and these, so that a run goes on."""
        return np.random.SeedSequence([self.args.seed, *self._batch, self.accelerator.process_index, *names])

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        step, before = self._batch
        self._batch = (self.state.global_step, before + 1 if step == self.state.global_step else 0)
        self._tasks = [row["task"] for row in inputs]
        self.beta = 0.0  # TRL would ask the reference about the stand-ins
        try:
            scored = super()._generate_and_score_completions(inputs)
        finally:
            self.beta = self.args.beta
        batch = self._rows(scored["advantages"].cpu())
        if self.beta > 0:
            batch["ref_per_token_logps"] = reference_log_probabilities(self, batch)
        self._pixels.clear()
        return batch

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)
        forget_empty_pass(self, inputs)
        return loss

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        """Play; what is returned stands for the episodes where TRL computes rewards and advantages."""
        if not self.model.training:
            raise RuntimeError("Episodes of many turns are evaluated by designgym.eval, not by trainer.evaluate().")
        self.played.trajectories = self._compared(self._play())
        first = [trajectory.rows[0] for trajectory in self.trajectories]
        said = [[{"role": "assistant", "content": "\n".join(each.replies)}] for each in self.trajectories]
        ids = [row.completion_ids for row in first]
        return [row.prompt_ids for row in first], ids, None, said, None, {}, None, []

    def _play(self) -> list[Trajectory]:
        """The episodes of this process; raises in all processes if one of them cannot go on."""
        self._turns_asked, self._cut, self._lengths = 0, 0, []
        played: list[Trajectory] = []
        problem: Exception | None = None
        try:
            if self._slots is None:
                self._slots = Slots(self._make_env, len(self._tasks))
            played = play(
                self._slots.envs,
                self.asker.dialogue,
                self._tasks,
                self._write,
                max_turns=self.max_turns,
                pool=self._slots.pool,
                seed=_number(np.random.SeedSequence([self.args.seed, *self._batch])),
                fits=self._fits,
                keep=self.groups is not None,
            )
        except Exception as error:  # the other processes would wait for this one for ever
            problem = error
        said = "" if problem is None else f"{type(problem).__name__}: {problem}"
        told = [each for each in gather_object([said]) if each]
        if told:
            # Gloo's thread may still hold what was told; a process that ends meanwhile waits for it for ever.
            self.accelerator.wait_for_everyone()
        if problem is not None:
            raise problem
        if told:
            raise EnvironmentFailed(f"Another process cannot go on: {told[0]}")
        return played

    def _compared(self, played: list[Trajectory]) -> list[Trajectory]:
        """The episodes with what is added for how those of a group compare."""
        if self.groups is None:
            return played
        episodes = [each.episode for each in played if each.episode is not None]
        rewards, parts = self.groups.add([each.reward for each in played], episodes)
        return [
            dataclasses.replace(each, reward=reward, parts={**each.parts, **more}, episode=None)
            for each, reward, more in zip(played, rewards, parts, strict=True)
        ]

    def _fits(self, prompt: Prompt) -> bool:
        longest = self.model.config.get_text_config().max_position_embeddings
        return len(prompt.ids) + self.max_completion_length <= longest

    def _write(self, prompts: Sequence[Prompt]) -> list[list[int]]:
        """A turn for each prompt, sampled with the settings of the trainer."""
        ids = [list(prompt.ids) for prompt in prompts]
        fields: dict[str, Any] = {}
        pictures = [image for prompt in prompts for image in prompt.images]
        if pictures:
            is_image = [[int(token == self._image_pad_token_id) for token in each] for each in ids]
            fields = {**self._pixels.of(pictures), "mm_token_type_ids": is_image}
        device = self.accelerator.device
        seed = _number(self.draw(self._turns_asked))
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed(seed)
            written, _ = self._generate_single_turn(ids, None, fields, 1)
        self._turns_asked += 1
        self._lengths += [len(each) for each in written]
        ends = {*self.eos_token_ids, self._tokenizer.pad_token_id}
        self._cut += sum(not each or each[-1] not in ends for each in written)
        return written

    def _rows(self, advantages: torch.Tensor) -> dict[str, Any]:
        """The batch of this process: one row for each row of the dialogues that has something to teach."""
        device, parts = self.accelerator.device, self.args.steps_per_generation
        rewards = [np.nan if each.reward is None else each.reward for each in self.trajectories]
        gathered = self.accelerator.gather(torch.tensor(rewards, dtype=torch.float32, device=device))
        start = self.accelerator.process_index * len(rewards)
        teaches = teaching(gathered, self.num_generations)[start : start + len(rewards)].tolist()
        # With another loss than a mean over tokens, rows without anything to teach count, as they do in TRL.
        use = teaches if self.loss_type == "dapo" else [True] * len(rewards)
        limit = None if self.max_rows is None else self.max_rows * parts
        drawn = np.random.default_rng(self.draw(_ROWS))
        places = choose([len(each.rows) for each in self.trajectories], use, limit, drawn)
        places = places or [(0, 0)]  # every process has a part in the backward pass
        counts = self.accelerator.gather(torch.tensor([len(places)], device=device)).tolist()
        count = common_count(counts, parts)
        rows = padded([self.trajectories[episode].rows[row] for episode, row in places], count)
        owners = [episode for episode, _ in places] + [0] * (count - len(places))
        learn = [teaches[episode] and index < len(places) for index, episode in enumerate(owners)]
        pictures = [image for row in rows for image in row.images]
        images = self._pixels.of(pictures) if pictures else None
        batch = tensors(rows, self.processing_class, learn=learn, images=images)
        batch = self._prepare_input(batch)
        tokens = (batch["completion_mask"] * batch["tool_mask"]).sum()
        batch["advantages"] = advantages[owners].to(device)
        batch["num_items_in_batch"] = self.accelerator.gather(tokens).sum()
        self._count(sum(learn), count, int(tokens))
        return batch

    def _count(self, learnt: int, rows: int, tokens: int) -> None:
        """Put figures of the rollout into TRL's curves."""
        sums = local_sums(self.trajectories, self._lengths, self._cut, learnt, rows, tokens)
        device = self.accelerator.device
        own = torch.tensor([sums[name] for name in LOCAL], dtype=torch.float64, device=device)
        total = dict(zip(LOCAL, self.accelerator.gather(own[None]).sum(0).tolist(), strict=True))
        self.state.num_input_tokens_seen += int(total["tokens"])
        curves = self._metrics["train"]
        curves["num_tokens"] = [self.state.num_input_tokens_seen]
        for name, value in means(total).items():
            curves[name].append(value)


_ROWS = 2**31
"""Among the names of what is drawn, where turns are numbered from 0."""


def _number(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1)[0])
