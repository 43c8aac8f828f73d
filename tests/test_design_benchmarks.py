"""The benchmarks of design actions and judges: what they time is done right, and tables say what was answered."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer

FOLDER = Path(__file__).parent.parent / "benchmarks"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_every_timed_edit_changes_the_page_and_all_ways_draw_the_same() -> None:
    design = script("design")
    one, other = design.Bench(4), design.Bench(4)
    before = one.uncached()
    for number, edit in enumerate(design.EDITS.values()):
        edited, anew = one.edited(edit(number)), other.anew(edit(number))
        assert not np.array_equal(edited, before)
        assert np.array_equal(edited, anew)
        before = edited
    assert one.is_exact()
    assert before.shape == (design.HEIGHT, design.WIDTH, 3)


def test_untouched_layers_are_as_many_as_was_asked_for() -> None:
    design = script("design")
    assert len(design.Bench(7).document.layers) - len(design.Bench(0).document.layers) == 7


def test_the_table_of_agreement_counts_equal_answers_and_what_constants_would_reach() -> None:
    judges = script("judges")
    answers = [(True, True), (False, True), (None, True), (False, False)]
    answered = [judges.Answered(f"task-{n}", "designer", "uncut", *pair) for n, pair in enumerate(answers)]
    heading, own, whole = judges.table(answered, seed=0)
    assert own.split()[:3] == ["uncut", "4", "0.500"]
    assert own.split()[-2:] == ["0.750", "0.250"]
    assert whole.split()[1:] == own.split()[1:]
    assert "always yes" in heading


def test_bars_are_on_kinds_of_questions_that_there_are() -> None:
    from designgym.rewards.judges.questions import KINDS

    assert set(script("judges").BARS) <= set(KINDS)


@pytest.mark.parametrize(("kind", "changed"), [("covered", "cover"), ("faded", "t"), ("moved", "i")])
def test_degraded_pages_are_worse_in_one_respect(kind: str, changed: str) -> None:
    layers = (
        TextLayer(id="t", text="A", width=10, height=10, opacity=0.8),
        ImageLayer(id="i", asset="a", x=30, width=20, height=10),
        ShapeLayer(id="s", width=10, height=10),
    )
    page = Document(100, 100, layers=layers, assets={"a": b""})
    worse = script("judges").degraded(page, kind)
    assert {layer.id for layer in worse.layers if layer not in layers} == {changed}
    found = worse.layer(changed)
    assert {"covered": found.width == 35, "faded": found.opacity == pytest.approx(0.12), "moved": found.x == 20}[kind]
