"""Problems without Python: opaque instance files, and programs that check, vary and describe them.

Such a problem is described in one TOML file, read by :mod:`ceps.problems.problem_file`. A solution of it is an answer:
``{"status": "solved" or "unsatisfiable", "cost": a number or null, "solution": a text or null}``.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ceps.commands import Called, CallError, TooLongError, as_started, placeholders
from ceps.errors import UserError, did_you_mean
from ceps.problems.desk import Desk, OnCall, nobody
from ceps.problems.parameters import Parameter
from ceps.problems.problem import Infeasible, Problem, Unverified
from ceps.problems.problem_file import ProblemFile, digests_of_programs, read_problem_file
from ceps.problems.text import load, name_of
from ceps.records import Solution
from ceps.seeds import LARGEST_SEED
from ceps.tables import brief

SOLVED, UNSATISFIABLE = "solved", "unsatisfiable"
CONTRADICTORY = "contradictory"
"""The status of an answer of who has said both: it is none."""
VERIFIED, BELIEVED = 0.0, 1.0
"""What an answer to a decision problem costs: less when it was verified than when a solver's word is all there is."""
_BINARY = "data:;base64,"
"""Begins the text of an instance whose bytes are no UTF-8."""
_MUTANT = re.compile(r"~[0-9a-f]{8}$")


@dataclass(frozen=True, eq=False)
class FileInstance:
    """The bytes of an instance file. Two instances are equal when their content is, whatever they are called."""

    name: str
    content: bytes = field(repr=False)
    suffix: str

    @cached_property
    def id(self) -> str:
        return hashlib.blake2b(self.content, digest_size=16).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileInstance) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class Trial:
    """A command that was tried once, for people."""

    key: str
    """What the description calls it."""
    line: str
    """What was run."""
    time: float
    memory: int
    said: str
    """What it printed, to standard error first."""
    came_of_it: str
    worked: bool


