"""Instances from files, folders and patterns."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ceps.errors import UserError
from ceps.problems.problem import Problem


def read_instances(problem: Problem, patterns: Iterable[str], base: Path, named: str) -> list[Any]:
    """All instances that files, folders or patterns name, in order; each file once.

    ``base`` is what relative patterns are relative to; ``named`` says in messages where the patterns stand.
    """
    paths: dict[Path, None] = {}
    for pattern in patterns:
        found = _files(problem, base / pattern, pattern)
        if not found:
            raise UserError(
                f"{named}: '{pattern}' matches no {problem.suffixes[0]} file (looked below {base.resolve()})"
            )
        paths.update(dict.fromkeys(found))
    if not paths:
        raise UserError(f"{named}: no instances are named; give files, folders or patterns")
    return [problem.read(path) for path in paths]


def _files(problem: Problem, path: Path, pattern: str) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.suffix.lower() in problem.suffixes)
    if path.exists() or not glob.has_magic(pattern):
        return [path]  # A missing file is told by the reader, by its name.
    return sorted(Path(file) for file in glob.glob(str(path), recursive=True) if Path(file).is_file())
