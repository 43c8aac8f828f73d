"""Tokens of an answer after its reasoning path, in the tiny model's vocabulary with and without the words of paths.

    python benchmarks/reasoning_tokens.py

Pairs of seed 5, which the vocabulary was not learned from: 240 about simple pages, 96 about generated designs.
"""

from __future__ import annotations

from designgym.agents.qwen.tiny import TinyConfig, vocabulary_tokenizer
from designgym.train.aesthetics_data.designs import open_supply
from designgym.train.aesthetics_data.pairs import ask, completion, path_by_rule
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import TASKS, DataSettings
from designgym.train.aesthetics_data.supply import item_of
from designgym.train.aesthetics_data.vocabulary import BLOCK_INDICATORS

ENV = "designgym/AestheticLocalization-v0"
SEED = 5


def answers(settings: DataSettings) -> list[tuple[str, str]]:
    """Task and text of each answer."""
    schedule, supply = Schedule(settings), open_supply(settings, None)
    found = []
    for number in range(settings.n):
        question = ask(item_of(supply, schedule.cell(number), number), settings)
        found.append((question.item.task, completion(path_by_rule(question, settings, number), question.call())))
    return found


def main() -> None:
    """Print the table."""
    vocabularies = {
        "with the words of paths": vocabulary_tokenizer(TinyConfig(env=ENV, reasoning=True, vocab_size=1000)),
        "without": vocabulary_tokenizer(TinyConfig(env=ENV)),
    }
    samples = {
        "simple pages": DataSettings(n=240, indicators=BLOCK_INDICATORS, source="blocks", image_size=64, seed=SEED),
        "generated designs": DataSettings(n=96, source="layouts", image_size=64, seed=SEED),
    }
    print(f"| designs | vocabulary | {' | '.join(TASKS)} |")
    print("|---" * (len(TASKS) + 2) + "|")
    for designs, settings in samples.items():
        written = answers(settings)
        for name, tokenizer in vocabularies.items():
            counts = {task: [len(tokenizer(text)["input_ids"]) for t, text in written if t == task] for task in TASKS}
            cells = [f"{sum(found) / len(found):.0f} ({max(found)})" for found in counts.values()]
            print(f"| {designs} | {name}, {len(tokenizer):,} tokens | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
