"""Instances from files, folders and patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ceps.errors import UserError
from ceps.problems import Problem, known_problems


def read_instances(problem: Problem, patterns: Iterable[str], base: Path, named: str) -> list[Any]:
    """All instances that files, folders or patterns name, in order; each file once.

    ``base`` is what relative patterns are relative to; ``named`` says in messages where the patterns stand.
    """
    paths: dict[str, Path] = {}
    for pattern in patterns:
        found = _files(problem, base, pattern, named)
        if not found:
            endings = " or ".join(problem.suffixes)
            raise UserError(
                f"{named}: '{pattern}' matches no {endings} file (looked below {base.resolve()}); "
                "give files, folders or patterns"
            )
        for place, path in found.items():
            paths.setdefault(place, path)
    if not paths:
        raise UserError(f"{named}: no instances are named; give files, folders or patterns")
    return [problem.read(path) for path in paths.values()]


def problem_of_instances(patterns: Sequence[str], base: Path, named: str) -> Problem:
    """The one problem that has instances in files, folders or patterns."""
    found = [
        problem
        for problem in known_problems()
        if any(
            path.suffix.lower() in problem.suffixes
            for pattern in patterns
            for path in _files(problem, base, pattern, named).values()
        )
    ]
    if len(found) != 1:
        what = "instances of several problems" if found else "no instances of any problem"
        places = ", ".join(map(repr, patterns))
        raise UserError(f"{named}: {what} are named by {places}; name a --portfolio, or other files")
    return found[0]


def _files(problem: Problem, base: Path, pattern: str, named: str) -> dict[str, Path]:
    """The files a pattern names, by where they really are."""
    try:
        return {os.path.realpath(path): path for path in _search(problem, base, os.path.expanduser(pattern))}
    except (OSError, ValueError) as error:
        raise UserError(f"{named}: {pattern!r} cannot be searched ({error}); name another place") from error


def _search(problem: Problem, base: Path, pattern: str) -> list[Path]:
    path = base / pattern
    # os.path and not Path: its questions are answered whatever the name looks like.
    if os.path.isdir(path):
        return sorted(file for file in path.iterdir() if file.suffix.lower() in problem.suffixes)
    if os.path.exists(path) or not glob.has_magic(pattern):
        return [path]  # A missing file is told by the reader, by its name.
    # root_dir: brackets in the name of the folder are no pattern.
    matches = (base / match for match in glob.glob(pattern, root_dir=base, recursive=True))
    return sorted(match for match in matches if os.path.isfile(match))
