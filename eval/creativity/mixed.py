"""Mixed-effects regression of drawings' values on who drew them (PainterBench, section 4.2). Needs statsmodels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.errors import require

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ModelEffect:
    """Whether the agents differ, with the shapes' own difficulty taken into account.

    Attributes:
        chi2: Wald's statistic of all agents' coefficients; None where the regression cannot be made.
        df: Its degrees of freedom: agents less one.
        p: Of that statistic under the hypothesis that all agents are alike.
        reference: The agent that the others are compared with.
        differences: Agent -> estimated difference from the reference and its standard error.
        kind_difference: Difference of object transformations from incomplete shapes and its standard error; None where
            all drawings are of one type.
        stimulus_variance: Of the random intercepts.
        residual_variance: Within shapes and agents.
        drawings: How many drawings had a value.
        missing: How many had none.
        note: Why there is no regression, or what is to be known about it.
    """

    chi2: float | None
    df: int
    p: float | None
    reference: str
    differences: Mapping[str, tuple[float, float]]
    kind_difference: tuple[float, float] | None
    stimulus_variance: float | None
    residual_variance: float | None
    drawings: int
    missing: int
    note: str = ""


def model_effect(
    values: Sequence[float | None], models: Sequence[str], stimuli: Sequence[str], kinds: Sequence[str]
) -> ModelEffect:
    """Regress on agent and type of shape, with a random intercept for each shape, by restricted maximum likelihood.

    Args:
        values: One a drawing; None and NaN are left out and counted.
        models: Who made each drawing; the first one is the reference.
        stimuli: The shape that each drawing started from.
        kinds: Its type, such as ``"is"`` and ``"ot"``; a single type is no regressor.

    Returns:
        Without a statistic, and with the reason, for one agent, one shape, or values that are all equal.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    if len({len(values), len(models), len(stimuli), len(kinds)}) > 1:
        raise ValueError("Values, models, stimuli and kinds must be of equal length.")
    y = np.array([np.nan if value is None else float(value) for value in values], np.float64)
    if np.isinf(y).any():
        raise ValueError("The values contain an infinity; leave it out first.")
    keep = np.flatnonzero(~np.isnan(y)).tolist()
    y, (who, shapes, types) = y[keep], ([names[i] for i in keep] for names in (models, stimuli, kinds))
    names, places, sorts = (list(dict.fromkeys(column)) for column in (who, shapes, types))
    missing = len(values) - len(keep)
    reason = (
        "no drawing has a value"
        if not len(y)
        else "one agent only"
        if len(names) < 2
        else "one shape only"
        if len(places) < 2
        else "all values are equal"
        if y.min() == y.max()
        else "fewer drawings than coefficients"
        if len(y) <= len(names) + len(sorts)
        else ""
    )
    if reason:
        first = names[0] if names else ""
        return ModelEffect(None, max(0, len(names) - 1), None, first, {}, None, None, None, len(y), missing, reason)
    columns = [[1.0] * len(y), *([float(name == other) for name in who] for other in names[1:])]
    sorts = sorted(sorts)[:2] if len(sorts) == 2 else []
    if sorts:
        columns.append([float(kind == sorts[1]) for kind in types])
    design = np.array(columns).T
    groups = np.array([places.index(shape) for shape in shapes])
    variance, residual, note = _variances(y, design, groups)
    if residual <= 1e-12 * float(y.var()):
        why = "the values of each agent do not vary within shapes"
        return ModelEffect(None, len(names) - 1, None, names[0], {}, None, variance, residual, len(y), missing, why)
    beta, covariance = _generalised(y, design, groups, variance, residual)
    chosen = slice(1, len(names))
    part = beta[chosen]
    chi2 = float(part @ np.linalg.solve(covariance[chosen, chosen], part))
    stats: Any = require("scipy.stats", extra="eval")
    errors = np.sqrt(np.diag(covariance))
    return ModelEffect(
        chi2=chi2,
        df=len(names) - 1,
        p=float(stats.chi2.sf(chi2, len(names) - 1)),
        reference=names[0],
        differences={name: (float(beta[i]), float(errors[i])) for i, name in enumerate(names[1:], start=1)},
        kind_difference=(float(beta[-1]), float(errors[-1])) if sorts else None,
        stimulus_variance=variance,
        residual_variance=residual,
        drawings=len(y),
        missing=missing,
        note=note,
    )


def _variances(y: Floats, design: Floats, groups: NDArray[np.int64]) -> tuple[float, float, str]:
    """Variance of the intercepts and of the residuals, by statsmodels.

    Where the shapes make no difference the estimate lies at its bound of 0 and statsmodels warns that it may be there;
    that is what the paper found, and no failure.
    """
    models: Any = require("statsmodels.regression.mixed_linear_model", extra="scorers")
    fitted: Any = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("lbfgs", "powell"):
            try:
                fitted = models.MixedLM(y, design, groups=groups).fit(reml=True, method=method)
            except np.linalg.LinAlgError:
                continue
            if fitted.converged and np.isfinite(fitted.scale):
                break
    if fitted is None or not np.isfinite(fitted.scale):
        residuals = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        freedom = len(y) - design.shape[1]
        return 0.0, float(residuals @ residuals) / freedom, "the random intercepts could not be estimated and are 0"
    note = "" if fitted.converged else "the optimiser did not converge; take the figures as approximate"
    return max(0.0, float(fitted.cov_re[0, 0])), float(fitted.scale), note


def _generalised(
    y: Floats, design: Floats, groups: NDArray[np.int64], variance: float, residual: float
) -> tuple[Floats, Floats]:
    """Generalised least squares given the two variances: the coefficients and their covariance.

    statsmodels reports the same where its Hessian can be inverted; at a variance of 0 it cannot.
    """
    normal: Floats = design.T @ design
    right: Floats = design.T @ y
    for group in range(int(groups.max()) + 1):
        rows = groups == group
        # The inverse of residual * I + variance * 1 1' over a group of n is (I - shrink * 1 1') / residual.
        shrink = variance / (residual + variance * int(rows.sum()))
        total = design[rows].sum(axis=0)
        normal -= shrink * np.outer(total, total)
        right -= shrink * total * y[rows].sum()
    covariance: Floats = np.asarray(residual * np.linalg.pinv(normal), np.float64)
    return covariance @ right / residual, covariance
