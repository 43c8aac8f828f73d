"""The local agent: asked as training asks, equal alone and in a batch, read by the common parser, in page
fractions."""

import json

import numpy as np
import pytest

from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools, decode, read_reply
from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.eval.runner import make, run
from designgym.prompt import ImagePart, to_transformers

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from qwen_stock import write_stock_folder  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent, build  # noqa: E402
from designgym.agents.qwen.dialogue import Asker  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.local import LocalModel, load  # noqa: E402

ENV = "designgym/AestheticLocalization-v0"
SMALL = tiny.TinyConfig(
    image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
)
THOUSAND = NumberFrame("thousand")


@pytest.fixture(scope="module")
def local():
    model, processor = tiny.build(SMALL)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def env():
    return make(ENV, {"designs": "blocks", "image_size": 64})


@pytest.fixture(scope="module")
def tools(env):
    return env.unwrapped.tool_table


def observations(env, count):
    return [env.reset(options={"task": f"train-{i:06d}"})[0] for i in range(count)]


def test_announced_tools_are_byte_for_byte_what_the_chat_template_writes(local, env, tools):
    observation = observations(env, 1)[0]
    messages = prompt_builder(ENV)(observation, tools, wording="full", frame=THOUSAND)
    for given in (messages, messages[1:]):  # with and without a system message of the prompt's own
        by_template = local.processor.apply_chat_template(
            to_transformers(given), tools=tools.schemas(THOUSAND), tokenize=False, add_generation_prompt=True
        )
        announced = announce_tools(given, tools, THOUSAND)
        by_us = local.processor.apply_chat_template(
            to_transformers(announced), tokenize=False, add_generation_prompt=True
        )
        assert by_us == by_template
        assert json.dumps(tools.schemas(THOUSAND)[0]) in by_us


def test_greedy_answers_alone_and_in_a_left_padded_batch_are_equal(env, tools):
    # Weights so large that the untrained model says different things about different pages.
    model, processor = tiny.build(SMALL.model_copy(update={"init_std": 0.7}))
    loud = LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")
    agent = QwenAgent(loud, prompt_builder(ENV), tools, wording="brief", max_new_tokens=8)
    seen = observations(env, 5)
    seen[1] = {**seen[1], "task": "A much longer question than all of the others, so that their rows are padded?"}
    together = [reply.text for reply in agent.act_batch(seen, [{}] * 5)]
    alone = [agent(observation, {}).text for observation in seen]
    assert together == alone
    assert len(set(together)) > 1


def test_log_probabilities_of_a_completion_are_equal_alone_and_in_a_batch(local):
    from PIL import Image

    chats = []
    for colour, text in (("red", "short"), ("blue", "a question with many more words than the other one")):
        image = {"type": "image", "image": Image.new("RGB", (64, 64), colour)}
        chats.append([{"role": "user", "content": [image, {"type": "text", "text": text}]}])

    def log_probabilities(some):
        batch = local.processor.apply_chat_template(
            some,
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )
        with torch.no_grad():
            return local.model(**batch).logits[:, -1].log_softmax(-1)

    together = log_probabilities(chats)
    for row, chat in zip(together, chats, strict=True):
        assert torch.allclose(row, log_probabilities([chat])[0], atol=1e-4)


def test_sampling_depends_on_the_seed_alone_and_leaves_the_global_generator(local, env, tools):
    seen = observations(env, 4)

    def sample(seed):
        agent = QwenAgent(local, prompt_builder(ENV), tools, wording="brief", sample=True, max_new_tokens=6, seed=seed)
        return [reply.text for reply in agent.act_batch(seen, [{}] * 4)]

    torch.manual_seed(1)
    first = sample(0)
    after = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(after, torch.rand(1))
    assert first == sample(0)
    assert first != sample(1)


def test_vision_tokens_are_never_generated(local, env, tools):
    agent = QwenAgent(
        local, prompt_builder(ENV), tools, wording="brief", sample=True, temperature=50.0, max_new_tokens=60
    )
    texts = agent.generate([to_transformers(agent.messages(o, THOUSAND)) for o in observations(env, 4)])
    assert not any(token in text for text in texts for token in ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>"))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (
            '<tool_call>\n{"name": "answer", "arguments": {"bbox": [100, 200, 300, 400]}}\n</tool_call>',
            ({"name": "answer", "arguments": {"bbox": [0.1, 0.2, 0.3, 0.4]}},),
        ),
        ('{"bbox": null}', ({"name": "answer", "arguments": {"bbox": None}},)),
        ('{"bbox": [0, 0, 10, 10]} {"bbox": [0, 0, 20, 20]}', ()),  # two answers are none
        ("no idea", ()),
        ("<think>{}</think>", ()),
    ],
)
def test_a_reply_is_read_as_one_call_in_page_fractions(tools, text, calls):
    reply = read_reply(text, tools, THOUSAND)
    assert reply.text == text
    assert reply.calls == calls


