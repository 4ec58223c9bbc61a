"""What it costs PyVRP to be run by ceps: ``python -m benchmarks.pyvrp_overhead``.

``pyvrp_throughput``: iterations per CPU second of PyVRP run by the local executor, over those of PyVRP's own ``solve``
on the same data with the same seed, measured in turns; of each the fastest round, because what else the machine does
only ever slows. Courses are the same, so both are made to do the same number of iterations: ``solve`` is told it, and
the run's target is the cost that is reached in it. The time of the run is the kernel's, and has in it the fork,
building PyVRP's data, and checking and reporting solutions.
"""

from __future__ import annotations

import time

import pyvrp
from pyvrp.stop import MaxIterations

from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems import Infeasible
from ceps.problems.vrpspdtw import Vrpspdtw, VrpspdtwInstance
from ceps.problems.vrpspdtw.generate import generate
from ceps.records import Ending, Limits
from ceps.solvers.pyvrp_ils import PyVrp
from ceps.solvers.pyvrp_search import problem_data
from ceps.solvers.solver import default_configuration

CUSTOMERS = 400
SEED = 1
ITERATIONS = 4000
ROUNDS = 10


class LastImprovement(pyvrp.IteratedLocalSearchCallbacks):
    """The iteration of the last improvement."""

    def __init__(self) -> None:
        self.iteration = 0
        self._done = 0

    def on_best(self, best: pyvrp.Solution) -> None:
        self.iteration = self._done + 1

    def on_iteration(self, *_: object) -> None:
        self._done += 1


def last_improvement(instance: VrpspdtwInstance) -> tuple[int, float]:
    """The last iteration of :data:`ITERATIONS` that improves the solution, and the cost it comes to."""
    last = LastImprovement()
    parameters = pyvrp.SolveParams(pyvrp.IteratedLocalSearchParams(callbacks=last))
    data = problem_data(instance)
    found = pyvrp.solve(data, MaxIterations(ITERATIONS), SEED, collect_stats=False, params=parameters).best
    routes = [[int(instance.ids[stop.idx + 1]) for stop in route if stop.is_client()] for route in found.routes()]
    cost = Vrpspdtw().check(instance, routes)
    assert not isinstance(cost, Infeasible)
    return last.iteration, cost


def main() -> None:
    instance = generate("city", CUSTOMERS, SEED)
    iterations, target = last_improvement(instance)
    data = problem_data(instance)
    run = Run(Vrpspdtw(), PyVrp(), default_configuration(PyVrp()), instance, SEED, Limits(cpu=600.0), target)
    alone, by_ceps = [], []
    with LocalExecutor(workers=1) as executor:
        for _ in range(ROUNDS):
            start = time.process_time()
            pyvrp.solve(data, MaxIterations(iterations), SEED, collect_stats=False)
            alone.append(iterations / (time.process_time() - start))
            outcome = executor.submit(run).result()
            assert outcome.ending is Ending.SOLVED
            by_ceps.append(iterations / outcome.cpu)
            print(f"iterations per CPU second: alone {alone[-1]:.1f}, run by ceps {by_ceps[-1]:.1f}", flush=True)
    print(f"pyvrp_throughput {max(by_ceps) / max(alone):.3f}")


if __name__ == "__main__":
    main()
