r"""Sampling single answers with vLLM: TRL's settings, and what is refused before any work.

**Not run yet**: vLLM needs a GPU with its package, and none was at hand. What TRL 1.16 does with these settings was
read from its source; check on a GPU that the first answers are those that transformers would sample. vLLM reads the
model's own folder, so that a stage that goes on from whole weights needs the original processor's files beside them;
``max_pixels`` is not written there, but pictures come to vLLM as small as the training sees them.

A server is started on GPUs of its own as TRL 1.16 wants it::

    VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --weight-transfer-config '{"backend": "nccl"}' \
        --logprobs-mode processed_logprobs --max-logprobs -1 --enable-scale-out
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.frames import seen_size
from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.errors import UserError
from designgym.train.config import TrainConfig
from designgym.train.model.files import read_model
from designgym.train.stages import SamplingStage, VllmSection

NEVER = -100.0
"""The lowest bias that vLLM takes; added to a logit, the token's chance is e^-100 of what it was."""


def vllm_arguments(section: VllmSection, tokenizer: Any) -> dict[str, Any]:
    """Keyword arguments of TRL's ``GRPOConfig`` and ``RLOOConfig``.

    Args:
        section: The stage's.
        tokenizer: The model's. Tokens that stand for pixels are not sampled: vLLM knows no ``suppress_tokens``.
    """
    arguments = {
        "use_vllm": True,
        "vllm_mode": section.mode,
        "generation_kwargs": {"logit_bias": dict.fromkeys(suppressed_tokens(tokenizer), NEVER)},
    }
    if section.mode == "server":
        return {
            **arguments,
            "vllm_server_base_url": section.base_url,
            "vllm_group_port": section.group_port,
        }
    return {
        **arguments,
        "vllm_gpu_memory_utilization": section.memory,
        "vllm_tensor_parallel_size": section.tensor_parallel,
        "vllm_max_model_length": section.max_model_length,
        "vllm_enable_sleep_mode": section.sleep,
    }


def check_vllm(config: TrainConfig, stage: SamplingStage, env: gym.Env[Any, Any]) -> None:
    """Refuse what cannot work with vLLM; nothing, where the stage samples with transformers.

    Args:
        config: The run.
        stage: A stage.
        env: Its environment.

    Raises:
        UserError: For episodes of several calls, a missing package, processes that cannot share the model, answers
            without room for a prompt, or pages that vLLM would see in another size than the training.
    """
    section = stage.vllm
    if section is None:
        return
    if env.unwrapped.max_calls > 1:  # type: ignore[attr-defined]
        raise UserError(
            f"Stage '{stage.name}' samples with vllm, which answers once, and the environment takes several calls; "
            "leave vllm out."
        )
    if importlib.util.find_spec("vllm") is None:
        raise UserError(
            f"Stage '{stage.name}' samples with vllm, and that package is not installed. Install it on a machine with "
            "a GPU (pip install 'vllm>=0.22,<=0.31', the versions that TRL 1.16 works with), or leave vllm out."
        )
    if section.max_model_length is not None and section.max_model_length <= stage.max_completion_length:
        raise UserError(
            f"Stage '{stage.name}' has vllm.max_model_length {section.max_model_length}, prompt included, and "
            f"max_completion_length {stage.max_completion_length}; raise the first one."
        )
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if processes % section.tensor_parallel:
        raise UserError(
            f"Stage '{stage.name}' spreads vLLM's model over {section.tensor_parallel} GPUs, which does not divide the "
            f"{processes} processes of the run; set vllm.tensor_parallel to a divisor, or start more processes."
        )
    _check_pixels(config, stage, env)


def _check_pixels(config: TrainConfig, stage: SamplingStage, env: gym.Env[Any, Any]) -> None:
    """Pages come in the size that the training's processor gives them; that of the model's folder must keep it."""
    if config.peft is None and config.start_of(stage) != "init":
        return  # it starts from a folder of this run, whose processor is the training's
    space: Any = env.observation_space
    height, width = space["image"].shape[:2]
    _, bounded = read_model(config)
    _, own = read_model(config.model_copy(update={"max_pixels": None}))
    trained = seen_size(bounded, (width, height))
    sampled = seen_size(own, trained)
    if trained != sampled:
        raise UserError(
            f"With max_pixels {config.max_pixels} pages have {trained[0]}x{trained[1]} px, and vLLM, which reads the "
            f"processor in the folder of '{config.model}', would make them {sampled[0]}x{sampled[1]}; lower max_pixels "
            f"to {own.size['longest_edge']}, that processor's own bound."
        )
