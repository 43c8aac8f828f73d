"""The rescaling rival: the right factor is found, and everything but the size of boxes stays."""

from __future__ import annotations

import pytest

from designgym.eval.rescaled import RescaledAnswers, rescale
from designgym.eval.results import Result


def result(number: int, answer: list[float] | None, truth: list[float] | None) -> Result:
    return Result(f"test-{number:06d}", answer={"bbox": answer}, truth={"bbox": truth, "flaw": "size" if truth else ""})


def test_a_box_keeps_its_centre_and_stays_on_the_page() -> None:
    assert rescale((0.4, 0.4, 0.6, 0.5), 2.0) == pytest.approx((0.3, 0.35, 0.7, 0.55))
    assert rescale((0.0, 0.8, 0.4, 1.0), 2.0) == pytest.approx((0.0, 0.7, 0.6, 1.0))


def test_the_factor_that_undoes_a_constant_exaggeration_is_found() -> None:
    truths = [[0.3, 0.3, 0.5, 0.4], [0.5, 0.5, 0.6, 0.7]]
    twice = [list(rescale(tuple(truth), 2.0)) for truth in truths]  # type: ignore[arg-type]
    rival = RescaledAnswers([result(i, box, truth) for i, (box, truth) in enumerate(zip(twice, truths, strict=True))])
    assert rival.factor == 0.5
    call = rival({}, {"task": "test-000001"})
    assert call["arguments"]["bbox"] == pytest.approx(truths[1])


def test_none_stays_none_and_an_unreadable_answer_stays_unreadable() -> None:
    rival = RescaledAnswers([result(0, None, [0.1, 0.1, 0.2, 0.2]), Result("test-000001", truth={"bbox": None})])
    assert rival({}, {"task": "test-000000"})["arguments"] == {"bbox": None}
    assert rival({}, {"task": "test-000001"})["arguments"] == {}
