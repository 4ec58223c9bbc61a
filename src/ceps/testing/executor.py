"""The contract of an executor. Say in a test module what opens one, to be closed when all tests are done:

>>> TestMine = ExecutorContract.of(opened=MyExecutor)

Assertions on the CPU clock are on limits that must be enforced, not on speed.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import ClassVar

import pytest

from ceps import _native
from ceps.errors import UserError
from ceps.execution.executor import Executor, Run
from ceps.records import Configuration, Ending, Incumbent, Limits, Outcome
from ceps.testing import misbehaving
from ceps.testing.bits import Bits, BitsInstance, BitSolver
from ceps.testing.contract import Contract

MIB = 1024**2
ROOM = 0.1
"""CPU seconds by which a limit may be overrun."""


def bits_run(
    solver: BitSolver,
    *,
    size: int = 5,
    cpu: float = 0.5,
    memory: int = 256 * MIB,
    wall: float | None = 20.0,
    target: float | None = None,
    pause: float = 0.0,
) -> Run:
    """A run of a solver of the bits problem."""
    return Run(
        problem=Bits(),
        solver=solver,
        configuration=Configuration.of(solver.name, {"pause": pause}),
        instance=BitsInstance(f"bits-{size}", size),
        seed=1,
        limits=Limits(cpu, memory, wall),
        target=target,
    )


class ExecutorContract(Contract):
    """What every executor promises."""

    opened: ClassVar[Callable[[], AbstractContextManager[Executor]]]

    @pytest.fixture(scope="class")
    @classmethod
    def executor(cls) -> Iterator[Executor]:
        with cls.opened() as executor:
            yield executor

    def test_a_run_without_target_finishes_with_its_verified_solution(self, executor: Executor) -> None:
        """A run that ends by itself is FINISHED and carries its solution, checked cost and trace."""
        outcome = executor.submit(bits_run(BitSolver())).result()
        assert (outcome.ending, outcome.cost, outcome.solution) == (Ending.FINISHED, 0, [1] * 5)
        assert outcome.trace[-1].cost == 0

    def test_a_run_that_reaches_its_target_is_solved_and_stopped_there(self, executor: Executor) -> None:
        """The run is over with the incumbent that reaches the target, even when the solver would go on."""
        outcome = executor.submit(bits_run(BitSolver(), size=50, target=45, cpu=60.0, pause=0.02)).result()
        assert outcome.ending is Ending.SOLVED
        assert outcome.cost == 45
        assert outcome.cpu < 0.02 * 50

    def test_a_run_that_ends_above_its_target_is_finished(self, executor: Executor) -> None:
        """FINISHED, not SOLVED, when the verified cost is above the target."""
        assert executor.submit(bits_run(BitSolver(), target=-1)).result().ending is Ending.FINISHED

    def test_incumbents_arrive_while_the_run_goes_on(self, executor: Executor) -> None:
        """An incumbent is seen before the run's end: the run here ends only because it is stopped on seeing it."""
        seen: SimpleQueue[Incumbent] = SimpleQueue()
        future = executor.submit(bits_run(misbehaving.Spins(), cpu=60.0), seen.put)
        assert seen.get().cost == 3
        executor.stop(future)
        outcome = future.result()
        assert (outcome.ending, outcome.cost) == (Ending.CAPPED, 3)

    def test_stopping_a_run_that_has_not_started_cancels_it(self, executor: Executor) -> None:
        """A queued run that is stopped is never made."""
        blockers = [executor.submit(bits_run(misbehaving.Spins(), cpu=60.0)) for _ in range(executor.slots)]
        queued = executor.submit(bits_run(BitSolver()))
        executor.stop(queued)
        assert queued.cancelled()
        self.stop_all(executor, blockers)

    def test_the_cpu_limit_is_held(self, executor: Executor) -> None:
        """A spinning run is a TIMEOUT at its limit, and still has its last solution."""
        outcome = executor.submit(bits_run(misbehaving.Spins())).result()
        assert (outcome.ending, outcome.cost) == (Ending.TIMEOUT, 3)
        assert 0.5 <= outcome.cpu < 0.5 + ROOM

    @pytest.mark.parametrize("solver", [misbehaving.SpinsInThreeProcesses(), misbehaving.SpinsInShortLivedChildren()])
    def test_the_cpu_limit_holds_for_the_whole_process_tree(self, executor: Executor, solver: BitSolver) -> None:
        """CPU used by children, living or ended, counts."""
        outcome = executor.submit(bits_run(solver)).result()
        assert outcome.ending is Ending.TIMEOUT
        assert 0.5 <= outcome.cpu < 0.5 + ROOM

    def test_a_process_left_behind_is_killed_with_its_run(self, executor: Executor) -> None:
        """A detached process does not outlive the run that started it, nor spoil the run's own answer."""
        outcome = executor.submit(bits_run(misbehaving.LeavesADaemon(), cpu=5.0)).result()
        assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0)

    def test_a_fork_bomb_is_defused(self, executor: Executor) -> None:
        """Processes without end are killed, all of them, and the next run is fine."""
        outcome = executor.submit(bits_run(misbehaving.ForksWithoutEnd(), cpu=2.0)).result()
        assert outcome.ending in (Ending.CRASHED, Ending.TIMEOUT, Ending.MEMOUT)
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED

    def test_signals_cannot_be_ignored(self, executor: Executor) -> None:
        """A solver that ignores every signal it can is stopped all the same."""
        outcome = executor.submit(bits_run(misbehaving.IgnoresSignals())).result()
        assert outcome.ending is Ending.TIMEOUT
        assert outcome.cpu < 0.5 + ROOM

    def test_sleeping_is_stopped_by_the_wall_clock_guard(self, executor: Executor) -> None:
        """A run that uses no CPU ends too, as a TIMEOUT that says why, and is charged only what it used."""
        outcome = executor.submit(bits_run(misbehaving.Sleeps(), wall=0.3)).result()
        assert (outcome.ending, outcome.cost) == (Ending.TIMEOUT, 4)
        assert "wall-clock" in outcome.reason
        assert outcome.cpu < ROOM

    @pytest.mark.parametrize(
        "solver",
        [misbehaving.EatsMemorySlowly(), misbehaving.EatsMemoryAtOnce(), misbehaving.EatsSharedMemory()],
        ids=lambda solver: solver.version,
    )
    def test_the_memory_limit_is_held(self, executor: Executor, solver: BitSolver) -> None:
        """Whoever eats memory is a MEMOUT before having eaten much more than allowed."""
        outcome = executor.submit(bits_run(solver, memory=64 * MIB, cpu=20.0)).result()
        assert outcome.ending is Ending.MEMOUT
        assert outcome.memory < 160 * MIB

    @pytest.mark.parametrize(
        ("solver", "reason"),
        [
            (misbehaving.Raises(), "it always raises"),
            (misbehaving.Segfaults(), "SIGSEGV"),
            (misbehaving.ExitsNonZero(), "exit code 7"),
            (misbehaving.ReturnsWhatJsonCannotHold(), "JSON"),
            (misbehaving.EndsItself(), "was ended by SIGTERM"),
            (misbehaving.ItsProgramEndsItself(), "the program was ended by SIGTERM"),
        ],
        ids=lambda value: getattr(value, "version", ""),
    )
    def test_a_crash_is_told_with_its_reason(self, executor: Executor, solver: BitSolver, reason: str) -> None:
        """Exceptions, signals and exit codes are CRASHED, and the reason names them; what the run used is charged."""
        outcome = executor.submit(bits_run(solver)).result()
        assert outcome.ending is Ending.CRASHED
        assert reason in outcome.reason
        assert outcome.cpu > 0.0

    @pytest.mark.parametrize(
        "solver",
        [
            misbehaving.ReturnsTooFew(),
            misbehaving.ReturnsNonsense(),
            *(misbehaving.ReturnsDeepNesting(depth) for depth in (101, 700, 1_000_000)),
            misbehaving.ClaimsTooMuch(),
            misbehaving.WritesGarbageReports(),
        ],
        ids=lambda solver: solver.version,
    )
    def test_a_false_claim_is_invalid(self, executor: Executor, solver: BitSolver) -> None:
        """Partial, nonsensical, unreadable and better-than-true answers are INVALID, with the reason."""
        outcome = executor.submit(bits_run(solver, target=0, cpu=5.0)).result()
        assert outcome.ending is Ending.INVALID
        assert outcome.reason

    def test_finding_nothing_is_no_crime(self, executor: Executor) -> None:
        """A run that ends without any solution is FINISHED without a cost."""
        outcome = executor.submit(bits_run(misbehaving.FindsNothing(), target=0)).result()
        assert (outcome.ending, outcome.cost, outcome.solution) == (Ending.FINISHED, None, None)

    def test_printing_megabytes_does_no_harm(self, executor: Executor) -> None:
        """Of what a solver prints the beginning and the end are kept; its answer counts as ever."""
        outcome = executor.submit(bits_run(misbehaving.PrintsMegabytes(), cpu=20.0)).result()
        assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0)
        assert outcome.output.endswith("the end of it\n")
        assert len(outcome.output) < 10_000

    def test_reporting_without_end_is_stopped_at_the_limit(self, executor: Executor) -> None:
        """A flood of reports neither fills the memory nor delays the limit."""
        outcome = executor.submit(bits_run(misbehaving.ReportsWithoutEnd())).result()
        assert outcome.ending is Ending.TIMEOUT
        assert outcome.cpu < 0.5 + ROOM
        assert len(outcome.trace) == 1

    def test_every_run_has_an_empty_directory_that_vanishes(self, executor: Executor) -> None:
        """What a run leaves in its working directory is gone after the run, and never seen by the next."""
        for _ in range(2):
            outcome = executor.submit(bits_run(misbehaving.LittersItsDirectory())).result()
            assert (outcome.ending, outcome.reason) == (Ending.FINISHED, "")
        assert not Path(outcome.output.strip(), "litter").exists()
        dug = executor.submit(bits_run(misbehaving.DigsDeep(), cpu=20.0)).result()
        assert dug.ending is Ending.FINISHED

    def test_a_lost_supervisor_costs_nothing_but_another_try(self, executor: Executor, tmp_path: Path) -> None:
        """A run whose supervising process was killed twice is made again and succeeds."""
        outcome = executor.submit(bits_run(misbehaving.KillsItsKeeper(str(tmp_path), times=2))).result()
        assert (outcome.ending, outcome.cost) == (Ending.FINISHED, 0)

    def test_three_losses_make_a_crash(self, executor: Executor, tmp_path: Path) -> None:
        """A run that takes its supervisor with it three times is CRASHED, with the reason."""
        outcome = executor.submit(bits_run(misbehaving.KillsItsKeeper(str(tmp_path), times=3))).result()
        assert outcome.ending is Ending.CRASHED
        assert "lost 3 times" in outcome.reason

    def test_a_solver_that_cannot_run_here_says_so(self, executor: Executor) -> None:
        """What a solver's preparation says to the user reaches the user."""
        with pytest.raises(UserError, match="pip install nothing"):
            executor.submit(bits_run(misbehaving.CannotBePrepared())).result()

    @pytest.mark.parametrize(
        ("solver", "why"),
        [
            (misbehaving.CannotBeSent(), "cannot pickle this solver"),
            (misbehaving.CannotBeReceived(), "this solver is no number"),
        ],
        ids=lambda value: getattr(value, "version", ""),
    )
    def test_a_run_that_cannot_be_handed_over_is_told(self, executor: Executor, solver: BitSolver, why: str) -> None:
        """Who waits for a run that does not pickle is told why, as often as it is asked for, and others are made."""
        for _ in range(2 * executor.slots):
            with pytest.raises(UserError, match=why):
                executor.submit(bits_run(solver)).result()
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED

    def test_misbehaviour_leaves_no_process_and_no_descriptor(self, executor: Executor) -> None:
        """After many bad runs there are as many processes and open files as before."""
        bad = [
            misbehaving.Raises(),
            misbehaving.Segfaults(),
            misbehaving.ExitsNonZero(),
            misbehaving.ReturnsNonsense(),
            misbehaving.LeavesADaemon(),
            misbehaving.SpinsInThreeProcesses(),
        ]
        self.make_all(executor, bad)
        self.bring_to_rest(executor)
        before = self.footprint()
        for _ in range(5):
            self.make_all(executor, bad)
        self.bring_to_rest(executor)
        assert self.footprint() == before

    @staticmethod
    def make_all(executor: Executor, solvers: Sequence[BitSolver]) -> None:
        for future in [executor.submit(bits_run(solver, cpu=0.02)) for solver in solvers]:
            future.result()

    @classmethod
    def bring_to_rest(cls, executor: Executor) -> None:
        """One more run at every slot, all at once: what bad runs have broken there, a checker say, is mended then."""
        seen: SimpleQueue[Incumbent] = SimpleQueue()
        futures = [executor.submit(bits_run(misbehaving.Spins(), cpu=60.0), seen.put) for _ in range(executor.slots)]
        for _ in futures:
            seen.get()
        cls.stop_all(executor, futures)

    @staticmethod
    def footprint() -> Counter[str]:
        """Living processes below this one, and what they and this one have open, by their kinds."""
        processes = [os.getpid(), *_native.usage_below(os.getpid()).processes]
        commands = {process: Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ") for process in processes}
        found = [*commands.values()]
        for process, command in commands.items():
            for descriptor in os.listdir(f"/proc/{process}/fd"):
                with suppress(FileNotFoundError):  # That with which this one has just looked.
                    found.append(f"{command}: {os.readlink(f'/proc/{process}/fd/{descriptor}')}")
        # Numbers are those of one process, one socket, one folder.
        return Counter(re.sub(r"\d+", "#", each) for each in found)

    @staticmethod
    def stop_all(executor: Executor, futures: list[Future[Outcome]]) -> None:
        for future in futures:
            executor.stop(future)
        for future in futures:
            if not future.cancelled():
                future.result()
