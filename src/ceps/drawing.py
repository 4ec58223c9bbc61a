"""Solutions as pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ceps.console import number
from ceps.errors import UserError
from ceps.options import check_output_file
from ceps.pictures import ENDINGS, save_picture
from ceps.problems import Instance, Problem
from ceps.records import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_picture_file(picture: Path, out: Path | None, *inputs: Path | None) -> None:
    """Notice before the race what would go wrong with ``--draw`` after it; ``out`` is where the solution goes."""
    if picture.suffix.lower() not in ENDINGS:
        raise UserError(f"--draw {picture}: the ending says what to draw; use {' or '.join(ENDINGS)}")
    check_output_file("--draw", picture, *inputs)
    if out is not None and os.path.realpath(out) == os.path.realpath(picture):
        raise UserError(f"--draw {picture}: --out writes the solution there; name another file")


def draw_solution(problem: Problem, instance: Instance, solution: Solution, cost: float, path: Path) -> None:
    """Draw a feasible solution into a file that ends in .png or .svg."""

    def draw(figure: Figure) -> None:
        problem.draw(instance, solution, figure)
        figure.suptitle(f"{instance.name}: cost {number(cost)}", fontsize="x-large", parse_math=False)

    save_picture(draw, path)
