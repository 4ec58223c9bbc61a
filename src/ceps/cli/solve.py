"""``ceps solve``."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from ceps.box import boxed_portfolio
from ceps.cli.shared import Json, Memory, Seed, Trust, answers, load_portfolio, messages, warn_of_sharing
from ceps.console import RaceView
from ceps.drawing import check_drawable, check_picture_file, draw_solution
from ceps.errors import UserError
from ceps.options import check_output_file, memory_limit, quantity
from ceps.portfolio import Portfolio
from ceps.problems import Problem, problem_of_file
from ceps.solve import Answer, race
from ceps.tables import duration
from ceps.texts import answer_text, components_text


def solve(
    instance: Annotated[Path, typer.Argument(help="An instance file, such as city.tsp.")],
    portfolio: Annotated[
        Path | None,
        typer.Option(help="A portfolio.json. Default: the one in the box.", show_default=False),
    ] = None,
    time: Annotated[str, typer.Option(help="Wall-clock limit: seconds, or a text such as 5min.")] = "10",
    target: Annotated[
        float | None, typer.Option(help="Stop when a cost this low is found.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write the solution to.", show_default=False)] = None,
    draw: Annotated[
        Path | None, typer.Option(help="File to draw the solution into, .png or .svg.", show_default=False)
    ] = None,
    seed: Seed = 1,
    memory: Memory = "2GiB",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Race a portfolio on one instance; the best verified answer counts.

    Ctrl-C ends the race early: the best answer so far is shown, and written to --out.

    **Example:** `ceps solve city.tsp`

    **Example:** `ceps solve city.tsp --portfolio runs/a/portfolio.json --time 10 --out city.tour`

    **Example:** `ceps solve day.vrpspdtw --time 1min --out day.sol --draw day.png`
    """
    if portfolio is None:
        chosen = boxed_portfolio(problem_of_file(instance).name, messages.print)
    else:
        chosen = load_portfolio(portfolio, trust)
    problem = chosen.problem_class
    if instance.suffix.lower() not in problem.suffixes:
        endings = ", ".join(problem.suffixes)
        raise UserError(
            f"{portfolio}: this portfolio is for problem '{chosen.problem}', with files ending in {endings}"
        )
    read = problem.read(instance)
    seconds, most_memory = quantity("--time", duration, time), memory_limit(memory)
    if target is not None and not isfinite(target):
        raise UserError(f"--target {target}: must be a finite cost")
    if out is not None:
        check_output_file("--out", out, instance, portfolio)
    if draw is not None:
        check_picture_file("--draw", draw, instance, portfolio, solution=out)
        check_drawable("--draw", draw, problem, read)
    warn_of_sharing(len(chosen), "components")
    with RaceView(messages, chosen, seconds) as view:
        answer = race(chosen, read, seconds, target, seed, most_memory, view.show)
    written, unwritten = [], None
    try:
        if out is not None and answer.cost is not None:
            problem.write_solution(read, answer.solution, answer.cost, out)
            written.append(out)
        if draw is not None and answer.cost is not None:
            draw_solution(problem, read, answer.solution, answer.cost, draw)
            written.append(draw)
    except UserError as error:
        unwritten = error  # The answer is shown all the same.
    _show_answer(problem, read, answer, chosen, written, as_json)
    if unwritten is not None:
        raise unwritten
    if answer.interrupt is not None:
        raise answer.interrupt
    if answer.cost is None:
        raise typer.Exit(1)


def _show_answer(
    problem: Problem, instance: Any, answer: Answer, portfolio: Portfolio, written: list[Path], as_json: bool
) -> None:
    if as_json:
        keys = ("cost", "status", "component", "cpu", "wall", "solution")
        print(json.dumps({key: getattr(answer, key) for key in keys}))
        return
    answers.print(components_text(answer, portfolio))
    if answer.cost is None:
        messages.print(
            f"ceps: {instance.name}: no component found a valid solution; if none has failed above, there may be none, "
            "or it takes longer: give more --time",
            style="red",
        )
    else:
        try:
            if described := problem.describe(instance, answer.solution):
                answers.print(described)
        except UserError as error:  # It could not be checked once more: the answer is shown all the same.
            messages.print(f"ceps: {error}", style="red")
        answers.print(answer_text(answer, written), style="bold")
