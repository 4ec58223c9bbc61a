"""What capping by the rest saves: ``python -m benchmarks.capping``.

``capping_saving``: over a whole small build with K = 4, the CPU that the paper's accounting (all K members side by
side until one solves the instance) would charge for the same trials, over the CPU really spent, completing the rest
and finding references included. ``worker_utilisation``: solver CPU / (workers × wall) in the same build.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from ceps import building
from ceps.construction.budget import Account
from ceps.execution.local import LocalExecutor
from ceps.settings import BudgetSettings, read_scenario

SCENARIO = Path(__file__).parent.parent / "experiments" / "tsp-small.toml"
BUDGET = 900.0


class Lines:
    """A line per phase."""

    def start(self, numbers: building.Numbers) -> None:
        self._numbers = numbers

    def begin(self, phase: str, account: Account) -> None:
        print(f"# {self._numbers.wall:6.0f} s  {phase}", flush=True)

    def keep(self, stage: str, score: float) -> None:
        return None


def main() -> None:
    scenario = replace(read_scenario(SCENARIO), budget=BudgetSettings(BUDGET))
    with tempfile.TemporaryDirectory() as folder, LocalExecutor() as executor:
        built = building.build(scenario, SCENARIO.parent, SCENARIO.name, executor, Path(folder), Lines())
    print(f"capping_saving {built.cpu_side_by_side / built.cpu_spent:.2f}")
    print(f"worker_utilisation {built.utilisation:.2f}")
    print(f"# mean run {built.cpu_spent / built.runs:.2f} s")


if __name__ == "__main__":
    main()
