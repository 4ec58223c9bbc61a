"""The Dask executor: its contract, and what happens when workers, schedulers and drivers die."""

from __future__ import annotations

import os
import pickle
import platform
import re
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from distributed import Client, LocalCluster

from ceps import _native, building
from ceps.construction.budget import Account
from ceps.errors import UserError
from ceps.execution import dask_cluster, dask_line, dask_roster, dask_worker
from ceps.execution.backends import NO_DASHBOARD, local_cluster
from ceps.execution.dask_cluster import DaskExecutor
from ceps.execution.dask_worker import TOPIC
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.tsp import Tsp
from ceps.records import Configuration, Ending, Incumbent, Limits, Outcome
from ceps.settings import Scenario
from ceps.solvers.eax import Eax
from ceps.solvers.solver import default_configuration
from ceps.tables import read_table
from ceps.testing.bits import BitSolver
from ceps.testing.executor import ExecutorContract, bits_run
from ceps.testing.misbehaving import Spins
from ceps.testing.pure_executor import PureExecutor
from tests import described
from tests.construction.pure_build import SCENARIO, Silent
from tests.execution import cluster_parts
from tests.execution.cluster_parts import SCALE, CountedInstance, KillsItsWorker, MortalKeepers, WaitsForKills
from tests.torture.builds import journal, portfolio

SMALLER = {
    "portfolio": {"size": 2, "solvers": ["eax"]},
    "method": {"options": {"iterations": 1, "sessions": 3, "candidates": 8, "batch": 3}},
    "budget": {"cpu": 120.0},
}
PURE = read_table(Scenario, {**SCENARIO, **SMALLER}, "pure")


class TestContract(ExecutorContract):
    @pytest.fixture(scope="class")
    @classmethod
    def executor(cls) -> Iterator[DaskExecutor]:
        with local_cluster(processes=2) as cluster, DaskExecutor(cluster) as executor:
            yield executor

    @pytest.mark.parametrize(("times", "ending"), [(2, Ending.FINISHED), (3, Ending.CRASHED)])
    def test_a_lost_worker_costs_another_try_and_three_make_a_crash(
        self, executor: DaskExecutor, tmp_path: Path, times: int, ending: Ending
    ) -> None:
        """A run whose worker was killed is made again elsewhere; the third loss is told as the reason of a crash."""
        outcome = executor.submit(bits_run(KillsItsWorker(str(tmp_path), times))).result()
        assert outcome.ending is ending
        assert ("lost 3 times" in outcome.reason) == (ending is Ending.CRASHED)


