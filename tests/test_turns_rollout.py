"""Episodes in lock-step: who is asked when, what ends them, what they earn, and what is left behind as rows."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("trl")

from turn_training import ENV, FINISH, KWARGS, SILENT, TWO_CALLS, local_model

from designgym.agents.base import Reply
from designgym.agents.qwen.dialogue import Asker, Prompt, TokenRow, reply_tokens
from designgym.eval.runner import make
from designgym.prompt import render_call
from designgym.score import Backend, Score
from designgym.train.turns.rollout import EnvironmentFailed, NoRoom, Slots, episode_seed, play

LINE = render_call("draw_lines", {"lines": [{"x1": 10, "y1": 20, "x2": 300, "y2": 40}]})


class Env:
    """A task is how many steps it takes; pays the number of steps, or a half if it is left unfinished."""

    def __init__(self, max_calls=9, fail_at=None, meet=None, scored=True):
        self.unwrapped = self
        self.max_calls = max_calls
        self.fail_at = fail_at
        self.meet = meet
        self.scored = scored
        self.seeds = []
        self.actions = []
        self.threads = set()
        self.reward = SimpleNamespace(score=self._score)

    def reset(self, *, seed, options):
        self.seeds.append(seed)
        self.steps, self.length = 0, int(options["task"])
        return "seen 0", {"error": ""}

    def step(self, action):
        if self.meet is not None:
            self.meet.wait(60)
        self.steps += 1
        self.actions.append(action)
        if self.steps == self.fail_at:
            raise KeyError("brush")
        over = self.steps == self.length
        info = {"error": "" if action == "go" else "format"}
        if over:
            info |= {"end": "finished", "scored": self.scored, "reward/steps": float(self.steps)}
        return f"seen {self.steps}", float(self.steps) * over, over, False, info

    def prompt_options(self):
        return {"length": self.length}

    def episode(self):
        return self.steps

    def _score(self, episode):
        return Score(0.5 if self.scored else None, {"steps": 0.5, "none": None}, Backend("exact", "1"))


class Talk:
    """A dialogue whose tokens are numbers: 1 is a call, 2 unreadable, 3 silent."""

    def __init__(self, options):
        self.options = options
        self.heard = []
        self.written = []
        self.silent = False

    def saw(self, observation, info, action=None):
        self.heard.append((observation, action))

    def prompt(self):
        return Prompt([0] * (10 * len(self.heard)), ())

    def wrote(self, ids):
        self.written.append(list(ids))
        self.silent = ids[0] == 3
        return Reply("go", ("go",)) if ids[0] == 1 else Reply("mumble")

    def rows(self):
        return [TokenRow([0], ids, [1] * len(ids), (), turn) for turn, ids in enumerate(self.written)]


def played(envs, tasks, script=None, **options):
    """Play; the script gives the tokens by (episode's first asked place, turn). Also what was asked in each turn."""
    talks, asked = [], []

    def ask(prompt_options):
        talks.append(Talk(prompt_options))
        return talks[-1]

    def generate(prompts):
        asked.append(len(prompts))
        turn = len(asked) - 1
        return [list((script or (lambda turn, place: [1]))(turn, place)) for place in range(len(prompts))]

    options = {"max_turns": None, **options}
    with ThreadPoolExecutor(len(envs)) as pool:
        return play(envs, ask, tasks, generate, pool=pool, **options), talks, asked


def test_turns_cost_as_many_generations_as_the_longest_episode_and_the_others_ask_no_more():
    found, talks, asked = played([Env() for _ in range(4)], ["3", "1", "5", "2"])
    assert asked == [4, 3, 2, 1, 1]
    assert [each.task for each in found] == ["3", "1", "5", "2"]
    assert [(each.turns, each.steps, each.end, each.reward) for each in found] == [
        (3, 3, "finished", 3.0),
        (1, 1, "finished", 1.0),
        (5, 5, "finished", 5.0),
        (2, 2, "finished", 2.0),
    ]
    assert [len(each.rows) for each in found] == [3, 1, 5, 2]
    assert [talk.options() for talk in talks] == [{"length": 3}, {"length": 1}, {"length": 5}, {"length": 2}]
    assert found[0].parts == {"steps": 3.0} and found[0].replies == ("go", "go", "go")


def test_a_dialogue_sees_the_reset_and_what_became_of_each_call_but_the_last():
    _, (talk,), _ = played([Env()], ["3"])
    assert talk.heard == [("seen 0", None), ("seen 1", "go"), ("seen 2", "go")]


def test_an_unreadable_call_costs_a_step_and_a_silent_turn_ends_the_episode_as_it_stands():
    replies = {0: [1], 1: [2], 2: [3]}
    env = Env()
    (found,), _, asked = played([env], ["7"], lambda turn, place: replies[turn])
    assert env.actions == ["go", "mumble"] and asked == [1, 1, 1]
    assert (found.turns, found.steps, found.end, found.reward) == (3, 2, "silent", 0.5)
    assert found.errors == {"format": 1} and found.parts == {"steps": 0.5}
    assert len(found.rows) == 3  # to fall silent is learnt from too


def test_where_one_call_is_all_there_is_silence_costs_it():
    env = Env(max_calls=1)
    (found,), _, _ = played([env], ["1"], lambda turn, place: [3])
    assert env.actions == ["mumble"] and (found.end, found.steps) == ("finished", 1)


def test_after_the_most_turns_an_episode_is_scored_as_it_stands():
    found, talks, asked = played([Env(), Env()], ["9", "2"], max_turns=3)
    assert asked == [2, 2, 1]
    assert [(each.end, each.reward, each.turns) for each in found] == [("turns", 0.5, 3), ("finished", 2.0, 2)]
    assert [len(talk.heard) for talk in talks] == [3, 2]


def test_what_cannot_be_scored_has_no_reward_and_no_parts():
    found, _, _ = played([Env(scored=False), Env(scored=False)], ["1", "9"], max_turns=2)
    assert [(each.end, each.reward, each.parts) for each in found] == [("finished", None, {}), ("turns", None, {})]


def test_an_episode_without_room_for_another_prompt_ends_and_one_without_room_for_the_first_raises():
    found, _, asked = played([Env(), Env()], ["9", "1"], fits=lambda prompt: len(prompt.ids) <= 20)
    assert [(each.end, each.turns) for each in found] == [("length", 2), ("finished", 1)] and asked == [2, 1]
    with pytest.raises(NoRoom, match="first prompt of task '9' has 10 tokens"):
        played([Env()], ["9"], fits=lambda prompt: False)


def test_an_environment_that_raises_is_named_by_its_task_after_the_others_have_stepped():
    envs = [Env(), Env(fail_at=2), Env()]
    with pytest.raises(EnvironmentFailed, match=r"failed in task '6': KeyError: 'brush'") as failed:
        played(envs, ["5", "6", "7"])
    assert isinstance(failed.value.__cause__, KeyError)
    assert [env.steps for env in envs] == [2, 2, 2]


def test_sixteen_environments_step_at_once():
    meet = threading.Barrier(16)  # a step returns when all of them have begun
    found, _, _ = played([Env(meet=meet) for _ in range(16)], ["2"] * 16)
    assert {each.steps for each in found} == {2}


def test_seconds_add_up_to_the_time_of_the_whole():
    def slow(turn, place):
        time.sleep(0.02)
        return [1]

    class Slow(Env):
        def step(self, action):
            time.sleep(0.05)
            return super().step(action)

    began = time.perf_counter()
    found, _, _ = played([Slow() for _ in range(4)], ["2", "2", "1", "1"], slow)
    whole = time.perf_counter() - began
    environment = sum(each.environment_seconds for each in found)
    model = sum(each.model_seconds for each in found)
    assert environment >= 2 * 0.05 and model >= 6 * 0.02
    assert environment + model <= whole


def test_copies_of_a_group_are_seeded_alike_and_other_tasks_and_seeds_otherwise():
    envs = [Env() for _ in range(4)]
    played(envs, ["1", "1", "2", "2"], seed=5)
    (a,), (b,), (c,), (d,) = (env.seeds for env in envs)
    assert a == b == episode_seed(5, "1") and c == d and a != c
    assert episode_seed(6, "1") != a and 0 <= a < 2**32


def test_slots_make_environments_once_and_close_them():
    made, closed = [], []

    def make_env():
        made.append(SimpleNamespace(close=lambda: closed.append(1)))
        return made[-1]

    slots = Slots(make_env, 3)
    assert slots.envs == made and len(made) == 3 and closed == []
    slots.close()
    assert closed == [1, 1, 1]
    with pytest.raises(RuntimeError):
        slots.pool.submit(print)


@pytest.fixture(scope="module")
def local():
    return local_model()


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_the_canvas_is_played_with_the_models_own_tokens_as_rows(history, local):
    env = make(ENV, KWARGS)
    asker = Asker(ENV, env.unwrapped.tool_table, local, "brief", {}, history)
    texts = [[LINE, TWO_CALLS, SILENT], [LINE, FINISH], ["<tool_call>\n{", LINE, LINE, LINE]]
    asked = [[], [], []]

    def generate(prompts):
        turn = max(map(len, asked))
        live = [place for place, said in enumerate(texts) if turn < len(said)]
        for place, prompt in zip(live, prompts, strict=True):
            asked[place].append(prompt)
        return [reply_tokens(local.processor, texts[place][turn]) for place in live]

    with ThreadPoolExecutor(3) as pool:
        envs = [make(ENV, KWARGS) for _ in range(3)]
        found = play(envs, asker.dialogue, ["train-is-000001"] * 3, generate, max_turns=None, pool=pool)
    assert [(each.end, each.turns, each.steps) for each in found] == [
        ("silent", 3, 2),
        ("finished", 2, 2),
        ("budget", 4, 4),
    ]
    assert [dict(each.errors) for each in found] == [{"format": 1}, {}, {"format": 1}]
    assert found[0].reward == found[1].reward  # the same line, whether the drawing was finished or left
    assert found[0].parts == found[1].parts and 0 < found[0].reward < 1
    for each, prompts, said in zip(found, asked, texts, strict=True):
        own = [reply_tokens(local.processor, text) for text in said]
        if history == "windowed":
            assert [row.prompt_ids for row in each.rows] == [prompt.ids for prompt in prompts]
            assert [row.completion_ids for row in each.rows] == own
            assert [row.images for row in each.rows] == [prompt.images for prompt in prompts]
        else:
            (row,) = each.rows
            sequence = row.prompt_ids + row.completion_ids
            assert sequence[: len(prompts[-1].ids)] == prompts[-1].ids and len(row.images) == len(prompts)
            written = [token for token, mine in zip(row.completion_ids, row.mask, strict=True) if mine]
            assert written == [token for ids in own for token in ids]
