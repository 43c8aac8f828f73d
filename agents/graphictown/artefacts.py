"""What came about between brief and plan: kept beside the run, for whoever wants to know why a plan is as it is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from designgym.atomic import write_atomically


@dataclass
class Artefacts:
    """The intermediate results of one design, filled step by step.

    Attributes:
        task: Task id.
        brief: As the environment gave it.
        outline: Step 1, the supervisor's.
        goals: Step 2: expert -> goal, in the order of recruitment.
        workflows: Step 3: expert -> steps in words.
        workflow: Step 4: expert and step, in order.
        plan: Step 5: ``{expert, action, parameters, description}``.
        calls: How often the model was asked.
        unreadable: Replies that could not be used, with the step at which they came.
        failed_at: The step at which no reply could be used; empty if all went well.
    """

    task: str
    brief: str
    outline: str = ""
    goals: dict[str, str] = field(default_factory=dict)
    workflows: dict[str, list[str]] = field(default_factory=dict)
    workflow: list[tuple[str, str]] = field(default_factory=list)
    plan: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    unreadable: list[tuple[str, str]] = field(default_factory=list)
    failed_at: str = ""

    def write(self, folder: Path) -> None:
        """Write ``<task>.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"
        write_atomically(folder / f"{self.task}.json", text.encode("utf-8", "backslashreplace"))
