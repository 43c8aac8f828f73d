"""Studies of drawings: collecting them from traces, laying ratings over them, people, and the report."""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from canvas_turns import CANVAS, LINE, TEST, Turns, call, command
from PIL import Image, ImageDraw

from designgym.agents.table import build
from designgym.errors import UserError
from designgym.eval.creativity import cli
from designgym.eval.creativity.drawn import Collected, Drawn, collect
from designgym.eval.creativity.findings import report, summary, tables, write_report
from designgym.eval.creativity.outcome import Outcome, matched, rated
from designgym.eval.creativity.people import People, read_people
from designgym.eval.creativity.study import Study
from designgym.eval.creativity.table_agents import agents_table, effect_of
from designgym.eval.creativity.table_ideas import ideas_table
from designgym.eval.creativity.table_main import main_table
from designgym.eval.creativity.table_process import failures_table, markers_table
from designgym.eval.creativity.table_scorers import ALONE, MORE, NOTHING, exposed, scorers_table, verdict
from designgym.eval.markers import FIELDS, Markers
from designgym.eval.ratings.rating import Rating, Ratings
from designgym.eval.report.data import Row, Table
from designgym.eval.runner import make, run
from designgym.eval.statistics import Interval
from designgym.eval.trials import Trial
from designgym.rewards.features.table import resolve_features
from designgym.rewards.kernel_head import KernelHead
from designgym.rewards.table import resolve

pytest.importorskip("scipy")
pytest.importorskip("statsmodels")
pytest.importorskip("jinja2")

SHAPES = ("is01", "is02", "is03", "ot01", "ot02", "ot03")
CIRCLES = call("draw_circles", circles=[{"x": 300, "y": 300, "radius": 60}], erase=False)


