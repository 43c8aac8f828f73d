"""Whether vLLM writes what transformers' ``generate`` writes: greedy answers to the same prompts with images.

UNRUN: no machine with a GPU and vLLM was at hand when this was written. What it compares with (`agreement.py`) is
tested, what it says of vLLM is not.

    python benchmarks/gpu/vllm_check.py --model DIR_OR_ID [--prompts 16] [--tokens 64] [--out runs/vllm]

The prompts are those of localization and of a canvas's first turn, as tokens with every image's pads, as TRL hands them
to vLLM. Looked at are the answers' tokens, whether vLLM kept the prompts' tokens, and whether the image processor that
vLLM loads cuts the same pages into the same patches (``image_grid_thw``). Greedy answers in bfloat16 part where two
tokens are nearly as likely, so that agreement is a rate; prompts and patches must be equal.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from agreement import Agreement, agreement, grid_tokens, image_tokens

HEADER = "UNRUN when it was written: these are the first figures of this script; read them with its README."
ENVS: dict[str, dict[str, Any]] = {
    "designgym/AestheticLocalization-v0": {"image_size": 448},
    "designgym/CanvasDrawing-v0": {"max_calls": 3},
}
MEMORY = 0.4
"""Share of the GPU that vLLM may take, beside what transformers left behind."""


def refuse_where_impossible() -> None:
    """End with a sentence where vLLM or a GPU is missing."""
    if importlib.util.find_spec("vllm") is None:
        raise SystemExit("vLLM is not installed here; install it beside designgym[train], then run this again.")
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("There is no GPU that torch can use here, and vLLM is compared with generate on one.")


def asked(local: Any, count: int) -> list[Any]:
    """Prompts (`designgym.agents.qwen.tokens.Prompt`) of both environments in turn."""
    from designgym.agents.qwen.dialogue import Asker
    from designgym.eval.runner import make

    envs = {name: make(name, {**kwargs, "split": "validation"}) for name, kwargs in ENVS.items()}
    prompts = []
    for number in range(count):
        name = list(envs)[number % len(envs)]
        env: Any = envs[name].unwrapped
        dialogue = Asker(name, env.tool_table, local, "full").dialogue(lambda env=env: env.prompt_options())
        dialogue.saw(*env.reset(options={"task": env.task_ids()[number]}))
        prompts.append(dialogue.prompt())
    return prompts


def by_transformers(local: Any, prompts: Sequence[Any], tokens: int) -> list[list[int]]:
    """Greedy answers of ``generate``, one prompt at a time, so that no padding has a part in them."""
    import torch

    from designgym.agents.qwen.dialogue import image_fields

    written, device = [], local.model.device
    pad = local.processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    for prompt in prompts:
        ids = torch.tensor([prompt.ids], device=device)
        fields = {name: values.to(device) for name, values in image_fields(local.processor, prompt.images).items()}
        found = local.model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), mm_token_type_ids=(ids == pad).long(), **fields,
            do_sample=False, max_new_tokens=tokens,
        )  # fmt: skip
        written.append(found[0, len(prompt.ids) :].tolist())
    return written


def by_vllm(model: str, prompts: Sequence[Any], tokens: int) -> tuple[list[list[int]], list[list[int]]]:
    """Greedy answers of vLLM, and the prompts' tokens as it says them."""
    from vllm import LLM, SamplingParams

    most = max(len(prompt.images) for prompt in prompts)
    longest = max(len(prompt.ids) for prompt in prompts) + tokens
    llm = LLM(
        model=model, dtype="bfloat16", gpu_memory_utilization=MEMORY, max_model_len=longest,
        limit_mm_per_prompt={"image": most}, enforce_eager=True, seed=0,
    )  # fmt: skip
    given = [
        {
            "prompt_token_ids": list(prompt.ids),
            "multi_modal_data": {"image": list(prompt.images) if len(prompt.images) > 1 else prompt.images[0]},
        }
        for prompt in prompts
    ]
    outputs = llm.generate(given, SamplingParams(temperature=0, max_tokens=tokens), use_tqdm=False)
    return [list(each.outputs[0].token_ids) for each in outputs], [list(each.prompt_token_ids) for each in outputs]


def stock_grids(model: str, prompts: Sequence[Any]) -> list[list[list[int]]]:
    """``image_grid_thw`` of each prompt's images by the processor that transformers, and so vLLM, loads."""
    from transformers import AutoProcessor

    processor = AutoProcessor.from_pretrained(model)
    return [processor.image_processor(images=list(each.images))["image_grid_thw"].tolist() for each in prompts]


def report(
    found: Agreement, kept: int, ours: Sequence[Any], theirs: Sequence[Any], pads: Sequence[int], merge_size: int
) -> dict[str, Any]:
    """All figures.

    Args:
        found: Of the answers.
        kept: Prompts whose tokens vLLM said as they were given.
        ours: ``image_grid_thw`` of each prompt's images by this project's processor.
        theirs: The same by the stock one.
        pads: Image tokens of each prompt.
        merge_size: Patches along each side of an image token.
    """
    return {
        "header": HEADER,
        "agreement": {**asdict(found), "usual": found.usual},
        "prompts_kept": kept,
        "grids_equal": sum(one == other for one, other in zip(ours, theirs, strict=True)),
        "image_tokens": sum(pads),
        "image_tokens_by_grids": sum(grid_tokens(grids, merge_size) for grids in ours),
    }


def text(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    found = figures["agreement"]
    n = found["answers"]
    tokens = f"{figures['image_tokens']} / {figures['image_tokens_by_grids']}"
    usual = "–" if found["usual"] is None else f"{found['usual']:g}"
    rows = {
        "answers that are equal": f"{found['equal']} of {n}",
        "tokens at the same place": f"{found['tokens']:.1%}",
        "tokens before the first difference": f"{found['prefix']:.1%}",
        "first difference, median of those that differ": usual,
        "prompts whose tokens vLLM kept": f"{figures['prompts_kept']} of {n}",
        "prompts with equal image_grid_thw": f"{figures['grids_equal']} of {n}",
        "image tokens in prompts / by image_grid_thw": tokens,
    }
    return "\n".join(
        [figures["header"], "", "| | |", "|---|---|", *(f"| {name} | {cell} |" for name, cell in rows.items())]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True, help="folder or hub id of a Qwen-VL")
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=64, help="longest answer")
    parser.add_argument("--out", type=Path, default=Path("runs/vllm"))
    options = parser.parse_args()
    refuse_where_impossible()
    import torch

    from designgym.agents.qwen.dialogue import image_fields
    from designgym.agents.qwen.local import load

    local = load(options.model)
    prompts = asked(local, options.prompts)
    ours = [image_fields(local.processor, each.images)["image_grid_thw"].tolist() for each in prompts]
    one = by_transformers(local, prompts, options.tokens)
    pad = local.processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    merge_size = local.processor.image_processor.merge_size
    del local
    gc.collect()
    torch.cuda.empty_cache()
    other, said = by_vllm(options.model, prompts, options.tokens)
    kept = sum(list(prompt.ids) == ids for prompt, ids in zip(prompts, said, strict=True))
    theirs = stock_grids(options.model, prompts)
    pads = image_tokens([each.ids for each in prompts], pad)
    figures = report(agreement(one, other), kept, ours, theirs, pads, merge_size)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(figures, indent=1))
    (options.out / "results.md").write_text(text(figures) + "\n")
    print(text(figures))


if __name__ == "__main__":
    main()
