import json
import pickle

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from designgym.errors import UserError
from designgym.folders import data_folder
from designgym.rewards.head_files import head_folder, load_head
from designgym.rewards.kernel_head import ALPHA, GAMMA, HeadError, KernelHead, fit_kernel_head
from designgym.score import Backend

MADE_BY = Backend("backbone", "1", "a" * 64)


def rated(n=80, d=20, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    x = (offset + 10 * rng.standard_normal((n, d))).astype(np.float32)
    return x, 1 / (1 + np.exp(-(x - offset)[:, 0] / 10))


def fitted(**changes):
    x, y = rated()
    return fit_kernel_head(x, y, **{"gamma": 1e-3, "features": MADE_BY, "facts": {"corpus": "b" * 64}, **changes})


HEAD = fitted()


# ---------------------------------------------------------------- predicting


def test_a_head_of_two_points_predicts_what_is_worked_by_hand():
    head = KernelHead(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([1.0, 2.0]), 0.01, MADE_BY, "hand")
    # Distances from (3, 0): 9 and 16; from the second point: 25 and 0.
    expected = [np.exp(-0.09) + 2 * np.exp(-0.16), np.exp(-0.25) + 2]
    np.testing.assert_allclose(head.predict([[3, 0], [3, 4]]), expected, atol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_predictions_equal_those_of_scikit_learn_even_far_from_the_origin(offset):
    x, y = rated(offset=offset)
    others, _ = rated(n=600, seed=1, offset=offset)  # more than a block
    ridge = KernelRidge(alpha=0.1, kernel="rbf", gamma=1e-3).fit(x.astype(float), y)
    head = fit_kernel_head(x, y, 0.1, 1e-3, features=MADE_BY)
    np.testing.assert_allclose(head.predict(others), ridge.predict(others.astype(float)), atol=2e-5)


def test_a_prediction_does_not_depend_on_the_batch_it_is_in():
    x, _ = rated(n=300, seed=2)
    whole = HEAD.predict(x)
    np.testing.assert_allclose(np.concatenate([HEAD.predict(row[None]) for row in x]), whole, atol=1e-5)
    assert whole.dtype == np.float64 and HEAD.predict(np.zeros((0, 20))).shape == (0,)


def test_the_settings_are_the_papers_unless_given():
    x, y = rated()
    head = fit_kernel_head(x, y, features=MADE_BY)
    assert (ALPHA, GAMMA) == (0.1, 1e-5) == (head.facts["alpha"], head.gamma)
    assert head.facts["n"] == 80 and HEAD.facts == {"corpus": "b" * 64, "alpha": 0.1, "n": 80}


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((3, 19)), r"takes n x 20 features of backbone@1#aaaaaaaaaaaa; these are \(3, 19\)"),
        (np.zeros(20), r"these are \(20,\)"),
        (np.full((1, 20), np.nan), "not finite"),
    ],
)
def test_features_of_another_length_or_not_finite_are_refused(x, message):
    with pytest.raises(HeadError, match=message):
        HEAD.predict(x)


@pytest.mark.parametrize(
    "other", [Backend("other", "1", "a" * 64), Backend("backbone", "2", "a" * 64), Backend("backbone", "1", "c" * 64)]
)
def test_features_of_another_backbone_version_or_weights_are_refused(other):
    HEAD.check_features(Backend("backbone", "1", "a" * 64))
    with pytest.raises(HeadError, match="'vidra' was fitted on features of backbone@1#aaaaaaaaaaaa and cannot read"):
        HEAD.check_features(other)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 0}, "above 0"),
        ({"gamma": np.inf}, "above 0"),
        ({"y": np.full(80, np.nan)}, "ratings that are not finite"),
        ({"x": np.full((80, 20), np.inf)}, "features that are not finite"),
        ({"y": np.zeros(79)}, r"\(80, 20\) and \(79,\)"),
        ({"x": np.zeros((1, 20)), "y": np.zeros(1)}, "n > 1"),
    ],
)
def test_a_fit_of_what_cannot_be_fitted_is_refused(changes, message):
    x, y = rated()
    with pytest.raises(HeadError, match=message):
        fit_kernel_head(**{"x": x, "y": y, "features": MADE_BY, **changes})


def test_parts_that_do_not_fit_together_are_no_head():
    with pytest.raises(HeadError, match=r"\(2, 3\) and \(3,\)"):
        KernelHead(np.zeros((2, 3)), np.zeros(3), 1.0, MADE_BY, "x")
    with pytest.raises(HeadError, match="not finite"):
        KernelHead(np.full((2, 3), np.nan), np.zeros(2), 1.0, MADE_BY, "x")
    with pytest.raises(HeadError, match="gamma"):
        KernelHead(np.zeros((2, 3)), np.zeros(2), 0.0, MADE_BY, "x")


