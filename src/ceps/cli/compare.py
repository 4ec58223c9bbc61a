"""``ceps compare``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ceps.cli.shared import Json, answers, messages, start_executor
from ceps.compare_view import CompareView, print_results
from ceps.comparing import contest, holding
from ceps.comparing.experiment import read_experiment
from ceps.comparing.results import results_of
from ceps.comparing.writing import as_json as as_dict
from ceps.comparing.writing import write_results


def compare(
    experiment: Annotated[Path, typer.Argument(help="An experiment file.")],
    out: Annotated[Path, typer.Option(help="Run directory; the same again = resume.")],
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Runs at a time. Default: the experiment's, or one per core.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare methods under equal budgets, on repeated random splits into training and test instances.

    Writes tables (CSV, LaTeX, JSON) and figures (PNG, SVG) into results/ of the run directory, and the portfolios of
    every split and method. Stopped or killed, start it again with the same command: it goes on where it was.

    **Example:** `ceps compare experiments/tsp-desk.toml --out runs/desk`
    """
    settings = read_experiment(experiment)
    prepared = contest.prepare(settings, experiment.parent, str(experiment))
    try:
        with start_executor(settings.execution, workers) as executor, CompareView(messages) as view:
            measured = holding.hold(prepared, executor, out, view)
    except KeyboardInterrupt:
        messages.print(f"ceps: finished runs are kept in {out}: the same command again goes on from there")
        raise
    results = results_of(measured)
    folder = write_results(results, out)
    if as_json:
        print(json.dumps(as_dict(results)))
        return
    print_results(answers, results)
    answers.print(f"tables and figures in {folder}", style="bold")
