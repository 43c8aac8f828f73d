"""Reinforced stages: the environment pays, equal rewards teach nothing, and what TRL gets is checked."""

import math
import pickle

import pytest

from designgym.config import load_config
from designgym.envs.aesthetics import deal
from designgym.eval.runner import make
from designgym.prompt import render_call
from designgym.train.config import TrainConfig

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import to_model  # noqa: E402
from designgym.agents.qwen.local import LocalModel, load  # noqa: E402
from designgym.agents.qwen.tokenizer import VISION_TOKENS  # noqa: E402
from designgym.score import Backend, Score  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.methods.group_rewards import REWARD_STEP  # noqa: E402
from designgym.train.methods.grpo import trainer as grpo_trainer  # noqa: E402

ENV = "designgym/AestheticLocalization-v0"
KWARGS = {"designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.3}
TASKS = [f"train-{i:06d}" for i in range(8)]


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return load_config(write_config(tmp_path_factory.mktemp("config")), TrainConfig)


@pytest.fixture
def local(config):
    model, processor = tiny.build(config.tiny)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def pages(local, **kwargs):
    return Pages(make(ENV, {**KWARGS, **kwargs}), ENV, local, wording="brief")


def trainer(config, local, tmp_path, **changes):
    stage = config.stages[1].model_copy(update=changes)
    return grpo_trainer(stage, local, pages(local), TASKS, tmp_path, seed=0)


def true_answer(made, task):
    observation, _ = made.env.reset(options={"task": task})
    truth = made.env.unwrapped.episode().truth["bbox"]
    call = to_model({"name": "answer", "arguments": {"bbox": truth}}, made.tools, made.frame(observation, {}))
    return render_call(call["name"], call["arguments"]), truth


def asked(reward, texts, tasks, **more):
    metrics = {}
    tokenizer = reward.pages.local.processor.tokenizer
    ids = [[*tokenizer(text)["input_ids"], tokenizer.eos_token_id] for text in texts]
    values = reward(
        completion_ids=ids,
        task=tasks,
        log_metric=lambda name, value: metrics.__setitem__(name, value),
        prompts=[],
        completions=[],
        trainer_state=None,
        **more,
    )
    return values, metrics


def test_rewards_are_what_the_environment_pays_for_the_text(local):
    made = pages(local)
    reward = EnvironmentReward(made.env, made)
    flawed = next(task for task in TASKS if true_answer(made, task)[1] is not None)
    clean = next(f"train-{i:06d}" for i in range(50) if true_answer(made, f"train-{i:06d}")[1] is None)
    none = render_call("answer", {"bbox": None})
    texts = [true_answer(made, flawed)[0], none, "nothing", none + none, true_answer(made, clean)[0]]
    values, metrics = asked(reward, texts, [flawed] * 4 + [clean])
    assert values[0] == pytest.approx(1, abs=0.02)  # thousandths are not exactly the truth
    assert values[1:4] == [0, 0, 0]  # a wrong None, an unreadable answer, two answers
    assert values[4] == 1
    assert metrics["answers/refused"] == pytest.approx(2 / 5)
    assert metrics["answers/none"] == pytest.approx(2 / 5)
    assert metrics["reward/hurdle"] == pytest.approx(sum(values) / 5, abs=1e-4)


def test_a_design_that_another_process_made_is_not_made_again_for_the_rewards(local, monkeypatch):
    made = pages(local)
    made.handing = True
    row = pickle.loads(pickle.dumps(made.dataset(TASKS)[3]))
    answer, _ = true_answer(made, row["task"])
    expected, _ = asked(EnvironmentReward(made.env, made), [answer], [row["task"]])
    deal.deal.cache_clear()
    deal.page_of.cache_clear()
    deal._taken.clear()
    source = deal.source_of(made.env.unwrapped.settings)
    monkeypatch.setattr(type(source), "ask", lambda *unused: pytest.fail("the design was made again"))
    again, _ = asked(EnvironmentReward(made.env, made), [answer], [row["task"]], made=[row["made"]])
    assert again == expected and expected[0] > 0.9


def test_an_episode_that_no_judge_could_score_is_masked(local):
    class Silent:
        name = "silent"
        backend = Backend("silent", "1")

        def score(self, episode):
            return Score(None, {"silent": None}, self.backend)

        def score_batch(self, episodes):
            return [self.score(episode) for episode in episodes]

    made = pages(local, reward=Silent())
    values, _ = asked(EnvironmentReward(made.env, made), [render_call("answer", {"bbox": None})], ["train-000000"])
    assert values == [None]


def scripted(made, values):
    """Let the environment's reward be these values, group after group, whatever is sampled."""
    steps = iter(values)

    def rewards(*, task, **unused):
        return [round(next(steps) / REWARD_STEP) * REWARD_STEP for _ in task]

    rewards.__name__ = "environment"
    made.reward_funcs[0] = rewards


@pytest.mark.parametrize("reward", [0.7, 0.3, 0.1, 1 / 3])
@pytest.mark.parametrize("group", [4, 7, 8])
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_a_group_of_equal_rewards_has_advantages_of_exactly_zero(reward, group, scale):
    """The arithmetic of TRL on float32 rewards rounded to our step (TRN-02); unrounded, seven 0.7 give 6e-4."""
    rounded = round(reward / REWARD_STEP) * REWARD_STEP
    rewards = torch.full((group,), rounded, dtype=torch.float32)
    from trl.trainer.utils import nanstd

    spread = torch.ones(1) if scale == "none" else nanstd(rewards) + 1e-4
    advantages = (rewards - torch.nanmean(rewards.view(-1, group), dim=1)) / spread
    assert torch.equal(advantages, torch.zeros(group))
    assert abs(rounded - reward) <= REWARD_STEP / 2


def test_rounding_keeps_every_group_up_to_256_exact():
    for group in range(2, 257):
        rewards = torch.full((1, group), round(0.7 / REWARD_STEP) * REWARD_STEP, dtype=torch.float32)
        assert torch.equal(torch.nanmean(rewards, dim=1), rewards[:, 0]), group


def test_a_batch_of_equal_rewards_moves_nothing_and_is_reported(config, local, tmp_path):
    made = trainer(config, local, tmp_path, steps=2)
    scripted(made, [0.7] * 16)
    before = {name: p.detach().clone() for name, p in local.model.named_parameters()}
    made.train()
    assert all(torch.equal(p, before[name]) for name, p in local.model.named_parameters())
    logs = [entry for entry in made.state.log_history if "frac_reward_zero_std" in entry]
    assert [entry["frac_reward_zero_std"] for entry in logs[:2]] == [1.0, 1.0]
    assert logs[0]["grad_norm"] == 0


def test_the_other_group_of_a_mixed_batch_is_unaffected(config, local, tmp_path):
    made = trainer(config, local, tmp_path, steps=1)
    scripted(made, [0.7] * 4 + [0.0, 1.0, 0.0, 1.0])
    before = {name: p.detach().clone() for name, p in local.model.named_parameters()}
    made.train()
    advantages = list(made._logs["advantages"])
    assert advantages[:4] == [0, 0, 0, 0]
    deviation = math.sqrt(4 * 0.25 / 3)  # of 0, 1, 0, 1 with n - 1
    assert advantages[4:] == pytest.approx([s * 0.5 / (deviation + 1e-4) for s in (-1, 1, -1, 1)])
    assert made.state.log_history[0]["frac_reward_zero_std"] == 0.5
    assert any(not torch.equal(p, before[name]) for name, p in local.model.named_parameters())


def test_with_a_kl_term_equal_rewards_leave_the_start_where_it_is(config, tmp_path):
    tiny.save(config.tiny, tmp_path / "start")  # TRL reads the reference from the folder of the start
    made = trainer(config, load(tmp_path / "start"), tmp_path, steps=1, beta=0.04)
    scripted(made, [0.3] * 8)
    made.train()
    assert made.state.log_history[0]["kl"] == pytest.approx(0, abs=1e-6)  # the policy still is its reference
    assert made.state.log_history[0]["grad_norm"] == pytest.approx(0, abs=1e-4)


def test_unscored_answers_get_no_advantage(config, local, tmp_path):
    made = trainer(config, local, tmp_path, steps=1)

    def rewards(*, task, **unused):
        return [None, 0.0, 1.0, 1.0] * (len(task) // 4)

    made.reward_funcs[0] = rewards
    made.train()
    advantages = list(made._logs["advantages"])
    assert advantages[0] == advantages[4] == 0
    assert advantages[1] < 0 < advantages[2] == advantages[3]


def test_no_vision_token_may_be_sampled_and_answers_are_cut_where_told(config, local, tmp_path):
    made = trainer(config, local, tmp_path)
    suppressed = set(made.generation_config.suppress_tokens)
    assert suppressed == set(local.processor.tokenizer.convert_tokens_to_ids(list(VISION_TOKENS)))
    assert made.generation_config.max_new_tokens == 12


def test_the_real_trainer_learns_from_the_environment_and_logs_its_parts(config, local, tmp_path):
    made = trainer(config, local, tmp_path, steps=2)
    made.train()
    first = made.state.log_history[0]
    assert {"reward", "rewards/environment/mean", "reward/hurdle", "answers/refused", "answers/none"} <= first.keys()
    assert first["reward"] == pytest.approx(first["reward/hurdle"], abs=1e-4)


def test_a_hint_comes_once_if_nothing_is_learnt():
    from types import SimpleNamespace

    from designgym.train.tracking.callbacks import STUCK_STEPS, HintIfStuck

    said = []
    hint = HintIfStuck(said.append)

    def log(step, share):
        hint.on_log(None, SimpleNamespace(global_step=step), None, logs={"frac_reward_zero_std": share, "reward": 0.0})

    log(10, 1.0)
    log(20, 0.9)  # some group had a spread
    log(20 + STUCK_STEPS - 1, 1.0)
    assert said == []
    log(20 + STUCK_STEPS, 1.0)
    log(20 + 2 * STUCK_STEPS, 1.0)
    assert len(said) == 1 and "nothing is learnt" in said[0]
