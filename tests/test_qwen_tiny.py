"""The tiny Qwen3-VL: deterministic, read by the stock library, short answers in plain tool-call text."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from designgym.agents.qwen.tokenizer import VISION_TOKENS, build_tokenizer, suppressed_tokens
from designgym.agents.qwen.vocabulary import number_tokens
from designgym.config import load_config
from designgym.errors import UserError
from designgym.prompt import render_call

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from safetensors import SafetensorError  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.cli import tiny as command  # noqa: E402
from designgym.agents.qwen.fast_vision import enable_fast_vision  # noqa: E402
from designgym.agents.qwen.initialisation import colour_filters, fourier_features, write_positions  # noqa: E402
from designgym.agents.qwen.local import load  # noqa: E402

SMALL = tiny.TinyConfig(
    image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
)
ANSWER = '<tool_call>\n{"name": "answer", "arguments": {"bbox": [100, 200, 325, 1000]}}\n</tool_call>'
NONE_ANSWER = '<tool_call>\n{"name": "answer", "arguments": {"bbox": null}}\n</tool_call>'


@pytest.fixture(scope="module")
def built():
    return tiny.build(SMALL)


def page(seed=0, side=64):
    return np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)


def inputs(processor, pages, text="Which element is flawed?"):
    from PIL import Image

    chats = [
        [{"role": "user", "content": [{"type": "image", "image": Image.fromarray(p)}, {"type": "text", "text": text}]}]
        for p in pages
    ]
    return processor.apply_chat_template(
        chats,
        tokenize=True,
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
        processor_kwargs={"padding": True},
    )


def test_an_answer_is_ten_tokens_of_ordinary_text(built):
    tokenizer = built[1].tokenizer
    ids = tokenizer(ANSWER)["input_ids"]
    assert len(ids) == 9  # and the end token is the tenth
    assert tokenizer.decode(ids) == ANSWER
    assert len(tokenizer(NONE_ANSWER)["input_ids"]) == 1
    assert tokenizer.decode(tokenizer(NONE_ANSWER)["input_ids"]) == NONE_ANSWER


@pytest.mark.parametrize("text", ["x1, y1 (0-1000) 33 or 12345", "<tool_call>\n{}", "ä ✓ 页", '{"a": [1, 2.5]}'])
def test_the_tokenizer_gives_every_text_back(built, text):
    tokenizer = built[1].tokenizer
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_numbers_on_the_grid_are_single_tokens_and_the_step_must_divide_1000():
    assert number_tokens(250) == ["0", "250", "500", "750", "1000"]
    with pytest.raises(ValueError, match="must divide 1000, and 30 does not"):
        number_tokens(30)


def test_without_phrases_the_vocabulary_has_no_answer_tokens():
    tokenizer = build_tokenizer(["abc"], vocab_size=300)
    assert len(tokenizer(ANSWER)["input_ids"]) > 30


def test_no_vision_token_can_be_sampled(built):
    tokenizer = built[1].tokenizer
    assert sorted(suppressed_tokens(tokenizer)) == sorted(tokenizer.convert_tokens_to_ids(list(VISION_TOKENS)))


def test_trl_knows_the_chat_template_and_its_tool_parser(built):
    from trl.chat_template_utils import add_response_schema

    assert "tool_call" in str(add_response_schema(built[1].tokenizer).response_template)


def test_a_white_page_is_nearly_zero(built):
    pixels = inputs(built[1], [np.full((64, 64, 3), 255, np.uint8)])["pixel_values"]
    assert pixels.abs().max() == pytest.approx(0.1, abs=1e-5)  # (1 - .97) / .3


def test_saved_folders_of_one_config_are_equal_byte_for_byte_across_processes(tmp_path):
    script = (
        "import sys; from designgym.agents.qwen import tiny; from designgym.config import load_config;"
        "tiny.save(load_config(None, tiny.TinyConfig, ['image_size=64', 'seed=3']), sys.argv[1])"
    )
    tiny.save(load_config(None, tiny.TinyConfig, ["image_size=64", "seed=3"]), tmp_path / "here")
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "there")], check=True, env=env, capture_output=True)
    here, there = (
        {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (tmp_path / run).iterdir()}
        for run in ("here", "there")
    )
    assert here == there
    assert {"config.json", "model.safetensors", "processor_config.json", "tokenizer.json"} <= here.keys()


@pytest.mark.parametrize(
    "failure", [OSError(28, "No space left on device"), SafetensorError("No space left on device")]
)
def test_command_that_cannot_write_says_why_and_leaves_nothing(failure, tmp_path, monkeypatch):
    def full(*_):
        raise failure

    monkeypatch.setattr(tiny, "save", full)
    with pytest.raises(UserError, match=r"model cannot be written to .*: No space left on device\."):
        command(tmp_path / "model", [])
    assert list(tmp_path.iterdir()) == []


def test_seeds_differ_and_the_global_random_state_is_left_alone(built):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    other, _ = tiny.build(SMALL.model_copy(update={"seed": 1}))
    assert torch.equal(torch.rand(1), expected)
    name = "model.language_model.layers.0.mlp.up_proj.weight"
    assert not torch.equal(other.get_parameter(name), built[0].get_parameter(name))


def test_a_saved_model_loads_and_says_the_same(built, tmp_path):
    built[0].save_pretrained(tmp_path)
    built[1].save_pretrained(tmp_path)
    local = load(tmp_path)
    assert local.family.name == "Qwen3-VL"
    batch = inputs(built[1], [page()])
    with torch.no_grad():
        assert torch.equal(local.model(**inputs(local.processor, [page()])).logits, built[0](**batch).logits)


def test_colour_filters_are_orthogonal_and_blind_to_nothing_but_their_own_wave():
    filters = colour_filters(9, 8).flatten(1)
    gram = filters @ filters.T
    assert torch.allclose(gram, torch.diag(gram.diagonal()), atol=1e-6)
    white = torch.ones(3, 2, 8, 8).flatten()
    response = filters @ white
    assert response[0] == pytest.approx(1.8)  # brightness: .6 in each of three colours, averaged over the patch
    assert torch.allclose(response[1:], torch.zeros(8), atol=1e-5)  # the opponent colours and all waves cancel


def test_positions_tell_every_cell_of_the_grid_apart_and_leave_the_filters_dimensions_alone():
    table = torch.ones(16, 20)
    write_positions(table, start=8, amplitude=0.5)
    assert (table[:, :8] == 0).all()
    distances = torch.cdist(table, table) + torch.eye(16)
    assert distances.min() > 0.1
    assert table.abs().max() <= 0.5


def test_near_numbers_start_near_each_other():
    torch.manual_seed(0)
    features = fourier_features([0, 25, 500], 64, 0.1)
    assert torch.dist(features[0], features[1]) < 0.5 * torch.dist(features[0], features[2])
    assert features.pow(2).mean().sqrt() == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("image_size=100", "image_size 100 is not a multiple"),
        ("colour_filters=64", "leave no room for positions"),
        ("number_step=30", "must divide 1000"),
        ("vision_heads=5", "vision_width 64"),
        ("deepstack_layers=[7]", "must lie in 0..1"),
        ("text_widht=64", "text_width"),
    ],
)
def test_impossible_shapes_are_refused_in_words(override, words):
    with pytest.raises(UserError, match=words):
        load_config(None, tiny.TinyConfig, [override])


@pytest.mark.parametrize("repeats", [[0, 1, 2], [0, 0, 1, 0], [4, 4]])
def test_fast_vision_computes_the_same_outputs_and_gradients(repeats):
    outputs, gradients = [], []
    for fast in (False, True):
        model, processor = tiny.build(SMALL)
        assert not fast or enable_fast_vision(model) == 3  # tower, one attention layer, patch embedding
        batch = inputs(processor, [page(seed) for seed in repeats])
        result = model(**batch, labels=batch["input_ids"])
        result.loss.backward()
        outputs.append(result.logits.detach())
        gradients.append({name: p.grad for name, p in model.named_parameters() if p.grad is not None})
    assert torch.allclose(outputs[0], outputs[1], atol=1e-4, rtol=1e-4)
    assert gradients[0].keys() == gradients[1].keys()
    for name, gradient in gradients[0].items():
        assert torch.allclose(gradient, gradients[1][name], atol=1e-4, rtol=1e-3), name


def test_fast_vision_takes_pages_of_different_sizes_the_ordinary_way():
    plain, processor = tiny.build(SMALL)
    fast, _ = tiny.build(SMALL)
    enable_fast_vision(fast)
    batch = inputs(processor, [page(0, 64), page(1, 32)])
    with torch.no_grad():
        assert torch.allclose(plain(**batch).logits, fast(**batch).logits, atol=1e-4)


def test_fast_vision_places_padded_rows_as_the_library_does(built):
    fast, processor = tiny.build(SMALL)
    enable_fast_vision(fast)
    from PIL import Image

    chats = [
        [
            {
                "role": "user",
                "content": [{"type": "image", "image": Image.fromarray(page(i))}, {"type": "text", "text": t}],
            }
        ]
        for i, t in enumerate(("short", "a much longer question than that", "short"))
    ]
    batch = processor.apply_chat_template(
        chats, tokenize=True, return_dict=True, return_tensors="pt", processor_kwargs={"padding": True}
    )
    keys = {k: batch[k] for k in ("input_ids", "mm_token_type_ids", "image_grid_thw", "attention_mask")}
    expected, offsets = built[0].model.get_rope_index(**keys)
    positions, fast_offsets = fast.model.get_rope_index(**keys)
    assert torch.equal(positions, expected)
    assert torch.equal(fast_offsets, offsets)


def test_fast_vision_touches_no_other_model(built):
    before = {name: module.forward for name, module in built[0].named_modules()}
    model, _ = tiny.build(SMALL)
    enable_fast_vision(model)
    assert all(module.forward == before[name] for name, module in built[0].named_modules())


def test_calls_and_prompts_of_canvas_drawing_are_a_few_tokens_where_the_model_is_made_for_it():
    _, processor = tiny.build(SMALL.model_copy(update={"env": "designgym/CanvasDrawing-v0", "number_step": 8}))

    def count(text):
        ids = processor.tokenizer(text)["input_ids"]
        assert processor.tokenizer.decode(ids) == text
        return len(ids)

    line = {"x1": 8, "y1": 400, "x2": 104, "y2": 0}
    assert count(render_call("draw_lines", {"lines": [line]})) == 9
    assert count(render_call("draw_lines", {"lines": [line, line]})) == 17
    assert count(render_call("draw_polylines", {"polylines": [{"points": [[8, 16], [24, 32], [0, 392]]}]})) == 13
    assert count(render_call("draw_lines", {"lines": [{**line, "x1": 9}]})) == 9  # a digit is a token anyway
    assert count(render_call("draw_lines", {"lines": [{**line, "x1": 122}]})) == 11  # off the grid, digit by digit
    assert count(render_call("drawing_finished", {"label": "The shape, closed"})) == 3
    assert count('{"name":"draw_lines","arguments":{"lines":[{"x1":8,"y1":16,"x2":24,"y2":32}]}} -> OK') == 9
    assert count("OK\nCalls left: 2.") == 3
    assert count("<|im_start|>assistant\n") == 3


def test_near_coordinates_of_the_canvas_start_near_each_other():
    model, processor = tiny.build(SMALL.model_copy(update={"env": "designgym/CanvasDrawing-v0", "number_step": 8}))
    rows = processor.tokenizer.convert_tokens_to_ids(["0", "8", "200"])
    zero, eight, half = model.get_input_embeddings().weight[rows].detach()
    assert torch.dist(zero, eight) < 0.1 * torch.dist(zero, half)


def test_an_environment_without_vocabulary_is_refused_in_words():
    with pytest.raises(UserError, match="no vocabulary for the environment 'my/Env-v0'"):
        tiny.build(SMALL.model_copy(update={"env": "my/Env-v0"}))
    with pytest.raises(UserError, match="must divide 400, and 30 does"):
        load_config(None, tiny.TinyConfig, ["env=designgym/CanvasDrawing-v0", "number_step=30"])
