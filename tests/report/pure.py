"""A whole build on outcomes that are pure functions, whose runs tell more than those of others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ceps import building
from ceps.execution.executor import Run
from ceps.records import Incumbent, Outcome
from ceps.settings import Scenario
from ceps.tables import read_table
from ceps.testing.pure_executor import PureExecutor
from tests.construction.pure_build import Silent

SCALE = 0.3
SCENARIO = {
    "seed": 3,
    "problem": {"name": "tsp", "generate": {"generator": "uniform", "size": 30, "count": 3}},
    "portfolio": {"size": 2, "solvers": ["eax"]},
    "metric": {"cutoff": 1.0},
    "method": {"options": {"iterations": 2, "sessions": 2, "candidates": 8, "batch": 3}},
    "budget": {"cpu": 120.0},
}


class Interrupted(Exception):  # noqa: N818
    """The build was stopped by the test."""


class Telling(PureExecutor):
    """Runs that find something tell two improvements on the way, and the tour through the cities in their order."""

    def outcome(self, run: Run) -> Outcome:
        made = super().outcome(run)
        if made.cost is None:
            return made
        trace = (Incumbent(made.cpu / 4, 1.5 * made.cost), Incumbent(made.cpu / 2, made.cost))
        return replace(made, trace=trace, solution=list(range(1, run.instance.n + 1)))


def build(out: Path) -> building.Built:
    return building.build(read_table(Scenario, SCENARIO, "pure"), Path(), "pure", Telling(SCALE), out, Silent())


def build_until(out: Path, runs: int) -> None:
    """A build that is stopped after so many runs."""

    def count() -> None:
        if executor.runs > runs:
            raise Interrupted

    executor = Telling(SCALE, on_run=count)
    try:
        building.build(read_table(Scenario, SCENARIO, "pure"), Path(), "pure", executor, out, Silent())
    except Interrupted:
        return
    raise AssertionError(f"the build ended within {runs} runs")
