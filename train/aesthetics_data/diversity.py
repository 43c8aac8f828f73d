"""How varied texts are: distinct sentences and distinct n-grams (Li et al., 2016, section 5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"“[^”]*”")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[\w'’-]+|#")


@dataclass(frozen=True)
class Diversity:
    """How varied a set of texts is.

    Attributes:
        texts: Number of texts.
        sentences: Number of sentences.
        distinct_sentences: Share of sentences that differ, as written.
        distinct_forms: Number of different sentences when numbers and quoted text are left out: what the wording alone
            contributes.
        commonest_form: Share of the sentences that have the commonest form.
        distinct: Share of n-grams of words, numbers left out, that differ; for n = 1, 2, 3.
        words: Mean number of words a text.
    """

    texts: int
    sentences: int
    distinct_sentences: float
    distinct_forms: int
    commonest_form: float
    distinct: tuple[float, float, float]
    words: float


def diversity(texts: Iterable[str]) -> Diversity:
    """Measure texts; shares are 0 where there is nothing to count."""
    sentences: dict[str, int] = {}
    forms: dict[str, int] = {}
    grams: tuple[set[tuple[str, ...]], ...] = (set(), set(), set())
    totals = [0, 0, 0]
    count = words = 0
    for text in texts:
        count += 1
        for sentence in filter(None, _SENTENCE.split(text.strip())):
            sentences[sentence] = sentences.get(sentence, 0) + 1
            form = _NUMBER.sub("#", _QUOTED.sub("“”", sentence))
            forms[form] = forms.get(form, 0) + 1
        tokens = _WORD.findall(_NUMBER.sub("#", text.lower()))
        words += len(tokens)
        for n in (1, 2, 3):
            for at in range(len(tokens) - n + 1):
                grams[n - 1].add(tuple(tokens[at : at + n]))
            totals[n - 1] += max(0, len(tokens) - n + 1)
    total = sum(sentences.values())
    return Diversity(
        count,
        total,
        len(sentences) / total if total else 0.0,
        len(forms),
        max(forms.values()) / total if total else 0.0,
        tuple(len(seen) / all_ if all_ else 0.0 for seen, all_ in zip(grams, totals, strict=True)),  # type: ignore[arg-type]
        words / count if count else 0.0,
    )
