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


@dataclass(frozen=True, slots=True)
class Entry:
    """A portfolio and the instances it is tested on. Evaluators of entries that are compared share their references."""

    portfolio: Portfolio
    instances: Sequence[Any]
    evaluator: Evaluator


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
    portfolio's score as if all had run side by side. When a run beats the reference of an instance, or shows another's
    answer to be false, the instance is evaluated again by what is known then.
    """
    (report,) = evaluate_all([Entry(portfolio, instances, evaluator)], repeats, seed, on_repeat)
    return report


def evaluate_all(
    entries: Sequence[Entry],
    repeats: int,
    seed: int,
    on_repeat: Callable[[Any, Repeat], None] = lambda instance, repeat: None,
) -> list[Report]:
    """The test protocol for several portfolios: what one finds of an instance judges all."""
    results: dict[tuple[int, str], list[Repeat]] = {}
    pending = {instance.id: instance for entry in entries for instance in entry.instances}
    first = entries[0].evaluator
    while pending:
        tested = [
            (index, {instance.id: instance for instance in entry.instances if instance.id in pending})
            for index, entry in enumerate(entries)
        ]
        wanted = [
            (index, instance, number)
            for index, instances in tested
            for instance in instances.values()
            for number in range(repeats)
        ]
        made = first.map(
            lambda each: _repeat(
                entries[each[0]].portfolio, each[1], entries[each[0]].evaluator, seed, each[2], on_repeat
            ),
            wanted,
        )
        results.update({(index, instance.id): [] for index, instance, _ in wanted})
        for (index, instance, _), repeat in zip(wanted, made, strict=True):
            results[index, instance.id].append(repeat)
        pending = {instance.id: instance for instance in first.references.settle(pending.values())}
    return [
        _report(
            [_instance_result(each, tuple(results[index, each.id]), entry.evaluator) for each in entry.instances],
            entry.evaluator,
        )
        for index, entry in enumerate(entries)
    ]


def _report(per_instance: Sequence[InstanceResult], evaluator: Evaluator) -> Report:
    return Report(
        metric=evaluator.metric.name,
        score=statistics.fmean(result.score for result in per_instance),
        timeouts=sum(result.timeout for result in per_instance),
        per_instance=tuple(per_instance),
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
