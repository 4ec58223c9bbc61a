"""What Hypothesis draws VRPSPDTW instances and solutions from, and a vehicle's day written a second time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ceps.problems.vrpspdtw import VrpspdtwInstance

CUSTOMERS = [[3.0, 4.0, 5.0, 2.0, 0.0, 20.0, 2.0], [0.0, 10.0, 4.0, 6.0, 12.0, 30.0, 2.0], [6, 0, 1, 0, 0, 50, 1]]


def small(**changes: Any) -> VrpspdtwInstance:
    """Three customers with ids 7, 8, 9 around a depot with id 0 at the origin, open from 0 to 50."""
    table = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 50.0, 0.0], *CUSTOMERS])
    settings: dict[str, Any] = {"ids": [0, 7, 8, 9], "vehicles": 3, "capacity": 10.0, "dispatching_cost": 100.0}
    return VrpspdtwInstance.of_table(
        changes.pop("name", "small"), changes.pop("table", table), **{**settings, **changes}
    )


@st.composite
def instances(draw: st.DrawFn, max_size: int = 5, unit: float | None = None) -> VrpspdtwInstance:
    """Instances whose customers can each be served by a vehicle of its own, if only just; with odd ids."""
    scale = draw(st.sampled_from([1.0, 0.5, 0.1, 1 / 3])) if unit is None else unit
    n = draw(st.integers(1, max_size))
    # The numbers by numpy: one by one they would take Hypothesis most of the tests' time.
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    side = draw(st.sampled_from([10, 10, 2, 0]))
    places = rng.integers(-side, side + 1, size=(n + 1, 2)) * scale
    opening = rng.integers(4) * scale
    from_depot = np.hypot(*(places[1:] - places[0]).T)
    delivery, pickup = rng.integers(6, size=(2, n)) * scale
    service, ready = rng.integers(4, size=n) * scale, rng.integers(21, size=n) * scale
    arrival = np.maximum(ready, opening + from_depot)
    due = np.ceil(arrival / scale) * scale + rng.integers(16, size=n) * scale
    closing = math.ceil((arrival + service + from_depot).max() / scale) * scale + rng.integers(21) * scale
    customers = np.column_stack([places[1:], delivery, pickup, ready, due, service])
    table = np.vstack([[*places[0], 0, 0, opening, max(closing, due.max()), 0], customers])
    ids = rng.choice(10**12, size=n + 1, replace=False) if draw(st.booleans()) else rng.permutation(n + 1)
    return VrpspdtwInstance.of_table(
        "drawn",
        table,
        ids,
        vehicles=draw(st.integers(1, n + 1)),
        capacity=draw(st.integers(5, 12)) * scale,
        dispatching_cost=draw(st.sampled_from([0.0, 100.0, 2000.0, 12.5])),
        unit_cost=draw(st.sampled_from([1.0, 0.5])),
        states_dispatching_cost=draw(st.booleans()),
    )


@st.composite
def solutions(draw: st.DrawFn, instance: VrpspdtwInstance) -> list[list[int]]:
    """Routes that visit each customer once, or nearly so: sometimes one is left out, repeated or a stranger."""
    customers = draw(st.permutations(instance.ids[1:].tolist()))
    match draw(st.sampled_from(["all", "all", "all", "missing", "twice", "stranger", "depot"])):
        case "missing":
            customers = customers[1:]
        case "twice":
            customers = [*customers, customers[0]]
        case "stranger":
            customers = [*customers, 10**12 + 1]
        case "depot":
            customers = [*customers, int(instance.ids[0])]
    routes: list[list[int]] = [[]]
    for customer in customers:
        if routes[-1] and draw(st.booleans()):
            routes.append([])
        routes[-1].append(customer)
    return routes


def simulate(instance: VrpspdtwInstance, routes: list[list[int]]) -> float | str:
    """The cost of routes, or the constraint that fails, step by step in plain Python."""
    rows = dict(zip(instance.ids.tolist(), instance.table.tolist(), strict=True))
    depot = rows.pop(int(instance.ids[0]))
    visited = [customer for route in routes for customer in route]
    if any(not route for route in routes) or sorted(visited) != sorted(rows):
        return "visits"
    if len(routes) > instance.vehicles:
        return "fleet"
    distance = 0.0
    for route in routes:
        on_board = [rows[customer][2] for customer in route]
        position, time, picked_up = depot, depot[4], 0.0
        if sum(on_board) > instance.capacity + 1e-6:
            return "load"
        for customer in route:
            row = rows[customer]
            leg = math.dist(position[:2], row[:2])
            distance, time, position = distance + leg, time + leg, row
            if time > row[5] + 1e-6:
                return "window"
            time = max(time, row[4]) + row[6]
            on_board.pop(0)
            picked_up += row[3]
            if sum(on_board) + picked_up > instance.capacity + 1e-6:
                return "load"
        leg = math.dist(position[:2], depot[:2])
        distance, time = distance + leg, time + leg
        if time > depot[5] + 1e-6:
            return "closing"
    return instance.dispatching_cost * len(routes) + instance.unit_cost * distance
