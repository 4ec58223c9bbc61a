"""The model of the search: a forest that predicts a configuration's score over all instances at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from ConfigSpace import ConfigurationSpace
from sklearn.tree import ExtraTreeRegressor
from smac.model import AbstractModel
from smac.runhistory.encoder import RunHistoryEncoder
from smac.runhistory.enumerations import StatusType

from ceps.construction.vectors import Array

_TREES = 10
_FEATURES = 5 / 6
"""The share of columns a split chooses from."""
_MOST_ROWS = 2000
_MOST_INSTANCES = 16
"""So many instances stand for all of them in a prediction."""
_SMALLEST_SHARE = 1e-4
"""Scores below this share of the largest one seen are all but zero to the model."""
_INACTIVE = -1.0


class Rows(RunHistoryEncoder):
    """The finished trials as a table to learn from: all of them, or the recent ones and an even choice of the rest."""

    def transform(self, budget_subset: list[Any] | None = None) -> tuple[Array, Array]:
        trials = [
            (key.config_id, str(key.instance), value.cost)
            for key, value in self.runhistory.items()
            if value.status == StatusType.SUCCESS
        ]
        if len(trials) > _MOST_ROWS:
            half = _MOST_ROWS // 2
            older = np.linspace(0, len(trials) - half, half, endpoint=False).astype(int)
            trials = [trials[i] for i in older] + trials[-half:]
        if not trials:
            return np.empty((0, self._n_params + self._n_features)), np.empty((0, 1))
        configurations = np.array([self.runhistory.ids_config[trial[0]].get_array() for trial in trials])
        scores = np.array([[trial[2]] for trial in trials])
        if self._instance_features is None:
            return configurations, scores
        features = np.array([self._instance_features[trial[1]] for trial in trials])
        return np.hstack([configurations, features]), scores


class Surrogate(AbstractModel):
    """Extremely randomised trees on (configuration, instance features) → score, on a logarithmic scale."""

    def __init__(self, space: ConfigurationSpace, features: dict[str, list[float]] | None, seed: int) -> None:
        super().__init__(space, features, pca_components=None, seed=seed)
        self._scale = 1.0
        self._trees: list[ExtraTreeRegressor] = []
        self._instances: npt.NDArray[np.float32] | None = None
        if features is not None:
            table = _without_nan(np.array(list(features.values())))
            chosen = self._rng.permutation(len(table))[:_MOST_INSTANCES]
            self._instances = table[np.sort(chosen)]

    def _train(self, X: Array, Y: Array) -> Surrogate:  # noqa: N803
        # asinh is a logarithm that also takes zeros.
        self._scale = _SMALLEST_SHARE * float(np.abs(Y).max()) or 1.0
        rows, targets = _without_nan(X), np.arcsinh(Y.ravel() / self._scale)
        # Single trees, because a forest of scikit-learn spends more time on starting its jobs than on growing trees.
        self._trees = []
        for _ in range(_TREES):
            drawn = self._rng.randint(len(rows), size=len(rows))
            tree = ExtraTreeRegressor(max_features=_FEATURES, random_state=self._rng.randint(2**31))
            self._trees.append(tree.fit(rows[drawn], targets[drawn]))
        return self

    def predict_marginalized(self, X: Array) -> tuple[Array, Array]:  # noqa: N803
        """Mean and variance over the trees of the mean score over the instances, on the logarithmic scale."""
        if not self._trees:
            return np.zeros((len(X), 1)), np.ones((len(X), 1))
        rows, instances = _without_nan(X), 1
        if self._instances is not None:
            instances = len(self._instances)
            rows = np.hstack([np.repeat(rows, instances, axis=0), np.tile(self._instances, (len(X), 1))])
        trees = np.array([tree.tree_.predict(rows).ravel() for tree in self._trees])
        if instances > 1:
            scores = np.sinh(trees).reshape(len(trees), len(X), instances).mean(axis=2)
            trees = np.arcsinh(scores)
        return trees.mean(axis=0)[:, None], np.maximum(trees.var(axis=0), self._var_threshold)[:, None]


def _without_nan(rows: Array) -> npt.NDArray[np.float32]:
    return np.where(np.isnan(rows), _INACTIVE, rows).astype(np.float32)
