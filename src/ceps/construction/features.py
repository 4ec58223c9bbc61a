"""Instance features as a table, for the methods that cannot do without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ceps.errors import UserError
from ceps.problems.problem import Problem


def feature_table(problem: Problem, instances: Sequence[Any]) -> npt.NDArray[np.float64]:
    """One row per instance."""
    table = np.array([list(problem.features(instance).values()) for instance in instances], dtype=float)
    if table.size == 0:
        raise UserError(
            f"[method] name: this method groups instances by their features, and problem '{problem.name}' has none; "
            f"choose another one, such as name = 'parhydra'"
        )
    finite: npt.NDArray[np.float64] = np.nan_to_num(table)
    return finite
