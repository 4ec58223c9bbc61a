"""The cheapest solution of a VRPSPDTW instance of few customers, by trying all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ceps.problems import Infeasible
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.problems.vrpspdtw.check import check


def cheapest(instance: VrpspdtwInstance) -> float | None:
    """The least cost of routes that serve all customers; None when there are none."""
    customers = instance.ids[1:].tolist()
    best_of: dict[frozenset[int], float] = {}
    for size in range(1, len(customers) + 1):
        for group in itertools.combinations(customers, size):
            best_of[frozenset(group)] = _cheapest_route(instance, group)
    costs = (
        sum(best_of[group] for group in groups)
        for groups in _partitions(frozenset(customers))
        if len(groups) <= instance.vehicles
    )
    best = min(costs, default=math.inf)
    return None if best == math.inf else best


def _cheapest_route(instance: VrpspdtwInstance, group: tuple[int, ...]) -> float:
    """The least cost of one vehicle that serves a group alone; infinite when it cannot."""
    alone = _only(instance, group)
    costs = (check(alone, [list(order)]) for order in itertools.permutations(group))
    return min((cost for cost in costs if not isinstance(cost, Infeasible)), default=math.inf)


def _only(instance: VrpspdtwInstance, group: tuple[int, ...]) -> VrpspdtwInstance:
    """The instance without the customers that are not in the group."""
    rows = [0, *(instance.index_of[customer] for customer in group)]
    return VrpspdtwInstance.of_table(
        instance.name,
        instance.table[rows],
        instance.ids[rows],
        instance.vehicles,
        instance.capacity,
        instance.dispatching_cost,
        instance.unit_cost,
    )


def _partitions(customers: frozenset[int]) -> Iterator[list[frozenset[int]]]:
    """All ways to divide customers into groups."""
    if not customers:
        yield []
        return
    first, *others = sorted(customers)
    for size in range(len(others) + 1):
        for chosen in itertools.combinations(others, size):
            group = frozenset([first, *chosen])
            for rest in _partitions(customers - group):
                yield [group, *rest]
