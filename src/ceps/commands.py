"""Command lines of other people's programs: lists of words with placeholders, never the text of a shell.

Here is how they are written in description files, what such a program inherits of the environment, and how one is
called for a short while. Solver runs are made elsewhere, in :mod:`ceps.solvers.command`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shlex
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Protocol, Self, runtime_checkable

from ceps import _native
from ceps.errors import UntrustedError, UserError, did_you_mean
from ceps.tables import brief, home

HERE = "here"
"""The placeholder of the folder that a description file stands in."""
MARK = "CEPS_KEEPER"
"""Environment variable that marks a keeper of runs and everything below it."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
MOST_OUTPUT = 1024**2
"""Bytes read of what a called program prints."""
PATIENCE = 5
"""How many times its CPU seconds a call may take by the clock: a host may have other work."""
LARGEST_FILE = 1024**3
"""Bytes of one file that a called program may write."""
GRACE = 1.0
"""Seconds within which batch systems tell all processes of a job to end."""

_CONTAINED = str(Path(_native.__file__).with_name("contained"))
# HOME, because licences and installations of the user's are found by it.
_INHERITED = ("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR", MARK)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


@runtime_checkable
class NamesPrograms(Protocol):
    """A solver or a problem whose settings may name programs, which whoever wrote the settings has chosen."""

    @property
    def programs(self) -> Sequence[str]:
        """As people read them."""


def programs_of(parts: Iterable[object]) -> list[str]:
    """What programs solvers and problems name.

    What is installed as a part of ceps or as a plug-in of its was chosen by the user.
    """
    return [program for part in parts if isinstance(part, NamesPrograms) for program in part.programs]


def as_started(
    words: Sequence[str], given: Iterable[tuple[str, str]], inherit: Iterable[str], working_directory: Path | None
) -> str:
    """How a description has a program started, as a line of a shell: what it is given may matter more than its name."""
    folder = [] if working_directory is None else [f"cd {shlex.quote(str(working_directory))} &&"]
    taken = [f'{name}="${name}"' for name in inherit]
    return " ".join([*folder, *taken, *(f"{name}={shlex.quote(text)}" for name, text in given), shlex.join(words)])


def refuse_programs(where: object, parts: Iterable[object], way: str) -> None:
    """Nobody starts programs that a file names without knowing them: it may come from a stranger."""
    if programs := programs_of(parts):
        raise UntrustedError(
            f"{where} starts programs: {'; '.join(programs)}. If you know them, and who has made the file, {way}"
        )


def words_with(*known: str) -> Callable[[object], tuple[str, ...]]:
    """A reader of command lines that may have these placeholders, and ``{here}``."""

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
            raise ValueError(f'must be a list of words, such as ["program", "{{instance}}"], not {brief(value)}')
        for word in value:
            check_placeholders(word, (*known, HERE))
        if not value[0] or placeholders(value[0]) - {HERE}:
            raise ValueError(f"must begin with a program, not with {brief(value[0])}")
        return tuple(value)

    return read


def check_placeholders(word: str, known: Sequence[str]) -> None:
    """Refuse a word with a placeholder that nobody fills."""
    check_word(word)
    for name in placeholders(word):
        if name not in known:
            raise ValueError(
                f"has the unknown placeholder {{{name}}}.{did_you_mean(name, known)} Braces are written {{{{ and }}}}"
            )


def check_word(word: str) -> None:
    """Refuse a word that no program can be given."""
    if "\0" in word:
        raise ValueError(f"has a word with a NUL, which no program can be given: {brief(word)}")


def placeholders(word: str) -> set[str]:
    return {match[1] for match in _PLACEHOLDER.finditer(word) if match[1] is not None}


def variables(value: object) -> tuple[tuple[str, str], ...]:
    """A reader of an ``[environment]`` table."""
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a table, not {brief(value)}")
    for name, text in value.items():
        _check_variable(name)
        if not isinstance(text, str):
            raise ValueError(f"must have texts: {name} = {brief(text)} is none; put it in quotes")
        check_placeholders(text, (HERE,))
    return tuple(sorted(value.items()))


