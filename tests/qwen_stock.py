"""Folders in the layout that the Qwen team publishes, with a few thousand random weights, for tests without a
download.

Everything that a reader of such a folder depends on is as on the hub: file names, the keys of the preprocessor's
settings, the processor's class name, the video preprocessor that needs torchvision, and the place of the chat
template.
"""

from __future__ import annotations

import json
from pathlib import Path

from designgym.agents.qwen.tokenizer import trl_template

CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
QWEN2_TEMPLATE = (
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system\n"
    "You are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_QWEN3 = {
    **{"size": {"longest_edge": 16777216, "shortest_edge": 65536}, "patch_size": 16},
    **{"image_mean": [0.5] * 3, "image_std": [0.5] * 3},
    **{"image_processor_type": "Qwen2VLImageProcessorFast", "processor_class": "Qwen3VLProcessor"},
}
PREPROCESSORS = {
    "qwen2_vl": {
        **{"min_pixels": 3136, "max_pixels": 12845056, "patch_size": 14, **CLIP},
        **{"image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2VLProcessor"},
    },
    "qwen2_5_vl": {
        **{"min_pixels": 3136, "max_pixels": 12845056, "patch_size": 14, **CLIP},
        **{"image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2_5_VLProcessor"},
    },
    **dict.fromkeys(("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen4_exp"), _QWEN3),
}
TEMPLATES = {
    "qwen2_vl": None,
    "qwen2_5_vl": None,
    "qwen3_vl": "qwen3_vl",
    "qwen3_vl_moe": "qwen3_vl",
    "qwen3_5": "qwen3_5_think",
    "qwen3_5_moe": "qwen3_6",
    "qwen4_exp": "qwen3_8",
}
"""The published chat templates, as TRL ships them; Qwen4-Exp's is not among them and has that of its contemporary."""

_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_SHARED = {**_EXPERTS, "shared_expert_intermediate_size": 16}
_ROPE = {"rope_type": "default", "rope_theta": 1e4}
_FULL = {"head_dim": 16, "rope_parameters": {**_ROPE, "mrope_section": [4, 2, 2]}}
_HYBRID = {
    "head_dim": 32,
    "rope_parameters": {**_ROPE, "mrope_section": [2, 1, 1], "mrope_interleaved": True, "partial_rotary_factor": 0.25},
    **{"linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 4},
    "layer_types": ["linear_attention", "full_attention"],
}
_QWEN4 = {
    **{"hc_count": 2, "hc_lowrank": 8, "ple_layer_ids": [1], "ple_embed_dim": 32, "heads_per_ngram": 2},
    **{"ngram_vocab_size_base": 50, "make_ngram_vocab_size_divisible_by": 8, "split_ngram_parts": 2},
    **{"indexer_n_heads": 2, "indexer_kv_heads": 1, "indexer_head_dim": 16},
    **{"indexer_budget": 16, "indexer_compress_ratio": 4},
}
LANGUAGE = {
    **dict.fromkeys(("qwen2_vl", "qwen2_5_vl", "qwen3_vl"), _FULL),
    "qwen3_vl_moe": {**_FULL, **_EXPERTS},
    "qwen3_5": _HYBRID,
    "qwen3_5_moe": {**_HYBRID, **_SHARED},
    "qwen4_exp": {**_HYBRID, **_SHARED, **_QWEN4},
}
_WIDE = {"hidden_size": 32, "intermediate_size": 32, "out_hidden_size": 32}
_POSITIONS = {**_WIDE, "num_position_embeddings": 16}
VISION = {
    "qwen2_vl": {"embed_dim": 32, "hidden_size": 32, "mlp_ratio": 1},
    "qwen2_5_vl": _WIDE,
    "qwen3_vl": {**_POSITIONS, "deepstack_visual_indexes": [0]},
    "qwen3_vl_moe": {**_POSITIONS, "deepstack_visual_indexes": [0]},
    "qwen3_5": _POSITIONS,
    "qwen3_5_moe": _POSITIONS,
    "qwen4_exp": _POSITIONS,
}


def published_template(model_type: str) -> str:
    """The chat template of a family."""
    name = TEMPLATES[model_type]
    return QWEN2_TEMPLATE if name is None else trl_template(name)


def write_stock_folder(folder: Path, model_type: str, *, weights: bool = True) -> Path:
    """Write config, weights, tokenizer, preprocessor and chat template of a tiny model of the family."""
    import torch
    from transformers import AutoConfig, AutoModelForImageTextToText, GenerationConfig

    from designgym.agents.qwen.corpus import prompt_corpus
    from designgym.agents.qwen.tokenizer import build_tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = build_tokenizer(prompt_corpus(), vocab_size=300)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(folder)
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": published_template(model_type)}))
    preprocessor = {"merge_size": 2, "temporal_patch_size": 2, **PREPROCESSORS[model_type]}
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))
    (folder / "video_preprocessor_config.json").write_text(
        json.dumps({**preprocessor, "video_processor_type": "Qwen2VLVideoProcessor"})
    )
    token_id = tokenizer.convert_tokens_to_ids
    config = AutoConfig.for_model(
        model_type,
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 32,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "tie_word_embeddings": True,
            "max_position_embeddings": 4096,
            "eos_token_id": token_id("<|im_end|>"),
            **LANGUAGE[model_type],
        },
        vision_config={
            "depth": 1,
            "patch_size": preprocessor["patch_size"],
            "num_heads": 2,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            **VISION[model_type],
        },
        image_token_id=token_id("<|image_pad|>"),
        video_token_id=token_id("<|video_pad|>"),
        vision_start_token_id=token_id("<|vision_start|>"),
        vision_end_token_id=token_id("<|vision_end|>"),
        tie_word_embeddings=True,
    )
    if weights:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            model = AutoModelForImageTextToText.from_config(config, dtype=torch.float32)
        model.generation_config = GenerationConfig(
            eos_token_id=[token_id("<|im_end|>"), token_id("<|endoftext|>")], pad_token_id=token_id("<|endoftext|>")
        )
        model.save_pretrained(folder)
    else:
        config.save_pretrained(folder)
    return folder
