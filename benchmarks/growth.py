"""How EAX grows with the number of cities: ``python -m benchmarks.growth [--sizes 200 400 800 1600 3200] [--seeds 3]``.

CPU seconds and peak memory until one population of the default configuration has converged, on uniform instances, each
in a process of its own, and the exponent of n that fits best.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.tsp import Tsp
from ceps.records import Ending, Limits
from ceps.solvers.eax import Eax
from ceps.solvers.solver import default_configuration

CUTOFF = 600.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 400, 800, 1600, 3200])
    parser.add_argument("--seeds", type=int, default=3, help="instances of each size, and seeds")
    arguments = parser.parse_args()
    solver = Eax(populations=1)
    outcomes = {}
    with LocalExecutor(workers=1) as executor:
        console = Console(stderr=True)
        cases = [(size, seed) for size in arguments.sizes for seed in range(1, arguments.seeds + 1)]
        for size, seed in track(cases, "Runs", console=console, disable=not console.is_terminal):
            instance = Tsp().generate("portgen", size, seed)
            limits = Limits(CUTOFF)
            run = Run(Tsp(), solver, default_configuration(solver), instance, seed=seed, limits=limits)
            outcomes[size, seed] = executor.submit(run).result()
    assert all(outcome.ending is Ending.FINISHED for outcome in outcomes.values()), "a run did not converge in time"
    table = Table("cities", "CPU s to converge (median)", "peak memory MiB")
    medians = []
    for size in arguments.sizes:
        made = [outcome for (of, _), outcome in outcomes.items() if of == size]
        medians.append(float(np.median([outcome.cpu for outcome in made])))
        memory = max(outcome.memory for outcome in made) / 1024**2
        table.add_row(f"{size}", f"{medians[-1]:.2f}", f"{memory:.1f}")
    Console().print(table)
    exponent = np.polyfit(np.log(arguments.sizes), np.log(medians), 1)[0]
    print(f"CPU grows like n to the {exponent:.2f}")


if __name__ == "__main__":
    main()
