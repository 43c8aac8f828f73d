"""AuDrA's network against transformers' ResNet with the same weights; what its checkpoints may look like."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.rewards import resolve
from designgym.rewards.audra import Audra
from designgym.rewards.audra_checkpoint import read_checkpoint
from designgym.rewards.audra_network import MEAN, SD, forward, pixels, shapes
from designgym.rewards.base import UnsuitableReward

torch: Any = pytest.importorskip("torch")

CIRCLE = np.full((400, 400, 1), 255, np.uint8)
_y, _x = np.mgrid[:400, :400]
CIRCLE[abs(np.hypot(_x - 200, _y - 180) - 90) < 3] = 0


def weights(channels: int = 3, seed: int = 0) -> dict[str, Any]:
    """Random weights under the network's own names, such that no layer drowns the others."""
    generator = torch.Generator().manual_seed(seed)
    made = {}
    for name, shape in shapes(channels).items():
        values = torch.randn(shape, generator=generator)
        if name.endswith("running_var") or (len(shape) == 1 and name.endswith("weight")):
            values = 0.5 + values.abs() / 2
        elif len(shape) == 4:
            values = values * (2 / np.prod(shape[1:])) ** 0.5
        else:
            values = values * 0.1
        made[name] = values
    return made


def published(made: dict[str, Any]) -> dict[str, Any]:
    """The same as Lightning names them, with what torchvision's batch norms also keep."""
    names = {"head.norm": "model.fc.0", "head.linear": "model.fc.2"}
    found = {}
    for name, tensor in made.items():
        layer, _, part = name.rpartition(".")
        found[f"{names.get(layer, f'model.{layer}')}.{part}"] = tensor
        if part == "running_var":
            found[f"{names.get(layer, f'model.{layer}')}.num_batches_tracked"] = torch.tensor(7)
    return found


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("audra") / "audra.ckpt"
    torch.save({"state_dict": published(weights()), "epoch": 3, "hyper_parameters": {"lr": 1e-4}}, path)
    return path


def drawing(image: Any = CIRCLE) -> Episode:
    truth: dict[str, Any] = {"open_ends": []}
    return Episode("designgym/CanvasDrawing-v0", "test", "is01", image=image, truth=truth)


def by_transformers(made: dict[str, Any], batch: Any) -> Any:
    """The scores by transformers' ResNet-18 and torch's own layers."""
    transformers = pytest.importorskip("transformers")
    config = transformers.ResNetConfig(
        depths=[2, 2, 2, 2], hidden_sizes=[64, 128, 256, 512], embedding_size=64, layer_type="basic"
    )
    model = transformers.ResNetModel(config).eval()
    state = {}
    for theirs in model.state_dict():
        if theirs.endswith("num_batches_tracked"):
            continue
        place = theirs.replace("embedder.embedder.convolution", "conv1").replace(
            "embedder.embedder.normalization", "bn1"
        )
        if theirs.startswith("encoder"):
            _, _, stage, _, block, *rest = theirs.split(".")
            layer = f"layer{int(stage) + 1}.{block}"
            part = rest[-1]
            kind = 0 if "convolution" in rest else 1
            if rest[0] == "shortcut":
                place = f"{layer}.downsample.{kind}.{part}"
            else:
                place = f"{layer}.{('conv', 'bn')[kind]}{int(rest[1]) + 1}.{part}"
        state[theirs] = made[place]
    model.load_state_dict(state, strict=False)
    head = torch.nn.Sequential(torch.nn.BatchNorm1d(512), torch.nn.ReLU(), torch.nn.Linear(512, 1)).eval()
    own = {f"0.{part}": made[f"head.norm.{part}"] for part in ("weight", "bias", "running_mean", "running_var")}
    own |= {f"2.{part}": made[f"head.linear.{part}"] for part in ("weight", "bias")}
    head.load_state_dict(own | {"0.num_batches_tracked": torch.tensor(0)})
    with torch.inference_mode():
        return head(model(torch.from_numpy(batch).expand(-1, 3, -1, -1)).pooler_output.flatten(1))[:, 0].numpy()


# ------------------------------------------------------------ the network


def test_scores_are_those_of_another_implementation_with_the_same_weights(checkpoint: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (300, 500), np.uint8)
    batch = pixels([CIRCLE, noise])
    found = forward(read_checkpoint(checkpoint), batch)
    wanted = by_transformers(weights(), batch)
    assert abs(wanted[0] - wanted[1]) > 1e-3  # it depends on the drawing
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def test_pixels_are_inverted_resized_and_normalised() -> None:
    paper, ink = np.full((448, 448, 3), 255, np.uint8), np.zeros((448, 448, 1), np.uint8)
    half = paper.copy()
    half[:, 224:] = 0
    found = pixels([paper, ink, half])
    assert found.shape == (3, 1, 224, 224) and found.dtype == np.float32
    np.testing.assert_allclose(found[0], (0 - 0.1612) / 0.4075, rtol=1e-6)
    np.testing.assert_allclose(found[1], (1 - 0.1612) / 0.4075, rtol=1e-6)
    np.testing.assert_allclose(found[2, 0, :, 150:], (1 - MEAN) / SD, rtol=1e-6)