def finish(title: str) -> dict[str, Any]:
    return call("drawing_finished", label=title)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two agents on six shapes, one of them twice, and one that sees nothing."""
    folder: Path = tmp_path_factory.mktemp("runs")
    run(Turns([LINE], [finish("Lines")]), CANVAS, TEST, SHAPES, out=folder / "liner", name="liner")
    for number in (1, 2):
        turns = Turns([CIRCLES, LINE], [finish(f"Circle {'a' * number}")])
        run(turns, CANVAS, TEST, SHAPES, seed=number, out=folder / f"circler-{number}", name="circler")
    env = make(CANVAS, TEST)
    run(build("blank", env), CANVAS, TEST, SHAPES[:2], out=folder / "blank", name="blank")
    env.close()
    return folder


@pytest.fixture(scope="module")
def traces(runs: Path) -> list[Path]:
    return sorted(runs.rglob("traces.jsonl"))


@pytest.fixture(scope="module")
def collected(traces: list[Path]) -> Collected:
    return collect(traces, [resolve("figural"), resolve("ink")], resolve_features("hog"))


# ------------------------------------------------------------ collecting


def test_drawings_are_what_the_trials_left_with_replicates_numbered(collected: Collected) -> None:
    names = [each.name for each in collected.drawn]
    assert names[:3] == ["circler/is01-1", "circler/is02-1", "circler/is03-1"] and len(names) == 18
    assert {each.agent for each in collected.drawn} == {"circler", "liner"}
    assert "circler/is01-2" in names and "liner/ot03-1" in names
    assert collected.left_out == {"drawings of blank, which sees nothing": 2}
    line = next(each for each in collected.drawn if each.name == "liner/is01-1")
    env = make(CANVAS, TEST)
    env.reset(options={"task": "is01"})
    observation = env.step(LINE)[0]
    env.close()
    assert (line.image == observation["image"][:, :, 0]).all()
    assert (line.kind, line.trial.title, line.ink) == ("is", "Lines", int((observation["image"] < 128).sum()))
    assert 300 < line.added < line.ink
    assert line.scores["ink"] == pytest.approx(line.ink / 160_000)
    assert collected.vectors is not None and collected.vectors.shape == (18, 900)


def test_replicates_of_one_run_are_told_apart(tmp_path: Path) -> None:
    env = make(CANVAS, TEST)
    run(build("random", env), CANVAS, TEST, ["is01", "ot01"], out=tmp_path, name="random", replicates=2)
    env.close()
    found = collect([tmp_path / "traces.jsonl"])
    assert sorted(e.name for e in found.drawn) == ["random/is01-1", "random/is01-2", "random/ot01-1", "random/ot01-2"]


def test_agents_are_chosen_by_name_and_constants_too(traces: list[Path]) -> None:
    assert {each.agent for each in collect(traces, agents=["blank", "liner"]).drawn} == {"blank", "liner"}
    with pytest.raises(UserError, match=r"no drawing of 'nobody'; they are of blank, circler, liner"):
        collect(traces, agents=["nobody"])


def test_a_trial_that_was_cut_off_is_left_out_and_counted(runs: Path, tmp_path: Path) -> None:
    lines = (runs / "liner" / "traces.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["terminated"]
    (tmp_path / "traces.jsonl").write_text("\n".join(lines[:-1]) + "\n")
    found = collect([tmp_path / "traces.jsonl"])
    assert len(found.drawn) == 5 and found.left_out == {"trials that were cut off": 1}
    (tmp_path / "results.jsonl").write_text((runs / "liner" / "results.jsonl").read_text())
    assert len(collect([tmp_path / "traces.jsonl"]).drawn) == 6  # ended by the runner's own limit


def test_traces_without_a_drawing_to_study_are_refused(runs: Path) -> None:
    with pytest.raises(UserError, match=r"no drawings to study \(left out: 2 drawings of blank"):
        collect([runs / "blank" / "traces.jsonl"])


# ------------------------------------------------------------ ratings


def test_values_are_matched_by_name_and_what_fits_nowhere_is_counted(collected: Collected) -> None:
    values = {"circler/is01-1.png": 0.5, "liner/is02": 0.25, "liner/is03-1": math.nan, "other/is01-1.png": 1.0}
    found, notes = matched(values, collected.drawn)
    by_name = {each.name: value for each, value in zip(collected.drawn, found, strict=True)}
    assert by_name["circler/is01-1"] == 0.5 and by_name["liner/is02-1"] == 0.25 and by_name["liner/is03-1"] is None
    assert sum(value is not None for value in found) == 2
    assert notes == [
        "1 rated drawing is in none of these runs, first: other/is01-1.png.",
        "1 value is NaN and counts as missing, first: liner/is03-1.",
        "15 drawings have no value, first: circler/is02-1.",
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"circler/is01-1": 1.0, "circler/is01-1.png": 0.5}, r"values of one drawing, circler/is01-1; keep one"),
        ({"elsewhere.png": 1.0}, r"None of the 1 rated drawings.*'elsewhere\.png'.*'circler/is01-1' here"),
        ({"circler/is01": 1.0}, "None of the 1 rated drawings"),  # of which of its replicates?
        ({"circler/is01-1": math.inf}, "finite numbers"),
        ({}, "None of the 0 rated drawings"),
    ],
)
def test_bad_values_are_refused_in_a_sentence(collected: Collected, values: dict[str, float], words: str) -> None:
    with pytest.raises(UserError, match=words):
        matched(values, collected.drawn)


def answers(collected: Collected, worth: Any, raters: int = 6, humans: int = 0) -> Ratings:
    """Ratings by people who like what ``worth`` of a drawing says, 1 to 5."""
    rng = np.random.default_rng(0)
    made = []
    for rater in range(raters):
        for each in collected.drawn:
            said = float(np.clip(round(worth(each) + rng.normal(0, 0.5)), 1, 5))
            made.append(Rating(f"{each.name}.png", f"r{rater}", each.agent, each.stimulus, said, said % 4 + 1))
        made += [Rating(f"h{i}.png", f"r{rater}", "Human", "", float(1 + i % 4), None) for i in range(humans)]
    return Ratings(tuple(made))


def test_ratings_become_composites_with_human_drawings_as_reference(collected: Collected) -> None:
    given = answers(collected, lambda each: 2 + 2 * (each.agent == "circler"), humans=8)
    outcome = rated(given, "creativity", collected.drawn)
    assert outcome is not None and len(outcome.values) == 18 and len(outcome.people) == 8
    values = np.array([v for v in (*outcome.values, *outcome.people) if v is not None])
    assert (values.min(), values.max()) == (0.0, 1.0)  # scaled together
    means = {
        who: np.mean([v for v, e in zip(outcome.raw, collected.drawn, strict=True) if e.agent == who])
        for who in ("circler", "liner")
    }
    assert means["circler"] == pytest.approx(4, abs=0.3) and means["liner"] == pytest.approx(2, abs=0.3)
    assert set(outcome.people_raw) == {1.0, 2.0, 3.0, 4.0}


def test_raters_who_say_nothing_are_counted_and_a_question_nobody_answered_is_none(collected: Collected) -> None:
    given = answers(collected, lambda each: 3)
    constant = tuple(Rating(f"{e.name}.png", "bored", e.agent, e.stimulus, 3.0) for e in collected.drawn)
    outcome = rated(Ratings((*given.ratings, *constant)), "creativity", collected.drawn)
    assert outcome is not None
    assert any("rater who gave every drawing the same answer (1 left out, first: bored)" in n for n in outcome.notes)
    assert rated(Ratings(constant), "recognisability", collected.drawn) is None
    nothing = rated(Ratings(constant), "creativity", collected.drawn)
    assert nothing is not None and set(nothing.values) == {None} and "the same answer (1 left out" in nothing.notes[0]


# ------------------------------------------------------------ scorers


def planted(n: int, seed: int) -> tuple[Any, Any, Any]:
    """Ink, a quality that has nothing to do with it, and noise."""
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(8.5, 0.5, n)), rng.normal(size=n), rng.normal(size=n)


def test_the_verdict_exposes_scorers_that_see_ink_alone() -> None:
    inks, quality, noise = planted(800, 0)
    rating = np.log(inks) + 0.8 * quality + 0.3 * noise
    assert verdict(inks**2, rating, inks) == ALONE
    assert verdict(np.sqrt(inks) + 8 * np.random.default_rng(9).normal(size=800), rating, inks) == NOTHING
    assert verdict(np.log(inks) + quality, rating, inks) == MORE
    assert verdict(-quality, rating, inks) == NOTHING
    assert verdict([None] * 800, rating, inks) == "–"


def study_of(n: int, score: Any, outcome: Any, inks: Any, agents: int = 4) -> Study:
    """Drawings without pixels, five replicates a shape."""
    ones: dict[str, Any] = dict.fromkeys(FIELDS, 1)
    drawn = [
        Drawn(
            f"a{i % agents}/s{i // agents // 5}-{i // agents % 5 + 1}", f"a{i % agents}", f"s{i // agents // 5}", "is",
            Trial(str(i), "s", Markers(**ones), "finished", added_ink=900), int(inks[i]), int(inks[i]) // 2,
            {"guess": float(score[i]), "ink": float(inks[i]) / 160_000}, np.zeros(8, np.uint8), (8, 8),
        )
        for i in range(n)
    ]  # fmt: skip
    rated_ones = (Outcome("creativity", "Rated creativity", tuple(outcome)),)
    return Study(Collected(drawn), ("guess", "ink"), rated_ones)


def row(table: Table, name: str) -> Row:
    return next(row for row in table.rows if row.name == name)


def test_the_report_exposes_a_scorer_of_ink_on_ratings_that_are_ink() -> None:
    inks, _, noise = planted(1200, 1)
    other = np.random.default_rng(5).normal(size=1200)
    study = study_of(1200, np.log(inks) + 0.4 * other, np.log(inks) + 0.4 * noise, inks)
    cells = row(scorers_table(study), "guess").cells
    r, given = cells["r"], cells["partial"]
    assert isinstance(r, Interval) and r.mean is not None and r.mean > 0.5
    assert isinstance(given, Interval) and given.mean is not None and abs(given.mean) < 0.05
    assert cells["verdict"] == NOTHING and exposed(study) == ["guess"]
    assert "The scorer guess says nothing sure about the ratings" in summary(study)


def test_the_scorers_table_has_the_papers_rows_and_says_when_agreement_is_undefined() -> None:
    inks, quality, noise = planted(200, 2)
    study = study_of(200, quality, quality + 0.5 * noise, inks, agents=1)
    table = scorers_table(study)
    assert row(table, "guess").cells["agreement"] == "one agent only"
    assert row(table, "guess").cells["ink_human"] == "no corpus" and row(table, "guess").cells["verdict"] == MORE
    assert row(table, "AuDrA").cells == {"r": 0.63, "rho": 0.61, "ink_human": 0.68, "ink_agents": 0.86}
    assert effect_of(study).note == "one agent only"
    assert "No mixed-effects regression: one agent only." in agents_table(study, study.outcome).caption


def test_agents_are_compared_with_the_best_or_a_named_one() -> None:
    inks, quality, _ = planted(400, 3)
    lift = np.array([0.2 * (i % 4 == 2) for i in range(400)])
    study = study_of(400, quality, 0.3 + lift + 0.05 * quality, inks)
    table = agents_table(study, study.outcome)
    assert table.rows[0].name == "a2" and table.rows[0].emphasis and "difference" not in table.rows[0].cells
    difference = table.rows[1].cells["difference"]
    assert isinstance(difference, Interval) and difference.mean == pytest.approx(-0.2, abs=0.03)
    assert table.rows[1].cells["p"] == "< .001" and "Wald χ²(3) = " in table.caption
    named = agents_table(Study(study.collected, study.scorers, study.ratings, baseline="a0"), study.outcome)
    assert row(named, "a0").emphasis and isinstance(row(named, "a2").cells["difference"], Interval)


# ------------------------------------------------------------ people


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of scribbles in the published layout: 60 primary drawings, 12 of the far generalisation."""
    root: Path = tmp_path_factory.mktemp("corpus")
    rng = np.random.default_rng(0)
    for images, table, count in (
        ("primary_images", "primary_jrt.csv", 60),
        ("far_generalization_images", "fg_jrt.csv", 12),
    ):
        (root / images).mkdir()
        rows = []
        for i in range(count):
            page = Image.new("RGB", (400, 400), "white")
            points = [(int(x), int(y)) for x, y in rng.integers(20, 380, (6, 2))]
            ImageDraw.Draw(page).line(points, fill="black", width=5)
            page.save(root / images / f"1_{i}.jpg")
            rows.append(f"1_{i},{rng.uniform(-2, 2):.3f}")
        (root / table).write_text("\n".join(rows) + "\n")
    return root


