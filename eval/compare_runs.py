"""Two or more runs side by side: every pair on the tasks that both played, corrected for making several comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from designgym.errors import UserError
from designgym.eval.compare import Comparison, compare
from designgym.eval.report import cells
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.results import Result, designs, values
from designgym.eval.runs import Run
from designgym.eval.significance import Significance, holm, mcnemar, paired_t
from designgym.eval.summary import mean_reward

LEVEL = 0.05
"""Of the family of comparisons: the chance that any of them tells apart what is alike."""

NOT_DISTINGUISHABLE = "not distinguishable"


@dataclass(frozen=True)
class Pair:
    """Two runs on their common tasks.

    Attributes:
        comparison: Difference with interval, permutation p, wins and losses.
        adjusted: The permutation p after Holm's correction over all pairs; None where there is none.
        test: McNemar's exact test where every value is 0 or 1, else the paired t-test, with its effect size.
    """

    comparison: Comparison
    adjusted: float | None
    test: Significance

    @property
    def verdict(self) -> str:
        """Which of the two is better at the level of the family, or that they cannot be told apart."""
        mean = self.comparison.result.difference.mean
        if self.adjusted is None or mean is None or self.adjusted > LEVEL or mean == 0:
            return NOT_DISTINGUISHABLE
        return f"{self.comparison.first if mean > 0 else self.comparison.second} is better"


def require_comparable(runs: Sequence[Run]) -> None:
    """Refuse runs whose values mean different things.

    Raises:
        UserError: For fewer than two runs, another environment or split, or scores of another backend.
    """
    if len(runs) < 2:
        found = f"There is only {runs[0].name} in {runs[0].folder}." if runs else "There is none."
        raise UserError(f"A comparison needs two runs at least. {found}")
    first = runs[0]
    for run in runs[1:]:
        sides = {
            "environment": (first.config.get("env"), run.config.get("env")),
            "split": tuple(each.config.get("env_kwargs", {}).get("split") for each in (first, run)),
            "reward": (first.rewards, run.rewards),
        }
        for what, (one, two) in sides.items():
            if one != two:
                raise UserError(
                    f"{first.name} and {run.name} cannot be compared: their {what} is {one!r} and {two!r}. "
                    "Traces can be scored anew by one reward with designgym rescore."
                )


def common_tasks(runs: Sequence[Run], *, intersect: bool = False) -> list[str]:
    """The tasks that every run played.

    Raises:
        UserError: If not all played the same and ``intersect`` is False, or if no task is left.
    """
    every = [set(run.results) for run in runs]
    shared = set.intersection(*every)
    if not intersect:
        for run, tasks in zip(runs, every, strict=True):
            if tasks != every[0]:
                raise UserError(
                    f"{runs[0].name} played {len(every[0])} tasks and {run.name} {len(tasks)}, and {len(shared)} are "
                    "in all runs. Evaluate all on the same tasks, or compare on the common ones with --common."
                )
    if not shared:
        raise UserError("No task was played in all of these runs.")
    return [task for task in runs[0].results if task in shared]


def pairs(
    played: Mapping[str, Sequence[Result]], *, baseline: str | None = None, measure: str = "reward", seed: int = 0
) -> list[Pair]:
    """Every pair of policies, or every policy with the baseline, task by task.

    Args:
        played: Results of the same tasks, by the policy's name.
        baseline: Name of the one that all others are compared with.
        measure: What is compared, for the table.
        seed: Of the bootstrap and the permutation test.

    Raises:
        UserError: If none has the baseline's name, or they did not play the same tasks.
    """
    if baseline is not None and baseline not in played:
        raise UserError(f"There is no run {baseline!r} among {', '.join(played)}.")
    chosen = list(combinations(played, 2))
    if baseline is not None:
        chosen = [(name, baseline) for name in played if name != baseline]
    made = []
    for one, two in chosen:
        left, right, about = values(played[one]), values(played[two]), designs(played[one])
        comparison = compare(one, left, two, right, measure=measure, seed=seed, designs=about)
        made.append((comparison, _test(left, right)))
    adjusted = holm([comparison.result.p for comparison, _ in made])
    return [Pair(comparison, p, test) for (comparison, test), p in zip(made, adjusted, strict=True)]


def on(run: Run, tasks: Sequence[str]) -> list[Result]:
    """A run's results of some trials, in their order."""
    return [run.results[task] for task in tasks]


