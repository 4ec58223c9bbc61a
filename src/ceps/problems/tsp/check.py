"""The judge of TSP solutions. It believes nobody: a solution may be any JSON value."""

from __future__ import annotations

import numpy as np

from ceps.problems.problem import Infeasible
from ceps.problems.tsp.instance import Integers, TspInstance
from ceps.records import Solution


def check(instance: TspInstance, solution: Solution) -> int | Infeasible:
    """The length of a tour, given as the list of node ids that a ``.tour`` file has, or why it is none."""
    if not isinstance(solution, list | tuple):
        return Infeasible(f"a tour is a list of node ids, not {_described(solution)}")
    if len(solution) != instance.n:
        return Infeasible(f"the tour has {len(solution)} cities, the instance has {instance.n}")
    # type() and not isinstance(): true is not city 1.
    if set(map(type, solution)) != {int}:
        position = next(i for i, city in enumerate(solution) if type(city) is not int)
        return Infeasible(f"position {position} holds {_described(solution[position])}, not a node id")
    # Compared as Python's integers: they may be too large for numpy's.
    if min(solution) < 1 or max(solution) > instance.n:
        position = next(i for i, city in enumerate(solution) if not 1 <= city <= instance.n)
        city = _described(solution[position])
        return Infeasible(f"position {position} holds city {city}, outside 1 to {instance.n}")
    tour = np.array(solution, dtype=np.int64)
    if np.bincount(tour).max() > 1:
        return Infeasible(_first_repetition(tour))
    return instance.tour_length(tour - 1)


def _first_repetition(tour: Integers) -> str:
    _, first = np.unique(tour, return_index=True)
    position = int(np.setdiff1d(np.arange(len(tour)), first)[0])
    city = int(tour[position])
    earlier = int(np.flatnonzero(tour == city)[0])
    return f"city {city} is visited twice, at positions {earlier} and {position}"


def _described(value: object) -> str:
    # Never repr() of anything: it fails for deeply nested lists and for integers of thousands of digits.
    if type(value) is int:
        return str(value) if value.bit_length() <= 64 else f"a number of {value.bit_length()} bits"
    return "null" if value is None else f"a value of type {type(value).__name__}"
