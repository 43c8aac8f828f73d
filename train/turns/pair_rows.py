"""Pairs of replies as tokens: the question is asked again in the environment, and both replies are written to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym

from designgym.agents.base import Reply
from designgym.agents.qwen.dialogue import Asker, TokenRow, reply_tokens
from designgym.errors import UserError
from designgym.trace import ImageDigest
from designgym.train.data import CACHE_BYTES
from designgym.train.turns.preferences import Pair
from designgym.train.written import written


@dataclass(frozen=True, eq=False)
class PairRow:
    """Two continuations of one prompt.

    Attributes:
        chosen: The preferred one.
        rejected: The other one, with the same prompt and images.
    """

    chosen: TokenRow
    rejected: TokenRow


class PairRows:
    """The training rows of pairs. The first ones made are kept.

    An episode is played again up to the turn where the two part, so that the images are those of the environment, and
    asked for as the local agent asks. Both replies end with the end of a turn, one that was cut off when it was
    recorded, too. Two calls that fall together on a tiny model's grid make a pair that teaches nothing.

    Args:
        env: An environment of the kind that the pairs were recorded in; used for nothing else meanwhile.
        asker: How the model is asked; its history is ``windowed``.
        pairs: What is learnt.
        number_step: Grid of the model's numbers.
        kept_bytes: Most bytes of images that are kept; beyond it episodes are played again.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        asker: Asker,
        pairs: Sequence[Pair],
        *,
        number_step: int = 1,
        kept_bytes: int = CACHE_BYTES,
    ) -> None:
        self.env = env
        self.asker = asker
        self.pairs = tuple(pairs)
        self.number_step = number_step
        self.kept_bytes = kept_bytes
        self._kept: dict[int, PairRow] = {}
        self._bytes = 0

    def row(self, index: int) -> PairRow:
        """The rows of a pair by its number.

        Raises:
            UserError: If the environment does not show what it showed when the episodes were recorded.
        """
        if index not in self._kept:
            row = self._play(self.pairs[index])
            size = sum(image.width * image.height * len(image.getbands()) for image in row.chosen.images)
            if self._bytes + size > self.kept_bytes:
                return row
            self._kept[index] = row
            self._bytes += size
        return self._kept[index]

    def _play(self, pair: Pair) -> PairRow:
        design: Any = self.env.unwrapped
        observation, info = self.env.reset(seed=pair.better.seed, options={"task": pair.better.task})
        dialogue = self.asker.dialogue(design.prompt_options, rows=False)
        action = None
        for turn in range(pair.turn + 1):
            if (ImageDigest.of(observation["image"]), observation["text"]) != pair.better.shown[turn]:
                raise UserError(
                    f"Task '{pair.better.task}' does not show before turn {turn + 1} what it showed when its episodes "
                    "were recorded, by another version or with other assets; record them again."
                )
            dialogue.saw(observation, info, action)
            if turn < pair.turn:
                text, action = pair.better.turns[turn]
                dialogue.said(text)
                observation, _, _, _, info = self.env.step(action)
        prompt = dialogue.prompt()
        form: dict[str, Any] = {"settings": self.asker.settings, "options": {**dialogue.options, **self.asker.settings}}

        def reply(text: str, call: Any) -> TokenRow:
            turned = Reply(text, (call,))
            own = written(turned, self.asker.tools, dialogue.frame, **form, number_step=self.number_step)
            ids = reply_tokens(self.asker.local.processor, own)
            return TokenRow(prompt.ids, ids, [1] * len(ids), prompt.images, pair.turn)

        return PairRow(reply(*pair.chosen), reply(*pair.rejected))

    def dataset(self) -> Any:
        """A ``datasets.Dataset`` whose rows are made when they are read: ``pair`` (`PairRow`) and its ``images``."""
        from datasets import Dataset

        return Dataset.from_dict({"index": list(range(len(self.pairs)))}).with_transform(_Rows(self))

    def __getstate__(self) -> dict[str, Any]:
        # For fingerprints of data sets and for processes that prepare batches: they need neither weights nor pictures.
        asker = replace(self.asker, local=replace(self.asker.local, model=None))
        return {**self.__dict__, "asker": asker, "_kept": {}, "_bytes": 0}


class _Rows:
    """The transform of a data set: numbers to pairs."""

    def __init__(self, rows: PairRows) -> None:
        self.rows = rows

    def __call__(self, batch: dict[str, list[int]]) -> dict[str, list[Any]]:
        made = [self.rows.row(index) for index in batch["index"]]
        # TRL takes the data for pairs with images by the column of this name.
        return {"pair": made, "images": [list(row.chosen.images) for row in made]}


class PairCollator:
    """Makes a batch of pairs in TRL's form.

    Args:
        processor: The model's.
    """

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def __call__(self, examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Pad the rows, nothing is cut.

        Args:
            examples: n of them, each with ``pair``, a `PairRow`.

        Returns:
            For 2n rows of at most T tokens, first all chosen and then all rejected ones, int64 (2n, T) ``input_ids``,
            ``attention_mask``, ``mm_token_type_ids`` (1 at image tokens) and ``completion_mask`` (1 at the tokens of
            the reply), and over all images in order ``pixel_values`` and ``image_grid_thw``.
        """
        import torch

        from designgym.train.turns.rows import tensors

        pairs = [example["pair"] for example in examples]
        batch = tensors([*(pair.chosen for pair in pairs), *(pair.rejected for pair in pairs)], self.processor)
        prompt, reply = batch.pop("prompt_mask"), batch.pop("completion_mask")
        batch.pop("num_images", None)
        return {
            "input_ids": torch.cat([batch.pop("prompt_ids"), batch.pop("completion_ids")], 1),
            "attention_mask": torch.cat([prompt, reply], 1),
            "completion_mask": torch.cat([torch.zeros_like(prompt), batch.pop("tool_mask")], 1),
            **batch,
        }
