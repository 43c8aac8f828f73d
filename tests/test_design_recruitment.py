"""Who is recruited, in which order experts work and which workflows come most often, on plans counted by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import Reply, chat_server, texts
from test_graphictown import Model, designers_steps

from designgym.agents.graphictown.artefacts import Artefacts
from designgym.errors import UserError
from designgym.eval.config import AgentSection, EnvSection, EvalConfig
from designgym.eval.design.published import lines
from designgym.eval.design.recruitment import recruited, recruitment_table
from designgym.eval.design.sequences import NONE, WITH_STRANGERS, action_sequences, expert_sequences, shortened
from designgym.eval.evaluate import evaluate
from designgym.eval.report.data import Row, Table
from designgym.eval.results import Result
from designgym.eval.summary import Policy

PHOTO, VECTOR, LAYOUT = "photo_editor", "vector_graphic_editor", "layout_designer"


def planned(task: str, kind: str, *steps: tuple[str, str]) -> Result:
    plan = [{"expert": expert, "action": action} for expert, action in steps]
    return Result(task, truth={"type": kind, "plan": plan})


POSTER = planned("test-0", "poster", *[(PHOTO, "ImportObject")] * 2, *[(LAYOUT, "CreateText")] * 3)
AGAIN = planned("test-1", "poster", (LAYOUT, "CreateText"), ("Photo Editor", "ImportObject"), (LAYOUT, "SaveDocument"))
CARD = planned("test-2", "postcard", (LAYOUT, "CreateText"), ("poet", "Write"))
EMPTY = planned("test-3", "postcard")
POLICY = Policy("somebody", [POSTER, AGAIN, CARD, EMPTY])


def row(table: Table, group: str, name: str) -> Row:
    (found,) = [each for each in table.rows if (each.group, each.name) == (group, name)]
    return found


def test_ratios_are_of_designs_and_workloads_of_those_who_have_steps() -> None:
    table = recruitment_table([POLICY])
    assert row(table, "somebody", "Poster").cells == {
        "ratio_photo_editor": 1.0,
        "ratio_vector_graphic_editor": 0.0,
        "ratio_layout_designer": 1.0,
        "workload_photo_editor": 1.5,
        "workload_vector_graphic_editor": None,
        "workload_layout_designer": 2.5,
        "experts": 2.0,
        "steps": 4.0,
    }
    # One design with a layout designer and somebody who does not exist, and one without any step.
    cards = row(table, "somebody", "Postcard").cells
    assert (cards["ratio_layout_designer"], cards["workload_layout_designer"]) == (0.5, 1.0)
    assert (cards["experts"], cards["steps"]) == (1.0, 1.0)
    everything = row(table, "somebody", "All types").cells
    assert (everything["ratio_photo_editor"], everything["steps"]) == (0.5, 2.5)


def test_whom_the_supervisor_recruited_counts_even_without_steps(tmp_path: Path) -> None:
    goals: dict[str, str] = {PHOTO: "Edit.", VECTOR: "Draw.", LAYOUT: "Set."}
    Artefacts("test-0", "a brief", goals=goals).write(tmp_path)
    kept = recruited(POLICY.results, tmp_path)
    assert kept == {"test-0": (PHOTO, VECTOR, LAYOUT)}
    poster = row(recruitment_table([Policy("somebody", POLICY.results, recruited=kept)]), "somebody", "Poster").cells
    assert (poster["ratio_vector_graphic_editor"], poster["workload_vector_graphic_editor"]) == (0.5, None)
    assert poster["experts"] == 2.5


def test_an_evaluation_reads_the_artefacts_that_graphictown_kept(tmp_path: Path) -> None:
    model = Model(designers_steps("test-000000"))
    with chat_server(lambda number, body: Reply(model.answer(texts(body)))) as server:
        options = {"url": server.url, "model": "town", "artefacts": str(tmp_path / "kept")}
        env = EnvSection(id="designgym/DesignActions-v0", kwargs={"mode": "plan"})
        players = (AgentSection(name="graphictown", options=options), AgentSection(name="blank"))
        done = evaluate(EvalConfig(env=env, agents=players, limit=1, examples=0), tmp_path / "out")
    town, blank = done.policies
    goals = json.loads((tmp_path / "kept" / "test-000000.json").read_text())["goals"]
    assert town.recruited == {"test-000000": tuple(goals)} and goals and not blank.recruited
    (table,) = [each for each in done.tables if each.title == "Recruitment and workload"]
    assert row(table, "graphictown", "All types").cells["experts"] == len(goals)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"goals": 3}'])
def test_files_that_are_no_artefacts_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "test-0.json").write_text(text)
    with pytest.raises(UserError, match="holds no artefacts of GraphicTown"):
        recruited(POLICY.results, tmp_path)


def test_orders_are_those_in_which_experts_begin() -> None:
    table = expert_sequences([POLICY])
    assert row(table, "", "Workflows").cells["own somebody"] == 4
    share = {each.name: each.cells["own somebody"] for each in table.rows if each.group}
    assert share.pop("photo editor → layout designer") == 0.25
    assert share.pop("layout designer → photo editor") == 0.25
    assert share.pop(WITH_STRANGERS) == share.pop(NONE) == 0.25
    assert set(share.values()) == {0.0} and len(share) == 11  # the paper's other rows
    assert row(table, "Two experts", "photo editor → layout designer").cells["paper GPT-3.5"] == 931 / 987


def test_the_most_common_workflows_are_told_with_their_counts() -> None:
    once = planned("test-4", "poster", (LAYOUT, "CreateText"))
    table = action_sequences([Policy("somebody", [once, POSTER, EMPTY, POSTER, AGAIN, CARD])])
    assert [(each.name, each.cells["count"], each.cells["share"], each.cells["actions"]) for each in table.rows] == [
        ("1", 2, 2 / 5, "ImportObject ×2 → CreateText ×3"),
        ("2", 1, 1 / 5, "CreateText"),
        ("3", 1, 1 / 5, "CreateText → ImportObject → SaveDocument"),
    ]
    assert shortened(["A", "B", "B", "A"]) == "A → B ×2 → A"


def test_the_papers_orders_add_up_to_the_totals_in_its_text() -> None:
    totals = {
        line["sequence"]: sum(int(n) for key, n in line.items() if key != "sequence") for line in lines("table11")
    }
    assert totals[f"{PHOTO} > {LAYOUT}"] == 4207
    assert totals[f"{LAYOUT} > {PHOTO}"] == 504
    assert totals[f"{PHOTO} > {VECTOR}"] == 262


def test_the_papers_ratios_add_up_to_its_experts_but_for_one_model() -> None:
    def gap(line: Any) -> float:
        return abs(sum(float(line[f"ratio_{each}"]) for each in (PHOTO, VECTOR, LAYOUT)) - float(line["experts"]))

    assert len(lines("table10")) == 24
    assert {line["model"] for line in lines("table10") if gap(line) > 0.021} == {"LLaMA-3 8b"}
    assert sum(gap(line) > 0.021 for line in lines("table10")) == 4
