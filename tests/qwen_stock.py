"""Folders in the layout that the Qwen team publishes, with a few thousand random weights, for tests without a
download.

Everything that a reader of such a folder depends on is as on the hub: file names, the keys of the preprocessor's
settings, the processor's class name, the video preprocessor that needs torchvision, and the place of the chat
template.
"""

from __future__ import annotations

import json
from pathlib import Path

CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
QWEN2_TEMPLATE = (
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system\n"
    "You are a helpful assistant.<|im_end|>\n{% endif %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
PREPROCESSORS = {
    "qwen2_vl": {
        **{"min_pixels": 3136, "max_pixels": 12845056, "patch_size": 14, **CLIP},
        **{"image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2VLProcessor"},
    },
    "qwen2_5_vl": {
        **{"min_pixels": 3136, "max_pixels": 12845056, "patch_size": 14, **CLIP},
        **{"image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2_5_VLProcessor"},
    },
    "qwen3_vl": {
        **{"size": {"longest_edge": 16777216, "shortest_edge": 65536}, "patch_size": 16},
        **{"image_mean": [0.5] * 3, "image_std": [0.5] * 3},
        **{"image_processor_type": "Qwen2VLImageProcessorFast", "processor_class": "Qwen3VLProcessor"},
    },
}


def write_stock_folder(folder: Path, model_type: str, *, weights: bool = True) -> Path:
    """Write config, weights, tokenizer, preprocessor and chat template of a tiny model of the family."""
    import torch
    from transformers import AutoConfig, AutoModelForImageTextToText, GenerationConfig

    from designgym.agents.qwen.corpus import prompt_corpus
    from designgym.agents.qwen.tokenizer import build_tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = build_tokenizer(prompt_corpus(), vocab_size=300)
    template = tokenizer.chat_template if model_type == "qwen3_vl" else QWEN2_TEMPLATE
    tokenizer.chat_template = None
    tokenizer.save_pretrained(folder)
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": template}))
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
            "head_dim": 16,
            "tie_word_embeddings": True,
            "max_position_embeddings": 4096,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 2, 2]},
        },
        vision_config={
            "depth": 1,
            "patch_size": preprocessor["patch_size"],
            "num_heads": 2,
            "spatial_merge_size": 2,
            "temporal_patch_size": 2,
            **{
                "qwen2_vl": {"embed_dim": 32, "hidden_size": 32, "mlp_ratio": 1},
                "qwen2_5_vl": {"hidden_size": 32, "intermediate_size": 32, "out_hidden_size": 32},
                "qwen3_vl": {
                    **{"hidden_size": 32, "intermediate_size": 32, "out_hidden_size": 32},
                    **{"num_position_embeddings": 16, "deepstack_visual_indexes": [0]},
                },
            }[model_type],
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
