"""The folder of a run: results and traces line by line, and the manifest that says what the run is."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym import exact_json, manifest
from designgym.errors import UserError
from designgym.eval.results import Result, read_results
from designgym.jsonl import JsonlWriter
from designgym.trace import EpisodeTrace, TraceWriter

PathLike = str | os.PathLike[str]

LONGEST_SLUG = 120
"""Characters; file systems take 255."""

RESULTS, TRACES, MANIFEST, IMAGES = "results.jsonl", "traces.jsonl", "manifest.json", "images"


class Record:
    """Opens a new folder, or one of the same run to go on with.

    Args:
        folder: Made if need be.
        env_id: The environment.
        env_kwargs: Its arguments.
        seed: The run's seed.
        agent: What the agent is: its name as ``agent`` and, if it has any, its ``options``.
        backend: What scores: name, version and hash.
        images: Keep the observed images.
        resume: Go on with the run that the folder holds, if it holds one.

    Raises:
        UserError: If the folder holds a run and ``resume`` is False, or holds another run than this one.
    """

    def __init__(
        self,
        folder: PathLike,
        env_id: str,
        env_kwargs: Mapping[str, Any],
        seed: int,
        agent: Mapping[str, Any],
        backend: Mapping[str, Any],
        *,
        images: bool = False,
        resume: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self.finished: dict[str, Result] = {}
        config = {"env": env_id, **exact_json.encode({"env_kwargs": env_kwargs, **agent})}
        if self._holds_a_run():
            if not resume:
                raise UserError(
                    f"'{self.folder}' already holds a run. Choose another folder, or resume it (with --resume on the "
                    "command line)."
                )
            self._require_same(config, seed, backend)
            if (self.folder / RESULTS).exists():
                self.finished = read_results(self.folder / RESULTS)
        else:
            made = manifest.collect(seeds={"run": seed}, config=config, rewards=[dict(backend)])
            manifest.write_manifest(made, self.folder / MANIFEST)
        self._results = JsonlWriter(self.folder / RESULTS)
        self._traces = TraceWriter(self.folder / TRACES, images=self.folder / IMAGES if images else None)

    def begin(
        self, env: gym.Env[Any, Any], seed: int, name: str, observation: Mapping[str, Any], info: Mapping[str, Any]
    ) -> EpisodeTrace:
        """Start the trace of a trial. A stopped trial begins again under the same name."""
        return self._traces.begin(env, seed=seed, observation=observation, info=info, episode=name, group=info["task"])

    def add(self, result: Result, lines: Iterable[str] = ()) -> None:
        """Append a result; ``lines`` are those of its trace if it was recorded elsewhere, and go before it."""
        self._traces.write_lines(lines)
        self._results.write(result.to_json())

    def close(self) -> None:
        """Close the files."""
        self._results.close()
        self._traces.close()

    def _holds_a_run(self) -> bool:
        return any((self.folder / name).exists() for name in (MANIFEST, RESULTS, TRACES))

    def _require_same(self, config: Mapping[str, Any], seed: int, backend: Mapping[str, Any]) -> None:
        old = manifest.read_manifest(self.folder / MANIFEST)
        pairs = [
            *((key, old["config"].get(key), config.get(key)) for key in dict.fromkeys([*old["config"], *config])),
            ("seed", old["seeds"].get("run"), seed),
            ("reward", old["rewards"], [dict(backend)]),
            ("version of designgym", old["versions"].get("designgym"), manifest.versions().get("designgym")),
        ]
        for key, was, now in pairs:
            if was != now:
                raise UserError(
                    f"'{self.folder}' holds another run: its {key} is {was!r}, not {now!r}. Choose another folder, "
                    "or the settings of that run."
                )


def slug(name: str) -> str:
    """A folder's name for a label; different labels that fall together are told apart by their characters' codes."""
    plain = re.sub(r"[^A-Za-z0-9._-]", lambda match: f"~{ord(match[0]):x}~", name)
    if plain.startswith("."):
        plain = f"~{plain}"
    if len(plain) > LONGEST_SLUG:
        plain = f"{plain[: LONGEST_SLUG - 16]}~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:15]}"
    return plain
