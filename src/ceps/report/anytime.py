"""How the cost falls while a member runs."""

from __future__ import annotations

import numpy as np

from ceps.metrics import Metric
from ceps.problems.sketch import Floats
from ceps.report.facts import Anytime
from ceps.store import Store
from ceps.store.history import Trace, traced_runs, traces

MOST_RUNS = 400
"""Of a member, spread evenly over all it has made: more would change nothing that can be seen."""
_TIMES = 60
_FIRST = 0.01
"""The first time, as a share of the cut-off."""


def read_anytime(store: Store, member: str, name: str, metric: Metric) -> Anytime | None:
    """The curve of a configuration, given by its id; None where no run has told anything."""
    runs = traced_runs(store, member, targeted=metric.uses_target)
    chosen = np.unique(np.linspace(0, len(runs) - 1, min(MOST_RUNS, len(runs))).round().astype(int))
    times = metric.cutoff * np.geomspace(_FIRST, 1.0, _TIMES)
    gaps = [
        _gaps(trace, trace.best, times)
        for trace in traces(store, [runs[index] for index in chosen])
        if trace.best is not None and trace.best > 0.0  # nothing is so many per cent above 0
    ]
    if not gaps:
        return None
    # Values that were measured, none in between: infinity, for no solution yet, cannot be averaged.
    lower, median, upper = np.quantile(np.array(gaps), [0.25, 0.5, 0.75], axis=0, method="inverted_cdf")
    return Anytime(name, len(gaps), len(runs), tuple(times.tolist()), _finite(lower), _finite(median), _finite(upper))


def _gaps(trace: Trace, best: float, times: Floats) -> Floats:
    """(cost - best) / best at given times; infinite before the first solution."""
    steps = [*trace.steps, *(() if trace.cost is None else (trace.cpu, trace.cost))]
    when, costs = np.array(steps[0::2], dtype=float), np.array(steps[1::2], dtype=float)
    so_far = np.concatenate([[np.inf], np.minimum.accumulate(costs)])
    gaps: Floats = (so_far[np.searchsorted(when, times, side="right")] - best) / best
    return gaps


def _finite(values: Floats) -> tuple[float | None, ...]:
    return tuple(value if np.isfinite(value) else None for value in values.tolist())
