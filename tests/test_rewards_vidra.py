"""ViDrA's rewards on heads that are fitted here, and the inked-pixel baseline."""

import copy
import itertools
import pickle
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from backbones import small_effnet
from drawn import FILLED, arc, bar, disc, episode, line, page, scribble

import designgym  # noqa: F401 - registers the environments
from designgym.episode import Episode
from designgym.rewards import Reward, resolve
from designgym.rewards.added_ink import NoImage
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.features.effnet import EffnetHog
from designgym.rewards.features.hog import Hog
from designgym.rewards.ink import Ink
from designgym.rewards.kernel_head import HeadError, KernelHead, fit_kernel_head
from designgym.rewards.table import RewardError
from designgym.rewards.vidra import Vidra, VidraAdapted
from designgym.score import Backend

SHAPE = [arc(200, 200, 80, 20, 200)]
DRAWINGS = [
    episode(*strokes, stimulus=SHAPE)
    for strokes in (
        [line((60, 60), (340, 80)), disc(100, 300, 30)],
        [scribble(9)],
        [disc(200, 200, 50)],
        [arc(150, 250, 60, 0, 360), line((150, 190), (150, 60))],
    )
]
NULL = [episode(stimulus=SHAPE), episode(disc(300, 300, 6), stimulus=SHAPE)]


def head(features=None, targets=(0.2, 0.9, 0.4, 0.6), **changes):
    features = features or Hog()
    rows = features.extract([drawing.image for drawing in DRAWINGS])
    return fit_kernel_head(rows, targets, 1e-4, 1e-3, features=features.backend, **changes)


def vidra(**changes):
    return Vidra(head(**changes))


# ---------------------------------------------------------------- what it scores


def test_it_is_the_heads_prediction_from_the_final_canvas():
    reward = vidra()
    assert isinstance(reward, Reward) and reward.name == "vidra"
    scores = reward.score_batch(DRAWINGS)
    np.testing.assert_allclose([score.value for score in scores], [0.2, 0.9, 0.4, 0.6], atol=0.01)
    # The picture with its starting shape is what counts: with another shape it is another picture.
    bare = episode(*[line((60, 60), (340, 80)), disc(100, 300, 30)], stimulus=None)
    assert abs(reward.score(bare).value - scores[0].value) > 0.01


def test_a_batch_scores_as_its_drawings_do_alone():
    reward = vidra()
    batch = [DRAWINGS[0], NULL[0], DRAWINGS[1], NULL[1], DRAWINGS[0]]
    together = reward.score_batch(batch)
    assert [score.value for score in together] == pytest.approx([Vidra(head()).score(d).value for d in batch], abs=1e-5)
    assert reward.score_batch([]) == [] and together[0] == together[4]


def test_null_drawings_have_nothing_and_their_features_are_not_computed():
    class Never(Hog):
        def extract(self, images):
            raise AssertionError("asked")

    reward = Vidra(head(), Never())
    assert [score.value for score in reward.score_batch(NULL)] == [0.0, 0.0]
    assert reward.score(NULL[0]).components == {"vidra": 0.0, "vidra/raw": 0.0}
    assert Vidra(head(targets=(0.5, 0.5, 0.5, 0.5))).score(DRAWINGS[0]).value > 0.4


def test_the_score_is_clipped_and_the_prediction_is_not():
    scores = vidra(targets=(-0.5, 1.8, 0.4, 0.6)).score_batch(DRAWINGS)
    assert [score.value for score in scores[:2]] == [0.0, 1.0]
    raw = [score.components["vidra/raw"] for score in scores[:2]]
    np.testing.assert_allclose(raw, [-0.5, 1.8], atol=0.02)


def test_the_backend_names_the_features_and_carries_the_hash_of_the_head():
    fitted = head()
    assert Vidra(fitted).score(DRAWINGS[0]).backend == Backend("vidra on hog@1", "1", fitted.hash)
    assert Vidra(fitted).backend != vidra(targets=(0.1, 0.2, 0.3, 0.4)).backend


