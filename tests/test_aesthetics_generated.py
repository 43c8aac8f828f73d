"""Generated samples: operations from harmless to glaring, labels by the rule alone, one harmed element at most."""

import dataclasses
import functools

import numpy as np
import pytest
from aesthetics_scenes import handmade

from designgym.envs.aesthetics.generated import (
    OOD_INDICATORS,
    GeneratedSource,
    clean_faults,
    draw_scene,
    make_sample,
)
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.labels import harms, unclear
from designgym.envs.aesthetics.measures import measure
from designgym.envs.aesthetics.operations.table import OOD_OPERATIONS, OPERATIONS
from designgym.envs.aesthetics.perturb import label, perturb
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document

EVERY = {**OPERATIONS, **OOD_OPERATIONS}
NEW_ELEMENT = {"clutter", "obstruction"}
"""Operations that add an element, which is there or not."""


@functools.cache
def scenes() -> tuple[Scene, ...]:
    rng = np.random.default_rng(7)
    return tuple(draw_scene(rng, "train") for _ in range(4))


def applied(name: str, strength: float) -> list[tuple[Scene, Document, Flaw]]:
    """An operation on every element that can carry it, twice; the random numbers do not depend on the strength."""
    operation, found = EVERY[name], []
    for number, scene in enumerate(handmade()):
        for depth, (element, own) in enumerate(scene.traits.items()):
            for seed in range(2):
                rng = np.random.default_rng([number, depth, seed])
                done = (
                    operation.apply(rng, scene, scene.document, element, strength)
                    if own.kind in operation.kinds
                    else None
                )
                if done is not None:
                    found.append((scene, *done))
    return found


def test_there_is_an_operation_for_every_indicator_and_none_is_in_both_tables() -> None:
    aimed_at = {indicator for operation in OPERATIONS.values() for indicator in operation.targets}
    assert aimed_at == set(INDICATORS)
    assert not set(OPERATIONS) & set(OOD_OPERATIONS)
    algorithm_1 = {
        "position", "size", "font_size", "font_swap", "low_contrast", "clash", "replacement", "downsampling", "blur",
    }  # fmt: skip
    showcases = {"background_shift", "over_subject", "alignment", "layer_order", "crowding"}
    assert algorithm_1 | showcases <= set(OPERATIONS)


@pytest.mark.parametrize("name", sorted(set(EVERY) - NEW_ELEMENT - {"replacement"}))
def test_an_operation_of_hardly_any_strength_harms_nothing(name: str) -> None:
    for scene, document, flaw in applied(name, 0.01):
        assert harms(measure(scene, document, flaw.element)) == (), flaw


@pytest.mark.parametrize("name", sorted(EVERY))
def test_an_operation_of_full_strength_harms_what_it_is_meant_for(name: str) -> None:
    targets = set(EVERY[name].targets)
    found = [
        bool(targets & set(harms(measure(scene, document, f.element)))) for scene, document, f in applied(name, 1.0)
    ]
    assert found and sum(found) >= 0.2 * len(found), found


@pytest.mark.parametrize(
    ("name", "quantity", "rises"),
    [
        ("low_contrast", "contrast", False), ("low_contrast", "standout", False), ("downsampling", "resolution", False),
        ("blur", "blur", True), ("drab_color", "drab", True), ("orientation", "tilt_deg", True),
        ("size", "growth", True), ("background_shift", "bare", True), ("crowding", "gap", False),
    ],
)  # fmt: skip
def test_the_measured_quantity_grows_with_the_strength(name: str, quantity: str, rises: bool) -> None:
    series: dict[tuple[int, str, int], list[float]] = {}
    for strength in (0.1, 0.4, 0.7, 1.0):
        counts: dict[str, int] = {}
        for scene, document, flaw in applied(name, strength):
            key = (handmade().index(scene), flaw.element)
            counts[str(key)] = counts.get(str(key), 0) + 1
            series.setdefault((*key, counts[str(key)]), []).append(measure(scene, document, flaw.element)[quantity])
    whole = [np.array(values) for values in series.values() if len(values) == 4]
    assert whole
    for values in whole:
        steps = np.diff(values) if rises else -np.diff(values)
        assert (steps >= -0.08 * max(1e-9, values.max())).all(), values
    assert any(abs(values[-1] - values[0]) > 0.05 for values in whole)


