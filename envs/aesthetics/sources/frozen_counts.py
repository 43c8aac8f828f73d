"""What a frozen benchmark holds, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from designgym.envs.aesthetics.indicators import INDICATORS


def count_designs(designs: Iterable[Mapping[str, Any]], questions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts of designs, flaws and questions.

    Args:
        designs: The samples' JSON data.
        questions: The records of all their questions.

    Returns:
        ``designs``, ``questions`` (of each task), ``flaws`` (all perturbations, by operation, and how many designs have
        none, one, two ...), and for each indicator ``judged`` designs, ``harmed`` designs with their ``share``, and the
        ``flaws`` that harm it.
    """
    operations: Counter[str] = Counter()
    per_design: Counter[int] = Counter()
    judged: Counter[str] = Counter()
    harmed: Counter[str] = Counter()
    harming: Counter[str] = Counter()
    for design in designs:
        per_design[len(design["flaws"])] += 1
        judged.update(design["judged"])
        harmed.update(name for name in design["judged"] if design["harmed"].get(name))
        for flaw in design["flaws"]:
            operations[flaw["operation"]] += 1
            harming.update(flaw["harms"])
    asked: Counter[str] = Counter()
    for record in questions:
        asked["judgment"] += bool(record["verdict"])
        asked["selection"] += bool(record["choice"])
        asked["localization"] += bool(record["verdict"])
    return {
        "designs": sum(per_design.values()),
        "questions": dict(asked),
        "flaws": {
            "all": sum(operations.values()),
            "by_operation": dict(sorted(operations.items())),
            "designs_by_number": {str(number): per_design[number] for number in sorted(per_design)},
        },
        "indicators": {
            name: {
                "judged": judged[name],
                "harmed": harmed[name],
                "share": round(harmed[name] / judged[name], 4) if judged[name] else 0.0,
                "flaws": harming[name],
            }
            for name in INDICATORS
        },
    }
