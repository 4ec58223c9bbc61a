"""An experiment: which instances, how they are split, which methods, how much each may use, how all are tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ceps import seeds
from ceps.errors import UserError
from ceps.settings import (
    BudgetSettings,
    ExecutionSettings,
    GenerateSettings,
    MetricSettings,
    PortfolioSettings,
    ProblemSettings,
    ReferenceSettings,
    Scenario,
    with_absolute_files,
)
from ceps.tables import brief, read_table, read_toml


@dataclass(frozen=True, slots=True)
class InstanceSettings:
    """The problem class and all instances, for training and for tests: files (``instances``) or generated ones."""

    name: str
    """The problem class."""
    instances: tuple[str, ...] = ()
    """Files, folders or patterns such as ``"data/*.tsp"``, relative to the experiment's folder."""
    generate: GenerateSettings | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The problem's own, such as ``dispatching_cost = 300``."""

    def __post_init__(self) -> None:
        if bool(self.instances) == (self.generate is not None):
            raise ValueError(
                'needs either instances = ["folder/*.tsp"] or generate = { generator = ..., size = ..., count = ... }'
            )


def _share_or_count(value: object) -> float | int:
    """A share between 0 and 1, or a whole number."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if isinstance(value, float) and 0.0 < value < 1.0:
        return value
    raise ValueError(f"must be a share between 0 and 1 or a whole number of instances, not {brief(value)}")


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Random splits into training and test instances."""

    count: int = 3
    """How many, independent of each other."""
    train: Annotated[Any, _share_or_count] = 0.06
    """The share of training instances, or their number. The paper has 30 of 500."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError(f"count must be at least 1, not {self.count}")


@dataclass(frozen=True, slots=True)
class TestSettings:
    """How portfolios are tested."""

    repeats: int = 3
    """Runs on each instance; the median counts."""

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise ValueError(f"repeats must be at least 1, not {self.repeats}")


@dataclass(frozen=True, slots=True)
class Entrant:
    """One of ``[[methods]]``; its own settings stand beside its name and label."""

    name: str
    """A construction method, or one of the contenders below that use no budget."""
    label: str | None = None
    """What tables and figures call it. A usual name, such as CEPS or EAX-tuned, unless set."""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experiment:
    """What ``ceps compare`` reads."""

    seed: int
    """All randomness is derived from it, the splits too."""
    problem: InstanceSettings
    portfolio: PortfolioSettings
    metric: MetricSettings
    budget: BudgetSettings
    """The budget is that of each method on each split."""
    methods: tuple[Entrant, ...]
    splits: SplitSettings = SplitSettings()
    test: TestSettings = TestSettings()
    execution: ExecutionSettings = ExecutionSettings()  # noqa: RUF009 - a frozen value
    references: ReferenceSettings = ReferenceSettings()  # noqa: RUF009 - a frozen value
    solvers: Mapping[str, Any] = field(default_factory=dict)
    """Settings of solvers by name, such as ``[solvers.lkh] binary = "/opt/LKH"``."""

    def __post_init__(self) -> None:
        if not self.methods:
            raise ValueError('methods are missing; add [[methods]] with name = "ceps", say')

    @property
    def scenario(self) -> Scenario:
        """What all builds and tests have in common, as a scenario."""
        problem = self.problem
        return Scenario(
            seed=self.seed,
            problem=ProblemSettings(problem.name, problem.instances, problem.generate, problem.settings),
            portfolio=self.portfolio,
            metric=self.metric,
            budget=self.budget,
            execution=self.execution,
            references=self.references,
            solvers=self.solvers,
        )

    def split_seed(self, split: int) -> int:
        """The seed of all builds on a split: methods meet the same random numbers, splits have their own."""
        return seeds.derive(self.seed, "split", split)


def read_experiment(path: Path) -> Experiment:
    """Read an experiment file. Relative paths in it are relative to the folder it stands in."""
    tables = with_absolute_files(read_toml(path), path.parent)
    if "method" in tables and "methods" not in tables:
        raise UserError(f"{path}: is a scenario, for `ceps build`; an experiment has [[methods]] instead of [method]")
    if isinstance(methods := tables.get("methods"), list):
        tables["methods"] = [_entrant(method) if isinstance(method, Mapping) else method for method in methods]
    return read_table(Experiment, tables, f"{path}:")


def _entrant(table: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in table.items() if key in ("name", "label")}
    return {**own, "options": {key: value for key, value in table.items() if key not in own}}