def variable_names(value: object) -> tuple[str, ...]:
    """A reader of ``inherit``."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f'must be a list of names of variables, such as ["LICENCE"], not {brief(value)}')
    for name in value:
        _check_variable(name)
    return tuple(value)


def _check_variable(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"has the name {brief(name)}; use letters, digits and _")


def inherited(names: Iterable[str]) -> list[tuple[str, str]]:
    """Variables of this process's own that a description asks for, with what they are now: on a cluster, its host's."""
    for name in names:
        if name not in os.environ:
            raise UserError(
                f"inherit: the variable {name} is not set on host {platform.node()}; set it there where ceps, or a "
                "worker of a cluster, is started, or remove it here"
            )
    return [(name, os.environ[name]) for name in names]


def located(words: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Words with ``{here}`` filled in, and a program that is named with a slash looked for in that folder."""
    first, *others = (_with_here(word, folder) for word in words)
    if "/" in first and not first.startswith("/"):
        first = _literal(str(folder / home(fill([first], {})[0], "a command")))
    return (first, *others)


def located_variables(given: Iterable[tuple[str, str]], folder: Path) -> tuple[tuple[str, str], ...]:
    return tuple((name, fill([_with_here(text, folder)], {})[0]) for name, text in given)


def _with_here(word: str, folder: Path) -> str:
    return _PLACEHOLDER.sub(lambda match: _literal(str(folder)) if match[1] == HERE else match[0], word)


def _literal(text: str) -> str:
    """A text in which nothing is a placeholder, whatever folders are called."""
    return text.replace("{", "{{").replace("}", "}}")


def fill(words: Iterable[str], values: Mapping[str, str | Sequence[str] | None]) -> list[str]:
    """The words with values for placeholders.

    A placeholder that stands alone may become several words. A word with a placeholder that has no value is left out.
    """
    filled: list[str] = []
    for word in words:
        alone = _PLACEHOLDER.fullmatch(word)
        value = values[alone[1]] if alone is not None and alone[1] is not None else ""
        if not isinstance(value, str) and value is not None:
            filled += value
        elif all(values[name] is not None for name in placeholders(word)):
            filled.append(_PLACEHOLDER.sub(lambda match: _filled(match, values), word))
    return filled


def _filled(match: re.Match[str], values: Mapping[str, str | Sequence[str] | None]) -> str:
    return match[0][0] if match[1] is None else str(values[match[1]])


@cache
def find_program(word: str) -> Path:
    """The file that a located command's first word names: on the PATH, unless it has a slash."""
    name = fill([word], {})[0]
    if "/" not in name:
        found = shutil.which(name)
        if found is None:
            raise UserError(f"there is no program '{name}' on the PATH; install it, or give its path")
        return Path(found).absolute()
    if not os.path.isfile(name):
        raise UserError(f"there is no program {name}; check the path")
    if not os.access(name, os.X_OK):
        raise UserError(f"{name} is not executable. Try: chmod +x {name}")
    return Path(name).absolute()


@cache
def file_digest(path: Path) -> str:
    """A short name for the content of a file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:12]
    except OSError as error:
        reason = f"{path}: cannot be read: {error.strerror}; its content is part of what a run is, so allow it"
        raise UserError(reason) from error


def named_files(words: Iterable[str], working_directory: Path | None) -> list[Path]:
    """The files that are words of a located command by themselves, such as scripts, where it runs."""
    plain = (fill([word], {})[0] for word in words if not placeholders(word))
    # Without a working directory of its own, a command runs in an empty one.
    files = (word if working_directory is None else os.path.join(working_directory, word) for word in plain)
    return [Path(file) for file in files if file.startswith("/") and os.path.isfile(file)]


def environment(given: Iterable[tuple[str, str]] = ()) -> dict[str, str]:
    """What a program sees: a few variables of the user's, one thread for libraries, and what its description gives."""
    inherited = {name: value for name, value in os.environ.items() if name in _INHERITED or name.startswith("LC_")}
    return {**inherited, **ONE_THREAD, "PYTHONHASHSEED": "0", **dict(given)}


