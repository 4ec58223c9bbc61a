"""Metrics: outcome to score, bound to cap."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.metrics import Panc, Par10, metric_named
from ceps.records import Ending, Outcome


@pytest.mark.parametrize("ending", list(Ending))
def test_par10_pays_the_runtime_for_solved_runs_only(ending: Ending) -> None:
    """PAR-10 is the CPU time of a solved run and ten times the cut-off of any other."""
    score = Par10(cutoff=3.0).score(Outcome(ending, cpu=1.5, cost=10), scale=1.0)
    assert score == (1.5 if ending is Ending.SOLVED else 30.0)


@settings(derandomize=True, deadline=None)
@given(cutoff=st.floats(0.01, 100), bound=st.floats(0, 2000), cpu=st.floats(0, 200))
def test_par10_a_run_past_its_cap_could_not_have_beaten_the_bound(cutoff: float, bound: float, cpu: float) -> None:
    """Capping is exact: a run that needs more CPU than the cap scores no better than the bound."""
    metric = Par10(cutoff)
    if cpu > metric.cap(bound):
        solved_in_time = cpu <= cutoff
        score = cpu if solved_in_time else metric.penalty
        assert score >= min(bound, metric.penalty)


@pytest.mark.parametrize("ending", list(Ending))
def test_panc_is_the_scaled_cost_unless_the_run_failed(ending: Ending) -> None:
    """A run that was stopped or ended by itself scores its cost by scale; a failed one the penalty."""
    failed = ending in (Ending.CRASHED, Ending.INVALID, Ending.MEMOUT)
    assert Panc(cutoff=1.0).score(Outcome(ending, cpu=1.0, cost=50), scale=25.0) == (2000.0 if failed else 2.0)


def test_panc_without_a_solution_is_the_penalty() -> None:
    """No solution by the cut-off, no cost to speak of."""
    assert Panc(cutoff=1.0, penalty=7.0).score(Outcome(Ending.TIMEOUT, cpu=1.0), scale=1.0) == 7.0


def test_panc_is_named_with_its_penalty() -> None:
    """The paper's penalty of 2000 unless another is given."""
    assert metric_named("panc", 150.0) == Panc(150.0, 2000.0)
    assert metric_named("panc", 150.0, 7.0).score(Outcome(Ending.CRASHED, cpu=1.0), scale=10.0) == 7.0


def test_a_penalty_that_a_solution_exceeds_is_refused() -> None:
    """Where having a solution would score worse than having none, the message says what to set."""
    with pytest.raises(UserError, match=r"scores 8, worse than the penalty 7 .* such as 100,"):
        Panc(150.0, 7.0).score(Outcome(Ending.FINISHED, cpu=1.0, cost=80.0), scale=10.0)


def test_panc_runs_are_never_capped() -> None:
    """A run that is judged by its final cost must have its whole time."""
    assert Panc(cutoff=5.0).cap(0.1) == 5.0


@pytest.mark.parametrize(
    ("name", "cutoff", "penalty", "said"),
    [
        ("par1", 1.0, None, "Did you mean 'par10'"),
        ("par10", 0.0, None, "cutoff = 0"),
        ("par10", float("nan"), None, "cutoff"),
        ("par10", 1.0, 5.0, "penalty"),
    ],
)
def test_wrong_metrics_are_refused_by_key(name: str, cutoff: float, penalty: float | None, said: str) -> None:
    """An unknown name, a cut-off of nothing and a penalty where there is none are named."""
    with pytest.raises(UserError, match=said):
        metric_named(name, cutoff, penalty)
