"""Reading AuDrA's checkpoint: which of its tensors is which of the network's.

What names may differ in, and how they are read:

===============================================  ==================================================================
in the checkpoint                                here
===============================================  ==================================================================
``{"state_dict": {...}, ...}`` (Lightning)       the state dict inside
``<any prefix>conv1.weight`` (64, 1 or 3, 7, 7)  the prefix (``model.``, ``module.encoder.`` ...) is that of the ResNet
``<prefix>bn1.*``, ``<prefix>layer1.0.*`` ...    torchvision's names without the prefix
the one other tensor of shape (1, 512)           ``head.linear.weight``, with ``bias`` beside it
the one other ``running_mean`` of 512            ``head.norm.running_mean``, with its three neighbours
``*.num_batches_tracked``                        left out: it says nothing about scores
===============================================  ==================================================================

Whatever is missing, left over or of another shape is an error that lists it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from designgym.errors import UserError, require
from designgym.rewards.audra_network import FEATURES, Weights, shapes

SHOWN = 6
"""Names listed of each kind."""


def read_checkpoint(path: Path) -> Weights:
    """The network's weights, of a file of torch (``weights_only=True``) or of safetensors.

    Raises:
        UserError: If the file cannot be read without unpickling code, or holds another network.
    """
    found = _tensors(path)
    renamed, left_over = _renamed(found)
    first = renamed.get("conv1.weight")
    wanted = shapes(3 if first is None else int(first.shape[1]))
    missing = [name for name in wanted if name not in renamed]
    odd = [
        f"{name} {tuple(renamed[name].shape)} instead of {shape}"
        for name, shape in wanted.items()
        if name in renamed and tuple(renamed[name].shape) != shape
    ]
    listed = [
        f"{label}: {_listed(names)}"
        for label, names in (("missing", missing), ("left over", left_over), ("of another shape", odd))
        if names
    ]
    if listed:
        raise UserError(
            f"'{path}' is not AuDrA's network (a ResNet-18, batch normalisation and a linear layer): "
            f"{'; '.join(listed)}."
        )
    return {name: renamed[name].float() for name in wanted}


def _tensors(path: Path) -> dict[str, Any]:
    torch: Any = require("torch", extra="train")
    try:
        if path.suffix == ".safetensors":
            data = require("safetensors.torch", extra="scorers").load_file(path)
        else:
            data = torch.load(path, map_location="cpu", weights_only=True)
    except UserError:
        raise
    except Exception as error:  # damaged files fail in as many ways as there are readers
        text = str(error)
        if "weights_only" in text or "WeightsUnpickler" in text:
            raise UserError(
                f"'{path}' holds pickled objects beside its weights, and unpickling would run whatever code they name, "
                "so it is not loaded. Where you trust the file, save its weights alone once: "
                "torch.save(torch.load(FILE, map_location='cpu', weights_only=False)['state_dict'], 'audra.pt')."
            ) from error
        reason = text.strip().splitlines()[0] if text.strip() else type(error).__name__
        raise UserError(f"'{path}' cannot be read as a checkpoint: {reason}") from error
    inner = data.get("state_dict", data) if isinstance(data, Mapping) else None
    if not isinstance(inner, Mapping) or not all(isinstance(tensor, torch.Tensor) for tensor in inner.values()):
        raise UserError(f"'{path}' holds no state dict: names and their tensors, or those under 'state_dict'.")
    return dict(inner)


def _renamed(found: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The tensors under the network's names, and the names of those that it does not have."""
    resnet = [name for name in shapes(3) if not name.startswith("head.")]
    rest = {name: tensor for name, tensor in found.items() if not name.endswith("num_batches_tracked")}
    starts = [n.removesuffix("conv1.weight") for n, t in rest.items() if n.endswith("conv1.weight") and t.ndim == 4]
    prefix = min(starts, key=len, default="")
    renamed = {name: rest.pop(prefix + name) for name in resnet if prefix + name in rest}
    linear = [n.removesuffix("weight") for n, t in rest.items() if n.endswith("weight") and t.shape == (1, FEATURES)]
    means = [n for n, t in rest.items() if n.endswith("running_mean") and t.shape == (FEATURES,)]
    norm = [n.removesuffix("running_mean") for n in means]
    parts = {"linear": ("weight", "bias"), "norm": ("weight", "bias", "running_mean", "running_var")}
    for layer, candidates in (("linear", linear), ("norm", norm)):
        if len(candidates) == 1:  # of two, neither is known to be it
            for part in parts[layer]:
                if candidates[0] + part in rest:
                    renamed[f"head.{layer}.{part}"] = rest.pop(candidates[0] + part)
    return renamed, list(rest)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
