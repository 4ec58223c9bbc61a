"""The joint, conditional parameter space of several solvers, and the product of several such spaces, on ConfigSpace."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any

from ceps import seeds
from ceps.records import Configuration, Value
from ceps.solvers.solver import Solver, default_configuration, plain_configuration

if TYPE_CHECKING:
    from ConfigSpace import Configuration as Point
    from ConfigSpace import ConfigurationSpace
    from ConfigSpace.hyperparameters import Hyperparameter

CHOICE = "solver"
"""The parameter that chooses the solver, where there are several."""


@dataclass(frozen=True)
class JointSpace:
    """The configurations of all ``solvers``, as points of one space.

    Several solvers are joined under a choice of solver: a parameter is called ``lkh:KICKS``, say, and is active only
    where its solver is chosen and the solver's own conditions hold. One solver alone has its own space, as it is.
    """

    solvers: tuple[Solver, ...]

    @cached_property
    def space(self) -> ConfigurationSpace:
        # A copy, because searches seed the space they are given.
        return copy.deepcopy(self.solvers[0].space) if len(self.solvers) == 1 else _joined(self.solvers)

    @property
    def defaults(self) -> tuple[Configuration, ...]:
        """What each solver has without any tuning, in their order."""
        return tuple(default_configuration(solver) for solver in self.solvers)

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """For each solver, the columns of a point's vector that may have a value where it is chosen.

        Where there are several, the first column is the number of the solver.
        """
        if len(self.solvers) == 1:
            return (tuple(range(len(self.space))),)
        index = self.space.index_of
        return tuple((index[CHOICE], *(index[_name(each, own)] for own in each.space)) for each in self.solvers)

    def configuration(self, point: Mapping[str, Any]) -> Configuration:
        """The configuration a point stands for: a solver, and plain values of its parameters, of active ones only."""
        values = dict(point)
        if len(self.solvers) == 1:
            return plain_configuration(self.solvers[0].name, values)
        chosen = str(values.pop(CHOICE))
        return plain_configuration(chosen, {name.removeprefix(f"{chosen}:"): value for name, value in values.items()})

    def point(self, configuration: Configuration) -> Point:
        """The point of a configuration, which may also have values of parameters that are not active."""
        return _active(self.values(configuration), self.space)

    def values(self, configuration: Configuration) -> dict[str, Value]:
        """A configuration's values by their names in this space."""
        values = configuration.as_dict()
        if len(self.solvers) == 1:
            return values
        chosen = configuration.solver
        return {CHOICE: chosen, **{f"{chosen}:{name}": value for name, value in values.items()}}

    def vector(self, configuration: Configuration) -> list[float]:
        """A configuration as numbers for models to learn from; -1 where a parameter is not active."""
        return [-1.0 if isnan(value) else float(value) for value in self.point(configuration).get_array()]

    def sample(self, count: int, seed: int) -> list[Configuration]:
        """The default configuration of every solver, then random ones, of all solvers alike.

        A larger sample begins with a smaller one's configurations.
        """
        spaces = [copy.deepcopy(solver.space) for solver in self.solvers]
        for space in spaces:
            space.seed(seeds.derive(seed, "sample"))
        # The solver first: where one forbids much, drawing from the joint space would find the others more often.
        choices = seeds.generator(seed, "sample solvers").integers(len(spaces), size=max(0, count - len(spaces)))
        # One at a time: ConfigSpace draws a batch parameter by parameter, which would make it depend on the count.
        drawn = [
            plain_configuration(self.solvers[choice].name, spaces[choice].sample_configuration()) for choice in choices
        ]
        return [*self.defaults, *drawn][:count]


