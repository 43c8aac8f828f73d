"""Votes of annotators: majority, ties, agreement against published examples, and labels that they override."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from release_shape import design, entry

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.agreement import fleiss_kappa, krippendorff_alpha, percent_agreement
from designgym.envs.aesthetics.sources.release import ReleaseSource
from designgym.envs.aesthetics.sources.voted import VotedSource
from designgym.envs.aesthetics.sources.votes import read_votes
from designgym.errors import UserError

# Ten subjects rated by fourteen raters into five categories: the worked example of Fleiss' kappa in the encyclopedias
# (Wikipedia, "Fleiss' kappa"), with the result 0.210.
FLEISS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C: four observers, twelve units, missing
# ratings (.), nominal alpha .743. The second is that of Wikipedia's article: three coders, nominal alpha .691.
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
THREE_CODERS = (".....34121133.3", "1.213343.......", "..21344.21133.4")


def columns(rows: tuple[str, ...]) -> list[list[str]]:
    return [[value for value in column if value != "."] for column in zip(*rows, strict=True)]


def test_fleiss_kappa_is_that_of_the_published_example() -> None:
    ratings = [[category for category, count in enumerate(counts) for _ in range(count)] for counts in FLEISS]
    assert fleiss_kappa(ratings) == pytest.approx(0.210, abs=5e-4)
    assert percent_agreement(ratings) == pytest.approx(0.378, abs=5e-4)


def test_krippendorffs_alpha_is_that_of_the_published_examples() -> None:
    assert krippendorff_alpha(columns(FOUR_OBSERVERS)) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(columns(THREE_CODERS)) == pytest.approx(0.691, abs=5e-4)


def test_agreement_by_hand_and_where_it_is_not_defined() -> None:
    # Pairs that agree: 1 of 1; 1 of 3; 0 of 1. Mean 4/9.
    ratings = ["aa", "aab", "ab", "b"]
    assert percent_agreement(ratings) == pytest.approx(4 / 9)
    assert fleiss_kappa(ratings) is None  # different numbers of raters
    assert krippendorff_alpha(["aa", "bb"]) == 1.0
    assert fleiss_kappa(["aa", "bb"]) == 1.0
    for nothing in ([], ["a", "b"], ["aa", "aa"]):
        assert krippendorff_alpha(nothing) is None
        assert fleiss_kappa(nothing) is None
    assert percent_agreement([]) is None


CSV = """design,indicator,annotator,vote
a,layout-balance,ann,yes
a,layout-balance,bob,yes
a,layout-balance,cid,no
a,color-harmony,ann,yes
a,color-harmony,bob,no
b,layout-balance,ann,No
b,layout-balance,bob,0
b,layout-balance,cid,FALSE
"""


def test_the_majority_decides_and_ties_are_told(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(CSV)
    votes = read_votes(tmp_path / "votes.csv", strict=True)
    assert votes.labels() == {
        ("a", "layout-balance"): True,
        ("a", "color-harmony"): None,
        ("b", "layout-balance"): False,
    }
    assert votes.ties() == (("a", "color-harmony"),)
    report = votes.report()
    assert list(report) == ["all", "layout-balance", "color-harmony"]
    every = report["all"]
    assert (every.items, every.votes, every.annotators, every.ties) == (3, 8, 3, 1)
    assert every.percent == pytest.approx((1 / 3 + 0 + 1) / 3)
    assert every.kappa is None
    # Two designs, three raters: agreement 1/3 and 1; shares 2/6 and 4/6.
    assert report["layout-balance"].kappa == pytest.approx((2 / 3 - 5 / 9) / (1 - 5 / 9))


def test_votes_are_read_from_json_lines_too(tmp_path: Path) -> None:
    rows = [
        {"design": "a", "indicator": "Layout Balance", "annotator": 7, "vote": True},
        {"design": "a", "indicator": "layout-balance", "annotator": "bob", "vote": 0},
        {"design": "b", "indicator": "layout-balance", "annotator": "bob", "vote": "yes"},
    ]
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    votes = read_votes(tmp_path / "votes.jsonl", strict=True)
    assert votes.labels() == {("a", "layout-balance"): None, ("b", "layout-balance"): True}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a,layout-balance,ann,no", "votes a second time"),
        ("a,beauty,ann,yes", "'beauty' is no indicator"),
        ("a,layout-balance,dan,perhaps", "must be yes or no"),
        ("a,layout-balance,dan,", "must be yes or no"),
        (",layout-balance,dan,yes", "'design' is empty"),
        ("a,layout-balance,,yes", "'annotator' is empty"),
        ("a", "'annotator' is empty"),
    ],
)
def test_a_broken_vote_is_skipped_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: str, reason: str
) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(CSV + line + "\n")
    with caplog.at_level(logging.WARNING, "designgym.broken"):
        votes = read_votes(file)
    assert len(votes.votes) == 8
    assert len(votes.skipped) == 1
    assert reason in caplog.text
    assert "votes.csv:10" in caplog.text
    with pytest.raises(BrokenRecord, match=r"votes.csv:10"):
        read_votes(file, strict=True)


def test_files_without_votes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("design,annotator,vote\n")
    with pytest.raises(UserError, match="no column 'indicator'"):
        read_votes(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("design,indicator,annotator,vote\n")
    with pytest.raises(UserError, match="has no vote"):
        read_votes(tmp_path / "b.csv")
    with pytest.raises(UserError, match="cannot be read"):
        read_votes(tmp_path / "none.csv")


def vote_lines(design: str, indicator: str, ayes: int, noes: int) -> str:
    votes = ["yes"] * ayes + ["no"] * noes
    return "".join(f"{design},{indicator},n{number},{vote}\n" for number, vote in enumerate(votes))


def voted_source(tmp_path: Path, *lines: str) -> VotedSource:
    design(tmp_path / "release" / "a", {"layout-balance": [entry(1)], "color-contrast": [entry(2, "color")]})
    design(tmp_path / "release" / "b")
    (tmp_path / "votes.csv").write_text("design,indicator,annotator,vote\n" + "".join(lines))
    return VotedSource(ReleaseSource(tmp_path / "release"), read_votes(tmp_path / "votes.csv"))


def test_votes_override_the_labels_of_a_source(tmp_path: Path) -> None:
    source = voted_source(
        tmp_path,
        vote_lines("a", "layout-balance", 1, 2),
        vote_lines("a", "color-contrast", 3, 0),
        vote_lines("a", "layout-whitespace", 2, 1),
    )
    sample, _ = source.ask("test", 0)
    assert sample.harmed == {"color-contrast": ("2",), "layout-whitespace": ("1", "2")}
    assert source.size("test") == 24


def test_ties_and_flaws_without_an_element_are_dropped_and_counted(tmp_path: Path) -> None:
    source = voted_source(
        tmp_path,
        vote_lines("a", "layout-balance", 1, 1),
        vote_lines("b", "color-appeal", 2, 0),
        vote_lines("b", "color-harmony", 0, 2),
    )
    assert (source.ties, source.without_element, source.size("test")) == (1, 1, 22)
    asked = [source.ask("test", number) for number in range(22)]
    pairs = {(sample.id, indicator) for sample, indicator in asked}
    assert ("a", "layout-balance") not in pairs
    assert ("b", "color-appeal") not in pairs
    assert ("b", "color-harmony") in pairs
    assert all(indicator in sample.judged for sample, indicator in asked)


def test_votes_need_stored_designs(tmp_path: Path) -> None:
    class Generated:
        name = "layouts"

    (tmp_path / "votes.csv").write_text(CSV)
    source: Any = Generated()
    with pytest.raises(UserError, match="freeze a benchmark first"):
        VotedSource(source, read_votes(tmp_path / "votes.csv"))