def test_people_are_the_held_out_drawings_and_those_of_the_far_generalisation(corpus: Path) -> None:
    people = read_people(corpus, [resolve("ink"), resolve("figural")], resolve_features("hog"))
    assert len(people.ink) == 12 + 12  # a fifth of 60, and all 12
    assert list(people.scores) == ["ink"] and len(people.scores["ink"]) == 24
    assert people.scores["ink"][0] == pytest.approx(people.ink[0] / 160_000)
    assert people.corpus is not None and people.corpus.shape == (60, 900)
    assert "12 held-out primary drawings and 12 of the far generalisation" in people.notes[0]
    own = people.distances(people.corpus)
    assert own is not None and np.median(own) < 0  # each is its own nearest neighbour here
    rho = people.ink_correlation("ink")
    assert rho is not None and rho.mean == pytest.approx(1.0) and people.ink_correlation("figural") is None


def test_the_reference_is_of_drawings_that_a_fitted_head_has_not_seen(corpus: Path) -> None:
    people = read_people(corpus, held_out=["1_3", "1_5", "1_59", "elsewhere"])
    assert len(people.ink) == 3 + 12 and "that the head was not fitted on" in people.notes[0]
    with pytest.raises(UserError, match="it was fitted on another"):
        read_people(corpus, held_out=["elsewhere"])


