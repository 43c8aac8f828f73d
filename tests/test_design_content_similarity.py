from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.content_similarity import ContentSimilarity

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny CLIP with random weights."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("clip")
    vocabulary = {word: n for n, word in enumerate(("<pad>", "<s>", "</s>", "<unk>", "a", "red", "blue", "poster"))}
    plain = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    plain.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    shape: dict[str, Any] = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    config = transformers.CLIPConfig(
        text_config={**shape, "vocab_size": 8, "max_position_embeddings": 12, "eos_token_id": 2, "bos_token_id": 1},
        vision_config={**shape, "image_size": 32, "patch_size": 16},
        projection_dim=8,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        transformers.CLIPModel(config).save_pretrained(folder)
    transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(
        folder
    )
    return folder


def episode(query: str, image: Any = None) -> Episode:
    shown = np.arange(40 * 60 * 3, dtype=np.uint8).reshape(40, 60, 3) if image is None else image
    return Episode("env", "test", "test-0", shown, truth={"brief": {"query": query}})


def test_it_is_the_cosine_of_both_embeddings(clip: Path) -> None:
    reward = ContentSimilarity(str(clip))
    score = reward.score(episode("a red poster"))
    model = transformers.CLIPModel.from_pretrained(clip).eval()
    tokens = torch.tensor([[1, 4, 5, 7, 2]])
    processor = transformers.AutoImageProcessor.from_pretrained(clip)
    pixels = processor(images=episode("").image, return_tensors="pt")["pixel_values"]
    with torch.inference_mode():
        found = model(input_ids=tokens, attention_mask=torch.ones_like(tokens), pixel_values=pixels)
    one, two = found.image_embeds[0].numpy(), found.text_embeds[0].numpy()
    cosine = float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))
    assert score.value == pytest.approx(max(0.0, cosine), abs=1e-5)
    assert score.components["content_similarity/clipscore"] == pytest.approx(100 * max(0.0, cosine), abs=1e-3)


def test_long_queries_are_cut_off_and_no_page_has_nothing(clip: Path) -> None:
    reward = ContentSimilarity(str(clip))
    assert reward.value(episode("red " * 500)) is not None
    assert reward.value(Episode("env", "test", "t", truth={"brief": {"query": "a"}})) == 0.0


def test_without_weights_it_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="needs the weights of a CLIP model"):
        ContentSimilarity(str(tmp_path / "missing")).check(episode("a"))
    with pytest.raises(UnsuitableReward, match="needs a brief"):
        ContentSimilarity(str(tmp_path)).check(Episode("env", "test", "t"))


def test_scores_name_the_weights_and_it_can_be_pickled(clip: Path) -> None:
    reward = ContentSimilarity(str(clip))
    assert len(reward.backend.hash) == 64
    reward.value(episode("a"))
    assert pickle.loads(pickle.dumps(reward)).backend == reward.backend
