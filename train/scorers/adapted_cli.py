"""`designgym fit vidra-adapted`."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from designgym.cli.console import stdout
from designgym.errors import UserError
from designgym.eval.ratings.composite import composite
from designgym.eval.ratings.drawings import locate
from designgym.eval.ratings.rating import QUESTIONS
from designgym.eval.ratings.read import described as left_out
from designgym.eval.ratings.read import read_ratings
from designgym.rewards.head_files import head_folder, load_head
from designgym.rewards.kernel_head import ALPHA
from designgym.train.scorers.adapted import fit_adapted, fits
from designgym.train.scorers.fitting import Data, accuracy
from designgym.train.scorers.prepare import described, finish, gammas, prepared
from designgym.train.scorers.report import adapted_tables
from designgym.train.scorers.vidra import FEWEST, PARTITIONS
from designgym.train.tracking.progress import work


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
        gamma: Width of the kernel. None takes the paper's 1e-5 for DINOv2 and chooses for others.
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
    backbone, settings = prepared(features, device, folder, alpha, gamma, select_gamma)
    known = None if base is None else load_head(base)
    if known is not None:
        known.check_features(backbone.backend)
    console = stdout()
    found = described(console, usable, backbone)
    origin = {rating.image: (rating.model, rating.stimulus) for rating in given.ratings}
    y = np.array([rated.values[name] for name in found.names])
    models, stimuli = ([origin[name][i] for name in found.names] for i in (0, 1))
    data = Data(found.x, y, found.ink, backbone.backend)
    lines = sorted(f"{name}\t{value:.9f}" for name, value in zip(found.names, y, strict=True))
    ratings_hash = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    excluded = (*located.excluded, *rated.excluded, *found.excluded)
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
        "raters_per_drawing": float(np.mean([rated.raters[name] for name in found.names])),
        "alpha": alpha,
        "gamma": gammas(settings, [trial.gamma for trial in fitted.trials]),
        "seed": seed,
    }
    finish(
        console, folder, "ViDrA-adapted, refitted on rated drawings", adapted_tables(fitted, compared), facts, excluded
    )
    return 0