def test_pages_that_are_no_drawings_and_lost_images_are_refused():
    reward = vidra()
    page_of_design = Episode("designgym/AestheticJudgment-v0", "train", "x", image=page(), truth={"verdict": "yes"})
    with pytest.raises(UnsuitableReward, match="asks for no drawing"):
        reward.score(page_of_design)
    with pytest.raises(UnsuitableReward, match="asks for no drawing"):
        gym.make("designgym/AestheticJudgment-v0", reward=reward).reset(seed=0)
    with pytest.raises(NoImage):
        reward.score(Episode("designgym/CanvasDrawing-v0", "train", "x", truth={"open_ends": []}))


# ---------------------------------------------------------------- how it is made


def test_heads_are_found_in_the_users_data_folder_and_by_their_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DESIGNGYM_DATA", str(tmp_path))
    with pytest.raises(RewardError, match=r"'vidra' cannot be made: There is no head in '.*/vidra'.*designgym fit"):
        resolve("vidra")
    with pytest.raises(RewardError, match=r"heads/vidra-adapted"):
        gym.make("designgym/CanvasDrawing-v0", reward="vidra-adapted")
    head().save(tmp_path / "heads" / "vidra")
    assert resolve("vidra") == vidra()
    adapted = resolve({"name": "vidra-adapted", "head": str(tmp_path / "heads" / "vidra"), "features": "hog"})
    assert adapted.name == "vidra-adapted" and isinstance(adapted, VidraAdapted) and adapted != resolve("vidra")
    assert list(adapted.score(DRAWINGS[0]).components) == ["vidra-adapted", "vidra-adapted/raw"]


def test_a_head_on_other_features_is_refused_when_the_reward_is_made(tmp_path):
    effnet = EffnetHog(str(small_effnet(tmp_path / "assets")))
    head().save(tmp_path / "head")
    spec = {"name": "vidra", "head": str(tmp_path / "head"), "features": {"name": effnet.name, "folder": effnet.folder}}
    with pytest.raises(RewardError, match=re.escape("was fitted on features of hog@1 and cannot read those of effnet")):
        resolve(spec)
    with pytest.raises(RewardError, match="A head is named by its folder; got 5"):
        resolve({"name": "vidra", "head": 5})
    with pytest.raises(HeadError, match="fitted on features of own@3; give those"):
        Vidra(KernelHead(np.zeros((2, 4)), np.zeros(2), 1.0, Backend("own", "3"), "vidra"))


def test_a_head_whose_features_lack_their_weights_says_so_when_the_reward_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "cache"))
    head(EffnetHog(str(small_effnet(tmp_path / "assets")))).save(tmp_path / "head")
    with pytest.raises(RewardError, match=r"cannot be made: .*effnet-lite0\.onnx', which is not there.*assets build"):
        resolve({"name": "vidra", "head": str(tmp_path / "head")})
    dino = KernelHead(np.zeros((2, 4)), np.zeros(2), 1.0, Backend("dinov2", "1", "a" * 64), "vidra")
    with pytest.raises(ValueError, match="need the weights of DINOv2"):
        Vidra(dino)


def test_it_is_pickled_and_copied_without_its_numbers(tmp_path):
    head().save(tmp_path)
    reward = resolve({"name": "vidra", "head": str(tmp_path)})
    sent = pickle.dumps(reward)
    assert len(sent) < 1000 and pickle.loads(sent) == reward
    assert copy.deepcopy(reward).head is reward.head is resolve({"name": "vidra", "head": str(tmp_path)}).head
    again = pickle.loads(pickle.dumps(vidra()))
    assert again == vidra() and again.score(DRAWINGS[0]).value == pytest.approx(vidra().score(DRAWINGS[0]).value)