def test_what_the_head_has_not_seen_is_noted_beside_it(tmp_path: Path) -> None:
    spec = f"{{name: vidra, head: {tmp_path}}}"
    assert cli._held_out(["ink", spec]) == []
    parts: dict[str, Any] = {"train": ["1_1"], "validation": ["1_2"], "test": ["1_3", "1_5"], "fitted_on": "train"}
    (tmp_path / "partition.json").write_text(json.dumps(parts))
    assert cli._held_out(["ink", spec]) == ["1_3", "1_5"]
    (tmp_path / "partition.json").write_text(json.dumps({**parts, "fitted_on": "all"}))
    assert cli._held_out([spec]) == []
    (tmp_path / "partition.json").write_text("{}")
    with pytest.raises(UserError, match="cannot be read as the partition"):
        cli._held_out([spec])


def test_a_file_that_cannot_be_read_is_left_out_and_named(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus, tmp_path / "broken")
    (tmp_path / "broken" / "primary_images" / "1_7.jpg").write_bytes(b"no picture")
    people = read_people(tmp_path / "broken", [], resolve_features("hog"))
    assert people.corpus is not None and len(people.corpus) == 59
    assert people.notes[-1].startswith("1 files of the corpus cannot be read") and "1_7.jpg" in people.notes[-1]


