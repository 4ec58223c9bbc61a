"""EAX, the genetic algorithm with edge assembly crossover, in C++ (see ``cpp/eax``).

Nagata and Kobayashi (2013), INFORMS Journal on Computing 25(2), 346–363.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ceps._native import eax
from ceps.problems.tsp import TspInstance
from ceps.records import Configuration, Limits, Value
from ceps.solvers.consensus import Consensus
from ceps.solvers.solver import OnIncumbent, Solver, default_configuration

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_VERSION = "1"
"""To be raised with every change that makes the same seed give another course: runs of another version are others."""

_FEW_CITIES = 12
_POPULATIONS_FOR_FEW = 10
"""So few cities that as many populations find the best tour: a run without a target then ends by itself."""

_FIRST_REFERENCE, _LAST_REFERENCE, _REFERENCE_STEP = 200, 600, 50
"""Sizes of the populations that tell references."""

_CHOICES: Mapping[str, Mapping[Any, Any]] = {
    "selection": {"entropy": eax.Selection.entropy, "greedy": eax.Selection.greedy},
    "start": {"random": eax.Start.random, "nearest": eax.Start.nearest, "greedy": eax.Start.greedy},
    "improvement": {"2-opt": eax.Improvement.two_opt, "2-opt+or-opt": eax.Improvement.two_opt_or_opt},
    "restart": {"same-size": eax.Restart.same_size, "double-size": eax.Restart.double_size},
    "block": {"yes": True, "no": False},
}
"""Parameters with names for values, and what the native code calls them."""

_MEANINGS: Mapping[str, str] = {
    "population": "tours of a population",
    "offspring": "most children of a pair",
    "selection": "what the best child is: most gain per loss of diversity, or most gain",
    "start": "start tours, before they are improved",
    "improvement": "how start tours are improved",
    "neighbours": "neighbours of a city in that",
    "merge_neighbours": "neighbours of a city in merging sub-tours",
    "block": "whether the block strategy follows the single strategy",
    "block_after": "generations without a better tour after which it does",
    "restart_after": "generations without a better tour after which a population is given up",
    "restart": "the next population",
}
"""What parameters are for."""


@dataclass(frozen=True)
class Eax(Solver):
    """The project's own EAX. Restarted until the target or the limit."""

    populations: int = 0
    """Most populations to evolve, one after the other; 0: as many as there is time for."""
    name: str = field(default="eax", init=False)
    problems: tuple[str, ...] = field(default=("tsp",), init=False)

    def __post_init__(self) -> None:
        if self.populations < 0:
            raise ValueError(f"populations must be 0 or more, not {self.populations}")

    @property
    def version(self) -> str:
        # The number of populations decides how a run ends, so runs with another one are others.
        return _VERSION if self.populations == 0 else f"{_VERSION}, populations {self.populations}"

    @property
    def space(self) -> ConfigurationSpace:
        # Here and not above: importing ConfigSpace takes a second, and runs do not need it.
        from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Integer  # noqa: PLC0415

        space = ConfigurationSpace(name=self.name, meta=dict(_MEANINGS))
        space.add(
            Integer("population", (20, 400), default=100, log=True),
            Integer("offspring", (5, 100), default=30, log=True),
            Categorical("selection", list(_CHOICES["selection"]), default="entropy"),
            Categorical("start", list(_CHOICES["start"]), default="random"),
            Categorical("improvement", list(_CHOICES["improvement"]), default="2-opt+or-opt"),
            Integer("neighbours", (5, 20), default=10),
            Integer("merge_neighbours", (4, 20), default=8),
            Categorical("block", list(_CHOICES["block"]), default="yes"),
            Integer("block_after", (5, 100), default=50, log=True),
            Integer("restart_after", (5, 100), default=50, log=True),
            Categorical("restart", list(_CHOICES["restart"]), default="same-size"),
        )
        space.add(EqualsCondition(space["block_after"], space["block"], "yes"))
        return space

    def prepare(self) -> None:
        """Nothing to do: the native code is part of the package."""

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return "".join(f"{name} = {value}\n" for name, value in configuration.items())

    def solve(
        self,
        instance: TspInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> list[int] | None:
        parameters = _parameters(configuration)
        if instance.n <= 3:  # there is one tour only
            return list(range(1, instance.n + 1))
        few = _POPULATIONS_FOR_FEW if instance.n <= _FEW_CITIES else 0
        eax.solve(
            instance.coordinates,
            eax.Metric[instance.metric.value],
            parameters,
            seed,
            limits.cpu,
            None if target is None else math.floor(target),
            self.populations or few,
            on_incumbent,
        )
        return None


def reference_consensus() -> Consensus:
    """One population a run, each larger than the last: runs that agree have found it from different beginnings."""
    default = default_configuration(Eax()).as_dict()
    sizes = range(_FIRST_REFERENCE, _LAST_REFERENCE + 1, _REFERENCE_STEP)
    configurations = (Configuration.of("eax", {**default, "population": size}) for size in sizes)
    return Consensus(Eax(populations=1), tuple(configurations))


def _parameters(configuration: Mapping[str, Value]) -> eax.Parameters:
    parameters = eax.Parameters()
    for name, value in configuration.items():
        if not hasattr(parameters, name):
            raise ValueError(f"EAX's space has no {name}")
        setattr(parameters, name, _CHOICES[name][value] if name in _CHOICES else value)
    return parameters
