"""Which configurations to try next: a batched search for expected improvement, and random ones in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from ConfigSpace import Configuration
from scipy.special import ndtr
from smac.acquisition.function import EI
from smac.acquisition.maximizer import AbstractAcquisitionMaximizer
from smac.main.config_selector import ConfigSelector
from smac.main.exceptions import ConfigurationSpaceExhaustedException

from ceps.construction.vectors import Array, Vectors
from ceps.solvers.space import ProductSpace

_RANDOM = 300
_KNOWN = 50
"""Configurations the search for improvement begins with."""
_STEPS = 4
_CENTRES = 10
_NEIGHBOURS = 20
_NEWS = 100
"""Trials that make one more proposal of the same model acceptable: it changes less and less, but costs more."""


class Improvement(EI):
    """Expected improvement, never below zero by rounding."""

    def _compute(self, X: Array) -> Array:  # noqa: N803
        assert self._model is not None
        assert self._eta is not None
        mean, variance = self._model.predict_marginalized(X)
        deviation = np.sqrt(variance)
        z = (self._eta - mean) / deviation
        density = np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
        return np.asarray(np.maximum(deviation * (z * ndtr(z) + density), 0.0))


class BatchedSearch(AbstractAcquisitionMaximizer):
    """Improves the best of known and random configurations in few steps; each step is one prediction for all."""

    def __init__(self, product: ProductSpace, seed: int) -> None:
        super().__init__(product.space, seed=seed)
        self._vectors = Vectors(product, self._rng)

    def _maximize(self, previous_configs: list[Configuration], n_points: int) -> list[tuple[float, Configuration]]:
        """The best new configurations, best first; ``previous_configs`` has the most promising ones first."""
        known = [configuration.get_array() for configuration in previous_configs]
        rows = np.vstack([*known[:_KNOWN], self._vectors.draw(_RANDOM)])
        values = self._values(rows)
        for _ in range(_STEPS):
            best = np.argsort(-values, kind="stable")[:_CENTRES]
            near = self._vectors.vary(rows[best], _NEIGHBOURS)
            rows = np.vstack([rows, near])
            values = np.concatenate([values, self._values(near)])
        taken = {vector.tobytes() for vector in known}
        found = []
        for index in np.argsort(-values, kind="stable"):
            name = rows[index].tobytes()
            if name not in taken:
                taken.add(name)
                found.append((values[index], Configuration(self._configspace, vector=rows[index].copy())))
            if len(found) == n_points:
                break
        if not found:
            raise ConfigurationSpaceExhaustedException
        return found

    def _values(self, rows: Array) -> Array:
        assert self._acquisition_function is not None
        return self._acquisition_function._compute(rows).ravel()


class Proposals(ConfigSelector):
    """The starting points, then what the model hopes most of and random configurations, without end or repetition."""

    def __iter__(self) -> Iterator[Configuration]:
        assert self._runhistory is not None
        assert self._acquisition_maximizer is not None
        seen = set()
        fresh: Iterator[Configuration] = iter(self._initial_design_configs)
        while True:
            for configuration in fresh:
                name = configuration.get_array().tobytes()
                if name not in seen:
                    seen.add(name)
                    yield configuration
            self._learn()
            proposals = min(1 + len(self._runhistory) // _NEWS, self._retrain_after)
            fresh = self._acquisition_maximizer.maximize(self._by_promise(), proposals, self._random_design)

    def _learn(self) -> None:
        assert self._runhistory_encoder is not None
        assert self._model is not None
        assert self._acquisition_function is not None
        rows, scores = self._runhistory_encoder.transform()
        if len(scores) > 0:
            self._model.train(rows, scores)
        known = [configuration.get_array() for configuration in self._by_promise()[:_KNOWN]]
        eta = self._model.predict_marginalized(np.array(known))[0].min() if known else 0.0
        self._acquisition_function.update(model=self._model, eta=float(eta))

    def _by_promise(self) -> list[Configuration]:
        """All configurations tried; those first that had most trials, for they survived longest."""
        assert self._runhistory is not None
        trials = Counter(key.config_id for key in self._runhistory)
        return [self._runhistory.get_config(number) for number, _ in trials.most_common()]
