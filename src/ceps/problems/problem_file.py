"""The TOML file that describes a problem without Python."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from ceps.commands import (
    file_digest,
    find_program,
    inherited,
    located,
    located_variables,
    named_files,
    placeholders,
    variable_names,
    variables,
    words_with,
)
from ceps.errors import UserError
from ceps.files import content_of
from ceps.tables import Bytes, Seconds, brief, naming, plain_name, read_table, read_toml

LONGEST_CALL = 50.0
"""Seconds that a program may be given: less than a check may take altogether."""
DECISION, OPTIMISATION = "decision", "optimisation"

_generated = words_with("out", "seed", "size")


def _suffixes(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError(f'must be a list of file name endings, such as [".cnf"], not {brief(value)}')
    for suffix in value:
        if not isinstance(suffix, str) or not re.fullmatch(r"\.[^\s./]+", suffix):
            raise ValueError(f'must be endings with one dot, such as ".cnf", not {brief(suffix)}')
    return tuple(suffix.lower() for suffix in value)


def _generators(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ValueError(f'must be a table, such as uniform = ["make", "{{out}}", "{{seed}}"], not {brief(value)}')
    if "all" in value:
        raise ValueError("has a generator called all, which means every one; call it otherwise")
    return tuple((plain_name(name), _generated(words)) for name, words in value.items())


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """Its keys. Commands are lists of words; those that are left out are empty."""

    name: Annotated[str, plain_name]
    suffixes: Annotated[tuple[str, ...], _suffixes]
    """File name endings of instances, the one that is written first."""
    kind: str = OPTIMISATION
    """``decision``: there is a solution or there is none, and costs are not compared."""
    trust: bool = False
    """Whether answers count that cannot be checked: the word of the solver."""
    check: Annotated[tuple[str, ...], words_with("instance", "solution", "status")] = ()
    """Prints the cost of a solution and ends with 0, or says why it is none and ends with another status."""
    mutate: Annotated[tuple[str, ...], words_with("instance", "out", "seed")] = ()
    """Writes an instance near a given one."""
    features: Annotated[tuple[str, ...], words_with("instance")] = ()
    """Prints lines ``name=value``, or a JSON object of numbers."""
    generate: Annotated[tuple[tuple[str, tuple[str, ...]], ...], _generators] = ()
    """Programs that write instances of a size, by name."""
    time: Seconds = 10.0
    """Most seconds of one call."""
    memory: Bytes = 1024**3
    environment: Annotated[tuple[tuple[str, str], ...], variables] = ()
    inherit: Annotated[tuple[str, ...], variable_names] = ()
    """Names of variables that the programs see as they are where ceps is started."""
    working_directory: Path | None = None
    """Where the programs are to run; else each in a private directory."""

    @property
    def decision(self) -> bool:
        return self.kind == DECISION

    def __post_init__(self) -> None:
        if self.kind not in (DECISION, OPTIMISATION):
            raise ValueError(f"kind must be '{DECISION}' or '{OPTIMISATION}', not {brief(self.kind)}")
        if not self.check and not self.trust:
            raise ValueError(
                'needs check = ["program", "{instance}", "{solution}"], or trust = true to take solvers at their word'
            )
        if self.time > LONGEST_CALL:
            raise ValueError(f"time must be at most {LONGEST_CALL:g} s, not {self.time:g} s")
        for key, needed in _NEEDED.items():
            words = getattr(self, key)
            if words and not any(needed in placeholders(word) for word in words):
                raise ValueError(f"{key} must have the placeholder {{{needed}}}")

    @property
    def commands(self) -> dict[str, tuple[str, ...]]:
        made = {f"generate.{name}": words for name, words in self.generate}
        own = {key: getattr(self, key) for key in ("check", "mutate", "features")}
        return {key: words for key, words in {**own, **made}.items() if words}


_NEEDED = {"check": "solution", "mutate": "out", "features": "instance"}


def read_problem_file(path: Path) -> tuple[ProblemFile, str]:
    """The description of a problem, whose programs must be there, and a digest of its content."""
    folder = path.parent.absolute()
    read = read_table(ProblemFile, read_toml(path), f"{path}:", folder)
    with naming(str(path)):
        file = replace(
            read,
            check=_located(read.check, folder),
            mutate=_located(read.mutate, folder),
            features=_located(read.features, folder),
            generate=tuple((name, located(words, folder)) for name, words in read.generate),
            environment=located_variables(read.environment, folder),
        )
        inherited(file.inherit)
    if file.working_directory is not None and not os.path.isdir(file.working_directory):
        raise UserError(
            f"{path}: working_directory: there is no folder {file.working_directory}; make it or name another"
        )
    digests_of_programs(file, str(path))
    return file, hashlib.sha256(content_of(path)).hexdigest()[:12]


def digests_of_programs(file: ProblemFile, source: str) -> list[str]:
    """What the programs and scripts of a description are on this host. ``source`` names it in messages."""
    digests = []
    for key, words in file.commands.items():
        with naming(f"{source}: {key}"):
            digests.append(file_digest(find_program(words[0])))
            digests += [file_digest(named) for named in named_files(words[1:], file.working_directory)]
    return digests


def _located(words: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    return located(words, folder) if words else ()
