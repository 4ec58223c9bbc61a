"""What is given on the command line, checked."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ceps.errors import UserError
from ceps.evaluation.session import read_known_costs
from ceps.problems import Problem
from ceps.settings import enough_memory
from ceps.tables import size


def known_costs(path: Path, instances: Sequence[Any]) -> dict[str, float]:
    """Costs from a file, for instances that are told apart by their names."""
    known = read_known_costs(path)
    names = Counter(instance.name for instance in instances)
    if known and not known.keys() & names.keys():
        raise UserError(f"{path}: names none of the instances; it has '{next(iter(known))}', they have '{min(names)}'")
    for name, count in names.items():
        if name in known and count > 1:
            raise UserError(f"{path}: '{name}' is the name of {count} instances; evaluate them one at a time")
    return known


def check_output_file(option: str, out: Path, *inputs: Path | None) -> None:
    """Notice before the race what would go wrong after it."""
    # os.path and not Path: its questions are answered whatever the name looks like.
    if os.path.isdir(out):
        raise UserError(f"{option} {out}: this is a folder; name a file in it")
    if not os.path.isdir(out.parent):
        raise UserError(f"{option} {out}: there is no folder {out.parent}; make it first")
    if not os.access(out.parent, os.W_OK):
        raise UserError(f"{option} {out}: the folder {out.parent} cannot be written to; name another one")
    if any(path is not None and os.path.exists(out) and out.samefile(path) for path in inputs):
        raise UserError(f"{option} {out}: this file is read; name another one to write to")


def memory_limit(value: str) -> int:
    """``--memory``, as bytes."""
    count = int(quantity("--memory", size, value))
    try:
        return enough_memory(count)
    except ValueError as error:
        raise UserError(f"--memory {error}") from error


def quantity(option: str, parse: Any, value: str) -> Any:
    """A duration or a size given on the command line: a bare number or one with its unit."""
    try:
        return parse(float(value) if value.replace(".", "", 1).isdecimal() else value)
    except ValueError as error:
        raise UserError(f"{option} {error}") from error


def check_output_folder(path: Path) -> None:
    """Notice before anything is made that a folder, or one of those it is to stand in, cannot be written to."""
    existing = next(each for each in (path, *path.absolute().parents) if os.path.exists(each))
    if not os.path.isdir(existing):
        raise UserError(f"--out {path}: {existing} is a file; name a folder")
    if not os.access(existing, os.W_OK):
        raise UserError(f"--out {path}: the folder {existing} cannot be written to; name another one")


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {path}: cannot be made: {error.strerror}") from error


def parameter_values(given: Sequence[str]) -> dict[str, float]:
    """``--set``, as numbers by name."""
    values: dict[str, float] = {}
    for setting in given:
        name, _, value = (part.strip() for part in setting.partition("="))
        try:
            number = float(value)
        except ValueError:
            raise UserError(f"--set {setting}: give a name and a number, such as --set epsilon=0.2") from None
        if name in values:
            raise UserError(f"--set {setting}: {name} is set twice; set it once")
        values[name] = number
    return values


def chosen_generators(problem: Problem, given: Sequence[str]) -> list[str]:
    """``--generator``, with all of a problem's for ``all``; each once."""
    if not problem.generators and "all" in given:
        raise UserError(f"--generator all: problem '{problem.name}' does not list its generators; name them")
    return list(dict.fromkeys(name for word in given for name in (problem.generators if word == "all" else [word])))
