"""A scenario: which problem, which solvers, which metric, which method, how much of everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from ceps.tables import Bytes, Seconds, as_float, brief, read_table, read_toml, with_absolute_file

SMALLEST_MEMORY = 16 * 1024**2


def enough_memory(count: int) -> int:
    """A memory limit that a run can at least start with."""
    if count < SMALLEST_MEMORY:
        raise ValueError(f"must be at least {SMALLEST_MEMORY // 1024**2}MiB: with less no run can start")
    return count


def _numbers(table: object) -> dict[str, float]:
    if not isinstance(table, Mapping):
        raise ValueError(f"must be a table, not {brief(table)}")
    for key, value in table.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(as_float(value)):
            raise ValueError(f"must have finite numbers: {brief(key)} = {brief(value)} is none")
    return {key: float(value) for key, value in table.items()}


@dataclass(frozen=True, slots=True)
class GenerateSettings:
    """Training instances made by a generator instead of read from files."""

    generator: str
    """Its name; ``all`` for every generator of the problem."""
    size: int
    count: int
    """Instances of each generator."""
    parameters: Annotated[Mapping[str, float], _numbers] = field(default_factory=dict)
    """Values of the generator's parameters, such as ``{ epsilon = 0.2 }``."""

    def __post_init__(self) -> None:
        _at_least_one(self, "size", "count")


@dataclass(frozen=True, slots=True)
class ProblemSettings:
    """The problem class and its training instances: files (``train``) or generated ones (``generate``)."""

    name: str
    train: tuple[str, ...] = ()
    generate: GenerateSettings | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The problem's own, such as ``dispatching_cost = 300``."""

    def __post_init__(self) -> None:
        if bool(self.train) == (self.generate is not None):
            raise ValueError(
                'needs either train = ["folder/*.tsp"] or generate = { generator = ..., size = ..., count = ... }'
            )


@dataclass(frozen=True, slots=True)
class PortfolioSettings:
    """How many members, and of which solvers they may be."""

    solvers: tuple[str, ...]
    size: int = 4

    def __post_init__(self) -> None:
        _at_least_one(self, "size")
        if not self.solvers:
            raise ValueError('solvers must name at least one solver, such as ["lkh"]')
        if len(set(self.solvers)) < len(self.solvers):
            raise ValueError(f"solvers names one of {', '.join(self.solvers)} twice; name each once")


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """The performance indicator and the CPU seconds after which a run is stopped."""

    cutoff: Seconds
    name: str = "par10"
    penalty: float | None = None
    """The score of a run without a solution, where the indicator lets it be chosen."""

    def __post_init__(self) -> None:
        if self.penalty is not None and self.penalty <= 0.0:
            raise ValueError(f"penalty must be above 0, not {self.penalty:g}")


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """The construction method; its own settings stand beside its name."""

    name: str = "ceps"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """CPU time of solver runs, altogether."""

    cpu: Seconds


@dataclass(frozen=True, slots=True)
class ReferenceSettings:
    """The cost that counts as solved: a JSON file of known ones, and the CPU seconds of a run that looks for one."""

    known: str | None = None
    cpu: Seconds | None = None


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """Workers (default: one per core) and what a run may use."""

    workers: int | None = None
    memory: Bytes = 2 * 1024**3

    def __post_init__(self) -> None:
        if self.workers is not None:
            _at_least_one(self, "workers")
        try:
            enough_memory(self.memory)
        except ValueError as error:
            raise ValueError(f"memory {error}") from error


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file, whole."""

    seed: int
    problem: ProblemSettings
    portfolio: PortfolioSettings
    metric: MetricSettings
    method: MethodSettings = MethodSettings()
    budget: BudgetSettings | None = None
    execution: ExecutionSettings = ExecutionSettings()
    references: ReferenceSettings = ReferenceSettings()
    solvers: Mapping[str, Any] = field(default_factory=dict)
    """Settings of solvers by name, such as ``[solvers.lkh] binary = "/opt/LKH"``."""


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file. Relative paths in it are relative to the folder it stands in."""
    tables = with_absolute_files(read_toml(path), path.parent)
    if isinstance(method := tables.get("method"), Mapping):
        options = {key: value for key, value in method.items() if key != "name"}
        name = {"name": method["name"]} if "name" in method else {}
        tables["method"] = {**name, "options": options}
    return read_table(Scenario, tables, f"{path}:")


def with_absolute_files(tables: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The tables of a scenario, where descriptions of problems and solvers are found from everywhere.

    A portfolio that is built names them so.
    """
    problem, solvers = tables.get("problem"), tables.get("solvers")
    if isinstance(problem, Mapping) and "settings" in problem:
        tables["problem"] = {**problem, "settings": with_absolute_file(problem["settings"], folder)}
    if isinstance(solvers, Mapping):
        tables["solvers"] = {name: with_absolute_file(own, folder) for name, own in solvers.items()}
    return tables


def _at_least_one(settings: Any, *keys: str) -> None:
    for key in keys:
        if getattr(settings, key) < 1:
            raise ValueError(f"{key} must be at least 1, not {getattr(settings, key)}")
