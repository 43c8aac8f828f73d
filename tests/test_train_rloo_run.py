"""``designgym train`` with a stage of RLOO: to the report, with curves of entropy and divergence from the start."""

from io import StringIO

import pytest
from rich.console import Console

from designgym.config import load_config
from designgym.jsonl import read_jsonl
from designgym.train.config import TrainConfig

pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config

from designgym.train.run import run

STAGE = "{name: rl, kind: rloo, tasks: {count: 8}, steps: 2, batch_size: 4, num_generations: 4, learning_rate: 1e-3,\
 max_completion_length: 12, log_every: 1}"


@pytest.mark.slow
def test_a_stage_of_rloo_goes_to_the_report(tmp_path):
    overrides = [f"stages=[{STAGE}]", "peft={rank: 2}", "evaluation.count=4", "evaluation.sampled=false"]
    config = load_config(write_config(tmp_path), TrainConfig, [*overrides, "evaluation.agents=[always-none]"])
    report = run(config, tmp_path / "run", Console(file=StringIO(), width=160))
    assert report is not None
    page = report.read_text(encoding="utf-8")
    assert "Entropy of sampled answers" in page and "Divergence from the start" in page
    points = [line.value for line in read_jsonl(tmp_path / "run" / "metrics.jsonl")]
    assert [point["step"] for point in points] == [1, 2]
    for point in points:
        assert point["figures"]["entropy"] > 0
        assert {"reward", "kl", "answers/refused"} <= point["figures"].keys()
    assert points[0]["figures"]["kl"] == pytest.approx(0, abs=1e-6)
