"""A vehicle's day: when it is where, and with how much on board. For people; the judge reckons for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ceps.problems.vrpspdtw.instance import VrpspdtwInstance
from ceps.records import Solution


@dataclass(frozen=True, slots=True)
class Day:
    """One route. Lists have one entry per customer."""

    nodes: list[int]
    """Indices of the customers."""
    distance: float
    departure: float
    """As late as it can be without any service beginning later."""
    arrivals: list[float]
    starts: list[float]
    """When service begins: on arrival, or when the window opens."""
    ends: list[float]
    back: float
    load: float
    """The most that is ever on board."""


def days(instance: VrpspdtwInstance, solution: Solution) -> list[Day]:
    """The days of a feasible solution's routes, in its order."""
    return [_day(instance, [instance.index_of[customer] for customer in route]) for route in solution]


def _day(instance: VrpspdtwInstance, route: Sequence[int]) -> Day:
    driving = instance.distances([0, *route], [*route, 0]).tolist()
    arrivals, starts, ends = [], [], []
    time = float(instance.ready[0])
    for node, leg in zip(route, driving, strict=False):
        arrivals.append(time + leg)
        starts.append(max(time + leg, float(instance.ready[node])))
        time = starts[-1] + float(instance.service[node])
        ends.append(time)
    changes = (instance.pickup[route] - instance.delivery[route]).tolist()
    loads = accumulate(changes, initial=float(instance.delivery[route].sum()))
    return Day(
        nodes=list(route),
        distance=sum(driving),
        departure=starts[0] - driving[0],
        arrivals=[starts[0], *arrivals[1:]],
        starts=starts,
        ends=ends,
        back=time + driving[-1],
        load=max(loads),
    )


def table(instance: VrpspdtwInstance, solution: Solution) -> str:
    """The routes, one to a line."""
    lines = [f"{'route':>5} {'customers':>9} {'distance':>10} {'load':>10} {'':5} {'start':>8} {'end':>8}"]
    rows = days(instance, solution)
    for number, day in enumerate(rows, start=1):
        share = f"{day.load / instance.capacity:.0%}"
        load = f"{day.load:>10.6g} {share:>5}"
        lines.append(f"{number:5} {len(day.nodes):9} {day.distance:10.2f} {load} {day.departure:8.1f} {day.back:8.1f}")
    most = max(day.load for day in rows)
    fullest = f"{most:>10.6g} {f'{most / instance.capacity:.0%}':>5}"
    first, last = min(day.departure for day in rows), max(day.back for day in rows)
    lines.append(
        f"{'all':>5} {instance.n:9} {sum(day.distance for day in rows):10.2f} {fullest} {first:8.1f} {last:8.1f}"
    )
    return "\n".join(lines)
