"""Where programs of a described problem are called: a private folder with one instance in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ceps.commands import Called, CallError, call, fill, inherited
from ceps.errors import UserError
from ceps.files import remove_tree
from ceps.problems.problem_file import ProblemFile

OnCall = Callable[[Sequence[str], Called | None], None]
"""Is told what is run before it is, and what it came to afterwards."""


def nobody(words: Sequence[str], made: Called | None) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder for one call; what stands in it is gone afterwards."""

    file: ProblemFile
    source: str
    """Where the description stands, for messages."""
    folder: Path
    instance: Path
    on_call: OnCall

    @classmethod
    @contextmanager
    def opened(cls, file: ProblemFile, source: str, content: bytes, suffix: str, on_call: OnCall) -> Iterator[Desk]:
        """With an instance of this content."""
        import tempfile  # noqa: PLC0415 - random numbers, whose care after every fork would be charged to runs

        folder = Path(tempfile.mkdtemp(prefix="ceps-"))
        try:
            instance = folder / f"instance{suffix}"
            instance.write_bytes(content)
            yield cls(file, source, folder, instance, on_call)
        finally:
            remove_tree(folder)  # Whatever the program has made of it.

    def call(self, command: Sequence[str], values: Mapping[str, str]) -> Called:
        file = self.file
        words = fill(command, {"instance": str(self.instance), **values})
        self.on_call(words, None)
        given = [*inherited(file.inherit), *file.environment]
        made = call(words, self.folder, file.time, file.memory, given, file.working_directory)
        self.on_call(words, made)
        return made

    def ask(self, command: Sequence[str], key: str, values: Mapping[str, str]) -> Called:
        """A call that must succeed."""
        try:
            made = self.call(command, values)
        except CallError as error:
            raise UserError(f"{self.source}: {key} failed: {error}") from error
        if made.status != 0:
            raise UserError(f"{self.source}: {key} {made.fate}")
        return made
