"""The TOML file that describes a solver without Python."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ceps.commands import (
    check_placeholders,
    check_word,
    located,
    located_variables,
    placeholders,
    variable_names,
    variables,
    words_with,
)
from ceps.errors import UserError
from ceps.files import content_of
from ceps.problems import problem_names
from ceps.records import Value
from ceps.solvers.command_space import Space, read_space
from ceps.tables import brief, naming, plain_name, read_table, read_toml

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

PLACEHOLDERS = (
    "instance", "seed", "cutoff", "whole_cutoff", "target", "memory", "parameters", "parameter_file", "solution_file",
)  # fmt: skip


def _pattern(groups: int | None) -> Any:
    def read(value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"must be a regular expression in quotes, not {brief(value)}")
        try:
            found = re.compile(value).groups
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"is no regular expression: {error}") from error
        if groups is not None and found != groups:
            raise ValueError(f"must have one group in (brackets): what is to be read; it has {found}")
        return value

    return read


def _exit_codes(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or not value or not all(type(code) is int and 0 <= code < 256 for code in value):
        raise ValueError(f"must be a list of numbers from 0 to 255, such as [0, 10, 20], not {brief(value)}")
    return tuple(value)


def _parameter_words(value: object) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise ValueError(f'must be a text such as "--{{name}}={{value}}", or a list of them, not {brief(value)}')
    for word in words:
        check_placeholders(word, ("name", "value"))
    if not any("value" in placeholders(word) for word in words):
        raise ValueError("must have the placeholder {value}")
    return tuple(words)


def _switches(value: object) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    example = '{ luby = { yes = "-luby", no = "" } }'
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a table, such as {example}, not {brief(value)}")
    for name, words in value.items():
        if not isinstance(words, Mapping) or not all(isinstance(word, str) for word in words.values()):
            raise ValueError(f"must have a table of texts for {brief(name)}, such as {example}")
        for word in words.values():
            check_word(word)
    return tuple((name, tuple(words.items())) for name, words in value.items())


@dataclass(frozen=True, slots=True)
class Output:
    """What is read in the lines that the program prints: regular expressions, each searched for in every line."""

    cost: Annotated[str, _pattern(1)] | None = None
    solution: Annotated[str, _pattern(1)] | None = None
    join_lines: bool = False
    """Whether lines that follow one another are one solution, which is then complete with the first other line."""
    solved: Annotated[str, _pattern(None)] | None = None
    """For programs that tell no solution, where the problem trusts them."""
    unsatisfiable: Annotated[str, _pattern(None)] | None = None
    json: bool = False
    """Instead of expressions: the program prints lines such as {"status": "solved", "cost": 5, "solution": …}."""
    exit_codes: Annotated[tuple[int, ...], _exit_codes] = (0,)
    """With what it may end; anything else is a crash."""

    def __post_init__(self) -> None:
        patterns = (self.cost, self.solution, self.solved, self.unsatisfiable)
        if self.json and any(pattern is not None for pattern in patterns):
            raise ValueError("json = true reads everything; remove the regular expressions")
        if self.join_lines and self.solution is None:
            raise ValueError("join_lines is for a solution; give its regular expression")


@dataclass(frozen=True, slots=True)
class SolverFile:
    """Its keys."""

    name: Annotated[str, plain_name]
    problems: tuple[str, ...]
    """Names of the problem classes it can solve."""
    command: Annotated[tuple[str, ...], words_with(*PLACEHOLDERS)]
    parameter: Annotated[tuple[str, ...], _parameter_words] = ("--{name}={value}",)
    """How one parameter is written: the words that {parameters} has for it, or its line in {parameter_file}."""
    switches: Annotated[tuple[tuple[str, tuple[tuple[str, str], ...]], ...], _switches] = ()
    """Parameters that are written otherwise: for every value a word, or nothing."""
    space: Space = Space()  # noqa: RUF009 - a frozen value
    output: Output = Output()
    environment: Annotated[tuple[tuple[str, str], ...], variables] = ()
    inherit: Annotated[tuple[str, ...], variable_names] = ()
    """Names of variables that the program sees as they are where ceps is started."""
    working_directory: Path | None = None
    """Where the program is to run; else in the private directory of the run."""

    def __post_init__(self) -> None:
        if not self.problems:
            raise ValueError('problems must name at least one problem, such as ["sat"]')
        if not self.has("instance"):
            raise ValueError("command must have the placeholder {instance}")
        for word in self.command:
            if "parameters" in placeholders(word) and word != "{parameters}":
                raise ValueError(f"command: {{parameters}} becomes several words and must stand alone, not in '{word}'")
        if self.has("parameters") and self.has("parameter_file"):
            raise ValueError("command: give either {parameters} or {parameter_file}")
        if (
            not self.output.json
            and not self.has("solution_file")
            and self.output == Output(exit_codes=self.output.exit_codes)
        ):
            raise ValueError(
                "must tell how to read an answer: by [output] cost, solution, solved, unsatisfiable or json, "
                "or by {solution_file} in the command"
            )
        self._check_known_problems()

    def configspace(self) -> ConfigurationSpace:
        """The parameters. Raises :class:`~ceps.errors.UserError` when they are none, or when the switches are of
        others."""
        with naming("[space]"):
            space = self.space.as_configspace(self.name)
        for name, words in self.switches:
            values = _choices(space, name)
            if not values:
                raise UserError(f"[switches] {name} is no categorical parameter in [space]; remove it or add one")
            missing = [value for value in values if str(value) not in dict(words)]
            if missing:
                raise UserError(f'[switches.{name}] has nothing for {brief(missing[0])}; "" is for no word at all')
        if self.has("parameter_file"):
            with naming("[space]"):
                self._check_lines(space)
        return space

    def _check_lines(self, space: ConfigurationSpace) -> None:
        """In a file, what stands on a line of its own is another parameter."""
        words = [word for _, by_value in self.switches for _, word in by_value]
        values = [value for name in space for value in _choices(space, name)]
        for written in (*space, *map(str, values), *words):
            if "\n" in written or "\r" in written:
                raise UserError(
                    f"{brief(written)} has a line break, and every parameter is one line of {{parameter_file}}; "
                    "rename it, or give {parameters} in the command"
                )

    def has(self, placeholder: str) -> bool:
        return any(placeholder in placeholders(word) for word in self.command)

    def _check_known_problems(self) -> None:
        """Of those in the box and of other packages, instances are written and solutions read by the problem itself."""
        known = sorted(set(self.problems).intersection(problem_names()))
        if known and len(self.problems) > 1:
            raise ValueError(f"problems: '{known[0]}' must be the only one; describe the solver again for the others")
        if known and not self.output.json and not self.has("solution_file"):
            raise ValueError(
                f"solutions of problem '{known[0]}' are read from {{solution_file}} in the command, in the field's own "
                f"format, or from [output] json = true"
            )


def _choices(space: ConfigurationSpace, name: str) -> Sequence[Value]:
    """The values of a categorical parameter, ordered or not; nothing where there is none of this name."""
    parameter = space.get(name)
    values: Sequence[Value] = getattr(parameter, "choices", getattr(parameter, "sequence", ()))
    return values


def read_solver_file(path: Path) -> tuple[SolverFile, str]:
    """The description of a solver, and a digest of its content."""
    tables = read_toml(path)
    folder = path.parent.absolute()
    space = read_space(tables.pop("space", {}), f"{path}:", folder)
    read = read_table(SolverFile, tables, f"{path}:", folder)
    if (space.parameters or space.file) and not (read.has("parameters") or read.has("parameter_file")):
        raise UserError(f"{path}: command must have the placeholder {{parameters}}, or {{parameter_file}}: see [space]")
    with naming(str(path)):
        file = replace(
            read,
            command=located(read.command, folder),
            environment=located_variables(read.environment, folder),
            space=space,
        )
    content = content_of(path) + b"\0" + space.text.encode()
    return file, hashlib.sha256(content).hexdigest()[:12]
