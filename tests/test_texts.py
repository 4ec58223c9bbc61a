"""Results in words. Most are tested with the commands that show them."""

from __future__ import annotations

from ceps.evaluation.protocol import InstanceResult, Repeat, Report
from ceps.evaluation.session import Evaluated
from ceps.portfolio import MetricChoice, Portfolio
from ceps.records import Configuration, Ending, Outcome
from ceps.solve import Answer
from ceps.texts import answer_text, components_text, evaluated_table, outcome_text

GUARD = "stopped by the wall-clock guard after 3.0 s"


def raced(outcome: Outcome) -> tuple[str, str]:
    """What a race of one component shows: its line, and the answer."""
    portfolio = Portfolio("tsp", (Configuration.of("eax", {}),), MetricChoice("par10", 1.0))
    answer = Answer(outcome.cost, outcome.ending, 1, outcome.cpu, outcome.wall, None, (outcome,))
    return components_text(answer, portfolio), answer_text(answer, []) if outcome.cost is not None else ""


def test_an_evaluation_is_a_table_whatever_the_names() -> None:
    """The columns stand below their heads, below the longest name of an instance too, and names are whole."""
    names = ("a", "a-name-of-more-than-thirty-characters")
    results = [InstanceResult(name, 0.25, False, 123.0, (Repeat(0.25, 1, 123.0),)) for name in names]
    report = Report("par10", 0.25, 0, tuple(results))
    head, *rows = evaluated_table(Evaluated(report, 1.0, 0.0, 1.0, 2, ())).splitlines()
    assert [row.split() for row in rows] == [[name, "123", "0.25", "0.25"] for name in names]
    assert {row.index(" 123 ") for row in rows} == {head.index("solved at") + len("solved at") - len(" 123")}
    assert len({len(row) for row in rows}) == 1


def test_time_that_is_used_up_is_no_failure_of_a_race() -> None:
    """It is how a race ends, and said so; where a run is judged by its cut-off, the same is a TIMEOUT."""
    outcome = Outcome(Ending.TIMEOUT, cpu=2.5, wall=3.0, cost=7.0, reason=GUARD)
    used = "cost 7, CPU 2.50 s, wall 3.00 s, memory 0 MiB, 0 improvements"
    assert raced(outcome) == (
        f"component 1 (eax): time used up, {used}",
        "cost 7 by component 1 in 3.0 s, time used up",
    )
    assert outcome_text(outcome) == f"TIMEOUT ({GUARD}), {used}"


def test_why_a_component_has_no_answer_is_told() -> None:
    """Also where its time was used up: nobody may have been able to tell whether its answer was one."""
    outcome = Outcome(Ending.TIMEOUT, cpu=2.5, wall=3.0, reason="not verified")
    assert raced(outcome)[0].startswith("component 1 (eax): time used up (not verified), no valid solution, CPU")
    assert raced(Outcome(Ending.CRASHED, cpu=1.0, reason="exit code 1"))[0].startswith(
        "component 1 (eax): CRASHED (exit code 1), no valid solution"
    )