@dataclass(frozen=True)
class DescribedProblem(Problem):
    """A problem as its description file has it."""

    file: ProblemFile
    source: str
    """Where the description stands, for messages."""
    digest: str
    """Of the description."""

    @classmethod
    def described(cls, path: Path) -> DescribedProblem:
        """The problem that a TOML file describes."""
        file, digest = read_problem_file(path)
        return cls(file, str(path), digest)

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def suffixes(self) -> tuple[str, ...]:
        return self.file.suffixes

    @property
    def programs(self) -> tuple[str, ...]:
        file = self.file
        return tuple(
            as_started(words, file.environment, file.inherit, file.working_directory)
            for words in (file.check, file.features, file.mutate)
            if words
        )

    @property
    def version(self) -> str:
        # Not a field: what its programs are is to be found on every host.
        parts = (self.digest, *digests_of_programs(self.file, self.source))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    @property
    def target(self) -> float | None:
        if not self.file.decision:
            return None
        return BELIEVED if self.file.trust else VERIFIED

    @property
    def mutates(self) -> bool:
        return bool(self.file.mutate)

    def read(self, path: Path) -> FileInstance:
        return FileInstance(name_of(path), load(path), self._suffix(path))

    def _suffix(self, path: Path) -> str:
        return path.suffix if path.suffix.lower() in self.suffixes else self.suffixes[0]

    def write(self, instance: FileInstance, path: Path) -> None:
        _save(path, instance.content)

    def decode(self, text: str, name: str) -> FileInstance:
        if not text.startswith(_BINARY):
            return FileInstance(name, text.encode(), self.suffixes[0])
        try:
            return FileInstance(name, base64.b64decode(text[len(_BINARY) :], validate=True), self.suffixes[0])
        except (binascii.Error, ValueError) as error:
            raise UserError(f"{name}: after '{_BINARY}' there is no base64: {error}") from error

    def encode(self, instance: FileInstance) -> str:
        """UTF-8 as it is, other bytes in base64, so that a store of texts can keep any file."""
        try:
            text = instance.content.decode()
        except UnicodeDecodeError:
            text = ""
        if text.encode() == instance.content and "\0" not in text and not text.startswith(_BINARY):
            return text
        return _BINARY + base64.b64encode(instance.content).decode()

    def write_solution(self, instance: FileInstance, solution: Solution, cost: float, path: Path) -> None:
        told = solution.get("solution")
        _save(path, f"{solution['status']}\n".encode() if told is None else _bytes(told))

    def read_solution(self, instance: FileInstance, path: Path) -> Solution:
        return {"status": SOLVED, "cost": None, "solution": load(path).decode(errors="surrogateescape")}

    def check(self, instance: FileInstance, solution: Solution) -> float | Infeasible:
        if isinstance(solution, dict) and solution.get("status") == CONTRADICTORY:
            return Infeasible("it says that there is a solution, and that there is none")
        if not isinstance(solution, dict) or solution.get("status") not in (SOLVED, UNSATISFIABLE):
            return Infeasible(f"an answer has a status, {SOLVED} or {UNSATISFIABLE}")
        told = solution.get("solution")
        if solution["status"] == UNSATISFIABLE:
            return self._check_refusal(instance, told)
        if told is not None and self.file.check:
            return self._ask_checker(instance, SOLVED, told)
        if not self.file.trust:
            return Infeasible("the solver told no solution that could be checked")
        return BELIEVED if self.file.decision else _number(solution.get("cost"))

    def _check_refusal(self, instance: FileInstance, certificate: Any) -> float | Infeasible:
        """What it is worth that a solver says: there is no solution."""
        if certificate is not None and self.checks_certificates:
            return self._ask_checker(instance, UNSATISFIABLE, certificate)
        if self.file.decision and self.file.trust:
            return BELIEVED
        return Unverified("says that there is no solution, which was not verified")

    @property
    def checks_certificates(self) -> bool:
        """Whether the program that checks is told what it checks: then it may be asked for both kinds of answers."""
        return any("status" in placeholders(word) for word in self.file.check)

    def _ask_checker(
        self, instance: FileInstance, status: str, told: Any, on_call: OnCall = nobody
    ) -> float | Infeasible:
        try:
            content = _bytes(told)
        except UnicodeEncodeError as error:
            return Infeasible(f"it is no text that a program could have printed: {error}")
        try:
            with self._desk(instance, on_call) as desk:
                (desk.folder / "solution").write_bytes(content)
                made = desk.call(self.file.check, {"solution": str(desk.folder / "solution"), "status": status})
        except TooLongError as error:
            return Infeasible(f"it could not be checked: {error}")
        except (CallError, OSError, UserError) as error:
            # A check that was never made, or waited, is no fault of the solution's.
            raise UserError(f"{self.source}: check failed: {error}") from error
        if made.status != 0:
            return Infeasible(made.last_line if made.status > 0 else f"the program that checks {made.fate}")
        if self.file.decision:
            return VERIFIED
        lines = made.output.decode(errors="replace").split()
        return _number(lines[-1] if lines else None)

    def says(self, solution: Solution) -> str:
        return str(solution["status"]) if self.file.decision else ""

    def describe(self, instance: FileInstance, solution: Solution) -> str:
        if not self.file.decision:
            return ""
        found = "there is a solution" if solution["status"] == SOLVED else "there is no solution"
        verified = self.check(instance, solution) == VERIFIED
        return f"{found}, {'verified' if verified else 'by the word of the solver'}"

    def mutate(self, instance: FileInstance, rng: np.random.Generator) -> FileInstance:
        seed = int(rng.integers(1, LARGEST_SEED, endpoint=True))
        content = self._made(self.file.mutate, "mutate", instance, {"seed": str(seed)})
        # A mutant's mutant is named after the same ancestor: names must not grow with the generations.
        return FileInstance(f"{_MUTANT.sub('', instance.name)}~{seed:08x}", content, instance.suffix)

    @property
    def generators(self) -> Mapping[str, Mapping[str, Parameter]]:
        return {name: {} for name, _ in self.file.generate}

    @property
    def default_generator(self) -> str:
        if not self.file.generate:
            raise UserError(f"{self.source}: has no generator; describe a program that makes instances in [generate]")
        return super().default_generator

    def generate(
        self, generator: str, size: int, seed: int, parameters: Mapping[str, float] | None = None
    ) -> FileInstance:
        commands = dict(self.file.generate)
        if generator not in commands:
            hint = did_you_mean(generator, commands) or " It has none; describe one in its table [generate]."
            raise UserError(f"problem '{self.name}' has no generator '{generator}'.{hint}")
        if parameters:
            raise UserError(f"generator '{generator}' has no parameter '{next(iter(parameters))}'; it has none")
        nothing = FileInstance(f"{generator}-{size}-{seed}", b"", self.suffixes[0])
        values = {"seed": str(seed), "size": str(size)}
        content = self._made(commands[generator], f"generate.{generator}", nothing, values)
        return FileInstance(nothing.name, content, self.suffixes[0])

    def _made(
        self,
        command: Sequence[str],
        key: str,
        instance: FileInstance,
        values: Mapping[str, str],
        on_call: OnCall = nobody,
    ) -> bytes:
        """The file that a command makes of an instance."""
        if not command:
            raise UserError(f"problem '{self.name}' has no {key}; describe one in its file")
        with self._desk(instance, on_call) as desk:
            out = desk.folder / f"out{instance.suffix}"
            made = desk.ask(command, key, {"out": str(out), **values})
            if out.is_symlink() or not out.is_file():
                raise UserError(f"{self.source}: {key} wrote nothing to {{out}}; it said: {made.last_line}")
            return out.read_bytes()

    def features(self, instance: FileInstance) -> Mapping[str, float]:
        return dict(_features(self, instance))

    def measured(self, instance: FileInstance, on_call: OnCall = nobody) -> tuple[tuple[str, float], ...]:
        """The features as the program tells them, in the order of their names."""
        if not self.file.features:
            return ()
        with self._desk(instance, on_call) as desk:
            told = desk.ask(self.file.features, "features", {}).output.decode(errors="replace")
        try:
            return tuple(sorted(_read_features(told).items()))
        except (ValueError, RecursionError) as error:
            raise UserError(f"{self.source}: features {error}") from error

    def trials(self, instance: FileInstance) -> Iterator[Trial]:
        """Every command that needs an instance only, tried once."""
        file = self.file
        if file.mutate:
            mutate = partial(self._made, file.mutate, "mutate", instance, {"seed": "1"})
            yield self._trial("mutate", mutate, lambda made: f"an instance of {len(made)} bytes")
        if file.features:
            yield self._trial(
                "features",
                partial(self.measured, instance),
                lambda found: ", ".join(f"{name} {value:g}" for name, value in found),
            )

    def checks(self, instance: FileInstance, solution: Solution | None) -> Iterator[Trial]:
        """The program that checks, where there is one, tried once where the answer has something for it to look at."""
        if not self.file.check:
            return
        # Any JSON value: the run may have failed for what it has told.
        answer = solution if isinstance(solution, dict) else {}
        status, told = str(answer.get("status")), answer.get("solution")
        checked = (SOLVED, UNSATISFIABLE) if self.checks_certificates else (SOLVED,)
        if status not in checked or told is None:
            line = shlex.join(self.file.check)
            yield Trial("check", line, self.file.time, self.file.memory, "", "not tried: no answer to try it on", True)
            return
        check = partial(self._ask_checker, instance, status, told)
        yield self._trial(
            "check", check, lambda cost: f"no: {cost.reason}" if isinstance(cost, Infeasible) else f"cost {cost:g}"
        )

    def _trial(self, key: str, attempt: Callable[..., Any], text_of: Callable[[Any], str]) -> Trial:
        calls: list[tuple[Sequence[str], Called | None]] = []
        try:
            found, worked = text_of(attempt(on_call=lambda words, made: calls.append((words, made)))), True
        except (OSError, UserError) as error:
            found, worked = f"failed: {error}", False
        words, made = calls[-1] if calls else (self.file.commands[key], None)
        said = "" if made is None else (made.error + made.output).decode(errors="replace")
        return Trial(key, shlex.join(words), self.file.time, self.file.memory, said, found, worked)

    def _desk(self, instance: FileInstance, on_call: OnCall) -> AbstractContextManager[Desk]:
        return Desk.opened(self.file, self.source, instance.content, instance.suffix, on_call)


