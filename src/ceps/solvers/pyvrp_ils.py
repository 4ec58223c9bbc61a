"""PyVRP, an iterated local search for rich vehicle routing problems, as a solver of the VRPSPDTW.

Wouda, Lan and Kool (2024), INFORMS Journal on Computing 36(4), 943–955.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.problems.vrpspdtw.feasibility import flaw
from ceps.records import Limits, Value
from ceps.solvers.solver import OnIncumbent, Solver

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_VERSION = "1"
"""To be raised with every change of ours that makes the same seed give another course."""

_FEW_CUSTOMERS = 6
_ITERATIONS_FOR_FEW = 2000
"""So few customers that as many iterations find the best solution: a run without a target then ends by itself."""

_SECTIONS: Mapping[str, tuple[str, ...]] = {
    "ils": ("num_iters_no_improvement", "history_length", "exhaustive_on_best"),
    "penalty": (
        "solutions_between_updates",
        "penalty_increase",
        "penalty_decrease",
        "target_feasible",
        "feas_tolerance",
        "min_penalty",
        "max_penalty",
    ),
    "neighbourhood": ("weight_wait_time", "num_neighbours", "symmetric_proximity"),
}
"""Parameters that have the same names in PyVRP's parameter file."""

_PERTURBATIONS: Mapping[str, int] = {"min_perturbations": 1, "extra_perturbations": 24}
"""With their defaults. The second is what the most of an iteration have above the least."""

_OPERATORS: Mapping[str, str] = {
    "Relocate1": "yes",
    "Relocate2": "yes",
    "Relocate3": "no",
    "Swap11": "yes",
    "Swap21": "yes",
    "Swap22": "yes",
    "Swap31": "no",
    "Swap32": "no",
    "Swap33": "no",
    "SwapTails": "yes",
}
"""PyVRP's moves of customers between and within routes, and whether it uses them unless told otherwise."""

_MEANINGS: Mapping[str, str] = {
    "num_iters_no_improvement": "iterations without a better solution after which the search starts again",
    "history_length": "how many iterations back the cost lies that a new solution is accepted by",
    "exhaustive_on_best": "whether a new best solution is searched around exhaustively",
    "solutions_between_updates": "solutions after which penalties are adapted",
    "penalty_increase": "factor on penalties when too few of these were feasible",
    "penalty_decrease": "factor on penalties when too many were",
    "target_feasible": "the share of feasible solutions that is aimed at",
    "feas_tolerance": "how far from that share penalties stay as they are",
    "min_penalty": "the smallest penalty",
    "max_penalty": "the largest penalty",
    "weight_wait_time": "weight of waiting in how near two customers are",
    "num_neighbours": "near customers that moves are tried with",
    "symmetric_proximity": "whether nearness is made the same in both directions",
    "min_perturbations": "least perturbations of an iteration",
    "extra_perturbations": "how many more there may be",
    **dict.fromkeys(_OPERATORS, "whether this move is used"),
}
"""What parameters are for."""

_YES_NO = ("yes", "no")


@dataclass(frozen=True)
class PyVrp(Solver):
    """PyVRP with all its parameters. It goes on until the target or the limit."""

    name: str = field(default="pyvrp", init=False)
    problems: tuple[str, ...] = field(default=("vrpspdtw",), init=False)

    @property
    def version(self) -> str:
        return f"PyVRP {_installed()}, {_VERSION}"

    @property
    def space(self) -> ConfigurationSpace:
        # Here and not above: importing ConfigSpace takes a second, and runs do not need it.
        from ConfigSpace import (  # noqa: PLC0415
            Categorical,
            ConfigurationSpace,
            Float,
            ForbiddenAndConjunction,
            ForbiddenEqualsClause,
            Integer,
        )

        space = ConfigurationSpace(name=self.name, meta=dict(_MEANINGS))
        space.add(
            Integer("num_iters_no_improvement", (1000, 1_000_000), default=150_000, log=True),
            Integer("history_length", (10, 3000), default=300, log=True),
            Categorical("exhaustive_on_best", _YES_NO, default="yes"),
            Integer("solutions_between_updates", (20, 2000), default=500, log=True),
            Float("penalty_increase", (1.01, 3.0), default=1.5),
            Float("penalty_decrease", (0.3, 0.99), default=0.9),
            Float("target_feasible", (0.1, 0.95), default=0.65),
            Float("feas_tolerance", (0.01, 0.2), default=0.05),
            Float("min_penalty", (0.01, 10.0), default=0.1, log=True),
            Float("max_penalty", (1000.0, 1_000_000.0), default=100_000.0, log=True),
            Float("weight_wait_time", (0.0, 1.0), default=0.2),
            Integer("num_neighbours", (10, 100), default=50, log=True),
            Categorical("symmetric_proximity", _YES_NO, default="yes"),
            Integer("min_perturbations", (1, 20), default=_PERTURBATIONS["min_perturbations"]),
            Integer("extra_perturbations", (0, 60), default=_PERTURBATIONS["extra_perturbations"]),
        )
        space.add([Categorical(name, _YES_NO, default=default) for name, default in _OPERATORS.items()])
        space.add(ForbiddenAndConjunction(*(ForbiddenEqualsClause(space[name], "no") for name in _OPERATORS)))
        return space

    def prepare(self) -> None:
        from ceps.solvers import pyvrp_search  # noqa: F401, PLC0415

    def describe(self, configuration: Mapping[str, Value]) -> str:
        """PyVRP's parameter file."""
        sections = tables(configuration)
        lines = [f"operators = [{', '.join(map(_toml, sections.pop('operators')))}]"]
        for section, values in sections.items():
            lines += ["", f"[{section}]", *(f"{name} = {_toml(value)}" for name, value in values.items())]
        return "\n".join([*lines, ""])

    def solve(
        self,
        instance: VrpspdtwInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> None:
        start = time.process_time()
        from ceps.solvers.pyvrp_search import Search  # noqa: PLC0415

        parameters = tables(configuration)
        if flaw(instance) is None:
            few = target is None and instance.n <= _FEW_CUSTOMERS
            iterations = _ITERATIONS_FOR_FEW if few else None
            Search(instance, target, start + limits.cpu, iterations, on_incumbent).run(parameters, seed % 2**32)


def tables(configuration: Mapping[str, Value]) -> dict[str, Any]:
    """The configuration as the tables of PyVRP's parameter file; what is not given is left to PyVRP."""
    known = {*_OPERATORS, *_PERTURBATIONS}.union(*_SECTIONS.values())
    unknown = sorted(set(configuration) - known)
    if unknown:
        raise ValueError(f"PyVRP's space has no {', '.join(unknown)}")
    operators = [name for name, default in _OPERATORS.items() if configuration.get(name, default) == "yes"]
    if not operators:
        raise ValueError(f"PyVRP needs at least one of {', '.join(_OPERATORS)}")
    plain = {name: value == "yes" if value in _YES_NO else value for name, value in configuration.items()}
    given = {section: {name: plain[name] for name in names if name in plain} for section, names in _SECTIONS.items()}
    least, extra = (int(plain.get(name, default)) for name, default in _PERTURBATIONS.items())
    perturbation = {"min_perturbations": least, "max_perturbations": least + extra}
    return {"operators": operators, **given, "perturbation": perturbation}


def _toml(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
    return str(value)


@cache
def _installed() -> str:
    # Here and not above: it imports threads and random numbers, whose care after every fork would be charged to runs.
    from importlib import metadata  # noqa: PLC0415

    return metadata.version("pyvrp")
