"""PPO on strokes: advantages by hand, transitions that belong together, learning, determinism, the command."""

import json

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit

torch = pytest.importorskip("torch")

from designgym.envs.wrappers import PixelObservation, StrokeActions  # noqa: E402
from designgym.errors import UserError  # noqa: E402
from designgym.train import ppo_evaluation  # noqa: E402
from designgym.train.ppo import Collector, Policy, Settings, command_line, gae, main, strokes_of, train, update  # noqa: E402
from designgym.train.ppo_evaluation import Task, constant_strokes, fit_constant, known_ends, play  # noqa: E402

CELLS = 6


@pytest.fixture(autouse=True)
def _torch_is_left_as_it_was():
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(deterministic)


class Spot(gym.Env):
    """One dark pixel on a small page; a stroke is paid for starting there. Episodes last one to three steps."""

    observation_space = gym.spaces.Box(0, 255, (CELLS, CELLS, 1), np.uint8)
    action_space = gym.spaces.MultiDiscrete([CELLS] * 4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = int(self.np_random.integers(1, 4))
        return self.page(), {}

    def page(self):
        self.spot = self.np_random.integers(CELLS, size=2)
        page = np.full((CELLS, CELLS, 1), 255, np.uint8)
        page[self.spot[1], self.spot[0]] = 0
        return page

    def step(self, action):
        reward = paid(self.spot, action)
        self.left -= 1
        return self.page(), reward, self.left == 0, False, {}


def paid(spot, action):
    return 1.0 - np.abs(spot - action[:2]).sum() / (2 * CELLS)


def spots(copies=4, mode=AutoresetMode.SAME_STEP, wrap=lambda env: env):
    return SyncVectorEnv([lambda: wrap(Spot())] * copies, autoreset_mode=mode)


def small(**kwargs):
    return Settings(**{"copies": 4, "horizon": 8, "cells": CELLS, "width": 8, "minibatch": 16, **kwargs})


def fresh_policy(seed=0, cells=CELLS):
    torch.manual_seed(seed)
    policy = Policy(cells, 8)
    for last in (policy.start, policy.end[-1], policy.value[-1]):  # they start at zero, where little can be wrong
        torch.nn.init.normal_(last.weight)
    return policy


# ---------------------------------------------------------------- advantages


def test_advantages_are_those_worked_by_hand():
    # Discount and lambda 1/2. Copy 0 ends with step 1 (value after it 0), copy 1 goes on throughout.
    rewards = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    values = torch.tensor([[0.5, 1.0], [1.0, 2.0], [0.0, 4.0]])
    next_values = torch.tensor([[1.0, 2.0], [0.0, 4.0], [0.5, 8.0]])
    ends = torch.tensor([[False, False], [True, False], [False, False]])
    # copy 0: errors 1 + 0.5 - 0.5 = 1, 0 + 0 - 1 = -1, 2 + 0.25 - 0 = 2.25
    #         advantages 1 - 0.25 = 0.75, -1 (nothing of the next episode), 2.25
    # copy 1: errors 0 + 1 - 1 = 0, 1 + 2 - 2 = 1, 0 + 4 - 4 = 0; advantages 0 + 0.25, 1 + 0, 0
    expected = torch.tensor([[0.75, 0.25], [-1.0, 1.0], [2.25, 0.0]])
    assert torch.allclose(gae(rewards, values, next_values, ends, 0.5, 0.5), expected)


def test_every_transition_belongs_to_one_episode():
    collector = Collector(spots(), seed=1)
    rollout = collector.collect(fresh_policy(), 40, 0.9, 0.8)
    for step in range(40):
        for copy in range(4):
            row, column = np.argwhere(rollout.observations[step, copy, :, :, 0].numpy() == 0)[0]
            wanted = paid(np.array([column, row]), rollout.actions[step, copy].numpy())
            assert rollout.rewards[step, copy] == pytest.approx(wanted)
    # Episodes last one to three steps; returns are sums over them.
    assert 40 * 4 / 3 - 4 <= len(collector.returns) <= 160
    assert sum(collector.returns) <= rollout.rewards.sum().item() + 1e-3
    assert max(collector.returns) > 1


def test_no_value_leaks_over_a_real_end():
    envs, policy = spots(), fresh_policy()
    rollout = Collector(envs, seed=2).collect(policy, 40, 0.9, 0.0)
    # With lambda 0 an advantage is reward + 0.9 * next value - value; at an end there is no next value.
    errors = rollout.advantages - rollout.rewards + rollout.values
    at_end = errors.abs() < 1e-5
    going_on = (errors[:-1] - 0.9 * rollout.values[1:]).abs() < 1e-5
    assert (at_end[:-1] ^ going_on).all()
    assert at_end.any() and going_on.any()


def test_where_time_was_up_the_value_of_the_last_observation_counts():
    seen = []

    class Noted(TimeLimit):
        def step(self, action):
            result = super().step(action)
            seen.append((result[0], result[2], result[3]))
            return result

    policy = fresh_policy()
    rollout = Collector(spots(1, wrap=lambda env: Noted(env, 2)), seed=3).collect(policy, 30, 0.9, 0.0)
    errors = (rollout.advantages - rollout.rewards + rollout.values)[:, 0]
    cut = 0
    for error, (observation, terminated, truncated) in zip(errors, seen, strict=True):
        if truncated and not terminated:
            value = policy.values(policy.look(torch.as_tensor(observation)[None])).item()
            assert error.item() == pytest.approx(0.9 * value, abs=1e-5)
            cut += 1
        elif terminated:
            assert error.item() == pytest.approx(0.0, abs=1e-5)
    assert cut > 3


def test_environments_whose_steps_may_be_resets_are_refused():
    with pytest.raises(UserError, match=r"AutoresetMode\.SAME_STEP"):
        Collector(spots(mode=AutoresetMode.NEXT_STEP), seed=0)


# ---------------------------------------------------------------- the policy


def test_log_probabilities_are_the_same_when_acting_and_when_judging_and_sum_to_one():
    policy = fresh_policy(cells=4)
    page = torch.randint(0, 256, (1, 4, 4, 1), dtype=torch.uint8)
    actions = torch.cartesian_prod(*[torch.arange(4)] * 4)
    log_probabilities, entropies, values = policy.judge(page.expand(256, -1, -1, -1), actions)
    assert log_probabilities.exp().sum().item() == pytest.approx(1.0, abs=1e-4)
    greedy, log_probability, value = policy.act(page, None)
    index = int((actions == greedy).all(dim=1).nonzero())
    assert log_probability.item() == pytest.approx(log_probabilities[index].item(), abs=1e-4)
    assert value.item() == pytest.approx(values[0].item(), abs=1e-5)
    drawn = policy.act(page.expand(4000, -1, -1, -1), torch.Generator().manual_seed(0))[0]
    share = (drawn == greedy).all(dim=1).float().mean().item()
    assert share == pytest.approx(log_probability.exp().item(), abs=0.03)
    # The entropy of the pair is that of the start, and of the end given this start.
    start = actions[:, 0] + 4 * actions[:, 1]
    marginal = torch.stack([log_probabilities[start == cell].exp().sum() for cell in range(16)])
    conditional = log_probabilities[start == 5].exp() / marginal[5]
    wanted = -(marginal * marginal.log()).sum() - (conditional * conditional.log()).sum()
    assert entropies[start == 5][0].item() == pytest.approx(wanted.item(), abs=1e-3)


def test_an_untrained_policy_draws_every_stroke_alike():
    page = torch.randint(0, 256, (3, CELLS, CELLS, 1), dtype=torch.uint8)
    _, log_probabilities, values = Policy(CELLS, 8).act(page, torch.Generator().manual_seed(0))
    assert torch.allclose(log_probabilities, torch.full((3,), -2 * np.log(CELLS**2)), atol=1e-4)
    assert not values.any()


def test_a_cell_of_the_picture_is_the_cell_of_a_stroke():
    policy = fresh_policy()
    for layer in policy.features:  # only ink where it is seen makes a start likely
        if isinstance(layer, torch.nn.Conv2d):
            torch.nn.init.zeros_(layer.weight)
            torch.nn.init.zeros_(layer.bias)
            middle = layer.kernel_size[0] // 2
            torch.nn.init.ones_(layer.weight[0, 0, middle : middle + 1, middle : middle + 1])
    torch.nn.init.zeros_(policy.start.weight)
    torch.nn.init.ones_(policy.start.weight[0, 0])
    page = torch.full((1, CELLS, CELLS, 1), 255, dtype=torch.uint8)
    page[0, 1, 4] = 0  # second row, fifth column
    assert policy.act(page, None)[0][0, :2].tolist() == [4, 1]


# ---------------------------------------------------------------- learning


def test_it_learns_where_to_start_a_stroke():
    settings = small(steps=4096, copies=8, learning_rate=1e-2, entropy=0.003, discount=0.0)
    policy, returns = Policy(CELLS, 8), []
    train(settings, spots(8), policy, lambda steps, figures: returns.append(figures))
    page = torch.full((36, CELLS, CELLS, 1), 255, dtype=torch.uint8)
    spots_xy = torch.cartesian_prod(torch.arange(CELLS), torch.arange(CELLS))
    page[torch.arange(36), spots_xy[:, 1], spots_xy[:, 0]] = 0
    drawn = policy.act(page, torch.Generator().manual_seed(0))[0]
    hits = (drawn[:, :2] == spots_xy).all(dim=1).float().mean()
    assert hits > 0.5  # 1/36 by chance
    assert returns[-1]["entropy"] < returns[0]["entropy"]


def test_a_step_of_the_update_makes_good_strokes_likelier_and_bad_ones_rarer():
    settings = small(epochs=1, minibatch=64, learning_rate=1e-3, entropy=0.0)
    policy = fresh_policy()
    rollout = Collector(spots(8), seed=0).collect(policy, 8, 0.0, 0.0)
    data = rollout.flat()
    update(policy, torch.optim.Adam(policy.parameters(), lr=1e-3), rollout, settings, torch.Generator().manual_seed(0))
    with torch.no_grad():
        change = policy.judge(data.observations, data.actions)[0] - data.log_probabilities
    centred = data.advantages - data.advantages.mean()
    assert (change * centred).mean() > 0


def test_the_same_seed_gives_the_same_weights_and_another_one_others():
    found = []
    for seed in (1, 1, 2):
        settings = small(seed=seed, steps=128, cells=10)
        torch.manual_seed(seed)
        policy = Policy(10, 8)
        train(settings, Task(10, 2).envs("train", 4, AutoresetMode.SAME_STEP), policy, lambda steps, figures: None)
        found.append(torch.cat([weight.flatten() for weight in policy.state_dict().values()]))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


# ---------------------------------------------------------------- the evaluation


def test_what_is_played_together_is_what_is_played_alone(monkeypatch):
    monkeypatch.setattr(ppo_evaluation, "COPIES", 3)  # the last of three batches is not full
    ids = [f"validation-is-{number:06d}" for number in range(7)]
    policy = fresh_policy(cells=20)
    together = play("x", strokes_of(policy, None), Task(20, 2), "validation", ids)
    env = gym.make(
        "designgym/CanvasDrawing-v0", split="validation", kinds=("is",), reward="closure", max_calls=2
    )  # paid at the end
    env = PixelObservation(StrokeActions(env, form="multidiscrete", bins=20), 20)
    for task, closure, joined in zip(ids, together.closure, together.joined, strict=True):
        picture, _ = env.reset(options={"task": task})
        for _ in range(2):
            action = policy.act(torch.as_tensor(picture)[None], None)[0][0].numpy()
            picture, reward, _, _, info = env.step(action)
        assert closure == pytest.approx(reward) and joined == info["reward/closure/joined"]


def test_whoever_knows_the_ends_joins_them_all():
    played = play("known", known_ends(400), Task(400, 3), "test", ppo_evaluation.BANK)
    assert set(played.joined) == {1.0}
    assert min(played.closure) > 0.99


def test_the_nearest_ends_are_joined_first_and_one_left_over_to_its_nearest():
    strokes = ppo_evaluation._pairs([[0, 0], [399, 0], [399, 100], [0, 399], [30, 399]], cells=4)
    # 30 px apart: the last two; 100 px: the second and third; the first, left over, is nearest to the second (399 px).
    assert [stroke.tolist() for stroke in strokes] == [[0, 3, 0, 3], [3, 0, 3, 1], [0, 0, 3, 0]]


def test_the_fitted_constant_is_better_than_the_middle_of_its_candidates():
    assert fit_constant(Task(10, 2), candidates=64, shapes=16).shape == (2, 4)
    task = Task(10, 1)
    constant = fit_constant(task, candidates=128, shapes=32)
    assert constant.shape == (1, 4) and constant.min() >= 0 and constant.max() < 10
    assert (constant == fit_constant(task, candidates=128, shapes=32)).all()
    ids = [f"validation-is-{number:06d}" for number in range(100)]
    fitted = play("fitted", constant_strokes(constant), task, "validation", ids)
    random = play("random", ppo_evaluation.random_strokes(10, 0), task, "validation", ids)
    assert np.mean(fitted.closure) > np.mean(random.closure) + 0.04


# ---------------------------------------------------------------- the command


def run(folder, *arguments):
    main(
        ["--steps", "64", "--cells", "10", "--width", "4", "--copies", "4", "--horizon", "8", "--evaluation-tasks", "4",
         "--evaluate-every", "32", "--constants", "64", "--output", str(folder), *arguments]
    )  # fmt: skip


def test_a_run_leaves_weights_metrics_and_results_and_can_be_gone_on_from(tmp_path, capsys):
    run(tmp_path / "one")
    lines = [json.loads(line) for line in (tmp_path / "one" / "metrics.jsonl").read_text().splitlines()]
    assert [line["steps"] for line in lines] == [32, 64]
    assert all({"kl", "entropy", "held_out_greedy", "held_out_sampled", "seconds"} <= line.keys() for line in lines)
    results = json.loads((tmp_path / "one" / "results.json").read_text())
    assert results["validation"]["tasks"] == ["validation-is-002000", "validation-is-002003"]
    assert results["test"]["tasks"] == ["is01", "is20"]
    names = [row["policy"] for row in results["test"]["policies"]]
    assert names == [
        "start, greedy", "start, sampled", "PPO, greedy", "PPO, sampled", "random strokes", "best constant strokes",
        "open ends known",
    ]  # fmt: skip
    assert "| PPO, greedy − best constant strokes |" in capsys.readouterr().out
    run(tmp_path / "two", "--strokes", "2", "--start", str(tmp_path / "one" / "policy.pt"))
    with pytest.raises(UserError, match="holds a run already"):
        run(tmp_path / "two")
    with pytest.raises(UserError, match="holds no weights for these cells and this width"):
        run(tmp_path / "three", "--width", "8", "--start", str(tmp_path / "one" / "policy.pt"))
    with pytest.raises(UserError, match=r"nothing\.pt"):
        run(tmp_path / "four", "--start", str(tmp_path / "nothing.pt"))


def test_settings_are_read_from_the_command_line_and_wrong_ones_named(capsys):
    settings = command_line(["--learning-rate", "1e-3", "--gae-lambda", "0.5", "--seed", "7"])
    assert (settings.learning_rate, settings.gae_lambda, settings.seed) == (1e-3, 0.5, 7)
    for arguments, words in ((["--steps", "0"], "--steps"), (["--clip", "nan"], "--clip"), (["--stepz", "1"], "stepz")):
        with pytest.raises(SystemExit):
            command_line(arguments)
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command_line(["--help"])
    assert "Passes over the steps of an update." in " ".join(capsys.readouterr().out.split())


def test_several_runs_stand_in_one_table():
    def interval(mean):
        return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "degenerate": False}

    def results(seed, mean):
        row = {"policy": "PPO, greedy", "closure": interval(mean), "joined": interval(0.5)}
        fixed = {"policy": "fixed", "closure": interval(0.25), "joined": {**interval(0.0), "degenerate": True}}
        minus = [
            {"policy": one, "minus": other, "closure": interval(mean - 0.25 if "constant" in other else 0.0)}
            for one, other in reversed(ppo_evaluation.SHOWN)
        ]
        rows = {split: {"policies": [row, fixed], "differences": minus} for split in ("validation", "test")}
        return {"settings": {"seed": seed}, **rows}

    lines = ppo_evaluation.table([results(3, 0.5), results(7, 0.75)]).splitlines()
    assert lines[2].startswith("| PPO, greedy (3) | 0.500 [0.400, 0.600] | 0.500 [0.400, 0.600] |")
    assert lines[3].startswith("| PPO, greedy (7) | 0.750 [0.650, 0.850] |")
    assert lines[4].startswith("| fixed | 0.250 [0.150, 0.350] | 0.000 |")
    both = "+0.500 [+0.400, +0.600]"
    assert lines[-1] == f"| PPO, sampled − best constant strokes (7) | {both} | {both} |"
    both = "+0.000 [-0.100, +0.100]"
    assert lines[-3] == f"| PPO, sampled − random strokes | {both} | {both} |"
