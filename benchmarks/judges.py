"""How far the judge of pixels agrees with the exact one, by kind of question, and how fast both are.

    python benchmarks/judges.py [--tasks 20] [--seed 0]

Each test brief is played by the scripted designer and by the random agent, and the designer's page is degraded as well:
a part covered, texts faded, pictures moved over the page's edge. Every question and its twin is put to both judges. The
table gives the share of equal answers of each kind over all pages; an answer that one of them withholds is no equal
one. The exact judge reads the page's document and the other its pixels (extra ``ocr``).
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence

import gymnasium as gym

import designgym  # registers the environments
from designgym.agents.table import build
from designgym.envs.design.env import JUDGED_PX
from designgym.episode import Episode
from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer
from designgym.graphics.render import render
from designgym.rewards.judges.base import Given, Page
from designgym.rewards.judges.ocr import OcrJudge
from designgym.rewards.judges.questions import Item, flat, verdicts
from designgym.rewards.judges.scene import SceneJudge

ENV = "designgym/DesignActions-v0"
BARS = {"text-present": 0.95, "background-color": 0.95, "text-position": 0.95}
"""Least agreement; the other kinds are told only."""


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
            shown |= {kind: degraded(document, kind) for kind in ("covered", "faded", "moved")}
        for whose, made in shown.items():
            image = render(made, JUDGED_PX / max(made.width, made.height))
            yield whose, Page(image, made, given), items


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=20, help="test briefs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    judges = {"ocr": OcrJudge(), "scene": SceneJudge()}
    equal: dict[str, list[bool]] = defaultdict(list)
    passed: dict[tuple[str, str], list[bool | None]] = defaultdict(list)
    seconds, asked, withheld = dict.fromkeys(judges, 0.0), 0, 0
    env = gym.make(ENV, split="test")
    ids = env.unwrapped.task_ids("test")
    for number in range(options.tasks):
        for whose, page, items in pages(ids[number * (len(ids) // options.tasks)], options.seed):
            questions, given = flat(items), {}
            for name, judge in judges.items():
                start = time.perf_counter()
                given[name] = judge.answer(page, questions)
                seconds[name] += time.perf_counter() - start
                passed[whose, name] += verdicts(items, given[name])
            asked += len(questions)
            withheld += sum(answer is None for answer in given["ocr"])
            for question, one, two in zip(questions, given["ocr"], given["scene"], strict=True):
                equal[question.kind].append(one is not None and one == two)
    print(f"designgym {designgym.__version__}, {options.tasks} briefs, {asked:,} questions; ocr withheld {withheld}")
    print("| kind | questions | agreement | wanted |\n|---|---|---|---|")
    for kind, same in sorted(equal.items()):
        wanted = f"{BARS[kind]:.2f}" if kind in BARS else ""
        print(f"| {kind} | {len(same):,} | {sum(same) / len(same):.3f} | {wanted} |")
    print("\n| page | items passed, scene | items passed, ocr |\n|---|---|---|")
    for whose in dict.fromkeys(whose for whose, _ in passed):
        shares = [sum(map(bool, passed[whose, name])) / len(passed[whose, name]) for name in ("scene", "ocr")]
        print(f"| {whose} | {shares[0]:.3f} | {shares[1]:.3f} |")
    for name, spent in seconds.items():
        print(f"{name}: {asked / spent:,.0f} questions/s")
    missed = [kind for kind, bar in BARS.items() if kind in equal and sum(equal[kind]) < bar * len(equal[kind])]
    if missed:
        raise SystemExit(f"Too little agreement: {', '.join(missed)}.")


if __name__ == "__main__":
    main()
