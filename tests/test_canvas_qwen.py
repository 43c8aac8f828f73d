"""A local Qwen plays canvas drawing over several turns, asked with what came before as the prompt's context says."""

import numpy as np
import pytest
from PIL import Image

from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.conversation import announce_tools
from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.eval.runner import make, run
from designgym.history import from_steps
from designgym.prompt import render_call, to_transformers
from designgym.trace import read_episodes

pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.agents.qwen import tiny
from designgym.agents.qwen.agent import QwenAgent, build
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.local import LocalModel

ENV = "designgym/CanvasDrawing-v0"
SMALL = tiny.TinyConfig(
    image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
)
THOUSAND = NumberFrame("thousand")
KWARGS = {"split": "test", "subject": "listed", "vocabulary": "dots"}
TASKS = ["is01", "ot05", "is07"]


@pytest.fixture(scope="module")
def local():
    model, processor = tiny.build(SMALL)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def tools():
    return make(ENV, KWARGS).unwrapped.tool_table


class Scripted(QwenAgent):
    """Asks as the agent does, and answers out of a list; keeps what was asked."""

    def __init__(self, *args, replies, **options):
        super().__init__(*args, **options)
        self.replies = replies
        self.asked = {}

    def act_batch(self, observations, infos):
        self.now = [info["task"] for info in infos]
        return super().act_batch(observations, infos)

    def generate(self, chats):
        texts = []
        for task, chat in zip(self.now, chats, strict=True):
            rounds = self.asked.setdefault(task, [])
            texts.append(self.replies[len(rounds)])
            rounds.append(chat)
        return texts


def dots(*places):
    return render_call("draw_dots", {"dots": [{"x": x, "y": y} for x, y in places]})


REPLIES = [
    dots((10, 10), (20, 20)),
    "<tool_call>I draw a snail now.",  # meant as a call, and unreadable
    dots((30, 30)),
    render_call("undo_last_action", {}),
    render_call("draw_dots", {"dots": [{"x": "left"}]}),
    dots((40, 390)) + dots((50, 390)),  # two calls where one is asked for are as unreadable as none
    dots((60, 60)),
    render_call("drawing_finished", {"label": "Snail"}),
]


def kept_images(folder, steps):
    """The images that a trace kept, by step."""

    def read(step):
        image = np.array(Image.open(folder / step.image.file_name))
        return image.reshape(step.image.shape)

    return from_steps(steps, read)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_every_round_is_asked_as_the_trace_of_the_trial_would_be(local, tools, tmp_path, batch_size):
    agent = Scripted(local, prompt_builder(ENV), tools, replies=REPLIES)
    results = run(agent, ENV, KWARGS, TASKS, out=tmp_path, batch_size=batch_size, images=True)
    assert [(result.failure, result.end, result.calls) for result in results] == [("", "finished", 8)] * 3
    episodes = {steps[0].task: steps for steps in read_episodes(tmp_path / "traces.jsonl")}
    env = make(ENV, KWARGS)
    for task in TASKS:
        observation, _ = env.reset(options={"task": task})
        options = env.unwrapped.prompt_options()
        assert options["stimulus"] is True and options["subject"]
        turns = kept_images(tmp_path / "images", episodes[task])
        assert len(agent.asked[task]) == len(REPLIES)
        for number, chat in enumerate(agent.asked[task]):
            history = turns[: number + 1]
            now = {"image": history[-1].image, "task": observation["task"], "text": history[-1].text}
            messages = prompt_builder(ENV)(now, tools, history=history, wording="full", frame=THOUSAND, **options)
            assert plain(chat) == plain(to_transformers(announce_tools(messages, tools, THOUSAND)))


def plain(chat):
    """A conversation with its pictures as bytes."""
    return [
        (
            message["role"],
            [block["text"] if "text" in block else block["image"].tobytes() for block in message["content"]],
        )
        for message in chat
    ]


def test_the_model_sees_its_calls_their_results_and_its_canvases(local, tools):
    agent = Scripted(local, prompt_builder(ENV), tools, replies=REPLIES)
    run(agent, ENV, KWARGS, ["is01"])
    _, user = agent.asked["is01"][5]
    text = "".join(block.get("text", "<image>") for block in user["content"])
    lines = text.split("oldest first:\n")[1].split("\n\n")[0].split("\n")
    assert [line.split(" -> ")[1].split(":")[0] for line in lines] == [
        "OK",
        "Error (format)",
        "OK",
        "OK",
        "OK (skipped 1 malformed)",
    ]
    assert lines[1].startswith('"\\u003ctool_call>I draw a snail now." -> ')
    pictures = [np.array(block["image"]) for block in user["content"] if "image" in block]
    current, strip = pictures
    # After the reset: two dots, none, a third, none again (undone). Refused calls leave no canvas behind.
    assert strip.shape == (400, 1208, 3)
    parts = [strip[:, :400], strip[:, 404:804], strip[:, 808:]]
    assert (parts[2] == current).all() and (parts[0] == current).all()
    assert [int(part[30, 30, 0]) for part in parts] == [255, 0, 255]
    assert [int(part[10, 10, 0]) for part in parts] == [0, 0, 0]


@pytest.mark.parametrize("wording", ["brief", "full"])
def test_an_untrained_model_that_calls_nothing_is_done_after_a_turn(local, tools, wording):
    agent = QwenAgent(local, prompt_builder(ENV), tools, wording=wording, max_new_tokens=4)
    results = run(agent, ENV, KWARGS, TASKS[:2], batch_size=2, max_rounds=3)
    assert [(result.failure, result.end, result.rounds) for result in results] == [("", "silent", 1)] * 2


def test_a_turn_without_a_call_ends_the_trial_which_is_scored_as_it_stands(local, tools):
    agent = Scripted(local, prompt_builder(ENV), tools, replies=[REPLIES[0], "I am done."])
    kwargs = {"split": "test", "vocabulary": "dots", "reward": "closure"}
    (result,) = run(agent, ENV, kwargs, ["is01"])
    assert (result.end, result.calls, result.rounds, result.text) == ("silent", 1, 2, "I am done.")
    env = make(ENV, kwargs)
    env.reset(options={"task": "is01"})
    env.step({"name": "draw_dots", "arguments": {"dots": [{"x": 10, "y": 10}, {"x": 20, "y": 20}]}})
    assert result.reward == env.unwrapped.reward.score(env.unwrapped.episode()).value > 0


def test_framing_and_context_can_be_chosen_by_the_agents_options(tmp_path):
    tiny.save(SMALL, tmp_path / "tiny")
    env = make(ENV, KWARGS)
    agent = build(env, model=str(tmp_path / "tiny"), framing="depictive", context=["canvas"])
    observation, info = env.reset(options={"task": "is01"})
    agent.begin(env, info)
    told, user = agent.messages(observation, THOUSAND)
    assert "able to say what it shows" in told.text
    assert sum(not hasattr(part, "text") for part in user.parts) == 1
    with pytest.raises(UserError, match=r"no framing 'depictiv'\. Did you mean 'depictive'"):
        build(env, model=str(tmp_path / "tiny"), framing="depictiv")
    other = make("designgym/AestheticLocalization-v0", {})
    with pytest.raises(UserError, match="context has no component 'canvas'"):
        build(other, model=str(tmp_path / "tiny"), context=["canvas"])
