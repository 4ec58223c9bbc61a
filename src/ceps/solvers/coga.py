"""Co-GA, the genetic algorithm of two co-evolving populations, in C++ (see ``cpp/coga``).

Wang and Chen (2012), Computers & Industrial Engineering 62(1), 84–95.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ceps._native import coga
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.records import Limits, Value
from ceps.solvers.solver import OnIncumbent, Solver

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_VERSION = "1"
"""To be raised with every change that makes the same seed give another course: runs of another version are others."""

_NATIVE_NAMES: Mapping[str, str] = {
    "PopSize": "population",
    "Num_MPCIH": "merged_starts",
    "Num_RSCIM": "sequential_starts",
    "ConvergenceCountLimit": "stagnation",
    "mutation_rate": "mutation_rate",
    "Num_Elitism": "elites",
    "isolated_lower": "ruin_lower",
    "isolated_upper": "ruin_upper",
    "beta_start": "beta_start",
    "beta_increment": "beta_increment",
    "reinsertion_thresh": "reinsertion_below",
    "swap_thresh": "swap_below",
}
"""The parameters under the names they have in the literature on CEPS, and what the native code calls them."""

_MEANINGS: Mapping[str, str] = {
    "PopSize": "members of each population",
    "Num_MPCIH": "starts by merging",
    "Num_RSCIM": "starts by insertion in random sequence; the other members start as crossovers of both kinds",
    "ConvergenceCountLimit": "generations without a better solution after which the populations start again",
    "mutation_rate": "share of offspring that are mutated",
    "Num_Elitism": "members of the second population that are improved, and crossed with each other",
    "isolated_lower": "a ruin is of n/k customers, k uniform between this",
    "isolated_upper": "and this",
    "beta_start": "weight of the way to the new place in the savings of the first start by merging",
    "beta_increment": "its step from one start to the next",
    "reinsertion_thresh": "a draw from 0 to 9 below this: the offspring is improved by reinsertion",
    "swap_thresh": "otherwise, below this: by swaps; else not",
}
"""What parameters are for."""

_FEW_CUSTOMERS = 8
"""So few customers that one round finds the best solution: a run then ends by itself."""


@dataclass(frozen=True)
class CoGa(Solver):
    """The project's own Co-GA. Populations start again until the target or the limit."""

    rounds: int = 0
    """Most rounds, from the start of the populations to stagnation; 0: as many as there is time for."""
    name: str = field(default="coga", init=False)
    problems: tuple[str, ...] = field(default=("vrpspdtw",), init=False)

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise ValueError(f"rounds must be 0 or more, not {self.rounds}")

    @property
    def version(self) -> str:
        # The number of rounds decides how a run ends, so runs with another one are others.
        return _VERSION if self.rounds == 0 else f"{_VERSION}, rounds {self.rounds}"

    @property
    def space(self) -> ConfigurationSpace:
        # Here and not above: importing ConfigSpace takes a second, and runs do not need it.
        from ConfigSpace import ConfigurationSpace, Float, Integer  # noqa: PLC0415

        space = ConfigurationSpace(name=self.name, meta=dict(_MEANINGS))
        space.add(
            Integer("PopSize", (30, 70), default=50),
            Integer("Num_MPCIH", (4, 12), default=7),
            Integer("Num_RSCIM", (4, 12), default=7),
            Integer("ConvergenceCountLimit", (50, 400), default=200, log=True),
            Float("mutation_rate", (0.2, 0.8), default=0.5),
            Integer("Num_Elitism", (4, 12), default=7),
            Integer("isolated_lower", (2, 4), default=2),
            Integer("isolated_upper", (7, 10), default=10),
            Float("beta_start", (0.1, 0.4), default=0.2),
            Float("beta_increment", (0.05, 0.35), default=0.2),
            Integer("reinsertion_thresh", (1, 5), default=3),
            Integer("swap_thresh", (6, 9), default=6),
        )
        return space

    def prepare(self) -> None:
        """Nothing to do: the native code is part of the package."""

    def describe(self, configuration: Mapping[str, Value]) -> str:
        return "".join(f"{name} = {value}\n" for name, value in configuration.items())

    def solve(
        self,
        instance: VrpspdtwInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> None:
        ids = instance.ids.tolist()

        def report(routes: list[list[int]]) -> bool:
            # Reckoned as the judge does, to the last bit: a target may be the cost of this very solution.
            cost = instance.cost(routes)
            on_incumbent([[ids[node] for node in route] for route in routes], cost)
            return target is not None and cost <= target

        coga.solve(
            instance.table,
            coga.Fleet(
                min(instance.vehicles, instance.n),  # nobody can use more
                instance.capacity,
                instance.dispatching_cost,
                instance.unit_cost,
            ),
            coga.Tolerance(instance.time_tolerance, instance.load_tolerance),
            _parameters(configuration),
            seed,
            limits.cpu,
            self.rounds or (1 if instance.n <= _FEW_CUSTOMERS else 0),
            report,
        )


def _parameters(configuration: Mapping[str, Value]) -> coga.Parameters:
    parameters = coga.Parameters()
    for name, value in configuration.items():
        if name not in _NATIVE_NAMES:
            raise ValueError(f"Co-GA's space has no {name}")
        setattr(parameters, _NATIVE_NAMES[name], value)
    return parameters
