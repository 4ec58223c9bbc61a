"""Parameterised solvers, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ceps import plugins
from ceps.errors import UserError, did_you_mean
from ceps.plugins import plugin_class, plugin_names
from ceps.solvers import concorde, eax
from ceps.solvers.coga import CoGa
from ceps.solvers.command import Command
from ceps.solvers.consensus import Consensus
from ceps.solvers.eax import Eax
from ceps.solvers.lkh import Lkh
from ceps.solvers.pyvrp_ils import PyVrp
from ceps.solvers.solver import Solver
from ceps.tables import described, read_table

SOLVERS: Mapping[str, type[Any]] = {"coga": CoGa, "eax": Eax, "lkh": Lkh, "pyvrp": PyVrp}

__all__ = ["SOLVERS", "Solver", "exact_solver", "reference_consensus", "solver_named"]


def solver_named(name: str, settings: Mapping[str, Any], base: Path = Path()) -> Solver:
    """A solver with its settings, as a scenario or a portfolio names it. Relative paths are relative to ``base``.

    A solver that is not in the box may be a plug-in, or be described in a file of its own.
    """
    kind = SOLVERS[name] if name in SOLVERS else plugin_class(plugins.SOLVERS, name)
    if kind is not None:
        solver: Solver = read_table(kind, settings, f"[solvers.{name}]", base)
        return solver
    if isinstance(settings, Mapping) and "file" in settings:
        return described("solver", name, Command.described, settings, f"[solvers.{name}]", base)
    raise UserError(
        f"solver '{name}' is unknown.{did_you_mean(name, [*SOLVERS, *plugin_names(plugins.SOLVERS)])} "
        f'A program of your own is described in a file: [solvers.{name}] file = "{name}.toml"'
    )


def reference_consensus(problem: str, settings: Mapping[str, Mapping[str, Any]], base: Path = Path()) -> Consensus:
    """Who tells the cost that counts as solved: the problem's first solver, unless it has something better."""
    if problem in Eax.problems:
        return eax.reference_consensus()
    for name, kind in SOLVERS.items():
        if problem in kind.problems:
            return Consensus.of_default(solver_named(name, settings.get(name, {}), base))
    for name in [*settings, *plugin_names(plugins.SOLVERS)]:
        if problem in (solver := solver_named(name, settings.get(name, {}), base)).problems:
            return Consensus.of_default(solver)
    raise UserError(f"no solver in the box can find references for problem '{problem}'; give known ones")


def exact_solver(problem: str) -> Solver | None:
    """A solver that proves its answers, if there is one here for the problem."""
    return concorde.Concorde() if problem in concorde.Concorde.problems and concorde.available() else None
