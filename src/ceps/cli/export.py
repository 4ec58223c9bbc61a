"""``ceps export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceps import exporting
from ceps.cli.shared import answers, messages
from ceps.tables import naming
from ceps.texts import counted


def export(
    run: Annotated[Path, typer.Argument(help="The run directory of a build, a comparison or an evaluation.")],
    format_: Annotated[
        exporting.Format,
        typer.Option(
            "--format",
            help="csv: all runs with their scores. instances: those that were bred and trained on. configurations: "
            "the members of all portfolios as parameter files of their solvers, and how to run them. aslib: a scenario "
            "for algorithm selection, of the members' runs that were not stopped early.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="A folder. Default: export/FORMAT in the run directory.", show_default=False)
    ] = None,
) -> None:
    """Write what is in a run directory for other tools.

    **Example:** `ceps export runs/a --format configurations`

    **Example:** `ceps export runs/a --format csv --out tables`
    """
    folder = out or run / "export" / format_.value
    with naming(str(run)):
        files = exporting.export(run, format_, folder, messages.print)
    answers.print(f"{counted(len(files), 'file')} in {folder}")
