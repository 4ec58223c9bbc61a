"""A problem small enough to see through (n bits, the cost is the number of zeros) and a solver for it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ceps.errors import UserError
from ceps.problems.parameters import Parameter
from ceps.problems.problem import Infeasible, Problem
from ceps.records import Limits, Solution, Value, digest
from ceps.solvers.solver import OnIncumbent

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace


@dataclass(frozen=True, slots=True)
class BitsInstance:
    name: str
    size: int

    @property
    def id(self) -> str:
        return digest(["bits", self.size])


@dataclass(frozen=True)
class Bits(Problem):
    """The problem."""

    name: str = "bits"
    suffixes: tuple[str, ...] = (".bits",)

    def read(self, path: Path) -> BitsInstance:
        try:
            return self.decode(path.read_text(), path.stem)
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from error

    def write(self, instance: BitsInstance, path: Path) -> None:
        path.write_text(self.encode(instance))

    def decode(self, text: str, name: str) -> BitsInstance:
        if not text.strip().isdecimal():
            raise UserError(f"{name}: expected one number, the count of bits")
        return BitsInstance(name, int(text))

    def encode(self, instance: BitsInstance) -> str:
        return str(instance.size)

    def write_solution(self, instance: BitsInstance, solution: Solution, cost: float, path: Path) -> None:
        path.write_text(json.dumps(solution))

    def read_solution(self, instance: BitsInstance, path: Path) -> Solution:
        return json.loads(path.read_text())

    def check(self, instance: BitsInstance, solution: Solution) -> float | Infeasible:
        if not isinstance(solution, list) or len(solution) != instance.size:
            return Infeasible(f"expected a list of {instance.size} bits")
        if any(bit not in (0, 1) for bit in solution):
            return Infeasible("a bit is neither 0 nor 1")
        return solution.count(0)

    def mutate(self, instance: BitsInstance, rng: np.random.Generator) -> BitsInstance:
        size = max(1, instance.size + int(rng.integers(-1, 2)))
        return BitsInstance(f"bits-{size}", size)

    @property
    def generators(self) -> Mapping[str, Mapping[str, Parameter]]:
        return {}

    def generate(
        self, generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None
    ) -> BitsInstance:
        return BitsInstance(f"{generator}-{size}-{seed}", size)

    def features(self, instance: BitsInstance) -> Mapping[str, float]:
        return {"size": float(instance.size)}

    def scale(self, instance: BitsInstance) -> float:
        return float(instance.size)


def spin(seconds: float) -> None:
    """Use CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def ones(count: int, size: int) -> list[int]:
    return [1] * count + [0] * (size - count)


@dataclass(frozen=True)
class BitSolver:
    """Sets one bit after another, each at the price of ``pause`` CPU seconds. Deterministic."""

    name: ClassVar[str] = "bits"
    problems: ClassVar[tuple[str, ...]] = ("bits",)

    @property
    def version(self) -> str:
        return type(self).__name__

    @property
    def space(self) -> ConfigurationSpace:
        from ConfigSpace import ConfigurationSpace, Float  # noqa: PLC0415 - a second to import, not needed to run

        return ConfigurationSpace(space=[Float("pause", (0.0, 1.0), default=0.0)])

    def prepare(self) -> None:
        return None

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return f"{type(self).__name__}({dict(configuration)})"

    def solve(
        self,
        instance: BitsInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> Solution | None:
        for count in range(1, instance.size + 1):
            spin(float(configuration.get("pause", 0.0)))
            on_incumbent(ones(count, instance.size), instance.size - count)
        return None
