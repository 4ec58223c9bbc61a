"""Whether an instance can be served at all: conditions that it must meet, and a constructed solution as proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ceps.problems.vrpspdtw.instance import Floats, Integers, VrpspdtwInstance


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why nobody can serve an instance.

    Parameters
    ----------
    node
        The index of the node that has the flaw; None: it is the fleet's.
    column
        The column of the file, or the value of its head, that is wrong.
    reason
        What is wrong with it, as a sentence about the node.
    """

    node: int | None
    column: str
    reason: str


def flaw(instance: VrpspdtwInstance) -> Flaw | None:
    """The first condition that an instance fails, if any.

    Each customer must be servable by a vehicle of its own, and the fleet must be able to carry everything. With as
    many vehicles as customers that is all it takes; with fewer, see :func:`construct`.
    """
    late, heavy = instance.time_tolerance, instance.load_tolerance
    arrival = instance.ready[0] + instance.from_depot
    back = np.maximum(arrival, instance.ready) + instance.service + instance.from_depot
    conditions: list[tuple[Floats, Floats | float, float, str, str]] = [
        (instance.ready, instance.due, 0.0, "DUE TIME", "its window closes at {1} before it opens at {0}"),
        (instance.delivery, instance.capacity, heavy, "DDEMAND", "its delivery {0} is above the capacity {1}"),
        (instance.pickup, instance.capacity, heavy, "PDEMAND", "its pickup {0} is above the capacity {1}"),
        (arrival, instance.due, late, "DUE TIME", "no vehicle can be there before {0}, its window closes at {1}"),
        (
            back,
            float(instance.due[0]),
            late,
            "READY or SERVICE TIME",
            "its vehicle is back at {0}, the depot closes at {1}",
        ),
    ]
    for value, limit, tolerance, column, reason in conditions:
        failing = np.flatnonzero(value > limit + tolerance)
        if len(failing):
            node = int(failing[0])
            allowed = np.broadcast_to(limit, value.shape)[node]
            return Flaw(node, column, reason.format(f"{value[node]:.10g}", f"{allowed:.10g}"))
    for total, kind in ((instance.delivery.sum(), "deliver"), (instance.pickup.sum(), "pick up")):
        if total > instance.vehicles * (instance.capacity + heavy):
            carried = instance.vehicles * instance.capacity
            return Flaw(None, "CAPACITY", f"there is {total:.10g} to {kind}, all vehicles together hold {carried:.10g}")
    return None


def unservable(instance: VrpspdtwInstance) -> str | None:
    """Why an instance is not known to be servable; None when it is for certain."""
    found = flaw(instance)
    if found is not None:
        return found.reason if found.node is None else f"node {instance.ids[found.node]}: {found.reason}"
    if instance.vehicles < instance.n and (used := len(construct(instance))) > instance.vehicles:
        return f"the best plan found needs {used} vehicles, there are {instance.vehicles}"
    return None


def construct(instance: VrpspdtwInstance) -> list[list[int]]:
    """Routes (indices of customers) that serve an instance without a :func:`flaw`, with few vehicles.

    Of several greedy plans the one with the fewest routes; the first that the fleet can drive ends the search.
    """
    latest = np.minimum(instance.due, instance.due[0] - instance.from_depot - instance.service)
    earliest = np.maximum(instance.ready, instance.ready[0] + instance.from_depot)
    best: list[list[int]] = []
    for lateness in (1.0, 0.5, 0.75, 0.25, 0.0):
        order = 1 + np.argsort((lateness * latest + (1.0 - lateness) * earliest)[1:], kind="stable")
        for patience in (1.0, 0.0):
            routes = _appended(instance, order, latest, patience)
            if not best or len(routes) < len(best):
                best = routes
            if len(best) <= instance.vehicles:
                return best
    return best


def _appended(instance: VrpspdtwInstance, order: Integers, latest: Floats, patience: float) -> list[list[int]]:
    """Give each customer in turn to the vehicle that reaches it with the least driving and waiting."""
    # One entry per vehicle; the first one not used yet waits at the depot.
    last = np.zeros(instance.n + 1, dtype=np.int64)
    leaves = np.full(instance.n + 1, instance.ready[0])
    pickup, load = np.zeros(instance.n + 1), np.zeros(instance.n + 1)
    routes: list[list[int]] = []
    for node in order.tolist():
        unused = len(routes)
        driving = instance.distances(last[: unused + 1], node)
        arrival = leaves[: unused + 1] + driving
        start = np.maximum(arrival, instance.ready[node])
        # What is delivered here is on board on all legs so far; what is picked up comes onto the last.
        heaviest = np.maximum(
            load[: unused + 1] + instance.delivery[node], pickup[: unused + 1] + instance.pickup[node]
        )
        possible = (start <= latest[node]) & (heaviest <= instance.capacity)
        effort = np.where(possible, driving + patience * (start - arrival), np.inf)
        effort[unused] = np.finfo(np.float64).max
        vehicle = int(np.argmin(effort))
        if vehicle == unused:
            routes.append([])
        routes[vehicle].append(node)
        last[vehicle], leaves[vehicle] = node, start[vehicle] + instance.service[node]
        load[vehicle] = heaviest[vehicle]
        pickup[vehicle] += instance.pickup[node]
    return routes
