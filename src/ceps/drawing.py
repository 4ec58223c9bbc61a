"""Solutions as pictures. The same solution gives the same file to the last byte."""

from __future__ import annotations

import os
from pathlib import Path

from ceps.console import number
from ceps.errors import UserError
from ceps.options import check_output_file
from ceps.problems import Instance, Problem
from ceps.records import Solution

ENDINGS = (".png", ".svg")
"""What pictures can be, by the file's ending."""
DOTS_PER_INCH = 120


def check_picture_file(picture: Path, out: Path | None, *inputs: Path | None) -> None:
    """Notice before the race what would go wrong with ``--draw`` after it; ``out`` is where the solution goes."""
    if picture.suffix.lower() not in ENDINGS:
        raise UserError(f"--draw {picture}: the ending says what to draw; use {' or '.join(ENDINGS)}")
    check_output_file("--draw", picture, *inputs)
    if out is not None and os.path.realpath(out) == os.path.realpath(picture):
        raise UserError(f"--draw {picture}: --out writes the solution there; name another file")


def draw_solution(problem: Problem, instance: Instance, solution: Solution, cost: float, path: Path) -> None:
    """Draw a feasible solution into a file that ends in .png or .svg."""
    # Half a second to import: only those who draw wait for it.
    import matplotlib.style  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    # Not the user's own style, no random ids, text that can be searched.
    settings = {"svg.hashsalt": "ceps", "svg.fonttype": "none"}
    with matplotlib.style.context(["default", settings]):
        figure = Figure(layout="constrained", dpi=DOTS_PER_INCH)
        problem.draw(instance, solution, figure)
        figure.suptitle(f"{instance.name}: cost {number(cost)}", fontsize="x-large")
        # Neither the date nor the version of who wrote it.
        dated = {"Date": None, "Creator": "ceps"} if path.suffix.lower() == ".svg" else {"Software": "ceps"}
        try:
            figure.savefig(path, metadata=dated)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