def in_this_process(workers: int) -> LocalCluster:
    """A cluster of workers in this process; their keepers are processes as ever."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        scheduler_kwargs=NO_DASHBOARD,
    )


@pytest.fixture(scope="module")
def threads() -> Iterator[LocalCluster]:
    with in_this_process(2) as cluster:
        yield cluster


def begin(executor: DaskExecutor) -> tuple[Future[Outcome], SimpleQueue[Incumbent]]:
    """A run that ends when it is told to, and what is heard of it."""
    seen: SimpleQueue[Incumbent] = SimpleQueue()
    future = executor.submit(bits_run(Spins(), cpu=60.0), seen.put)
    seen.get()
    return future, seen


def test_closing_ends_runs_and_leaves_the_cluster(threads: LocalCluster) -> None:
    """A run whose driver has left is killed on its worker, which goes on to serve the next driver."""
    with DaskExecutor(threads) as executor:
        ExecutorContract.make_all(executor, [BitSolver()] * 4)  # Keepers and checkers are all there.
        before = set(_native.usage_below(os.getpid()).processes)
        future, _ = begin(executor)
        (run,) = set(_native.usage_below(os.getpid()).processes) - before
        ending = os.pidfd_open(run)
    assert future.done()
    select.select([ending], [], [])  # Readable when the process has ended.
    os.close(ending)
    with DaskExecutor(threads) as executor:
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED


def test_workers_that_come_are_used_and_workers_that_leave_are_no_losses() -> None:
    """There are as many slots as threads now. A run that four workers in turn leave behind is no crash."""
    with (
        in_this_process(5) as cluster,
        DaskExecutor(cluster) as executor,
        Client(cluster, set_as_default=False) as client,
    ):
        assert executor.slots == 5
        future, seen = begin(executor)
        for _ in range(4):
            (busy,) = (address for address, keys in client.processing().items() if keys)
            client.retire_workers([busy])
            seen.get()
        cluster.scale(6)  # The four are counted still.
        other, _ = begin(executor)
        assert executor.slots == 2
        for each in (future, other):
            executor.stop(each)
            assert (each.result().ending, each.result().cost) == (Ending.CAPPED, 3)


def test_runs_come_to_what_they_come_to_on_this_machine(threads: LocalCluster) -> None:
    """A deterministic solver ends so, at the same cost and with the same solution, by keepers of a cluster as by those
    of a local executor."""
    solver, instances = Eax(populations=1), [Tsp().generate("uniform", 40, seed) for seed in (1, 2)]
    configuration = default_configuration(solver)
    runs = [Run(Tsp(), solver, configuration, each, seed, Limits(cpu=60.0)) for each in instances for seed in (1, 2, 3)]
    with DaskExecutor(threads) as cluster, LocalExecutor(workers=2) as local:
        by_cluster, by_local = [
            [(made.ending, made.cost, made.solution) for made in [future.result() for future in map(by.submit, runs)]]
            for by in (cluster, local)
        ]
    assert by_cluster == by_local
    assert {ending for ending, _, _ in by_local} == {Ending.FINISHED}
    assert len({str(solution) for _, _, solution in by_local}) > 1


def test_a_run_that_waits_at_a_busy_worker_goes_to_one_that_is_free(threads: LocalCluster) -> None:
    """The first of two busy workers has got the next run as well; it is made when the second is free."""
    with DaskExecutor(threads) as executor:
        (first, _), (second, _) = begin(executor), begin(executor)
        waiting = executor.submit(bits_run(BitSolver()))
        executor.stop(second)
        assert waiting.result().ending is Ending.FINISHED
        assert not first.done()
        executor.stop(first)
        assert first.result().ending is Ending.CAPPED


def test_a_run_that_waits_at_a_worker_that_dies_has_lost_nothing(tmp_path: Path) -> None:
    """The run that kills its worker three times has crashed; the one that waited behind it each time is made."""
    with local_cluster(processes=1) as cluster, DaskExecutor(cluster) as executor:
        deadly = executor.submit(bits_run(KillsItsWorker(str(tmp_path), times=3)))
        waiting = executor.submit(bits_run(BitSolver()))
        assert deadly.result().ending is Ending.CRASHED
        assert waiting.result().ending is Ending.FINISHED


def test_a_run_beside_one_that_kills_its_worker_is_not_taken_for_the_cause(tmp_path: Path) -> None:
    """Two runs that are made together lose two workers; the third time each has a worker of its own, and only the one
    that kills it has crashed."""
    with local_cluster(processes=1, threads=2) as cluster, DaskExecutor(cluster) as executor:
        deadly = executor.submit(bits_run(KillsItsWorker(str(tmp_path), times=3), wall=None))
        beside = executor.submit(bits_run(WaitsForKills(str(tmp_path), times=3), cpu=60.0, wall=None))
        assert deadly.result().ending is Ending.CRASHED
        assert beside.result().ending is Ending.FINISHED


def test_all_workers_that_are_gone_are_told_once_and_that_one_is_back() -> None:
    """Whoever waits for a run of a cluster without workers knows why, and until when."""
    told: SimpleQueue[str] = SimpleQueue()
    with in_this_process(2) as cluster, DaskExecutor(cluster, told.put) as executor:
        cluster.scale(0)
        assert "all workers of the cluster at inproc://" in told.get()
        waiting = executor.submit(bits_run(BitSolver()))
        cluster.scale(1)
        assert waiting.result().ending is Ending.FINISHED
        assert "has a worker again" in told.get()
        assert told.empty()


def test_what_an_older_sending_says_is_not_heard(threads: LocalCluster) -> None:
    """A message about a sending that is not under way changes nothing, whatever is in it."""
    with DaskExecutor(threads) as executor, Client(threads, set_as_default=False) as client:
        client.log_event(TOPIC, {"execution": "ceps-run-before", "outcome": b"no outcome"})
        assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED


def test_an_instance_is_sent_to_every_worker_once(tmp_path: Path) -> None:
    """Of ten runs on two instances, two workers make several on the same, but get its content once."""
    with local_cluster(processes=2) as cluster, DaskExecutor(cluster) as executor:
        runs = [
            replace(bits_run(BitSolver()), seed=seed, instance=CountedInstance(f"bits-{size}", size, str(tmp_path)))
            for seed in range(5)
            for size in (5, 6)
        ]
        for future in [executor.submit(run) for run in runs]:
            assert future.result().ending is Ending.FINISHED
        with Client(cluster, set_as_default=False) as client:
            workers = client.run(os.getpid).values()
    arrivals = Counter(tuple(map(int, path.name.split()[:2])) for path in tmp_path.iterdir())
    assert {count for (process, _), count in arrivals.items() if process in workers} == {1}


def test_instances_that_were_not_used_for_longest_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is room for two instances, a third one takes the place of the one that was needed least recently."""
    first, second, third = (CountedInstance("bits", size, str(tmp_path)) for size in (5, 6, 7))
    with in_this_process(1) as cluster, DaskExecutor(cluster) as executor:
        monkeypatch.setattr(dask_roster, "MOST_KEPT", 2 * len(pickle.dumps(first)))
        for instance in (first, second, first, third, first, second):
            executor.submit(replace(bits_run(BitSolver()), instance=instance)).result()
        (worker,) = cluster.workers.values()
        kept = [instance for key, instance in worker.data.items() if key.startswith("ceps-instance")]
    arrivals = [tuple(map(int, path.name.split()[:2])) for path in tmp_path.iterdir()]
    assert Counter(size for process, size in arrivals if process == os.getpid()) == {5: 1, 6: 2, 7: 1}
    assert len(kept) <= 3