def test_decoding_stops_at_the_first_end_token(local):
    tokenizer = local.processor.tokenizer
    ids = tokenizer("abc")["input_ids"] + [tokenizer.eos_token_id] + tokenizer("def")["input_ids"]
    assert decode(local.processor, ids) == "abc"


class Scripted:
    """Stands for a model that writes a perfect answer in its family's frame."""

    def __init__(self, agent, env):
        self.agent = agent
        self.env = env

    def begin(self, env, info):
        self.truth = env.unwrapped.episode().truth["bbox"]

    def __call__(self, observation, info):
        from designgym.agents.qwen.frames import to_model
        from designgym.prompt import render_call

        frame = self.agent.frame(observation)
        call = to_model({"name": "answer", "arguments": {"bbox": self.truth}}, self.agent.tools, frame)
        return read_reply(render_call(call["name"], call["arguments"]), self.agent.tools, frame)


@pytest.mark.parametrize("model_type", sorted(FAMILIES))
def test_a_perfect_answer_scores_full_on_pages_that_the_processor_resizes(model_type, tmp_path):
    """100 px is no multiple of 28 or 32: Qwen2.5-VL's pixels are not those of the page."""
    agent_env = make(ENV, {"designs": "blocks", "image_size": 100, "reward": "iou", "clean_share": 0.3})
    local = load(write_stock_folder(tmp_path, model_type))
    agent = QwenAgent(local, prompt_builder(ENV), agent_env.unwrapped.tool_table)
    kwargs = {"designs": "blocks", "image_size": 100, "reward": "iou", "clean_share": 0.3, "split": "test"}
    results = run(Scripted(agent, agent_env), ENV, kwargs, [f"test-{i:06d}" for i in range(12)])
    assert not any(result.failure for result in results)
    assert min(result.reward for result in results) > 0.9  # whole numbers of a frame of 112 px or of thousandths


def test_a_stock_model_plays_with_the_full_wording(tmp_path):
    env = make(ENV, {"designs": "blocks", "image_size": 64})
    agent = build(env, model=str(write_stock_folder(tmp_path, "qwen2_5_vl")), max_new_tokens=4)
    results = run(agent, ENV, {"designs": "blocks", "image_size": 64}, ["train-000000", "train-000001"], batch_size=2)
    assert [result.failure for result in results] == ["", ""]
    assert all(np.isfinite(result.reward) for result in results)


def test_the_factory_says_what_is_missing(env):
    with pytest.raises(UserError, match="needs the option 'model'"):
        build(env)
    with pytest.raises(UserError, match="wording 'short' is unknown"):
        build(env, model="x", wording="short")
    with pytest.raises(UserError, match=r"temperature is 0\.0; it must be above 0"):
        build(env, model="x", temperature=0.0)
    with pytest.raises(UserError, match="max_new_tokens is 0; it must be above 0"):
        build(env, model="x", max_new_tokens=0)


def test_a_page_that_is_opened_later_is_shown_from_then_on(local):
    """The workbench has no page at the reset; a dialogue that asked for its size only then would never show one."""
    env = make("designgym/DesignActions-v0", {"split": "test"})
    observation, info = env.reset(seed=0, options={"task": "test-000000"})
    asker = Asker("designgym/DesignActions-v0", env.unwrapped.tool_table, local, "brief")
    dialogue = asker.dialogue(env.unwrapped.prompt_options)
    dialogue.saw(observation, info)
    images = [sum(isinstance(part, ImagePart) for message in dialogue.messages() for part in message.parts)]
    dialogue.said("I open one.")
    action = {"name": "CreateDocument", "arguments": {"docType": "postcard"}}
    observation, _, _, _, info = env.step(action)
    dialogue.saw(observation, info, action)
    images.append(sum(isinstance(part, ImagePart) for message in dialogue.messages() for part in message.parts))
    assert images == [0, 1]
