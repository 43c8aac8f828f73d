"""The pairs of a supervised stage that learns from a folder: some are made as the folder's were, and measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from designgym.train.aesthetics_data.designs import open_supply
from designgym.train.aesthetics_data.folder import read_manifest
from designgym.train.aesthetics_data.pairs import ask, completion, path_by_rule
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.supply import item_of
from designgym.train.config import TrainConfig
from designgym.train.memory.counting import Asked, Counter

PAIRS = 6
"""Pairs that are made: each task with a flawed and a good design."""


def sample_pairs(folder: Path, config: TrainConfig, counter: Counter) -> tuple[list[Asked], int, str]:
    """Prompts and the longest answer of some pairs, and a sentence about where they come from.

    Args:
        folder: Where the pairs are, or will be.
        config: The run.
        counter: Counts their tokens.
    """
    manifest = read_manifest(folder) if folder.is_dir() else None
    if manifest is None:
        frame = "resized_pixel" if counter.facts.family.frame == "resized_pixel" else "thousand"
        settings = DataSettings(n=PAIRS, frame=frame, wording=config.prompt.wording)  # type: ignore[arg-type]
        told = f"'{folder}' is not there: {PAIRS} pairs were measured as `designgym data aesthetics` writes them."
    else:
        settings = replace(DataSettings.from_json(manifest["settings"]), n=PAIRS, source="layouts")
        told = f"{PAIRS} pairs of generated designs were measured, made by the settings of '{folder}'."
    supply, schedule = open_supply(settings, None), Schedule(settings)
    prompts, longest = [], 0
    for number in range(PAIRS):
        question = ask(item_of(supply, schedule.cell(number), number), settings)
        path = path_by_rule(question, settings, number) if settings.reasoning else ""
        prompts.append(counter.prompt(question.messages(settings)))
        longest = max(longest, counter.text(completion(path, question.call())) + 1)
    return prompts, longest, told
