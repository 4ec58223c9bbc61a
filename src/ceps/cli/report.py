"""``ceps report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ceps.cli.shared import Trust, answers, messages
from ceps.options import check_output_file
from ceps.report.reading import read_facts
from ceps.report.writing import write_page


def report(
    run: Annotated[Path, typer.Argument(help="The run directory of a build, a comparison or an evaluation.")],
    out: Annotated[
        Path | None, typer.Option(help="The file. Default: report.html in the run directory.", show_default=False)
    ] = None,
    trust: Trust = False,
) -> None:
    """Write one page about a run directory: its portfolios, instances, tables and figures. The work may be under way.

    The page is one HTML file that needs no other, and no network.

    **Example:** `ceps report runs/a --out a.html`
    """
    from ceps.report.page import page  # noqa: PLC0415 - the other commands start faster without its templates

    file = out or run / "report.html"
    if out is not None:
        check_output_file("--out", out)
    with messages.status(f"Reading {run}"):
        facts = read_facts(run, trust=trust)
    with messages.status(f"Writing {file}"):
        size = write_page(page(facts), file)
    answers.print(f"{file} ({size / 1024:.0f} KiB)")
