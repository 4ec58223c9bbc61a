"""PyVRP's iterated local search on one instance: the model in whole numbers, and the search until limit or target.

Importing this imports PyVRP, which takes a moment: do it where runs are prepared.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyvrp
from numpy.typing import ArrayLike
from pyvrp import search
from pyvrp.exceptions import PenaltyBoundWarning

from ceps.problems import Infeasible
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.problems.vrpspdtw.check import check
from ceps.problems.vrpspdtw.instance import TOLERANCE, Floats, Integers
from ceps.solvers.solver import OnIncumbent

_UNITS = 1e6
"""PyVRP computes in whole numbers: about so many stand for the day, and for a vehicle's capacity."""

_FEWEST_UNITS, _MOST_UNITS = 1e4, 1e10
"""At least so many stand for the longest way, however long the day is, and at most so many for the day: sums over all
customers, times PyVRP's penalties, stay within 64 bits."""

_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 60, 100, 1000)
"""Times and loads that are whole multiples of one of these fractions are represented exactly."""


class Search(pyvrp.IteratedLocalSearchCallbacks):
    """One run.

    Parameters
    ----------
    instance
        One without a flaw: every customer can be served by a vehicle of its own.
    target
        The cost that ends the run.
    end
        When the run ends, on the CPU clock of this process.
    iterations
        After how many it ends; None: never.
    on_incumbent
        Who is told of better solutions.
    """

    def __init__(
        self,
        instance: VrpspdtwInstance,
        target: float | None,
        end: float,
        iterations: int | None,
        on_incumbent: OnIncumbent,
    ) -> None:
        self._instance = instance
        self._ids = instance.ids.tolist()
        self._target = -math.inf if target is None else target
        self._end = end
        self._iterations_left = math.inf if iterations is None else iterations
        self._on_incumbent = on_incumbent
        self._cost = math.inf

    def run(self, tables: Mapping[str, Any], seed: int) -> pyvrp.Result:
        """Search with the parameters of PyVRP's parameter file, as its own ``solve`` does."""
        parameters = pyvrp.SolveParams(
            pyvrp.IteratedLocalSearchParams(**tables["ils"], callbacks=self),
            pyvrp.PenaltyParams(**tables["penalty"]),
            search.NeighbourhoodParams(**tables["neighbourhood"]),
            [getattr(search, name) for name in tables["operators"]],
            perturbation=search.PerturbationParams(**tables["perturbation"]),
        )
        with warnings.catch_warnings():
            # That the largest penalty does not make a solution feasible is for the tuner to find out.
            warnings.simplefilter("ignore", PenaltyBoundWarning)
            return pyvrp.solve(problem_data(self._instance), self._over, seed, collect_stats=False, params=parameters)

    def on_start(self, ils: pyvrp.IteratedLocalSearch) -> None:
        if ils.initial_solution.is_feasible():
            self.on_best(ils.initial_solution)

    def on_best(self, best: pyvrp.Solution) -> None:
        """Report a solution if it is truly feasible and better, not only in rounded numbers."""
        solution = [[self._ids[stop.idx + 1] for stop in route if stop.is_client()] for route in best.routes()]
        cost = check(self._instance, solution)
        if not isinstance(cost, Infeasible) and cost < self._cost:
            self._cost = cost
            self._on_incumbent(solution, cost)

    def _over(self, best_cost: float) -> bool:
        """PyVRP's stopping criterion, asked before every iteration."""
        self._iterations_left -= 1
        return self._cost <= self._target or self._iterations_left < 0 or time.process_time() >= self._end


