"""The VRPSPDTW as ``ceps`` sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ceps.problems.parameters import Parameter
from ceps.problems.problem import Infeasible, Problem
from ceps.problems.sketch import Sketch
from ceps.problems.vrpspdtw import check, draw, features, generate, io, mutate, schedule
from ceps.problems.vrpspdtw.instance import LARGEST, VrpspdtwInstance
from ceps.records import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Choice = TypeVar("Choice", bound=StrEnum)


@dataclass(frozen=True)
class Vrpspdtw(Problem):
    """The vehicle routing problem with simultaneous pickup and delivery and time windows.

    A solution is a list of routes, each the list of the customers it visits, by the ids of the instance's file. Its
    cost is the dispatching cost of each route and the unit cost of each unit of distance.
    """

    name: str = field(default="vrpspdtw", init=False)
    suffixes: tuple[str, ...] = field(default=(".vrpspdtw", ".txt"), init=False)
    dispatching_cost: float = 2000.0
    """What a used vehicle costs where the instance's file does not say."""
    unit_cost: float = 1.0
    """What a unit of distance costs where the instance's file does not say."""
    demands: str = "redraw"
    """Demands of mutants: new ones, uniform between the parent's smallest and largest, as in the paper; or the
    parent's, shifted a little."""
    service: str = "by-demand"
    """Service times of mutants: a customer that gets or loses a demand gets the usual one of such customers; or
    keeps its own."""

    def __post_init__(self) -> None:
        for key in ("dispatching_cost", "unit_cost"):
            if not 0.0 <= getattr(self, key) <= LARGEST:
                raise ValueError(f"{key} must be from 0 to {LARGEST:g}, not {getattr(self, key)}")
        _chosen(mutate.Demands, "demands", self.demands)
        _chosen(mutate.Service, "service", self.service)

    @property
    def _costs(self) -> io.Costs:
        return io.Costs(self.dispatching_cost, self.unit_cost)

    def read(self, path: Path) -> VrpspdtwInstance:
        return io.read(path, self._costs)

    def write(self, instance: VrpspdtwInstance, path: Path) -> None:
        io.write(instance, path, self._costs)

    def decode(self, text: str, name: str) -> VrpspdtwInstance:
        return io.decode(text, name, self._costs)

    def encode(self, instance: VrpspdtwInstance) -> str:
        return io.encode(instance, self._costs)

    def write_solution(self, instance: VrpspdtwInstance, solution: Solution, cost: float, path: Path) -> None:
        io.write_solution(solution, cost, path)

    def read_solution(self, instance: VrpspdtwInstance, path: Path) -> list[list[int]]:
        return io.read_solution(instance, path)

    def check(self, instance: VrpspdtwInstance, solution: Solution) -> float | Infeasible:
        return check.check(instance, solution)

    def describe(self, instance: VrpspdtwInstance, solution: Solution) -> str:
        return schedule.table(instance, solution)

    def draw(self, instance: VrpspdtwInstance, solution: Solution | None, figure: Figure) -> None:
        draw.draw(instance, solution, figure)

    def sketch(self, instance: VrpspdtwInstance, solution: Solution | None) -> Sketch:
        return draw.sketch(instance, solution)

    def mutate(self, instance: VrpspdtwInstance, rng: np.random.Generator) -> VrpspdtwInstance:
        return mutate.mutate(instance, rng, mutate.Demands(self.demands), mutate.Service(self.service))

    @property
    def generators(self) -> Mapping[str, Mapping[str, Parameter]]:
        return {name: generator.parameters for name, generator in generate.GENERATORS.items()}

    def generate(
        self, generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None
    ) -> VrpspdtwInstance:
        return generate.generate(generator, size, seed, parameters)

    def features(self, instance: VrpspdtwInstance) -> Mapping[str, float]:
        return features.features(instance)

    def scale(self, instance: VrpspdtwInstance) -> float:
        """The mean distance of two customers, by which the paper's PANC divides costs; 1 when it is 0."""
        customers = np.arange(1, instance.n + 1)
        # In blocks: a matrix of all pairs would not fit where instances are large.
        blocks = np.array_split(customers, -(-instance.n // 256))
        total = sum(float(instance.distances(block[:, None], customers).sum()) for block in blocks)
        return total / (instance.n * (instance.n - 1)) if total > 0.0 else 1.0


def _chosen(kind: type[Choice], key: str, value: str) -> Choice:
    if value not in list(kind):
        raise ValueError(f"{key} must be one of {', '.join(kind)}, not {value!r}")
    return kind(value)
