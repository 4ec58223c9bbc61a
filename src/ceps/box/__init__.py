"""Ready portfolios, one JSON file per problem, each built by ``ceps build`` from a scenario under ``experiments/``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ceps.errors import UserError
from ceps.portfolio import Portfolio

_FOLDER = Path(__file__).parent


def boxed_portfolio(problem: str, on_left_out: Callable[[str], None] = lambda message: None) -> Portfolio:
    """The portfolio that solves when none is named.

    Members whose solver is not installed here are left out; ``on_left_out`` is told so, with the way to get it.
    """
    path = _FOLDER / f"{problem}.json"
    if not path.is_file():
        raise UserError(f"there is no portfolio for problem '{problem}' in the box; name one")
    portfolio = Portfolio.load(path)
    runnable = set()
    for name, solver in portfolio.solvers().items():
        try:
            solver.prepare()
        except UserError as error:
            count = sum(member.solver == name for member in portfolio.members)
            on_left_out(f"{count} of {len(portfolio)} members need {name} and are left out: {error}")
        else:
            runnable.add(name)
    members = tuple(member for member in portfolio.members if member.solver in runnable)
    if not members:
        raise UserError(f"no solver of the portfolio for problem '{problem}' in the box can run here; name another one")
    return replace(portfolio, members=members)
