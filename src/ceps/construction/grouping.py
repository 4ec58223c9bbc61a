"""Groups of instances, one per member, and their exchange between members by predicted costs (PCIT)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from ceps.construction.features import feature_table
from ceps.construction.method import Members, Task
from ceps.construction.tuner import TrialScore

Labels = npt.NDArray[np.int64]
"""The group of each instance."""

_TREES = 50
_SMALLEST_SHARE = 1e-4
"""Scores below this share of the largest one are all but zero to the model."""


def split(count: int, groups: int, rng: np.random.Generator) -> Labels:
    """Random groups whose sizes differ by at most 1."""
    labels: Labels = rng.permutation(np.arange(count) % groups)
    return labels


def transfer(labels: Labels, costs: npt.NDArray[np.float64], rng: np.random.Generator) -> Labels:
    """Move instances to members that are predicted to do better, until nothing moves.

    ``costs`` has a row for each instance and a column for each group's member. Candidates are the instances that cost
    their own member at least the median of its group; no group becomes smaller or larger than the bounds.
    """
    labels, (count, groups) = labels.copy(), costs.shape
    smallest, largest = ceil(0.8 * count / groups), ceil(1.2 * count / groups)
    moved = True
    while moved:
        moved = False
        own = costs[np.arange(count), labels]
        medians = np.array([np.median(own[labels == group]) if group in labels else 0.0 for group in range(groups)])
        candidates = np.flatnonzero(own >= medians[labels])
        for instance in rng.permutation(candidates):
            sizes = np.bincount(labels, minlength=groups)
            better = [
                group
                for group in range(groups)
                if costs[instance, group] < costs[instance, labels[instance]] and sizes[group] < largest
            ]
            if better and sizes[labels[instance]] > smallest:
                labels[instance] = min(better, key=lambda group: costs[instance, group])
                moved = True
    return labels


def predicted_costs(
    task: Task, history: Sequence[TrialScore], members: Members, instances: Sequence[Any], seed: int
) -> npt.NDArray[np.float64]:
    """What each member will cost on each instance, by a random forest on (configuration, features) of all trials."""
    from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 - a second to import

    features = feature_table(task.evaluator.problem, instances)
    row_of = {instance.id: row for row, instance in enumerate(instances)}
    vectors = {each: task.vector(each) for each in {*members, *(trial.configuration for trial in history)}}
    known = np.array([[*vectors[each.configuration], *features[row_of[each.instance]]] for each in history])
    scores = np.array([each.score for each in history])
    scale = _SMALLEST_SHARE * scores.max() or 1.0
    # asinh is a logarithm that also takes zeros. One job: solvers are being timed on the other cores.
    forest = RandomForestRegressor(_TREES, n_jobs=1, random_state=seed).fit(known, np.arcsinh(scores / scale))
    wanted = [[*vectors[member], *row] for row in features for member in members]
    costs: npt.NDArray[np.float64] = forest.predict(np.array(wanted)).reshape(len(instances), len(members))
    return costs
