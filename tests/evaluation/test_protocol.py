"""The test protocol on the real executor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ceps.evaluation.protocol import Entry, evaluate, evaluate_all
from ceps.evaluator import Evaluator
from ceps.execution.local import LocalExecutor
from ceps.findings import Finding
from ceps.metrics import Par10
from ceps.portfolio import MetricChoice, Portfolio
from ceps.records import Configuration
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.store import Store
from ceps.testing.bits import Bits, BitsInstance, BitSolver

MEMORY = 256 * 1024**2
INSTANCES = [BitsInstance("three", 3), BitsInstance("four", 4)]


def portfolio_of(*pauses: float) -> Portfolio:
    members = tuple(Configuration.of("bits", {"pause": pause}) for pause in pauses)
    return Portfolio("bits", members, MetricChoice("par10", 1.0))


@pytest.fixture
def evaluator() -> Iterator[tuple[Evaluator, Runner]]:
    with LocalExecutor(workers=2) as executor, Store.in_memory() as store:
        runner = Runner(store, executor)
        references = References(
            Bits(), Consensus.of_default(BitSolver()), runner, Effort(cpu=1.0), seed=1, memory=MEMORY
        )
        for instance in INSTANCES:
            references.know(instance, 0, "given")
        yield Evaluator(Bits(), {"bits": BitSolver()}, Par10(1.0), runner, references, MEMORY), runner


def test_the_best_member_counts_and_the_others_are_capped(evaluator: tuple[Evaluator, Runner]) -> None:
    """The score is the fast member's, and the slow one is stopped as soon as it cannot matter."""
    made, runner = evaluator
    report = evaluate(portfolio_of(0.02, 0.2), INSTANCES, made, repeats=1, seed=1)
    assert [result.repeats[0].component for result in report.per_instance] == [1, 1]
    assert report.timeouts == 0
    assert report.score == pytest.approx(0.07, abs=0.05)
    slow_if_alone = 0.2 * (3 + 4)
    assert runner.cpu_spent < slow_if_alone


def test_repeats_have_seeds_of_their_own_and_the_median_counts(evaluator: tuple[Evaluator, Runner]) -> None:
    """Three repeats are three runs, and the instance scores their median."""
    made, runner = evaluator
    report = evaluate(portfolio_of(0.01), INSTANCES[:1], made, repeats=3, seed=1)
    scores = sorted(repeat.score for repeat in report.per_instance[0].repeats)
    assert report.per_instance[0].score == report.score == scores[1]
    assert runner.runs_made == 3


def test_timeouts_are_counted(evaluator: tuple[Evaluator, Runner]) -> None:
    """A portfolio that cannot solve an instance within the cut-off scores ten times the cut-off there."""
    made, _ = evaluator
    report = evaluate(portfolio_of(0.4), INSTANCES, made, repeats=1, seed=1)
    assert (report.timeouts, report.score) == (2, 10.0)
    assert [result.timeout for result in report.per_instance] == [True, True]


def test_an_instance_without_reference_counts_as_timeout(evaluator: tuple[Evaluator, Runner]) -> None:
    """Where nobody knows what solved means, nothing is run and the penalty counts."""
    made, runner = evaluator
    report = evaluate(portfolio_of(0.0), [BitsInstance("six", 6)], made, repeats=2, seed=1)
    assert (report.timeouts, report.score, runner.runs_made) == (1, 10.0, 0)


def test_a_beaten_reference_is_corrected_and_the_instance_evaluated_again(
    evaluator: tuple[Evaluator, Runner],
) -> None:
    """A solver that stops only below the target shows that the reference was too high; all is judged by the new one."""
    made, runner = evaluator
    made.references.know(INSTANCES[0], 1, "given")
    made.references.findings.add([Finding(INSTANCES[0].id, "", 0)])
    report = evaluate(portfolio_of(0.0), INSTANCES[:1], made, repeats=1, seed=1)
    assert report.per_instance[0].reference == 0
    assert report.per_instance[0].repeats[0].cost == 0
    assert runner.runs_made == 2


def test_a_better_reference_that_one_portfolio_finds_judges_all(evaluator: tuple[Evaluator, Runner]) -> None:
    """Two are tested together: when one run beats the reference, both are evaluated again, and each on its own
    instances only."""
    made, runner = evaluator
    made.references.know(INSTANCES[0], 1, "given")
    made.references.findings.add([Finding(INSTANCES[0].id, "", 0)])
    entries = [
        Entry(portfolio_of(0.0), INSTANCES[:1], made),
        Entry(portfolio_of(0.01), INSTANCES, made),
    ]
    first, second = evaluate_all(entries, repeats=1, seed=1)
    assert [result.instance for result in first.per_instance] == ["three"]
    assert [result.instance for result in second.per_instance] == ["three", "four"]
    assert first.per_instance[0].reference == second.per_instance[0].reference == 0
    # Twice on the instance whose reference was beaten, once on the other.
    assert runner.runs_made == 2 * 2 + 1
