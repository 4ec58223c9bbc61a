"""``ceps draw``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceps.cli.shared import answers
from ceps.console import number
from ceps.drawing import check_picture_file, draw_instance, draw_solution
from ceps.errors import UserError
from ceps.problems import Infeasible, problem_of_file


def draw(
    instance: Annotated[Path, typer.Argument(help="An instance file, such as city.tsp.")],
    out: Annotated[Path, typer.Option(help="File to draw into, .png or .svg.")],
    solution: Annotated[
        Path | None,
        typer.Argument(help="A solution of it, such as city.tour or day.sol; without one, the instance is drawn."),
    ] = None,
) -> None:
    """Draw an instance, or a solution of it. The solution is checked first: what is drawn is feasible.

    **Example:** `ceps draw city.tsp --out city.svg`

    **Example:** `ceps draw city.tsp city.tour --out city.png`

    **Example:** `ceps draw day.vrpspdtw day.sol --out day.svg`
    """
    problem = problem_of_file(instance, "what is described in a file of your own cannot be drawn")
    read = problem.read(instance)
    check_picture_file("--out", out, instance, solution)
    if solution is None:
        draw_instance(problem, read, out)
        answers.print(f"{read.name} drawn in {out}")
        return
    found = problem.read_solution(read, solution)
    cost = problem.check(read, found)
    if isinstance(cost, Infeasible):
        raise UserError(f"{solution}: no solution of {instance}: {cost.reason}; give one that is")
    draw_solution(problem, read, found, cost, out)
    answers.print(f"{read.name}, cost {number(cost)}, drawn in {out}")
