"""The judge of VRPSPDTW solutions. It believes nobody: a solution may be any JSON value."""

from __future__ import annotations

from ceps.problems.problem import Infeasible
from ceps.problems.vrpspdtw.instance import VrpspdtwInstance
from ceps.records import Solution


def check(instance: VrpspdtwInstance, solution: Solution) -> float | Infeasible:
    """The cost of routes, each given as a list of customer ids without the depot, or why they do not serve."""
    routes = _routes(instance, solution)
    if isinstance(routes, Infeasible):
        return routes
    for number, route in enumerate(routes, 1):
        reason = _overload(instance, route) or _lateness(instance, route)
        if reason is not None:
            return Infeasible(f"route {number}{reason}")
    return instance.cost(routes)


def _routes(instance: VrpspdtwInstance, solution: Solution) -> list[list[int]] | Infeasible:
    """The solution with indices for ids, if it has each customer once and a vehicle for each route."""
    if not isinstance(solution, list | tuple):
        return Infeasible(f"a solution is a list of routes, not {_described(solution)}")
    route_of: dict[int, int] = {}
    routes: list[list[int]] = []
    for number, route in enumerate(solution, 1):
        if not isinstance(route, list | tuple):
            return Infeasible(f"route {number} is not a list of customer ids, but {_described(route)}")
        if not route:
            return Infeasible(f"route {number} is empty: leave out vehicles that stay at the depot")
        routes.append([])
        for customer in route:
            # type() and not isinstance(): true is not customer 1.
            if type(customer) is not int:
                return Infeasible(f"route {number} holds {_described(customer)}, not a customer id")
            index = instance.index_of.get(customer)
            if index is None:
                return Infeasible(f"route {number}: customer {_described(customer)} is not in the instance")
            if index == 0:
                return Infeasible(f"route {number} holds the depot {customer}: list only customers")
            if index in route_of:
                twice = f"customer {customer} is visited twice, by routes {route_of[index]} and {number}"
                return Infeasible(f"route {number}: {twice}")
            route_of[index] = number
            routes[-1].append(index)
    if len(route_of) < instance.n:
        missing = next(index for index in range(1, instance.n + 1) if index not in route_of)
        others = instance.n - len(route_of) - 1
        rest = f" and {others} more are" if others else " is"
        return Infeasible(f"customer {instance.ids[missing]}{rest} not visited")
    if len(routes) > instance.vehicles:
        return Infeasible(f"there are {len(routes)} routes for {instance.vehicles} vehicles")
    return routes


def _overload(instance: VrpspdtwInstance, route: list[int]) -> str | None:
    """Where the load is above the capacity. Deliveries are on board from the depot on, pickups until the depot."""
    load = float(instance.delivery[route].sum())
    changes = (instance.pickup[route] - instance.delivery[route]).tolist()
    most = instance.capacity + instance.load_tolerance
    if load > most:
        return f": the load leaving the depot is {load:.10g}, above the capacity {instance.capacity:.10g}"
    for node, change in zip(route, changes, strict=True):
        load += change
        if load > most:
            leg = f"the load leaving it is {load:.10g}, above the capacity {instance.capacity:.10g}"
            return f", customer {instance.ids[node]}: {leg}"
    return None


def _lateness(instance: VrpspdtwInstance, route: list[int]) -> str | None:
    """Where the vehicle comes too late, leaving the depot as early as it may and waiting for windows to open."""
    driving = instance.distances([0, *route], [*route, 0]).tolist()
    ready, due, service = (array[route].tolist() for array in (instance.ready, instance.due, instance.service))
    late = instance.time_tolerance
    time = float(instance.ready[0])
    for stop, node in enumerate(route):
        time += driving[stop]
        if time > due[stop] + late:
            return f", customer {instance.ids[node]}: arrival at {time:.10g}, its window closes at {due[stop]:.10g}"
        time = max(time, ready[stop]) + service[stop]
    time += driving[-1]
    if time > instance.due[0] + late:
        return f": back at the depot at {time:.10g}, it closes at {instance.due[0]:.10g}"
    return None


def _described(value: object) -> str:
    # Never repr() of anything: it fails for deeply nested lists and for integers of thousands of digits.
    if type(value) is int:
        return str(value) if value.bit_length() <= 64 else f"a number of {value.bit_length()} bits"
    return "null" if value is None else f"a value of type {type(value).__name__}"
