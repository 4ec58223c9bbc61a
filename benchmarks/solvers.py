"""How often and how fast a configuration of a solver reaches known optima: ``python -m benchmarks.solvers --help``.

Example: ``python -m benchmarks.solvers --problem tsp --solver eax --optima optima.json --cutoff 10 --seeds 3 folder``

Per instance and in total: ``solved`` of the runs, ``par10`` (a run that is not solved counts ten times the cut-off) and
quantiles of the CPU seconds of all runs. Runs are made one after the other unless ``--workers`` says otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ceps.errors import UserError, did_you_mean
from ceps.evaluation.session import read_known_costs
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems import problem_named
from ceps.problems.collect import read_instances
from ceps.records import Configuration, Ending, Limits, Value
from ceps.solvers import Solver, solver_named
from ceps.solvers.solver import default_configuration

QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Measured:
    """One run, as it stands in the JSON output."""

    instance: str
    seed: int
    solved: bool
    cost: float | None
    cpu: float


def configuration_with(solver: Solver, settings: Sequence[str]) -> Configuration:
    """The default configuration but for what ``name=value`` settings say."""
    space = solver.space
    values: dict[str, Value] = default_configuration(solver).as_dict()
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in space:
            raise UserError(f"--set {setting}: {solver.name} has no parameter '{name}'.{did_you_mean(name, space)}")
        kind = type(space[name].default_value)
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not space[name].legal_value(value):
            raise UserError(f"--set {setting}: not allowed; allowed is {space[name]}")
        values[name] = value
    return Configuration.of(solver.name, values)


def measure(arguments: argparse.Namespace) -> list[Measured]:
    problem, solver = problem_named(arguments.problem), solver_named(arguments.solver, {})
    configuration = configuration_with(solver, arguments.set)
    instances = read_instances(problem, [arguments.folder], Path(), "FOLDER")
    optima = read_known_costs(arguments.optima)
    for instance in instances:
        if instance.name not in optima:
            raise UserError(f"{arguments.optima}: has no optimum of '{instance.name}'; add it")
    with LocalExecutor(workers=arguments.workers) as executor:
        pending = [
            (
                instance,
                seed,
                executor.submit(
                    Run(
                        problem=problem,
                        solver=solver,
                        configuration=configuration,
                        instance=instance,
                        seed=seed,
                        limits=Limits(arguments.cutoff),
                        target=optima[instance.name],
                    )
                ),
            )
            for instance in instances
            for seed in range(1, arguments.seeds + 1)
        ]
        results = []
        console = Console(stderr=True)
        for instance, seed, future in track(pending, "Runs", console=console, disable=not console.is_terminal):
            outcome = future.result()
            solved = outcome.ending is Ending.SOLVED
            results.append(Measured(instance.name, seed, solved, outcome.cost, round(outcome.cpu, 4)))
    return results


def summary(runs: Sequence[Measured], cutoff: float) -> Mapping[str, float]:
    cpu = np.array([run.cpu for run in runs])
    solved = np.array([run.solved for run in runs])
    quantiles = {f"cpu q{100 * q:.0f}": float(np.quantile(cpu, q)) for q in QUANTILES}
    return {"solved": int(solved.sum()), "par10": float(np.where(solved, cpu, 10.0 * cutoff).mean()), **quantiles}


def show(runs: Sequence[Measured], cutoff: float) -> None:
    names = list(dict.fromkeys(run.instance for run in runs))
    rows = {name: summary([run for run in runs if run.instance == name], cutoff) for name in names}
    total = summary(runs, cutoff)
    table = Table("instance", *total)
    for name, row in [*rows.items(), (f"all {len(runs)} runs", total)]:
        cells = [f"{value}" if isinstance(value, int) else f"{value:.2f}" for value in row.values()]
        table.add_row(name, *cells)
    Console().print(table)
    geometric = np.exp(np.mean(np.log([max(run.cpu, 1e-4) for run in runs])))
    print(f"geometric mean of the CPU seconds: {geometric:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", help="instances: a folder, a file or a pattern")
    parser.add_argument("--problem", default="tsp")
    parser.add_argument("--solver", default="eax")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter; repeatable")
    parser.add_argument("--optima", type=Path, required=True, help="JSON: file names and costs that count as solved")
    parser.add_argument("--cutoff", type=float, default=10.0, help="CPU seconds of a run")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each instance")
    parser.add_argument("--workers", type=int, default=1, help="runs side by side")
    parser.add_argument("--json", action="store_true", help="all runs as JSON instead of the table")
    arguments = parser.parse_args()
    if not (arguments.cutoff > 0.0 and arguments.seeds > 0 and arguments.workers > 0):
        parser.error("--cutoff, --seeds and --workers must be above 0")
    try:
        runs = measure(arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if arguments.json:
        print(json.dumps({"runs": [asdict(run) for run in runs]}, indent=1))
    else:
        show(runs, arguments.cutoff)


if __name__ == "__main__":
    main()
