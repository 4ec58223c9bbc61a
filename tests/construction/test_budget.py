"""Accounts and their total."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.construction.budget import Account, Budget, Phase, smallest_total
from ceps.construction.ceps import CepsSettings
from tests.construction.fakes import FakeEvaluator, task_of


def test_phases_get_their_shares() -> None:
    """When every phase spends what it was granted, grants are in proportion to the weights."""
    budget = Budget(100.0, [Phase(1.0), Phase(3.0), Phase(1.0)])
    grants = []
    for _ in range(3):
        account = budget.open_phase()
        grants.append(account.granted)
        account.pay(account.granted)
        budget.close_phase(account)
    assert grants == pytest.approx([20.0, 60.0, 20.0])


def test_what_a_phase_leaves_over_goes_to_the_later_ones() -> None:
    """A phase that spends nothing leaves its share to the others, in proportion."""
    budget = Budget(100.0, [Phase(2.0), Phase(3.0), Phase(5.0)])
    budget.close_phase(budget.open_phase())
    assert budget.open_phase().granted == pytest.approx(100.0 * 3 / 8)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=1, max_size=8))
def test_the_smallest_total_grants_every_phase_what_it_needs(phases: list[tuple[float, float]]) -> None:
    """Where all spend their grants, none is granted less than its need, and one is granted no more."""
    claims = [Phase(weight, need) for weight, need in phases]
    budget = Budget(smallest_total(claims), claims)
    spare = []
    for claim in claims:
        account = budget.open_phase()
        spare.append(account.granted / claim.need)
        account.pay(account.granted)
        budget.close_phase(account)
    assert min(spare) == pytest.approx(1.0)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(0, 1)), min_size=1, max_size=8))
def test_nothing_is_granted_twice(phases: list[tuple[float, float]]) -> None:
    """Whatever phases spend of their grants, the total is never exceeded."""
    budget = Budget(50.0, [Phase(weight) for weight, _ in phases])
    for _, spent in phases:
        account = budget.open_phase()
        account.pay(spent * account.granted)
        budget.close_phase(account)
    assert budget.charged <= 50.0 * (1 + 1e-9)


PHASES = st.builds(Phase, weight=st.floats(0.1, 10), need=st.floats(0.1, 10), overrun=st.floats(0, 20))


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(PHASES, st.floats(0, 1)), min_size=1, max_size=8), st.floats(1.0, 4.0))
def test_the_total_is_kept_whatever_phases_do_within_their_claims(
    phases: list[tuple[Phase, float]], spare: float
) -> None:
    """Where it covers the needs: a phase takes what it needs, or what it is granted and the runs under way then."""
    total = spare * sum(phase.need for phase, _ in phases)
    budget = Budget(total, [phase for phase, _ in phases])
    for phase, spent in phases:
        account = budget.open_phase()
        granted = account.granted + (phase.overrun if account.granted > 0.0 else 0.0)
        account.pay(max(phase.need, spent * granted))
        budget.close_phase(account)
    assert budget.charged <= total * (1 + 1e-9)


def test_the_default_shares_are_the_papers() -> None:
    """8 h for the start, 60 h of configuration, 20 h of validation and 6 h of generation in 94 h, K left out."""
    weights = [phase.weight for phase in CepsSettings().phases(task_of(FakeEvaluator(lambda *_: 1.0)).outline)]
    assert len(weights) == 1 + 4 * 2 + 3
    assert sum(weights) == pytest.approx(94.0)
    assert weights[:4] == pytest.approx([8.0, 15.0, 5.0, 2.0])


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.integers(1, 50), st.floats(0.01, 100.0), st.lists(st.floats(0.0, 1000.0), max_size=5))
def test_what_was_granted_for_so_many_covers_them(count: int, each: float, paid: list[float]) -> None:
    """Sums of seconds are rounded, and one less would be a phase without its first runs."""
    account = Account(sum(paid) + count * each)
    for charge in paid:
        account.pay(charge)
    assert account.covers(each) == count
