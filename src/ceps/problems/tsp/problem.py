"""The travelling salesman problem as ``ceps`` sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ceps.problems.parameters import Parameter
from ceps.problems.problem import Infeasible, Problem
from ceps.problems.sketch import Sketch
from ceps.problems.tsp import check, draw, features, generate, io, mutate
from ceps.problems.tsp.generators import GENERATORS
from ceps.problems.tsp.instance import TspInstance, lengths
from ceps.records import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Tsp(Problem):
    """The symmetric TSP with cities in the plane. A solution is the list of node ids that a ``.tour`` file has."""

    name: str = field(default="tsp", init=False)
    suffixes: tuple[str, ...] = field(default=(".tsp",), init=False)
    default_generator: str = field(default="uniform", init=False)

    def read(self, path: Path) -> TspInstance:
        return io.read(path)

    def write(self, instance: TspInstance, path: Path) -> None:
        io.write(instance, path)

    def decode(self, text: str, name: str) -> TspInstance:
        return io.decode(text, name)

    def encode(self, instance: TspInstance) -> str:
        return io.encode(instance)

    def write_solution(self, instance: TspInstance, solution: Solution, cost: float, path: Path) -> None:
        io.write_tour(instance, solution, cost, path)

    def read_solution(self, instance: TspInstance, path: Path) -> list[int]:
        return io.read_tour(instance, path)

    def check(self, instance: TspInstance, solution: Solution) -> int | Infeasible:
        return check.check(instance, solution)

    def draw(self, instance: TspInstance, solution: Solution | None, figure: Figure) -> None:
        draw.draw(instance, solution, figure)

    def sketch(self, instance: TspInstance, solution: Solution | None) -> Sketch:
        return draw.sketch(instance, solution)

    def mutate(self, instance: TspInstance, rng: np.random.Generator) -> TspInstance:
        return mutate.mutate(instance, rng)

    @property
    def generators(self) -> Mapping[str, Mapping[str, Parameter]]:
        return {name: generator.parameters for name, generator in GENERATORS.items()}

    def generate(
        self, generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None
    ) -> TspInstance:
        return generate.generate(generator, size, seed, parameters)

    def features(self, instance: TspInstance) -> Mapping[str, float]:
        return features.features(instance)

    def scale(self, instance: TspInstance) -> float:
        """√(n · area of the bounding box), to which the best tour through n uniform cities is proportional.

        A flat box has no area to speak of, but a tour goes from end to end of it and back; and cities that
        are all in one place still need a positive number. The sides are measured with the instance's own
        metric, so that the scale has the unit of its costs.
        """
        low, high = instance.coordinates.min(axis=0), instance.coordinates.max(axis=0)
        middle = (low + high) / 2
        starts = np.array([[low[0], middle[1]], [middle[0], low[1]]])
        ends = np.array([[high[0], middle[1]], [middle[0], high[1]]])
        width, height = map(int, lengths(instance.metric, starts, ends))
        return max(math.sqrt(instance.n * width * height), 2.0 * max(width, height), 1.0)
