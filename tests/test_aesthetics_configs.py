"""The bundled evaluations of the aesthetics tasks: they load, and name agents and settings that exist."""

from __future__ import annotations

import pytest

from designgym.agents.prompts import prompt_settings
from designgym.agents.table import CONSTANTS
from designgym.agents.table import check as check_agent
from designgym.config import bundled_names, load_config
from designgym.eval.config import EvalConfig
from designgym.eval.evaluate import label
from designgym.registration import ENTRY_POINTS

TASKS = {
    "judgment": "designgym/AestheticJudgment-v0",
    "selection": "designgym/RegionSelection-v0",
    "localization": "designgym/AestheticLocalization-v0",
}
NAMES = [f"eval/aesthetics-{task}{kind}" for task in TASKS for kind in ("", "-ood", "-prompts")]


@pytest.mark.parametrize("name", NAMES)
def test_a_bundled_evaluation_loads_with_agents_that_exist(name: str) -> None:
    assert name in bundled_names()
    config = load_config(name, EvalConfig)
    assert config.env.id == TASKS[name.split("-")[1]]
    assert config.env.id in ENTRY_POINTS
    for agent in config.agents:
        check_agent(agent.name, agent.options)
    assert len({label(agent) for agent in config.agents}) == len(config.agents)
    assert config.limit >= 600


@pytest.mark.parametrize("name", NAMES)
def test_a_constant_stands_in_every_evaluation(name: str) -> None:
    assert {agent.name for agent in load_config(name, EvalConfig).agents} & set(CONSTANTS)


@pytest.mark.parametrize("task", TASKS)
def test_out_of_distribution_designs_are_others(task: str) -> None:
    config = load_config(f"eval/aesthetics-{task}-ood", EvalConfig)
    assert config.ood["designs"] != config.env.kwargs["designs"]


@pytest.mark.parametrize("task", TASKS)
def test_each_part_of_the_prompt_is_left_out_once_and_both_wordings_are_there(task: str) -> None:
    config = load_config(f"eval/aesthetics-{task}-prompts", EvalConfig)
    asked = [agent.options for agent in config.agents if agent.name == "qwen"]
    whole = {"image", "explanation", "metadata"}
    left_out = [sorted(whole - set(options["context"])) for options in asked if "context" in options]
    assert left_out == [["image"], ["explanation"], ["metadata"]]
    assert [options["framing"] for options in asked if "framing" in options] == ["original", "optimized"]
    assert config.env.kwargs["metadata"] is True
    for options in asked:
        prompt_settings(config.env.id, **{k: options.get(k) for k in ("framing", "context")})
