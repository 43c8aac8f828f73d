"""Names and paths to sources of designs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Source
from designgym.envs.aesthetics.sources import crello_files, drafts, frozen, frozen_folder, release
from designgym.errors import UserError
from designgym.nearest import did_you_mean

GENERATED = ("layouts", "layouts-ood")
VOTE_SUFFIXES = (".csv", ".jsonl")


def resolve_source(
    name_or_path: str | Path,
    *,
    indicators: Sequence[str] | None = None,
    clean_share: float | None = None,
    votes: str | Path | None = None,
    strict: bool = False,
) -> Source:
    """The source that a name or a path means.

    Args:
        name_or_path: ``"layouts"`` or ``"layouts-ood"``: designs out of the layout engine, perturbed. Or the path of a
            frozen benchmark, the released benchmark's folder, a folder of annotated drafts, or Crello's files, whose
            designs are perturbed too; which of them it is, is seen from the files. The path of a CSV or JSON-lines file
            in such a folder means the folder's designs with the votes of this file.
        indicators: What to ask about; all twelve if None. Of stored designs all judged indicators are asked about in
            turn, and others than these are left out.
        clean_share: Share of questions whose right answer is "no issue", for designs that are perturbed on demand; the
            source's own default if None.
        votes: A file of annotators' votes, whose labels win over those of a rule; for stored designs.
        strict: Stop at the first broken record instead of skipping it.

    Raises:
        UserError: For an unknown name, a path that holds none of these, or options that do not suit the source.
    """
    name = str(name_or_path)
    if votes is None and _is_votes(Path(name)):
        name_or_path, votes = Path(name).parent, name
    source: Source
    if name in GENERATED:
        source = _generated(name, indicators, clean_share)
    else:
        source = _stored(Path(name_or_path), indicators, clean_share, strict)
    if votes is not None:
        from designgym.envs.aesthetics.sources.voted import VotedSource
        from designgym.envs.aesthetics.sources.votes import read_votes

        source = VotedSource(source, read_votes(votes, strict=strict))
    return source


def kind_of_folder(path: str | Path) -> str:
    """``"frozen"``, ``"release"``, ``"drafts"`` or ``"crello"``, from the files that are there.

    Raises:
        UserError: If the path does not exist or holds none of these.
    """
    path = Path(path)
    if _is_votes(path) or path.name == drafts.FILE:
        path = path.parent
    if not path.exists():
        raise UserError(f"There are no designs called '{path}' and no such path.{did_you_mean(str(path), GENERATED)}")
    if path.is_dir():
        if (path / frozen_folder.MANIFEST).exists() or (path / frozen_folder.UNFINISHED).exists():
            return "frozen"
        if (path / drafts.FILE).exists():
            return "drafts"
        if next(path.rglob(release.LABELS), None) is not None:
            return "release"
    files = [path] if path.is_file() else path.rglob("*")
    if any(file.suffix in crello_files.SUFFIXES for file in files):
        return "crello"
    raise UserError(
        f"'{path}' holds no designs: no {frozen_folder.MANIFEST} (a frozen benchmark), {drafts.FILE} (annotated "
        f"drafts), folders with {release.LABELS} (the released benchmark), or Parquet or Arrow files (Crello)."
    )


def _is_votes(path: Path) -> bool:
    """Whether a path is that of a file of votes, which lies beside the designs."""
    own = (drafts.FILE, frozen_folder.DESIGNS, frozen_folder.QUESTIONS)
    return path.suffix.lower() in VOTE_SUFFIXES and path.name not in own and path.is_file()


def _generated(name: str, indicators: Sequence[str] | None, clean_share: float | None) -> Source:
    from designgym.envs.aesthetics.generated import CLEAN_SHARE, GeneratedSource

    share = CLEAN_SHARE if clean_share is None else clean_share
    try:
        return GeneratedSource(tuple(indicators or INDICATORS), share, ood=name == "layouts-ood")
    except ValueError as error:
        raise UserError(f"These designs cannot be made: {error}") from error


def _stored(path: Path, indicators: Sequence[str] | None, clean_share: float | None, strict: bool) -> Source:
    kind = kind_of_folder(path)
    if path.name == drafts.FILE:
        path = path.parent
    if kind == "crello":
        from designgym.envs.aesthetics.sources.crello_source import CrelloSource

        return CrelloSource(path, indicators or tuple(INDICATORS), clean_share, strict=strict)
    if clean_share is not None:
        raise UserError(f"clean_share is {clean_share}, but the designs of '{path}' are what they are; leave it out.")
    stored = {
        "frozen": lambda: frozen.FrozenSource(path),
        "drafts": lambda: drafts.DraftSource(path, strict=strict),
        "release": lambda: release.ReleaseSource(path, strict=strict),
    }[kind]()
    return stored if indicators is None else stored.only(indicators)
