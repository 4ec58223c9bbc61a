"""The Method contract: what builds a portfolio from training instances within a budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ceps.construction.budget import Account
from ceps.construction.tuner import Tuner
from ceps.evaluator import Evaluator
from ceps.metrics import Metric
from ceps.problems.problem import Problem
from ceps.records import Configuration

Members = tuple[Configuration, ...]
"""A portfolio Θ, while it is being built."""

Scores = npt.NDArray[np.float64]
"""One entry per run: instance and seed. Where there are columns, those of members or candidates."""


class Journal(Protocol):
    """The record of a build's decisions, which is also what shows its progress to people."""

    def begin(self, phase: str, account: Account) -> None:
        """A phase begins, with this account."""

    def recall(self, name: str, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What was decided from exactly these inputs before, if it was.

        Who takes it instead of making runs must give back what these had found (``references.findings``).
        """

    def decide(self, name: str, inputs: Mapping[str, Any], result: Mapping[str, Any], charge: float) -> None:
        """Record a decision. One that differs from what is recorded for the same inputs stops the build."""

    def keep(self, stage: str, members: Members, scores: Scores, losses: Scores) -> None:
        """A portfolio worth keeping, with its scores on training instances: after every stage.

        ``losses``: by how much their mean would rise without each member.
        """


@dataclass(frozen=True, slots=True)
class Outline:
    """What a build is of, as far as it is known before anything is run."""

    problem: Problem
    solvers: Sequence[str]
    """Names of the solvers whose configurations are searched."""
    tunable: Collection[str]
    """Those of them that have parameters."""
    metric: Metric
    instances: Sequence[Any]
    """T, the training instances."""
    size: int
    """K, the number of members."""
    cpu_of_reference: float
    """CPU seconds of finding the cost that counts as solved on one instance, at best; 0 where none is needed."""
    options: Mapping[str, Any]
    """The method's own settings."""


@dataclass(frozen=True, slots=True)
class Task:
    """Everything a method gets. It sees runs through the evaluator only: never a process, a file or a clock."""

    evaluator: Evaluator
    tuner: Tuner
    defaults: Sequence[Configuration]
    """The default configuration of every solver."""
    sample: Callable[[int], Sequence[Configuration]]
    """So many configurations: the defaults first, then random ones."""
    vector: Callable[[Configuration], Sequence[float]]
    """A configuration as numbers, of the same length for all, for models to learn from."""
    size: int
    """K, the number of members."""
    instances: Sequence[Any]
    """T, the training instances."""
    budget: float
    """CPU seconds of solver runs."""
    seed: int
    options: Mapping[str, Any]
    """The method's own settings."""
    journal: Journal

    @property
    def outline(self) -> Outline:
        metric = self.evaluator.metric
        return Outline(
            problem=self.evaluator.problem,
            solvers=[default.solver for default in self.defaults],
            tunable=[default.solver for default in self.defaults if default.values],
            metric=metric,
            instances=self.instances,
            size=self.size,
            cpu_of_reference=self.evaluator.references.cpu_of_one if metric.uses_target else 0.0,
            options=self.options,
        )


class Method(Protocol):
    """Builds portfolios. Methods are modules with these two functions; any object with them is one as well."""

    def smallest_budget(self, outline: Outline) -> float:
        """CPU seconds below which a build is refused, references apart.

        Raises :class:`~ceps.errors.UserError` where no budget would do: for settings that are wrong, and for a problem
        that lacks what the method needs.
        """

    def build(self, task: Task) -> Members:
        """A portfolio of ``task.size`` members. Deterministic, given the outcomes of runs."""


@runtime_checkable
class Limited(Protocol):
    """A method that can do less with some problems, and says so."""

    def limitations(self, problem: Problem) -> list[str]:
        """What it cannot do with a problem, for people; they are told before anything is run."""
