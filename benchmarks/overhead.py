"""What isolation, bookkeeping and the tuner cost: ``python -m benchmarks.overhead [--baseline]``.

``run_overhead_ms``: the median wall time from submitting a run to having its answer recorded, for a run whose solver
returns a solution at once: fork, limits, measuring, reaping, checking the solution, and the row in the store.
``local_scaling``: runs per minute of two workers over those of one, CPU-bound runs of 0.5 s, measured in turns.
``tuner_overhead_ms``: all time of a search outside the target function, divided by the number of trials, over 600 and
over 6,000 trials; with ``--baseline`` also ``smac_default_overhead_ms``, SMAC's own default facade on the same task.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.tuner import smac_default_overhead_ms, tuner_overhead_ms
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.records import Configuration, Limits
from ceps.runner import Runner
from ceps.store import Store
from ceps.testing.bits import Bits, BitsInstance, BitSolver

RUNS = 300
CPU_BOUND_RUNS = 12
TURNS = 3
CUTOFF = 10.0


def one_run(seed: int, pause: float) -> Run:
    return Run(
        problem=Bits(),
        solver=BitSolver(),
        configuration=Configuration.of("bits", {"pause": pause}),
        instance=BitsInstance("one", 1),
        seed=seed,
        limits=Limits(cpu=CUTOFF),
        target=0,
    )


def run_overhead_ms() -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalExecutor(workers=1) as executor,
        Store.open(Path(folder)) as store,
    ):
        runner = Runner(store, executor)
        runner.submit(one_run(0, 0.0), CUTOFF).result()
        times = []
        for seed in range(1, RUNS + 1):
            start = time.perf_counter()
            runner.submit(one_run(seed, 0.0), CUTOFF).result()
            times.append(time.perf_counter() - start)
        return 1000.0 * statistics.median(times)


def seconds_for_cpu_bound_runs(workers: int) -> float:
    with LocalExecutor(workers) as executor:
        for future in [executor.submit(one_run(seed, 0.0)) for seed in range(4 * workers)]:
            future.result()
        start = time.perf_counter()
        for future in [executor.submit(one_run(seed, 0.5)) for seed in range(CPU_BOUND_RUNS)]:
            future.result()
        return time.perf_counter() - start


def local_scaling() -> float:
    ratios = [seconds_for_cpu_bound_runs(1) / seconds_for_cpu_bound_runs(2) for _ in range(TURNS)]
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description="What isolation, bookkeeping and the tuner cost.")
    parser.add_argument("--baseline", action="store_true", help="also time SMAC's own default facade (minutes)")
    arguments = parser.parse_args()
    print(f"run_overhead_ms {run_overhead_ms():.2f}", flush=True)
    print(f"local_scaling {local_scaling():.2f}", flush=True)
    print(f"tuner_overhead_ms {tuner_overhead_ms(600):.2f}", flush=True)
    print(f"tuner_overhead_ms_at_6000 {tuner_overhead_ms(6000):.2f}", flush=True)
    if arguments.baseline:
        print(f"smac_default_overhead_ms {smac_default_overhead_ms():.0f}", flush=True)


if __name__ == "__main__":
    main()
