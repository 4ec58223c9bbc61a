"""Instances in the style of Wang and Chen (2012), who gave Solomon's VRPTW benchmarks pickups.

Three geometries (scattered, clustered, half of each) times two horizons. Of each of the six families the depot, the
box, the spread of customers, the distributions of both demands, service times, capacity and horizon are imitated, and
how windows come about: around random times where customers are scattered, around the times of a plan that serves one
cluster after the other where all are clustered; some customers may be free of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from ceps import seeds
from ceps.errors import UserError
from ceps.problems.vrpspdtw.feasibility import construct
from ceps.problems.vrpspdtw.instance import Floats, Integers, VrpspdtwInstance

MOST_CUSTOMERS = 1000
"""More would fill the box."""
CUSTOMERS_PER_VEHICLE = 4
CUSTOMERS_PER_CLUSTER = 10
DISPATCHING_COST = 2000.0
NARROWEST = 10.0
CANDIDATES = 4
"""Of so many random places the one farthest from the others is taken: scattered customers are more even than chance
has them."""

DEMAND_RANKS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
SCATTERED_DELIVERY = (1.0, 3.0, 8.0, 13.0, 19.0, 30.0, 41.0)
SCATTERED_PICKUP = (0.0, 2.0, 6.0, 11.0, 17.0, 29.0, 47.0)
CLUSTERED_DELIVERY = (10.0, 20.0, 30.0, 40.0, 50.0)
CLUSTERED_SHARES = (0.52, 0.26, 0.13, 0.07, 0.02)


class Geometry(IntEnum):
    """Where customers are."""

    SCATTERED = 0
    CLUSTERED = 1
    MIXED = 2


@dataclass(frozen=True)
class Family:
    """What the instances of one geometry and horizon have in common."""

    depot: tuple[float, float]
    low: tuple[float, float]
    high: tuple[float, float]
    closing: float
    service: float
    capacity: float
    radius: float
    """The standard deviation of a cluster's coordinates."""


_R = Family((35.0, 35.0), (2.0, 3.0), (67.0, 77.0), closing=230.0, service=10.0, capacity=200.0, radius=0.0)
_C = Family((40.0, 50.0), (0.0, 5.0), (95.0, 85.0), closing=1236.0, service=90.0, capacity=200.0, radius=3.4)
_RC = Family((40.0, 50.0), (0.0, 3.0), (95.0, 85.0), closing=240.0, service=10.0, capacity=200.0, radius=2.6)
FAMILIES = {
    (Geometry.SCATTERED, 1): _R,
    (Geometry.CLUSTERED, 1): _C,
    (Geometry.MIXED, 1): _RC,
    (Geometry.SCATTERED, 2): replace(_R, closing=1000.0, capacity=1000.0),
    (Geometry.CLUSTERED, 2): replace(_C, closing=3390.0, capacity=700.0, radius=7.0),
    (Geometry.MIXED, 2): replace(_RC, closing=960.0, capacity=1000.0),
}


