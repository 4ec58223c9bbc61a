"""Problem classes, by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ceps import plugins
from ceps.errors import UserError, did_you_mean
from ceps.plugins import plugin_class, plugin_names
from ceps.problems.described import DescribedProblem
from ceps.problems.problem import Infeasible, Instance, Problem
from ceps.problems.tsp import Tsp
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.tables import described, read_table

PROBLEMS: Mapping[str, Problem] = {problem.name: problem for problem in (Tsp(), Vrpspdtw())}

__all__ = [
    "PROBLEMS",
    "Infeasible",
    "Instance",
    "Problem",
    "known_problems",
    "problem_named",
    "problem_names",
    "problem_of_file",
]


def problem_named(name: str, settings: Mapping[str, Any] | None = None, base: Path = Path()) -> Problem:
    """The problem a scenario or a portfolio names, with the settings of its own that are given there.

    Relative paths are relative to ``base``. A problem that is not in the box may be a plug-in, or be described in a
    file of its own.
    """
    settings = settings or {}
    kind = type(PROBLEMS[name]) if name in PROBLEMS else plugin_class(plugins.PROBLEMS, name)
    if kind is not None:
        return read_table(kind, settings, "[problem.settings]", base)
    if "file" in settings:
        return described("problem", name, DescribedProblem.described, settings, "[problem.settings]", base)
    raise UserError(
        f"problem '{name}' is unknown.{did_you_mean(name, problem_names())} "
        f'One of your own is described in a file: [problem.settings] file = "{name}.toml"'
    )


def problem_names() -> list[str]:
    """Of those in the box, then of those of other packages; described problems are known by their files only."""
    return [*PROBLEMS, *(name for name in plugin_names(plugins.PROBLEMS) if name not in PROBLEMS)]


def known_problems() -> list[Problem]:
    """Those in the box, then those of other packages."""
    return list(map(problem_named, problem_names()))


def problem_of_file(path: Path, otherwise: str = "of a problem of your own, name its --portfolio") -> Problem:
    """The problem whose instances have this file name ending.

    Endings of described problems are known by their descriptions only; ``otherwise`` says what their users can do.
    """
    for problem in PROBLEMS.values():
        if path.suffix.lower() in problem.suffixes:
            return problem
    if os.path.isdir(path):
        raise UserError(f"{path}: this is a folder; name a file in it, or score all of them with ceps evaluate")
    known = known_problems()
    for problem in known:
        if path.suffix.lower() in problem.suffixes:
            return problem
    endings = ", ".join(suffix for problem in known for suffix in problem.suffixes)
    raise UserError(f"{path}: no problem has files ending in '{path.suffix}'; known endings: {endings}; {otherwise}")
