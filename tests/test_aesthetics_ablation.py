"""Table 6 from our own models: who stands in it, what the gain is, and what is refused before any work."""

import json

import pytest

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.errors import UserError
from designgym.eval.aesthetics.ablation import BASE, FULL, NO_POSITIVE, NO_REASONING, ablation_tables
from designgym.eval.results import Result
from designgym.eval.summary import CONSTANTS, Policy

pytest.importorskip("scipy")


def judged(name, right, group="Agents", indicators=tuple(INDICATORS)):
    """A policy that answers ``right`` of four designs rightly on each indicator; two of them are flawed."""
    results = []
    for indicator in indicators:
        for number in range(4):
            verdict = "yes" if number < 2 else "no"
            other = {"yes": "no", "no": "yes"}[verdict]
            truth = {"task": "judgment", "indicator": indicator, "design": f"d{number}", "verdict": verdict}
            said = verdict if number < right else other
            results.append(
                Result(
                    task=f"test-{indicator}-{number}",
                    reward=float(said == verdict),
                    truth=truth,
                    answer={"verdict": said},
                )
            )
    return Policy(name, results, group=group)


def test_the_gain_is_over_the_base_and_the_papers_rows_stand_beside():
    policies = [judged(BASE, 2), judged(FULL, 3), judged(NO_REASONING, 2), judged("always-yes", 2, CONSTANTS)]
    scores, pairs = ablation_tables(policies)
    rows = {row.name: row.cells for row in scores.rows}
    assert rows[FULL]["overall"].mean == 0.75
    assert rows[FULL]["gain"].mean == 0.25
    assert rows[BASE]["gain"] is None
    assert rows[NO_REASONING]["gain"].mean == 0
    assert rows[FULL]["layout-balance"].mean == 0.75
    # Table 6 as printed: .6390 and .6987.
    assert rows["Qwen-VL-7B (Base)"]["overall"] == 0.639
    assert rows["Qwen-VL-7B + AesEval-Train"]["gain"] == pytest.approx(0.0597)
    assert [row.name for row in pairs.rows] == [
        f"{FULL} − {BASE}",
        f"{NO_REASONING} − {BASE}",
        f"{FULL} − {NO_REASONING}",
        f"{FULL} − always-yes",
        f"{NO_REASONING} − always-yes",
    ]


def test_means_over_some_indicators_do_not_stand_beside_the_papers():
    some = ("color-harmony", "color-contrast")
    scores, _ = ablation_tables([judged(BASE, 2, indicators=some), judged(FULL, 4, indicators=some)])
    assert [row.name for row in scores.rows] == [BASE, FULL]
    assert [measure.key for measure in scores.measures if measure.group] == list(some)
    assert "Not asked about: Balance" in scores.caption


def test_localization_has_a_table_for_flawed_and_one_for_good_designs_with_the_papers_iou():
    def located(name, box):
        results = []
        for indicator in INDICATORS:
            for number, truth in enumerate(([0.0, 0.0, 0.5, 0.5], None)):
                about = {"task": "localization", "indicator": indicator, "design": f"d{number}", "bbox": truth}
                about["boxes"] = [] if truth is None else [truth]
                task = f"test-{indicator}-{number}"
                results.append(Result(task=task, reward=0.0, truth=about, answer={"bbox": box}))
        return Policy(name, results, group="Agents")

    flawed, _, good, _ = ablation_tables([located(BASE, None), located(NO_POSITIVE, [0.0, 0.0, 0.5, 1.0])])
    rows = {row.name: row.cells["overall"] for row in flawed.rows}
    assert (rows[BASE].mean, rows[NO_POSITIVE].mean) == (0, 0.5)
    assert rows["Qwen-VL-7B + AesEval-Train"] == 0.2231
    rows = {row.name: row.cells["overall"] for row in good.rows}
    assert (rows[BASE].mean, rows[NO_POSITIVE].mean) == (1, 0)
    assert len(rows) == 2  # Table 6 has no such figures


torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.eval.aesthetics.ablation_cli import run  # noqa: E402

PAGES = ["env.kwargs.designs=blocks", "env.kwargs.image_size=64", "limit=2", "examples=0"]
BRIEF = ["agent_options.qwen.wording=brief", "agent_options.qwen.max_new_tokens=8"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model") / "tiny"
    small = tiny.TinyConfig(
        image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
    )
    tiny.save(small, folder)
    return str(folder)


def test_one_command_plays_the_tasks_and_goes_on_where_it_stopped(model, tmp_path):
    out = tmp_path / "ablation"
    some = ["selection", "judgment"]
    assert run(model, model, None, None, some, [*PAGES, *BRIEF], out, False) == 0
    told = json.loads((out / "results.json").read_text())
    titles = [table["title"] for table in told["tables"]]
    assert titles[::2] == ["Judgment: accuracy", "Region selection: accuracy"]
    assert [row["name"] for row in told["tables"][0]["rows"]] == [BASE, FULL, "always-yes", "always-no"]
    assert (out / "judgment" / "report.html").is_file() and (out / "report.html").is_file()
    before = (out / "results.json").read_bytes()
    with pytest.raises(UserError, match="is not empty"):
        run(model, model, None, None, some, [*PAGES, *BRIEF], out, False)
    assert run(model, model, None, None, some, [*PAGES, *BRIEF], out, True) == 0
    assert (out / "results.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arms", "tasks", "more", "says"),
    [
        ((None, None, None), [], [], "nothing to compare the base with"),
        (("nowhere", None, None), [], [], "nowhere"),
        (("same", None, None), [], ["agents=[random]"], "leave 'agents' out"),
        (("same", None, None), ["judgement"], [], "Did you mean 'judgment'"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(model, arms, tasks, more, says, tmp_path):
    trained = [model if arm == "same" else arm for arm in arms]
    with pytest.raises(UserError, match=says):
        run(model, *trained, tasks, [*PAGES, *more], tmp_path / "out", False)
    assert not (tmp_path / "out").exists()
