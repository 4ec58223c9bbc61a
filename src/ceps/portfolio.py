"""Portfolio: K configurations that run side by side. A JSON file with provenance; nothing in it is executed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ceps.commands import refuse_programs
from ceps.errors import UserError, did_you_mean
from ceps.files import content_of, write_whole
from ceps.problems import Problem, problem_named
from ceps.records import MOST_MEMBERS, Configuration, Value
from ceps.solvers import solver_named
from ceps.solvers.solver import Solver, plain_configuration
from ceps.tables import as_float, brief, naming, read_table, with_absolute_file

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace
    from ConfigSpace.hyperparameters import Hyperparameter

FORMAT = 1


@dataclass(frozen=True, slots=True)
class MetricChoice:
    """The indicator a portfolio was built for, and the one it is evaluated by unless told otherwise."""

    name: str
    cutoff: float
    penalty: float | None = None

    def __post_init__(self) -> None:
        for key, value in (("cutoff", self.cutoff), ("penalty", self.penalty)):
            if value is not None and not (isfinite(value) and value > 0.0):
                raise ValueError(f"{key} must be a number above 0, not {value:g}")


@dataclass(frozen=True, slots=True)
class Portfolio:
    """K configurations of one or more solvers for one problem class."""

    problem: str
    members: tuple[Configuration, ...]
    metric: MetricChoice
    solver_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What solvers need beside their parameters (a path to a binary, say), by solver."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Where it comes from: method, scenario, seed, instances, versions, training score, time."""
    problem_settings: Mapping[str, Any] = field(default_factory=dict)
    """The problem's own, such as what a vehicle costs where a file does not say."""

    def __len__(self) -> int:
        return len(self.members)

    @property
    def problem_class(self) -> Problem:
        """The problem, set as it was when the portfolio was built."""
        return problem_named(self.problem, self.problem_settings)

    def solvers(self) -> dict[str, Solver]:
        """The solvers its members need, by name."""
        names = dict.fromkeys(member.solver for member in self.members)
        return {name: solver_named(name, self.solver_settings.get(name, {})) for name in names}

    def refuse_programs(self, where: object, way: str) -> None:
        """For whoever would run it without having been told to trust the file."""
        refuse_programs(where, [*self.solvers().values(), self.problem_class], way)

    def as_json(self) -> dict[str, Any]:
        metric = {"name": self.metric.name, "cutoff": self.metric.cutoff}
        if self.metric.penalty is not None:
            metric["penalty"] = self.metric.penalty
        return {
            "format": FORMAT,
            "problem": self.problem,
            "problem_settings": dict(self.problem_settings),
            "metric": metric,
            "members": [{"solver": member.solver, "parameters": member.as_dict()} for member in self.members],
            "solvers": {name: dict(settings) for name, settings in self.solver_settings.items()},
            "provenance": dict(self.provenance),
        }

    def save(self, path: Path) -> None:
        """Write the file whole or not at all."""
        try:
            write_whole(path, f"{json.dumps(self.as_json(), indent=2)}\n".encode())
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        except RecursionError as error:  # A stranger's provenance, say.
            raise UserError(f"{path}: cannot be written: its content is nested too deeply") from error

    @classmethod
    def load(cls, path: Path) -> Portfolio:
        """Read a portfolio; whatever is wrong with the file is told with its key."""
        try:
            content = json.loads(content_of(path), parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}: not a JSON file: {error}; give a portfolio.json") from error
        return _portfolio(content, f"{path}:", path.parent)

    def describe(self) -> str:
        """Members in readable form: what differs from each solver's defaults."""
        title = f"Portfolio of {len(self)} for {self.problem} ({self.metric.name}, cut-off {self.metric.cutoff:g} s)"
        words = enumerate(self.in_words(self.solvers()), start=1)
        return "\n".join([title, *(f"  {number}. {member}" for number, member in words)])

    def in_words(self, solvers: Mapping[str, Solver]) -> tuple[str, ...]:
        """Each member, by what differs from its solver's defaults."""
        defaults = {name: solvers[name].space.get_default_configuration() for name in {m.solver for m in self.members}}
        told = []
        for member in self.members:
            default = defaults[member.solver]
            changed = [f"{name}={value}" for name, value in member.values if default.get(name) != value]
            told.append(f"{member.solver}: {', '.join(changed) or 'default configuration'}")
        return tuple(told)


