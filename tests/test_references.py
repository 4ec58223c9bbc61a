"""The cost that counts as solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

import pytest

from ceps import seeds
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.findings import Finding
from ceps.records import Ending, Incumbent, Outcome
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.store import Store
from ceps.testing.bits import Bits, BitsInstance, BitSolver
from ceps.testing.misbehaving import FindsNothing

MEMORY = 256 * 1024**2
INSTANCE = BitsInstance("five", 5)


@dataclass
class ScriptedExecutor:
    """Every run ends at its limit with the cost that the script has for (number of its seed, limit)."""

    script: Callable[[int, float], float | None]
    limits: list[float]
    slots: int = 1

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        self.limits.append(run.limits.cpu)
        numbers: Mapping[int, int] = {seeds.derive(1, "reference", INSTANCE.id, number): number for number in range(20)}
        cost = self.script(numbers[run.seed], run.limits.cpu)
        future: Future[Outcome] = Future()
        future.set_result(Outcome(Ending.TIMEOUT, cpu=run.limits.cpu, cost=cost))
        return future

    def stop(self, future: Future[Outcome]) -> None:
        future.cancel()

    def close(self) -> None:
        return None


def references_from(script: Callable[[int, float], float | None], store: Store) -> tuple[References, ScriptedExecutor]:
    executor = ScriptedExecutor(script, [])
    runner = Runner(store, executor)
    return References(
        Bits(), Consensus.of_default(BitSolver()), runner, Effort(cpu=1.0), seed=1, memory=MEMORY
    ), executor


def test_three_runs_that_agree_settle_it() -> None:
    """One round is enough when all its runs find the same cost."""
    with Store.in_memory() as store:
        references, executor = references_from(lambda number, cpu: 7, store)
        assert references.establish([INSTANCE]) == []
        found = references.reference(INSTANCE)
        assert found is not None
        assert (found.cost, found.agreement) == (7, 1.0)
        assert executor.limits == [1.0] * 3
        assert references.cpu_charged == 3.0


def test_effort_grows_until_runs_agree() -> None:
    """A round without agreement is followed by runs of twice the time, as many as are missing; all rounds count."""
    with Store.in_memory() as store:
        references, executor = references_from(lambda number, cpu: {0: 9, 1: 8, 2: 9}.get(number, 7), store)
        references.establish([INSTANCE])
        found = references.reference(INSTANCE)
        assert found is not None
        assert (found.cost, found.agreement) == (7, 1.0)
        assert executor.limits == [1.0] * 3 + [2.0] * 2 + [4.0]


@pytest.mark.parametrize(("most_cpu", "charged"), [(2.9, 0.0), (3.0 - 1e-12, 3.0), (6.9, 3.0), (7.0, 7.0), (1e9, 31.0)])
def test_no_run_is_made_that_could_be_too_dear(most_cpu: float, charged: float) -> None:
    """Where runs never agree, every further round costs twice as much; undecided references count as they are."""
    with Store.in_memory() as store:
        references, _ = references_from(lambda number, cpu: 100.0 - number, store)
        told: list[object] = []
        references.establish([INSTANCE], lambda _, reference: told.append(reference), most_cpu)
        assert references.cpu_charged == charged
        assert references.is_settled(INSTANCE) is (most_cpu == 1e9)
        assert told == [references.reference(INSTANCE)]


def test_the_best_cost_counts_though_runs_never_agree() -> None:
    """After the last round the best is the reference, and its agreement tells how sure that is."""
    with Store.in_memory() as store:
        references, executor = references_from(lambda number, cpu: 20 - number, store)
        references.establish([INSTANCE])
        found = references.reference(INSTANCE)
        assert found is not None
        assert found.cost == 20 - 8
        assert found.agreement == pytest.approx(1 / 3)
        assert executor.limits == [1.0] * 3 + [2.0] * 2 + [4.0] * 2 + [8.0] * 2


def test_an_estimate_is_the_first_run_of_the_consensus() -> None:
    """The cheap reference costs one run, which the full consensus uses again."""
    with Store.in_memory() as store:
        references, executor = references_from(lambda number, cpu: 7, store)
        references.estimate([INSTANCE])
        estimated = references.reference(INSTANCE)
        assert estimated is not None
        assert (estimated.cost, estimated.agreement) == (7, pytest.approx(1 / 3))
        assert executor.limits == [1.0]
        references.establish([INSTANCE])
        assert references.cpu_charged == 3.0


def test_without_any_solution_there_is_no_reference() -> None:
    """An instance nobody can solve is returned, not given a made-up cost."""
    with Store.in_memory() as store:
        references, _ = references_from(lambda number, cpu: None, store)
        assert references.establish([INSTANCE]) == [INSTANCE]
        assert references.reference(INSTANCE) is None


def test_replay_arrives_at_the_same_reference_without_running() -> None:
    """From the same store the same reference at the same charge, with no run made."""
    with Store.in_memory() as store:
        first, _ = references_from(lambda number, cpu: 7, store)
        first.establish([INSTANCE])
        second, executor = references_from(lambda number, cpu: 1, store)
        second.establish([INSTANCE])
        assert second.reference(INSTANCE) == first.reference(INSTANCE)
        assert second.cpu_charged == first.cpu_charged
        assert executor.limits == []


def test_what_proves_is_asked_first() -> None:
    """A solver whose own end is a proof settles the reference with one run; the others are not asked."""
    with LocalExecutor(workers=1) as executor, Store.in_memory() as store:
        runner = Runner(store, executor)
        references = References(
            Bits(),
            Consensus.of_default(FindsNothing()),
            runner,
            Effort(cpu=1.0),
            seed=1,
            memory=MEMORY,
            exact=BitSolver(),
        )
        assert references.establish([INSTANCE]) == []
        assert references.cost(INSTANCE) == 0
        assert runner.runs_made == 1


def test_consensus_takes_over_where_nothing_was_proved() -> None:
    """When the exact solver fails, consensus is sought as if there were none."""
    with LocalExecutor(workers=2) as executor, Store.in_memory() as store:
        runner = Runner(store, executor)
        references = References(
            Bits(),
            Consensus.of_default(BitSolver()),
            runner,
            Effort(cpu=1.0),
            seed=1,
            memory=MEMORY,
            exact=FindsNothing(),
        )
        references.establish([INSTANCE])
        assert references.cost(INSTANCE) == 0
        assert runner.runs_made == 4


@dataclass(frozen=True)
class Decision(Bits):
    """A problem whose target is known."""

    target: float | None = 1.0


def test_decisions_have_their_target_without_any_run() -> None:
    """The target of a decision problem is everybody's reference from the start, and costs nothing."""
    with Store.in_memory() as store:
        executor = ScriptedExecutor(lambda number, cpu: 0, [])
        consensus = Consensus.of_default(BitSolver())
        references = References(Decision(), consensus, Runner(store, executor), Effort(cpu=1.0), 1, MEMORY)
        references.estimate([INSTANCE])
        assert references.establish([INSTANCE]) == []
        assert references.cost(INSTANCE) == 1.0
        assert (references.cpu_of_one, references.cpu_charged, executor.limits) == (0.0, 0.0, [])


