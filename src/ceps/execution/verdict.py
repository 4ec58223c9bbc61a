"""From what was seen of a run to how it ended. No processes here: facts in, an ending out."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from ceps.commands import fate
from ceps.execution.containment import Contained, Stop
from ceps.problems.problem import Infeasible, Unverified
from ceps.records import Ending

RELATIVE_TOLERANCE = 1e-9
"""Room for the order in which a sum of floats was taken; far below one unit of any integer cost in use."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What a run said of itself."""

    best_cost: float | None = None
    out_of_memory: bool = False
    error: str = ""


def at_most(cost: float, bound: float) -> bool:
    return cost <= bound + RELATIVE_TOLERANCE * abs(bound)


def judge(
    contained: Contained,
    claims: Claims,
    checked: float | Infeasible | None,
    target: float | None,
    cpu_limit: float,
    decision: bool = False,
) -> tuple[Ending, str]:
    """The ending and, where the ending alone does not say it, the reason.

    ``checked`` is what the problem's checker says of the run's last solution; None when there is no solution.
    ``decision``: the problem is one, of which costs that a solver tells mean nothing.
    """
    doubt = _doubt(checked, target if decision else None)
    if doubt:
        if contained.stop is Stop.ENOUGH:
            return Ending.FINISHED, doubt
        ending, reason = judge(contained, claims, None, target, cpu_limit)
        return ending, reason or doubt
    if isinstance(checked, Infeasible):
        return Ending.INVALID, checked.reason
    claimed = None if decision else claims.best_cost
    if checked is not None and claimed is not None and not at_most(checked, claimed):
        return Ending.INVALID, f"claimed cost {claimed:.10g}, but its solution costs {checked:.10g}"
    if contained.stop is Stop.GARBAGE:
        return Ending.INVALID, "sent a report that cannot be read"
    if contained.cpu > cpu_limit:
        return Ending.TIMEOUT, ""
    if checked is not None and target is not None and at_most(checked, target):
        return Ending.SOLVED, ""
    return _without_success(contained, claims)


def _doubt(checked: float | Infeasible | None, most: float | None) -> str:
    """Why an answer is worth nothing that is not false; ``most``: the most that answers to a decision may cost."""
    if isinstance(checked, Unverified):
        return checked.reason
    if most is None or checked is None or isinstance(checked, Infeasible) or at_most(checked, most):
        return ""
    return "says what was not verified, and what was is wanted"


def _without_success(contained: Contained, claims: Claims) -> tuple[Ending, str]:
    match contained.stop:
        case Stop.MEMORY:
            return Ending.MEMOUT, ""
        case Stop.CPU:
            return Ending.TIMEOUT, ""
        case Stop.WALL:
            return Ending.TIMEOUT, f"stopped by the wall-clock guard after {contained.wall:.1f} s"
        case Stop.ASKED | Stop.ENOUGH:
            return Ending.CAPPED, contained.stop.value
        case Stop.PROCESSES:
            return Ending.CRASHED, contained.stop.value
    if claims.out_of_memory:
        return Ending.MEMOUT, ""
    if contained.status == -signal.SIGXCPU:
        return Ending.TIMEOUT, ""
    if contained.status < 0:
        return Ending.CRASHED, fate(contained.status)
    if contained.status > 0:
        return Ending.CRASHED, claims.error or f"exit code {contained.status}"
    return Ending.FINISHED, ""
