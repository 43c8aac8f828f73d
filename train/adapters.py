"""Low-rank adapters on the language model of a Qwen-VL, and nowhere else."""

from __future__ import annotations

import dataclasses
import re

from designgym.agents.qwen.local import LocalModel
from designgym.errors import UserError
from designgym.train.config import LoraSection


def target_pattern(section: LoraSection) -> str:
    """The expression that a module's full name must match: the vision tower has layers of the same short names."""
    return rf".*language_model.*\.({'|'.join(re.escape(name) for name in section.targets)})"


def add_adapters(local: LocalModel, section: LoraSection) -> LocalModel:
    """Wrap a model with fresh adapters; one that carries adapters already is returned as it is.

    Raises:
        UserError: If no layer is called as the section says.
        RuntimeError: If an adapter would sit on the vision tower.
    """
    from peft import LoraConfig, PeftModel, get_peft_model

    if isinstance(local.model, PeftModel):
        return local
    adapters = LoraConfig(
        r=section.rank,
        lora_alpha=section.alpha,
        lora_dropout=section.dropout,
        target_modules=target_pattern(section),
        task_type="CAUSAL_LM",
    )
    try:
        model = get_peft_model(local.model, adapters)
    except ValueError as error:  # no layer is called so
        raise UserError(
            f"peft.targets {list(section.targets)} name no layer of the language model of '{local.source}'."
        ) from error
    strays = [name for name, _ in model.named_parameters() if "lora_" in name and "language_model" not in name]
    if strays:
        raise RuntimeError(f"The adapter {strays[0]} is not in the language model.")
    return dataclasses.replace(local, model=model)
