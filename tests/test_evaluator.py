"""Scores through store, executor and metric."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ceps.evaluator import Evaluator
from ceps.execution.local import LocalExecutor
from ceps.findings import Finding
from ceps.metrics import Metric, Panc, Par10, PenaltyError
from ceps.records import Configuration, Ending
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.store import Store
from ceps.testing.bits import Bits, BitsInstance, BitSolver

MEMORY = 256 * 1024**2
INSTANCE = BitsInstance("five", 5)


def paced(pause: float) -> Configuration:
    return Configuration.of("bits", {"pause": pause})


@pytest.fixture(scope="module")
def executor() -> Iterator[LocalExecutor]:
    with LocalExecutor(workers=2) as executor:
        yield executor


@pytest.fixture
def runner(executor: LocalExecutor) -> Iterator[Runner]:
    with Store.in_memory() as store:
        yield Runner(store, executor)


def evaluator_of(metric: Metric, runner: Runner, target: float = 0) -> Evaluator:
    references = References(Bits(), Consensus.of_default(BitSolver()), runner, Effort(cpu=1.0), seed=1, memory=MEMORY)
    references.know(INSTANCE, target, "given")
    return Evaluator(Bits(), {"bits": BitSolver()}, metric, runner, references, MEMORY)


def test_a_solved_run_scores_its_cpu_time(runner: Runner) -> None:
    """Five bits of 20 ms each: solved, scored by the CPU time, charged and spent alike."""
    evaluator = evaluator_of(Par10(cutoff=5.0), runner)
    made = evaluator.submit(paced(0.02), INSTANCE, seed=1).result()
    assert made.outcome.ending is Ending.SOLVED
    assert made.score == made.charge == made.outcome.cpu >= 0.1
    assert evaluator.cpu_charged == runner.cpu_spent == made.charge


def test_a_repeated_request_is_charged_but_not_run(runner: Runner) -> None:
    """What comes from the store costs the account the same, and the machine nothing."""
    evaluator = evaluator_of(Par10(cutoff=5.0), runner)
    first, second = (evaluator.submit(paced(0.01), INSTANCE, seed=1).result() for _ in range(2))
    assert first == second
    assert evaluator.cpu_charged == pytest.approx(2 * runner.cpu_spent)
    assert runner.runs_made == 1


def test_a_bound_caps_the_run(runner: Runner) -> None:
    """A run that cannot beat the bound is stopped there, scores the penalty and is charged the bound."""
    evaluator = evaluator_of(Par10(cutoff=5.0), runner)
    made = evaluator.submit(paced(1.0), INSTANCE, seed=1, bound=0.1).result()
    assert made.outcome.ending is Ending.CAPPED
    assert (made.score, made.charge) == (50.0, 0.1)
    assert runner.cpu_spent < 0.2


def test_a_slow_run_times_out_at_the_cutoff(runner: Runner) -> None:
    """Without a bound the cut-off is the limit, and missing it is a TIMEOUT."""
    made = evaluator_of(Par10(cutoff=0.1), runner).submit(paced(1.0), INSTANCE, seed=1).result()
    assert (made.outcome.ending, made.score) == (Ending.TIMEOUT, 1.0)


def test_panc_scores_the_cost_at_the_cutoff_by_scale(runner: Runner) -> None:
    """Half the bits set at the cut-off: the cost counts, bounds do not shorten the run."""
    evaluator = evaluator_of(Panc(cutoff=0.25), runner)
    made = evaluator.submit(paced(0.1), INSTANCE, seed=1, bound=0.01).result()
    assert made.outcome.ending is Ending.TIMEOUT
    assert made.score == made.outcome.cost / 5


def test_only_given_instances_refuse_a_penalty(runner: Runner) -> None:
    """A solution worse than the penalty: the scenario is wrong; but on an instance that was bred, it counts as none."""
    evaluator = evaluator_of(Panc(cutoff=0.25, penalty=0.1), runner)
    with pytest.raises(PenaltyError, match=r"worse than the penalty 0\.1"):
        evaluator.submit(paced(0.1), INSTANCE, seed=1).result()
    bred = BitsInstance("six", 6)
    evaluator.remember(bred, INSTANCE)
    made = evaluator.submit(paced(0.1), bred, seed=1).result()
    assert made.outcome.cost is not None
    assert made.score == 0.1 < made.outcome.cost / 6


def test_a_run_that_beats_the_reference_is_noted(runner: Runner) -> None:
    """A better cost than the reference counts from the next settling on, and then runs are judged by it."""
    evaluator = evaluator_of(Par10(cutoff=5.0), runner, target=2)
    solved = evaluator.submit(paced(0.0), INSTANCE, seed=1).result()
    assert solved.outcome.ending is Ending.SOLVED
    assert evaluator.references.settle([INSTANCE]) == []
    evaluator.references.findings.add([Finding(INSTANCE.id, "", 1)])
    assert evaluator.references.cost(INSTANCE) == 2
    assert evaluator.references.settle([INSTANCE]) == [INSTANCE]
    assert evaluator.references.cost(INSTANCE) == 1
    again = evaluator.submit(paced(0.0), INSTANCE, seed=1).result()
    assert again.outcome.cost == 1
    assert runner.runs_made == 2
