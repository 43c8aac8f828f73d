"""A reward for questions with one right word: whether a design has a flaw, or which region is to blame.

The answer is the argument ``verdict`` or ``choice`` of the last ``answer`` call that was carried out. Known hacks: one
word always earns its share of the tasks, and *None if offered* earns all clean designs where None is offered on these
alone; the sampler and the options are made so that neither pays (see the environments).
"""

from __future__ import annotations

from dataclasses import dataclass

from designgym.episode import Episode
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.score import Backend

WORDS = ("verdict", "choice")
"""What of the truth, and of the answer's arguments, is compared; an environment asks for one of them."""


@dataclass(frozen=True)
class Accuracy(EpisodeReward):
    """1 for the right verdict or choice, else 0 (AesEval-Bench, section 3); 0 without a readable answer."""

    name = "accuracy"
    backend = Backend("exact", "1")

    def check(self, episode: Episode) -> None:
        """Refuse what asks for neither a verdict nor a choice."""
        _asked(episode)

    def value(self, episode: Episode) -> float:
        """See the class."""
        word = _asked(episode)
        for call in reversed(episode.done_calls):
            if call.name == "answer" and word in call.arguments:
                return float(call.arguments[word] == episode.truth[word])
        return 0.0


def _asked(episode: Episode) -> str:
    """Which word is asked for."""
    for word in WORDS:
        if isinstance(episode.truth.get(word), str):
            return word
    raise UnsuitableReward(
        f"{episode.env_id} asks for neither a verdict nor a choice, so it cannot be scored by 'accuracy'. "
        "Boxes are scored by 'hurdle', 'iou' or 'shaped'."
    )
