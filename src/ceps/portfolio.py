"""Portfolio: K configurations that run side by side. A JSON file with provenance; nothing in it is executed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceps.errors import UserError, did_you_mean
from ceps.problems import PROBLEMS
from ceps.records import Configuration, digest
from ceps.solvers import SOLVERS, solver_named
from ceps.solvers.solver import Solver, plain_configuration

FORMAT = 1
KEYS = {"format", "problem", "metric", "members", "solvers", "provenance"}


@dataclass(frozen=True, slots=True)
class MetricChoice:
    """The indicator a portfolio was built for, and the one it is evaluated by unless told otherwise."""

    name: str
    cutoff: float
    penalty: float | None = None


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

    def __len__(self) -> int:
        return len(self.members)

    @property
    def id(self) -> str:
        return digest([self.problem, [member.id for member in self.members]])

    def solvers(self) -> dict[str, Solver]:
        """The solvers its members need, by name."""
        names = dict.fromkeys(member.solver for member in self.members)
        return {name: solver_named(name, self.solver_settings.get(name, {})) for name in names}

    def as_json(self) -> dict[str, Any]:
        metric = {"name": self.metric.name, "cutoff": self.metric.cutoff}
        if self.metric.penalty is not None:
            metric["penalty"] = self.metric.penalty
        return {
            "format": FORMAT,
            "problem": self.problem,
            "metric": metric,
            "members": [{"solver": member.solver, "parameters": member.as_dict()} for member in self.members],
            "solvers": {name: dict(settings) for name, settings in self.solver_settings.items()},
            "provenance": dict(self.provenance),
        }

    def save(self, path: Path) -> None:
        """Write the file whole or not at all."""
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_text(json.dumps(self.as_json(), indent=2) + "\n")
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error

    @classmethod
    def load(cls, path: Path) -> Portfolio:
        """Read a portfolio; whatever is wrong with the file is told with its key."""
        try:
            content = json.loads(path.read_text())
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}; give a portfolio.json") from error
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}: not a JSON file: {error}") from error
        return _Reader(str(path)).portfolio(content)

    def describe(self) -> str:
        """Members in readable form: what differs from each solver's defaults."""
        lines = [f"Portfolio of {len(self)} for {self.problem} ({self.metric.name}, cut-off {self.metric.cutoff:g} s)"]
        solvers = self.solvers()
        for number, member in enumerate(self.members, start=1):
            defaults = solvers[member.solver].space.get_default_configuration()
            changed = [f"{name}={value}" for name, value in member.values if defaults.get(name) != value]
            lines.append(f"  {number}. {member.solver}: {', '.join(changed) or 'default configuration'}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Checks every part of a portfolio file: it may come from a stranger."""

    path: str

    def portfolio(self, content: object) -> Portfolio:
        table = self._table(content, "the file")
        for key in table.keys() - KEYS:
            raise UserError(f"{self.path}: unknown key '{key}'.{did_you_mean(key, KEYS)}")
        if table.get("format") != FORMAT:
            raise UserError(f"{self.path}: format {table.get('format')!r} is not {FORMAT}; is ceps up to date?")
        problem = self._text(table, "problem")
        if problem not in PROBLEMS:
            raise UserError(f"{self.path}: problem '{problem}' is unknown.{did_you_mean(problem, PROBLEMS)}")
        members = table.get("members")
        if not isinstance(members, list) or not members:
            raise UserError(f"{self.path}: 'members' must be a list of at least one configuration")
        settings = {name: self._table(value, name) for name, value in self._section(table, "solvers").items()}
        read = tuple(self._member(member, index, settings) for index, member in enumerate(members))
        for member in read:
            if problem not in SOLVERS[member.solver].problems:
                raise UserError(f"{self.path}: solver '{member.solver}' does not solve problem '{problem}'")
        return Portfolio(problem, read, self._metric(table), settings, self._section(table, "provenance"))

    def _member(self, content: object, index: int, settings: dict[str, dict[str, Any]]) -> Configuration:
        where = f"members[{index}]"
        table = self._table(content, where)
        name = self._text(table, "solver", where)
        if name not in SOLVERS:
            raise UserError(f"{self.path}: {where}: solver '{name}' is unknown.{did_you_mean(name, SOLVERS)}")
        parameters = self._table(table.get("parameters"), f"{where}.parameters")
        space = solver_named(name, settings.get(name, {})).space
        for key in parameters:
            if key not in space:
                raise UserError(f"{self.path}: {where}: unknown parameter '{key}'.{did_you_mean(key, space)}")
        try:
            plain = {key: space[key].legal_value(value) for key, value in parameters.items()}
        except (TypeError, ValueError) as error:
            raise UserError(f"{self.path}: {where}: {error}") from error
        for key, legal in plain.items():
            if not legal:
                raise UserError(f"{self.path}: {where}: {key} = {parameters[key]!r} is not in {space[key]}")
        return plain_configuration(name, parameters)

    def _metric(self, table: dict[str, Any]) -> MetricChoice:
        metric = self._section(table, "metric")
        cutoff, penalty = metric.get("cutoff"), metric.get("penalty")
        for key, value in (("cutoff", cutoff), ("penalty", penalty)):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number and not (key == "penalty" and value is None):
                raise UserError(f"{self.path}: metric.{key} must be a number, not {value!r}")
        assert cutoff is not None
        return MetricChoice(self._text(metric, "name", "metric"), float(cutoff), penalty)

    def _section(self, table: dict[str, Any], key: str) -> dict[str, Any]:
        return self._table(table.get(key, {}), key)

    def _table(self, value: object, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise UserError(f"{self.path}: {where} must be a JSON object, not {type(value).__name__}")
        return value

    def _text(self, table: dict[str, Any], key: str, where: str = "") -> str:
        value = table.get(key)
        if not isinstance(value, str):
            raise UserError(f"{self.path}: {where + '.' if where else ''}{key} must be a text, not {value!r}")
        return value
