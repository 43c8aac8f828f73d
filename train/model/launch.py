"""How a run was launched: what accelerate's launcher says about spreading one model over several GPUs."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping
from typing import Literal

from designgym.errors import UserError

Sharding = Literal["none", "fsdp", "zero1", "zero2", "zero3"]
"""Whether each process holds the model whole, or parts of it: by FSDP, or by a stage of DeepSpeed's ZeRO."""


def sharding(environment: Mapping[str, str] = os.environ) -> Sharding:
    """What ``accelerate launch`` was told, by the variables that it sets.

    Args:
        environment: The process's.
    """
    if _true(environment, "ACCELERATE_USE_FSDP"):
        return "fsdp"
    if not _true(environment, "ACCELERATE_USE_DEEPSPEED"):
        return "none"
    stage = environment.get("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2")
    if path := environment.get("ACCELERATE_DEEPSPEED_CONFIG_FILE"):
        try:
            with open(path, encoding="utf-8") as file:
                stage = str(json.load(file).get("zero_optimization", {}).get("stage", stage))
        except (OSError, ValueError):  # DeepSpeed will say what is wrong with its file
            pass
    return {"1": "zero1", "2": "zero2", "3": "zero3"}.get(stage, "none")  # type: ignore[return-value]


def check_launched(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse a launcher that asks for DeepSpeed where that package is missing.

    Raises:
        UserError: With the way out.
    """
    if _true(environment, "ACCELERATE_USE_DEEPSPEED") and importlib.util.find_spec("deepspeed") is None:
        raise UserError(
            "The run was launched with DeepSpeed, and that package is not installed: pip install deepspeed, or launch "
            "with accelerate/ddp or accelerate/fsdp2."
        )


def _true(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "false").lower() in {"1", "true", "yes", "on"}
