"""A whole build on outcomes that are pure functions, as a program to be killed: ``python pure_build.py OUT``.

Prints a line for every run it makes, and a last one when the portfolio is built.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ceps import building
from ceps.construction.budget import Account
from ceps.settings import Scenario
from ceps.tables import read_table
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


def main(out: Path) -> None:
    scenario = read_table(Scenario, SCENARIO, "pure")
    executor = PureExecutor(scale=0.3, on_run=lambda: os.write(1, b"run\n"))
    built = building.build(scenario, Path(), "pure", executor, out, Silent())
    print(f"built {built.cpu_charged!r} {built.initial_score!r} {built.final_score!r}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
