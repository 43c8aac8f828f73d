"""GRPO on one GPU: memory against the plan, tokens a second, and the environments' share of a step.

    python benchmarks/gpu/train.py [--model auto] [--steps 3] [--out runs/gpu]
    python benchmarks/gpu/train.py --tiny      # the same code on a CPU, on the tiny model

Answers are sampled by ``generate`` of transformers, through the trainers of a run (`designgym.train.methods.grpo`): one
answer about a page, and three calls on a canvas, each with a prompt of its own. The model has the shape of a published
one, the largest whose plan fits, random weights in bfloat16 and LoRA adapters. It writes as many tokens as a scripted
reply has, which then takes their place: random weights would write nothing that an environment can read. See
the README beside it.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import torch
from models import LARGEST_FIRST, random_model
from training.cases import CANVAS, LOCALIZATION, local_model, trainer_from
from training.measure import ENVIRONMENTS, Hook, watch_environments
from training.quiet import quiet
from training.replies import Script, boxes, lines, scripted

from designgym.train.config import TrainConfig
from designgym.train.memory.machines import machines
from designgym.train.memory.plan import Plan, plan
from designgym.train.model.adapters import add_adapters

GIB = 2**30
SEED = 0
CALLS = 3
GROUP = 4
CASES = {
    "one answer, localization": (LOCALIZATION, {"image_size": 448}, {"max_completion_length": 64}),
    "3 calls, canvas, windowed": (CANVAS, {"max_calls": CALLS, "reward": "figural"}, {"max_completion_length": 96}),
}


@dataclass(frozen=True)
class Row:
    """What was measured of a case; sizes in GiB, times in seconds.

    Attributes:
        case: Its name.
        model: Whose shape the model has.
        tokenizer: Which one.
        answers: Episodes in a step.
        steps: Steps that were measured, without the first.
        planned: The plan's peak.
        peak: What the process allocated at most, on the GPU; of memory on a CPU, where the plan does not apply.
        step: A step, median.
        lowest: The fastest one.
        highest: The slowest one.
        tokens: Tokens that were generated a second, while generating.
        generation: Share of generation in a step.
        environments: Share of environments and rewards in it.
    """

    case: str
    model: str
    tokenizer: str
    answers: int
    steps: int
    planned: float
    peak: float
    step: float
    lowest: float
    highest: float
    tokens: float
    generation: float
    environments: float


def config_of(case: str, model: str, groups: int) -> TrainConfig:
    """A case as a run's configuration."""
    env, kwargs, lengths = CASES[case]
    stage = {
        "name": "measured", "kind": "grpo", "steps": 1, "learning_rate": 1e-5, "tasks": {"count": 500},
        "batch_size": groups * GROUP, "num_generations": GROUP, "save_every": 10**6, "log_every": 10**6, **lengths,
    }  # fmt: skip
    sections: dict[str, Any] = {"seed": SEED, "model": model, "allow_resize": True, "peft": {}, "stages": [stage]}
    if model == "tiny":
        sections |= {"fast_vision": True, "prompt": {"wording": "brief"}}
        kwargs = {**kwargs, "image_size": 128} if env == LOCALIZATION else kwargs
    else:
        stage["gradient_checkpointing"] = True
    return TrainConfig.model_validate({**sections, "env": {"id": env, "kwargs": kwargs}})


def planned(case: str, model: str, groups: int) -> Plan:
    """The plan of a case on the GPU here."""
    return plan(config_of(case, model, groups), machines(1, 1, None, "ddp", None))


def largest(groups: int) -> str:
    """The first of `LARGEST_FIRST` for which all cases fit."""
    for name in LARGEST_FIRST:
        if not any(planned(case, name, groups).problems for case in CASES):
            return name
    raise SystemExit(f"None of {', '.join(LARGEST_FIRST)} fits this GPU; take fewer --groups.")


