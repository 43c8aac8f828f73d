"""How far the judge of pixels agrees with the exact one, by kind of question, and how fast both are.

    python benchmarks/judges.py [--tasks 40] [--seed 0]

Each test brief is played by the scripted designer and by the random agent, and the designer's page is degraded as well:
a part covered, texts faded, pictures moved to the left, some over the page's edge. Every question and its twin is put
to both judges. The table gives the share of equal answers of each kind over all pages, with its 95 % bootstrap interval
over briefs; an answer that one of them withholds is no equal one. Beside it stands what a judge would reach who always
says yes, or always no. The exact judge reads the page's document and the other its pixels (extra ``ocr``). Exits with 1
if a bar is missed; the seed is that of the episodes and of the bootstrap.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import gymnasium as gym

import designgym  # registers the environments
from designgym.agents.table import build
from designgym.envs.design.env import JUDGED_PX
from designgym.episode import Episode
from designgym.eval.statistics import Interval, bootstrap
from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer
from designgym.graphics.render import render
from designgym.rewards.judges.base import Given, Page
from designgym.rewards.judges.ocr import OcrJudge
from designgym.rewards.judges.questions import Item, flat, verdicts
from designgym.rewards.judges.scene import SceneJudge

ENV = "designgym/DesignActions-v0"
BARS = {"text-present": 0.95, "background-color": 0.95, "text-position": 0.95}
"""Least agreement; of the other kinds it is told only."""
LEAST_PASSED = 0.8
"""Share of items that the designer's pages must pass by the judge of pixels."""
DEGRADED = ("covered", "faded", "moved")


@dataclass(frozen=True)
class Answered:
    """A question that both judges were asked: of which task and page, of which kind, and their answers."""

    task: str
    whose: str
    kind: str
    ocr: bool | None
    scene: bool | None

    @property
    def equal(self) -> bool:
        """Whether they are; what is withheld equals nothing."""
        return self.ocr is not None and self.ocr == self.scene


@dataclass(frozen=True)
class Passed:
    """An item of a page and whether its question and twin were answered as the brief would have it."""

    task: str
    whose: str
    ocr: bool
    scene: bool


def played(agent: str, task: str, seed: int) -> Episode:
    """The episode of an agent on a task."""
    env = gym.make(ENV, split="test")
    observation, info = env.reset(seed=seed, options={"task": task})
    player = build(agent, env, seed)
    if hasattr(player, "begin"):
        player.begin(env, info)
    ended = False
    while not ended:
        observation, _, ended, cut, info = env.step(player(observation, info))
        ended = ended or cut
    return env.unwrapped.episode()


def degraded(document: Document, kind: str) -> Document:
    """The page made worse."""

    def changed(layer: Layer) -> Layer:
        if kind == "faded" and isinstance(layer, TextLayer):
            return dataclasses.replace(layer, opacity=0.15 * layer.opacity)
        if kind == "moved" and isinstance(layer, ImageLayer):
            return dataclasses.replace(layer, x=layer.x - 0.5 * layer.width)
        return layer

    layers = tuple(changed(layer) for layer in document.layers)
    if kind == "covered":
        width, height = document.width * 0.35, document.height * 0.35
        layers += (ShapeLayer(id="cover", x=0, y=0, width=width, height=height, fill="#555555"),)
    return dataclasses.replace(document, layers=layers)


def pages(task: str, seed: int) -> Iterator[tuple[str, Page, Sequence[Item]]]:
    """Every page of a task: whose it is, the page, and what is asked."""
    for agent in ("designer", "random"):
        episode = played(agent, task, seed)
        items = [Item.from_dict(each) for each in episode.truth["questions"]]
        given = {name: Given(known["caption"], known["sha256"]) for name, known in episode.truth["files"].items()}
        document = episode.document
        if document is None:
            continue
        shown = {agent: document}
        if agent == "designer":
            shown |= {kind: degraded(document, kind) for kind in DEGRADED}
        for whose, made in shown.items():
            image = render(made, JUDGED_PX / max(made.width, made.height))
            yield whose, Page(image, made, given), items