def fate(status: int) -> str:
    """How a process ended, by its exit status; negative for a signal."""
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:  # Most of those for real time have no name.
        return f"was ended by signal {-status}"


def outlast_termination() -> None:
    """Wait a little, where a process here was ended by SIGTERM, before anything is made of that.

    Batch systems send one to all processes of a job. If that is what has ended the other, this process ends too, and
    nobody is blamed; if not, it was the other's own affair.
    """
    time.sleep(GRACE)


@dataclass(frozen=True, slots=True)
class Called:
    """What a call came to: the exit status, negative for a signal, and what was printed, cut where it is too long."""

    status: int
    output: bytes
    error: bytes

    @property
    def fate(self) -> str:
        """How it ended and the last thing it said, for messages."""
        return f"{fate(self.status)}: {self.last_line}"

    @property
    def last_line(self) -> str:
        """The last thing it said: where there is an error, the error."""
        said = [line.strip() for line in (self.error or self.output).decode(errors="replace").splitlines()]
        return next((line for line in reversed(said) if line), "it said nothing")[:300]


class CallError(Exception):
    """A program that could not be called, or did not come to its end."""


class TooLongError(CallError):
    """A program that has computed for as long as it may."""


def call(
    words: Sequence[str],
    folder: Path,
    seconds: float,
    memory: int,
    given: Iterable[tuple[str, str]] = (),
    working_directory: Path | None = None,
) -> Called:
    """Run a program in a folder of its own, or in another with that for its temporary files, and wait for its end.

    ``seconds`` are of CPU time, of all that it starts together; by the clock it has :data:`PATIENCE` times as long.
    Nothing that it starts outlives it, nor this process, however that ends: between the two stands ``contained``, a
    process of ours (``cpp/contained``) that adopts whatever is left behind, and kills it.
    """
    # Here and not above: keepers import this module, and with these come threads and random numbers, whose care after
    # every fork would be charged to runs.
    import subprocess  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    limits = [f"{seconds:f}", f"{PATIENCE * seconds:f}", str(memory), str(LARGEST_FILE)]
    program = str(find_program(_literal(words[0])))
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error, _Pipe() as report:
        try:
            process = subprocess.Popen(
                [_CONTAINED, str(os.getpid()), str(report.writing), *limits, program, *words],
                cwd=working_directory or folder,
                env=environment([("TMPDIR", str(folder)), *given]),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=error,
                pass_fds=[report.writing],
                start_new_session=True,
            )
        except OSError as failure:
            where = "" if failure.filename is None else f" in {failure.filename}"
            raise CallError(f"{words[0]} cannot be started{where}: {failure.strerror}") from failure
        try:
            process.wait()
        finally:
            process.terminate()  # Should this process not wait any longer: it ends all, and then itself.
            process.wait()
        told = report.read()
        if told in (None, ("ended", -signal.SIGTERM)):
            outlast_termination()
        match told:
            case None:
                raise CallError(f"{words[0]}: the process that watches it {fate(process.returncode)}")
            case "refused", number:
                raise CallError(f"{words[0]} cannot be started: {os.strerror(number)}")
            case "late", _:
                raise TooLongError(f"{words[0]} took longer than {seconds:g} s")
            case "waited", _:
                raise CallError(
                    f"{words[0]} had not computed for {seconds:g} s when {PATIENCE * seconds:g} s were over"
                )
            case _, number:
                return Called(number, _beginning(output), _beginning(error))


class _Pipe:
    """Where ``contained`` tells how it went."""

    def __enter__(self) -> Self:
        self._reading, self.writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._reading)
        os.close(self.writing)

    def read(self) -> tuple[str, int] | None:
        """What it has told; nothing if it was killed before."""
        try:
            how, number = os.read(self._reading, 100).split()
        except BlockingIOError:
            return None
        return how.decode(), int(number)


def _beginning(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(MOST_OUTPUT)