def test_the_code_about_backbones_and_heads_in_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).resolve().parents[1] / "docs" / "creativity.md").read_text(encoding="utf-8")
    about = page.partition("## Backbones")[2].partition("## Heads")
    for section in (about[0], re.split(r"^## ", about[2], flags=re.MULTILINE)[0]):
        (code,) = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        exec(compile(code, "docs/creativity.md", "exec"), {})
    assert KernelHead.load("runs/heads/vidra").facts["n"] == 2


# ---------------------------------------------------------------- in the environment


def play(reward, **arguments):
    """The rewards of a trial with two calls and its last info."""
    env = gym.make("designgym/CanvasDrawing-v0", reward=reward, split="test", **arguments)
    env.reset(options={"task": "is01"})
    lines = {"lines": [{"x1": 20, "y1": 30, "x2": 380, "y2": 350}, {"x1": 20, "y1": 350, "x2": 380, "y2": 30}]}
    first = env.step({"name": "draw_lines", "arguments": lines})
    last = env.step({"name": "drawing_finished", "arguments": {"label": "a kite"}})
    return first[1], last[1], last[4], env.unwrapped.episode()


def test_a_canvas_pays_what_the_head_predicts(tmp_path):
    head().save(tmp_path)
    spec = {"name": "vidra", "head": str(tmp_path)}
    first, last, info, played = play(spec)
    (features,) = Hog().extract([played.image])
    expected = head().predict(features[None])[0]
    assert first == 0 and 0 < expected < 1 and last == pytest.approx(expected, abs=1e-5) and info["scored"]
    assert info["reward/vidra"] == last and info["reward/vidra/raw"] == pytest.approx(expected, abs=1e-5)
    gained, rest, _, _ = play(spec, reward_mode="dense")
    assert gained + rest == pytest.approx(last, abs=1e-9) and gained == pytest.approx(last, abs=1e-9)
    _, both, info, _ = play([{**spec, "weight": 0.5}, "ink"])
    assert both == pytest.approx(0.5 * last + info["reward/ink"], abs=1e-6)


@pytest.mark.slow
def test_a_canvas_is_scored_through_the_network_that_was_built_into_the_cache(tmp_path, monkeypatch):
    from designgym.rewards.features.effnet_build import build

    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "cache"))
    build()
    head(EffnetHog()).save(tmp_path / "head")
    _, last, info, played = play({"name": "vidra", "head": str(tmp_path / "head")})
    assert last == pytest.approx(head(EffnetHog()).predict(EffnetHog().extract([played.image]))[0], abs=1e-4)
    assert info["scored"]


# ---------------------------------------------------------------- the inked-pixel baseline


def test_ink_is_the_share_of_the_canvas_that_is_black():
    # 100 x 80 px of a bar on a shape of 20 x 40 px, which it does not touch.
    drawing = episode(bar(100, 100, 199, 179), stimulus=[bar(0, 0, 19, 39)])
    assert Ink().score(drawing).components == {"ink": (8000 + 800) / 160_000, "ink/added": 0.05}
    assert Ink().score(episode(FILLED, stimulus=SHAPE)).value == 1.0
    assert Ink().score(episode(bar(0, 0, 99, 79), stimulus=None)).value == 0.05


def test_a_null_drawing_has_no_ink_and_a_little_more_has_all_of_it():
    shape = [bar(0, 0, 19, 39)]
    assert Ink().score(episode(bar(100, 100, 122, 112), stimulus=shape)).value == 0.0  # 23 x 13 = 299
    assert Ink().score(episode(bar(100, 100, 119, 114), stimulus=shape)).value == 1100 / 160_000  # 20 x 15 = 300


def test_more_ink_is_never_less():
    curve = [Ink().score(episode(bar(50, 50, 60 + width, 250), stimulus=SHAPE)).value for width in range(0, 300, 30)]
    assert all(a < b for a, b in itertools.pairwise(curve))
