"""A run over many turns goes on as if it had not been interrupted, in both histories and both kinds of stages."""

import os
import signal

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from turn_run import curves, drawing, quiet, run_config, weights  # noqa: E402

from designgym.train import run as running  # noqa: E402
from designgym.train.callbacks import Curves  # noqa: E402


def terminate_in(patch, stage, step):
    """Let SIGTERM arrive in a training step."""
    original = Curves.on_step_end

    def on_step_end(curves, args, state, control, **kwargs):
        original(curves, args, state, control, **kwargs)
        if state.global_step == step and stage in args.output_dir:
            os.kill(os.getpid(), signal.SIGTERM)

    patch.setattr(Curves, "on_step_end", on_step_end)


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_a_run_terminated_in_each_stage_has_the_weights_and_curves_of_one_that_was_not(history, tmp_path, monkeypatch):
    config = run_config(tmp_path, [f"stages.0.history={history}", f"stages.1.history={history}"])
    monkeypatch.setattr(running, "_evaluate", lambda *arguments: None)
    drawing(monkeypatch)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    running.run(config, whole, quiet())
    for stage, step in (("sft", 2), ("grpo", 2)):
        with monkeypatch.context() as patch:
            terminate_in(patch, stage, step)
            with pytest.raises(KeyboardInterrupt):
                running.run(config, parts, quiet())
        checkpoint = parts / "stages" / stage / "checkpoints" / f"checkpoint-{step}"
        assert (checkpoint / "trainer_state.json").is_file()
        assert not (parts / "stages" / stage / "done.json").exists()
    running.run(config, parts, quiet())
    points = curves(whole)
    assert [(stage, step) for stage, step, _ in points] == [(s, n) for s in ("sft", "grpo") for n in (1, 2, 3, 4)]
    losses, norms = ([figures[name] for _, _, figures in points] for name in ("loss", "grad_norm"))
    assert all(norms) and len(set(losses)) == len(losses)  # every step learnt something else
    assert [figures["episodes/turns"] for stage, _, figures in points if stage == "grpo"] == [3.0] * 4
    assert len({figures["learning_rate"] for _, _, figures in points}) > 4
    uncounted = ("num_tokens",)  # of supervised stages, which TRL counts anew
    assert curves(parts, leave=uncounted) == curves(whole, leave=uncounted)
    for stage in ("sft", "grpo"):
        assert weights(parts, stage) == weights(whole, stage)
    assert weights(whole, "sft") != weights(whole, "grpo")
