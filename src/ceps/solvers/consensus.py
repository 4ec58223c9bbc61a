"""Who is asked for references: a solver, with configurations that differ from run to run."""

from __future__ import annotations

from dataclasses import dataclass

from ceps.records import Configuration
from ceps.solvers.solver import Solver, default_configuration


@dataclass(frozen=True, slots=True)
class Consensus:
    """A solver and the configurations of its runs in turn, each of more effort than the one before.

    Runs beyond the last configuration have the last.
    """

    solver: Solver
    configurations: tuple[Configuration, ...]

    @classmethod
    def of_default(cls, solver: Solver) -> Consensus:
        """Every run with the default configuration."""
        return cls(solver, (default_configuration(solver),))

    def configuration(self, number: int) -> Configuration:
        return self.configurations[min(number, len(self.configurations) - 1)]
