"""The tiny model in all three aesthetics tasks: right answers earn everything, with and without a reasoning path."""

import io

import pytest
import yaml
from rich.console import Console

from designgym.agents.prompts import prompt_settings
from designgym.config import load_config
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.eval.runner import make
from designgym.train.aesthetics_data.build import build
from designgym.train.aesthetics_data.pairs import ask, completion, path_by_rule
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.vocabulary import BLOCK_INDICATORS, pieces
from designgym.train.config import TrainConfig

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.agents.qwen.tiny import vocabulary_tokenizer  # noqa: E402
from designgym.agents.qwen.vocabulary import vocabulary  # noqa: E402
from designgym.train import run as running  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.teachers import make_teacher  # noqa: E402

JUDGMENT, SELECTION, LOCALIZATION = (
    f"designgym/{name}-v0" for name in ("AestheticJudgment", "RegionSelection", "AestheticLocalization")
)
ENVS = (JUDGMENT, SELECTION, LOCALIZATION)
TASK = {JUDGMENT: "judgment", SELECTION: "selection", LOCALIZATION: "localization"}
CONSTANTS = {
    JUDGMENT: ["always-yes", "always-no"],
    SELECTION: ["always-a", "none-if-offered"],
    LOCALIZATION: ["always-none", "full-page"],
}
MODEL = {
    "image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1, "text_width": 32, "text_heads": 2,
    "text_layers": 1,
}  # fmt: skip
KWARGS = {"designs": "blocks", "image_size": 64}
TASKS = [f"train-{number:06d}" for number in range(12)]


def local_model(env_id, **changes):
    model, processor = tiny.build(tiny.TinyConfig(env=env_id, **{**MODEL, **changes}))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def reasoning():
    """A model whose vocabulary holds the words of reasoning paths, for any of the tasks."""
    return local_model(LOCALIZATION, reasoning=True, vocab_size=1000)


def taught(env_id, local):
    env = make(env_id, KWARGS)
    teacher = make_teacher(AgentSection(name="truth"), env, 0)
    return Pages(env, env_id, local, wording="brief", teacher=teacher, number_step=25)


def earned(made, texts, tasks):
    """What answers earn that a model wrote token by token."""
    tokenizer = made.local.processor.tokenizer
    ids = [[*tokenizer(text)["input_ids"], tokenizer.eos_token_id] for text in texts]
    return EnvironmentReward(made.env, made)(completion_ids=ids, task=tasks, log_metric=lambda name, value: None)


def reasoned(made, task):
    """A pair's completion about the page of a training task."""
    settings = DataSettings(n=1, source="blocks", image_size=64, wording="brief", indicators=BLOCK_INDICATORS)
    question = ask(made.env.unwrapped.item(task), settings)
    path = path_by_rule(question, settings, 0)
    return path, completion(path, question.call())


@pytest.mark.parametrize("env_id", ENVS)
def test_right_answers_of_the_tiny_vocabulary_earn_all(env_id):
    made = taught(env_id, local_model(env_id))
    texts = [made.row(task)["completion"][0]["content"][0]["text"] for task in TASKS]
    assert len(set(texts)) > 1
    assert earned(made, texts, TASKS) == [1.0] * len(TASKS)


@pytest.mark.parametrize(("env_id", "answers"), [(JUDGMENT, 2), (SELECTION, 4)])
def test_each_answer_in_a_word_is_one_token(env_id, answers):
    made = taught(env_id, local_model(env_id))
    tokenizer = made.local.processor.tokenizer
    written = {made.row(f"train-{n:06d}")["completion"][0]["content"][0]["text"] for n in range(40)}
    assert len(written) == answers
    assert all(len(tokenizer(text)["input_ids"]) == 1 for text in written)
    assert all(tokenizer.decode(tokenizer(text)["input_ids"]) == text for text in written)


@pytest.mark.parametrize(("env_id", "most"), [(JUDGMENT, 12), (SELECTION, 50)])
def test_a_question_is_a_few_tokens_and_read_back(env_id, most):
    made = taught(env_id, local_model(env_id))
    tokenizer = made.local.processor.tokenizer
    for task in TASKS:
        text = made.row(task)["prompt"][0]["content"][-1]["text"]
        ids = tokenizer(text)["input_ids"]
        assert tokenizer.decode(ids) == text
        assert len(ids) <= most


@pytest.mark.parametrize("env_id", ENVS)
def test_an_answer_after_a_reasoning_path_earns_as_much(env_id, reasoning):
    made = taught(env_id, reasoning)
    written = [reasoned(made, task) for task in TASKS]
    assert all(text.startswith(path) and len(path) > 40 for path, text in written)
    assert earned(made, [text for _, text in written], TASKS) == [1.0] * len(TASKS)
    # The path alone is no answer, although it names the right box or letter.
    assert earned(made, [path for path, _ in written], TASKS) == [0.0] * len(TASKS)


@pytest.mark.parametrize("env_id", ENVS)
def test_the_evaluation_reads_the_answer_after_a_reasoning_path(env_id, reasoning, monkeypatch):
    made = taught(env_id, reasoning)
    written = {task: reasoned(made, task)[1] for task in TASKS[:3]}
    agent = QwenAgent(reasoning, made.build, made.tools, wording="brief")
    tokenizer = reasoning.processor.tokenizer
    for task, text in written.items():
        monkeypatch.setattr(agent, "complete", lambda prompts, text=text: [tokenizer(text)["input_ids"]] * len(prompts))
        observation, info = made.env.reset(options={"task": task})
        agent.begin(made.env, info)
        reply = agent(observation, info)
        _, reward, *_ = made.env.step(reply.calls[0])
        assert (len(reply.calls), round(reward, 6), reply.text) == (1, 1.0, text)


