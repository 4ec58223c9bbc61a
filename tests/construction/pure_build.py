"""A whole build on outcomes that are pure functions, as a program to be disturbed: ``python pure_build.py OUT``.

Its runs find better costs than its references all the time: what is known of instances decides, too.

Prints a line for every run it makes, and a last one when the portfolio is built. With ``--keepers`` a real run of a
solver that does next to nothing is made by a keeper for each of them, with ``--dask`` by that of a worker of a cluster.
What ends ``ceps`` with a message ends it, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path

from ceps import building
from ceps.construction.budget import Account
from ceps.errors import UserError
from ceps.execution.backends import executor_of
from ceps.execution.executor import Executor, Run
from ceps.records import Ending, Incumbent, Outcome
from ceps.settings import ExecutionSettings, Scenario
from ceps.tables import read_table
from ceps.testing.bits import BitSolver
from ceps.testing.executor import bits_run
from ceps.testing.pure_executor import PureExecutor

SCENARIO = {
    "seed": 3,
    "problem": {"name": "tsp", "generate": {"generator": "uniform", "size": 30, "count": 4}},
    "portfolio": {"size": 2, "solvers": ["lkh"]},
    "metric": {"cutoff": 1.0},
    "method": {"options": {"iterations": 2, "sessions": 3, "candidates": 8, "batch": 3}},
    "budget": {"cpu": 250.0},
}


class Silent:
    """Nobody watches."""

    def warn(self, message: str) -> None:
        return None

    def start(self, numbers: building.Numbers) -> None:
        self.numbers = numbers

    def begin(self, phase: str, account: Account) -> None:
        return None

    def keep(self, stage: str, score: float) -> None:
        return None


class KeptExecutor(PureExecutor):
    """Pure outcomes, each only when a real run has ended as it should."""

    def __init__(self, real: Executor, scale: float, on_run: Callable[[], object]) -> None:
        super().__init__(scale, on_run, real.slots, improving=True)
        self._real = real

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        promise: Future[Outcome] = Future()

        def finish(made: Future[Outcome]) -> None:
            try:
                real = made.result()
                if (real.ending, real.cost) != (Ending.FINISHED, 0):
                    raise RuntimeError(f"a run that cannot fail has: {real}")
                self.on_run()
                promise.set_result(self.outcome(run))
            except BaseException as error:
                promise.set_exception(error)

        self._real.submit(bits_run(BitSolver(), pause=0.001, cpu=60.0)).add_done_callback(finish)
        return promise


def say_run() -> None:
    os.write(1, b"run\n")


def main(out: Path, backend: str | None) -> None:
    scenario = read_table(Scenario, SCENARIO, "pure")
    with ExitStack() as stack:
        if backend is None:
            executor = PureExecutor(scale=0.3, on_run=say_run, improving=True)
        else:
            real = stack.enter_context(executor_of(ExecutionSettings(backend=backend), workers=2))
            executor = KeptExecutor(real, 0.3, say_run)
        built = building.build(scenario, Path(), "pure", executor, out, Silent())
    print(f"built {built.cpu_charged!r} {built.initial_score!r} {built.final_score!r}", flush=True)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), {"--keepers": "local", "--dask": "dask"}.get(sys.argv[-1]))
    except UserError as error:
        print(f"ceps: {error}", file=sys.stderr)
        sys.exit(2)
