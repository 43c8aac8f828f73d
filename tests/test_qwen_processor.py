"""Reading Qwen-VL folders: stock layout without torchvision, left padding, and a sentence for every broken folder."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from designgym.agents.qwen.families import FAMILIES, nearest_sizes, valid_image_size
from designgym.errors import UserError

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from qwen_stock import write_stock_folder  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

from designgym.agents.qwen.local import load  # noqa: E402
from designgym.agents.qwen.processor import check_padding, load_processor, read_family, template_note  # noqa: E402


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def stock(request, tmp_path_factory):
    return write_stock_folder(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_stock_folder(tmp_path_factory.mktemp("stock"), "qwen3_vl")


def chat(text, side=64, colour="red"):
    image = Image.new("RGB", (side, side), colour)
    return [{"role": "user", "content": [{"type": "image", "image": image}, {"type": "text", "text": text}]}]


def batch(processor, chats):
    return processor.apply_chat_template(
        chats,
        tokenize=True,
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
        processor_kwargs={"padding": True},
    )


def test_a_stock_folder_is_read_and_pads_on_the_left(stock):
    local = load(stock)
    assert local.family.model_type in stock.name
    assert local.processor.tokenizer.padding_side == "left"
    with torch.no_grad():
        logits = local.model(**batch(local.processor, [chat("where?"), chat("where is the flaw?")])).logits
    assert torch.isfinite(logits).all()


def test_a_template_that_announces_tools_otherwise_is_told_of(stock):
    note = template_note(load_processor(stock))
    if "qwen2" in stock.name:
        assert "renders no tools" in note
    elif "qwen3_vl" in stock.name:
        assert note == ""
    else:
        assert "asks for calls in tags" in note


def test_images_types_and_attention_agree_row_by_row_under_padding(stock):
    processor = load_processor(stock)
    rows = batch(processor, [chat("a"), chat("a much longer question about this page")])
    image_id = processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    for ids, types, attended in zip(rows["input_ids"], rows["mm_token_type_ids"], rows["attention_mask"], strict=True):
        assert torch.equal(ids == image_id, types == 1)
        assert attended[ids == image_id].all()
        assert int((ids == image_id).sum()) > 0
    shorter = rows["attention_mask"][0]
    assert shorter[0] == 0 and shorter[-1] == 1  # the padding stands on the left


def test_equal_images_are_prepared_once_and_come_back_in_order(folder):
    processor = load_processor(folder)
    colours = ["red", "blue", "red", "red", "blue"]
    together = processor.image_processor([chat("", 256, c)[0]["content"][0]["image"] for c in colours])
    shared = batch(processor, [chat("q", 256, c) for c in colours])
    assert np.array_equal(shared["pixel_values"].numpy(), np.asarray(together["pixel_values"]))
    assert shared["image_grid_thw"].tolist() == np.asarray(together["image_grid_thw"]).tolist()


def test_the_pixel_limit_can_be_lowered(folder):
    processor = load_processor(folder, max_pixels=256 * 256)
    assert batch(processor, [chat("q", 1024)])["image_grid_thw"].tolist() == [[1, 16, 16]]


def test_a_processor_that_pads_on_the_right_is_refused(folder):
    processor = load_processor(folder)
    processor.tokenizer.padding_side = "right"
    with pytest.raises(UserError, match="pads on the right"):
        check_padding(processor)


def broken(folder, tmp_path, *, without=(), config=None):
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    for name in without:
        (copy / name).unlink()
    if config is not None:
        (copy / "config.json").write_text(config)
    return copy


@pytest.mark.parametrize(
    ("without", "config", "words"),
    [
        (["preprocessor_config.json"], None, "lacks a processor"),
        (["tokenizer.json"], None, "lacks a tokenizer"),
        (["config.json"], None, "has no config.json"),
        (["chat_template.json"], None, "has no chat template"),
        ([], "{", r"config\.json of .* cannot be read"),
        ([], "[]", "holds no JSON object"),
        ([], '{"model_type": "llava"}', r"model_type 'llava'.*qwen2_5_vl, qwen2_vl, qwen3_5,.*Qwen3-VL"),
        ([], "{}", "model_type 'None'"),
    ],
)
def test_a_broken_folder_gets_a_sentence(folder, tmp_path, without, config, words):
    with pytest.raises(UserError, match=words):
        load_processor(broken(folder, tmp_path, without=without, config=config))


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("preprocessor_config.json", "{", "could not be read"),
        ("preprocessor_config.json", "[]", "could not be read"),
        ("tokenizer.json", "{}", "could not be read"),
        ("config.json", '{"model_type": "qwen3_vl", "text_config": 5}', "could not be read"),
        ("chat_template.json", '{"chat_template": "{% if"}', "chat template of .* does not work"),
    ],
)
def test_a_file_with_other_content_gets_a_sentence(folder, tmp_path, file, content, words):
    copy = broken(folder, tmp_path)
    (copy / file).write_text(content)
    with pytest.raises(UserError, match=words):
        load_processor(copy)


@pytest.mark.parametrize("cut", [0, 100])
def test_missing_and_truncated_weights_get_a_sentence(folder, tmp_path, cut):
    copy = broken(folder, tmp_path)
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:cut])
    with pytest.raises(UserError, match=r"weights of .* could not be read"):
        load(copy)
    weights.unlink()
    with pytest.raises(UserError, match=r"weights of .* could not be read"):
        load(copy)


def test_weights_that_lack_a_tensor_are_not_completed_at_random(folder, tmp_path):
    copy = broken(folder, tmp_path)
    tensors = load_file(copy / "model.safetensors")
    del tensors["model.language_model.norm.weight"]
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match=r"lack model\.language_model\.norm\.weight; the file is not whole"):
        load(copy)


def test_a_hub_id_offline_says_that_offline_mode_is_on():
    with pytest.raises(UserError, match="'Qwen/Nothing-Here' is not a local folder, and offline mode is on"):
        read_family("Qwen/Nothing-Here")


def test_a_file_is_not_a_model(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"")
    with pytest.raises(UserError, match="is a file; give the folder"):
        read_family(tmp_path / "weights.bin")


def test_an_adapter_folder_has_the_family_of_its_model(folder, tmp_path):
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(folder)}))
    assert read_family(tmp_path).name == "Qwen3-VL"
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(UserError, match="does not name the adapted model"):
        read_family(tmp_path)


@pytest.mark.parametrize(
    ("model_type", "side", "valid"),
    [("qwen3_vl", 448, True), ("qwen3_vl", 420, False), ("qwen2_5_vl", 420, True), ("qwen2_vl", 448, True)],
)
def test_valid_sides_are_those_that_the_processor_leaves_alone(model_type, side, valid, tmp_path):
    family = FAMILIES[model_type]
    assert valid_image_size(family, (side, side)) is valid
    from designgym.agents.qwen.frames import seen_size

    processor = load_processor(write_stock_folder(tmp_path, model_type, weights=False))
    assert (seen_size(processor.image_processor, (side, side)) == (side, side)) is valid
    below, above = nearest_sizes(family, side)
    assert below <= side < above
    assert all(valid_image_size(family, (s, s)) for s in (below, above))
