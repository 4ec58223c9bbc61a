"""Many configurations at once, as the rows of ConfigSpace's vectors: drawn, varied, and kept legal together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from ConfigSpace.hyperparameters import IntegerHyperparameter, NumericalHyperparameter

from ceps.solvers.space import ProductSpace

Array = npt.NDArray[np.float64]

_STEP = 0.2
"""Standard deviation of a numerical parameter's step, in its scaled range [0, 1]; SMAC's value."""


class Vectors:
    """Draws and varies vectors of one space. A parameter that is not active is NaN."""

    def __init__(self, product: ProductSpace, rng: np.random.RandomState) -> None:
        self._space = product.space
        self._parameters = list(product.space.values())
        self._solvers = len(product.joint.solvers)
        # Columns in one row, first those of the first member when it is of the first solver, and so on.
        own = [columns for member in product.columns for columns in member]
        self._columns = np.concatenate(own)
        self._counts = np.array([len(columns) for columns in own])
        self._choices = np.array([member[0][0] for member in product.columns])
        self._rng = rng

    def draw(self, count: int) -> Array:
        """Up to ``count`` random configurations: fewer where the space forbids some."""
        return self._legal(self._filled(count))

    def vary(self, centres: Array, count: int) -> Array:
        """For each row of ``centres``, up to ``count`` rows that differ from it in one parameter.

        Where that is the choice of solver, the other solver's parameters are random.
        """
        rows = np.repeat(centres, count, axis=0)
        # A parameter that one change makes active needs a value.
        drawn = self._filled(len(rows))
        rows = np.where(np.isnan(rows), drawn, rows)
        changed = self._pick(rows)
        for column, parameter in enumerate(self._parameters):
            here = changed == column
            if isinstance(parameter, NumericalHyperparameter):
                steps = rows[here, column] + self._rng.normal(0.0, _STEP, size=here.sum())
                rows[here, column] = steps.clip(parameter.lower_vectorized, parameter.upper_vectorized)
            else:
                rows[here, column] = drawn[here, column]
        return self._legal(rows)

    def _pick(self, rows: Array) -> npt.NDArray[np.int64]:
        """For each row, one column of one member's own solver: a change of another solver's would be none."""
        members = self._rng.randint(len(self._choices), size=len(rows))
        own = members * self._solvers
        if self._solvers > 1:
            own += rows[np.arange(len(rows)), self._choices[members]].astype(int)
        first = np.cumsum(self._counts) - self._counts
        return np.asarray(self._columns[first[own] + self._rng.randint(self._counts[own])])

    def _filled(self, count: int) -> Array:
        columns = [parameter.sample_vector(count, seed=self._rng) for parameter in self._parameters]
        return np.column_stack(columns)

    def _legal(self, rows: Array) -> Array:
        columns = np.ascontiguousarray(rows.T)
        # ConfigSpace lists parents before their children.
        for column, parameter in enumerate(self._parameters):
            if isinstance(parameter, IntegerHyperparameter):
                columns[column] = parameter.to_vector(parameter.to_value(columns[column]))
            for condition in self._space.parent_conditions_of[parameter.name]:
                columns[column, ~condition.satisfied_by_vector_array(columns)] = np.nan
        forbidden = np.zeros(columns.shape[1], dtype=bool)
        for clause in self._space.forbidden_clauses:
            forbidden |= clause.is_forbidden_vector_array(columns)
        return columns[:, ~forbidden].T.copy()