def measured(case: str, model: str, groups: int, steps: int, ends: float) -> Row:
    """Train a case for some steps, or until a moment (of `time.monotonic`)."""
    config, expected = config_of(case, model, groups), planned(case, model, groups)
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    with tempfile.TemporaryDirectory() as folder:
        if model == "tiny":
            local, told = local_model(config, Path(folder) / "model"), "the tiny model's"
        else:
            processor = expected.facts.bounded(config.max_pixels)
            local, told = random_model(model, config.env.id, processor, "cuda" if gpu else "cpu")
        assert config.peft is not None
        local = add_adapters(local, config.peft, SEED)
        trainer = trainer_from(config, local, Path(folder), bf16=gpu)
        script: Script = boxes(SEED) if config.env.id == LOCALIZATION else lines(CALLS, SEED)
        generated = _count_generation(trainer)
        scripted(trainer, script)
        marks: list[tuple[float, float, float, float]] = []

        def mark() -> None:
            if gpu:
                torch.cuda.synchronize()
            marks.append((time.perf_counter(), ENVIRONMENTS.wall, generated[0], generated[1]))
            if time.monotonic() > ends and len(marks) > 2:
                trainer.args.max_steps = trainer.state.max_steps = trainer.state.global_step

        trainer.add_callback(Hook(end=mark))
        trainer.args.max_steps = steps + 1
        trainer.train()
    spans = [[late - early for early, late in zip(*pair, strict=True)] for pair in pairwise(marks)]
    seconds = [span[0] for span in spans]
    peak = torch.cuda.max_memory_allocated() if gpu else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    row = Row(
        case, model, told, groups * GROUP, len(spans),
        expected.stages[0].peak / GIB, peak / GIB,
        statistics.median(seconds), min(seconds), max(seconds),
        sum(span[3] for span in spans) / sum(span[2] for span in spans),
        sum(span[2] for span in spans) / sum(seconds),
        sum(span[1] for span in spans) / sum(seconds),
    )  # fmt: skip
    return row


def _count_generation(trainer: Any) -> list[float]:
    """Seconds and tokens of a trainer's generation from now on."""
    real, spent = trainer._generate_single_turn, [0.0, 0.0]

    def generate(*rest: Any, **options: Any) -> Any:
        began = time.perf_counter()
        written = real(*rest, **options)  # its tokens are on the CPU, so that nothing is under way any more
        spent[0] += time.perf_counter() - began
        spent[1] += sum(len(ids) for ids in (written if isinstance(written, list) else written[0]))
        return written

    trainer._generate_single_turn = generate
    return spent


def report(rows: list[Row], out: Path) -> str:
    """Write ``results.json`` and ``results.md``, and return the latter."""
    gpu = torch.cuda.is_available()
    device = torch.cuda.get_device_name() if gpu else f"CPU ({platform.machine()})"
    about = {"device": device, "python": platform.python_version(), "seed": SEED, **_versions()}
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps({"about": about, "rows": [asdict(row) for row in rows]}, indent=1))
    head = (
        "| case | model | tokenizer | answers a step | steps | planned, GiB | peak, GiB | peak / plan | "
        "step, s (range) | tokens/s | generation | environments |"
    )
    text = [f"{', '.join(f'{name} {value}' for name, value in about.items())}.", "", head, "|---" * 12 + "|"]
    for row in rows:
        cells = (
            row.case, row.model, row.tokenizer, row.answers, row.steps, f"{row.planned:.1f}", f"{row.peak:.1f}",
            f"{row.peak / row.planned:.2f}" if gpu else "–", f"{row.step:.2f} ({row.lowest:.2f} to {row.highest:.2f})",
            f"{row.tokens:.0f}", f"{row.generation:.0%}", f"{row.environments:.1%}",
        )  # fmt: skip
        text.append("| " + " | ".join(map(str, cells)) + " |")
    if not gpu:
        text += ["", "On a CPU: the peak is of the process and cannot be compared with the plan, which is of a GPU."]
    (out / "results.md").write_text("\n".join(text) + "\n")
    return "\n".join(text)


def _versions() -> dict[str, str]:
    found = {}
    for name in ("torch", "transformers", "trl", "peft"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tiny", action="store_true", help="the tiny model on a CPU, to see whether all runs")
    parser.add_argument("--model", default="auto", help="hub id of a shape, or auto: the largest that fits")
    parser.add_argument("--groups", type=int, default=2, help=f"groups of {GROUP} episodes in a step")
    parser.add_argument("--steps", type=int, default=3, help="steps that are measured, after a first one")
    parser.add_argument("--seconds", type=float, default=240, help="stop beginning steps after so long")
    parser.add_argument("--out", type=Path, default=Path("runs/gpu"))
    options = parser.parse_args()
    ends = time.monotonic() + options.seconds
    if not options.tiny and not torch.cuda.is_available():
        raise SystemExit("There is no GPU that torch can use here; --tiny runs the same code on a CPU.")
    quiet()
    watch_environments()
    model = "tiny" if options.tiny else largest(options.groups) if options.model == "auto" else options.model
    rows = []
    for case in CASES:
        rows.append(measured(case, model, options.groups, options.steps, ends))
        gc.collect()  # trainers are cycles
        print(report(rows, options.out), flush=True)  # what there is stays, if the next one fails


if __name__ == "__main__":
    main()
