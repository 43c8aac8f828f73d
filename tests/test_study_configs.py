"""The six sensitivity analyses of PainterBench as configurations: conditions, baselines and trials of Table 3."""

from __future__ import annotations

from pathlib import Path

import pytest

from designgym.config import load_config
from designgym.eval.config import EvalConfig
from designgym.eval.evaluate import check, label

# Baseline, conditions beside it, trials in all without the baseline's, replicates: PainterBench, Table 3.
STUDIES = {
    "interface": ("tool calls", ["SVG markup"], 5),
    "vocabulary": ("full vocabulary", ["minimal vocabulary"], 1),
    "blank": ("stimulus", ["no stimulus"], 1),
    "oracle": ("subject withheld", ["subject given"], 1),
    "framing": ("canonical", ["depictive", "example"], 1),
}


@pytest.mark.parametrize("name", [*STUDIES, "context"])
def test_a_study_plays_all_thirty_shapes_in_each_condition(name: str, tmp_path: Path) -> None:
    config = load_config(f"eval/canvas-{name}", EvalConfig)
    labels = [label(agent) for agent in config.agents]
    assert (config.env.id, config.split, config.limit) == ("designgym/CanvasDrawing-v0", "test", 30)
    check(config, tmp_path / "out", resume=False)
    if name == "context":
        shown = [frozenset(agent.options["context"]) for agent in config.agents]
        assert len(set(shown)) == 8 and config.replicates == 1
        assert config.baseline == labels[shown.index(frozenset({"history", "canvas", "strip"}))]
    else:
        baseline, conditions, replicates = STUDIES[name]
        assert (config.baseline, labels, config.replicates) == (baseline, [baseline, *conditions], replicates)
    differing = [(agent.env, agent.options) for agent in config.agents]
    assert len({repr(each) for each in differing}) == len(differing)
