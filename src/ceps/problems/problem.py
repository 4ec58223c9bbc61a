"""The Problem contract: what ``ceps`` must know about a class of problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ceps.errors import UserError
from ceps.problems.parameters import Parameter
from ceps.problems.sketch import Sketch
from ceps.records import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Instance(Protocol):
    """An immutable value that pickles small and fast."""

    @property
    def id(self) -> str:
        """Identity: a hash of the content. The name is not part of it."""

    @property
    def name(self) -> str:
        """What people call it; the file's stem when it came from a file."""


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Why a solution is not one."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unverified(Infeasible):
    """Why nobody can tell whether an answer is one: it is worth nothing, but no false claim either."""


class Problem(Protocol):
    """How the instances of one problem class are read, written, varied, measured, and their solutions checked.

    Implementations are small picklable values: frozen dataclasses whose fields are the problem's settings.
    """

    @property
    def name(self) -> str:
        """What scenarios call it."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name endings of instances, the one written first: what a folder is searched for."""

    @property
    def version(self) -> str:
        """What decides on answers beside ceps itself, such as a program that checks them; empty when nothing does.

        Every host of a cluster tells what is there: where it is another than where runs are asked for, none is made.
        """
        return ""

    @property
    def target(self) -> float | None:
        """The cost that counts as solved on every instance, for decision problems; None when costs are compared.

        It is 1 where an answer that nobody verified may count; one that was verified costs 0.
        """
        return None

    @property
    def mutates(self) -> bool:
        """Whether there is a :meth:`mutate`: without one, no instances can be bred."""
        return True

    def read(self, path: Path) -> Any:
        """The instance in a file. Raises :class:`~ceps.errors.UserError` naming file, line and fix."""

    def write(self, instance: Any, path: Path) -> None:
        """Write an instance so that :meth:`read` gives it back."""

    def decode(self, text: str, name: str) -> Any:
        """The instance in a text, as :meth:`read` has it from a file; ``name`` is used in messages and as its name."""

    def encode(self, instance: Any) -> str:
        """The text that :meth:`write` puts into a file."""

    def write_solution(self, instance: Any, solution: Solution, cost: float, path: Path) -> None:
        """Write a solution in the field's own format."""

    def read_solution(self, instance: Any, path: Path) -> Solution:
        """The solution in a file written by :meth:`write_solution` or by other people's tools."""

    def check(self, instance: Any, solution: Solution) -> float | Infeasible:
        """The true cost of a solution, or why it is infeasible. Must survive any JSON value as a solution.

        Raises :class:`~ceps.errors.UserError` when it cannot be made here, whatever the solution: then the run is not
        scored, and the user is told.
        """

    def says(self, solution: Solution) -> str:
        """What an answer to a decision problem comes to, such as "yes" or "no": who says something else of the same
        instance contradicts it. Empty where costs are compared."""
        return ""

    def describe(self, instance: Any, solution: Solution) -> str:
        """A feasible solution in words, such as a table of its routes; empty when its cost says enough."""
        return ""

    def draw(self, instance: Any, solution: Solution | None, figure: Figure) -> None:
        """Draw a feasible solution, or without one the instance, into an empty figure, and give the figure its size.

        Import matplotlib where it is used: processes that runs are forked from must stay small.
        """
        raise UserError(f"instances and solutions of problem '{self.name}' cannot be drawn")

    def sketch(self, instance: Any, solution: Solution | None) -> Sketch | None:
        """What a page needs to draw an instance and, if there is one, a feasible solution; None if there is no way."""
        return None

    def mutate(self, instance: Any, rng: np.random.Generator) -> Any:
        """A new instance near a given one."""

    @property
    def generators(self) -> Mapping[str, Mapping[str, Parameter]]:
        """The generators of instances, each with its parameters; empty when there are none."""
        return {}

    @property
    def default_generator(self) -> str:
        """The generator that is used when none is named: the first."""
        for first in self.generators:
            return first
        raise UserError(f"problem '{self.name}' lists no generators; name one, if it has any")

    def generate(self, generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None) -> Any:
        """The instance that a named generator makes of a size, a seed and values of some of its parameters.

        Raises :class:`~ceps.errors.UserError` with the names and ranges there are, if any.
        """

    def features(self, instance: Any) -> Mapping[str, float]:
        """Cheap numbers that describe an instance; empty when the problem has none."""

    def scale(self, instance: Any) -> float:
        """The normaliser of quality metrics; 1 when costs of different instances compare as they are."""
        return 1.0
