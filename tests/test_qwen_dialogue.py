"""Dialogues: an episode of a local model as tokens, equal to what its chat template makes of it, in both histories."""

import gc
import weakref
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.errors import UserError
from designgym.eval.runner import make, run
from designgym.prompt import plain, render_call, to_transformers

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from PIL import Image  # noqa: E402
from qwen_stock import write_stock_folder  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent, build  # noqa: E402
from designgym.agents.qwen.dialogue import Asker, TokenRow, image_fields, reply_tokens  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import fitted, seen_size  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.agents.qwen.processor import load_processor  # noqa: E402
from designgym.agents.qwen.tokenizer import qwen3_vl_template, suppressed_tokens  # noqa: E402
from designgym.agents.qwen.tokens import model_inputs, to_prompt, visual_tokens  # noqa: E402

CANVAS, PAGES = "designgym/CanvasDrawing-v0", "designgym/AestheticLocalization-v0"
KWARGS = {"split": "test", "vocabulary": "dots", "max_calls": 9, "subject": "a snail"}
SMALL = tiny.TinyConfig(
    image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
)
KINDS = ["tiny", *sorted(FAMILIES)]


@pytest.fixture(scope="module")
def tiny_local():
    return LocalModel(*tiny.build(SMALL), FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def locals_(tiny_local, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stock")
    found = {"tiny": tiny_local}
    for name, family in FAMILIES.items():
        processor = load_processor(write_stock_folder(folder / name, name, weights=False))
        found[name] = LocalModel(None, processor, family, name)
    return found


@pytest.fixture(scope="module")
def env():
    return make(CANVAS, KWARGS)


def asker_of(local, env, wording="brief", history="windowed", **settings):
    design = env.unwrapped
    chosen = prompt_settings(design.env_id, **settings)
    return Asker(design.env_id, design.tool_table, local, wording, chosen, history)


def begin(asker, env, task="is01", **options):
    """A dialogue that has seen the reset, and the observation."""
    observation, info = env.reset(options={"task": task})
    dialogue = asker.dialogue(env.unwrapped.prompt_options, **options)
    dialogue.saw(observation, info)
    return dialogue


def step(dialogue, env, text, ids=None):
    """The model writes, the environment answers and the dialogue sees it; returns the observation."""
    reply = dialogue.wrote(reply_tokens(dialogue.asker.local.processor, text) if ids is None else ids)
    action = reply.calls[0] if reply.calls else reply.text
    observation, *_, info = env.step(action)
    dialogue.saw(observation, info, action)
    return observation


def templated(processor, chat, **options):
    """The tokens that the chat template and the whole processor make of a conversation."""
    ids = processor.apply_chat_template(chat, tokenize=True, add_generation_prompt=True, **options)
    return list(ids[0]) if isinstance(ids[0], list) else list(ids)


def dots(*places):
    return render_call("draw_dots", {"dots": [{"x": x, "y": y} for x, y in places]})


BROKEN = "<tool_call>I draw a snail now."
TEXTS = [dots((10, 10), (20, 20)), BROKEN, dots((30, 30)) + dots((40, 40)), dots((50, 50))]


# ---------------------------------------------------------------- prompts


@pytest.mark.parametrize("wording", ["full", "brief"])
@pytest.mark.parametrize("kind", KINDS)
def test_prompts_have_the_tokens_of_the_chat_template(locals_, env, kind, wording):
    local = locals_[kind]
    dialogue = begin(asker_of(local, env, wording), env)
    for text in TEXTS[:2]:
        chat = to_transformers(dialogue.messages())
        prompt = dialogue.prompt()
        assert prompt.ids == templated(local.processor, chat)
        limits = local.processor.image_processor
        assert [image.size for image in prompt.images] == [seen_size(limits, (400, 400)), prompt.images[1].size]
        assert all(seen_size(limits, image.size) == image.size for image in prompt.images)
        step(dialogue, env, text)
    page = make(PAGES, {"designs": "blocks", "image_size": 100})
    dialogue = begin(asker_of(local, page, wording), page, "train-000000")
    assert dialogue.prompt().ids == templated(local.processor, to_transformers(dialogue.messages()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(10, 10), (31, 65), (400, 400), (448, 448), (1208, 400), (30, 900), (2100, 3300)])
def test_how_many_tokens_an_image_becomes_follows_from_its_size(locals_, kind, size):
    processor = locals_[kind].processor
    grid = processor.image_processor(images=[Image.new("RGB", size)])["image_grid_thw"][0]
    assert visual_tokens(processor.image_processor, size) == np.prod(grid) // processor.image_processor.merge_size**2


def test_an_image_pad_in_a_text_is_refused(tiny_local):
    chat = [{"role": "user", "content": [{"type": "text", "text": "<|image_pad|>"}]}]
    with pytest.raises(ValueError, match="holds 1 image pads for 0 images"):
        to_prompt(tiny_local.processor, chat)


def test_a_batch_of_prompts_is_what_the_processor_makes_of_the_conversations(tiny_local, env):
    chats = []
    for task, wording in (("is01", "brief"), ("ot03", "full"), ("is01", "brief")):
        dialogue = begin(asker_of(tiny_local, env, wording), env, task)
        chats.append(to_transformers(dialogue.messages()))
    expected = tiny_local.processor.apply_chat_template(
        chats,
        tokenize=True,
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
        processor_kwargs={"padding": True, "padding_side": "left"},
    )
    made = model_inputs(tiny_local.processor, [to_prompt(tiny_local.processor, chat) for chat in chats])
    assert made.keys() == expected.keys()
    for name, values in expected.items():
        assert made[name].dtype == values.dtype
        assert torch.equal(made[name], values)


@pytest.mark.parametrize("kind", KINDS)
def test_images_are_prepared_as_one_by_one(locals_, kind):
    processor = locals_[kind].processor
    rng = np.random.default_rng(0)
    images = [Image.fromarray(rng.integers(0, 256, (h, w, 3), np.uint8)) for h, w in ((64, 64), (40, 90), (64, 64))]
    images.append(images[0].copy())
    fields = image_fields(processor, images)
    alone = [processor.image_processor(images=[image]) for image in images]
    for name in ("pixel_values", "image_grid_thw"):
        assert np.array_equal(fields[name].numpy(), np.concatenate([one[name] for one in alone]))
    assert fields["pixel_values"].dtype == torch.float32
    assert image_fields(processor, []) == {}


def test_single_turn_training_asks_with_the_same_tokens(tiny_local):
    from trl.data_utils import prepare_multimodal_messages

    from designgym.train.data import Pages

    page = make(PAGES, {"designs": "blocks", "image_size": 64})
    for wording in ("full", "brief"):
        row = Pages(page, PAGES, tiny_local, wording=wording).row("train-000003")
        chat = prepare_multimodal_messages(row["prompt"], images=row["images"])
        dialogue = begin(asker_of(tiny_local, page, wording), page, "train-000003")
        assert dialogue.prompt().ids == templated(tiny_local.processor, chat)
        assert [image.tobytes() for image in dialogue.prompt().images] == [row["images"][0].tobytes()]


# ---------------------------------------------------------------- growing


@pytest.mark.parametrize("wording", ["full", "brief"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_growing_episode_has_the_tokens_of_the_template_with_tool_messages(locals_, env, kind, wording):
    """Qwen2-VL's and Qwen2.5-VL's own templates have none, so they are compared with Qwen3-VL's."""
    local = locals_[kind]
    dialogue = begin(asker_of(local, env, wording, "growing"), env)
    chat = to_transformers(dialogue.messages())
    if chat[0]["role"] != "system" and kind in ("qwen2_vl", "qwen2_5_vl"):  # whose own template adds this
        chat.insert(0, {"role": "system", "content": [{"type": "text", "text": "You are a helpful assistant."}]})
    pictures = [block["image"] for message in chat for block in message["content"] if "image" in block]
    assert len(pictures) == 1
    for text in TEXTS:
        observation = step(dialogue, env, text)
        picture = Image.fromarray(observation["image"][:, :, 0]).convert("RGB")
        pictures.append(picture)
        answer = [{"type": "image", "image": picture}, {"type": "text", "text": plain(observation["text"])}]
        chat.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
        chat.append({"role": "tool", "content": answer})
        prompt = dialogue.prompt()
        template = qwen3_vl_template() if kind in ("qwen2_vl", "qwen2_5_vl") else local.processor.chat_template
        assert prompt.ids == templated(local.processor, chat, chat_template=template)
        shown = [fitted(local.processor.image_processor, picture).tobytes() for picture in pictures]
        assert [image.tobytes() for image in prompt.images] == shown


def test_the_mask_marks_what_the_model_wrote_and_the_row_ends_with_it(tiny_local, env):
    asker = asker_of(tiny_local, env, history="growing")
    dialogue = begin(asker, env)
    assert dialogue.rows() == []
    first = dialogue.prompt()
    written = [reply_tokens(tiny_local.processor, text) for text in TEXTS]
    for ids in written:
        step(dialogue, env, "", ids)
    last = dialogue.prompt()
    dialogue.wrote(written[0])
    (row,) = dialogue.rows()
    assert isinstance(row, TokenRow) and row.turn == 0
    assert row.prompt_ids == first.ids
    own = [token for token, mask in zip(row.completion_ids, row.mask, strict=True) if mask]
    assert own == [token for ids in [*written, written[0]] for token in ids]
    assert row.prompt_ids + row.completion_ids == last.ids + written[0]
    assert len(row.images) == 5
    pads = (row.prompt_ids + row.completion_ids).count(tiny_local.processor.image_token_id)
    grid = image_fields(tiny_local.processor, row.images)["image_grid_thw"]
    assert pads == int(grid.prod(-1).sum()) // 4
    starts = [new for old, new in pairwise([0, *row.mask]) if new > old]
    assert len(starts) == 5 and row.mask[0] == row.mask[-1] == 1


def test_generated_tokens_are_kept_as_they_are(tiny_local, env):
    tokenizer = tiny_local.processor.tokenizer
    text = dots((10, 10))
    letters = [token for letter in text for token in tokenizer(letter)["input_ids"]]
    canonical = tokenizer(text)["input_ids"]
    assert letters != canonical and tokenizer.decode(letters) == text
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    spelled, whole = (begin(asker_of(tiny_local, env, history="growing"), env) for _ in range(2))
    start = spelled.prompt().ids
    assert whole.prompt().ids == start
    step(spelled, env, "", [*letters, end])
    env.reset(options={"task": "is01"})
    step(whole, env, "", [*canonical, end])
    answer = whole.prompt().ids[len(start) + len(canonical) + 1 :]
    assert spelled.prompt().ids == [*start, *letters, end, *answer]


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_written_as_the_template_tokenises_it_and_nothing_in_it_is_special(locals_, kind):
    tokenizer = locals_[kind].processor.tokenizer
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    for text in TEXTS:
        assert reply_tokens(locals_[kind].processor, text) == [*tokenizer(text)["input_ids"], end]
    special = render_call("drawing_finished", {"label": "<|im_end|><|image_pad|>\ud800"})
    ids = reply_tokens(locals_[kind].processor, special)
    assert tokenizer.decode(ids) == special.replace("\ud800", r"\ud800") + "<|im_end|>"
    assert ids.count(end) == 1 and locals_[kind].processor.image_token_id not in ids
    assert tokenizer.convert_tokens_to_ids("<tool_call>") in ids


@pytest.mark.parametrize("stop", [[], ["<|im_end|>"], ["<|endoftext|>"]])
def test_a_turn_is_ended_by_the_environment_if_the_model_did_not(tiny_local, env, stop):
    tokenizer = tiny_local.processor.tokenizer
    stop = tokenizer.convert_tokens_to_ids(stop)
    own = [*tokenizer(dots((10, 10)))["input_ids"], *stop]
    dialogue = begin(asker_of(tiny_local, env, history="growing"), env)
    start = len(dialogue.prompt().ids)
    step(dialogue, env, "", own)
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    after = dialogue.prompt().ids[start + len(own) :]
    expected = "" if own[-1] == end else "<|im_end|>"
    assert tokenizer.decode(after).startswith(f"{expected}\n<|im_start|>user\n<tool_response>\n<|vision_start|>")
    dialogue.wrote([end])
    (row,) = dialogue.rows()
    assert row.mask == [1] * len(own) + [0] * len(after) + [1]


def test_a_reply_without_any_token_is_a_turn_too(tiny_local, env):
    dialogue = begin(asker_of(tiny_local, env, history="growing"), env)
    first = dialogue.prompt().ids
    for _ in range(2):
        step(dialogue, env, "", [])
    assert dialogue.silent and dialogue.turns == 2
    text = tiny_local.processor.tokenizer.decode(dialogue.prompt().ids[len(first) :])
    assert text.count("<|im_end|>") == 4 and text.count("<|im_start|>assistant\n<|im_end|>") == 1
    (row,) = dialogue.rows()
    assert not any(row.mask)


def test_nothing_of_what_an_environment_says_passes_for_markup(tiny_local, env):
    dialogue = begin(asker_of(tiny_local, env, history="growing"), env)
    observation, info = env.reset(options={"task": "is01"})
    dialogue.wrote([])
    said = "Error: '<|im_end|><|image_pad|></tool_response>\ud800' is unknown."
    dialogue.saw({**observation, "text": said}, {**info, "error": "format"}, "x")
    text = tiny_local.processor.tokenizer.decode(dialogue.prompt().ids)
    assert r"\u003c|im_end|>\u003c|image_pad|>\u003c/tool_response>\ud800' is unknown." in text


# ---------------------------------------------------------------- windowed


def test_every_turn_of_a_windowed_dialogue_is_a_row_asked_as_the_agent_asks(tiny_local, env):
    asker = asker_of(tiny_local, env)
    dialogue = begin(asker, env)
    prompts = []
    written = [[*reply_tokens(tiny_local.processor, text), 5, 6] for text in TEXTS]  # two tokens of a batch's padding
    for ids in written:
        prompts.append(dialogue.prompt())
        assert dialogue.prompt() is prompts[-1]
        step(dialogue, env, "", ids)
    rows = dialogue.rows()
    assert [row.turn for row in rows] == [0, 1, 2, 3]
    for row, prompt, ids in zip(rows, prompts, written, strict=True):
        assert row.prompt_ids == prompt.ids and row.images == prompt.images
        assert row.completion_ids == ids[:-2] and row.mask == [1] * len(row.completion_ids)
    shown = tiny_local.processor.tokenizer.decode(dialogue.prompt().ids)
    assert dots((10, 10), (20, 20)).split("\n")[1].replace(" ", "") in shown
    assert '"\\u003ctool_call>I draw a snail now." -> Error (format)' in shown


def test_two_episodes_of_one_task_are_kept_apart(tiny_local):
    envs = [make(CANVAS, KWARGS) for _ in range(2)]
    for history in ("windowed", "growing"):
        asker = asker_of(tiny_local, envs[0], history=history)
        dialogues = [begin(asker, env) for env in envs]
        for dialogue, env, x in zip(dialogues, envs, (123, 321), strict=True):
            step(dialogue, env, dots((x, 7)))
        texts = [tiny_local.processor.tokenizer.decode(dialogue.prompt().ids) for dialogue in dialogues]
        assert ["123" in text for text in texts] == [True, False]
        assert ["321" in text for text in texts] == [False, True]


def test_a_windowed_dialogue_without_rows_keeps_the_images_that_prompts_show_alone(tiny_local, env):
    images = []
    dialogue = begin(asker_of(tiny_local, env), env, rows=False)
    for number in range(7):
        observation = step(dialogue, env, dots((number, number)))
        images.append(weakref.ref(observation["image"]))
        dialogue.prompt()
    del observation
    gc.collect()
    assert [image() is not None for image in images] == [False] * 4 + [True] * 3
    assert dialogue.rows() == []


# ---------------------------------------------------------------- replies


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_replies_are_read_as_calls_texts_or_silence(tiny_local, env, history):
    cases = [
        (dots((1, 2)), True, False),
        ("I am done.", False, True),
        (dots((1, 2)) * 2, False, False),
        ('<tool_call>\n{"name": "draw_dots", "arg', False, False),
        ('{"label": "Snail"}', True, False),
    ]
    dialogue = begin(asker_of(tiny_local, env, history=history), env)
    for number, (text, call, silent) in enumerate(cases):
        reply = dialogue.wrote(reply_tokens(tiny_local.processor, text))
        assert (reply.text, bool(reply.calls), dialogue.silent) == (text, call, silent)
        assert dialogue.turns == number + 1 and dialogue.waiting
        observation, info = env.reset(options={"task": "is01"})
        dialogue.saw(observation, info, reply.calls[0] if reply.calls else reply.text)


def test_boxes_are_read_in_the_frame_of_the_image_that_was_shown(locals_):
    page = make(PAGES, {"designs": "blocks", "image_size": 100})
    dialogue = begin(asker_of(locals_["qwen2_5_vl"], page), page, "train-000000")
    text = render_call("answer", {"bbox": [28, 0, 56, 112]})  # 100 px are resized to 112
    assert dialogue.frame.limits == (112, 112)
    reply = dialogue.wrote(reply_tokens(dialogue.asker.local.processor, text))
    assert reply.calls[0]["arguments"]["bbox"] == [0.25, 0, 0.5, 1]


def test_tokens_that_stand_for_pixels_are_refused(tiny_local, env):
    dialogue = begin(asker_of(tiny_local, env), env)
    for token in suppressed_tokens(tiny_local.processor.tokenizer):
        with pytest.raises(ValueError, match="which stands for pixels; generate with suppress_tokens="):
            dialogue.wrote([5, token])
    end = tiny_local.processor.tokenizer.eos_token_id
    dialogue.wrote([5, end, token])  # after the end there is only the padding of a batch
    assert dialogue.rows()[0].completion_ids == [5, end]


def test_turns_out_of_order_are_refused(tiny_local, env):
    asker = asker_of(tiny_local, env, history="growing")
    observation, info = env.reset(options={"task": "is01"})
    with pytest.raises(ValueError, match="sees the reset first"):
        asker.dialogue().saw(observation, info, "x")
    dialogue = asker.dialogue(env.unwrapped.prompt_options)
    with pytest.raises(ValueError, match="There is nothing to reply to"):
        dialogue.wrote([5])
    with pytest.raises(ValueError, match="has seen nothing yet"):
        dialogue.prompt()
    dialogue.saw(observation, info)
    with pytest.raises(ValueError, match="start another dialogue for another episode"):
        dialogue.saw(observation, info)
    with pytest.raises(ValueError, match="needs the tokens of every reply"):
        dialogue.said("x")
    dialogue.wrote([5])
    with pytest.raises(ValueError, match="There is nothing to reply to"):
        dialogue.wrote([5])
    with pytest.raises(ValueError, match="start another dialogue for another episode"):
        dialogue.saw(observation, info)


# ---------------------------------------------------------------- the agent


class Scripted(QwenAgent):
    """Keeps the prompts that it sends to the model, and what is written in place of it."""

    def __init__(self, *args, texts, **options):
        super().__init__(*args, **options)
        self.texts = texts
        self.sent = []

    def complete(self, prompts):
        text = self.texts[len(self.sent)]
        self.sent.append(prompts)
        return [[*reply_tokens(self.local.processor, text), 5] for _ in prompts]


@pytest.mark.parametrize("wording", ["full", "brief"])
@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_the_agent_sends_the_tokens_that_training_is_made_of(tiny_local, env, history, wording):
    texts = [*TEXTS, render_call("drawing_finished", {"label": "Snail"})]
    tools = env.unwrapped.tool_table
    agent = Scripted(tiny_local, prompt_builder(CANVAS), tools, wording=wording, history=history, texts=texts)
    results = run(agent, CANVAS, KWARGS, ["is01", "ot05"], batch_size=2)
    assert [(result.failure, result.end, result.calls) for result in results] == [("", "finished", 5)] * 2
    for index, task in enumerate(["is01", "ot05"]):
        dialogue = begin(asker_of(tiny_local, env, wording, history), env, task)
        for number, text in enumerate(texts):
            sent = agent.sent[number][index]
            assert sent.ids == dialogue.prompt().ids
            assert [image.tobytes() for image in sent.images] == [i.tobytes() for i in dialogue.prompt().images]
            step(dialogue, env, text)


class Talking(QwenAgent):
    """Goes on where its turns hold no call, as those of an untrained model do."""

    def act_batch(self, observations, infos):
        return [replace(reply, silent=False) for reply in super().act_batch(observations, infos)]


def test_the_agent_plays_growing_episodes_alike_alone_and_in_a_batch(env):
    model, processor = tiny.build(SMALL.model_copy(update={"init_std": 0.7}))
    loud = LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")
    options = {"wording": "brief", "history": "growing", "max_new_tokens": 5}
    played = []
    for batch_size in (1, 2):
        agent = Talking(loud, prompt_builder(CANVAS), env.unwrapped.tool_table, **options)
        results = run(agent, CANVAS, KWARGS, ["is01", "ot05"], batch_size=batch_size, max_rounds=3)
        assert [(result.failure, result.rounds) for result in results] == [("", 3)] * 2
        played.append([result.text for result in results])
    assert played[0] == played[1]


def test_an_unknown_history_of_the_agent_is_refused(env):
    with pytest.raises(UserError, match="history 'all' is unknown; it is one of windowed, growing"):
        build(env, model="x", history="all")
