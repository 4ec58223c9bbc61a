"""A scenario: which problem, which solvers, which metric, which method, how much of everything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from ceps.errors import UserError, did_you_mean
from ceps.records import MOST_MEMBERS
from ceps.tables import Bytes, Seconds, as_float, brief, read_table, read_toml, with_absolute_file

SMALLEST_MEMORY = 16 * 1024**2
BACKENDS = ("local", "dask")
_ADDRESS = re.compile(r"(tcp|tls)://([^\s/:\[\]]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")
BATCH_SYSTEMS = ("lsf", "pbs", "sge", "slurm")


def enough_memory(count: int) -> int:
    """A memory limit that a run can at least start with."""
    if count < SMALLEST_MEMORY:
        raise ValueError(f"must be at least {SMALLEST_MEMORY // 1024**2}MiB: with less no run can start")
    return count


def _numbers(table: object) -> dict[str, float]:
    """A table of numbers."""
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
    """Cities, or customers, of each instance."""
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
    """The problem class."""
    train: tuple[str, ...] = ()
    """Files, folders or patterns such as ``"data/*.tsp"``, relative to the scenario's folder."""
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
    """Solvers of the problem; members may be of any of them."""
    size: int = 4
    """K, the number of members."""

    def __post_init__(self) -> None:
        _at_least_one(self, "size")
        if self.size > MOST_MEMBERS:
            raise ValueError(f"size must be at most {MOST_MEMBERS}, not {brief(self.size)}")
        if not self.solvers:
            raise ValueError('solvers must name at least one solver, such as ["lkh"]')
        if len(set(self.solvers)) < len(self.solvers):
            raise ValueError(f"solvers names one of {', '.join(self.solvers)} twice; name each once")


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """The performance indicator and the CPU seconds after which a run is stopped."""

    cutoff: Seconds
    """CPU time after which a run is stopped."""
    name: str = "par10"
    """PAR-10, the time to the cost that counts as solved, or PANC, the cost at the cut-off."""
    penalty: float | None = None
    """The score of a run without a solution: 2000 for PANC unless set. PAR-10 has ten times the cut-off, always."""

    def __post_init__(self) -> None:
        if self.penalty is not None and self.penalty <= 0.0:
            raise ValueError(f"penalty must be above 0, not {self.penalty:g}")


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """The construction method; its own settings stand beside its name."""

    name: str = "ceps"
    """How the portfolio is built."""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """How much a build may use. A scenario without it can be checked, but not built."""

    cpu: Seconds
    """CPU time of solver runs, altogether, as charged."""


@dataclass(frozen=True, slots=True)
class ReferenceSettings:
    """The cost that counts as solved, which PAR-10 needs."""

    known: str | None = None
    """A JSON file of known ones by instance file, such as ``{"city.tsp": 20929498}``; the others are looked for."""
    cpu: Seconds | None = None
    """CPU time of each of the first runs that look for one, doubled in later rounds. The cut-off unless set."""


@dataclass(frozen=True, slots=True)
class JobSettings:
    """Workers as jobs of a batch system."""

    system: str
    jobs: int
    options: Mapping[str, Any]
    """What each job asks for, in the words of dask-jobqueue: cores, memory, walltime, queue and others."""


def _jobs(table: object) -> JobSettings:
    """Table."""
    if not isinstance(table, Mapping):
        raise ValueError(f"must be a table, not {brief(table)}")
    options = {key: value for key, value in table.items() if key not in ("system", "jobs")}
    system, jobs = table.get("system"), table.get("jobs", 1)
    if not isinstance(system, str):
        raise ValueError(f"needs the key 'system', one of {', '.join(BATCH_SYSTEMS)}")
    if system not in BATCH_SYSTEMS:
        raise ValueError(f"has the unknown system '{system}'.{did_you_mean(system, BATCH_SYSTEMS)}")
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise ValueError(f"jobs must be a whole number of at least 1, not {brief(jobs)}")
    return JobSettings(system, jobs, options)


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """Where and how runs are made. Neither changes what a build comes to."""

    workers: int | None = None
    """Runs at a time. One per core unless set."""
    memory: Bytes = 2 * 1024**3
    """What one run may use, at least 16MiB."""
    backend: str = "local"
    """``local``: this machine; ``dask``: a Dask cluster, of local processes unless one of the following is given."""
    scheduler: str | None = None
    """The address of a cluster that is there, such as ``tcp://host:8786``."""
    jobqueue: Annotated[JobSettings, _jobs] | None = None
    """Workers as jobs of a batch system: ``system`` (lsf, pbs, sge or slurm), ``jobs`` (1 unless set), and what each
    asks for in the words of dask-jobqueue, such as ``cores``, ``memory``, ``walltime`` and ``queue``."""

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise ValueError(f"backend is unknown: {brief(self.backend)}.{did_you_mean(self.backend, BACKENDS)}")
        if self.scheduler is not None and self.jobqueue is not None:
            raise ValueError("has both scheduler and jobqueue; keep one")
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise ValueError(f"scheduler must be an address such as tcp://host:8786, not {brief(self.scheduler)}")
        if self.has_own_workers and self.backend != "dask":
            raise ValueError('has a cluster that is not used; add backend = "dask", or remove scheduler and jobqueue')
        if self.workers is not None:
            _at_least_one(self, "workers")
            if self.has_own_workers:
                raise ValueError("workers: the cluster has its own number of them; remove the key")
        try:
            enough_memory(self.memory)
        except ValueError as error:
            raise ValueError(f"memory {error}") from error

    @property
    def has_own_workers(self) -> bool:
        """Whether runs are made by workers whose number is not for this command to say."""
        return self.scheduler is not None or self.jobqueue is not None


@dataclass(frozen=True, slots=True)
class Scenario:
    """What ``ceps check`` and ``ceps build`` read."""

    seed: int
    """All randomness is derived from it."""
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
    if {"methods", "splits"} & tables.keys():
        raise UserError(f"{path}: is an experiment, for `ceps compare`; a scenario has one [method] and no [splits]")
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
