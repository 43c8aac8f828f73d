"""The tables that design actions add to a report, on results whose numbers are worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from designgym.config import load_config
from designgym.envs.design.env import DesignActions
from designgym.eval.config import AgentSection, EnvSection, EvalConfig
from designgym.eval.design.pages import NO_PAGE, _page, page_sheets
from designgym.eval.design.published import published
from designgym.eval.design.tables import applies, question_table, tables, type_table
from designgym.eval.design.workflows import OTHERS, action_table, error_table, grouped, workflow_table
from designgym.eval.evaluate import check, evaluate
from designgym.eval.report.data import Table
from designgym.eval.report.drawings import describe, picture
from designgym.eval.results import Result
from designgym.eval.summary import Policy

PHOTO, LAYOUT = "photo_editor", "layout_designer"


def step(expert: str, action: str, error: str = "", dependency: str = "", **parameters: Any) -> dict[str, Any]:
    return {
        "expert": expert,
        "action": action,
        "parameters": parameters,
        "description": f"{action} now",
        "error": error,
        "dependency": dependency,
    }


def result(task: str, kind: str, plan: list[dict[str, Any]], reward: float = 0.0, **more: Any) -> Result:
    parts = {"vqa": reward, "vqa/items": reward, "vqa/blank": 0.25, "vqa/positive_only": 0.5, "vqa/answered": 1.0}
    return Result(task, reward, rewards=parts, truth={"type": kind, "plan": plan}, **more)


OPENED = step(LAYOUT, "CreateDocument", docType="poster")
ONE = result("test-000000", "poster", [OPENED, step(LAYOUT, "RemoveText", "dependency", "local", layerName="a")], 0.5)
TWO = result(
    "test-000001",
    "postcard",
    [
        step(PHOTO, "CreateDocument", docType="postcard"),
        step(LAYOUT, "ImportObject", "dependency", "global", fileName="a", layerName="b"),
        step(LAYOUT, "DrawStar", "invalid_action"),
        OPENED,
        OPENED,
        OPENED,
    ],
    1.0,
)
POLICY = Policy("somebody", [ONE, TWO])


def cells(table: Table, row: str = "somebody") -> dict[str, Any]:
    found = next(each for each in table.rows if each.name == row)
    return {key: getattr(cell, "mean", cell) for key, cell in found.cells.items()}


def test_measures_of_workflows_are_those_of_both_workflows() -> None:
    found = cells(workflow_table([POLICY]))
    assert found["steps"] == 4.0 and found["experts"] == 1.5
    assert found["execution_success"] == 5 / 8  # of all steps together, not the mean of 1/2 and 4/6
    assert found["error_free"] == 0.0
    # The first has one expert and two steps; the second repeats a step three times running, which is a dead loop.
    assert found["delivery_rate"] == found["delivery_rate_release"] == 0.5
    assert found["step_efficiency"] == pytest.approx((1 + 4 / 6) / 2)
    # By their descriptions the photo editor's new document is the same step as the layout designer's.
    assert found["step_efficiency_release"] == pytest.approx((1 + 3 / 6) / 2)
    assert found["expert_use_efficiency"] == 1.0


def test_a_workflow_at_the_limit_is_delivered_by_the_paper_and_not_by_its_scripts() -> None:
    ten = [step(LAYOUT, "CreateText", layerName=str(number), textString="a") for number in range(10)]
    found = cells(workflow_table([Policy("somebody", [result("test-000000", "poster", ten)])]))
    assert (found["delivery_rate"], found["delivery_rate_release"]) == (1.0, 0.0)


def test_kinds_of_errors_are_shares_of_all_errors() -> None:
    found = cells(error_table([POLICY]))
    assert found["errors"] == 3 / 8
    assert found["dependency"] == pytest.approx(2 / 3)
    assert found["dependency_local"] == found["dependency_global"] == found["invalid_action"] == pytest.approx(1 / 3)
    assert found["format"] == found["invalid_parameters"] == found["invalid_expert"] == found["limit"] == 0.0


def test_without_errors_their_kinds_have_no_share() -> None:
    found = cells(error_table([Policy("somebody", [result("test-000000", "poster", [OPENED])])]))
    assert found["errors"] == 0.0 and found["dependency"] is None


def test_actions_below_five_percent_are_others() -> None:
    assert grouped({"CreateText": 90, "ColorText": 5, "ApplyFont": 4, "AlignText": 1}) == {
        "CreateText": 0.9,
        "ColorText": 0.05,
        OTHERS: 0.05,
    }
    assert grouped({}) == {}


def test_actions_are_told_by_expert_whatever_way_a_name_is_written() -> None:
    strange = [step("Layout Designer", "CreateDocument"), step("poet", "Write", "invalid_expert")]
    table = action_table([POLICY, Policy("other", [result("test-000000", "poster", strange)])])
    rows = {(row.group, row.name): dict(row.cells) for row in table.rows}
    assert rows["Layout designer", "Steps"] == {"somebody": 7, "other": 1}
    assert rows["Layout designer", "CreateDocument"] == {"somebody": pytest.approx(4 / 7), "other": 1.0}
    assert rows["Photo editor", "Steps"] == {"somebody": 1, "other": 0}
    assert rows["Experts that do not exist", "Write"] == {"other": 1.0}
    assert not any(group == "Vector graphic editor" for group, _ in rows)


def test_the_reward_is_told_by_type_of_design_with_the_number_of_briefs() -> None:
    again = result("test-000000", "poster", [], 0.0, replicate=1)
    table = type_table([Policy("somebody", [ONE, again, TWO])], lambda each: each.value, "Reward by type of design")
    assert [measure.label for measure in table.measures] == ["Postcard", "Poster"]
    assert cells(table, "Briefs") == {"postcard": 1, "poster": 1}
    assert cells(table) == {"postcard": 1.0, "poster": 0.25}


def test_unscored_trials_are_missing_from_what_the_questions_tell() -> None:
    table = question_table([Policy("somebody", [ONE, TWO, result("test-000002", "poster", [], scored=False)])])
    assert cells(table) == {
        "vqa/items": 0.75,
        "vqa/blank": 0.25,
        "vqa/positive_only": 0.5,
        "vqa/answered": 1.0,
    }
    assert cells(table, "Gemma-2 27b") == {"vqa/positive_only": 0.3964}


def test_the_papers_shares_of_errors_add_up_to_all() -> None:
    shares = [figure.value for name, figure in published().items() if name.startswith("errors_")]
    assert len(shares) == 5 and sum(shares) == pytest.approx(1, abs=0.001)


def test_other_tasks_and_rewards_without_questions_get_no_such_tables() -> None:
    assert not applies([]) and not applies([Result("is07", truth={"open_ends": 2})])
    assert tables([Policy("somebody", [Result("is07", truth={"open_ends": 2})])]) == []
    plain = Result("test-000000", 0.5, rewards={"fidelity": 0.5}, truth=ONE.truth)
    titles = [table.title for table in tables([Policy("somebody", [plain])])]
    assert titles[:2] == ["Reward by type of design", "Workflows"] and "Questions" not in titles


@pytest.mark.parametrize("name", ["eval/design", "eval/design-plan", "eval/design-ocr"])
def test_the_bundled_configurations_are_valid_and_play_everybody_without_a_model(name: str, tmp_path: Path) -> None:
    config = load_config(name, EvalConfig)
    check(config, tmp_path / "out", resume=False)
    assert {"designer", "template", "random", "blank"} <= {agent.name for agent in config.agents}
    assert config.env.kwargs["mode"] == ("plan" if "plan" in name else "interactive") and config.split == "test"


def test_a_report_has_the_tables_and_the_pages_of_the_same_briefs_in_colours(tmp_path: Path) -> None:
    env = EnvSection(id="designgym/DesignActions-v0")
    players = tuple(AgentSection(name=name) for name in ("designer", "random", "blank"))
    done = evaluate(EvalConfig(env=env, agents=players, limit=2, examples=2), tmp_path)
    found = {table.title: table for table in done.tables}
    assert cells(found["Questions"], "designer")["vqa/positive_only"] > 0.8
    assert cells(found["Questions"], "blank")["vqa/items"] == 0.0
    assert cells(found["Workflows"], "designer")["execution_success"] == 1.0
    assert {"Errors", "Actions by expert", "GraphicBench's published figures"} <= set(found)
    agents = [policy for policy in done.policies if policy.group == "Agents"]
    folders = {policy.name: (policy.results, tmp_path / "agents" / policy.name) for policy in agents}
    sheets = page_sheets(folders, env.id, {"split": "test"}, count=2)
    made, drawn = (sheet for sheet in sheets if not sheet.caption)
    assert (made.name, drawn.name) == ("designer", "random")
    assert [each.task for each in made.drawings] == [each.task for each in drawn.drawings]
    (page,) = made.drawings
    assert picture(page).mode == "RGB" and max(picture(page).size) == 420
    assert describe(page) == f"Page for the brief {page.task}, a {page.title}." and page.note == ""
    text = done.report.read_text(encoding="utf-8")
    assert "<h2>Pages</h2>" in text and "given shape" not in text and "Episodes" in text


def test_an_episode_without_a_page_is_shown_as_one() -> None:
    env = DesignActions(split="test")
    env.reset(options={"task": "test-000000"})
    env.step({"name": "finish", "arguments": {}})
    shown = _page(result("test-000000", "poster", [], end="budget"), env.episode())
    assert shown.image is NO_PAGE and shown.note == "no page"