def test_a_network_of_grey_input_reads_the_same_pixels() -> None:
    made = weights()
    grey = made | {"conv1.weight": made["conv1.weight"].sum(dim=1, keepdim=True)}
    batch = pixels([CIRCLE])
    np.testing.assert_allclose(forward(grey, batch), forward(made, batch), rtol=1e-3, atol=1e-4)


# ------------------------------------------------------------ the reward


def test_the_reward_scores_drawings_alike_alone_and_in_batches(checkpoint: Path) -> None:
    reward = resolve({"name": "audra", "checkpoint": str(checkpoint)})
    empty = np.full_like(CIRCLE, 255)
    alone = [reward.score(drawing(image)) for image in (CIRCLE, empty)]
    together = reward.score_batch([drawing(CIRCLE), drawing(empty)])
    for one, other in zip(alone, together, strict=True):
        assert one.components["audra/raw"] == pytest.approx(other.components["audra/raw"], rel=1e-4, abs=1e-5)
        raw = one.components["audra/raw"]
        assert raw is not None
    assert alone[0].value == min(1.0, max(0.0, alone[0].components["audra/raw"] or 0.0))
    assert alone[1].value == 0.0  # nothing was drawn, whatever the network says
    assert alone[0].components["audra/raw"] != alone[1].components["audra/raw"]
    assert len(reward.backend.hash) == 64


def test_it_survives_pickling_and_refuses_what_is_no_drawing(checkpoint: Path) -> None:
    reward = Audra(checkpoint)
    before = reward.score(drawing()).value
    assert pickle.loads(pickle.dumps(reward)).score(drawing()).value == before
    with pytest.raises(UnsuitableReward, match="asks for no drawing"):
        reward.check(Episode("designgym/AestheticJudgment-v0", "test", "test-000001", image=CIRCLE))
    with pytest.raises(UserError, match="has no image"):
        reward.score(drawing(None))


def test_without_a_checkpoint_it_fails_at_construction_and_says_where_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path))
    with pytest.raises(UserError, match=r"audra/audra\.ckpt.*osf\.io/kqn9v"):
        resolve("audra")
    with pytest.raises(UserError, match="named by its file; got 5"):
        resolve({"name": "audra", "checkpoint": 5})


# ------------------------------------------------------------ checkpoints


@pytest.mark.parametrize(
    "rename",
    [
        lambda name: name.removeprefix("model."),
        lambda name: f"module.{name}",
        lambda name: name.replace("model.fc.0", "regressor.bn").replace("model.fc.2", "regressor.lin"),
    ],
)
def test_prefixes_and_names_of_the_head_do_not_matter(tmp_path: Path, rename: Any) -> None:
    torch.save({rename(name): tensor for name, tensor in published(weights()).items()}, tmp_path / "a.pt")
    found = read_checkpoint(tmp_path / "a.pt")
    assert all(torch.equal(found[name], tensor) for name, tensor in weights().items())


def test_safetensors_are_read_too(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    safetensors.save_file(published(weights()), tmp_path / "a.safetensors")
    found = read_checkpoint(tmp_path / "a.safetensors")
    assert all(torch.equal(found[name], tensor) for name, tensor in weights().items())


def test_what_is_missing_left_over_or_of_another_shape_is_listed(tmp_path: Path) -> None:
    made = published(weights())
    del made["model.layer3.1.bn2.bias"]
    made["model.extra.weight"] = torch.zeros(4, 4)
    made["model.bn1.weight"] = torch.zeros(65)
    torch.save(made, tmp_path / "a.pt")
    with pytest.raises(UserError) as error:
        read_checkpoint(tmp_path / "a.pt")
    for part in (
        "missing: layer3.1.bn2.bias;",
        "left over: model.extra.weight;",
        "of another shape: bn1.weight (65,) instead of (64,)",
    ):
        assert part in str(error.value)


def test_an_imagenet_classifier_is_not_taken_for_it(tmp_path: Path) -> None:
    made = {name: tensor for name, tensor in weights().items() if not name.startswith("head.")}
    torch.save(made | {"fc.weight": torch.zeros(1000, 512), "fc.bias": torch.zeros(1000)}, tmp_path / "a.pt")
    with pytest.raises(UserError, match=r"missing: head\.norm\.weight.*left over: fc\.weight, fc\.bias"):
        read_checkpoint(tmp_path / "a.pt")


class Dangerous:
    """Creates a file when it is unpickled by a reader that trusts it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (open, (self.path, "w"))


def test_a_checkpoint_that_needs_pickle_is_refused_and_runs_nothing(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    torch.save({"state_dict": published(weights()), "hyper_parameters": Dangerous(str(trap))}, tmp_path / "a.ckpt")
    with pytest.raises(UserError, match=r"not loaded.*torch\.save"):
        read_checkpoint(tmp_path / "a.ckpt")
    assert not trap.exists()


@pytest.mark.parametrize("content", [b"", b"no checkpoint", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.ckpt").write_bytes(content)
    with pytest.raises(UserError, match=r"a\.ckpt"):
        read_checkpoint(tmp_path / "a.ckpt")


def test_a_file_without_a_state_dict_is_a_sentence(tmp_path: Path) -> None:
    torch.save([1, 2, 3], tmp_path / "a.pt")
    with pytest.raises(UserError, match="holds no state dict"):
        read_checkpoint(tmp_path / "a.pt")