def benchmark(
    name: str, size: int, seed: int, geometry: float, horizon: float, windows: float, width: float
) -> VrpspdtwInstance:
    """An instance of ``size`` customers.

    Parameters
    ----------
    geometry, horizon
        The family; 1 is a short horizon and 2 a long one.
    windows
        The share of customers that have a window; from 1 on, all.
    width
        The mean width of windows as a share of the horizon.
    """
    if size > MOST_CUSTOMERS:
        raise UserError(f"The generator 'solomon' makes up to {MOST_CUSTOMERS} customers, not {size}. Ask for fewer.")
    family = FAMILIES[Geometry(int(geometry)), int(horizon)]
    rng = seeds.generator(seed, "solomon", size)
    clustered = {Geometry.SCATTERED: 0, Geometry.CLUSTERED: size, Geometry.MIXED: size // 2}[Geometry(int(geometry))]
    places, cluster = _places(family, size, clustered, rng)
    delivery, pickup = _demands(size, clustered, rng)
    from_depot = np.hypot(*(places - family.depot).T)
    first, last = np.floor(from_depot), np.floor(family.closing - from_depot - family.service)
    middle = _planned(family, places, cluster) if clustered == size else rng.uniform(first, last)
    widths = _widths(width * family.closing, size, rng)
    free = rng.random(size) >= windows
    opening = np.clip(np.rint(middle - widths / 2), first, np.maximum(first, last - widths))
    ready = np.where(free, 0.0, opening)
    due = np.where(free, last, np.minimum(opening + widths, last))
    depot = [*family.depot, 0.0, 0.0, 0.0, family.closing, 0.0]
    service = np.full(size, family.service)
    instance = VrpspdtwInstance.of_table(
        name,
        np.vstack([depot, np.column_stack([places, delivery, pickup, ready, due, service])]),
        ids=np.arange(size + 1),
        vehicles=-(-size // CUSTOMERS_PER_VEHICLE),
        capacity=family.capacity,
        dispatching_cost=DISPATCHING_COST,
    )
    # Servable for certain: the fleet is large enough for a plan that is known.
    return replace(instance, vehicles=max(instance.vehicles, len(construct(instance))))


def _places(family: Family, size: int, clustered: int, rng: np.random.Generator) -> tuple[Floats, Integers]:
    """Distinct whole-numbered places, the clustered ones first, and the number of each one's cluster (-1: none)."""
    count = max(1, round(clustered / CUSTOMERS_PER_CLUSTER))
    cluster = np.full(size, -1)
    cluster[:clustered] = np.sort(np.arange(clustered) % count)
    low, high = np.array(family.low), np.array(family.high)
    centres = np.empty((0, 2))
    for _ in range(count):
        drawn = rng.uniform(low + family.radius, high - family.radius, (CANDIDATES, 2))
        centres = np.vstack([centres, _farthest(drawn, centres)])
    places = np.empty((0, 2))
    while len(places) < size:
        mine = cluster[len(places)]
        if mine >= 0:
            drawn = centres[mine] + family.radius * rng.normal(size=(1, 2))
        else:
            drawn = rng.uniform(low, high, (CANDIDATES, 2))
        place = _farthest(np.rint(np.clip(drawn, low, high)), places)
        if not (places == place).all(axis=1).any():
            places = np.vstack([places, place])
    return places, cluster


def _farthest(candidates: Floats, others: Floats) -> Floats:
    """The candidate whose nearest other point is the farthest."""
    gaps = np.hypot(*(candidates[:, None] - others[None]).transpose(2, 0, 1))
    chosen: Floats = candidates[np.argmax(gaps.min(axis=1, initial=np.inf))]
    return chosen


def _demands(size: int, clustered: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Tens in clusters, where pickups are the deliveries dealt out anew; any numbers elsewhere."""
    tens = rng.choice(CLUSTERED_DELIVERY, p=CLUSTERED_SHARES, size=clustered)
    ranks = rng.random((2, size - clustered))
    delivery = np.concatenate([tens, np.rint(np.interp(ranks[0], DEMAND_RANKS, SCATTERED_DELIVERY))])
    pickup = np.concatenate([rng.permutation(tens), np.rint(np.interp(ranks[1], DEMAND_RANKS, SCATTERED_PICKUP))])
    return delivery, pickup


def _widths(mean: float, size: int, rng: np.random.Generator) -> Floats:
    """All alike in half of the instances, normally spread in the others."""
    spread = 0.3 * rng.integers(2)
    return np.maximum(NARROWEST, np.rint(mean * (1.0 + spread * rng.normal(size=size))))


def _planned(family: Family, places: Floats, cluster: Integers) -> Floats:
    """When vehicles would serve each customer that go from cluster to cluster, each to its nearest next customer.

    A vehicle takes on a cluster when all of it fits into its day, and customers one by one where none does.
    """
    depot = np.array(family.depot)
    centres = np.array([places[cluster == number].mean(axis=0) for number in range(cluster.max() + 1)])
    around = np.argsort(np.arctan2(*(centres - depot).T))
    routes: list[list[tuple[int, float]]] = [[]]
    for number in around.tolist():
        members = np.flatnonzero(cluster == number).tolist()
        if routes[-1] and _back(family, places, _walk(family, places, routes[-1], members)) > family.closing:
            routes.append([])
        for customer in [node for node, _ in _walk(family, places, routes[-1], members)[len(routes[-1]) :]]:
            extended = _walk(family, places, routes[-1], [customer])
            if routes[-1] and _back(family, places, extended) > family.closing:
                routes.append([])
                extended = _walk(family, places, [], [customer])
            routes[-1] = extended
    times = np.zeros(len(places))
    for customer, time in (stop for route in routes for stop in route):
        times[customer] = time
    return times


def _walk(
    family: Family, places: Floats, route: list[tuple[int, float]], customers: list[int]
) -> list[tuple[int, float]]:
    """A route (customers and when their service begins) and then the customers, always the nearest next."""
    extended, left = list(route), list(customers)
    position, time = np.array(family.depot), 0.0
    if route:
        position, time = places[route[-1][0]], route[-1][1] + family.service
    while left:
        distances = np.hypot(*(places[left] - position).T)
        nearest = int(np.argmin(distances))
        customer = left.pop(nearest)
        extended.append((customer, time + float(distances[nearest])))
        position, time = places[customer], extended[-1][1] + family.service
    return extended


def _back(family: Family, places: Floats, route: list[tuple[int, float]]) -> float:
    """When a route is back at the depot."""
    customer, time = route[-1]
    return time + family.service + float(np.hypot(*(places[customer] - family.depot)))
