"""AuDrA's network as functions of its weights: a ResNet-18 (He et al., 2016) and a head of one number.

Written from the published description alone: ResNet-18, then batch normalisation, ReLU and a linear layer from 512
features to 1; drawings inverted, resized to 224 px, with mean 0.1612 and standard deviation 0.4075 (Patterson et al.,
2024). Needs torch, which is imported where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.errors import require

SIDE_PX = 224
MEAN, SD = 0.1612, 0.4075
"""Of inverted grey levels, 0 (paper) to 1 (ink)."""
FEATURES = 512
BLOCKS = 2
"""Residual blocks in each of the four stages."""
EPSILON = 1e-5
"""What batch normalisation adds to the variance."""

Weights = Mapping[str, Any]
"""Tensors by the names of :func:`shapes`."""


def shapes(channels: int) -> dict[str, tuple[int, ...]]:
    """Every tensor of the network and its shape: torchvision's names for the ResNet, ``head.*`` for the rest.

    Args:
        channels: Of the first convolution: 3, or 1 for grey input.
    """
    found: dict[str, tuple[int, ...]] = {"conv1.weight": (64, channels, 7, 7)} | _norm_shapes("bn1", 64)
    width = 64
    for stage in range(4):
        out = 64 << stage
        for block in range(BLOCKS):
            name = f"layer{stage + 1}.{block}"
            found |= {f"{name}.conv1.weight": (out, width, 3, 3), f"{name}.conv2.weight": (out, out, 3, 3)}
            found |= _norm_shapes(f"{name}.bn1", out) | _norm_shapes(f"{name}.bn2", out)
            if stage and not block:
                found[f"{name}.downsample.0.weight"] = (out, width, 1, 1)
                found |= _norm_shapes(f"{name}.downsample.1", out)
            width = out
    return found | _norm_shapes("head.norm", FEATURES) | {"head.linear.weight": (1, FEATURES), "head.linear.bias": (1,)}


def pixels(images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """Drawings as the network sees them: inverted, resized (bilinear) and normalised.

    Args:
        images: uint8 H x W, H x W x 1 or H x W x 3 each, 0 ink and 255 paper.

    Returns:
        float32 (n, 1, 224, 224). Colours become grey levels.
    """
    found = np.empty((len(images), 1, SIDE_PX, SIDE_PX), np.float32)
    for number, image in enumerate(images):
        flat = image[:, :, 0] if image.ndim == 3 and image.shape[2] == 1 else image
        inverted = Image.fromarray(255 - flat).convert("L")
        small = inverted.resize((SIDE_PX, SIDE_PX), Image.Resampling.BILINEAR)
        found[number, 0] = (np.asarray(small, np.float32) / 255 - MEAN) / SD
    return found


def forward(weights: Weights, batch: NDArray[np.float32]) -> NDArray[np.float64]:
    """The scores of a batch of :func:`pixels`, float64 (n,); unbounded."""
    torch: Any = require("torch", extra="train")
    with torch.inference_mode():
        x = torch.from_numpy(batch).expand(-1, weights["conv1.weight"].shape[1], -1, -1)
        features = _resnet(torch.nn.functional, weights, x)
        features = torch.relu(_norm(torch.nn.functional, weights, "head.norm", features))
        scores = features @ weights["head.linear.weight"].T + weights["head.linear.bias"]
        found: NDArray[np.float64] = scores[:, 0].double().numpy()
        return found


def _resnet(ops: Any, weights: Weights, x: Any) -> Any:
    """(n, channels, 224, 224) -> (n, 512)."""
    x = ops.conv2d(x, weights["conv1.weight"], stride=2, padding=3)
    x = ops.max_pool2d(ops.relu(_norm(ops, weights, "bn1", x)), 3, stride=2, padding=1)
    for stage in range(4):
        for block in range(BLOCKS):
            x = _block(ops, weights, f"layer{stage + 1}.{block}", x, stride=2 if stage and not block else 1)
    return x.mean(dim=(2, 3))


def _block(ops: Any, weights: Weights, name: str, x: Any, stride: int) -> Any:
    """Two convolutions, and the input added to what they give."""
    y = ops.conv2d(x, weights[f"{name}.conv1.weight"], stride=stride, padding=1)
    y = ops.relu(_norm(ops, weights, f"{name}.bn1", y))
    y = _norm(ops, weights, f"{name}.bn2", ops.conv2d(y, weights[f"{name}.conv2.weight"], padding=1))
    if f"{name}.downsample.0.weight" in weights:
        x = ops.conv2d(x, weights[f"{name}.downsample.0.weight"], stride=stride)
        x = _norm(ops, weights, f"{name}.downsample.1", x)
    return ops.relu(x + y)


def _norm(ops: Any, weights: Weights, name: str, x: Any) -> Any:
    mean, variance = weights[f"{name}.running_mean"], weights[f"{name}.running_var"]
    return ops.batch_norm(x, mean, variance, weights[f"{name}.weight"], weights[f"{name}.bias"], eps=EPSILON)


def _norm_shapes(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.{part}": (width,) for part in ("weight", "bias", "running_mean", "running_var")}
