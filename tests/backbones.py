"""Small backbones for tests: DINOv2 with random weights, and a stand-in for the network of effnet-lite0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def random_dinov2(folder: Path, **config: Any) -> Path:
    """A folder in the hub's layout with a DINOv2 whose every parameter is random; tiny unless the config says more."""
    import torch
    from transformers import Dinov2Config, Dinov2Model

    tiny = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 518, "patch_size": 14}
    model = Dinov2Model(Dinov2Config(**{**tiny, **config}))
    seeded = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            inputs = parameter[0].numel() if parameter.ndim > 1 else 1
            parameter.copy_(2 * torch.randn(parameter.shape, generator=seeded) / inputs**0.5)
    model.save_pretrained(folder)
    return folder


def small_effnet(folder: Path) -> Path:
    """A network with the input and the output of effnet-lite0's, which only mixes mean colours, and its record."""
    from onnx import TensorProto, helper, numpy_helper

    from designgym.rewards.features.effnet import NETWORK, POOLED, RECORD, WEIGHTS
    from designgym.rewards.features.weights import file_hash

    mix = np.random.default_rng(0).standard_normal((3, POOLED)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("ReduceMean", ["pixels", "axes"], ["colour"], keepdims=0),
            helper.make_node("MatMul", ["colour", "mix"], ["features"]),
        ],
        "small",
        [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 3, 224, 224])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", POOLED])],
        [numpy_helper.from_array(np.array([2, 3]), "axes"), numpy_helper.from_array(mix, "mix")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NETWORK).write_bytes(model.SerializeToString())
    record = {"onnx_sha256": file_hash(folder / NETWORK), "weights_sha256": WEIGHTS}
    (folder / RECORD).write_text(json.dumps(record))
    return folder