@dataclass(frozen=True, slots=True)
class _MemberTable:
    """A member as it stands in the file."""

    solver: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _FileTable:
    """The keys of the file."""

    format: int
    problem: str
    metric: MetricChoice
    members: tuple[_MemberTable, ...]
    problem_settings: Mapping[str, Any] = field(default_factory=dict)
    solvers: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("members must be a list of at least one configuration")
        if len(self.members) > MOST_MEMBERS:
            raise ValueError(
                f"members must be a list of at most {MOST_MEMBERS} configurations, not {len(self.members)}"
            )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON value")


def _portfolio(content: object, where: str, folder: Path) -> Portfolio:
    """The portfolio in a JSON value. Every part is checked: the file may come from a stranger.

    Programs of the user's are never in it: it names the files that describe them.
    """
    if isinstance(content, Mapping) and content.get("format", FORMAT) != FORMAT:
        raise UserError(f"{where} format {brief(content['format'])} is not {FORMAT}; is ceps up to date?")
    table = read_table(_FileTable, content, where)
    table = replace(
        table,
        problem_settings=_with_description(table.problem_settings, folder),
        solvers={name: _with_description(settings, folder) for name, settings in table.solvers.items()},
    )
    with naming(where.removesuffix(":")):
        problem_named(table.problem, table.problem_settings)
        for name, settings in table.solvers.items():
            solver_named(name, settings)
        names = dict.fromkeys(member.solver for member in table.members)
        solvers = {name: solver_named(name, table.solvers.get(name, {})) for name in names}
    for solver in solvers.values():
        if table.problem not in solver.problems:
            raise UserError(f"{where} solver '{solver.name}' does not solve problem '{table.problem}'")
    spaces = {name: solver.space for name, solver in solvers.items()}
    members = tuple(
        _member(member, spaces[member.solver], f"{where} members[{index}]")
        for index, member in enumerate(table.members)
    )
    return Portfolio(table.problem, members, table.metric, table.solvers, table.provenance, table.problem_settings)


def _with_description(settings: Any, folder: Path) -> Any:
    """Settings whose description file is where it was, or else beside the portfolio: so both can be moved together."""
    found = with_absolute_file(settings, folder)
    if isinstance(found, Mapping) and isinstance(found.get("file"), str) and not os.path.exists(found["file"]):
        beside = folder.absolute() / Path(found["file"]).name
        return {**found, "file": str(beside)} if os.path.exists(beside) else found
    return found


def _member(member: _MemberTable, space: ConfigurationSpace, where: str) -> Configuration:
    values: dict[str, Value] = {}
    for name, given in member.parameters.items():
        if name not in space:
            raise UserError(f"{where} unknown parameter {brief(name)}.{did_you_mean(name, space)}")
        value = _legal_value(space[name], given)
        if value is None:
            raise UserError(f"{where} {name} = {brief(given)} is not allowed; allowed is {space[name]}")
        values[name] = value
    for clause in space.forbidden_clauses:
        if clause.is_forbidden_value(values):
            raise UserError(f"{where} has a combination that its solver forbids: {clause}; change one of the values")
    return plain_configuration(member.solver, values)


def _legal_value(parameter: Hyperparameter[Any, Any], given: object) -> Value | None:
    """The value as the parameter has it; None when it does not."""
    kind = type(parameter.default_value)
    if kind is float and type(given) is int:
        given = as_float(given)
    # Of exactly this type: ConfigSpace takes true for 1, 2.0 for 2, and a list for many values.
    if not isinstance(given, int | float | str) or type(given) is not kind:
        return None
    try:
        return given if parameter.legal_value(given) else None
    except (OverflowError, TypeError):  # an integer that no number of numpy's can hold
        return None
