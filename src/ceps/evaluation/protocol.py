"""Score a portfolio on instances: several repeats, the median for each instance, the mean over all."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ceps import seeds
from ceps.evaluator import Evaluator
from ceps.portfolio import Portfolio


@dataclass(frozen=True, slots=True)
class Repeat:
    """One repeat on one instance: the portfolio's score, and the member (from 1) that reached it."""

    score: float
    component: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class InstanceResult:
    """One instance: its median score, and the repeats."""

    instance: str
    score: float
    timeout: bool
    reference: float | None
    repeats: tuple[Repeat, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What an evaluation says."""

    metric: str
    score: float
    timeouts: int
    per_instance: tuple[InstanceResult, ...]


def evaluate(
    portfolio: Portfolio,
    instances: Sequence[Any],
    evaluator: Evaluator,
    repeats: int,
    seed: int,
    on_repeat: Callable[[Any, Repeat], None] = lambda instance, repeat: None,
) -> Report:
    """Run the test protocol.

    Members run one after another on each instance and repeat, each capped by the best so far, which leaves the
    portfolio's score as if all had run side by side. When a run beats the reference of an instance, the instance is
    evaluated again with the better one.
    """
    results: dict[str, list[Repeat]] = {}
    pending = list({instance.id: instance for instance in instances}.values())  # equal ones are the same runs
    while pending:
        wanted = [(instance, number) for instance in pending for number in range(repeats)]
        made = evaluator.map(lambda each: _repeat(portfolio, each[0], evaluator, seed, each[1], on_repeat), wanted)
        results.update({instance.id: [] for instance in pending})
        for (instance, _), repeat in zip(wanted, made, strict=True):
            results[instance.id].append(repeat)
        pending = evaluator.references.settle(pending)
    per_instance = tuple(_instance_result(instance, tuple(results[instance.id]), evaluator) for instance in instances)
    return Report(
        metric=evaluator.metric.name,
        score=statistics.fmean(result.score for result in per_instance),
        timeouts=sum(result.timeout for result in per_instance),
        per_instance=per_instance,
    )


def _repeat(
    portfolio: Portfolio,
    instance: Any,
    evaluator: Evaluator,
    seed: int,
    number: int,
    on_repeat: Callable[[Any, Repeat], None],
) -> Repeat:
    best = Repeat(evaluator.metric.penalty, None, None)
    # The same seed for every member and every portfolio: common random numbers.
    run_seed = seeds.derive(seed, "test", instance.id, number)
    for index, member in enumerate(portfolio.members, start=1):
        made = evaluator.submit(member, instance, run_seed, bound=best.score).result()
        if made.score < best.score:
            best = Repeat(made.score, index, made.outcome.cost)
    on_repeat(instance, best)
    return best


def _instance_result(instance: Any, repeats: tuple[Repeat, ...], evaluator: Evaluator) -> InstanceResult:
    score = statistics.median(repeat.score for repeat in repeats)
    reference = evaluator.references.reference(instance)
    return InstanceResult(
        instance=instance.name,
        score=score,
        timeout=score >= evaluator.metric.penalty,
        reference=None if reference is None else reference.cost,
        repeats=repeats,
    )
