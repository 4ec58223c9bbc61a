"""Parameterised solvers, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ceps.errors import UserError, did_you_mean
from ceps.solvers import concorde
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import Solver
from ceps.tables import read_table

SOLVERS: Mapping[str, type[Lkh]] = {"lkh": Lkh}

__all__ = ["SOLVERS", "Solver", "exact_solver", "reference_solver", "solver_named"]


def solver_named(name: str, settings: Mapping[str, Any], base: Path = Path()) -> Solver:
    """A solver with its settings, as a scenario or a portfolio names it. Relative paths are relative to ``base``."""
    if name not in SOLVERS:
        raise UserError(f"solver '{name}' is unknown.{did_you_mean(name, SOLVERS)}")
    return read_table(SOLVERS[name], settings, f"[solvers.{name}]", base)


def reference_solver(problem: str, settings: Mapping[str, Mapping[str, Any]], base: Path = Path()) -> Solver:
    """The solver whose consensus tells the cost that counts as solved."""
    for name, kind in SOLVERS.items():
        if problem in kind.problems:
            return solver_named(name, settings.get(name, {}), base)
    raise UserError(f"no solver in the box can find references for problem '{problem}'; give known ones")


def exact_solver(problem: str) -> Solver | None:
    """A solver that proves its answers, if there is one here for the problem."""
    return concorde.Concorde() if problem in concorde.Concorde.problems and concorde.available() else None
