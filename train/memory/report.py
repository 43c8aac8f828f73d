"""A plan as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from designgym.train.memory.holding import numbers
from designgym.train.memory.planned import GIB, ROOM, Plan, StagePlan
from designgym.train.stages import SamplingStage

MIB = 2**20


def show(console: Console, plan: Plan) -> None:
    """Print a plan: the model, then for each stage tokens and memory."""
    machines, counted = plan.machines, plan.parameters
    nodes = f"{machines.nodes} nodes of {machines.gpus}" if machines.nodes > 1 else f"{machines.gpus}"
    cut = f", {machines.sharding}" if machines.processes > 1 else ""
    console.print(f"model     {plan.config.model}: {plan.facts.shape.parameters:,} parameters ({plan.facts.source})")
    console.print(f"trained   {counted.trained:,} of them{' in adapters' if plan.config.peft else ''}")
    console.print(f"machines  {nodes} GPU of {machines.memory_gib:g} GiB ({machines.told}){cut}")
    for stage in plan.stages:
        console.print()
        console.print(_tokens(stage))
        console.print()
        console.print(_memory(plan, stage))
        for note in stage.notes:
            console.print(f"note: {note}")


def _tokens(planned: StagePlan) -> Table:
    found, counted, stage = planned.sequences, planned.batches, planned.stage
    about = "" if found.exact else "~"
    table = Table(box=None, pad_edge=False, show_header=False, title=f"Stage {stage.name} ({stage.kind})")  # type: ignore[attr-defined]
    table.title_justify, table.title_style = "left", "bold"
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    each = found.image_tokens // max(1, found.images)
    images = f"{found.images} images of up to {each:,} tokens" if found.images != 1 else "1 image"
    counted_by = "by the model's tokenizer" if found.exact else "text estimated at 3.5 characters a token"
    table.add_row("images of a prompt", f"{found.image_tokens:,} tokens", images)
    table.add_row("first prompt", f"{about}{found.first:,} tokens", f"images included; {counted_by}")
    if found.turns > 1:
        table.add_row("longest prompt", f"{about}{found.prompt:,} tokens", f"of {found.turns} calls, if all are long")
    table.add_row("learnt from a sequence", f"{about}{found.completion:,} tokens", _learnt(planned))
    table.add_row("sequences in a pass", f"{found.rows:,}", _rows(planned))
    table.add_row("a step", f"{counted.examples:,}", counted.told)
    table.add_row("tokens of a step", f"{about}{counted.tokens:,}", "at most, all processes together")
    return table


def _learnt(planned: StagePlan) -> str:
    stage, found = planned.stage, planned.sequences
    each = "" if found.turns == 1 else " of each call" if stage.history == "windowed" else " of each call, and images"
    if isinstance(stage, SamplingStage):
        return f"max_completion_length {stage.max_completion_length}{each}"
    return f"the longest answer{each}"


def _rows(planned: StagePlan) -> str:
    stage, found = planned.stage, planned.sequences
    if found.turns == 1 or stage.history == "growing":
        return f"batch_size {stage.batch_size}{' x 2' if found.rows == 2 * stage.batch_size else ''}"
    limit = getattr(stage, "max_rows", None)
    told = f"batch_size {stage.batch_size} episodes x {found.turns} calls"
    return f"{told}, of which max_rows {limit} are drawn" if limit is not None else told


def _memory(plan: Plan, planned: StagePlan) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("memory of a GPU", no_wrap=True)
    unit, divisor = ("GiB", GIB) if planned.peak >= GIB else ("MiB", MIB)
    table.add_column(unit, justify="right", no_wrap=True)
    table.add_column("how", overflow="fold", style="dim")
    for name, size, how in _lines(plan, planned):
        table.add_row(name, f"{size / divisor:.2f}", how)
    size = plan.machines.memory_gib * GIB
    fits = planned.peak <= (1 - ROOM) * size
    verdict = "fits" if fits else "tight" if planned.peak <= size else "does not fit"
    told = f"{verdict} into {plan.machines.memory_gib:g} GiB, a tenth of which should stay free"
    table.add_row("most at once", f"{planned.peak / divisor:.2f}", told, style="bold")
    return table


def _lines(plan: Plan, planned: StagePlan) -> Iterator[tuple[str, float, str]]:
    held, kinds, counted = planned.held, numbers(plan.config, planned.stage, plan.machines), plan.parameters
    cut_weights, cut_gradients, cut_states = plan.machines.parts
    frozen = "" if not counted.frozen else f", {counted.frozen:,} frozen in {kinds.loaded}"
    frozen += f", {counted.quantised:,} of them in 4 bits" if counted.quantised else ""
    yield "weights", held.weights, f"{counted.trained:,} in {kinds.trained}{frozen}{_cut(cut_weights)}"
    yield "gradients", held.gradients, f"{counted.trained:,} in {kinds.gradients}{_cut(cut_gradients)}"
    if held.buckets:
        yield "gradients to send", held.buckets, "a copy, which plain data parallelism keeps"
    master = "" if kinds.master is None else f" and a copy of the weights in {kinds.master}"
    yield "optimiser", held.states, f"two moments in {kinds.states}{master}{_cut(cut_states)}"
    if held.reference:
        of = "adapters" if plan.config.peft else "the model"
        yield "reference", held.reference, f"a copy of {of} that the policy is held to{_cut(cut_weights)}"
    if planned.vllm:
        told = "vllm.memory x the GPU's" + (", given back while the model learns" if planned.asleep else "")
        yield "vLLM", planned.vllm, told
    for estimate in planned.learning:
        yield f"~ {estimate.name}", estimate.bytes, f"estimate, learning: {estimate.formula}"
    for estimate in planned.sampling:
        yield f"~ {estimate.name}", estimate.bytes, f"estimate, sampling: {estimate.formula}"
    for estimate in planned.validating:
        yield f"~ {estimate.name}", estimate.bytes, f"estimate, validating: {estimate.formula}"


def _cut(parts: int) -> str:
    return "" if parts == 1 else f" / {parts} GPUs"
