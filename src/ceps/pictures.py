"""Pictures as files. The same picture gives the same file to the last byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ceps.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg")
"""What pictures can be, by the file's ending."""
DOTS_PER_INCH = 120


def save_picture(draw: Callable[[Figure], None], *paths: Path) -> None:
    """Have a figure drawn, and write it into files that end in .png or .svg."""
    # Half a second to import: only those who draw wait for it.
    import matplotlib.style  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    # Not the user's own style, no random ids, text that can be searched.
    settings = {"svg.hashsalt": "ceps", "svg.fonttype": "none"}
    with matplotlib.style.context(["default", settings]):
        figure = Figure(layout="constrained", dpi=DOTS_PER_INCH)
        draw(figure)
        for path in paths:
            # Neither the date nor the version of who wrote it.
            dated = {"Date": None, "Creator": "ceps"} if path.suffix.lower() == ".svg" else {"Software": "ceps"}
            try:
                figure.savefig(path, metadata=dated)
            except OSError as error:
                raise UserError(f"{path}: cannot be written: {error.strerror}") from error
