"""DINOv2's features: the real loading code on random weights, against a forward pass of its own."""

import json
import pickle

import numpy as np
import pytest
from backbones import random_dinov2
from drawn import arc, disc, line, page, scribble
from PIL import Image

from designgym.rewards.features.base import Features, FeaturesError
from designgym.rewards.features.dinov2 import DinoV2, pixels
from designgym.rewards.features.table import resolve_features

PAGES = [page(scribble(9)), page(disc(200, 120, 50)), page(arc(200, 200, 90, 0, 250), line((20, 20), (300, 380)))]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return random_dinov2(tmp_path_factory.mktemp("dinov2"))


# ---------------------------------------------------------------- what the network is given


def test_pixels_are_imagenets_statistics_of_a_bicubic_square_of_448():
    found = pixels([page(), page(disc(200, 200, 150))])
    assert found.shape == (2, 3, 448, 448) and found.dtype == np.float32
    white = (1 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
    np.testing.assert_allclose(found[0].reshape(3, -1).T, np.tile(white, (448 * 448, 1)), rtol=1e-5)
    black = -np.array([0.485, 0.456, 0.406]) / np.array([0.229, 0.224, 0.225])
    np.testing.assert_allclose(found[1, :, 224, 224], black, rtol=1e-5)


def test_a_wide_image_lies_on_white_paper_and_colours_keep_their_order():
    red = np.zeros((100, 200, 3), np.uint8)
    red[:, :, 0] = 255
    (found,) = pixels([red])
    white = pixels([page()])[0, :, 0, 0]
    np.testing.assert_allclose(found[:, 10, 200], white, rtol=1e-5)
    assert found[0, 224, 224] == pytest.approx((1 - 0.485) / 0.229, rel=1e-5)
    assert found[2, 224, 224] == pytest.approx(-0.406 / 0.225, rel=1e-5)


def test_larger_images_are_averaged_as_they_shrink():
    # A board of single black and white pixels becomes grey and not one of the two.
    board = np.indices((1792, 1792)).sum(axis=0).astype(np.uint8) % 2 * 255
    inside = pixels([board])[0, 0, 50:-50, 50:-50] * 0.229 + 0.485
    assert np.abs(inside - 0.5).max() < 0.02


# ---------------------------------------------------------------- the network


def by_hand(folder, image):
    """The normalised CLS token of one image in numpy and torch's interpolation, from the weights and the paper."""
    import torch
    from safetensors.numpy import load_file

    weights = {name: value.astype(np.float64) for name, value in load_file(folder / "model.safetensors").items()}
    config = json.loads((folder / "config.json").read_text())
    width, heads = config["hidden_size"], config["num_attention_heads"]

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x, name):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + config["layer_norm_eps"])
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    resized = Image.fromarray(image).convert("RGB").resize((448, 448), Image.Resampling.BICUBIC)
    x = (np.asarray(resized) / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    patches = x.reshape(32, 14, 32, 14, 3).transpose(0, 2, 4, 1, 3).reshape(1024, -1)
    kernel = weights["embeddings.patch_embeddings.projection.weight"].reshape(width, -1)
    tokens = patches @ kernel.T + weights["embeddings.patch_embeddings.projection.bias"]
    tokens = np.concatenate([weights["embeddings.cls_token"][0], tokens])
    place = weights["embeddings.position_embeddings"][0]
    grid = torch.from_numpy(place[1:].reshape(1, 37, 37, width)).permute(0, 3, 1, 2).float()
    grid = torch.nn.functional.interpolate(grid, size=(32, 32), mode="bicubic", align_corners=False)
    tokens += np.concatenate([place[:1], grid[0].permute(1, 2, 0).reshape(1024, width).double().numpy()])
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        y = norm(tokens, f"{layer}.norm1")
        q, k, v = (
            linear(y, f"{layer}.attention.attention.{part}").reshape(-1, heads, width // heads).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(width // heads)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(-1, width)
        tokens = tokens + weights[f"{layer}.layer_scale1.lambda1"] * linear(mixed, f"{layer}.attention.output.dense")
        y = torch.from_numpy(linear(norm(tokens, f"{layer}.norm2"), f"{layer}.mlp.fc1"))
        y = linear(torch.nn.functional.gelu(y).numpy(), f"{layer}.mlp.fc2")
        tokens = tokens + weights[f"{layer}.layer_scale2.lambda1"] * y
    return norm(tokens[0], "layernorm")


def test_the_features_are_the_normalised_cls_token_of_a_forward_pass_of_our_own(tiny):
    found = DinoV2(str(tiny)).extract(PAGES)
    assert found.shape == (3, 12) and found.dtype == np.float32
    np.testing.assert_allclose(found, [by_hand(tiny, image) for image in PAGES], atol=2e-4)
    assert np.abs(found[0] - found[1]).max() > 0.1


def test_features_do_not_depend_on_the_batch_but_for_rounding(tiny):
    features = DinoV2(str(tiny), batch=2)
    together = features.extract([*PAGES, PAGES[0][:, :, None]])
    np.testing.assert_allclose(together, np.concatenate([features.extract([p]) for p in (*PAGES, PAGES[0])]), atol=1e-5)
    np.testing.assert_array_equal(features.extract(PAGES), features.extract(PAGES))
    assert features.extract([]).shape == (0, 12)


def test_they_name_themselves_and_the_hash_of_their_weights_wherever_these_lie(tiny, tmp_path):
    import hashlib
    import shutil

    features = resolve_features({"name": "dinov2", "model": str(tiny)})
    assert isinstance(features, Features) and features.name == "dinov2" and features.size == 12
    expected = hashlib.sha256((tiny / "model.safetensors").read_bytes()).hexdigest()
    assert features.backend.id == f"dinov2@1#{expected[:12]}" and features.backend.hash == expected
    shutil.copytree(tiny, tmp_path / "elsewhere")
    again = DinoV2(str(tmp_path / "elsewhere"))
    assert again.backend == features.backend and again == features
    assert pickle.loads(pickle.dumps(features)) == features


def test_the_hash_of_several_files_is_that_of_what_sha256sum_prints(tmp_path):
    import hashlib

    from designgym.rewards.features.weights import weights_hash

    for name in ("b.safetensors", "a.safetensors"):
        (tmp_path / name).write_bytes(name.encode())
    lines = [f"{hashlib.sha256(f'{x}.safetensors'.encode()).hexdigest()}  {x}.safetensors\n" for x in "ab"]
    assert weights_hash(sorted(tmp_path.iterdir())) == hashlib.sha256("".join(lines).encode()).hexdigest()
    (tmp_path / "a.safetensors").write_bytes(b"longer than before")
    assert weights_hash(sorted(tmp_path.iterdir())) != hashlib.sha256("".join(lines).encode()).hexdigest()


# ---------------------------------------------------------------- what is missing or damaged


def test_a_model_that_cannot_be_had_is_refused_at_once_with_the_way_to_get_it():
    for model in ("facebook/dinov2-large", "no/such/folder", "nowhere"):
        with pytest.raises(FeaturesError, match=r"neither a folder nor a model that can be had.*hf download"):
            DinoV2(model)
        with pytest.raises(FeaturesError, match="'model': 'dinov2-large'"):
            resolve_features({"name": "dinov2", "model": model, "local_files_only": True})


def test_a_folder_of_something_else_is_refused(tiny, tmp_path):
    with pytest.raises(FeaturesError, match=r"no readable config\.json"):
        DinoV2(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "vit", "hidden_size": 4}')
    with pytest.raises(FeaturesError, match="of type 'vit' and not 'dinov2'"):
        DinoV2(str(tmp_path))
    (tmp_path / "config.json").write_text((tiny / "config.json").read_text())
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(FeaturesError, match="pickled weights are not read"):
        DinoV2(str(tmp_path))
    with pytest.raises(FeaturesError, match="at least one image"):
        DinoV2(str(tiny), batch=0)


def test_weights_that_are_damaged_or_of_another_model_are_refused(tiny, tmp_path):
    from safetensors.numpy import load_file, save_file

    (tmp_path / "config.json").write_text((tiny / "config.json").read_text())
    (tmp_path / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(FeaturesError, match="cannot be loaded"):
        DinoV2(str(tmp_path)).extract(PAGES)
    weights = load_file(tiny / "model.safetensors")
    del weights["layernorm.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FeaturesError, match=r"1 parameters are missing, such as layernorm\.weight"):
        DinoV2(str(tmp_path)).extract(PAGES)


@pytest.mark.slow
def test_a_full_sized_vit_l_14_gives_1024_features_at_448_px(tmp_path):
    config = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "image_size": 518}
    features = DinoV2(str(random_dinov2(tmp_path / "large", **config)))
    assert features.size == 1024
    found = features.extract(PAGES[:2])
    assert found.shape == (2, 1024) and np.isfinite(found).all()
    np.testing.assert_allclose(found[0], by_hand(tmp_path / "large", PAGES[0]), atol=0.01 * np.abs(found[0]).max())
    assert np.abs(found[0] - found[1]).max() > 1e-4
