"""All questions about a frozen design with their right answers, as JSON: what an evaluator elsewhere needs, too."""

from __future__ import annotations

from typing import Any

from designgym.envs.aesthetics.items import make_item
from designgym.envs.aesthetics.sample import Sample

TASKS = ("judgment", "selection", "localization")


def questions_of(sample: Sample) -> list[dict[str, Any]]:
    """A record for each indicator that is judged, in the order of the sample.

    ``verdict`` is ``"yes"`` where the design has an issue, ``boxes`` are all right boxes as fractions of the page
    (none: the answer is None), ``options`` the four regions in their frozen order, of which None is "no element", and
    ``choice`` the letter of the right one. A design with too few elements has no options and an empty choice.
    """
    records = []
    for indicator in sample.judged:
        record: dict[str, Any] = {"design": sample.id, "indicator": indicator}
        item = make_item("localization", sample, indicator)
        selection = make_item("selection", sample, indicator)
        if item is not None:
            record |= {"verdict": item.verdict, "boxes": [list(box) for box in item.boxes]}
        else:
            record |= {"verdict": "", "boxes": []}  # what harms the design lies beside the page
        options = selection.options if selection else ()
        record["options"] = [None if box is None else list(box) for box in options]
        record["choice"] = selection.choice if selection else ""
        records.append(record)
    return records
