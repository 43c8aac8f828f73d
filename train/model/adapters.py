"""Low-rank adapters on the language model of a Qwen-VL, and nowhere else."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

from designgym.agents.qwen.four_bit import mark
from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.processor import ADAPTER, adapted_model
from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.train.config import ADAPTED, LoraSection
from designgym.train.model.launch import sharding


def target_pattern(section: LoraSection) -> str:
    """The expression that a module's full name must match: the vision tower has layers of the same short names."""
    return rf".*language_model.*\.({'|'.join(re.escape(name) for name in section.targets)})"


def add_adapters(local: LocalModel, section: LoraSection, seed: int) -> LocalModel:
    """Wrap a model with fresh adapters; one that carries adapters already is returned as it is.

    Args:
        local: The model.
        section: Which adapters.
        seed: Of their random weights; torch's global state is left as it was.

    Raises:
        UserError: If a layer that the section names is not in the language model.
        RuntimeError: If an adapter would sit on the vision tower.
    """
    import torch
    from peft import LoraConfig, PeftModel, get_peft_model

    if isinstance(local.model, PeftModel):
        return local
    linears = [name for name, module in local.model.named_modules() if isinstance(module, torch.nn.Linear)]
    check_targets(section, linears, local.source)
    adapters = LoraConfig(
        r=section.rank,
        lora_alpha=section.alpha,
        lora_dropout=section.dropout,
        target_modules=target_pattern(section),
        task_type="CAUSAL_LM",
    )
    # Adapters are made on the CPU, or beside weights of 4 bits, which are on the GPU already.
    devices = [local.model.device] if local.model.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        # ZeRO-3 gathers weights into buffers of one type (huggingface/trl#6089).
        model = get_peft_model(local.model, adapters, autocast_adapter_dtype=sharding() != "zero3")
    strays = [name for name, _ in model.named_parameters() if "lora_" in name and "language_model" not in name]
    if strays:
        raise RuntimeError(f"The adapter {strays[0]} is not in the language model.")
    return dataclasses.replace(local, model=model)


def check_targets(section: LoraSection, linears: Iterable[str], source: str) -> None:
    """Refuse names of layers that the language model does not have.

    Args:
        section: Which adapters.
        linears: Full names of all linear layers.
        source: The model, for the message.

    Raises:
        UserError: It names those that there are.
    """
    known = {name.rpartition(".")[2] for name in linears if "language_model" in name}
    missing = [name for name in section.targets if name not in known]
    if missing and (section.targets != ADAPTED or not known.intersection(ADAPTED)):
        raise UserError(
            f"peft.targets {missing} name no layer of the language model of '{source}'; "
            f"it has {', '.join(sorted(known))}."
        )


def name_adapted_model(saved: Path, source: str, run: Path, *, four_bit: bool = False) -> None:
    """Write into a saved adapter's folder where the adapted model lies, so that it is found from anywhere.

    A model of the run itself is named by its path from the adapter, for the run's folder may be moved; any other folder
    by its absolute path; a hub id as it is. A folder without an adapter is left alone.

    Args:
        saved: The adapter's folder.
        source: What its training started from: a model, or an adapter on the same model.
        run: The run's folder.
        four_bit: Whether it was trained on weights of 4 bits, which is noted beside it.
    """
    if not (saved / ADAPTER).is_file():
        return
    base = adapted_model(Path(source)) if (Path(source) / ADAPTER).is_file() else source
    if Path(base).is_dir():
        place = Path(base).resolve()
        base = os.path.relpath(place, saved.resolve()) if place.is_relative_to(run.resolve()) else str(place)
    settings = json.loads((saved / ADAPTER).read_text(encoding="utf-8"))
    write_atomically(saved / ADAPTER, json.dumps({**settings, "base_model_name_or_path": base}, indent=2) + "\n")
    if four_bit:
        mark(saved)
