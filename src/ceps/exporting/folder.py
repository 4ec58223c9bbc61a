"""Where an export goes: names come from run directories, which may come from strangers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ceps.errors import UserError
from ceps.tables import brief


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder out of which no file leads. It is made with its first file: what is refused leaves none behind."""

    path: Path
    run: Path
    """The run directory. A folder in it must stay there, whatever links are in it."""

    def file(self, name: str) -> Path:
        """A file in it, perhaps in a folder of its own, which is made."""
        self.check(name)
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def check(self, name: str) -> None:
        """Refuse what would not be a file in it."""
        if ".." in Path(name).parts or Path(name).is_absolute() or not name.isprintable():
            raise UserError(f"{brief(name)} in the run directory is no name for a file; nothing was written to it")
        top = self.run if self.path.absolute().is_relative_to(self.run.absolute()) else self.path
        file = self.path / name
        if not file.resolve().is_relative_to(top.resolve()):
            raise UserError(f"{file}: a link leads out of {top}; remove it, or name a folder elsewhere with --out")
