"""The rules of exact replay, without a database."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.records import Ending, Incumbent, Outcome
from ceps.store import Answer, Execution, answer, normalise
from ceps.store.rules import first_answer

CUTOFF = 10.0
BY_ITSELF = [ending for ending in Ending if not ending.is_stop]

seconds = st.floats(0.0, 20.0)
caps = st.floats(0.001, CUTOFF) | st.just(CUTOFF)
traces = st.lists(st.builds(Incumbent, seconds, st.integers(0, 100)), max_size=5).map(tuple)
outcomes = st.builds(
    Outcome,
    ending=st.sampled_from(Ending),
    cpu=seconds,
    wall=seconds,
    memory=st.integers(0, 2**40),
    cost=st.none() | st.integers(0, 100) | st.floats(0, 100),
    trace=traces,
    reason=st.text(max_size=5),
    output=st.text(max_size=5),
    host=st.sampled_from(["", "a"]),
)


@st.composite
def executions(draw: st.DrawFn) -> Execution:
    limit = draw(caps)
    return Execution(draw(st.integers(1, 9)), limit, normalise(draw(outcomes), limit, CUTOFF))


every_case = settings(derandomize=True, deadline=None, max_examples=200)


@every_case
@given(executions(), caps, st.booleans())
def test_charge_is_the_recorded_time_up_to_the_cap(row: Execution, cap: float, exact: bool) -> None:
    """Whatever answers, the charge is min(recorded CPU, cap)."""
    given_answer = answer(row, cap, CUTOFF, exact)
    assert given_answer is None or given_answer.charge == min(row.outcome.cpu, cap)


@every_case
@given(executions(), caps)
def test_answer_tells_nothing_from_after_the_cap(row: Execution, cap: float) -> None:
    """An answer's CPU time is within the cap, and a stopped one has neither cost nor later incumbents."""
    given_answer = answer(row, cap, CUTOFF)
    if given_answer is None:
        return
    outcome = given_answer.outcome
    assert outcome.cpu <= cap
    if outcome.ending.is_stop:
        assert (outcome.cost, outcome.solution, outcome.reason, outcome.output) == (None, None, "", "")
        assert outcome.trace == tuple(one for one in row.outcome.trace if one.cpu <= cap)
        assert outcome.ending == (Ending.TIMEOUT if cap >= CUTOFF else Ending.CAPPED)
    else:
        assert outcome == row.outcome


@every_case
@given(executions(), caps)
def test_stopped_row_answers_up_to_its_limit_only(row: Execution, cap: float) -> None:
    """A run the clock stopped answers exactly the caps up to its limit; one that ended by itself answers all."""
    answers = answer(row, cap, CUTOFF) is not None
    assert answers == (not row.outcome.ending.is_stop or cap <= row.limit)


@every_case
@given(executions(), caps)
def test_exact_limit_takes_the_row_as_recorded(row: Execution, cap: float) -> None:
    """For quality metrics a row answers its own limit, unchanged, and no other."""
    assert answer(row, row.limit, CUTOFF, exact_limit=True) == Answer(row.outcome, min(row.outcome.cpu, row.limit))
    if cap != row.limit:
        assert answer(row, cap, CUTOFF, exact_limit=True) is None


@every_case
@given(st.lists(executions(), max_size=5), st.lists(executions(), max_size=5), caps, st.booleans())
def test_later_rows_never_change_an_answer(
    rows: list[Execution], later: list[Execution], cap: float, exact: bool
) -> None:
    """The earliest row that can answer does, so what has an answer keeps it whatever is recorded afterwards."""
    before = first_answer(rows, cap, CUTOFF, exact)
    after = first_answer([*rows, *later], cap, CUTOFF, exact)
    able = [row for row in [*rows, *later] if answer(row, cap, CUTOFF, exact) is not None]
    assert after == (answer(able[0], cap, CUTOFF, exact) if able else None)
    assert before is None or after == before


@pytest.mark.parametrize("ending", BY_ITSELF)
def test_run_that_ended_by_itself_answers_with_its_ending_or_a_stop(ending: Ending) -> None:
    """A run that ended at 3 s is that ending from a cap of 3 s on, CAPPED below, TIMEOUT below a small cut-off."""
    row = Execution(1, 5.0, Outcome(ending, cpu=3.0, cost=7, trace=(Incumbent(1.0, 9), Incumbent(2.9, 7))))
    assert answer(row, 3.0, CUTOFF) == Answer(row.outcome, 3.0)
    assert answer(row, 8.0, CUTOFF) == Answer(row.outcome, 3.0)
    capped = Outcome(Ending.CAPPED, cpu=2.0, trace=(Incumbent(1.0, 9),))
    assert answer(row, 2.0, CUTOFF) == Answer(capped, 2.0)
    timeout = Outcome(Ending.TIMEOUT, cpu=2.0, trace=(Incumbent(1.0, 9),))
    assert answer(row, 2.0, cutoff=2.0) == Answer(timeout, 2.0)


def test_overshoot_does_not_widen_a_limit() -> None:
    """A run stopped by a limit of 5 s and measured at 5.1 s cannot answer a cap of 5.05 s."""
    row = Execution(1, 5.0, Outcome(Ending.CAPPED, cpu=5.1))
    assert answer(row, 5.05, CUTOFF) is None
    assert answer(row, 5.0, CUTOFF) == Answer(Outcome(Ending.CAPPED, cpu=5.0), 5.0)


def test_sleeper_is_charged_what_it_used() -> None:
    """A run stopped by the wall-clock guard answers as stopped, with the little CPU time it had used."""
    row = Execution(1, CUTOFF, Outcome(Ending.TIMEOUT, cpu=0.25, wall=110.0))
    assert answer(row, CUTOFF, CUTOFF) == Answer(Outcome(Ending.TIMEOUT, cpu=0.25), 0.25)
    assert answer(row, 4.0, CUTOFF) == Answer(Outcome(Ending.CAPPED, cpu=0.25), 0.25)


@pytest.mark.parametrize("ending", list(Ending))
@pytest.mark.parametrize(("limit", "stop"), [(5.0, Ending.CAPPED), (CUTOFF, Ending.TIMEOUT)])
def test_normalise_takes_a_late_ending_for_a_stop(ending: Ending, limit: float, stop: Ending) -> None:
    """Past its limit every ending is a stop that keeps its cost; within it only stops are renamed."""
    late = Outcome(ending, cpu=limit + 0.1, cost=7, solution=[1], trace=(Incumbent(1.0, 7),), reason="r")
    assert normalise(late, limit, CUTOFF) == Outcome(
        stop, cpu=limit + 0.1, cost=7, solution=[1], trace=(Incumbent(1.0, 7),), reason="r"
    )
    in_time = Outcome(ending, cpu=limit, cost=7)
    assert normalise(in_time, limit, CUTOFF).ending == (stop if ending.is_stop else ending)
