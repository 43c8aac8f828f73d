"""`designgym ratings`, `fit` and `assets`: people's ratings of drawings, scorers fitted on them, and what they need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from designgym.cli.command import group, run
from designgym.cli.once import OnceCommand

ratings = group("Collect people's ratings of drawings and say how reliable they are.")
fit = group("Fit scorers of drawings on people's ratings.")
assets = group("Make what scorers need once, and see what is there.")

RatingsFile = Annotated[Path, typer.Argument(metavar="FILE", help="Ratings, CSV or JSON lines.")]
Drawings = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of drawings; its drawings.csv says whose.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all that is drawn.")]

FeaturesName = Annotated[
    str, typer.Option(metavar="NAME|DIR", help="dinov2, effnet-lite0+hog, hog, or the folder of a DINOv2.")
]
Device = Annotated[str, typer.Option(metavar="NAME", help="Where DINOv2 runs, such as cuda.")]
HeadFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of the head; by default where the reward looks for it.")
]
Alpha = Annotated[float, typer.Option(metavar="X", help="Strength of the penalty.")]
Gamma = Annotated[
    float | None, typer.Option(metavar="X", help="Width of the kernel; 1e-5 for dinov2, chosen for other features.")
]
SelectGamma = Annotated[bool, typer.Option("--select-gamma", help="Choose it on drawings that are held back.")]
Partitions = Annotated[int, typer.Option(metavar="N", min=1, help="Random 70/10/20 partitions to test on.")]


@fit.command("vidra", cls=OnceCommand)
def fit_vidra(
    corpus: Annotated[Path, typer.Option(metavar="DIR", help="The AuDrA corpus as it is published.")],
    features: FeaturesName = "dinov2",
    device: Device = "cpu",
    output: HeadFolder = None,
    alpha: Alpha = 0.1,
    gamma: Gamma = None,
    select_gamma: SelectGamma = False,
    partitions: Partitions = 10,
    fit_on: Annotated[
        str, typer.Option(metavar="WHAT", help="What the head sees: train (70 %, the rest stays unseen) or all.")
    ] = "train",
    seed: Seed = 0,
) -> None:
    """Fit ViDrA on human drawings, and report r and rho on held-out ones beside the ink baseline."""
    run(
        "designgym.train.scorers.vidra_cli:vidra",
        corpus=corpus,
        features=features,
        device=device,
        output=output,
        alpha=alpha,
        gamma=gamma,
        select_gamma=select_gamma,
        partitions=partitions,
        fit_on=fit_on,
        seed=seed,
    )


@fit.command("vidra-adapted", cls=OnceCommand)
def fit_vidra_adapted(
    ratings: Annotated[Path, typer.Option(metavar="FILE", help="Ratings, CSV or JSON lines.")],
    drawings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the drawings; by default that of the ratings.")
    ] = None,
    features: FeaturesName = "dinov2",
    device: Device = "cpu",
    base: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of another head on these features, to compare with.")
    ] = None,
    output: HeadFolder = None,
    question: Annotated[
        str, typer.Option(metavar="NAME", help="What is predicted: creativity or recognisability.")
    ] = "creativity",
    alpha: Alpha = 0.1,
    gamma: Gamma = None,
    select_gamma: SelectGamma = False,
    partitions: Partitions = 10,
    seed: Seed = 0,
) -> None:
    """Refit the head on rated drawings of agents; report held-out models and stimuli beside random partitions."""
    run(
        "designgym.train.scorers.adapted_cli:adapted",
        ratings=ratings,
        drawings=drawings,
        features=features,
        device=device,
        base=base,
        output=output,
        question=question,
        alpha=alpha,
        gamma=gamma,
        select_gamma=select_gamma,
        partitions=partitions,
        seed=seed,
    )


@ratings.command("reliability", cls=OnceCommand)
def ratings_reliability(
    file: RatingsFile,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save the average of every drawing as JSON.")
    ] = None,
) -> None:
    """Print ICC(1), ICC(A,1), ICC(C,k) and Krippendorff's ordinal alpha of each question, and what was left out."""
    run("designgym.eval.ratings.cli:print_reliability", file=file, output=output)


@ratings.command("allocate", cls=OnceCommand)
def ratings_allocate(
    file: RatingsFile,
    target: Annotated[float, typer.Option(metavar="X", help="Reliability that the average should have.")] = 0.75,
    cap: Annotated[int, typer.Option(metavar="N", min=1, help="Most ratings of a drawing.")] = 25,
    drawings: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Drawings of the study: prints how many ratings they need.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Print how many raters each drawing needs, from a pilot's ratings, by the rule of PainterBench's Appendix G.2."""
    run("designgym.eval.ratings.cli:print_allocation", file=file, target=target, cap=cap, drawings=drawings, seed=seed)


@ratings.command("export", cls=OnceCommand)
def ratings_export(
    drawings: Drawings,
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write; it must not hold anything yet.")],
    raters: Annotated[int, typer.Option(metavar="K", min=1, help="Raters of each drawing.")],
    batch: Annotated[int, typer.Option(metavar="N", min=2, help="Most drawings that a rater sees.")] = 30,
    seed: Seed = 0,
) -> None:
    """Write a page for each rater: a batch of drawings in an order of their own, instructions and two questions."""
    run("designgym.eval.ratings.cli:export", drawings=drawings, output=output, raters=raters, batch=batch, seed=seed)


@ratings.command("collect", cls=OnceCommand)
def ratings_collect(
    study: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that designgym ratings export wrote.")],
    output: Annotated[Path, typer.Option(metavar="FILE", help="Ratings to write, CSV.")] = Path("ratings.csv"),
) -> None:
    """Read the answers that raters sent back, and write them as ratings of the drawings under their own names."""
    run("designgym.eval.ratings.cli:gather", study=study, output=output)


AssetFolder = Annotated[Path | None, typer.Option("--folder", metavar="DIR", help="In place of the cache folder.")]


@assets.command("build", cls=OnceCommand)
def assets_build(folder: AssetFolder = None) -> None:
    """Convert EfficientNet-Lite0 to ONNX for the features effnet-lite0+hog, which then need no torch."""
    run("designgym.rewards.features.assets_cli:build", folder=folder)


@assets.command("list", cls=OnceCommand)
def assets_list(folder: AssetFolder = None) -> None:
    """Say which assets are there and whether they are what was built."""
    run("designgym.rewards.features.assets_cli:show", folder=folder)
