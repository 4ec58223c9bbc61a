"""Problems, solvers and methods of other packages, found by name through their entry points."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ceps.errors import UserError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PROBLEMS, SOLVERS, METHODS = "ceps.problems", "ceps.solvers", "ceps.methods"
"""The groups of entry points: classes of problems and of solvers, and methods."""


def plugin_names(group: str) -> list[str]:
    """The names of a group's plug-ins, whether they can be loaded or not."""
    return sorted({entry.name for entry in _entries(group)})


def plugin(group: str, name: str) -> Any | None:
    """The plug-in of this name; None when no package has one."""
    found = {entry.value: entry for entry in _entries(group) if entry.name == name}
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(sorted(map(_package, found.values())))
        raise UserError(f"'{name}' is a plug-in of {packages}, for {group}; uninstall one of them")
    (entry,) = found.values()
    try:
        return entry.load()
    except Exception as error:  # Whatever a stranger's code does when it is imported.
        raise _broken(entry, f"cannot be loaded: {type(error).__name__}: {error}") from error


def plugin_class(group: str, name: str) -> type[Any] | None:
    """A plug-in that is to be a dataclass, whose fields are its settings."""
    kind = plugin(group, name)
    if kind is None or (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        return kind
    (entry, *_) = (entry for entry in _entries(group) if entry.name == name)
    raise _broken(entry, "is no dataclass")


def _entries(group: str) -> list[EntryPoint]:
    # Here and not above: it imports threads and random numbers, whose care after every fork would be charged to runs.
    from importlib import metadata  # noqa: PLC0415

    return list(metadata.entry_points(group=group))


def _broken(entry: EntryPoint, why: str) -> UserError:
    return UserError(f"plug-in '{entry.name}' of {_package(entry)} ({entry.value}) {why}; mend or uninstall it")


def _package(entry: EntryPoint) -> str:
    return f"package '{entry.dist.name}'" if entry.dist is not None else "an unnamed package"
