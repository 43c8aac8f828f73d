"""The benchmarks of training: what they work out of what they measured, and that they run where there is no GPU."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS / "gpu"))
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_agreement_counts_equal_places_and_finds_the_first_difference():
    from agreement import agreement

    found = agreement([[1, 2, 3, 4], [5, 6], [7]], [[1, 9, 3, 4], [5, 6], [7, 8]])
    assert (found.answers, found.equal, found.first) == (3, 1, (1, None, 1))
    assert found.tokens == pytest.approx((3 + 2 + 1) / (4 + 2 + 2))
    assert found.prefix == pytest.approx((1 + 2 + 1) / (4 + 2 + 2))
    assert found.usual == 1
    alike = agreement([[1], []], [[1], []])
    assert (alike.equal, alike.tokens, alike.prefix, alike.usual) == (2, 1, 1, None)


def test_lists_of_different_lengths_are_not_compared():
    from agreement import agreement

    with pytest.raises(ValueError, match="2 answers and 1"):
        agreement([[1], [2]], [[1]])


def test_image_tokens_are_counted_in_prompts_and_by_grids():
    from agreement import grid_tokens, image_tokens

    assert image_tokens([[1, 9, 9, 9, 9, 2], [9]], pad=9) == [4, 1]
    assert grid_tokens([[1, 4, 4], [1, 2, 6]], merge_size=2) == 4 + 3


def test_the_check_of_vllm_says_what_is_missing_and_that_it_was_not_run():
    import vllm_check
    from agreement import agreement

    script = [sys.executable, str(BENCHMARKS / "gpu" / "vllm_check.py"), "--model", "nowhere"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and ("vLLM is not installed here" in done.stderr or "There is no GPU" in done.stderr)
    assert "UNRUN" in vllm_check.__doc__
    grids = [[[1, 4, 4]], [[1, 2, 2]]]
    figures = vllm_check.report(
        agreement([[1, 2], [3]], [[1, 4], [3]]), 2, grids, [[[1, 4, 4]], [[1, 2, 4]]], [4, 1], 2
    )
    written = vllm_check.text(figures)
    assert written.startswith("UNRUN")
    for line in ("| answers that are equal | 1 of 2 |", "| prompts with equal image_grid_thw | 1 of 2 |", "5 / 5"):
        assert line in written


def test_memory_grows_by_the_line_through_what_was_measured_once_it_had_settled():
    from training.growth import EVERY, SETTLED, Used

    before = [500.0 + 10 * step for step in range(SETTLED // EVERY - 1)]
    flat = Used((*before, *[600.0] * 31))
    assert flat.growth == pytest.approx(0) and flat.spread == 0 and flat.last == 600
    rising = Used((*before, *[600.0 + look for look in range(31)]))
    assert rising.growth == pytest.approx(30 / 600) and rising.spread == pytest.approx(30 / 600)


def test_what_is_packed_for_a_gpu_leaves_torch_to_the_machine():
    import pack

    packages = pack.needed("designgym", pack.EXTRAS)
    assert {"designgym", "transformers", "trl", "peft", "accelerate", "gymnasium", "skia-python"} <= set(packages)
    assert not [name for name in packages if name.startswith(("torch", "nvidia", "triton"))]


@pytest.mark.slow
def test_the_gpu_benchmark_runs_on_a_cpu_from_plan_to_table(tmp_path):
    pytest.importorskip("trl")
    script = [sys.executable, str(BENCHMARKS / "gpu" / "train.py"), "--tiny", "--steps", "1", "--out", str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "results.md").read_text()
    assert "one answer, localization | tiny" in table and "3 calls, canvas, windowed | tiny" in table
    assert (tmp_path / "results.json").exists()
