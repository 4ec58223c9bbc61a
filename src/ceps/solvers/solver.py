"""The Solver contract: a parameterised algorithm, and how one run of it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ceps.records import Configuration, Limits, Solution, Value

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace


class OnIncumbent(Protocol):
    """Call it with every improved solution: if the run is killed, the last one reported is its answer."""

    def __call__(self, solution: Solution, cost: float | None = None) -> None: ...


class Solver(Protocol):
    """A parameterised algorithm.

    Implementations are small picklable values: frozen dataclasses whose fields are the solver's settings (a path
    to a binary, say). They are pickled by reference, so the class must stand in an importable module.
    """

    @property
    def name(self) -> str:
        """What scenarios call it."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Names of the problem classes it can solve."""

    @property
    def version(self) -> str:
        """What is really run. Part of a run's identity: another version, other runs.

        Every host of a cluster tells what is there: where it is another than where runs are asked for, none is made.
        """

    @property
    def space(self) -> ConfigurationSpace:
        """The parameters, their domains and defaults. Its ``meta`` says what each is for, by name; for people."""

    def prepare(self) -> None:
        """Load what every run needs. Called once in the process that runs are forked from; costs no run anything.

        Raises :class:`~ceps.errors.UserError` when the solver cannot run here, with the way out.
        """

    def describe(self, configuration: Mapping[str, Value]) -> str:
        """The command line, parameter file or call that a run of this configuration amounts to; for people."""

    def solve(
        self,
        instance: Any,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> Solution | None:
        """Solve one instance.

        Called in a process of its own whose working directory is private, empty, and removed afterwards. Limits are
        enforced from outside and are here only for solvers that plan by them. The run is over as soon as a solution
        of the target cost or better is reported. Return the best solution, or None when everything was reported.
        """


def default_configuration(solver: Solver) -> Configuration:
    """The configuration a solver has without any tuning."""
    return plain_configuration(solver.name, solver.space.get_default_configuration())


def plain_configuration(solver: str, values: Mapping[str, Any]) -> Configuration:
    """A configuration of plain Python values; ConfigSpace gives some of numpy's."""
    plain = {name: value.item() if hasattr(value, "item") else value for name, value in values.items()}
    return Configuration.of(solver, plain)