def test_answers_to_decisions_are_judged_from_the_next_phase_on() -> None:
    """Believed answers count until others contradict them: then none does, until one is verified. Costs that count as
    solved stay as they are, so no run is made again."""

    def answering(says: str, cost: float | None) -> Outcome:
        return Outcome(Ending.SOLVED, cpu=1.0, cost=cost, says=says)

    def endings() -> list[Ending]:
        return [references.judged(INSTANCE, answering(says, 1.0)).ending for says in ("yes", "no")]

    with Store.in_memory() as store:
        executor = ScriptedExecutor(lambda number, cpu: 0, [])
        consensus = Consensus.of_default(BitSolver())
        references = References(Decision(), consensus, Runner(store, executor), Effort(cpu=1.0), 1, MEMORY)
        references.establish([INSTANCE])
        for says, cost, changed, judged in (
            ("yes", 1.0, False, [Ending.SOLVED, Ending.INVALID]),
            ("yes", 1.0, False, [Ending.SOLVED, Ending.INVALID]),
            ("no", None, False, [Ending.SOLVED, Ending.INVALID]),
            ("no", 1.0, True, [Ending.INVALID, Ending.INVALID]),
            ("no", 0.0, True, [Ending.INVALID, Ending.SOLVED]),
            ("no", 0.0, False, [Ending.INVALID, Ending.SOLVED]),
        ):
            before = endings()
            references.findings.add([Finding(INSTANCE.id, says, cost)])
            assert endings() == before
            assert references.settle([INSTANCE]) == ([INSTANCE] if changed else []), (says, cost)
            assert endings() == judged
        assert references.cost(INSTANCE) == 1.0
