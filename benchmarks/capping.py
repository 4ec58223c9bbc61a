"""What capping by the rest saves: ``python -m benchmarks.capping``.

``capping_saving``: over a whole small build with K = 4, the CPU that the paper's accounting (all K members side by
side until one solves the instance) would charge for the same trials, over the CPU really spent on them, completing the
rest included. Runs that look for references are no trials, and counted on neither side; ``with_references`` counts
them as spent. ``worker_utilisation``: solver CPU / (workers × wall) in the same build.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from ceps import building
from ceps.construction.budget import Account
from ceps.execution.local import LocalExecutor
from ceps.settings import MethodSettings, read_scenario

SCENARIO = Path(__file__).parent.parent / "experiments" / "tsp-small.toml"


class Lines:
    """A line per phase."""

    def start(self, numbers: building.Numbers) -> None:
        self._numbers = numbers

    def begin(self, phase: str, account: Account) -> None:
        print(f"# {self._numbers.wall:6.0f} s  {phase}", flush=True)

    def keep(self, stage: str, score: float) -> None:
        return None

    def warn(self, message: str) -> None:
        print(f"# {message}", flush=True)


def main() -> None:
    scenario = read_scenario(SCENARIO)
    options = {key: value for key, value in scenario.method.options.items() if key != "in_flight"}
    scenario = replace(scenario, method=MethodSettings("ceps", options))
    with tempfile.TemporaryDirectory() as folder, LocalExecutor() as executor:
        built = building.build(scenario, SCENARIO.parent, SCENARIO.name, executor, Path(folder), Lines())
    print(f"capping_saving {built.cpu_side_by_side / built.cpu_trials:.2f}")
    print(f"with_references {built.cpu_side_by_side / built.cpu_spent:.2f}")
    print(f"worker_utilisation {built.utilisation:.2f}")
    print(f"# mean run {built.cpu_spent / built.runs:.2f} s")


if __name__ == "__main__":
    main()
