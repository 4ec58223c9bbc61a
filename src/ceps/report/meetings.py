"""Where the members of a portfolio met: who was the best, and what the portfolio scored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ceps.metrics import Metric
from ceps.records import Ending, Outcome
from ceps.store import Store
from ceps.store.history import LastRun, last_runs


@dataclass(frozen=True, slots=True)
class Meeting:
    """All members on one instance with one seed, judged by the same target."""

    instance: str
    score: float
    """The portfolio's."""
    winner: int | None
    """The member (from 1) that reached it, the first of equals; None where nobody has a solution."""


def read_meetings(
    store: Store, members: Sequence[str], metric: Metric, instances: Collection[str], scale: Callable[[str], float]
) -> list[Meeting]:
    """The meetings on ``instances``; ``scale`` is asked for the scale of an instance where the metric needs it."""
    pairs: dict[tuple[str, int], dict[str, LastRun]] = {}
    for run in last_runs(store, members, targeted=metric.uses_target):
        if run.instance in instances:
            pairs.setdefault((run.instance, run.seed), {})[run.configuration] = run
    met = [runs for runs in pairs.values() if _complete(runs, members)]
    # Times compare as they are; only costs have a scale.
    scales = {} if metric.uses_target else {key: scale(key) for key in {_instance(runs) for runs in met}}
    meetings = (_meeting(runs, members, metric, scales.get(_instance(runs), 1.0)) for runs in met)
    return [meeting for meeting in meetings if meeting is not None]


def _instance(runs: Mapping[str, LastRun]) -> str:
    return next(iter(runs.values())).instance


def _complete(runs: Mapping[str, LastRun], members: Sequence[str]) -> bool:
    """Whether every member has run, and all of them since the last change of the target."""
    newest = max(runs.values(), key=lambda run: run.id)
    return len(runs) == len(set(members)) and all(run.target == newest.target for run in runs.values())


def _meeting(runs: Mapping[str, LastRun], members: Sequence[str], metric: Metric, scale: float) -> Meeting | None:
    """None where one of the members was stopped too early to know whether it would have been better."""
    scores = [_score(runs[member], metric, scale) for member in members]
    best = min(scores)
    stopped = [run for run in runs.values() if run.ending == Ending.CAPPED]
    if best == inf or any(run.limit < metric.cap(best) for run in stopped):
        return None
    winner = scores.index(best) + 1 if best < metric.penalty else None
    return Meeting(_instance(runs), best, winner)


def _score(run: LastRun, metric: Metric, scale: float) -> float:
    if run.ending == Ending.CAPPED:
        return inf
    return metric.score(Outcome(Ending(run.ending), cpu=run.cpu, cost=run.cost), scale)
