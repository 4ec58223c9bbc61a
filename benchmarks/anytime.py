"""What solvers with their defaults have found after so many CPU seconds: ``python -m benchmarks.anytime --help``.

Example: ``python -m benchmarks.anytime --problem vrpspdtw --solver coga --solver pyvrp --at 2 15 60 --seeds 3 FOLDER``

Per instance and solver: CPU seconds to the first solution, and the verified cost at each time, means over the seeds.
Each run lasts to the last of the times; the solvers take turns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from ceps.errors import UserError
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems import problem_named
from ceps.problems.collect import read_instances
from ceps.records import Limits, Outcome
from ceps.solvers import solver_named
from ceps.solvers.solver import default_configuration


@dataclass(frozen=True, slots=True)
class Measured:
    """One run."""

    instance: str
    solver: str
    first: float
    """CPU seconds to the first solution."""
    costs: tuple[float, ...]
    """At each of the times; infinite before the first solution."""


def measure(
    problem_name: str, solver_names: Sequence[str], folder: str, times: Sequence[float], seeds: int, workers: int
) -> list[Measured]:
    problem = problem_named(problem_name)
    instances = read_instances(problem, [folder], Path(), "FOLDER")
    solvers = [solver_named(name, {}) for name in solver_names]
    with LocalExecutor(workers=workers) as executor:
        pending = [
            (instance, solver, executor.submit(_run(problem, solver, instance, seed, max(times))))
            for seed in range(1, seeds + 1)
            for instance in instances
            for solver in solvers
        ]
        console = Console(stderr=True)
        return [
            _measured(instance.name, solver.name, future.result(), times)
            for instance, solver, future in track(pending, "Runs", console=console, disable=not console.is_terminal)
        ]


def _run(problem: Any, solver: Any, instance: Any, seed: int, cutoff: float) -> Run:
    return Run(problem, solver, default_configuration(solver), instance, seed, Limits(cutoff))


def _measured(instance: str, solver: str, outcome: Outcome, times: Sequence[float]) -> Measured:
    if outcome.cost is None:
        return Measured(instance, solver, float("inf"), (float("inf"),) * len(times))
    claims = [(each.cpu, each.cost) for each in outcome.trace if each.cost is not None]
    # The last claim is the one that was checked.
    costs = tuple(min((cost for cpu, cost in claims if cpu <= at), default=float("inf")) for at in times)
    return Measured(instance, solver, claims[0][0], (*costs[:-1], outcome.cost))


def show(runs: Sequence[Measured], times: Sequence[float]) -> None:
    table = Table("instance", "solver", "first after", *(f"at {at:g} s" for at in times))
    for instance in dict.fromkeys(run.instance for run in runs):
        for solver in dict.fromkeys(run.solver for run in runs):
            those = [run for run in runs if (run.instance, run.solver) == (instance, solver)]
            means = (fmean(costs) for costs in zip(*(run.costs for run in those), strict=True))
            first = fmean(run.first for run in those)
            table.add_row(instance, solver, f"{first:.3f} s", *(f"{mean:.0f}" for mean in means))
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", help="instances: a folder, a file or a pattern")
    parser.add_argument("--problem", required=True)
    parser.add_argument("--solver", action="append", required=True, help="repeatable")
    parser.add_argument("--at", type=float, nargs="+", required=True, metavar="S", help="CPU seconds")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each solver on each instance")
    parser.add_argument("--workers", type=int, default=1, help="runs side by side")
    arguments = parser.parse_args()
    times = sorted(arguments.at)
    if not (times[0] > 0.0 and arguments.seeds > 0 and arguments.workers > 0):
        parser.error("--at, --seeds and --workers must be above 0")
    try:
        folder, seeds, workers = arguments.folder, arguments.seeds, arguments.workers
        runs = measure(arguments.problem, arguments.solver, folder, times, seeds, workers)
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    show(runs, times)


if __name__ == "__main__":
    main()