# ---------------------------------------------------------------- saving and reading


def test_a_head_that_was_saved_is_read_as_it_was(tmp_path):
    HEAD.save(tmp_path / "head")
    assert sorted(path.name for path in (tmp_path / "head").iterdir()) == ["head.json", "head.safetensors"]
    read = KernelHead.load(tmp_path / "head")
    assert read == HEAD and read.hash == HEAD.hash and read.backend == HEAD.backend
    x, _ = rated(seed=3)
    np.testing.assert_array_equal(read.predict(x), HEAD.predict(x))
    assert KernelHead.load(tmp_path / "head") is read
    assert pickle.loads(pickle.dumps(read)) == HEAD


def test_a_head_that_is_written_anew_is_read_anew(tmp_path):
    HEAD.save(tmp_path)
    before = KernelHead.load(tmp_path)
    fitted(alpha=1.0).save(tmp_path)
    assert KernelHead.load(tmp_path) != before


def test_the_hash_tells_apart_whatever_changes_predictions_or_features():
    assert fitted().hash == HEAD.hash
    others = [
        fitted(alpha=0.2),
        fitted(gamma=2e-3),
        fitted(name="other"),
        fitted(features=Backend("other", "1")),
        fitted(facts={}),
    ]
    assert len({head.hash for head in [HEAD, *others]}) == 6
    assert HEAD.backend.name == "vidra on backbone@1#aaaaaaaaaaaa" and HEAD.backend.hash == HEAD.hash


def test_a_head_whose_content_is_not_what_its_hash_says_is_refused(tmp_path):
    HEAD.save(tmp_path)
    path = tmp_path / "head.json"
    saved = path.read_text()
    path.write_text(saved.replace('"gamma": 0.001', '"gamma": 0.002'))
    with pytest.raises(HeadError, match="is not what was saved"):
        load_head(tmp_path)
    for lie in ('"shape": [\n    1', '"more": 1, "shape": [\n    80'):
        path.write_text(saved.replace('"shape": [\n    80', lie))
        assert path.read_text() != saved
        with pytest.raises(HeadError, match="is not what was saved"):
            load_head(tmp_path)
    path.write_text(saved)
    arrays = bytearray((tmp_path / "head.safetensors").read_bytes())
    arrays[-1] ^= 1
    (tmp_path / "head.safetensors").write_bytes(arrays)
    with pytest.raises(HeadError, match="is not what was saved"):
        load_head(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("head.json", b"{", r"damaged: head\.json is not valid JSON"),
        ("head.json", b"\xff\xfe", "damaged"),
        ("head.json", b"[]", "damaged"),
        ("head.json", json.dumps({"format": 2}).encode(), "has format 2"),
        ("head.json", json.dumps({"format": 1, "features": {}}).encode(), "damaged"),
        ("head.safetensors", b"", "damaged"),
        ("head.safetensors", b"\x80\x04\x95" + 50 * b"x", "damaged"),
    ],
)
def test_a_damaged_head_is_refused_in_a_sentence(tmp_path, name, content, message):
    HEAD.save(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(HeadError, match=message):
        load_head(tmp_path)


@pytest.mark.parametrize("suffix", ["pkl", "joblib", "pt", "PTH", "ckpt"])
def test_pickles_are_never_read_and_the_sentence_says_why_and_how_to_refit(tmp_path, suffix):
    class Bomb:
        def __reduce__(self):
            return (exec, (f"open({str(tmp_path / 'ran')!r}, 'w')",))

    path = tmp_path / f"vidra.{suffix}"
    path.write_bytes(pickle.dumps(Bomb()))
    for named in (path, tmp_path):
        with pytest.raises(HeadError, match=r"unpickling can run any code.*designgym fit"):
            load_head(named)
    assert not (tmp_path / "ran").exists()


def test_where_there_is_no_head_the_sentence_says_how_to_get_one(tmp_path):
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(HeadError, match=r"head.json is missing.*designgym fit"):
            load_head(place)
    HEAD.save(tmp_path)
    with pytest.raises(HeadError, match="named by its folder"):
        load_head(tmp_path / "head.json")
    (tmp_path / "head.safetensors").unlink()
    with pytest.raises(HeadError, match=r"head\.safetensors is missing"):
        load_head(tmp_path)


def test_heads_are_kept_in_the_users_data_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    monkeypatch.setenv("DESIGNGYM_DATA", "/own")
    assert str(head_folder("vidra")) == "/own/heads/vidra"
    monkeypatch.delenv("DESIGNGYM_DATA")
    assert str(data_folder()) == "/x/designgym"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert str(head_folder("vidra")) == "/home/me/.local/share/designgym/heads/vidra"


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="cannot be written"):
        HEAD.save(tmp_path / "file" / "below")
