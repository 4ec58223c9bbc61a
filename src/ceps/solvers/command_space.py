"""The parameter space of a described solver: written out in its description, or in a file of its own."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ceps.commands import check_word
from ceps.errors import UserError, did_you_mean
from ceps.files import content_of
from ceps.records import Value
from ceps.solvers.pcs import in_words, read_pcs
from ceps.tables import Described, as_float, brief, plain_name, read_table

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace
    from ConfigSpace.hyperparameters import Hyperparameter

KINDS = ("categorical", "integer", "float")
LARGEST = 2.0**53
"""Numbers beyond it cannot all be told apart, nor can ranges of them be searched."""


def _value(value: object) -> Value:
    if isinstance(value, bool):
        raise ValueError('must not be true or false: write what the program is to be given, such as "yes"')
    if not isinstance(value, int | float | str):
        raise ValueError(f"must be a text or a number, not {brief(value)}")
    if isinstance(value, str):
        check_word(value)
    elif not abs(as_float(value)) <= LARGEST:
        raise ValueError(f"must be a number between {-LARGEST:g} and {LARGEST:g}, not {brief(value)}")
    return value


def _values(value: object) -> tuple[Value, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"must be a list of texts or of numbers, not {brief(value)}")
    values = tuple(map(_value, value))
    if len({type(each) for each in values}) > 1:
        raise ValueError(f"must be of one kind, all texts or all numbers, not {brief(value)}")
    if len(set(values)) < len(values):
        raise ValueError(f"has a value twice: {brief(value)}")
    return values


def _conditions(value: object) -> tuple[tuple[str, tuple[Value, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ValueError(f'must be a table, such as {{ heuristic = ["Vsids"] }}, not {brief(value)}')
    return tuple((name, _values(allowed)) for name, allowed in value.items())


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, as ``[space]`` has it."""

    type: str
    default: Annotated[Any, _value]
    """What the solver has without any tuning."""
    values: Annotated[tuple[Value, ...], _values] = ()
    low: Annotated[Any, _value] | None = None
    high: Annotated[Any, _value] | None = None
    log: bool = False
    """Whether to search on a logarithmic scale."""
    when: Annotated[tuple[tuple[str, tuple[Value, ...]], ...], _conditions] = ()
    """Other parameters and their values, all of which it takes for this one to matter."""

    def __post_init__(self) -> None:
        if self.type not in KINDS:
            raise ValueError(f"type = {brief(self.type)} is unknown.{did_you_mean(self.type, KINDS)}")
        if self.type == "categorical":
            self._check_choice()
        else:
            self._check_range(whole=self.type == "integer")

    def _check_choice(self) -> None:
        if self.low is not None or self.high is not None or self.log:
            raise ValueError("low, high and log are for numbers; give values = [...]")
        if self.default not in self.values:
            raise ValueError(f"default = {brief(self.default)} is none of values = {brief(list(self.values))}")

    def _check_range(self, whole: bool) -> None:
        if self.values:
            raise ValueError("values are for type = 'categorical'; give low and high")
        numbers = {"low": self.low, "high": self.high, "default": self.default}
        accepted = int if whole else (int, float)
        for key, number in numbers.items():
            if not isinstance(number, accepted):
                raise ValueError(f"{key} must be a{' whole' if whole else ''} number, not {brief(number)}")
        assert self.low is not None
        assert self.high is not None
        if not self.low <= self.default <= self.high or self.low == self.high:
            raise ValueError(f"default = {self.default} must be from low = {self.low} to high = {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"log = true needs a low above 0, not {self.low}")

    def hyperparameter(self, name: str) -> Hyperparameter[Any, Any]:
        from ConfigSpace import Categorical, Float, Integer  # noqa: PLC0415 - a second to import, not needed to run

        if self.type == "categorical":
            return Categorical(name, list(self.values), default=self.default)
        assert self.low is not None
        assert self.high is not None
        if self.type == "integer":
            return Integer(name, (self.low, self.high), default=self.default, log=self.log)
        return Float(name, (float(self.low), float(self.high)), default=float(self.default), log=self.log)


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters by name; or the name and text of a file that ConfigSpace reads."""

    parameters: tuple[tuple[str, Parameter], ...] = ()
    file: Path | None = None
    text: str = ""

    def as_configspace(self, name: str) -> ConfigurationSpace:
        """The space as ConfigSpace has it. Raises :class:`~ceps.errors.UserError` with its file, if it has one."""
        try:
            return self._written_out(name) if self.file is None else _from_text(self.file, self.text)
        except Exception as error:  # Whatever the library does with what is no space, in several kinds of its own.
            place = "" if self.file is None else f"{self.file}: "
            raise UserError(f"{place}not a parameter space: {in_words(error)}") from error

    def _written_out(self, name: str) -> ConfigurationSpace:
        from ConfigSpace import AndConjunction, ConfigurationSpace, InCondition  # noqa: PLC0415 - a second to import

        space = ConfigurationSpace(name=name)
        space.add(*(parameter.hyperparameter(own) for own, parameter in self.parameters))
        for own, parameter in self.parameters:
            rules = [InCondition(space[own], space[parent], list(allowed)) for parent, allowed in parameter.when]
            if rules:
                space.add(rules[0] if len(rules) == 1 else AndConjunction(*rules))
        return space


def read_space(table: object, where: str, folder: Path) -> Space:
    """``[space]`` of a description. ``where`` names its file in messages; its own files are relative to ``folder``."""
    if not isinstance(table, Mapping):
        raise UserError(f"{where} [space] must be a table, not {brief(table)}")
    if isinstance(table.get("file"), str):
        path = read_table(Described, table, f"{where} [space]", folder).file
        return Space(file=path, text=_content(path))
    parameters = tuple(
        (_parameter_name(name, where), read_table(Parameter, own, f"{where} [space.{name}]"))
        for name, own in table.items()
    )
    _check_conditions(dict(parameters), where)
    return Space(parameters)


def _parameter_name(name: str, where: str) -> str:
    try:
        return plain_name(name)
    except ValueError as error:
        raise UserError(f"{where} [space.{name}] {error}") from error


def _check_conditions(parameters: Mapping[str, Parameter], where: str) -> None:
    for name, parameter in parameters.items():
        for parent, allowed in parameter.when:
            place = f"{where} [space.{name}] when"
            if parent not in parameters or parent == name:
                others = parameters.keys() - {name}
                raise UserError(
                    f"{place} names {brief(parent)}, which is no other parameter.{did_you_mean(parent, others)}"
                )
            known = parameters[parent].values
            for value in allowed:
                if known and value not in known:
                    raise UserError(f"{place}: {parent} is never {brief(value)}; its values are {brief(list(known))}")


def _content(path: Path) -> str:
    try:
        return content_of(path).decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a text file") from error


def _from_text(path: Path, text: str) -> ConfigurationSpace:
    """ConfigSpace's own formats, and the .pcs formats."""
    readers: dict[str, Callable[[str], ConfigurationSpace]] = {
        ".json": _from_json,
        ".yaml": _from_yaml,
        ".yml": _from_yaml,
        ".pcs": read_pcs,
    }
    if path.suffix.lower() not in readers:
        raise ValueError(f"such a file ends in {', '.join(readers)}")
    with np.errstate(invalid="ignore"):  # ConfigSpace computes with ranges that end nowhere; they are refused below.
        space = readers[path.suffix.lower()](text)
    if not space:
        raise ValueError("it has no parameters")
    _check_ranges(space)
    _check_values(space)
    return space


def _check_ranges(space: ConfigurationSpace) -> None:
    """ConfigSpace takes ranges that end nowhere, and draws no numbers from them."""
    for name, parameter in space.items():
        for end in ("lower", "upper"):
            number = getattr(parameter, end, 0.0)
            if not abs(as_float(number)) <= LARGEST:
                raise ValueError(f"the range of {name} must be between {-LARGEST:g} and {LARGEST:g}, not {number}")


def _check_values(space: ConfigurationSpace) -> None:
    """ConfigSpace takes any values, and a program can be given texts without NUL and numbers."""
    for name, parameter in space.items():
        check_word(name)
        for key in ("choices", "sequence"):
            for value in getattr(parameter, key, ()):
                if not isinstance(value, int | float | str):
                    raise ValueError(f"{name} has the value {brief(value)}, which is no text and no number")
                check_word(str(value))


def _from_json(text: str) -> ConfigurationSpace:
    from ConfigSpace import ConfigurationSpace  # noqa: PLC0415 - a second to import

    return ConfigurationSpace.from_json(io.StringIO(text))


def _from_yaml(text: str) -> ConfigurationSpace:
    import yaml  # noqa: PLC0415 - rarely needed
    from ConfigSpace import ConfigurationSpace  # noqa: PLC0415 - a second to import

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Takes aliases as ConfigSpace writes them, for lists of values that several conditions have in common.

        A few aliases of lists of aliases would stand for more than any memory holds.
        """

        stood_for = 0
        """Values that aliases stand for."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            alias = self.check_event(yaml.AliasEvent)
            node = super().compose_node(parent, index)
            if alias:
                whole = isinstance(node, yaml.SequenceNode) and node.end_mark is not None
                if not whole or not all(isinstance(each, yaml.ScalarNode) for each in node.value):
                    raise ValueError("an alias (*) may stand for a list of values; write out what it stands for")
                self.stood_for += len(node.value)
                if self.stood_for > len(text):
                    raise ValueError("its aliases (*) stand for more than the file has; write out what they stand for")
            return node

    return ConfigurationSpace.from_serialized_dict(yaml.load(text, Loader))
