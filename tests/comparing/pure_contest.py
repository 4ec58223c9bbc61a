"""A whole comparison on outcomes that are pure functions."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ceps.building import Numbers
from ceps.comparing import contest, holding
from ceps.comparing.experiment import Experiment, read_experiment
from ceps.comparing.measured import Measured
from ceps.construction.budget import Account
from ceps.testing.pure_executor import PureExecutor

SCALE = 0.3
"""Typical CPU seconds of a run."""
EXPERIMENT = """
seed = 3
[problem]
name = "tsp"
generate = { generator = "all", size = 30, count = 1 }
[splits]
count = 2
train = 3
[portfolio]
size = 2
solvers = ["eax", "lkh"]
[metric]
cutoff = 1.0
[budget]
cpu = "2min"
[test]
repeats = 3
[[methods]]
name = "eps"
iterations = 1
sessions = 2
candidates = 6
[[methods]]
name = "ceps"
iterations = 2
sessions = 2
candidates = 6
[[methods]]
name = "single"
solver = "eax"
sessions = 2
[[methods]]
name = "default"
solver = "lkh"
[[methods]]
name = "portfolio"
file = "box"
[[methods]]
name = "vbs"
of = ["LKH-default", "boxed"]
"""


class Listener:
    """Writes down what is told."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.phases: list[str] = []
        self.repeats = 0

    def start(self, numbers: Numbers) -> None:
        self.numbers = numbers

    def begin(self, phase: str, account: Account) -> None:
        self.phases.append(phase)

    def keep(self, stage: str, score: float) -> None:
        return None

    def test(self, references: int, repeats: int) -> None:
        self.announced = repeats

    def referenced(self, instance: Any, reference: Any) -> None:
        return None

    def tested(self, instance: Any, repeat: Any) -> None:
        self.repeats += 1

    def warn(self, message: str) -> None:
        self.warnings.append(message)


def experiment(tmp_path: Path, text: str = EXPERIMENT) -> Experiment:
    path = tmp_path / "experiment.toml"
    path.write_text(text)
    assert tomllib.loads(text)
    return read_experiment(path)


def hold(settings: Experiment, out: Path, executor: PureExecutor, listener: Listener | None = None) -> Measured:
    prepared = contest.prepare(settings, out.parent, "experiment.toml")
    return holding.hold(prepared, executor, out, listener or Listener())


Whole = tuple[Measured, Path, PureExecutor, Listener]
"""A finished comparison: what came of it, its directory, who ran it, and what was told meanwhile."""
