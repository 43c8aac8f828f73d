"""The aesthetics tables: scores, means and comparisons of hand-made answers, worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import Item, make_item
from designgym.envs.aesthetics.sample import Element, Flaw, Sample
from designgym.errors import UserError
from designgym.eval.aesthetics import comparisons, findings
from designgym.eval.aesthetics.breakdowns import operation_table, strength_table, strengths
from designgym.eval.aesthetics.examples import asked, choose, example, shown_page
from designgym.eval.aesthetics.parts import PARTS
from designgym.eval.aesthetics.scored import Scored, applies, scored
from designgym.eval.aesthetics.tables import RELEASE, STRICT, indicator_table, means, overall_table
from designgym.eval.report import html
from designgym.eval.report.pictures import annotated
from designgym.eval.results import Result, designs
from designgym.eval.summary import Policy, mean_reward

BOX, HALF, OTHER = [0.0, 0.0, 0.5, 0.5], [0.0, 0.0, 0.5, 0.25], [0.5, 0.5, 1.0, 1.0]
JUDGMENT, SELECTION = PARTS["judgment"][0], PARTS["selection"][0]
FLAWED, GOOD, TOGETHER = PARTS["localization"]


def judged(number: int, verdict: str, said: str | None, indicator: str = "color-contrast", **truth: Any) -> Result:
    about = {"task": "judgment", "indicator": indicator, "design": f"d{number}", "verdict": verdict, "flaw": ""}
    answer = None if said is None else {"verdict": said}
    errors = {"format": 1} if said is None else {}
    return Result(f"t{number}", float(said == verdict), answer=answer, truth={**about, **truth}, errors=errors)


def chosen(choice: str, said: str, options: list[Any]) -> Result:
    truth = {"task": "selection", "indicator": "font-hierarchy", "design": "d", "choice": choice, "options": options}
    return Result("t", answer={"choice": said}, truth={**truth, "flaw": "size"})


def located(boxes: list[Any], answer: dict[str, Any] | None, protocol: str = "strict", **more: Any) -> Result:
    truth = {"task": "localization", "indicator": "layout-balance", "design": "d", "protocol": protocol, "flaw": "size"}
    return Result("t", answer=answer, truth={**truth, "bbox": boxes[0] if boxes else None, "boxes": boxes}, **more)


def score(number: int, indicator: str, value: float, design: str = "", **more: Any) -> Scored:
    settings = {"flawed": True, "operation": "size", "magnitude": None, "condition": "", "unreadable": False, **more}
    return Scored(f"t{number}", "judgment", indicator, design or f"d{number}", score=value, **settings)


# --- one answer


def test_verdicts_and_choices_are_right_or_wrong() -> None:
    assert [scored(judged(0, "yes", said)).score for said in ("yes", "no", None)] == [1.0, 0.0, 0.0]
    offered = [BOX, OTHER, None, HALF]
    assert [scored(chosen("B", said, offered)).score for said in "BC"] == [1.0, 0.0]
    assert scored(chosen("B", "B", offered)).flawed and not scored(chosen("C", "B", offered)).flawed


def test_boxes_score_their_iou_and_none_is_right_on_good_designs() -> None:
    assert scored(located([BOX], {"bbox": HALF})).score == pytest.approx(0.5)
    assert scored(located([BOX], {"bbox": None})).score == 0.0
    assert scored(located([], {"bbox": None})).score == 1.0
    assert scored(located([], {"bbox": BOX})).score == 0.0


def test_of_several_boxes_the_best_counts_under_strict_and_the_first_under_release() -> None:
    boxes = [OTHER, BOX]
    assert scored(located(boxes, {"bbox": BOX}, "strict")).score == 1.0
    assert scored(located(boxes, {"bbox": BOX}, "release")).score == 0.0


def test_an_answer_that_is_missing_scores_only_where_the_release_gives_it_away() -> None:
    assert scored(located([], None, "strict")).score == 0.0
    assert scored(located([], None, "release")).score == 1.0
    assert scored(located([BOX], None, "release")).score == 0.0


def test_unreadable_answers_are_told_from_failures_of_the_agent() -> None:
    assert scored(judged(0, "yes", None)).unreadable
    assert not scored(located([BOX], None, failure="RuntimeError: x")).unreadable
    assert not scored(judged(0, "yes", "no")).unreadable


def test_results_of_other_tasks_get_no_tables() -> None:
    assert not applies([Result("t", truth={"bbox": None, "indicator": "contrast", "flaw": ""})])
    assert not applies([])
    assert findings.tables([Policy("p", [Result("t")])]) == []


# --- the paper's tables


def test_overall_scores_weigh_indicators_or_dimensions() -> None:
    # One question on each indicator; right on the four of layout and on legibility.
    right = [*(name for name in INDICATORS if name.startswith("layout")), "font-legibility"]
    answers = [score(n, name, float(name in right)) for n, name in enumerate(INDICATORS)]
    found = means(answers)
    assert found[STRICT].mean == pytest.approx(5 / 12)
    assert found[RELEASE].mean == pytest.approx((1 + 0 + 0.5 + 0) / 4)
    assert [found[d].mean for d in ("layout", "color", "font", "graphic")] == [1.0, 0.0, 0.5, 0.0]
    assert (found[STRICT].n, found["font"].n) == (12, 2)


def test_an_indicator_with_more_questions_weighs_no_more() -> None:
    answers = [score(n, "layout-balance", 1.0) for n in range(9)] + [score(9, "color-appeal", 0.0)]
    assert means(answers)[STRICT].mean == 0.5


def every(value: Any, said: Any) -> list[Result]:
    """Two questions on every indicator: one flawed, one good."""
    made = []
    for n, name in enumerate(INDICATORS):
        made += [
            judged(2 * n, "yes", said, name, flaw="blur", magnitude=float(n)),
            judged(2 * n + 1, "no", value, name),
        ]
    return made


YES, RIGHT = Policy("always-yes", every("yes", "yes"), group="Constants"), Policy("right", every("no", "yes"))


def test_tables_have_a_row_a_policy_and_the_papers_rows_marked_as_published() -> None:
    answers = {p.name: [scored(r) for r in p.results] for p in (RIGHT, YES)}
    table = overall_table((RIGHT, YES), answers, JUDGMENT)
    assert [(r.name, r.cells[STRICT].mean) for r in table.rows[:2]] == [("right", 1.0), ("always-yes", 0.5)]  # type: ignore[union-attr]
    published = [row for row in table.rows if row.group.startswith("Published")]
    assert len(published) == 13 + 3 and len(table.rows) == 18
    gpt = next(row for row in published if row.name == "GPT-5")
    assert gpt.group == "Published: AesEval-Bench, Table 2"
    assert (gpt.cells[STRICT], gpt.cells["font"]) == (0.7252, pytest.approx((0.7472 + 0.7419) / 2))
    detail = indicator_table((RIGHT, YES), answers, JUDGMENT)
    assert [m.key for m in detail.measures] == list(INDICATORS)
    assert detail.rows[0].name == "Questions" and set(detail.rows[0].cells.values()) == {2}
    assert detail.rows[2].cells["color-appeal"].mean == 0.5  # type: ignore[union-attr]
    assert detail.rows[2].cells["color-appeal"].method == "Wilson"  # type: ignore[union-attr]


def test_the_papers_rows_are_left_out_where_only_some_indicators_were_asked_about() -> None:
    some = [r for r in RIGHT.results if r.truth["indicator"].startswith("color")]
    table = overall_table([RIGHT], {"right": [scored(r) for r in some]}, JUDGMENT)
    assert [row.name for row in table.rows] == ["right"]
    assert "Not asked about: Balance, Layering" in table.caption


def test_unreadable_answers_are_counted_apart_and_score_nothing() -> None:
    silent = Policy("silent", every("no", None))
    table = overall_table([silent], {"silent": [scored(r) for r in silent.results]}, JUDGMENT)
    cells = table.rows[0].cells
    assert (cells["unreadable"].mean, cells[STRICT].mean) == (0.5, 0.5)  # type: ignore[union-attr]


def test_questions_about_one_design_are_resampled_together() -> None:
    # Each design is asked about twice and answered alike: twelve designs tell no more than twelve questions would.
    rng = np.random.default_rng(0)
    values = rng.random(12).round() * 1.0
    alike = [score(2 * n + k, "color-appeal", values[n], f"d{n}") for n in range(12) for k in (0, 1)]
    table = indicator_table([Policy("p", [])], {"p": alike}, JUDGMENT)
    cell = table.rows[1].cells["color-appeal"]
    assert cell.method.startswith("clustered") and cell.n == 24  # type: ignore[union-attr]
    assert cell.high - cell.low > 0.4  # type: ignore[union-attr]


def test_rewards_of_a_design_with_several_questions_are_resampled_together() -> None:
    alone = [judged(n, "yes", "yes" if n % 2 else "no") for n in range(10)]
    assert designs(alone) is None
    assert mean_reward(alone).method == "BCa bootstrap"
    shared = [judged(n, "yes", "yes" if n % 4 else "no", design=f"d{n % 4}") for n in range(12)]
    assert designs(shared)["t5"] == "d1"  # type: ignore[index]
    assert mean_reward(shared).method.startswith("clustered")


# --- comparisons


def pair(first: list[float], second: list[float], indicator: str = "color-appeal") -> dict[str, list[Scored]]:
    return {
        name: [score(n, indicator, v) for n, v in enumerate(values)] for name, values in (("a", first), ("b", second))
    }


def test_accuracies_are_compared_by_mcnemars_test() -> None:
    answers = pair([1.0] * 9 + [0.0] + [1.0] * 10, [0.0] * 9 + [1.0] + [1.0] * 10)
    found = comparisons.contrast_indicators("a", "b", answers, JUDGMENT)["color-appeal"]
    assert found.difference.mean == pytest.approx(8 / 20)
    assert (found.test.method, found.test.effect) == ("McNemar's exact test", 9.0)
    assert found.p == pytest.approx(22 / 1024)  # one indicator: nothing to correct for
    assert found.verdict == "better"
    reverse = comparisons.contrast_indicators("b", "a", answers, JUDGMENT)["color-appeal"]
    assert reverse.verdict == "worse"


def test_ious_are_compared_by_a_paired_t_test() -> None:
    found = comparisons.contrast_indicators("a", "b", pair([0.3, 0.5, 0.7], [0.2, 0.3, 0.4]), FLAWED)["color-appeal"]
    # Differences .1, .2, .3: mean .2 and standard deviation .1, so t = .2 / (.1 / sqrt 3).
    assert found.test.statistic == pytest.approx(2 * 3**0.5)
    assert found.test.effect == pytest.approx(2.0)
    assert found.verdict == comparisons.ALIKE  # p is .074


def test_p_values_are_corrected_for_the_indicators() -> None:
    first = pair([1.0] * 9 + [0.0], [0.0] * 9 + [1.0], "color-appeal")
    second = pair([1.0, 0.0], [1.0, 1.0], "font-legibility")
    answers = {
        name: first[name] + [score(50 + n, s.indicator, s.score) for n, s in enumerate(second[name])] for name in "ab"
    }
    found = comparisons.contrast_indicators("a", "b", answers, JUDGMENT)
    assert found["color-appeal"].p == pytest.approx(2 * 22 / 1024)
    assert found["font-legibility"].p == 1.0
    assert found["font-legibility"].verdict == comparisons.ALIKE


def test_a_small_p_with_an_interval_over_designs_that_holds_0_is_no_difference() -> None:
    # Ten questions about one design speak for the first, ten about two others are equal: the design decides.
    same = [score(n, "color-appeal", 1.0, "x") for n in range(10)]
    rest = [score(10 + n, "color-appeal", 1.0, "yz"[n % 2]) for n in range(10)]
    lower = [score(n, "color-appeal", 0.0, "x") for n in range(10)]
    found = comparisons.contrast_indicators("a", "b", {"a": same + rest, "b": lower + rest}, JUDGMENT)["color-appeal"]
    assert found.p is not None and found.p < 0.01
    assert found.verdict == comparisons.ALIKE


def test_policies_on_other_questions_are_not_compared() -> None:
    answers = pair([1.0, 1.0], [0.0, 0.0])
    with pytest.raises(UserError, match=r"1 of them, such as 't1'"):
        comparisons.contrast_indicators("a", "b", {"a": answers["a"], "b": answers["b"][:1]}, JUDGMENT)


def test_the_best_agent_meets_the_others_and_everyone_the_best_constant() -> None:
    def policy(name: str, reward: float, group: str) -> Policy:
        return Policy(name, [Result("t", reward)], group=group)

    found = findings.pairs(
        [
            policy("weak", 0.2, "Agents"),
            policy("strong", 0.9, "Agents"),
            policy("low", 0.1, "Constants"),
            policy("high", 0.5, "Constants"),
        ]
    )
    assert found == [("strong", "weak"), ("strong", "high"), ("weak", "high")]


# --- breakdowns


def test_operations_are_apart_and_good_designs_last() -> None:
    answers = {"p": [score(n, "graphic-quality", n % 2, operation="blur") for n in range(4)]}
    answers["p"] += [score(9, "graphic-quality", 1.0, flawed=False, operation="")]
    answers["p"] += [score(7, "graphic-quality", 0.0, flawed=False, operation="", condition="harmless")]
    answers["p"] += [score(8, "graphic-quality", 0.0, operation="low_contrast")]
    table = operation_table([Policy("p", [])], answers, JUDGMENT)
    assert table is not None
    assert [row.name for row in table.rows] == ["Blur", "Low contrast", "Good designs", "Good: changed harmlessly"]
    assert [row.cells["questions"] for row in table.rows] == [4, 1, 1, 1]
    assert [row.cells["policy/p"].mean for row in table.rows] == [0.5, 0.0, 1.0, 0.0]  # type: ignore[union-attr]


def test_strengths_are_thirds_within_each_operation() -> None:
    blur = [score(n, "graphic-quality", 1.0, operation="blur", magnitude=float(n)) for n in range(6)]
    moved = [score(10 + n, "layout-balance", 1.0, operation="position", magnitude=100.0 * n) for n in range(3)]
    alike = [score(20 + n, "layout-balance", 1.0, operation="swap", magnitude=1.0) for n in range(5)]
    found = strengths([*blur, *moved, *alike])
    assert [found[f"t{n}"] for n in range(6)] == ["slight"] * 2 + ["middle"] * 2 + ["strong"] * 2
    assert [found[f"t{10 + n}"] for n in range(3)] == ["slight", "middle", "strong"]
    assert "t20" not in found


def test_without_magnitudes_there_is_no_table_of_strengths() -> None:
    assert strength_table([Policy("p", [])], {"p": [score(0, "color-appeal", 1.0)]}, JUDGMENT) is None


def test_all_tables_of_a_task_come_in_the_papers_order() -> None:
    made = findings.tables([RIGHT, YES])
    assert [table.title for table in made] == [
        "Judgment: accuracy",
        "Judgment: accuracy by indicator",
        "Judgment: pairs of policies",
        "Judgment: pairs of policies by indicator",
        "Judgment: accuracy by what was done",
        "Judgment: accuracy by strength of the flaw",
    ]


def test_localization_is_reported_apart_and_together() -> None:
    results = [
        Result(f"t{n}", answer={"bbox": None}, truth={**located([BOX] if n % 4 else [], None).truth, "design": f"d{n}"})
        for n in range(8)
    ]
    made = findings.tables([Policy("none", results)])
    overall = {t.title: t.rows[0].cells[STRICT] for t in made if STRICT in {m.key for m in t.measures}}
    assert {title: (cell.mean, cell.n) for title, cell in overall.items()} == {  # type: ignore[union-attr]
        "Localization, flawed designs: IoU": (0.0, 6),
        "Localization, good designs: accuracy": (1.0, 2),
        "Localization, all designs: score": (0.25, 8),
    }


# --- designs to look at

PAGE = np.full((60, 100, 3), 250, np.uint8)


def test_a_verdict_is_told_in_words() -> None:
    shown = example(judged(0, "yes", "no"), PAGE, "Contrast is so.\nIs there an issue with it?", [(0.1, 0.1, 0.4, 0.4)])
    assert html.verdict(shown) == "Answered no issue, right is an issue"
    assert shown.question == "Is there an issue with it?"
    assert shown.truth == (0.1, 0.1, 0.4, 0.4)
    assert html.keys([shown]) == [("truth", "where the flaw is")]
    assert html.verdict(example(judged(0, "no", "no"), PAGE, "?")) == "Answered no issue, which is right"
    assert html.verdict(example(judged(0, "no", None), PAGE, "?")) == "Answer not valid: format"


def test_a_choice_shows_its_region_and_the_right_one() -> None:
    shown = example(chosen("B", "A", [BOX, OTHER, None, HALF]), PAGE, "Which?\nA: ...")
    assert (shown.truth, shown.answer) == (tuple(OTHER), tuple(BOX))
    assert html.verdict(shown) == "Answered region A, right is region B"
    assert "C: None." in html.describe(shown)
    none = example(chosen("C", "C", [BOX, OTHER, None, HALF]), PAGE, "Which?")
    assert html.verdict(none) == "Answered None (C), which is right" and none.truth is None


def test_regions_are_drawn_and_lettered_apart() -> None:
    shown = example(chosen("B", "A", [BOX, OTHER, None, HALF]), PAGE, "Which?")
    plain = example(chosen("B", "A", [None, None, None, None]), PAGE, "Which?")
    marked = np.asarray(annotated(shown)).astype(int) != np.asarray(annotated(plain)).astype(int)
    assert marked[:20, :20].any()  # A at the corner of its box, which lies at the page's corner
    assert marked[75:98, 170:190].any()  # B above its own, which begins in the middle


def test_every_acceptable_box_is_shown_and_the_best_is_told() -> None:
    shown = example(located([OTHER, BOX], {"bbox": HALF}), PAGE, "Which?")
    assert shown.more == (tuple(BOX),)
    assert html.verdict(shown) == "IoU 0.50"


def test_designs_are_chosen_from_all_kinds_in_turn() -> None:
    results = [judged(n, "yes", "yes", flaw=("blur", "size", "")[n % 3]) for n in range(9)]
    kinds = [result.truth["flaw"] for result in choose(results, 4, seed=0)]
    assert kinds == ["size", "blur", "", "size"]


def test_the_question_is_shown_without_explanation_and_options() -> None:
    assert asked("What it means.\nWhich of these?\nA: [0.1, 0.1, 0.2, 0.2]\nB: None") == "Which of these?"
    assert asked("Say where.") == "Say where."


def test_the_grey_beside_a_page_is_not_shown() -> None:
    class Env:
        unwrapped = property(lambda self: self)

        def prompt_options(self) -> dict[str, Any]:
            return {"page": (320, 448)}

    assert shown_page(Env(), np.zeros((448, 448, 3), np.uint8)).shape == (448, 320, 3)


def test_truth_tells_how_strong_a_flaw_is_and_why_a_good_design_is_good() -> None:
    done = Flaw("blur", "e0", "asset", "a", "b", magnitude=4.0, harms=("graphic-quality",))
    faint = Flaw("blur", "e1", "asset", "a", "b", magnitude=0.5)
    elements = tuple(Element(f"e{n}", "picture", "", (0.2 * n, 0.1, 0.2 * n + 0.15, 0.5)) for n in range(4))

    def item(indicator: str, *flaws: Flaw) -> Item:
        harmed = {"graphic-quality": ("e0",)} if done in flaws else {}
        found = make_item("judgment", Sample("s", 800, 800, elements, flaws, harmed), indicator)
        assert found is not None
        return found

    flawed = item("graphic-quality", faint, done)
    assert (flawed.flaw, flawed.magnitude, flawed.condition) == ("blur", 4.0, "")
    good = [item("color-appeal"), item("color-appeal", faint), item("color-appeal", faint, done)]
    assert [one.condition for one in good] == ["untouched", "harmless", "harmed elsewhere"]
    assert [one.magnitude for one in good] == [None] * 3
