"""From the tables of a TOML file to frozen dataclasses: strict about keys and types, and helpful about both."""

from __future__ import annotations

import dataclasses
import re
import reprlib
import tomllib
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

from ceps.errors import UntrustedError, UserError, did_you_mean
from ceps.files import content_of

Table = TypeVar("Table")


class _HasName(Protocol):
    @property
    def name(self) -> str: ...


Named = TypeVar("Named", bound=_HasName)

_UNITS_OF_TIME = {"s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNITS_OF_SIZE = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_BRIEF = reprlib.Repr()
_BRIEF.maxlevel = 2
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*")


def brief(value: object) -> str:
    """Any value in a message: cut short, and never failing."""
    try:
        return _BRIEF.repr(value)
    except ValueError:  # Python refuses to write out integers of thousands of digits.
        return "a number of thousands of digits"


def duration(value: object) -> float:
    """Seconds: a number, or a text such as ``"90min"`` or ``"40h"``."""
    seconds = _quantity(value, _UNITS_OF_TIME, 'a number of seconds or a text such as "90min" or "40h"')
    if not (isfinite(seconds) and seconds > 0.0):
        raise ValueError(f"must be a finite time above 0, not {brief(value)}")
    return seconds


def size(value: object) -> int:
    """Bytes: a number, or a text such as ``"2GiB"``."""
    count = _quantity(value, _UNITS_OF_SIZE, 'a number of bytes or a text such as "2GiB"')
    if not (isfinite(count) and count >= 1):
        raise ValueError(f"must be at least one byte and finite, not {brief(value)}")
    return int(count)


def _quantity(value: object, units: Mapping[str, float], expected: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return as_float(value)
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"must be {expected}, not {brief(value)}")
    number, unit = match.groups()
    if unit not in units:
        raise ValueError(f"has the unknown unit '{unit}'.{did_you_mean(unit, units)}")
    return float(number) * units[unit]


def as_float(value: float) -> float:
    """A number as a float; infinite when it is an integer too large for one."""
    try:
        return float(value)
    except OverflowError:
        return inf


def plain_name(value: object) -> str:
    """A name that can be part of a file's name and of another name."""
    if not isinstance(value, str) or not _PLAIN_NAME.fullmatch(value):
        raise ValueError(f"must be a name of letters, digits and _ . + - only, not {brief(value)}")
    return value


Seconds = Annotated[float, duration]
Bytes = Annotated[int, size]


@dataclasses.dataclass(frozen=True, slots=True)
class Described:
    """Settings of a problem or a solver that is described in a file of its own."""

    file: Path


def described(
    what: str, name: str, read: Callable[[Path], Named], settings: object, where: str, base: Path = Path()
) -> Named:
    """The problem or solver, as ``what`` says, in the file that its settings name; it must be called ``name`` there."""
    path = read_table(Described, settings, where, base).file
    found = read(path)
    if found.name != name:
        raise UserError(f"{path}: name = '{found.name}', but the {what} is called '{name}'; call both the same")
    return found


def with_absolute_file(settings: object, folder: Path) -> Any:
    """The same settings, where a description file that is named relative to a folder is found from everywhere."""
    if not isinstance(settings, Mapping) or not isinstance(settings.get("file"), str):
        return settings
    return {**settings, "file": str((folder / home(settings["file"], "file")).absolute())}


@contextmanager
def naming(place: str) -> Iterator[None]:
    """Put a file's name, or a key's, before the message of a mistake that was noticed where it is not known."""
    try:
        yield
    except UserError as error:
        kind = UntrustedError if isinstance(error, UntrustedError) else UserError
        raise kind(f"{place}: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(content_of(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a text file; give one in TOML") from error
    except (ValueError, RecursionError) as error:  # Not all of them TOMLDecodeErrors: an int of 5000 digits, say.
        raise UserError(f"{path}: not valid TOML: {error}") from error


def read_table(kind: type[Table], table: object, where: str, base: Path = Path()) -> Table:
    """One table as a dataclass.

    ``where`` names the file and the table in messages; ``base`` is what relative paths are relative to.
    """
    if not isinstance(table, Mapping):
        raise UserError(f"{where} must be a table, not {brief(table)}")
    assert dataclasses.is_dataclass(kind)
    fields = [entry for entry in dataclasses.fields(kind) if entry.init]
    types_of_all = typing.get_type_hints(kind, include_extras=True)
    hints = {entry.name: _unless_none(types_of_all[entry.name]) for entry in fields}
    for key in table:
        if key not in hints:
            raise UserError(f"{where} unknown key {brief(key)}.{did_you_mean(key, hints)}")
    for entry in fields:
        if entry.name not in table and entry.default is entry.default_factory is dataclasses.MISSING:
            raise UserError(f"{where} the key '{entry.name}' is missing; add it")
    values = {
        key: _read_value(hints[key], value, _inside(where, key, hints[key]), base) for key, value in table.items()
    }
    try:
        return typing.cast(Table, kind(**values))
    except ValueError as error:
        raise UserError(f"{where} {error}") from error


def _unless_none(hint: Any) -> Any:
    """``X`` of ``X | None``: an optional key is left out, TOML has no other way."""
    if typing.get_origin(hint) not in (types.UnionType, typing.Union):  # The second is what Annotated makes.
        return hint
    (inner,) = (choice for choice in typing.get_args(hint) if choice is not types.NoneType)
    return inner


def _inside(where: str, key: str, hint: Any) -> str:
    """Where a key stands; tables in brackets, as they are written in the file."""
    if not dataclasses.is_dataclass(hint):
        return f"{where} {key}"
    *_, last = where.split()
    inside_table = last.startswith("[") and last.endswith("]")
    return f"{where[:-1]}.{key}]" if inside_table else f"{where} [{key}]"


def _read_value(hint: Any, value: object, where: str, base: Path) -> Any:
    if dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        return read_table(hint, value, where, base)
    origin = typing.get_origin(hint)
    if origin is Annotated:
        parse: Callable[[object], Any] = typing.get_args(hint)[1]
        try:
            return parse(value)
        except ValueError as error:
            raise UserError(f"{where} {error}") from error
    if origin is tuple:
        if not isinstance(value, list):
            raise UserError(f"{where} must be a list, not {brief(value)}")
        inner = typing.get_args(hint)[0]
        return tuple(_read_value(inner, item, f"{where}[{index}]", base) for index, item in enumerate(value))
    if origin is not None:  # Mapping[str, Any]: somebody else's settings, checked by them.
        if not isinstance(value, Mapping):
            raise UserError(f"{where} must be a table, not {brief(value)}")
        return dict(value)
    if hint is Path:
        return base / home(_read_plain(str, value, where), where)
    return _read_plain(hint, value, where)


def home(path: str, where: str) -> Path:
    """A path in which ``~`` is the home of a user."""
    try:
        return Path(path).expanduser()
    except (RuntimeError, ValueError) as error:  # "~nobody/LKH"
        raise UserError(f"{where} names the home of an unknown user: {brief(path)}; write out the path") from error


def _read_plain(hint: type, value: Any, where: str) -> Any:
    words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    accepted = (int, float) if hint is float else hint
    fits = isinstance(value, accepted) and (hint is bool or not isinstance(value, bool))
    if not fits:
        raise UserError(f"{where} must be {words[hint]}, not {brief(value)}")
    if hint is int and abs(value) >= 2**63:
        raise UserError(f"{where} must be below 2^63, not {brief(value)}")
    if hint is not float:
        return value
    if not isfinite(as_float(value)):
        raise UserError(f"{where} must be finite, not {brief(value)}")
    return float(value)