def table(answered: Sequence[Answered], seed: int) -> list[str]:
    """The agreement by kind of question, all together last."""
    lines = [f"{'kind':18}{'questions':>10}{'agreement':>11}{'95 % interval':>18}{'always yes':>12}{'always no':>11}"]
    for kind in (*sorted({each.kind for each in answered}), "all"):
        own = [each for each in answered if kind in (each.kind, "all")]
        found = bootstrap([each.equal for each in own], seed, clusters=[each.task for each in own])
        yes, no = (sum(each.scene is constant for each in own) / len(own) for constant in (True, False))
        bar = f"   at least {BARS[kind]:.2f}" if kind in BARS else ""
        lines.append(f"{kind:18}{len(own):10,}{found.mean:11.3f}{limits(found):>18}{yes:12.3f}{no:11.3f}{bar}")
    return lines


def limits(found: Interval) -> str:
    """An interval's limits in brackets; a dash where there are none."""
    return "-" if found.low is None or found.high is None else f"[{found.low:.3f}, {found.high:.3f}]"


def agreement(answered: Sequence[Answered]) -> float:
    """The share of equal answers."""
    return sum(each.equal for each in answered) / len(answered)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=40, help="test briefs, evenly spread over the split")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    judges = {"ocr": OcrJudge(), "scene": SceneJudge()}
    answered: list[Answered] = []
    passed: list[Passed] = []
    seconds = dict.fromkeys(judges, 0.0)
    ids = gym.make(ENV, split="test").unwrapped.task_ids("test")
    for number in range(options.tasks):
        task = ids[number * len(ids) // options.tasks]
        for whose, page, items in pages(task, options.seed):
            questions, given = flat(items), {}
            for name, judge in judges.items():
                start = time.process_time()
                given[name] = judge.answer(page, questions)
                seconds[name] += time.process_time() - start
            ocr, scene = given["ocr"], given["scene"]
            answered += [
                Answered(task, whose, *each)
                for each in zip((question.kind for question in questions), ocr, scene, strict=True)
            ]
            both = zip(verdicts(items, ocr), verdicts(items, scene), strict=True)
            passed += [Passed(task, whose, bool(one), bool(two)) for one, two in both]

    withheld = sum(each.ocr is None for each in answered)
    print(f"designgym {designgym.__version__}, seed {options.seed}: {len(answered):,} questions about "
          f"{len({(each.task, each.whose) for each in answered})} pages of {options.tasks} test briefs; "
          f"the judge of pixels withheld {withheld}")  # fmt: skip
    print("\n".join(table(answered, options.seed)))
    print(f"\n{'pages':12}{'agreement':>10}{'items':>8}{'exact':>8}{'pixels':>8}{'95 % interval':>18}")
    shares = {}
    for whose in ("designer", *DEGRADED, "random"):
        own = [each for each in passed if each.whose == whose]
        if not own:
            continue
        tasks = [each.task for each in own]
        found = bootstrap([each.ocr for each in own], options.seed, clusters=tasks)
        shares[whose] = sum(each.ocr for each in own) / len(own)
        exact = sum(each.scene for each in own) / len(own)
        bar = f"   at least {LEAST_PASSED:.2f}" if whose == "designer" else ""
        same = agreement([each for each in answered if each.whose == whose])
        print(f"{whose:12}{same:10.3f}{len(own):8,}{exact:8.3f}{shares[whose]:8.3f}{limits(found):>18}{bar}")
    for name, spent in seconds.items():
        print(f"{name}: {len(answered) / spent:,.0f} questions a second of CPU time")
    missed = [kind for kind, bar in BARS.items() if agreement([each for each in answered if each.kind == kind]) < bar]
    if missed:
        print(f"Too little agreement: {', '.join(missed)}.", file=sys.stderr)
    if shares["designer"] < LEAST_PASSED:
        print(f"The designer's pages pass too few items: {shares['designer']:.3f}.", file=sys.stderr)
    return 1 if missed or shares["designer"] < LEAST_PASSED else 0


if __name__ == "__main__":
    sys.exit(main())
