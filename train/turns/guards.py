"""What is wrong about a training on many turns, found before any work: each problem is one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from designgym.agents.qwen.dialogue import HistoryKind
from designgym.agents.qwen.processor import check_padding
from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.errors import UserError
from designgym.prompt import render_call
from designgym.tools import ToolTable
from designgym.train.methods.trl_methods import check_methods

TRL_VERSION = "1.16."
"""The trainer leans on what these methods do inside, not only on their signatures."""

SIGNATURES = {
    "_generate": ("self", "prompts"),
    "_generate_and_score_completions": ("self", "inputs"),
    "_generate_single_turn": (
        "self", "prompt_ids", "images", "multimodal_fields", "num_generations", "has_tool_images",
    ),
    "_compute_loss": ("self", "model", "inputs"),
    "_get_per_token_logps_and_entropies": (
        "self", "model", "input_ids", "attention_mask", "logits_to_keep", "batch_size", "compute_entropy",
        "compute_aux_loss", "pixel_values", "image_grid_thw", "num_images", "pixel_attention_mask", "spatial_shapes",
        "num_tiles", "image_sizes", "token_type_ids", "mm_token_type_ids", "image_position_ids",
    ),
}  # fmt: skip
"""Methods of ``GRPOTrainer`` that are replaced or used, with their parameters."""


def check_trl() -> None:
    """Refuse a TRL whose insides are not those that the trainer was written for.

    Raises:
        UserError: For another version, or a method with other parameters.
    """
    import trl

    if not trl.__version__.startswith(TRL_VERSION):
        raise UserError(
            f"GRPO on many turns was written for TRL {TRL_VERSION}x, and {trl.__version__} is installed; "
            f"pip install 'trl=={TRL_VERSION}*'."
        )
    check_methods(trl.GRPOTrainer, SIGNATURES, "GRPO on many turns")


def check_objective(history: HistoryKind, loss_type: str, num_iterations: int) -> None:
    """Refuse an objective that would be computed on other rows than those that are trained on.

    Raises:
        UserError: For several updates on a batch, or a loss that counts rows where they are turns.
    """
    if num_iterations > 1:
        raise UserError(
            f"num_iterations is {num_iterations}, and episodes of many turns are used for one update only; set it to 1."
        )
    if history == "windowed" and loss_type != "dapo":
        raise UserError(
            f"loss_type is '{loss_type}', which would count padding among the rows that are turns; "
            "take 'dapo', or history 'growing'."
        )


def check_max_rows(max_rows: int | None, loss_type: str) -> None:
    """Refuse to sample rows where the loss is a mean over them."""
    if max_rows is not None and loss_type != "dapo":
        raise UserError(f"max_rows goes with loss_type 'dapo' alone, not with '{loss_type}'; leave one of them out.")


def check_settings(
    args: Any, history: HistoryKind, tools: ToolTable, processor: Any, max_rows: int | None = None
) -> None:
    """Refuse settings of TRL under which rows would be trained on wrongly.

    Args:
        args: TRL's ``GRPOConfig``.
        history: How the model is shown what came before.
        tools: The environment's tools.
        processor: The model's.
        max_rows: Most rows in a forward pass, if any.

    Raises:
        UserError: For the first problem.
    """
    check_padding(processor)
    check_objective(history, args.loss_type, args.num_iterations)
    check_max_rows(max_rows, args.loss_type)
    if args.use_vllm:
        raise UserError("use_vllm is on, and episodes of many turns are played with transformers only; switch it off.")
    if args.gradient_accumulation_steps % args.steps_per_generation:
        raise UserError(
            f"steps_per_generation {args.steps_per_generation} does not divide gradient_accumulation_steps "
            f"{args.gradient_accumulation_steps}: turns would be learnt from after the model has changed. "
            "Leave steps_per_generation out."
        )
    if args.mask_truncated_completions:
        raise UserError("mask_truncated_completions is not for episodes of many turns; leave it out.")
    if args.top_entropy_quantile < 1 or args.importance_sampling_level != "token":
        raise UserError(
            "top_entropy_quantile and importance_sampling_level are left at 1 and 'token' for episodes of many turns."
        )
    check_suppressed((args.generation_kwargs or {}).get("suppress_tokens"), processor.tokenizer)
    check_budget(args.max_completion_length, tools, processor.tokenizer)


def check_suppressed(suppress_tokens: Iterable[int] | None, tokenizer: Any) -> None:
    """Refuse to sample tokens that stand for pixels.

    Args:
        suppress_tokens: Tokens that are never sampled.
        tokenizer: The model's.

    Raises:
        UserError: If a token of the vision tower is not among them.
    """
    suppressed = set(suppress_tokens or ())
    if missing := [token for token in suppressed_tokens(tokenizer) if token not in suppressed]:
        raise UserError(
            f"The model could sample {tokenizer.convert_ids_to_tokens(missing[0])}, which breaks the next forward "
            'pass; set generation_kwargs to {"suppress_tokens": '
            "designgym.agents.qwen.tokenizer.suppressed_tokens(tokenizer)}."
        )


def check_sharding(fsdp: bool, zero_stage: int) -> None:
    """Refuse weights that lie in pieces over the processes.

    Args:
        fsdp: Whether FSDP is on.
        zero_stage: DeepSpeed's stage, 0 without it.

    Raises:
        UserError: If every forward pass gathers weights: with uneven turns, processes would wait for each other.
    """
    if fsdp or zero_stage == 3:
        kind = "FSDP" if fsdp else "DeepSpeed ZeRO-3"
        raise UserError(
            f"{kind} gathers weights in every forward pass, and processes play episodes of uneven turns; "
            "train with plain data parallelism or ZeRO-2, perhaps adapters alone."
        )


def check_budget(max_completion_length: int, tools: ToolTable, tokenizer: Any) -> None:
    """Refuse turns so short that no call fits into one.

    Args:
        max_completion_length: Longest turn in tokens.
        tools: The environment's tools.
        tokenizer: The model's.

    Raises:
        UserError: If the smallest call of every tool that takes arguments is longer.
    """
    name, tokens = smallest_call(tools, tokenizer)
    if max_completion_length < tokens:
        raise UserError(
            f"max_completion_length is {max_completion_length}, and the smallest call, of {name}, takes "
            f"{tokens - 1} tokens and one that ends the turn; set it to {tokens} or more."
        )


def smallest_call(tools: ToolTable, tokenizer: Any) -> tuple[str, int]:
    """The tool with the shortest call of all that take arguments, and its tokens, the end of the turn included."""
    with_arguments = [tool for tool in tools if tool.parameters] or list(tools)
    calls = {tool.name: len(tokenizer(render_call(tool.name, tool.example()))["input_ids"]) for tool in with_arguments}
    name = min(calls, key=lambda name: calls[name])
    return name, calls[name] + 1
