"""``ceps watch``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ceps.cli.shared import Trust, answers, messages

_LOCAL = "127.0.0.1"
_NICENESS = 10
"""So that it takes no time from the runs that it watches."""


def watch(
    run: Annotated[Path, typer.Argument(help="The run directory of a build, a comparison or an evaluation.")],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen. 0: any free port.", show_default=True)
    ] = 0,
    address: Annotated[
        str, typer.Option(help="Which address to listen on. Any other than the default may let others read the page.")
    ] = _LOCAL,
    trust: Trust = False,
) -> None:
    """Show a run that is going on as a page for the browser, which renews itself.

    Prints the address to open, and, like the page, why there is nothing to show yet, if so. The page is that of
    `ceps report`. It only reads, and takes about 1 % of one core. Ctrl-C ends it; the run goes on.

    **Example:** `ceps watch runs/a`
    """
    # A second to import: only who looks at a page waits for it.
    from ceps.report.library import FeatureCache  # noqa: PLC0415
    from ceps.report.live import serve  # noqa: PLC0415
    from ceps.report.reading import read_facts  # noqa: PLC0415

    if address != _LOCAL:
        messages.print(f"warning: whoever can reach {address} can read the page", style="yellow")
    os.nice(_NICENESS)
    cache = FeatureCache()
    try:
        serve(
            run,
            lambda: read_facts(run, cache, trust),
            address,
            port,
            ready=lambda url: answers.print(f"{url} (Ctrl-C ends)"),
            tell=lambda why: messages.print(f"nothing to show yet: {why}", style="yellow"),
        )
    except KeyboardInterrupt:
        messages.print("ended; a run that is under way goes on")
