"""What a Dask cluster costs, and how well it is kept busy: ``python -m benchmarks.scaling [--runs N] [--sleeps N]``.

``dask_overhead_ms``: the wall time over the number of runs, of many that are asked for together, whose solver returns
at once and that 8 workers of a cluster on this machine make side by side; it is no latency. ``efficiency_64``: in a
whole small build on 64 workers (8 processes of 8 threads), with runs that sleep for a second, the seconds slept over 64
times the wall time, from the sessions' start to the last one's end. Below them, to compare with the first: the same
without Dask, by 8 slots of the local executor, in turns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.overhead import one_run
from benchmarks.sleeper import SLEEP, Sleeper
from ceps.construction import ceps
from ceps.construction.budget import Account
from ceps.construction.method import Task
from ceps.construction.tuner import ProcessTuner
from ceps.evaluator import Evaluator
from ceps.execution.backends import local_cluster
from ceps.execution.dask_cluster import DaskExecutor
from ceps.execution.executor import Executor, Run
from ceps.execution.local import LocalExecutor
from ceps.metrics import Par10
from ceps.records import Incumbent, Outcome
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers.consensus import Consensus
from ceps.solvers.space import JointSpace
from ceps.store import Store
from ceps.testing.bits import Bits, BitsInstance
from ceps.testing.methods import StoredDecisions

TURNS = 3
PROCESSES, THREADS = 8, 8
WORKERS = PROCESSES * THREADS
INSTANCES = tuple(BitsInstance(f"bits-{size}", size) for size in range(3, 15))
OPTIONS = {"iterations": 1, "sessions": 32, "in_flight": 4, "candidates": 24}
SEED = 1


@dataclass
class Charging:
    """An executor whose runs are charged what they slept, as if it had been work."""

    executor: Executor

    @property
    def slots(self) -> int:
        return self.executor.slots

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        charged: Future[Outcome] = Future()
        cpu = min(SLEEP, run.limits.cpu)
        slept = self.executor.submit(run, on_incumbent)
        slept.add_done_callback(lambda made: charged.set_result(replace(made.result(), cpu=cpu)))
        return charged

    def stop(self, future: Future[Outcome]) -> None:
        raise NotImplementedError("builds stop no runs")

    def close(self) -> None:
        self.executor.close()


class Timed(StoredDecisions):
    """Takes the time of phases, and counts the runs made in them."""

    def watch(self, runner: Runner) -> None:
        self.runner = runner
        self.marks: list[tuple[str, float, int]] = []

    def begin(self, phase: str, account: Account) -> None:
        self.marks.append((phase, time.monotonic(), self.runner.runs_made))
        print(f"# {phase}: {self.runner.runs_made} runs made before", file=sys.stderr, flush=True)

    def efficiency(self, phase: str, slots: int) -> float:
        """Of phases whose name has this in it; each goes until the next begins."""
        seconds = runs = 0.0
        for (name, began, before), (_, ended, after) in zip(self.marks, self.marks[1:], strict=False):
            if phase in name.lower():
                seconds += ended - began
                runs += after - before
        return SLEEP * runs / (slots * seconds)


def ms_per_run(executor: Executor, runs: int) -> float:
    for future in [executor.submit(one_run(seed, 0.0)) for seed in range(4 * executor.slots)]:
        future.result()
    start = time.perf_counter()
    for future in [executor.submit(one_run(seed, 0.0)) for seed in range(runs)]:
        future.result()
    return 1000.0 * (time.perf_counter() - start) / runs


def overheads_ms(runs: int) -> tuple[float, float]:
    with (
        local_cluster(processes=8) as cluster,
        DaskExecutor(cluster) as by_dask,
        LocalExecutor(workers=8) as local,
    ):
        turns = [(ms_per_run(by_dask, runs), ms_per_run(local, runs)) for _ in range(TURNS)]
    by_dask_ms, local_ms = zip(*turns, strict=True)
    return statistics.median(by_dask_ms), statistics.median(local_ms)


def efficiency(sleeps: int) -> float:
    """Of all workers, while the sessions of a build with a budget for so many runs are going."""
    solver, metric, space = Sleeper(), Par10(2.0 * SLEEP), JointSpace((Sleeper(),))
    with (
        tempfile.TemporaryDirectory() as folder,
        local_cluster(PROCESSES, THREADS) as cluster,
        DaskExecutor(cluster) as executor,
        Store.open(Path(folder)) as store,
        ProcessTuner((solver,), SEED) as tuner,
    ):
        runner = Runner(store, Charging(executor))
        references = References(
            Bits(), Consensus.of_default(solver), runner, Effort(cpu=2.0 * SLEEP), SEED, memory=2**30
        )
        for instance in INSTANCES:
            references.know(instance, 0.0, "given")
        journal = Timed(store)
        journal.watch(runner)
        ceps.build(
            Task(
                evaluator=Evaluator(Bits(), {solver.name: solver}, metric, runner, references, memory=2**30),
                tuner=tuner,
                defaults=space.defaults,
                sample=lambda count: space.sample(count, SEED),
                vector=space.vector,
                size=4,
                instances=INSTANCES,
                budget=sleeps * SLEEP,
                seed=SEED,
                options=OPTIONS,
                journal=journal,
            )
        )
        return journal.efficiency("configuration", executor.slots)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400, help="of dask_overhead_ms, in each of its turns")
    parser.add_argument("--sleeps", type=int, default=64 * 120, help="of the build: about two minutes on 64 workers")
    options = parser.parse_args()
    by_dask, local = overheads_ms(options.runs)
    print(f"dask_overhead_ms {by_dask:.2f}", flush=True)
    print(f"efficiency_{WORKERS} {efficiency(options.sleeps):.3f}", flush=True)
    print(f"# without Dask: {local:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