@lru_cache(maxsize=4096)
def _features(problem: DescribedProblem, instance: FileInstance) -> tuple[tuple[str, float], ...]:
    # Methods ask for the features of all instances more than once, and each answer is a call of a program.
    return problem.measured(instance)


def _read_features(text: str) -> dict[str, float]:
    """Features as a JSON object, or as lines ``name=value``."""
    if text.lstrip().startswith("{"):
        table = json.loads(text)
    else:
        if not text.strip():
            raise ValueError("told none; print lines such as variables=100, or JSON, or leave the command out")
        pairs = (line.partition("=") for line in text.splitlines() if line.strip())
        table = {name.strip(): value for name, _, value in pairs}
    return {name: _feature(name, value) for name, value in table.items()}


def _feature(name: str, value: Any) -> float:
    number = _number(value)
    if isinstance(number, Infeasible):
        raise ValueError(f"told no finite number for {brief(name)}; print lines such as variables=100, or JSON")
    return number


def _number(told: Any) -> float | Infeasible:
    try:
        cost = float(told)
    except (TypeError, ValueError, OverflowError):
        return Infeasible(f"its cost was not told, but {told!r}"[:300])
    return cost if isfinite(cost) else Infeasible(f"its cost is {cost}")


def _bytes(told: Any) -> bytes:
    """A solution as the bytes the solver printed."""
    return (told if isinstance(told, str) else json.dumps(told)).encode(errors="surrogateescape")


def _save(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UserError(f"{path}: the file cannot be written ({error.strerror}). Name another place.") from None
