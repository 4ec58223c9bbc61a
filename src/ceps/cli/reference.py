"""``ceps reference``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ceps.cli.shared import Json, Memory, Seed, Trust, Workers, answers, load_portfolio, messages
from ceps.console import Steps, number
from ceps.errors import UserError
from ceps.execution.local import LocalExecutor
from ceps.options import memory_limit, quantity
from ceps.portfolio import Portfolio
from ceps.problems import Problem, problem_of_file
from ceps.references import Effort, References
from ceps.runner import Runner
from ceps.solvers import exact_solver, reference_consensus
from ceps.store import Reference, Store
from ceps.tables import duration
from ceps.texts import references_table


def reference(
    files: Annotated[list[Path], typer.Argument(help="Instance files, such as city.tsp.")],
    portfolio: Annotated[
        Path | None,
        typer.Option(
            help="A portfolio.json: its problem and solvers, set as they are there. For a problem of your own.",
            show_default=False,
        ),
    ] = None,
    cpu: Annotated[
        str, typer.Option(help="CPU limit of each run of the first round: seconds, or 5min; doubled in later rounds.")
    ] = "20",
    seed: Seed = 1,
    workers: Workers = None,
    memory: Memory = "2GiB",
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Find the cost that counts as solved: by consensus of independent runs, or by proof when concorde is installed.

    Agreement 1 means that three independent runs came to this cost and none to a lower one, or that it is proven; 0.67
    that two did. What --json prints can be given to `ceps evaluate --optima`.

    **Example:** `ceps reference data/*.tsp --json`

    **Example:** `ceps reference data/*.knapsack --portfolio runs/a/portfolio.json --trust`
    """
    settings: Mapping[str, Mapping[str, Any]] = {}
    if portfolio is None:
        problem = _problem_of(files)
    else:
        chosen = load_portfolio(portfolio, trust)
        problem, settings = _problem_in(chosen, portfolio, files), chosen.solver_settings
    if problem.target is not None:
        raise UserError(
            f"problem '{problem.name}' is a decision problem: an answer counts as solved, whatever it costs"
        )
    instances = [problem.read(file) for file in files]
    effort = Effort(cpu=quantity("--cpu", duration, cpu))
    with (
        LocalExecutor(workers) as executor,
        Store.in_memory() as store,
        Steps(messages, {"References": len({instance.id for instance in instances})}) as steps,
    ):

        def on_established(instance: Any, found: Reference | None) -> None:
            steps.done("References", f"{instance.name}: {'none found' if found is None else number(found.cost)}")

        consensus, exact = reference_consensus(problem.name, settings), exact_solver(problem.name)
        references = References(problem, consensus, Runner(store, executor), effort, seed, memory_limit(memory), exact)
        references.establish({instance.id: instance for instance in instances}.values(), on_established)
    found = [references.reference(instance) for instance in instances]
    if as_json:
        rows = [_as_json(file, each) for file, each in zip(files, found, strict=True)]
        print(json.dumps(rows))
    else:
        answers.print(references_table([str(file) for file in files], found))
    if None in found:
        raise typer.Exit(1)


def _problem_of(files: list[Path]) -> Problem:
    problems = {problem_of_file(file).name: problem_of_file(file) for file in files}
    if len(problems) > 1:
        raise UserError(f"FILES: of problems {' and '.join(problems)}; ask for one problem at a time")
    (problem,) = problems.values()
    return problem


def _problem_in(portfolio: Portfolio, named: Path, files: list[Path]) -> Problem:
    """The problem of a portfolio, which must have such files."""
    problem = portfolio.problem_class
    for file in files:
        if file.suffix.lower() not in problem.suffixes:
            endings = " or ".join(problem.suffixes)
            raise UserError(
                f"{file}: {named} is for problem '{problem.name}', with files ending in {endings}; name such"
            )
    return problem


def _as_json(file: Path, found: Reference | None) -> dict[str, Any]:
    cost, agreement, cpu = (None, 0.0, 0.0) if found is None else (found.cost, found.agreement, found.cpu)
    return {"file": str(file), "cost": cost, "agreement": agreement, "cpu": cpu}
