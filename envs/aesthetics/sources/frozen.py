"""A frozen benchmark: a folder with designs, labels and questions that no longer depends on the code that made it.

AesEval-Bench has 1,500 designs x 12 indicators x 3 tasks (section 3.1). The folder holds

- ``designs.jsonl``: a design a line, as layers or as a picture, with its elements, flaws, measures and labels;
- ``questions.jsonl``: for each design and indicator the right answers of the three tasks and the regions offered;
- ``assets/``: the pictures of both, each named by the sha256 of its content;
- ``benchmark.json``: where it is from, counts, and the hash of the two files above, which name all the others.

It is written design by design. A process that is killed leaves a folder without ``benchmark.json``, which is refused by
readers; the same call goes on where it stopped and comes to the same bytes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import designgym
from designgym.atomic import write_atomically
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Sample, Source, png_bytes
from designgym.envs.aesthetics.sources.finite import FiniteSource
from designgym.envs.aesthetics.sources.frozen_counts import count_designs
from designgym.envs.aesthetics.sources.frozen_folder import (
    DESIGNS,
    FORMAT_VERSION,
    MANIFEST,
    QUESTIONS,
    UNFINISHED,
    content_hash,
    read_manifest,
    stored_designs,
)
from designgym.envs.aesthetics.sources.frozen_questions import TASKS, questions_of
from designgym.envs.aesthetics.sources.frozen_sample import (
    ASSETS,
    AssetFolder,
    asset_names,
    sample_from_json,
    sample_to_json,
)
from designgym.envs.aesthetics.sources.json_files import read_json
from designgym.errors import UserError
from designgym.jsonl import JsonlWriter, dump_line, read_jsonl
from designgym.lock import hold
from designgym.tasks import Split

BENCHMARK_DESIGNS = 1500
"""Designs of the benchmark (AesEval-Bench, count of pairs in section 3.1)."""


def write_benchmark(
    source: Source,
    out: str | Path,
    designs: int = BENCHMARK_DESIGNS,
    seed: int = 0,
    *,
    split: Split = "test",
    pages_px: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, Any]:
    """Freeze designs of a source into a folder, or go on with one that was begun.

    Designs are drawn without replacement. Each is judged on all twelve indicators; those on which fewer are judged are
    passed over.

    Args:
        source: Where the designs come from.
        out: The folder; new, empty, or begun by the same call.
        designs: How many.
        seed: Which of the source's designs.
        split: Of which split.
        pages_px: Also store every page as pixels, its longer side this long. Readers then show these pixels, whatever
            their renderer draws; None stores layers and pictures alone.
        progress: Called after each design with how many are done and how many are wanted.

    Returns:
        What ``benchmark.json`` holds; with ``counts`` of flaws and harmed designs for each indicator.

    Raises:
        UserError: If the folder holds something else, another process writes it, or the source has too few designs.
    """
    out = Path(out)
    if designs < 1:
        raise UserError(f"designs is {designs}; it must be at least 1.")
    plan = {"format": FORMAT_VERSION, "source": source.name, "split": split, "designs": designs, "seed": seed}
    plan |= {"pages_px": pages_px}
    with hold(out):
        if (out / MANIFEST).exists():
            done = read_json(out / MANIFEST)
            _require_same(plan, done.get("plan"), out)
            return dict(done)
        if (out / UNFINISHED).exists():
            _require_same(plan, read_json(out / UNFINISHED), out)
        elif any(entry.name != ".lock" for entry in out.iterdir()):
            raise UserError(f"'{out}' holds something else; choose an empty or new folder.")
        write_atomically(out / UNFINISHED, json.dumps(plan))
        _write_designs(source, out, designs, seed, split, pages_px, progress)
        return _finish(out, plan)


class FrozenSource(FiniteSource):
    """The designs of a frozen folder; each question is one of its designs and one of the twelve indicators.

    Args:
        path: The folder.

    Attributes:
        manifest: What ``benchmark.json`` holds.

    Raises:
        UserError: If the folder is unfinished, or its content is not what was frozen. Pictures are checked when they
            are read.
    """

    def __init__(self, path: str | Path) -> None:
        root = Path(path)
        self.manifest = read_manifest(root)
        assets = AssetFolder(root / ASSETS)
        stored = {file.name for file in assets.path.iterdir()} if assets.path.is_dir() else set()
        offsets: dict[str, int] = {}
        asked: list[tuple[str, str]] = []
        offset = 0
        with (root / DESIGNS).open("rb") as lines:
            for line in lines:
                data = json.loads(line)
                if missing := sorted(asset_names(data) - stored):
                    raise UserError(f"The picture '{assets.path / missing[0]}' is missing. Copy the folder anew.")
                offsets[data["id"]] = offset
                asked += [(data["id"], indicator) for indicator in data["judged"]]
                offset += len(line)

        def load(name: str) -> Sample:
            with (root / DESIGNS).open("rb") as lines:
                lines.seek(offsets[name])
                return sample_from_json(json.loads(lines.readline()), assets)

        split: Split = self.manifest["plan"]["split"]
        super().__init__(f"frozen:{self.manifest['hash'][:12]}", {split: asked}, load)


def _write_designs(
    source: Source,
    out: Path,
    designs: int,
    seed: int,
    split: Split,
    pages_px: int | None,
    progress: Callable[[int, int], object] | None,
) -> None:
    assets = AssetFolder(out / ASSETS)
    assets.path.mkdir(exist_ok=True)
    with JsonlWriter(out / DESIGNS) as lines:
        written = {}
        if (out / DESIGNS).exists():
            written = {line.value["id"]: line.value["number"] for line in read_jsonl(out / DESIGNS)}
        order = np.random.default_rng([seed, 1500]).permutation(source.size(split))
        places = {int(number): place for place, number in enumerate(order)}
        begin = max((places[number] + 1 for number in written.values()), default=0)
        for number in order[begin:]:
            if len(written) >= designs:
                break
            sample, _ = source.ask(split, int(number))
            if sample.id in written or set(sample.judged) != set(INDICATORS):
                continue
            if pages_px is not None:
                sample = dataclasses.replace(sample, preview=png_bytes(sample.page(pages_px)))
            lines.write(sample_to_json(sample, assets) | {"number": int(number)})
            written[sample.id] = int(number)
            if progress is not None:
                progress(len(written), designs)
    if len(written) < designs:
        raise UserError(
            f"{designs} designs are wanted, and {source.name!r} has {len(written)} in the split {split!r} that are "
            "judged on all twelve indicators; ask for fewer."
        )


def _finish(out: Path, plan: Mapping[str, Any]) -> dict[str, Any]:
    samples = (sample_from_json(data, None) for data in stored_designs(out))
    records = (dump_line(record) for sample in samples for record in questions_of(sample))
    part = out / f".{QUESTIONS}.part"  # the next process removes it if this one is killed
    with part.open("w", encoding="ascii") as stream:
        stream.writelines(f"{record}\n" for record in records)
    part.replace(out / QUESTIONS)
    manifest = {
        "format": FORMAT_VERSION,
        "hash": content_hash(out),
        "plan": dict(plan),
        "tasks": list(TASKS),
        "version": designgym.__version__,
        "counts": count_designs(stored_designs(out), (line.value for line in read_jsonl(out / QUESTIONS))),
    }
    write_atomically(out / MANIFEST, json.dumps(manifest, indent=2) + "\n")
    (out / UNFINISHED).unlink(missing_ok=True)
    return manifest


def _require_same(plan: Mapping[str, Any], found: Any, out: Path) -> None:
    if found != plan:
        told = found if isinstance(found, Mapping) else {}
        differ = next((name for name in plan if plan[name] != told.get(name)), "plan")
        raise UserError(
            f"'{out}' was begun with {differ} = {told.get(differ)!r}, and now it is {plan.get(differ)!r}; "
            "choose another folder, or the same settings."
        )