@pytest.mark.parametrize("env_id", ENVS)
def test_an_answer_in_words_after_reasoning_is_read_from_its_last_line(env_id, reasoning):
    env = make(env_id, KWARGS)
    settings = prompt_settings(env_id, framing="optimized")
    teacher = make_teacher(AgentSection(name="truth"), env, 0)
    made = Pages(env, env_id, reasoning, wording="full", teacher=teacher, settings=settings)
    words = [made.row(task)["completion"][0]["content"][0]["text"] for task in TASKS]
    before = "At first sight the title stands well. Its neighbour is another matter."
    assert earned(made, [f"{before}\n{word}" for word in words], TASKS) == [1.0] * len(TASKS)


def test_a_path_is_tens_of_tokens_and_gives_itself_back(reasoning):
    made = taught(LOCALIZATION, reasoning)
    tokenizer = reasoning.processor.tokenizer
    plain = vocabulary_tokenizer(tiny.TinyConfig(env=LOCALIZATION))
    texts = [reasoned(made, task)[1] for task in TASKS]
    assert all(tokenizer.decode(tokenizer(text)["input_ids"]) == text for text in texts)
    counts, before = ([len(t(text)["input_ids"]) for text in texts] for t in (tokenizer, plain))
    assert sum(counts) / len(counts) < 90
    assert sum(counts) < sum(before) / 2


def test_pieces_end_at_numbers_quotations_colours_boxes_and_sentences():
    path = "Look here. The title “A b” at [1, 2, 3, 4], wears #00ff11. It takes 2.5 % of the page."
    found = [", ", " % of the page.", " It takes ", " The title ", " at [", " wears ", "Look here.", "],"]
    assert pieces((path, path)) == found


def test_reasoning_adds_to_a_vocabulary_and_takes_nothing_away():
    for env_id in ENVS:
        own, more = vocabulary(env_id), vocabulary(env_id, True)
        assert more.corpus[: len(own.corpus)] == own.corpus
        assert set(own.phrases) <= set(more.phrases)
        assert more.number_limit == own.number_limit
    with pytest.raises(UserError, match=r"Nobody writes reasoning paths .* set tiny.reasoning to false"):
        vocabulary("designgym/CanvasDrawing-v0", True)


@pytest.mark.parametrize("env_id", [JUDGMENT, SELECTION, pytest.param(LOCALIZATION, marks=pytest.mark.slow)])
def test_a_run_of_every_method_goes_through_each_task(env_id, tmp_path):
    pairs = tmp_path / "pairs"
    settings = DataSettings(
        n=4, tasks=(TASK[env_id],), indicators=BLOCK_INDICATORS, source="blocks", image_size=64, wording="brief"
    )
    build(settings, pairs, Console(file=io.StringIO()))
    steps = {"steps": 2, "batch_size": 2, "learning_rate": 1e-3, "log_every": 1}
    tasks = {"tasks": {"first": 0, "count": 8}}
    written = {
        "model": "tiny",
        "threads": 1,
        "tiny": MODEL,
        "env": {"id": env_id, "kwargs": KWARGS},
        "prompt": {"wording": "brief"},
        "stages": [
            {"name": "sft", "kind": "sft", "teacher": "truth", **tasks, **steps},
            {"name": "pairs", "kind": "sft", "data": str(pairs), **steps},
            {"name": "grpo", "kind": "grpo", **tasks, **steps, "num_generations": 2, "max_completion_length": 12},
        ],
        "evaluation": {"count": 4, "max_new_tokens": 12, "sampled": False, "agents": CONSTANTS[env_id]},
        "tracking": {"wandb": "off"},
    }
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(written))
    config = load_config(tmp_path / "run.yaml", TrainConfig)
    report = running.run(config, tmp_path / "run", Console(file=io.StringIO()))
    assert report is not None and report.is_file()
    for stage in ("sft", "pairs", "grpo"):
        assert (tmp_path / "run" / "stages" / stage / "model" / "model.safetensors").is_file()


@pytest.mark.parametrize(
    ("env_id", "kwargs", "who"),
    [
        (JUDGMENT, {}, "always-yes"),
        (SELECTION, {}, "none-if-offered"),
        (LOCALIZATION, {}, "best-fixed-box"),
        (LOCALIZATION, {"designs": "blocks"}, "demonstrator"),
    ],
)
def test_a_run_that_names_nobody_to_compare_with_takes_those_who_can_play(env_id, kwargs, who, tmp_path):
    stage = {"name": "sft", "kind": "sft", "teacher": "truth", "tasks": {"first": 0, "count": 8}, "steps": 1}
    written = {"env": {"id": env_id, "kwargs": kwargs}, "stages": [{**stage, "batch_size": 1, "learning_rate": 1e-3}]}
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(written))
    config = load_config(tmp_path / "run.yaml", TrainConfig)
    names = [agent.name for agent in config.evaluation.agents]
    assert who in names
    assert ("demonstrator" in names) == bool(kwargs)  # it plays simple pages alone


def test_reasoning_where_nobody_reasons_is_refused_with_the_configuration():
    stage = {"name": "sft", "kind": "sft", "teacher": "truth", "tasks": {"first": 0, "count": 8}, "steps": 1}
    written = {
        "env": {"id": "designgym/CanvasDrawing-v0"},
        "tiny": {"reasoning": True, "number_step": 8},
        "stages": [{**stage, "batch_size": 1, "learning_rate": 1e-3}],
    }
    with pytest.raises(ValueError, match=r"set tiny\.reasoning to false"):
        TrainConfig.model_validate(written)