def test_a_blank_page_of_the_corpus_is_counted(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus, tmp_path / "blank")
    Image.new("RGB", (400, 400), "white").save(tmp_path / "blank" / "primary_images" / "1_7.jpg")
    people = read_people(tmp_path / "blank", [], resolve_features("hog"))
    assert people.corpus is not None and len(people.corpus) == 59
    assert people.notes[-1].startswith("1 primary drawings have no features, being blank")


def test_a_corpus_of_which_no_picture_can_be_read_is_refused(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus, tmp_path / "broken")
    for path in (tmp_path / "broken").rglob("*.jpg"):
        path.write_bytes(b"no picture")
    with pytest.raises(UserError, match="None of the 24 reference drawings"):
        read_people(tmp_path / "broken", [], resolve_features("hog"))
    shutil.copytree(
        corpus / "far_generalization_images", tmp_path / "broken/far_generalization_images", dirs_exist_ok=True
    )
    with pytest.raises(UserError, match="The corpus has 0 drawings"):
        read_people(tmp_path / "broken", [], resolve_features("hog"))


def test_a_head_that_was_fitted_on_the_agents_studied_is_noted() -> None:
    hog = resolve_features("hog")
    support = np.eye(2, hog.size, dtype=np.float32)
    head = KernelHead(support, np.ones(2), 0.1, hog.backend, "vidra-adapted", {"models": ["liner", "other"]})
    scorers = [resolve({"name": "vidra-adapted", "head": head}), resolve("ink")]
    (note,) = cli._seen(scorers, {"liner", "circler"})
    assert "vidra-adapted was fitted on rated drawings of liner:" in note
    assert cli._seen(scorers, {"circler"}) == []


def test_ratings_by_one_rater_are_noted(collected: Collected) -> None:
    ratings = Ratings(tuple(Rating(each.name, "a", creativity=1.0 + i % 5) for i, each in enumerate(collected.drawn)))
    outcome = rated(ratings, "creativity", collected.drawn)
    assert outcome is not None and any("are by one rater, a:" in note for note in outcome.notes)


# ------------------------------------------------------------ the report


