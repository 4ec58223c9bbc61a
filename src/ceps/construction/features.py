"""Instance features as numbers in rows: the same features, in the same order, for every instance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ceps.errors import UserError
from ceps.problems.problem import Problem


def feature_rows(problem: Problem, instances: Iterable[Any]) -> list[tuple[float, ...]]:
    """One row per instance; empty rows where the problem has no features."""
    told = [(instance.name, problem.features(instance)) for instance in instances]
    for name, features in told:
        first, expected = told[0]
        if differing := sorted(features.keys() ^ expected.keys()):
            raise UserError(
                f"problem '{problem.name}' has other features for {name} than for {first}: only one of them has "
                f"{', '.join(differing)}; its features must be the same ones for every instance"
            )
    return [tuple(features[key] for key in told[0][1]) for _, features in told]


def feature_table(problem: Problem, instances: Sequence[Any]) -> npt.NDArray[np.float64]:
    """The rows as an array, for the methods that cannot do without."""
    table = np.array(feature_rows(problem, instances), dtype=float)
    if table.size == 0:
        raise UserError(
            f"[method] name: this method groups instances by their features, and problem '{problem.name}' has none; "
            f"choose another one, such as name = 'parhydra'"
        )
    finite: npt.NDArray[np.float64] = np.nan_to_num(table)
    return finite
