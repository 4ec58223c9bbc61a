"""Cheap numbers that describe an instance: always finite, and mostly without a unit."""

from __future__ import annotations

import numpy as np

from ceps.problems.vrpspdtw.instance import Floats, Integers, VrpspdtwInstance

MOST_PAIRED = 500
"""Of larger instances, so many customers, evenly spaced in the file, stand for all where pairs are counted."""
NEIGHBOURS = 10
SMALLEST_UNIT = 1e-9
"""What is measured in smaller units counts as 0."""


def features(instance: VrpspdtwInstance) -> dict[str, float]:
    """Numbers about places, windows, demands, and which customers can follow which."""
    paired = np.unique(np.linspace(1, instance.n, min(instance.n, MOST_PAIRED)).astype(np.int64))
    distances = instance.distances(paired[:, None], paired[None, :])
    np.fill_diagonal(distances, np.inf)
    between = distances[np.isfinite(distances)]
    mean_distance = _mean(between)
    return {
        "customers": float(instance.n),
        **_geometry(instance, distances.min(axis=1), mean_distance),
        "distance_variation": _variation(between),
        **_time(instance, mean_distance),
        **_demand(instance),
        **_compatibility(instance, paired, distances),
        "dispatching_share": _ratio(
            instance.dispatching_cost, instance.dispatching_cost + instance.unit_cost * mean_distance
        ),
    }


def _geometry(instance: VrpspdtwInstance, nearest: Floats, mean_distance: float) -> dict[str, float]:
    sides = np.ptp(instance.coordinates[1:], axis=0)
    centre = instance.coordinates[1:].mean(axis=0)
    by_chance = 0.5 * float(np.sqrt(sides[0] * sides[1] / len(nearest)))
    nearest = nearest[np.isfinite(nearest)]  # A single customer has no neighbour.
    return {
        "box_shape": _ratio(float(sides.min()), float(sides.max())),
        "mean_distance": _ratio(mean_distance, float(np.hypot(*sides))),
        "nearest_neighbour": _ratio(_mean(nearest), by_chance),
        "nearest_neighbour_variation": _variation(nearest),
        "depot_distance": _ratio(_mean(instance.from_depot[1:]), mean_distance),
        "depot_distance_variation": _variation(instance.from_depot[1:]),
        "depot_off_centre": _ratio(float(np.hypot(*(centre - instance.coordinates[0]))), mean_distance),
    }


def _time(instance: VrpspdtwInstance, mean_distance: float) -> dict[str, float]:
    horizon = float(instance.due[0] - instance.ready[0])
    ready, due, service = instance.ready[1:], instance.due[1:], instance.service[1:]
    earliest = np.maximum(ready, instance.ready[0] + instance.from_depot[1:])
    latest = np.minimum(due, instance.due[0] - instance.from_depot[1:] - service)
    slack = latest - earliest
    possible = instance.due[0] - instance.ready[0] - 2 * instance.from_depot[1:] - service
    return {
        "horizon_in_trips": _ratio(horizon, mean_distance),
        "window_width": _ratio(_mean(due - ready), horizon),
        "window_width_variation": _variation(due - ready),
        "window_slack": _ratio(_mean(slack), horizon),
        "window_slack_least": _ratio(float(slack.min()), horizon),
        "without_window": float(np.mean(slack >= 0.9 * possible)),
        "ready": _ratio(_mean(ready) - float(instance.ready[0]), horizon),
        "ready_spread": _ratio(float(ready.std()), horizon),
        "due": _ratio(_mean(due) - float(instance.ready[0]), horizon),
        "due_spread": _ratio(float(due.std()), horizon),
        "service": _ratio(_mean(service), horizon),
        "service_variation": _variation(service),
    }


def _demand(instance: VrpspdtwInstance) -> dict[str, float]:
    delivery, pickup = instance.delivery[1:], instance.pickup[1:]
    total = float(delivery.sum() + pickup.sum())
    capacity = instance.capacity
    vehicles = _ratio(max(float(delivery.sum()), float(pickup.sum())), capacity)
    return {
        "delivery": _ratio(_mean(delivery), capacity),
        "delivery_variation": _variation(delivery),
        "delivery_largest": _ratio(float(delivery.max()), capacity),
        "pickup": _ratio(_mean(pickup), capacity),
        "pickup_variation": _variation(pickup),
        "pickup_largest": _ratio(float(pickup.max()), capacity),
        "pickup_share": _ratio(float(pickup.sum()), total),
        "with_both": float(np.mean((delivery > 0) & (pickup > 0))),
        "demand_correlation": _correlation(delivery, pickup),
        "vehicles_for_load": vehicles,
        "fleet_needed_for_load": vehicles / instance.vehicles,
        "customers_per_load": _ratio(instance.n, vehicles),
    }


def _compatibility(instance: VrpspdtwInstance, paired: Integers, distances: Floats) -> dict[str, float]:
    """About ordered pairs (i, j): whether a vehicle that goes to i at once can go on to j, and be back in time."""
    earliest = np.maximum(instance.ready, instance.ready[0] + instance.from_depot)[paired]
    latest = np.minimum(instance.due, instance.due[0] - instance.from_depot - instance.service)[paired]
    arrival = (earliest + instance.service[paired])[:, None] + distances
    possible = arrival <= latest + instance.time_tolerance
    pairs = max(len(paired) * (len(paired) - 1), 1)
    waiting = np.maximum(instance.ready[paired] - arrival, 0.0)[possible]
    near = min(NEIGHBOURS, len(paired) - 1)
    nearest = np.argpartition(distances, near, axis=1)[:, :near] if near else np.empty((len(paired), 0), np.int64)
    return {
        "compatible": float(possible.sum()) / pairs,
        "compatible_both_ways": float((possible & possible.T).sum()) / pairs,
        "compatible_neighbours": _mean(np.take_along_axis(possible, nearest, axis=1)),
        "compatible_waiting": _ratio(_mean(waiting), float(instance.due[0] - instance.ready[0])),
        "followers_variation": _variation(possible.sum(axis=1)),
    }


def _mean(values: Floats) -> float:
    return float(np.mean(values)) if values.size else 0.0


def _ratio(value: float, unit: float) -> float:
    return value / unit if unit > SMALLEST_UNIT else 0.0


def _variation(values: Floats) -> float:
    """The standard deviation relative to the mean."""
    return _ratio(float(np.std(values)), _mean(values)) if values.size else 0.0


def _correlation(a: Floats, b: Floats) -> float:
    spread = float(a.std() * b.std())
    return _ratio(_mean((a - a.mean()) * (b - b.mean())), spread)
