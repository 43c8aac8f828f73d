"""After training: every policy on the same held-out pages, and how the models compare with the others."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.agents.qwen.agent import QwenAgent
from designgym.agents.qwen.dialogue import HistoryKind
from designgym.agents.qwen.local import load
from designgym.agents.table import CONSTANTS, build
from designgym.eval import localization
from designgym.eval.choose_tasks import matching
from designgym.eval.compare import Comparison, compare
from designgym.eval.evaluate import trials_of
from designgym.eval.record import RESULTS, slug
from designgym.eval.rescaled import RescaledAnswers
from designgym.eval.results import Result, designs, read_results, values
from designgym.eval.runner import make, run
from designgym.eval.summary import Policy
from designgym.train.config import UNTRAINED, TrainConfig
from designgym.train.environments import evaluation_kwargs
from designgym.train.stages import SftStage
from designgym.train.tracking.progress import work

MODELS, AGENTS, CONSTANT_POLICIES = "The model", "Other policies", "Constants"


@dataclass(frozen=True)
class Candidate:
    """A model to be evaluated.

    Attributes:
        key: Name of its folder below ``evaluation/``.
        label: Name in print.
        source: Where its weights lie.
        start: Key of the candidate that its training started from; empty for the untrained model.
        note: A few words under the label.
        last: Whether the report is about this one.
        history: How it is shown what came before, in episodes of several turns: as in its training.
    """

    key: str
    label: str
    source: str
    start: str = ""
    note: str = ""
    last: bool = False
    history: HistoryKind = "windowed"


def evaluate(config: TrainConfig, candidates: Sequence[Candidate], folder: Path, console: Console) -> dict[str, Policy]:
    """Let every model, agent and constant policy answer the same pages; what was answered before is kept.

    Args:
        config: The run's configuration.
        candidates: The models in order.
        folder: Where the traces go, a folder for each policy.
        console: For the progress.

    Returns:
        Policies by key (of the candidate) or by the agent's label, in the order of the tables.
    """
    section, kwargs = config.evaluation, evaluation_kwargs(config)
    settings = prompt_settings(config.env.id, framing=config.prompt.framing, context=config.prompt.context)
    env = make(config.env.id, kwargs)
    ids = env.unwrapped.task_ids()  # type: ignore[attr-defined]
    tasks = matching(env, ids[section.first : section.first + section.count], section.where)

    def play(agent: object, key: str, title: str, *, in_order: bool = False) -> list[Result]:
        if in_order and not _complete(folder / key, tasks):
            shutil.rmtree(folder / key, ignore_errors=True)
        with work(console, title, len(tasks)) as shown:
            return run(
                agent,  # type: ignore[arg-type]
                config.env.id,
                kwargs,
                tasks,
                section.seed,
                out=folder / key,
                resume=True,
                name=key,
                batch_size=section.batch_size,
                progress=lambda done, total, result: shown.step(done),
            )

    policies: dict[str, Policy] = {}
    try:
        for candidate in candidates:
            local = load(
                candidate.source,
                max_pixels=config.max_pixels,
                fast_vision=config.fast_vision,
                attention=config.attention,
            )
            played = {}
            for sample in (False, True) if section.sampled else (False,):
                agent = QwenAgent(
                    local,
                    prompt_builder(config.env.id),
                    env.unwrapped.tool_table,  # type: ignore[attr-defined]
                    wording=config.prompt.wording,
                    settings=settings,
                    history=candidate.history,
                    sample=sample,
                    temperature=section.temperature,
                    max_new_tokens=section.max_new_tokens,
                    seed=section.seed,
                )
                way = "sampled" if sample else "greedy"
                title = f"Evaluate {candidate.label}, {way}"
                # Samples depend on the order of the questions, so half of them would be gone on with by others.
                played[sample] = play(agent, f"{candidate.key}-{way}", title, in_order=sample)
            policies[candidate.key] = Policy(
                candidate.label,
                played[False],
                played.get(True, ()),
                MODELS,
                candidate.note,
                candidate.last,
                trials_of(folder / f"{candidate.key}-greedy", played[False]),
            )
            del local, agent
            free_gpu()
        for candidate in candidates:
            if any(other.start == candidate.key and other.start != UNTRAINED for other in candidates):
                start = policies[candidate.key]
                if localization.applies(start.results):
                    rival, label = RescaledAnswers(start.results), f"{candidate.label}, rescaled"
                    again = play(rival, f"{candidate.key}-rescaled", f"Evaluate {label}")
                    policies[rescaled_key(candidate.key)] = Policy(label, again, group=AGENTS, note=rival.about)
        for listed in section.agents:
            label = listed.label or listed.name
            other = build(listed.name, env, section.seed, **listed.options)
            group = CONSTANT_POLICIES if listed.name in CONSTANTS else AGENTS
            about = str(getattr(other, "about", ""))
            results = play(other, slug(label), f"Evaluate {label}")
            trials = trials_of(folder / slug(label), results)
            policies[label] = Policy(label, results, group=group, note=about, trials=trials)
    finally:
        env.close()
    return policies


def _complete(folder: Path, tasks: Sequence[str]) -> bool:
    """Whether a policy's folder holds an answer to every task."""
    return (folder / RESULTS).is_file() and read_results(folder / RESULTS).keys() >= set(tasks)


def policy_folder(folder: Path, key: str, policy: Policy) -> Path:
    """Where the traces of a policy lie, of a model those of its greedy answers.

    Args:
        folder: Of the evaluation.
        key: The policy's key among those of `evaluate`.
        policy: The policy.
    """
    return folder / (f"{key}-greedy" if policy.group == MODELS else slug(key))


def rescaled_key(key: str) -> str:
    """Key of the policy that gives a candidate's answers with rescaled boxes."""
    return f"{key}, rescaled"


def free_gpu() -> None:
    """Give back the memory of models that are no longer used; on a CPU that comes by itself."""
    import torch

    if torch.cuda.is_available():
        gc.collect()
        torch.cuda.empty_cache()


def comparisons(
    config: TrainConfig, candidates: Sequence[Candidate], policies: dict[str, Policy], reward: str
) -> list[Comparison]:
    """Each trained model against its start, its teachers and the best constant, on the same pages.

    Args:
        config: The run's configuration.
        candidates: The models.
        policies: What `evaluate` returned.
        reward: Name of the reward.
    """
    constants = [policy for policy in policies.values() if policy.group == CONSTANT_POLICIES]
    agents = config.evaluation.agents
    taught = {"demonstrator", *(stage.teacher.name for stage in config.stages if isinstance(stage, SftStage))}
    teachers = [policies[agent.label or agent.name] for agent in agents if agent.name in taught]
    best = max(constants, key=lambda policy: _mean(policy.results), default=None)
    found = []
    for candidate in candidates:
        if not candidate.start:
            continue
        own = policies[candidate.key]
        rivals = [policies.get(candidate.start), policies.get(rescaled_key(candidate.start)), *teachers, best]
        for rival in [policy for policy in rivals if policy is not None]:
            ways = [("greedy", own.results, rival.results)]
            if own.sampled:
                ways.append(("sampled", own.sampled, rival.sampled or rival.results))
            for way, first, second in ways:
                found.append(
                    compare(
                        own.name,
                        values(first),
                        rival.name,
                        values(second),
                        measure=f"{reward}, {way}",
                        seed=config.evaluation.seed,
                        designs=designs(first),
                    )
                )
    return found


def _mean(results: Sequence[Result]) -> float:
    scored = [result.value for result in results if result.value is not None]
    return sum(scored) / len(scored) if scored else 0.0
