"""What a program prints while it runs, as it comes: lines, and the claims in them. Bounded in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol

from ceps.problems.described import CONTRADICTORY, SOLVED, UNSATISFIABLE
from ceps.solvers.command_file import Output
from ceps.solvers.program import ProgramError

LONGEST_LINE = 8 * 1024**2
"""Bytes of a line; what is beyond is not read."""
LONGEST_SOLUTION = 32 * 1024**2
"""Characters of a solution; a program that prints more is stopped."""
_EXPRESSIONS = ("cost", "solution", "solved", "unsatisfiable")
"""Keys of ``[output]`` that are searched for in every line."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a program says of an instance."""

    status: str
    cost: float | None = None
    solution: Any = None

    def __str__(self) -> str:
        cost = "" if self.cost is None else f", cost {self.cost:g}"
        told = "no solution told" if self.solution is None else f"a solution of {len(str(self.solution))} characters"
        return f"{self.status}{cost}, {told}"


class Stream(Protocol):
    """Where a program's output comes from; it ends with no bytes."""

    def read(self, size: int, /) -> bytes: ...


def read_lines(stream: Stream) -> Iterator[str]:
    """The lines of a stream. Bytes that are no UTF-8 survive as surrogates."""
    line = bytearray()
    while data := stream.read(1 << 16):
        for index, part in enumerate(data.split(b"\n")):
            if index:
                yield _text(line)
                line.clear()
            line += part[: LONGEST_LINE - len(line)]
    if line:
        yield _text(line)


def _text(line: bytearray) -> str:
    return line.decode(errors="surrogateescape").removesuffix("\r")


def read_claims(
    lines: Iterable[str], output: Output, on_match: Callable[[str], None] = lambda key: None
) -> Iterator[Claim]:
    """The claims in the lines of a program, each as soon as it is complete. The last, once there are both kinds, is
    that it contradicts itself.

    ``on_match`` is called with the key of an expression for every line that matches it, for :func:`why_nothing`.
    """
    said = ""
    for claim in _json_claims(lines) if output.json else _text_claims(lines, output, on_match):
        if said == CONTRADICTORY:
            continue  # Nothing that is said after both counts; but who prints it must not be kept waiting.
        said = claim.status if said in ("", claim.status) else CONTRADICTORY
        yield Claim(CONTRADICTORY) if said == CONTRADICTORY else claim


def why_nothing(output: Output, matched: Collection[str]) -> str:
    """Why there is no claim in what a program has printed; nothing where none was expected there."""
    if output.json:
        return 'no line is such as {"status": "solved", "cost": 5, "solution": ...}'
    described = {key: getattr(output, key) for key in _EXPRESSIONS}
    never = [f"{key} = '{pattern}'" for key, pattern in described.items() if pattern is not None and key not in matched]
    return f"no line matches [output] {' or '.join(never)}" if never else ""


def _json_claims(lines: Iterable[str]) -> Iterator[Claim]:
    for line in lines:
        try:
            table = json.loads(line) if line.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            continue  # Something else that begins with a bracket.
        if isinstance(table, dict) and not {"status", "cost", "solution"}.isdisjoint(table):
            status, cost = table.get("status", SOLVED), table.get("cost")
            if status in (SOLVED, UNSATISFIABLE):
                yield Claim(status, None if cost is None else _number(cost), table.get("solution"))


def _text_claims(lines: Iterable[str], output: Output, on_match: Callable[[str], None]) -> Iterator[Claim]:
    """A cost and a solution belong together, whichever is printed first; the last cost before a solution counts."""
    cost: float | None = None
    solution: str | None = None
    block = _Block()
    told_solved = denied = claimed = False
    for line in lines:
        number, part = _found(output, "cost", line, on_match), _found(output, "solution", line, on_match)
        if part is not None and number is None and output.join_lines:
            block.add(part[1])
            continue
        solution = block.taken(solution)
        if solution is not None and cost is not None:  # The cost of this line is the next solution's.
            yield Claim(SOLVED, cost, solution)
            cost, solution, claimed = None, None, True
        solution = solution if part is None else part[1]
        cost = cost if number is None else _number(number[1])
        if solution is not None and (cost is not None or output.cost is None):
            yield Claim(SOLVED, cost, solution)
            cost, solution, claimed = None, None, True
        elif cost is not None and output.solution is None:
            yield Claim(SOLVED, cost)
            cost, claimed = None, True
        if _found(output, "unsatisfiable", line, on_match) is not None:
            yield Claim(UNSATISFIABLE)
            denied = claimed = True
        elif _found(output, "solved", line, on_match) is not None:  # "SATISFIABLE" is in "UNSATISFIABLE" too.
            told_solved = True
        if told_solved and denied:
            yield Claim(CONTRADICTORY)
    solution = block.taken(solution)
    if solution is not None:
        yield Claim(SOLVED, cost, solution)
    elif told_solved and not claimed:
        yield Claim(SOLVED)


@dataclass
class _Block:
    """Lines of a solution that follow one another."""

    _parts: list[str] = field(default_factory=list)
    _size: int = 0

    def add(self, part: str) -> None:
        self._parts.append(part)
        self._size += len(part) + 1
        if self._size > LONGEST_SOLUTION:
            raise ProgramError(f"the program printed a solution of more than {LONGEST_SOLUTION} characters")

    def taken(self, otherwise: str | None) -> str | None:
        """The solution that is complete now; if there is none, ``otherwise``."""
        if not self._parts:
            return otherwise
        text = "\n".join(self._parts)
        self._parts.clear()
        self._size = 0
        return text


_VALUED = ("cost", "solution")
"""What is read is the group of the expression; of the others, that they match."""


def _found(output: Output, key: str, line: str, on_match: Callable[[str], None]) -> re.Match[str] | None:
    pattern: str | None = getattr(output, key)
    # Compiled expressions are kept by re itself.
    found = None if pattern is None else re.search(pattern, line)
    if found is not None and key in _VALUED and found[1] is None:
        return None  # The part of the expression that has the value matched nothing.
    if found is not None:
        on_match(key)
    return found


def _number(told: Any) -> float:
    try:
        number = float("" if isinstance(told, bool) else told)
    except (TypeError, ValueError, OverflowError):
        raise ProgramError(f"the program told {str(told)[:100]!r} as a cost, which is no number") from None
    if not isfinite(number):
        raise ProgramError(f"the program told the cost {number}")
    return number