def test_another_version_on_a_worker_is_refused(threads: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker with another version of ceps is named, with both versions."""
    monkeypatch.setattr(dask_worker, "__version__", "0.0.9")
    with pytest.raises(UserError, match=r"worker inproc://.* has ceps 0\.0\.9, but this is ceps \d"):
        DaskExecutor(threads)


@pytest.mark.parametrize(("changed", "named"), [("filler.py", "solver 'filler' is '"), ("zeros.py", "problem 'zeros'")])
def test_another_program_on_a_host_makes_no_run(tmp_path: Path, changed: str, named: str) -> None:
    """Where a script is another than where the run is asked for, both versions are told, with the host; once it is as
    it was, the next driver is served by the same worker."""
    problem, solver = described.problem(tmp_path), described.solver(tmp_path, "print('cost 0')\nprint('bits 11111')")
    versions = {solver.version, problem.version}  # Known from now on, whatever becomes of the files.
    run = Run(problem, solver, Configuration.of(solver.name, {}), described.instance(), 1, Limits(cpu=20.0))
    script = tmp_path / changed
    original = script.read_text()
    with local_cluster(processes=1) as cluster:
        script.write_text(f"{original}\n# another")
        told = f"{named}.* on host {platform.node()}, but '"
        with DaskExecutor(cluster) as executor, pytest.raises(UserError, match=told) as refused:
            executor.submit(run).result()
        assert versions.intersection(str(refused.value).split("'"))
        script.write_text(original)
        with DaskExecutor(cluster) as executor:
            assert executor.submit(run).result().ending is Ending.FINISHED


def test_hosts_of_different_speed_are_told(threads: LocalCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers say that they are on hosts of which one is twice as fast: who is, is told."""
    measured = iter([("quick", 0.01), ("slow", 0.02)])
    monkeypatch.setattr(dask_worker, "measured_here", lambda: next(measured))
    told: list[str] = []
    with DaskExecutor(threads, told.append):
        assert [message.split(" for ")[0] for message in told] == [
            "hosts differ in speed: slow needs 2.0 times as long as quick"
        ]


def test_a_driver_that_is_killed_leaves_no_run_behind() -> None:
    """The worker kills the runs of a driver that was killed with kill -9, and serves the next one."""
    program = "import sys; from tests.execution.cluster_parts import drive; drive(sys.argv[1])"
    with (
        local_cluster(processes=1) as cluster,
        subprocess.Popen(
            [sys.executable, "-c", program, cluster.scheduler_address],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
        ) as driver,
    ):
        assert driver.stdout is not None
        run = int(driver.stdout.readline())
        ending = os.pidfd_open(run)
        driver.kill()
        select.select([ending], [], [])  # Readable when the process has ended.
        os.close(ending)
        with DaskExecutor(cluster) as executor:
            assert executor.submit(bits_run(BitSolver())).result().ending is Ending.FINISHED


def test_tls_that_is_not_configured_is_told() -> None:
    """At once, with the key and what to configure; nobody is asked."""
    with pytest.raises(UserError, match=r"scheduler = 'tls://127\.0\.0\.1:1' asks for TLS.*distributed\.comm\.tls"):
        DaskExecutor("tls://127.0.0.1:1")


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is told, and what to do."""
    monkeypatch.setattr(dask_line, "ANSWERS_WITHIN", 0.2)
    with pytest.raises(UserError, match=r"scheduler = 'tcp://127\.0\.0\.1:1' does not answer"):
        DaskExecutor("tcp://127.0.0.1:1")


class Whole:
    """A build that nothing has happened to."""

    def __init__(self, out: Path) -> None:
        self.executor = PureExecutor(SCALE)
        build(self.executor, out)
        self.made = made(out)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return Whole(tmp_path_factory.mktemp("whole"))


def build(executor: PureExecutor | DaskExecutor, out: Path, watch: building.BuildWatch | None = None) -> None:
    building.build(PURE, Path(), "pure", executor, out, watch or Silent())


def made(out: Path) -> Any:
    return portfolio(out), sorted(map(str, journal(out)))


def test_a_build_whose_workers_are_killed_is_the_build_whose_are_not(whole: Whole, tmp_path: Path) -> None:
    """Workers die by kill -9 in the middle of runs: the same portfolio and decisions as on this machine alone."""
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    with local_cluster(processes=2) as cluster:
        with Client(cluster, set_as_default=False) as client:
            client.register_plugin(MortalKeepers(deaths, deaths=3, life=25))
        with DaskExecutor(cluster) as executor:
            build(executor, tmp_path / "run")
    assert len(list(deaths.iterdir())) == 3
    assert made(tmp_path / "run") == whole.made


@pytest.fixture
def other_process() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A cluster in a process of its own, and its address."""
    command = [sys.executable, cluster_parts.__file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def test_a_scheduler_that_is_killed_ends_the_build_which_is_resumed_elsewhere(
    whole: Whole, other_process: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    """The driver says so and how to go on; what was finished is kept, and the rest is built without a cluster."""
    process, address = other_process

    class Kills(Silent):
        def begin(self, phase: str, account: Account) -> None:
            if self.numbers.runner.runs_made > 0:
                process.kill()

    told = f"the scheduler at {address} is gone. Finished runs are kept"
    with DaskExecutor(address) as executor, pytest.raises(UserError, match=re.escape(told)):
        build(executor, tmp_path, Kills())
    resumed = PureExecutor(SCALE)
    build(resumed, tmp_path)
    assert 0 < resumed.runs < whole.executor.runs
    assert made(tmp_path) == whole.made


def test_a_scheduler_that_is_silent_is_gone(
    other_process: tuple[subprocess.Popen[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scheduler whose line is open, but that does not answer, is not waited for; nor are runs asked for later."""
    monkeypatch.setattr(dask_cluster, "LOOK", 0.05)
    monkeypatch.setattr(dask_line, "PULSE", 0.2)
    process, address = other_process
    with DaskExecutor(address) as executor:
        process.send_signal(signal.SIGSTOP)
        for _ in range(2):
            with pytest.raises(UserError, match="is gone"):
                executor.submit(bits_run(BitSolver())).result()
