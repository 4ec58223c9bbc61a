"""CLUSTERING: groups of instances with like features, and a member for each (ISAC by Kadioglu et al., as portfolio)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ceps import seeds
from ceps.construction.budget import Budget, Phase, smallest_total
from ceps.construction.features import feature_table
from ceps.construction.method import Members, Outline, Task
from ceps.construction.phases import choose, establish_references, run_sessions, solved
from ceps.construction.shared_settings import TwoPhaseSettings
from ceps.construction.tuner import Search
from ceps.tables import read_table


def smallest_budget(outline: Outline) -> float:
    settings = read_table(TwoPhaseSettings, outline.options, "[method]")
    feature_table(outline.problem, outline.instances)
    return smallest_total(_phases(settings, outline))


def _phases(settings: TwoPhaseSettings, outline: Outline) -> list[Phase]:
    return settings.phases(settings.sessions * outline.size * outline.metric.cutoff)


def build(task: Task) -> Members:
    """n searches on every one of K groups; of the n portfolios, each with a member for every group, the best."""
    settings = read_table(TwoPhaseSettings, task.options, "[method]")
    budget = Budget(task.budget, _phases(settings, task.outline))
    establish_references(task, settings, budget, smallest_budget(task.outline))
    groups = _groups(task, solved(task, task.instances))
    searches = [
        Search(
            instances=tuple(group),
            rest=(),
            starts=tuple(task.defaults),
            seed=seeds.derive(task.seed, "session", number, session),
            grant=budget.next_grant / (settings.sessions * task.size),
            in_flight=settings.in_flight,
        )
        for session in range(settings.sessions)
        for number, group in enumerate(groups)
    ]
    sessions, _ = run_sessions(task, budget, "configuration", searches)
    found = [each.configuration for each in sessions]
    portfolios = [tuple(found[first : first + task.size]) for first in range(0, len(found), task.size)]
    return choose(task, settings, budget, "validation", (), portfolios).chosen


def _groups(task: Task, instances: Sequence[Any]) -> list[list[Any]]:
    """K groups by k-means. A group without instances, where there are too few different ones, has all of them."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 - a second to import

    features = scaled(feature_table(task.evaluator.problem, instances))
    clusters = min(task.size, len(np.unique(features, axis=0)))
    seed = seeds.derive(task.seed, "clusters")
    labels = KMeans(clusters, n_init=10, random_state=seed).fit(features).labels_
    groups = [[each for each, label in zip(instances, labels, strict=True) if label == k] for k in range(task.size)]
    return [group or list(instances) for group in groups]


def scaled(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Every column to [-1, 1]; to 0 where it is the same for all."""
    low, high = table.min(axis=0), table.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.where(high > low, 2.0 * (table - low) / width - 1.0, 0.0)
