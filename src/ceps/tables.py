"""From the tables of a TOML file to frozen dataclasses: strict about keys and types, and helpful about both."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeVar

from ceps.errors import UserError, did_you_mean

Table = TypeVar("Table")

_UNITS_OF_TIME = {"s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNITS_OF_SIZE = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)\s*")


def duration(value: object) -> float:
    """Seconds: a number, or a text such as ``"90min"`` or ``"40h"``."""
    seconds = _quantity(value, _UNITS_OF_TIME, 'a number of seconds or a text such as "90min" or "40h"')
    if not (isfinite(seconds) and seconds > 0.0):
        raise ValueError(f"must be above 0, not {value!r}")
    return seconds


def size(value: object) -> int:
    """Bytes: a number, or a text such as ``"2GiB"``."""
    count = _quantity(value, _UNITS_OF_SIZE, 'a number of bytes or a text such as "2GiB"')
    if not (isfinite(count) and count >= 1):
        raise ValueError(f"must be at least one byte, not {value!r}")
    return int(count)


def _quantity(value: object, units: Mapping[str, float], expected: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"must be {expected}, not {value!r}")
    number, unit = match.groups()
    if unit not in units:
        raise ValueError(f"has the unknown unit '{unit}'.{did_you_mean(unit, units)}")
    return float(number) * units[unit]


Seconds = Annotated[float, duration]
Bytes = Annotated[int, size]


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a text file; give a scenario in TOML") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: not valid TOML: {error}") from error


def read_table(kind: type[Table], table: object, where: str, base: Path = Path()) -> Table:
    """One table as a dataclass.

    ``where`` names the file and the table in messages; ``base`` is what relative paths are relative to.
    """
    if not isinstance(table, Mapping):
        raise UserError(f"{where}: must be a table, not {table!r}")
    assert dataclasses.is_dataclass(kind)
    fields = [entry for entry in dataclasses.fields(kind) if entry.init]
    types_of_all = typing.get_type_hints(kind, include_extras=True)
    hints = {entry.name: types_of_all[entry.name] for entry in fields}
    for key in table:
        if key not in hints:
            raise UserError(f"{where}: unknown key '{key}'.{did_you_mean(key, hints)}")
    required = (dataclasses.MISSING, dataclasses.MISSING)
    for entry in fields:
        if entry.name not in table and (entry.default, entry.default_factory) == required:
            raise UserError(f"{where}: the key '{entry.name}' is missing")
    values = {
        key: _read_value(hints[key], value, f"{where} {_shown(key, hints[key])}", base) for key, value in table.items()
    }
    try:
        return typing.cast(Table, kind(**values))
    except ValueError as error:
        raise UserError(f"{where} {error}") from error


def _shown(key: str, hint: Any) -> str:
    """Tables as they are written in the file."""
    return f"[{key}]" if dataclasses.is_dataclass(hint) else key


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
    if origin is types.UnionType:
        (inner,) = (choice for choice in typing.get_args(hint) if choice is not types.NoneType)
        return _read_value(inner, value, where, base)
    if origin is tuple:
        if not isinstance(value, list):
            raise UserError(f"{where} must be a list, not {value!r}")
        inner = typing.get_args(hint)[0]
        return tuple(_read_value(inner, item, f"{where}[{index}]", base) for index, item in enumerate(value))
    if origin is not None:  # Mapping[str, Any]: somebody else's settings, checked by them.
        if not isinstance(value, Mapping):
            raise UserError(f"{where} must be a table, not {value!r}")
        return dict(value)
    if hint is Path:
        return base / Path(_read_plain(str, value, where)).expanduser()
    return _read_plain(hint, value, where)


def _read_plain(hint: type, value: object, where: str) -> Any:
    words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    accepted = (int, float) if hint is float else hint
    if not isinstance(value, accepted) or (isinstance(value, bool) and hint is not bool):
        raise UserError(f"{where} must be {words[hint]}, not {value!r}")
    if isinstance(value, float) and not isfinite(value):
        raise UserError(f"{where} must be finite, not {value!r}")
    return value