@dataclass(frozen=True)
class ProductSpace:
    """Portfolios of ``width`` configurations, as points of one space: a joint space for each member, side by side.

    A member's parameter is called ``2:lkh:KICKS``, say. One member alone has its joint space, as it is.
    """

    joint: JointSpace
    width: int = 1

    @cached_property
    def space(self) -> ConfigurationSpace:
        return self.joint.space if self.width == 1 else _product(self.joint.space, self._prefixes)

    @property
    def columns(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each member, and for each solver it may be of, the columns as :attr:`JointSpace.columns` has them."""
        index, name = self.space.index_of, self.joint.space.at
        return tuple(
            tuple(tuple(index[prefix + name[column]] for column in own) for own in self.joint.columns)
            for prefix in self._prefixes
        )

    def members(self, point: Mapping[str, Any]) -> tuple[Configuration, ...]:
        """The configurations a point stands for."""
        own = [{name: value for name, value in point.items() if name.startswith(prefix)} for prefix in self._prefixes]
        return tuple(
            self.joint.configuration({name.removeprefix(prefix): value for name, value in values.items()})
            for prefix, values in zip(self._prefixes, own, strict=True)
        )

    def point(self, members: Sequence[Configuration]) -> Point:
        """The point of ``width`` configurations."""
        values = {
            prefix + name: value
            for prefix, member in zip(self._prefixes, members, strict=True)
            for name, value in self.joint.values(member).items()
        }
        return _active(values, self.space)

    @property
    def _prefixes(self) -> tuple[str, ...]:
        return ("",) if self.width == 1 else tuple(f"{number}:" for number in range(1, self.width + 1))


def _active(values: Mapping[str, Value], space: ConfigurationSpace) -> Point:
    """The point of these values, without those that are not active."""
    from ConfigSpace.util import deactivate_inactive_hyperparameters  # noqa: PLC0415

    return deactivate_inactive_hyperparameters(dict(values), space)


def _name(solver: Solver, parameter: str) -> str:
    return f"{solver.name}:{parameter}"


def _joined(solvers: tuple[Solver, ...]) -> ConfigurationSpace:
    """ConfigSpace's own way of adding spaces makes only parameters without conditions depend on the choice, and takes
    a child of an inactive parent for active when its condition is an inequality."""
    from ConfigSpace import (  # noqa: PLC0415
        AndConjunction,
        Categorical,
        ConfigurationSpace,
        EqualsCondition,
    )

    joint = ConfigurationSpace()
    choice = Categorical(CHOICE, [solver.name for solver in solvers], default=solvers[0].name)
    joint.add(choice)
    for solver in solvers:
        own = copy.deepcopy(solver.space)
        parameters, rules_of = dict(own), own.parent_conditions_of
        _rename(own, _name(solver, ""))
        conditions: list[AndConjunction | EqualsCondition] = []
        for name, parameter in parameters.items():
            chosen = EqualsCondition(parameter, choice, solver.name)
            conditions.append(AndConjunction(chosen, *rules_of[name]) if rules_of[name] else chosen)
        joint.add(parameters.values(), conditions, own.forbidden_clauses)
    return joint


def _product(space: ConfigurationSpace, prefixes: Sequence[str]) -> ConfigurationSpace:
    from ConfigSpace import ConfigurationSpace  # noqa: PLC0415

    product = ConfigurationSpace()
    for prefix in prefixes:
        own = copy.deepcopy(space)
        parameters, conditions, forbidden = list(own.values()), own.conditions, own.forbidden_clauses
        _rename(own, prefix)
        product.add(parameters, conditions, forbidden)
    return product


def _rename(space: ConfigurationSpace, prefix: str) -> None:
    """Put a prefix before the names of all parameters; the space itself is of no use afterwards."""
    for parameter in _distinct(space):
        parameter.name = prefix + parameter.name


def _distinct(space: ConfigurationSpace) -> list[Hyperparameter[Any, Any]]:
    """All parameter objects in a space, each once: conditions and forbidden clauses may hold copies of their own."""
    rules = chain(space.conditions, space.forbidden_clauses)
    everywhere = chain(space.values(), chain.from_iterable(map(_parameters, rules)))
    return list({id(parameter): parameter for parameter in everywhere}.values())


def _parameters(rule: Any) -> Iterator[Hyperparameter[Any, Any]]:
    for literal in getattr(rule, "dlcs", [rule]):
        for role in ("child", "parent", "hyperparameter", "left", "right"):
            if hasattr(literal, role):
                yield getattr(literal, role)
