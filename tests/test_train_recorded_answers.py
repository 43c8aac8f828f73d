"""Rejection sampling where an episode is one answer: the best recorded answers to each page, in the words they have."""

import pytest

from designgym.agents.base import Reply
from designgym.agents.prompts import prompt_settings
from designgym.agents.words import read_words
from designgym.config import load_config
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.eval.runner import make, run
from designgym.prompt import render_call

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.conversation import read_reply  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import to_model  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.config import TrainConfig  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.sft import trainer as sft_trainer  # noqa: E402
from designgym.train.teachers import make_page_teacher, make_teacher  # noqa: E402

ENV = "designgym/AestheticLocalization-v0"
KWARGS = {"split": "train", "designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.0}
TASKS = [f"train-{number:06d}" for number in range(4)]


class Thinker:
    """A model that thinks before it answers with a part of the true box, in the frame of a family."""

    def __init__(self, env, local, share, *, unreadable=()):
        self.truth = make_teacher(AgentSection(name="truth"), env, 0)
        self.env, self.local, self.share, self.unreadable = env, local, share, unreadable

    def begin(self, env, info):
        self.truth.begin(env, info)

    def __call__(self, observation, info):
        left, top, right, bottom = self.truth(observation, info)["arguments"]["bbox"]
        if info["task"] in self.unreadable:
            return Reply("I cannot tell.")
        box = [left, top, left + (right - left) * self.share, bottom]
        action = {"name": "answer", "arguments": {"bbox": box}}
        tools = self.env.unwrapped.tool_table
        pages = Pages(self.env, ENV, self.local, wording="brief")
        written = to_model(action, tools, pages.frame(observation, {}), step=1)
        text = f"<think>\nA share of {self.share}.\n</think>\n\n{render_call('answer', written['arguments'])}"
        return read_reply(text, tools, pages.frame(observation, {}))


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return load_config(write_config(tmp_path_factory.mktemp("config")), TrainConfig)


@pytest.fixture(scope="module")
def local(config):
    model, processor = tiny.build(config.tiny)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def env():
    return make(ENV, KWARGS)


@pytest.fixture(scope="module")
def recorded(env, local, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    rewards = {}
    for share, unreadable in ((0.3, ()), (0.9, TASKS[:1]), (0.6, ())):
        agent = Thinker(env, local, share, unreadable=unreadable)
        results = run(agent, ENV, KWARGS, TASKS, out=folder / str(share))
        rewards[share] = [result.reward for result in results]
    ordered = zip(*(rewards[share][1:] for share in (0.3, 0.6, 0.9)), strict=True)
    assert all(low < middle < high for low, middle, high in ordered)
    return folder


def pages(env, local, folder, settings=None, **options):
    section = AgentSection(name="traces", options={"path": str(folder), **options})
    wording = "full" if settings else "brief"
    return Pages(env, ENV, local, wording=wording, teacher=make_page_teacher(section, env, 0), settings=settings)


def texts(made):
    items = made.teacher.items([])
    return {item: made.row(*item)["completion"][0]["content"][0]["text"] for item in items}


def test_the_best_answer_to_each_page_is_learnt_word_for_word(env, local, recorded):
    learnt = texts(pages(env, local, recorded, per_task=1))
    assert sorted(learnt) == [(task, 0) for task in TASKS]
    for (task, _), text in learnt.items():
        # The best answer to the first page cannot be read.
        assert text.startswith(f"<think>\nA share of {0.6 if task == TASKS[0] else 0.9}.\n</think>\n\n<tool_call>")


def test_several_answers_to_a_page_are_examples_of_their_own(env, local, recorded):
    made = pages(env, local, recorded)
    learnt = texts(made)
    assert sorted(learnt) == sorted([(task, n) for task in TASKS for n in range(2 if task == TASKS[0] else 3)])
    assert len(set(learnt.values())) == len(learnt)
    rows = made.dataset([task for task, _ in learnt], [number for _, number in learnt])
    assert [row["completion"][0]["content"][0]["text"] for row in rows] == list(learnt.values())
    plain = Pages(env, ENV, local, wording="brief")
    assert all(row["prompt"] == plain.row(row["task"])["prompt"] for row in rows)


def test_an_answer_that_was_recorded_without_words_is_written_in_those_that_the_prompt_asks_for(env, local, tmp_path):
    truth = make_teacher(AgentSection(name="truth"), env, 0)
    run(truth, ENV, KWARGS, TASKS, out=tmp_path)
    made = pages(env, local, tmp_path, prompt_settings(ENV, framing="optimized"))
    for (task, number), text in texts(made).items():
        assert number == 0 and "<tool_call>" not in text
        observation, info = env.reset(options={"task": task})
        options = {**env.unwrapped.prompt_options(), **made.settings}
        (call,) = read_words(text, made.tools, made.frame(observation, options), options).calls
        truth.begin(env, info)
        right = truth(observation, info)["arguments"]["bbox"]
        assert call["arguments"]["bbox"] == pytest.approx(right, abs=1e-3)  # thousandths of the page
    called = texts(pages(env, local, tmp_path))
    assert all(text.startswith("<tool_call>") for text in called.values())


def test_two_steps_on_recorded_answers_make_them_more_probable(config, env, local, recorded, tmp_path):
    model, processor = tiny.build(config.tiny)
    made = pages(env, LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny"), recorded, per_task=1)
    stage = config.stages[0].model_copy(update={"steps": 2})
    trainer = sft_trainer(stage, made.local, made, [], tmp_path, seed=0)
    batch = trainer.data_collator([trainer.train_dataset[index] for index in range(4)])
    with torch.no_grad():
        before = model(**batch).loss
    trainer.train()
    with torch.no_grad():
        assert model(**batch).loss < before


def test_a_stage_on_recorded_answers_is_checked_before_any_work(recorded, tmp_path):
    path = write_config(tmp_path)

    def checked(threshold, *settings):
        teacher = f"{{name: traces, options: {{path: {recorded}, threshold: {threshold}}}}}"
        stage = f"[{{name: best, kind: sft, teacher: {teacher}, steps: 1, batch_size: 2, learning_rate: 0.1}}]"
        check(load_config(path, TrainConfig, [f"stages={stage}", *settings]))

    checked(0, "env.kwargs.clean_share=0.0")
    with pytest.raises(UserError, match=r"11 finished episodes without refused calls.*reward of 2\.0 or more"):
        checked(2, "env.kwargs.clean_share=0.0")
    with pytest.raises(UserError, match=r"recorded with clean_share=0\.0, and the stage's environment has 0\.3"):
        checked(0)