def _test(left: Mapping[str, float | None], right: Mapping[str, float | None]) -> Significance:
    both = [(a, b) for task in left if (a := left[task]) is not None and (b := right[task]) is not None]
    one, two = [a for a, _ in both], [b for _, b in both]
    if both and all(value in (0, 1) for value in (*one, *two)):
        return mcnemar([value == 1 for value in one], [value == 1 for value in two])
    return paired_t(one, two)


def means_table(runs: Sequence[Run], tasks: Sequence[str], seed: int = 0) -> Table:
    """A row a run: mean reward on the common tasks with its interval, trials without a score, failures."""
    measures = (
        Measure("reward", "Reward", plot=(0.0, 1.0)),
        Measure("n", "Tasks"),
        Measure("unscored", "Unscored", "trials that no reward could judge; not in the mean"),
        Measure("failed", "Failures", "trials in which the agent raised; they keep reward 0"),
    )
    rows = []
    for run in runs:
        results = on(run, tasks)
        found: dict[str, Cell] = {
            "reward": mean_reward(results, seed),
            "n": len({result.task for result in results}),
            "unscored": sum(not result.scored for result in results),
            "failed": sum(bool(result.failure) for result in results),
        }
        rows.append(Row(run.name, found, note=str(run.folder)))
    caption = "Means over the tasks that all runs played, with 95 % bootstrap intervals over tasks."
    return Table("Runs", measures, tuple(rows), row_label="Run", caption=caption)


def pairs_table(compared: Sequence[Pair], title: str = "Paired comparisons") -> Table:
    """A row a pair, with the verdict in words."""
    measures = (
        Measure("difference", "Difference", "mean of first − second over the same tasks", signed=True),
        Measure("p", "p", "two-sided, sign-flip permutation test"),
        Measure("adjusted", "p (Holm)", f"corrected for {len(compared)} comparisons"),
        Measure("test", "Test", "McNemar's exact test where every value is 0 or 1, else the paired t-test"),
        Measure("effect", "Effect", "odds ratio of McNemar's test, or Cohen's d of the differences"),
        Measure("wins", "Better", "tasks on which the first is better"),
        Measure("losses", "Worse"),
        Measure("ties", "Equal"),
        Measure("verdict", "Verdict", f"at a level of {LEVEL} for all comparisons together"),
    )
    rows = []
    for pair in compared:
        result, test = pair.comparison.result, pair.test
        name = "OR" if test.effect_name == "odds ratio" else "d"
        found: dict[str, Cell] = {
            "difference": result.difference,
            "p": cells.p_value(result.p),
            "adjusted": cells.p_value(pair.adjusted),
            "test": "–" if test.p is None else f"{test.method.partition(',')[0]}: p {cells.p_value(test.p)}",
            "effect": "–" if test.effect is None else f"{name} {test.effect:.2f}".replace("-", "−"),
            "wins": result.wins,
            "losses": result.losses,
            "ties": result.ties,
            "verdict": pair.verdict,
        }
        rows.append(Row(f"{pair.comparison.first} − {pair.comparison.second}", found))
    caption = (
        "Intervals are 95 % bootstrap intervals of the mean difference; tasks about one design are resampled together. "
        f"“{NOT_DISTINGUISHABLE.capitalize()}” is not equal: the interval tells how large a difference the data allow."
    )
    return Table(title, measures, tuple(rows), row_label="Pair", caption=caption)
