"""What is in a run directory, for other tools."""

from ceps.exporting.formats import Format, export

__all__ = ["Format", "export"]
