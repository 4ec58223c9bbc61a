"""Concorde, the exact TSP solver, when the user has it: for references that are proven."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ceps.commands import environment
from ceps.errors import UserError
from ceps.problems.tsp import Tsp, TspInstance
from ceps.records import Limits, Value
from ceps.solvers.program import ProgramError, child, fingerprint
from ceps.solvers.solver import OnIncumbent, Solver

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_PROBLEM_FILE = Path("problem.tsp")
_SOLUTION_FILE = Path("solution.sol")
_LOG = Path("concorde.log")


def available() -> bool:
    """Whether ``concorde`` is on the PATH."""
    return shutil.which("concorde") is not None


@dataclass(frozen=True)
class Concorde(Solver):
    """The ``concorde`` on the PATH. It has no parameters, and what it returns is optimal."""

    name: str = field(default="concorde", init=False)
    problems: tuple[str, ...] = field(default=("tsp",), init=False)

    @property
    def version(self) -> str:
        return fingerprint(_program())

    @property
    def space(self) -> ConfigurationSpace:
        # Here and not above: importing ConfigSpace takes a second, and runs do not need it.
        from ConfigSpace import ConfigurationSpace  # noqa: PLC0415

        return ConfigurationSpace(name=self.name)

    def prepare(self) -> None:
        _program()

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return " ".join(_command("SEED", configuration))

    def solve(
        self,
        instance: TspInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> list[int]:
        command = _command(str(seed), configuration)
        if instance.n <= 3:  # up to three cities there is one tour only
            return list(range(1, instance.n + 1))
        program = _program()
        _PROBLEM_FILE.write_text(Tsp().encode(replace(instance, name="problem")))
        with child(lambda: os.execve(program, command, environment()), _LOG) as concorde:
            concorde.wait()
        return read_solution(_SOLUTION_FILE, instance.n)


def _program() -> Path:
    program = shutil.which("concorde")
    if program is None:
        raise UserError("There is no concorde on the PATH. Install Concorde, or use another reference solver.")
    return Path(program).absolute()


def _command(seed: str, configuration: Mapping[str, Value]) -> list[str]:
    if configuration:
        raise ValueError(f"Concorde has no parameters, but was given {', '.join(sorted(configuration))}")
    # -x: remove the intermediate files.
    return ["concorde", "-s", seed, "-x", "-o", str(_SOLUTION_FILE), str(_PROBLEM_FILE)]


def read_solution(path: Path, n: int) -> list[int]:
    """The node ids of the tour in Concorde's file: the number of cities, then the cities, which it counts from 0."""
    if not path.exists():
        raise ProgramError("concorde ended without writing a solution")
    count, *tour = map(int, path.read_text().split() or ["0"])
    if not count == len(tour) == n:
        raise ValueError(f"concorde wrote a tour of {len(tour)} cities; there are {n}")
    return [city + 1 for city in tour]
