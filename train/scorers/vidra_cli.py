"""`designgym fit vidra`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from designgym.atomic import write_atomically
from designgym.cli.console import stdout
from designgym.errors import UserError
from designgym.eval.ratings.corpus import PRIMARY, CorpusSet, read_corpus
from designgym.rewards.features.base import Features
from designgym.rewards.head_files import head_folder
from designgym.rewards.kernel_head import ALPHA
from designgym.train.scorers.described import Described
from designgym.train.scorers.fitting import Data
from designgym.train.scorers.prepare import described, finish, gammas, prepared
from designgym.train.scorers.report import vidra_tables
from designgym.train.scorers.vidra import FEWEST, PARTITIONS, FittedOn, fit_vidra
from designgym.train.tracking.progress import work

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
        gamma: Width of the kernel. None takes the paper's 1e-5 for DINOv2 and chooses for others.
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
    backbone, settings = prepared(features, device, folder, alpha, gamma, select_gamma)
    console = stdout()
    paths = {f"{name}/{d.name}": d.path for name, found in sets.items() for d in found.drawings}
    drawn = described(console, paths, backbone)
    data = {name: _data(found, drawn, backbone) for name, found in sets.items()}
    read = set(drawn.names)
    names = tuple(d.name for d in sets[PRIMARY].drawings if f"{PRIMARY}/{d.name}" in read)
    excluded = (*(e for found in sets.values() for e in found.excluded), *drawn.excluded)
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
        "gamma": gammas(settings, [trial.gamma for trial in fitted.trials]),
        "seed": seed,
    }
    finish(console, folder, "ViDrA, fitted on human drawings", vidra_tables(fitted), facts, excluded)
    return 0


def _data(found: CorpusSet, described: Described, backbone: Features) -> Data:
    ratings = {f"{found.name}/{drawing.name}": drawing.rating for drawing in found.drawings}
    chosen = described.chosen(ratings)
    y = np.array([ratings[described.names[i]] for i in chosen])
    return Data(described.x[chosen], y, described.ink[chosen], backbone.backend)
