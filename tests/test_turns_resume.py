"""A run over many turns goes on as if it had not been interrupted, in both histories and both kinds of stages."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from safetensors.torch import load_file  # noqa: E402
from turn_run import curves, drawing, quiet, run_config, weights  # noqa: E402

from designgym.errors import UserError  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.guards.finite import Diverged, StopIfNotFinite  # noqa: E402
from designgym.train.methods.arguments import common_arguments  # noqa: E402
from designgym.train.stages import SftStage  # noqa: E402
from designgym.train.tracking.callbacks import Curves  # noqa: E402
from designgym.train.turns.imitation import RowCollator  # noqa: E402
from designgym.train.turns.pixels import Pixels  # noqa: E402


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


def test_a_gradient_that_is_not_finite_ends_the_run_with_the_last_good_checkpoint(tmp_path, monkeypatch):
    original, batches = RowCollator.__call__, []

    def call(self, examples):
        batches.append(original(self, examples))
        if len(batches) == 3:
            batches[-1]["pixel_values"][0, 0] = float("nan")
        return batches[-1]

    monkeypatch.setattr(RowCollator, "__call__", call)
    with pytest.raises(UserError, match=r"Stage 'sft' stopped in step 3: the gradient is not finite .* lower learning"):
        running.run(run_config(tmp_path, ["stages.0.save_every=1"]), tmp_path / "run", quiet())
    last = max((tmp_path / "run/stages/sft/checkpoints").iterdir())
    assert last.name == "checkpoint-2" and (last / "trainer_state.json").is_file()
    kept = load_file(last / "model.safetensors")
    assert all(bool(tensor.isfinite().all()) for tensor in kept.values())
    assert not (tmp_path / "run/stages/sft/model").exists()


def test_a_model_that_gives_nothing_to_sample_from_ends_the_run_with_a_sentence(tmp_path, monkeypatch):
    original = Pixels.of

    def of(self, images):
        fields = original(self, images)
        fields["pixel_values"] = fields["pixel_values"] * float("nan")
        return fields

    monkeypatch.setattr(Pixels, "of", of)
    config = run_config(tmp_path)
    config = config.model_copy(update={"stages": config.stages[1:]})
    with pytest.raises(UserError, match=r"Stage 'grpo' stopped in step 1: the distribution of the next token is not"):
        running.run(config, tmp_path / "run", quiet())
    assert not list((tmp_path / "run/stages/grpo").glob("checkpoints/*"))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_and_losses_that_are_not_finite_are_found_before_they_are_saved(value):
    model = torch.nn.Linear(2, 2)
    stop, state = StopIfNotFinite("sft"), SimpleNamespace(global_step=7)
    stop.on_step_end(None, state, None, model=model)
    stop.on_pre_optimizer_step(None, state, None, model=model)  # no gradients yet
    stop.on_log(None, state, None, {"loss": 0.5})
    with pytest.raises(Diverged, match="in step 7: the loss is"):
        stop.on_log(None, state, None, {"loss": value})
    with torch.no_grad():
        model.bias[1] = value
    with pytest.raises(Diverged, match="in step 7: the model is"):
        stop.on_step_end(None, state, None, model=model)
    model.weight.grad = torch.tensor([[0.0, 1.0], [value, 0.0]])
    with pytest.raises(Diverged, match="in step 8: the gradient is"):
        stop.on_pre_optimizer_step(None, state, None, model=model)


def test_a_loss_that_is_not_finite_is_logged_as_it_is():
    stage = SftStage(name="a", kind="sft", tasks={"first": 0, "count": 1}, steps=1, batch_size=1, learning_rate=1.0)
    assert common_arguments(stage, 0, Path("x"), bf16=False, workers=0)["logging_nan_inf_filter"] is False