def problem_data(instance: VrpspdtwInstance) -> pyvrp.ProblemData:
    """The instance in whole numbers.

    Costs are rounded to the nearest; driving, service and loads up, windows and the capacity to the inside: what is
    feasible in whole numbers is so in truth. Only a customer that a vehicle of its own can serve just so is given the
    unit of time that rounding would deny it.
    """
    longest = float(instance.distance_matrix.max())
    # No vehicle is on its way for longer, though the depot may close later.
    last = float(instance.ready.max() + instance.service.sum()) + (instance.n + 1) * longest
    horizon = min(float(instance.due[0]), last)
    due = np.minimum(instance.due, horizon)
    units = min(max(_UNITS, _FEWEST_UNITS * horizon / longest), _MOST_UNITS) if longest else _UNITS
    times = _scale(np.concatenate([instance.ready, due, instance.service]), horizon, units)
    most = min(instance.capacity, float(instance.delivery.sum() + instance.pickup.sum()))
    loads = _scale(np.concatenate([instance.delivery, instance.pickup, [most]]), most, _UNITS)

    driving = _up(instance.distance_matrix * times)
    service = _up(instance.service * times)
    early = _up(instance.ready * times)
    arrival = early[0] + driving[0]
    late = np.maximum(_down(due * times), np.maximum(early, arrival))
    closing = max(int(late[0]), int((np.maximum(early, arrival) + service + driving[:, 0]).max()))
    capacity = int(_down(most * loads))
    delivery, pickup = (np.minimum(_up(demand * loads), capacity) for demand in (instance.delivery, instance.pickup))

    columns = (array[1:].tolist() for array in (delivery, pickup, service, early, late))
    clients = [
        pyvrp.Client(node, [brought], [taken], *window)
        for node, (brought, taken, *window) in enumerate(zip(*columns, strict=True), 1)
    ]
    fleet = pyvrp.VehicleType(
        min(instance.vehicles, instance.n),
        [capacity],
        fixed_cost=_fixed_cost(instance, times),
        tw_early=int(early[0]),
        tw_late=closing,
    )
    # A way costs what it takes, because PyVRP adds both up to tell which customers are near each other.
    distance = np.rint(instance.distance_matrix * (times if instance.unit_cost else 0.0)).astype(np.int64)
    # PyVRP's stubs take an array's first type argument for that of its entries.
    matrices: list[Any] = [distance, driving]
    return pyvrp.ProblemData(
        [pyvrp.Location(x, y) for x, y in instance.coordinates.tolist()],
        clients,
        [pyvrp.Depot(0, int(early[0]), closing)],
        [fleet],
        matrices[:1],
        matrices[1:],
    )


def _fixed_cost(instance: VrpspdtwInstance, scale: float) -> int:
    """What a vehicle costs where a unit of distance costs ``scale``."""
    if instance.dispatching_cost == 0.0:
        return 0
    # No solution is longer than going to each customer and back. A vehicle that costs more than that is avoided at
    # any price already, and PyVRP's penalties, which are bounded, must still outweigh it.
    most = 2.0 * math.fsum(instance.from_depot.tolist())
    cost = min(instance.dispatching_cost / instance.unit_cost, most) if instance.unit_cost else 0.0
    return max(1, round(cost * scale))


def _scale(values: Floats, largest: float, units: float) -> float:
    """A factor that makes the largest about so many units, and all values whole if there is a simple one."""
    if largest == 0.0:
        return 1.0
    for denominator in _DENOMINATORS:
        multiples = values * denominator
        exact = np.abs(multiples - np.rint(multiples)) <= TOLERANCE * np.maximum(1.0, multiples)
        if exact.all() and denominator * largest <= _MOST_UNITS:
            return denominator * max(1.0, round(units / (denominator * largest)))
    return units / largest


def _up(values: ArrayLike) -> Integers:
    """Rounded up, but for what is whole up to the tolerance of floating-point numbers."""
    return np.ceil(np.asarray(values) - _noise(values)).astype(np.int64)


def _down(values: ArrayLike) -> Integers:
    return np.floor(np.asarray(values) + _noise(values)).astype(np.int64)


def _noise(values: ArrayLike) -> Floats:
    return TOLERANCE * np.maximum(1.0, values)
