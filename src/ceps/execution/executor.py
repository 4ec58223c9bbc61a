"""The Executor contract: submit a run, get a future."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ceps.errors import UserError
from ceps.problems.problem import Problem
from ceps.records import Configuration, Incumbent, Limits, Outcome, RunKey
from ceps.solvers.solver import Solver

if TYPE_CHECKING:
    # Not at run time: keepers import this module too, and with futures comes logging, whose work after every fork
    # would cost each run most of a millisecond.
    from concurrent.futures import Future


@dataclass(frozen=True, slots=True)
class Run:
    """One configuration, one instance, one seed, one limit."""

    problem: Problem
    solver: Solver
    configuration: Configuration
    instance: Any
    seed: int
    limits: Limits
    target: float | None = None
    """The cost that counts as solved; the run is stopped as soon as it is reached."""

    @property
    def key(self) -> RunKey:
        return RunKey(
            solver=self.solver.name,
            version=self.solver.version,
            configuration=self.configuration.id,
            instance=self.instance.id,
            seed=self.seed,
            target=self.target,
            memory=self.limits.memory,
        )


class Executor(Protocol):
    """Makes runs. Every solution in an outcome has been checked; every limit has been held.

    ``on_incumbent`` is called from another thread while the run goes on, with improvements the solver claims.
    A future raises :class:`~ceps.errors.UserError` when the solver cannot run at all (it is not installed, say).
    """

    @property
    def slots(self) -> int:
        """How many runs it makes at a time."""

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]: ...

    def stop(self, future: Future[Outcome]) -> None:
        """End a run early: cancelled when it has not started, else ``CAPPED`` with its last solution."""

    def close(self) -> None:
        """Kill what is running and release everything."""


def unsendable(run: Run, error: Exception) -> UserError:
    """What is told of a run that cannot leave this process."""
    return UserError(f"solver '{run.solver.name}': a run of it cannot be handed to another process: {error}")
