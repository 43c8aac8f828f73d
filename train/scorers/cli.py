"""`designgym fit`: scorers fitted on ratings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from designgym.atomic import require_writable, write_atomically
from designgym.cli.console import stdout
from designgym.errors import UserError, require
from designgym.eval.ratings.composite import composite
from designgym.eval.ratings.corpus import PRIMARY, CorpusSet, read_corpus
from designgym.eval.ratings.drawings import locate
from designgym.eval.ratings.rating import QUESTIONS, Exclusion
from designgym.eval.ratings.read import described as left_out
from designgym.eval.ratings.read import read_ratings
from designgym.eval.ratings.reliability import exclusion_table
from designgym.eval.report.data import Table
from designgym.eval.report.terminal import terminal
from designgym.pool.cache import cache_folder
from designgym.rewards.features.base import Features
from designgym.rewards.features.cached import Cached
from designgym.rewards.features.table import FeaturesSpec, resolve_features
from designgym.rewards.head_files import head_folder, load_head
from designgym.rewards.kernel_head import ALPHA, GAMMA
from designgym.train.progress import work
from designgym.train.scorers.adapted import fit_adapted, fits
from designgym.train.scorers.described import Described, describe
from designgym.train.scorers.fitting import Data, Settings, accuracy
from designgym.train.scorers.report import JSON, MARKDOWN, adapted_tables, vidra_tables, write_report
from designgym.train.scorers.vidra import FEWEST, PARTITIONS, FittedOn, fit_vidra

PARTS = "partition.json"
"""Names of the drawings that a ViDrA head was fitted on, and of those that it was not."""


def vidra(
    corpus: Path,
    features: str = "dinov2",
    device: str = "cpu",
    output: Path | None = None,
    alpha: float = ALPHA,
    gamma: float | None = None,
    select_gamma: bool = False,
    partitions: int = PARTITIONS,
    fit_on: FittedOn = "train",
    seed: int = 0,
) -> int:
    """Fit ViDrA on a corpus in AuDrA's layout, test it, and write the head with its report.

    Args:
        corpus: Folder of the corpus.
        features: Name of a backbone, or the folder of a DINOv2.
        device: Where a DINOv2 runs.
        output: Folder of the head; by default where the reward ``vidra`` looks for it.
        alpha: Strength of the penalty.
        gamma: Width of the kernel; see :func:`_settings`.
        select_gamma: Choose it on validation drawings.
        partitions: Random 70/10/20 partitions.
        fit_on: What the saved head is fitted on: the training drawings of the first partition, or all.
        seed: Of the partitions.

    Returns:
        0.

    Raises:
        UserError: For whatever is wrong before any work.
    """
    if fit_on not in ("train", "all"):
        raise UserError(f"--fit-on is '{fit_on}'; it is train or all.")
    sets = read_corpus(corpus)
    if len(sets[PRIMARY].drawings) < FEWEST:
        raise UserError(f"'{corpus}' has {len(sets[PRIMARY].drawings)} primary drawings; {FEWEST} are the least.")
    folder = output or head_folder("vidra")
    backbone, settings = _prepared(features, device, folder, alpha, gamma, select_gamma)
    console = stdout()
    paths = {f"{name}/{d.name}": d.path for name, found in sets.items() for d in found.drawings}
    described = _describe(console, paths, backbone)
    data = {name: _data(found, described, backbone) for name, found in sets.items()}
    read = set(described.names)
    names = tuple(d.name for d in sets[PRIMARY].drawings if f"{PRIMARY}/{d.name}" in read)
    excluded = (*(e for found in sets.values() for e in found.excluded), *described.excluded)
    with work(console, "heads", partitions) as bar:
        fitted = fit_vidra(
            data,
            names,
            settings,
            seed=seed,
            partitions=partitions,
            fitted_on=fit_on,
            corpus_hash=sets[PRIMARY].hash,
            done=bar.step,
        )
    fitted.head.save(folder)
    write_atomically(folder / PARTS, json.dumps({"set": PRIMARY, "fitted_on": fit_on, **fitted.parts}, indent=1) + "\n")
    facts = {
        "features": backbone.backend.id,
        "head": fitted.head.hash[:12],
        "fitted_on": f"{len(fitted.head.support):,} of {len(data[PRIMARY].y):,} primary drawings ({fit_on})",
        "corpus": sets[PRIMARY].hash[:12],
        "drawings": {name: len(found.y) for name, found in data.items()},
        "alpha": alpha,
        "gamma": _gammas(settings, [trial.gamma for trial in fitted.trials]),
        "seed": seed,
    }
    _finish(console, folder, "ViDrA, fitted on human drawings", vidra_tables(fitted), facts, excluded)
    return 0


def adapted(
    ratings: Path,
    drawings: Path | None = None,
    features: str = "dinov2",
    device: str = "cpu",
    base: Path | None = None,
    output: Path | None = None,
    question: str = "creativity",
    alpha: float = ALPHA,
    gamma: float | None = None,
    select_gamma: bool = False,
    partitions: int = PARTITIONS,
    seed: int = 0,
) -> int:
    """Refit the head on rated drawings, cross-validate it, and write it with its report.

    Args:
        ratings: File of ratings.
        drawings: Folder of the drawings; by default that of the ratings.
        features: Name of a backbone, or the folder of a DINOv2.
        device: Where a DINOv2 runs.
        base: Folder of another head on these features, such as ViDrA's, whose accuracy stands beside.
        output: Folder of the head; by default where the reward ``vidra-adapted`` looks for it.
        question: What is predicted.
        alpha: Strength of the penalty.
        gamma: Width of the kernel; see :func:`_settings`.
        select_gamma: Choose it on drawings that are held back.
        partitions: Random 70/10/20 partitions.
        seed: Of the partitions.

    Returns:
        0.

    Raises:
        UserError: For whatever is wrong before any work.
    """
    if question not in QUESTIONS:
        raise UserError(f"--question is '{question}'; it is {' or '.join(QUESTIONS)}.")
    given = read_ratings(ratings)
    paths, located = locate(given, drawings or ratings.parent)
    rated = composite(given.ratings, question)
    usable = {name: path for name, path in paths.items() if name in rated.values}
    if not usable:
        lost = left_out(replace(given, excluded=rated.excluded))
        raise UserError(f"'{ratings}' has no rating of {question} that can be used. {lost}".rstrip())
    if len(usable) < FEWEST:
        raise UserError(f"There are {len(usable)} rated drawings that can be used; {FEWEST} are the least.")
    folder = output or head_folder("vidra-adapted")
    backbone, settings = _prepared(features, device, folder, alpha, gamma, select_gamma)
    known = None if base is None else load_head(base)
    if known is not None:
        known.check_features(backbone.backend)
    console = stdout()
    described = _describe(console, usable, backbone)
    origin = {rating.image: (rating.model, rating.stimulus) for rating in given.ratings}
    y = np.array([rated.values[name] for name in described.names])
    models, stimuli = ([origin[name][i] for name in described.names] for i in (0, 1))
    data = Data(described.x, y, described.ink, backbone.backend)
    lines = sorted(f"{name}\t{value:.9f}" for name, value in zip(described.names, y, strict=True))
    ratings_hash = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    excluded = (*located.excluded, *rated.excluded, *described.excluded)
    with work(console, "heads", fits(models, stimuli, partitions)) as bar:
        fitted = fit_adapted(
            data, models, stimuli, settings, seed=seed, partitions=partitions, ratings_hash=ratings_hash, done=bar.step
        )
    compared = None if known is None else (known.name, accuracy(known.predict(data.x), data.y))
    fitted.head.save(folder)
    facts = {
        "features": backbone.backend.id,
        "head": fitted.head.hash[:12],
        "fitted_on": f"all {len(y):,} rated drawings, by {len(set(models))} models from {len(set(stimuli))} stimuli",
        "question": question,
        "ratings": ratings_hash[:12],
        "raters_per_drawing": float(np.mean([rated.raters[name] for name in described.names])),
        "alpha": alpha,
        "gamma": _gammas(settings, [trial.gamma for trial in fitted.trials]),
        "seed": seed,
    }
    _finish(
        console, folder, "ViDrA-adapted, refitted on rated drawings", adapted_tables(fitted, compared), facts, excluded
    )
    return 0


def _prepared(
    features: str, device: str, folder: Path, alpha: float, gamma: float | None, select: bool
) -> tuple[Features, Settings]:
    """Backbone and settings, once all is known to be there that the work will need."""
    for name, value in (("--alpha", alpha), ("--gamma", gamma)):
        if value is not None and not (value > 0 and np.isfinite(value)):
            raise UserError(f"{name} is {value}; it must be a number above 0.")
    if gamma is not None and select:
        raise UserError("--gamma says nothing beside --select-gamma; leave one of them out.")
    for module in ("sklearn.kernel_ridge", "safetensors", "scipy.stats"):
        require(module, extra="scorers")
    require_writable(folder)
    backbone = resolve_features(_spec(features, device))
    # The paper's width was found for the lengths of DINOv2's features and says nothing about those of others.
    known = GAMMA if gamma is None and not select and backbone.name == "dinov2" else gamma
    return Cached(backbone, folder=cache_folder() / "features"), Settings(alpha, known)


def _spec(features: str, device: str) -> FeaturesSpec:
    if Path(features).is_dir():
        return {"name": "dinov2", "model": features, "device": device}
    if features == "dinov2":
        return {"name": features, "device": device}
    if device != "cpu":
        raise UserError(f"--device {device} says nothing beside --features {features}, which runs on the CPU.")
    return features


def _describe(console: Console, paths: Mapping[str, Path], backbone: Features) -> Described:
    with work(console, "drawings", len(paths)) as bar:
        return describe(paths, backbone, bar.step)


def _data(found: CorpusSet, described: Described, backbone: Features) -> Data:
    ratings = {f"{found.name}/{drawing.name}": drawing.rating for drawing in found.drawings}
    chosen = described.chosen(ratings)
    y = np.array([ratings[described.names[i]] for i in chosen])
    return Data(described.x[chosen], y, described.ink[chosen], backbone.backend)


def _gammas(settings: Settings, used: list[float]) -> str:
    if settings.gamma is not None:
        return f"{settings.gamma:.3g}"
    return f"chosen on held-back drawings: {used[0]:.3g} for the head, {min(used):.3g} to {max(used):.3g} in partitions"


def _finish(
    console: Console,
    folder: Path,
    title: str,
    tables: list[Table],
    facts: Mapping[str, Any],
    excluded: tuple[Exclusion, ...],
) -> None:
    write_report(folder, title, tables, facts, excluded)
    for table in tables:
        if not table.folded:
            console.print(terminal(table))
    if (lost := exclusion_table(excluded)) is not None:
        console.print(terminal(lost))
    console.print(f"Head, {JSON} and {MARKDOWN} in {folder}")
