"""How a run ended, by what was seen of it."""

from __future__ import annotations

import pytest

from ceps.execution.containment import Contained, Stop
from ceps.execution.verdict import Claims, judge
from ceps.problems.problem import Unverified
from ceps.records import Ending

ENDED = Contained(stop=None, status=0, cpu=1.0, wall=1.0, memory=0, output="")
ENOUGH = Contained(stop=Stop.ENOUGH, status=-9, cpu=1.0, wall=1.0, memory=0, output="")
STOPPED = Contained(stop=Stop.CPU, status=-9, cpu=1.0, wall=1.0, memory=0, output="")


@pytest.mark.parametrize(
    ("checked", "target", "ending"),
    [(0.0, 0.0, Ending.SOLVED), (0.0, 1.0, Ending.SOLVED), (1.0, 1.0, Ending.SOLVED), (1.0, 0.0, Ending.FINISHED)],
)
def test_decisions(checked: float, target: float, ending: Ending) -> None:
    """A verified answer always counts. A believed one does not where that is wanted, but is not false for it."""
    assert judge(ENDED, Claims(), checked, target, 5.0, decision=True)[0] is ending


@pytest.mark.parametrize("target", [0.0, None])
def test_costs_of_decisions_are_not_claims(target: float | None) -> None:
    """What a solver says that its model costs cannot make it false."""
    assert judge(ENDED, Claims(best_cost=-5.0), 0.0, target, 5.0, decision=True)[0] is not Ending.INVALID
    assert judge(ENDED, Claims(best_cost=-5.0), 0.0, target, 5.0)[0] is Ending.INVALID


def test_costs_above_the_target_are_no_lies() -> None:
    """Where costs are compared, a worse one is a worse one."""
    assert judge(ENDED, Claims(), 1.0, 0.0, 5.0)[0] is Ending.FINISHED


@pytest.mark.parametrize(
    ("contained", "ending"), [(ENDED, Ending.FINISHED), (ENOUGH, Ending.FINISHED), (STOPPED, Ending.TIMEOUT)]
)
def test_answers_that_nobody_can_check(contained: Contained, ending: Ending) -> None:
    """They are worth nothing, but not held against the run, and the reason is told."""
    assert judge(contained, Claims(), Unverified("who knows"), 0.0, 5.0, decision=True) == (ending, "who knows")
