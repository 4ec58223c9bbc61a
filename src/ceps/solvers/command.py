"""Any program as a solver, described in one TOML file: see docs/own-solver.md."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ceps.commands import as_started, environment, file_digest, fill, find_program, inherited, named_files
from ceps.errors import UserError
from ceps.problems import Problem, problem_named, problem_names
from ceps.problems.described import CONTRADICTORY, SOLVED, FileInstance
from ceps.records import Limits, Solution, Value
from ceps.solvers.command_file import SolverFile, read_solver_file
from ceps.solvers.command_output import Claim, Stream, read_claims, read_lines, why_nothing
from ceps.solvers.notes import Note, tell
from ceps.solvers.program import Printed, child, fingerprint
from ceps.solvers.solver import OnIncumbent, Solver
from ceps.tables import naming

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_PARAMETER_FILE, _SOLUTION_FILE = "parameters.txt", "solution.txt"


@dataclass(frozen=True)
class Command(Solver):
    """A program as its description has it."""

    file: SolverFile
    source: Path
    """Where the description stands."""
    digest: str
    """Of the description."""
    problem: Problem | None = field(compare=False)
    """Who writes its instances and reads its solutions; None where instances are files to begin with. It is found
    here, for finding a plug-in takes time that no run shall be charged."""

    @classmethod
    def described(cls, path: Path) -> Command:
        """The solver that a TOML file describes."""
        file, digest = read_solver_file(path)
        first = file.problems[0]
        return cls(file, path.absolute(), digest, problem_named(first) if first in problem_names() else None)

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def problems(self) -> tuple[str, ...]:
        return self.file.problems

    @property
    def programs(self) -> tuple[str, ...]:
        file = self.file
        return (as_started(file.command, file.environment, file.inherit, file.working_directory),)

    @property
    def version(self) -> str:
        files = named_files(self.file.command[1:], self.file.working_directory)
        scripts = "".join(f", {path.name} {file_digest(path)}" for path in files)
        return f"{fingerprint(self._program())}{scripts}, description {self.digest}"

    @property
    def space(self) -> ConfigurationSpace:
        with naming(str(self.source)):
            return self.file.configspace()

    def prepare(self) -> None:
        self._program()
        with naming(str(self.source)):
            inherited(self.file.inherit)
        folder = self.file.working_directory
        if folder is not None and not os.path.isdir(folder):
            raise UserError(f"{self.source}: working_directory: there is no folder {folder}; make it or name another")

    def _program(self) -> Path:
        with naming(f"{self.source}: command"):
            return find_program(self.file.command[0])

    def describe(self, configuration: Mapping[str, Value]) -> str:
        """The command line, with the names of what differs from run to run."""
        values = {name: name.upper() for name in ("seed", "cutoff", "whole_cutoff", "target", "memory")}
        line = shlex.join(self._words(configuration, {**values, "instance": "INSTANCE"}, Path()))
        if not self.file.has("parameter_file"):
            return line
        return f"{line}\n{_PARAMETER_FILE}:\n{self._parameter_lines(configuration)}"

    def _words(self, configuration: Mapping[str, Value], values: Mapping[str, str | None], folder: Path) -> list[str]:
        written = [word for name, value in configuration.items() for word in self._written(name, value)]
        files = {
            "parameter_file": str(folder / _PARAMETER_FILE),
            "solution_file": str(folder / _SOLUTION_FILE),
        }
        return fill(self.file.command, {**values, **files, "parameters": written})

    def _written(self, name: str, value: Value) -> list[str]:
        """The words for one parameter."""
        switches = dict(self.file.switches)
        if name in switches:
            word = dict(switches[name]).get(str(value), "")
            return [word] if word else []
        return fill(self.file.parameter, {"name": name, "value": _text(value)})

    def _parameter_lines(self, configuration: Mapping[str, Value]) -> str:
        lines = (" ".join(self._written(name, value)) for name, value in configuration.items())
        return "".join(f"{line}\n" for line in lines if line)

    def solve(
        self,
        instance: Any,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> None:
        """Run the program on the instance, which stands in a file with a name of ours, whatever it is called."""
        # Without a working directory of its own the program runs where its files are: short names will do.
        folder = Path() if self.file.working_directory is None else Path.cwd()
        values: dict[str, str | None] = {
            "instance": str(self._write_instance(instance, folder)),
            "seed": str(seed),
            "cutoff": _text(limits.cpu),
            "whole_cutoff": str(ceil(limits.cpu)),
            "target": None if target is None else _text(target),
            "memory": str(limits.memory // 1024**2),
        }
        if self.file.has("parameter_file"):
            (folder / _PARAMETER_FILE).write_text(self._parameter_lines(configuration))
        words = self._words(configuration, values, folder)
        tell(Note.CALLED, shlex.join(words))
        reading = _Reading(self.file)
        if self.file.has("solution_file"):
            # What is printed on the way has no solution yet: it is reported with the file, at the end.
            last = self._with_solution_file(self._run(words, reading, lambda claim: None), instance, folder)
            if last is not None:
                reading.claimed(last)
                _report(last, instance, on_incumbent)
        else:

            def on_claim(claim: Claim) -> None:
                reading.claimed(claim)  # First, for the run may be over as soon as it is reported.
                _report(claim, instance, on_incumbent)

            self._run(words, reading, on_claim)
        reading.ended()

    def _run(self, words: list[str], reading: _Reading, on_claim: Callable[[Claim], None]) -> Claim | None:
        """The last claim of the program. Those that come together are reported when all of them are known: the first
        may end the run, and the next may contradict it."""
        output, end = os.pipe()
        last: Claim | None = None
        together: list[Claim] = []

        def report() -> None:
            for claim in together:
                on_claim(claim)
            together.clear()

        with child(lambda: self._become(words, end), None) as process, Printed(output, process) as stream:
            os.close(end)
            try:
                for claim in read_claims(read_lines(_Shown(stream, report)), self.file.output, reading.found):
                    if claim.status == CONTRADICTORY:
                        together.clear()
                    together.append(claim)
                    last = claim
            finally:
                report()  # What was said before something unreadable counts.
            process.wait(self.file.output.exit_codes)
        return last

    def _become(self, words: list[str], writing: int) -> None:
        """Be the program, with its standard output going to ``writing``."""
        os.dup2(writing, 1)
        if self.file.working_directory is not None:
            os.chdir(self.file.working_directory)
        os.execve(self._program(), words, environment([*inherited(self.file.inherit), *self.file.environment]))

    def _write_instance(self, instance: Any, folder: Path) -> Path:
        if isinstance(instance, FileInstance):
            path = folder / f"instance{instance.suffix}"
            path.write_bytes(instance.content)
            return path
        assert self.problem is not None
        path = folder / f"instance{self.problem.suffixes[0]}"
        self.problem.write(instance, path)
        return path

    def _with_solution_file(self, claim: Claim | None, instance: Any, folder: Path) -> Claim | None:
        """The program's last word, with the solution or the certificate it has written."""
        path = folder / _SOLUTION_FILE
        if not path.is_file():
            return claim
        if isinstance(instance, FileInstance):
            solution: Solution = path.read_bytes().decode(errors="surrogateescape")
        else:
            assert self.problem is not None
            solution = self.problem.read_solution(instance, path)
        return replace(claim or Claim(SOLVED), solution=solution)


