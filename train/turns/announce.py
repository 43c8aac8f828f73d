"""What TRL's own trainer needs to be told about environments of ours, and what it would do wrong without a word.

TRL derives the tools' schemas from signatures, which loses ranges and the fields of operations, and it has no hook to
set them; so this leans on attributes of TRL 1.16 and looks at a rendered prompt afterwards.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from designgym.agents.qwen.processor import check_padding
from designgym.agents.qwen.tokenizer import qwen3_vl_template
from designgym.errors import UserError
from designgym.tools import ToolTable
from designgym.train.turns.adapter import ToolEnvironment
from designgym.train.turns.guards import check_suppressed, check_trl, smallest_call

Schemas = list[dict[str, Any]]


def announce(trainer: Any) -> None:
    """Prepare a ``GRPOTrainer`` that was made with an ``environment_factory`` of ours; call it before ``train()``.

    * The prompt announces exactly the tools' schemas (none with the brief wording), which is checked on a prompt.
    * The one reward function is the environment's, and the reward's parts go into the curves beside it.
    * No more calls are asked for than the environment takes.
    * A batch that lost its images ends the run; TRL would train on without pixels.
    * ``log_completions`` works; TRL fails to write conversations with images in answers.

    Args:
        trainer: The trainer.

    Raises:
        UserError: For another version of TRL than 1.16, environments that are not of ours, further reward functions,
            right padding, vision tokens that could be sampled, or a ``max_completion_length`` without room for more
            than one call.
    """
    check_trl()
    tokenizer = trainer.processing_class.tokenizer
    check_padding(trainer.processing_class)
    if not trainer.use_vllm:
        check_suppressed(trainer.generation_config.suppress_tokens, tokenizer)
    played = {name: pool[0] for name, pool in (getattr(trainer, "_environment_pool", None) or {}).items()}
    if not played or not all(isinstance(environment, ToolEnvironment) for environment in played.values()):
        raise UserError(
            "The trainer's environment_factory is none of ours; make it with "
            "designgym.train.turns.adapter.environment_class."
        )
    if len(trainer.reward_funcs) != len({type(environment) for environment in played.values()}):
        raise UserError(
            "The trainer has reward functions beside the environment's. TRL keeps an episode that could not be scored "
            "out of the loss only if it has no other reward; leave reward_funcs out and give the environment a "
            "weighted sum (reward=[...])."
        )
    trainer.reward_funcs[:] = [_episode_rewards]
    trainer.reward_func_names[:] = ["environment"]
    trainer.reward_processing_classes[:] = [None]
    trainer.reward_weights = trainer.reward_weights[:1]
    for name, environment in played.items():
        asking = environment.asking
        trainer._env_tools[name] = trainer._standalone_tools + (asking.tools if asking.wording == "full" else [])
        _check_prompt(trainer, name, environment)
        _check_budget(trainer, environment, tokenizer)
    trainer.tools = [tool for tools in trainer._env_tools.values() for tool in tools] or trainer.tools
    most = max(environment._design.max_calls for environment in played.values())
    trainer.max_tool_calling_iterations = min(trainer.max_tool_calling_iterations, most)
    trainer._generate_and_score_completions = _with_pixels(trainer._generate_and_score_completions)
    for column in ("prompt", "completion"):
        trainer._logs[column] = _Conversations(trainer._logs[column], trainer._logs[column].maxlen)


def give_tool_template(processor: Any) -> None:
    """Give a processor whose chat template cannot render tools (Qwen2-VL's, Qwen2.5-VL's) that of Qwen3-VL, and say so.

    Call it before the trainer is made, which refuses such a template.

    Args:
        processor: A processor of `designgym.agents.qwen.processor.load_processor`; changed in place.
    """
    from trl.chat_template_utils import supports_tool_calling

    if not supports_tool_calling(processor):
        warnings.warn("The chat template cannot render tools; that of Qwen3-VL is used in its place.", stacklevel=2)
        processor.chat_template = processor.tokenizer.chat_template = qwen3_vl_template()


def _episode_rewards(
    *, environments: Sequence[ToolEnvironment], log_metric: Callable[[str, float], None], **unused: Any
) -> list[float | None]:
    """What the episodes earned; the reward's parts go into the curves."""
    rewards = [environment.get_reward() for environment in environments]
    for environment, reward in zip(environments, rewards, strict=True):
        for name, value in environment.reward_parts.items():
            log_metric(f"reward/{name}", value)
        log_metric("episodes/unfinished", float(not environment.over))
        log_metric("episodes/unscored", float(reward is None))
    return rewards


class _Conversations(deque[str]):
    """Conversations as JSON without their images: in a column of a table their messages must be of one kind."""

    def extend(self, conversations: Any) -> None:
        from trl.trainer.utils import strip_images_from_messages

        super().extend(json.dumps(strip_images_from_messages(each), default=str) for each in conversations)


def _with_pixels(score: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    def scored(inputs: Any) -> dict[str, Any]:
        batch = score(inputs)
        if "pixel_values" not in batch:  # TRL drops all images if a single token does not match them
            raise RuntimeError(
                "The batch lost its images, because the image tokens of an episode are not those of its images."
            )
        return batch

    return scored


def _check_prompt(trainer: Any, name: str | None, environment: ToolEnvironment) -> None:
    """Whether a prompt announces the trainer's tools as they are, and nothing else."""
    from transformers.utils import get_json_schema

    expected = [get_json_schema(tool) if callable(tool) else tool for tool in trainer._env_tools[name]]
    trainer._batch_environments = [name]
    ids, _, _ = trainer._tokenize_prompts([[{"role": "user", "content": environment.reset(seed=0)}]])
    found = re.search("<tools>\n(.*?)\n</tools>", trainer.processing_class.tokenizer.decode(ids[0]), re.DOTALL)
    if (json.loads(f"[{found.group(1).replace(chr(10), ',')}]") if found else []) != expected:
        raise UserError(
            "The chat template does not announce the tools as Qwen's templates do, a schema a line between <tools> "
            "and </tools>; see designgym.train.turns.announce.give_tool_template."
        )


def _check_budget(trainer: Any, environment: ToolEnvironment, tokenizer: Any) -> None:
    """Whether a second call fits behind the answer to the first one; TRL counts images in the same budget."""
    table: ToolTable = environment._design.tool_table
    name, tokens = smallest_call(table, tokenizer)
    environment.reset(seed=0)
    shown = environment._call(name, table[name].example())
    answer = len(trainer._get_tool_suffix_ids([{"role": "tool", "name": name, "content": shown}]))
    needed = tokens if environment._design.max_calls == 1 else 2 * tokens + answer
    if trainer.max_completion_length < needed:
        raise UserError(
            f"max_completion_length is {trainer.max_completion_length}; it must hold all of an episode but its first "
            f"prompt. The smallest call, of {name}, takes {tokens} tokens, and the answer to it {answer} with "
            f"its image: set it to {needed} at least, and max_new_tokens in generation_kwargs to what a call may take."
        )
