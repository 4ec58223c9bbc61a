"""Instances and their solutions as pictures."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ceps.console import number
from ceps.errors import UserError
from ceps.options import check_output_file
from ceps.pictures import ENDINGS, save_picture
from ceps.problems import Instance, Problem
from ceps.records import Solution
from ceps.tables import naming

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_picture_file(option: str, picture: Path, *inputs: Path | None, solution: Path | None = None) -> None:
    """Notice before the work what would go wrong with a picture after it; ``solution`` is where that is written."""
    if picture.suffix.lower() not in ENDINGS:
        raise UserError(f"{option} {picture}: the ending says what to draw; use {' or '.join(ENDINGS)}")
    check_output_file(option, picture, *inputs)
    if solution is not None and os.path.realpath(solution) == os.path.realpath(picture):
        raise UserError(f"{option} {picture}: --out writes the solution there; name another file")


def check_drawable(option: str, picture: Path, problem: Problem, instance: Instance) -> None:
    """Notice before the work that a problem has no pictures: an instance is drawn, into no file."""
    with naming(f"{option} {picture}"):
        save_picture(partial(problem.draw, instance, None))


def draw_instance(problem: Problem, instance: Instance, path: Path) -> None:
    """Draw an instance into a file that ends in .png or .svg."""
    _draw(problem, instance, None, instance.name, path)


def draw_solution(problem: Problem, instance: Instance, solution: Solution, cost: float, path: Path) -> None:
    """Draw a feasible solution into a file that ends in .png or .svg."""
    _draw(problem, instance, solution, f"{instance.name}: cost {number(cost)}", path)


def _draw(problem: Problem, instance: Instance, solution: Solution | None, title: str, path: Path) -> None:
    def draw(figure: Figure) -> None:
        problem.draw(instance, solution, figure)
        figure.suptitle(title, fontsize="x-large", parse_math=False)

    save_picture(draw, path)