def test_without_ratings_and_corpus_the_tables_say_so(collected: Collected) -> None:
    study = Study(collected, ("figural", "ink"))
    assert study.outcome.label == "Score of figural" and not study.by_people and exposed(study) == []
    main = main_table(study)
    assert row(main, "Ink relative to human").cells["agent liner"] == "no corpus"
    assert row(main, "figural").cells["human"] == "no corpus"
    assert "Without ratings" in scorers_table(study).caption
    assert "Nobody rated these drawings" in summary(study)
    assert any("Without a corpus" in note for note in report(study, ()).notes)


def test_the_main_table_has_the_layout_of_table_2(collected: Collected, corpus: Path) -> None:
    people = read_people(corpus, [resolve("ink")], resolve_features("hog"))
    given = answers(collected, lambda each: 2 + 2 * (each.agent == "circler"), humans=8)
    outcomes = [rated(given, question, collected.drawn) for question in ("creativity", "recognisability")]
    study = Study(collected, ("figural", "ink"), tuple(o for o in outcomes if o is not None), people)
    main = main_table(study)
    assert [m.label for m in main.measures] == ["Human", "circler", "liner"] + [
        f"{column} (paper)" for column in ("Human", "Lowest", "Median", "Highest")
    ]
    composite = next(r for r in main.rows if r.group == "Rated creativity")
    assert composite.cells["paper human"] == 0.41 and composite.cells["paper high"] == 0.81
    assert isinstance(composite.cells["human"], Interval)
    relative = row(main, "Ink relative to human").cells["agent liner"]
    liner = np.mean([each.ink for each in study.of("liner")])
    assert relative == pytest.approx(liner / people.ink.mean() - 1)
    distance = row(main, "Distance from the human corpus, sd").cells["agent liner"]
    assert isinstance(distance, Interval) and distance.n == 6
    assert row(main, "Finished").cells["paper low"] == pytest.approx(0.993)
    effort = [row(main, "Effort index").cells[f"agent {a}"].mean for a in study.agents]  # type: ignore[union-attr]
    assert 12 * effort[0] + 6 * effort[1] == pytest.approx(0, abs=1e-9)  # type: ignore[operator]


def test_a_scorer_places_agents_among_human_drawings_by_the_mean_of_their_scores(collected: Collected) -> None:
    people = People(np.array([1000.0, 2000.0]), {"figural": [-1.0, -1.0, 2.0, 2.0], "ink": [0.1, None]})
    table = main_table(Study(collected, ("figural", "ink"), people=people))
    assert row(table, "Percentile of human, by figural").cells["agent liner"] == 50.0
    assert all(r.name != "Percentile of human, by ink" for r in table.rows)
    assert row(table, "Distance from the human corpus, sd").cells["agent liner"] is None  # no features of people


def test_failures_and_ideas_by_hand(collected: Collected) -> None:
    study = Study(collected, ("figural", "ink"))
    failures = row(failures_table(study), "liner").cells
    assert (failures["null"], failures["undo_trials"], failures["malformed_trials"]) == (0.0, 0.0, 0.0)
    assert row(failures_table(study), "PainterBench").cells["undo_trials"] == 0.229
    ideas = row(ideas_table(study), "liner").cells
    assert (ideas["top_title"], ideas["top_title_share"], ideas["top_word"]) == ("Lines", 1.0, "line")
    both = row(ideas_table(study), "circler").cells
    assert (both["top_word"], both["top_word_share"], both["distinct"]) == ("circle", 1.0, pytest.approx(2 / 12))
    assert both["apart_within"] == pytest.approx(0.0, abs=1e-6)  # its replicates are the same drawing
    assert isinstance(both["apart"], float) and both["apart"] > 0
    assert ideas["apart_within"] is None
    assert "sentence embeddings need the package" in ideas_table(study).caption