def test_labels_follow_from_the_documents_alone_and_not_from_the_operations_name() -> None:
    scene, document, flaw = applied("downsampling", 1.0)[0]
    honest, _ = label(scene, document, [flaw])
    renamed, _ = label(scene, document, [dataclasses.replace(flaw, operation="position", attribute="x", magnitude=0.0)])
    assert honest.harmed == renamed.harmed == {"graphic-quality": (flaw.element,)}
    untouched, _ = label(scene, scene.document, [flaw])
    assert untouched.harmed == {}


def test_clean_designs_pass_all_rules() -> None:
    assert all(clean_faults(scene) == () for scene in (*scenes(), *handmade()))


@pytest.mark.parametrize("indicator", INDICATORS)
def test_exactly_one_element_harms_the_indicator_and_all_twelve_are_judged(indicator: str) -> None:
    rng = np.random.default_rng(list(INDICATORS).index(indicator))
    done = None
    while done is None:
        done = perturb(rng, scenes()[int(rng.integers(len(scenes())))], indicator, True, OPERATIONS)
    assert len(done.harmed[indicator]) == 1
    assert all(len(elements) == 1 for elements in done.harmed.values())
    assert 1 <= len(done.flaws) <= 3
    assert len({flaw.element for flaw in done.flaws}) == len(done.flaws)
    assert all(unclear(flaw.measures) == () and harms(flaw.measures) == flaw.harms for flaw in done.flaws)


def test_harmless_perturbations_change_the_page_and_harm_nothing() -> None:
    rng = np.random.default_rng(5)
    found = [perturb(rng, scene, "font-hierarchy", False, OPERATIONS, harmless=True) for scene in scenes()]
    changed = [one for one in found if one is not None]
    assert changed and all(one.harmed == {} and one.flaws for one in changed)


def test_a_sample_records_what_was_done_and_where_it_now_is() -> None:
    sample = make_sample(np.random.default_rng(3), "train", "layout-alignment", True, sample_id="x")
    (element,) = sample.harmed["layout-alignment"]
    box = sample.element(element).box
    assert 0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1
    layer = sample.document.layer(element)
    if not layer.rotation_deg:
        assert box[0] == pytest.approx(min(max(layer.x / sample.width, 0), 1))
    flaw = next(flaw for flaw in sample.flaws if flaw.element == element)
    assert flaw.before != flaw.after and "layout-alignment" in flaw.harms
    assert set(sample.judged) == set(INDICATORS)
    assert sample.clean_document.layer(element) != layer
    sample.document.validate()
    assert sample.metadata["canvas_width"] == sample.width


def test_an_untouched_sample_shows_its_clean_design() -> None:
    clean = [make_sample(np.random.default_rng(seed), "train", "color-harmony", False) for seed in range(3)]
    for sample in clean:
        assert "color-harmony" not in sample.harmed
        assert (sample.flaws == ()) == (sample.document.layers == sample.clean_document.layers)


def test_tasks_are_pure_functions_of_their_number_and_go_round_the_indicators() -> None:
    source = GeneratedSource(("layout-alignment", "graphic-quality"))
    one, indicator = source.ask("train", 4)
    two, _ = GeneratedSource(("layout-alignment", "graphic-quality")).ask("train", 4)
    assert indicator == "layout-alignment"
    assert one.document == two.document and one.flaws == two.flaws and one.elements == two.elements
    assert source.ask("train", 5)[1] == "graphic-quality"
    assert [source.size(split) for split in ("train", "validation", "test")] == [1_000_000, 10_000, 10_000]


def test_shares_of_zero_and_one_harm_all_and_none() -> None:
    harmed = GeneratedSource(("layout-alignment",), clean_share=0.0)
    assert all("layout-alignment" in harmed.ask("train", n)[0].harmed for n in range(2))
    clean = GeneratedSource(("layout-alignment",), clean_share=1.0)
    assert all("layout-alignment" not in clean.ask("train", n)[0].harmed for n in range(2))


def test_out_of_distribution_designs_are_harmed_by_compound_operations_only() -> None:
    source = GeneratedSource(clean_share=0.0, ood=True)
    assert source.name == "layouts-ood" and source.indicators == OOD_INDICATORS
    sample, indicator = source.ask("train", 1)
    assert indicator in sample.harmed
    assert {flaw.operation for flaw in sample.flaws} <= set(OOD_OPERATIONS)


def test_misuse_is_told_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="clean_share is 2"):
        GeneratedSource(clean_share=2)
    with pytest.raises(ValueError, match="use one of"):
        GeneratedSource(("beauty",))
    with pytest.raises(ValueError, match="10000"):
        GeneratedSource().ask("test", 10_000)
    with pytest.raises(ValueError, match="cannot be harmed"):
        make_sample(np.random.default_rng(0), "train", "graphic-relevance", True, ood=True)
