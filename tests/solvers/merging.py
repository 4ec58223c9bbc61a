"""A solver of the VRPSPDTW, for tests: every customer on a route of its own, then routes joined at random."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ceps.problems import Infeasible
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.records import Limits, Value
from ceps.solvers.solver import OnIncumbent, Solver

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace


@dataclass(frozen=True)
class Merging(Solver):
    """More tries make better solutions. It ends by itself, after a moment."""

    name: str = field(default="merging", init=False)
    problems: tuple[str, ...] = field(default=("vrpspdtw",), init=False)
    version: str = field(default="1", init=False)

    @property
    def space(self) -> ConfigurationSpace:
        from ConfigSpace import ConfigurationSpace, Integer

        return ConfigurationSpace(space=[Integer("tries", (0, 40), default=0)])

    def prepare(self) -> None:
        return None

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return f"merging {dict(configuration)}"

    def solve(
        self,
        instance: VrpspdtwInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> None:
        rng = random.Random(seed)
        routes = [[customer] for customer in instance.ids[1:].tolist()]
        cost = Vrpspdtw().check(instance, routes)
        assert not isinstance(cost, Infeasible)
        on_incumbent(routes, cost)
        for _ in range(int(configuration["tries"])):
            rng.shuffle(routes)
            joined = [[*routes[0], *routes[1]], *routes[2:]] if len(routes) > 1 else routes
            checked = Vrpspdtw().check(instance, joined)
            if not isinstance(checked, Infeasible) and checked < cost:
                routes, cost = joined, checked
                on_incumbent(routes, cost)