def test_the_markers_table_has_the_papers_figures_beside_and_says_what_is_constant(collected: Collected) -> None:
    table = markers_table(Study(collected, ("figural", "ink")))
    assert len(table.rows) == 11
    assert row(table, "Operations per round").cells["paper_pooled"] == 0.59
    assert row(table, "Undo calls").cells["pooled"] == "constant"
    assert row(table, "Exploration rounds").cells["paper_pooled"] is None


def test_the_report_is_one_page_with_tables_as_files(collected: Collected, tmp_path: Path) -> None:
    study = Study(collected, ("figural", "ink"))
    made = report(study, tables(study))
    page = write_report(made, tmp_path / "out").read_text(encoding="utf-8")
    assert "<script src" not in page and "http" not in page.replace("http-equiv", "").partition('id="data"')[0]
    assert page.count("data:image/png") == 12  # six shapes of each agent
    for name in ("table.md", "results.json", "tables/01-results-in-the-layout-of-table-2.csv"):
        assert (tmp_path / "out" / name).stat().st_size > 0
    data = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [table["title"] for table in data["tables"]][:2] == [
        "Results in the layout of Table 2",
        "Scorers against ratings and ink",
    ]


def test_the_command_writes_report_and_drawings_that_can_be_rated_and_read_back(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "titles_can_be_embedded", lambda: False)  # which would take seconds
    first = (str(runs), "--output", str(tmp_path / "a"), "--drawings", str(tmp_path / "drawings"), "--features", "none")
    assert command("study", *first) == 0
    listed = list(csv.DictReader((tmp_path / "drawings" / "drawings.csv").open()))
    assert len(listed) == 18 and listed[0] == {"image": "circler/is01-1.png", "model": "circler", "stimulus": "is01"}
    picture = np.asarray(Image.open(tmp_path / "drawings" / "circler" / "is01-1.png").convert("L"))
    assert picture.shape == (400, 400) and set(np.unique(picture)) == {0, 255}
    rng = np.random.default_rng(0)
    with (tmp_path / "ratings.csv").open("w") as file:
        writer = csv.writer(file)
        writer.writerow(["image", "model", "stimulus", "rater", "creativity", "recognisability"])
        for entry in listed:
            for rater in range(4):
                writer.writerow([*entry.values(), f"r{rater}", rng.integers(1, 6), rng.integers(1, 6)])
        writer.writerow([*listed[0].values(), "r9", "", ""])
    second = (str(runs), "--output", str(tmp_path / "b"), "--ratings", str(tmp_path / "ratings.csv"))
    assert (
        command("study", *second, "--features", "none", "--baseline", "liner", "--agent", "liner", "--agent", "circler")
        == 0
    )
    assert "Rated creativity" in capsys.readouterr().out
    page = (tmp_path / "b" / "report.html").read_text(encoding="utf-8")
    assert "Agents by rated creativity" in page and "is not answered (1 left out" in page
    assert (tmp_path / "b" / "manifest.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scorer", "nothing"], "no reward 'nothing'"),
        (["--scorer", "ink", "--scorer", "ink"], "Two scorers are called 'ink'"),
        (["--features", "nothing"], "no features 'nothing'"),
        (["--baseline", "nobody", "--features", "none"], "baseline 'nobody' is none of the agents"),
        (["--ratings", "gone.csv"], "gone.csv"),
        (["--ratings", "bored.csv"], "says nothing about these drawings"),
        (["--corpus", "gone", "--features", "none"], "'gone' does not exist"),
        (["--scorer", "diversity"], "'diversity' compares the trials of a task"),
        (["--scorer", "audra"], r"no checkpoint of AuDrA"),
    ],
)
def test_mistakes_are_sentences(
    runs: Path,
    tmp_path: Path,
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("bored.csv").write_text("image,rater,creativity\nliner/is01-1,a,3\nliner/is02-1,a,3\n")
    assert command("study", str(runs / "liner"), "--output", str(tmp_path / "out"), *arguments) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
