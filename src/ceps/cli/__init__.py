"""The command line: parses, delegates, and shows. Nothing else. One file per command."""

from __future__ import annotations

import signal
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from ceps import __version__
from ceps.cli.build import build, check
from ceps.cli.compare import compare
from ceps.cli.draw import draw
from ceps.cli.evaluate import evaluate
from ceps.cli.export import export
from ceps.cli.generate import generate
from ceps.cli.reference import reference
from ceps.cli.report import report
from ceps.cli.shared import Commands, answers, terminate
from ceps.cli.solve import solve
from ceps.cli.watch import watch

app = typer.Typer(
    name="ceps",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Entry point."""
    # Names of files may hold bytes that are no text.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, terminate)
    app()


def _version(asked: bool) -> None:
    if asked:
        answers.print(f"ceps {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Build parallel algorithm portfolios from a handful of instances, and solve with them every day.

    **Example:** `ceps solve city.tsp --time 10 --out city.tour`

    **Example:** `ceps build scenario.toml --out runs/a`

    `ceps COMMAND --help` explains a command, with examples.
    """


for _command in (generate, check, build, watch, solve, draw, evaluate, compare, report, export, reference):
    app.command()(_command)
