"""A second solver of the TSP, for tests of several in one portfolio: 2-opt from one start after another."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from ceps.problems.tsp import TspInstance
from ceps.records import Limits, Value
from ceps.solvers.solver import OnIncumbent, Solver

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace


@dataclass(frozen=True)
class TwoOpt(Solver):
    """Enough for a dozen cities. It goes on until it is stopped."""

    name: str = field(default="two-opt", init=False)
    problems: tuple[str, ...] = field(default=("tsp",), init=False)
    version: str = field(default="1", init=False)

    @property
    def space(self) -> ConfigurationSpace:
        from ConfigSpace import (
            Categorical,
            ConfigurationSpace,
            ForbiddenAndConjunction,
            ForbiddenEqualsClause,
            Integer,
            NotEqualsCondition,
        )

        space = ConfigurationSpace()
        start = Categorical("start", ["random", "nearest"], default="random")
        kick = Categorical("kick", ["none", "swap", "shuffle"], default="swap")
        space.add(start, kick, Integer("kicks", (1, 20), default=3))
        space.add(NotEqualsCondition(space["kicks"], kick, "none"))
        # Without chance, every start is the same.
        same = ForbiddenAndConjunction(ForbiddenEqualsClause(start, "nearest"), ForbiddenEqualsClause(kick, "none"))
        space.add(same)
        return space

    def prepare(self) -> None:
        return None

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return f"two-opt {dict(configuration)}"

    def solve(
        self,
        instance: TspInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> NoReturn:
        rng = random.Random(seed)
        distances = instance.distance_matrix().tolist()
        best, best_length = list(range(instance.n)), float("inf")
        while True:
            tour = self._start(distances, configuration, best, rng)
            descend(tour, distances)
            length = instance.tour_length(tour)
            if length < best_length:
                best, best_length = tour, length
                on_incumbent([city + 1 for city in tour], length)

    def _start(
        self, distances: list[list[int]], configuration: Mapping[str, Value], best: list[int], rng: random.Random
    ) -> list[int]:
        tour = list(best)
        if configuration["kick"] == "swap":
            for _ in range(int(configuration["kicks"])):
                a, b = rng.randrange(len(tour)), rng.randrange(len(tour))
                tour[a], tour[b] = tour[b], tour[a]
            return tour
        if configuration["start"] == "nearest":
            return nearest(distances, rng.randrange(len(tour)))
        rng.shuffle(tour)
        return tour


def nearest(distances: list[list[int]], first: int) -> list[int]:
    tour, left = [first], set(range(len(distances))) - {first}
    while left:
        tour.append(min(left, key=lambda city: (distances[tour[-1]][city], city)))
        left.remove(tour[-1])
    return tour


def descend(tour: list[int], distances: list[list[int]]) -> None:
    """Reverse paths until no reversal is shorter."""
    n, improved = len(tour), True
    while improved:
        improved = False
        for i in range(n - 1):
            for j in range(i + 2, n):
                a, b, c, d = tour[i], tour[i + 1], tour[j], tour[(j + 1) % n]
                if distances[a][c] + distances[b][d] < distances[a][b] + distances[c][d]:
                    tour[i + 1 : j + 1] = tour[i + 1 : j + 1][::-1]
                    improved = True