class _Reading:
    """What was read of a program's output, told whenever that changes: nobody knows when the run will be stopped."""

    def __init__(self, file: SolverFile) -> None:
        self._file = file
        self._matched: set[str] = set()
        """Keys of the expressions that were found in some line."""
        self._answered = False
        self._tell_nothing("no answer so far", "{solution_file} is read when the program has ended")

    def found(self, key: str) -> None:
        if key in self._matched:
            return
        self._matched.add(key)
        if not self._answered:
            self._tell_nothing("no answer so far", "{solution_file} is read when the program has ended")

    def claimed(self, claim: Claim) -> None:
        self._answered = True
        tell(Note.READ, str(claim))

    def ended(self) -> None:
        if not self._answered:
            self._tell_nothing("no answer", "the program wrote no {solution_file}")

    def _tell_nothing(self, what: str, of_the_file: str) -> None:
        reasons = (
            why_nothing(self._file.output, self._matched),
            of_the_file if self._file.has("solution_file") else "",
        )
        why = "; ".join(filter(None, reasons))
        tell(Note.READ, f"{what}: {why}" if why else what)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A stream whose bytes are shown to people who look at the output of the run."""

    stream: Stream
    before: Callable[[], None]
    """Is called before more is read."""

    def read(self, size: int) -> bytes:
        self.before()
        data = self.stream.read(size)
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]
        return data


def _report(claim: Claim, instance: Any, on_incumbent: OnIncumbent) -> None:
    if isinstance(instance, FileInstance):
        answer = {"status": claim.status, "cost": claim.cost, "solution": claim.solution}
        on_incumbent(answer, claim.cost)
    elif claim.solution is not None:
        on_incumbent(claim.solution, claim.cost)


def _text(value: Value) -> str:
    """A value as programs read it: 10 and not 10.0 where it is whole."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
