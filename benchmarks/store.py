"""A store of a million runs: ``python -m benchmarks.store [--runs N] [--failed SHARE]``.

Makes one like that of a long build (hundreds of instances, thousands of configurations, few improvements in a trace,
some failed runs that keep the end of what they printed) and prints what it takes to fill, close, open and ask it:

``record_ms``: recording one run. ``close_s``: closing, with its seal. ``open_s``: opening what was closed.
``open_after_kill_s``: opening what has no seal, as a killed writer leaves it. ``lookup_ms``, ``lookup_p99_ms``: the
answer to a request for a run; half of those asked for were recorded. ``mb_per_million``: the size of the file.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ceps.problems.tsp import Tsp
from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.runner import LONGEST_OUTPUT
from ceps.store import Store, StoredInstance
from ceps.store.seal import SEAL_NAME

INSTANCES = 300
CONFIGURATIONS = 5_000
CITIES = 400
IMPROVEMENTS = 6
"""Of a run, on the average."""
CUTOFF = 10.0
LOOKUPS = 20_000
OPENINGS = 5


def instances() -> list[StoredInstance]:
    problem = Tsp()
    made = (problem.generate("uniform", CITIES, seed) for seed in range(INSTANCES))
    return [StoredInstance(each.id, problem.name, each.name, problem.encode(each)) for each in made]


def configurations() -> list[Configuration]:
    names = [f"PARAMETER_{number}" for number in range(23)]
    return [Configuration.of("lkh", dict.fromkeys(names, number)) for number in range(CONFIGURATIONS)]


def outcome(rng: np.random.Generator, failed: float) -> Outcome:
    if rng.random() < failed:
        return Outcome(
            Ending.CRASHED, cpu=1.0, wall=1.0, memory=2**26, reason="exit code 1", output="x" * LONGEST_OUTPUT
        )
    cpu = float(rng.exponential(1.0))
    times = np.sort(rng.uniform(0.0, cpu, rng.poisson(IMPROVEMENTS))).tolist()
    trace = tuple(Incumbent(time, 20_000_000 - number) for number, time in enumerate(times))
    return Outcome(Ending.SOLVED, cpu=cpu, wall=1.02 * cpu, memory=2**26, cost=19_999_000, trace=trace, host="a-node")


def keys(rng: np.random.Generator, count: int, known: list[StoredInstance], tried: list[Configuration]) -> list[RunKey]:
    identifiers = [each.id for each in tried], [each.id for each in known]
    chosen = zip(*(rng.integers(len(each), size=count).tolist() for each in identifiers), strict=True)
    seeds = rng.integers(1, 2**31, size=count).tolist()
    return [
        RunKey("lkh", "3.0.12", identifiers[0][configuration], identifiers[1][instance], seed, 19_999_000, 2**31)
        for (configuration, instance), seed in zip(chosen, seeds, strict=True)
    ]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fill(folder: Path, runs: int, failed: float, rng: np.random.Generator) -> list[RunKey]:
    known, tried = instances(), configurations()
    recorded = keys(rng, runs, known, tried)
    store = Store.open(folder)
    for configuration in tried:
        store.add_configuration(configuration)
    for instance in known:
        store.add_instance(instance)
    took = 0.0
    for key in recorded:
        made = outcome(rng, failed)
        took += seconds(lambda key=key, made=made: store.record(key, CUTOFF, made))
    print(f"record_ms {1000.0 * took / runs:.3f}", flush=True)
    print(f"close_s {seconds(store.close):.2f}", flush=True)
    absent = keys(rng, LOOKUPS // 2, known, tried)
    return [*(recorded[int(number)] for number in rng.integers(runs, size=LOOKUPS // 2)), *absent]


def print_openings(name: str, folder: Path) -> None:
    times = [seconds(lambda: Store.read_only(folder).close()) for _ in range(OPENINGS)]
    print(f"{name} {statistics.median(times):.2f}", flush=True)


def print_lookups(folder: Path, asked: list[RunKey]) -> None:
    with Store.open(folder) as store:
        times = [seconds(lambda key=key: store.find(key, CUTOFF, CUTOFF)) for key in asked]
    print(f"lookup_ms {1000.0 * statistics.median(times):.4f}")
    print(f"lookup_p99_ms {1000.0 * statistics.quantiles(times, n=100)[-1]:.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--failed", type=float, default=0.02, help="share of runs that fail")
    arguments = parser.parse_args()
    if not (arguments.runs > 0 and 0.0 <= arguments.failed <= 1.0):
        parser.error("--runs must be above 0, --failed from 0 to 1")
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = fill(folder, arguments.runs, arguments.failed, rng)
        print_openings("open_s", folder)
        print_lookups(folder, [asked[int(number)] for number in rng.permutation(len(asked))])
        size = (folder / "ceps.sqlite").stat().st_size
        print(f"mb_per_million {size / arguments.runs:.0f}")
        (folder / SEAL_NAME).unlink()
        print_openings("open_after_kill_s", folder)


if __name__ == "__main__":
    main()
