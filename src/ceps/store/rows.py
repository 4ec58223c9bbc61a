"""What the store holds besides runs, and how values become columns and columns values again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey, Solution
from ceps.store.rules import Execution
from ceps.tables import brief

JSON = Any
"""Any value that JSON can hold."""


@dataclass(frozen=True, slots=True)
class StoredInstance:
    """An instance as the text its problem can decode, and the instance it was made from, if any."""

    id: str
    problem: str
    name: str
    content: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class BestSolution:
    """The best verified solution of an instance."""

    cost: float
    solution: Solution


@dataclass(frozen=True, slots=True)
class Reference:
    """The cost that counts as solved, the share of runs that agreed on it, whence it is, and the CPU it took."""

    cost: float
    agreement: float
    source: str
    cpu: float


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A finished phase: its result and its charge."""

    phase: str
    result: JSON
    charge: float


@dataclass(frozen=True, slots=True)
class Totals:
    """What was really executed: runs, and their CPU seconds."""

    runs: int
    cpu: float


@dataclass(frozen=True, slots=True)
class Sitting:
    """From a start, or a resumption, to the last run before the next one."""

    started: int
    """Seconds since 1970."""
    workers: int
    host: str
    wall: float
    """Seconds until the last run was recorded; 0 where none was made."""
    cpu: float
    """Seconds of the runs made."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run as it was recorded, with all that is known of it."""

    key: RunKey
    asker: str
    created: int
    """Seconds since 1970."""
    execution: Execution


_NUMBER = int | float
_KEY_FIELDS = tuple(field.name for field in fields(RunKey))
_KEY_KINDS = (str, str, str, str, int, _NUMBER | None, int)
_RUN_KINDS = (int, float, str, float, float, int, _NUMBER | None, str, str | None, str, str, str)
RUN_COLUMNS = "id, cpu_limit, ending, cpu, wall, peak_memory, cost, says, trace, reason, output, host"


def execution(row: Sequence[Any]) -> Execution:
    """The run in a row of :data:`RUN_COLUMNS`."""
    _check(row, *_RUN_KINDS)
    identifier, limit, ending, cpu, wall, memory, cost, says, trace, reason, output, host = row
    return Execution(
        identifier,
        limit,
        Outcome(
            Ending(ending),
            cpu=cpu,
            wall=wall,
            memory=memory,
            cost=cost,
            says=says,
            trace=_read_trace(trace),
            reason=reason,
            output=output,
            host=host,
        ),
    )


def recorded_run(row: Sequence[Any]) -> RecordedRun:
    """A run with its key: the key's columns, who asked, when, and :data:`RUN_COLUMNS`."""
    width = len(_KEY_FIELDS)
    _check(row, *_KEY_KINDS, str, int)
    return RecordedRun(RunKey(*row[:width]), row[width], row[width + 1], execution(row[width + 2 :]))


def key_values(key: RunKey) -> dict[str, Any]:
    # dataclasses.asdict would take as long as the look-up itself.
    return {name: getattr(key, name) for name in _KEY_FIELDS}


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    return {
        "ending": outcome.ending.value,
        "cost": outcome.cost,
        "says": storable(outcome.says),
        "cpu": outcome.cpu,
        "wall": outcome.wall,
        "peak_memory": outcome.memory,
        "host": outcome.host,
        "reason": storable(outcome.reason),
        "trace": _write_trace(outcome.trace),
        "output": storable(outcome.output),
    }


def journal_entry(row: Sequence[Any]) -> JournalEntry:
    _check(row, str, str, float)
    phase, result, charge = row
    return JournalEntry(phase, json.loads(result), charge)


def configuration(row: Sequence[Any]) -> Configuration:
    """The configuration in a row of its id, solver and parameters."""
    _check(row, str, str, str)
    identifier, solver, parameters = row
    read = Configuration.of(solver, _json_object(parameters))
    if read.id != identifier:
        raise ValueError(f"the parameters of configuration {identifier} are not those it is named after")
    return read


def stored_instance(row: Sequence[Any]) -> StoredInstance:
    _check(row, str, str, str, str, str | None)
    return StoredInstance(*row)


def best_solution(row: Sequence[Any]) -> BestSolution:
    _check(row, _NUMBER, str)
    return BestSolution(row[0], json.loads(row[1]))


def reference(row: Sequence[Any]) -> Reference:
    _check(row, _NUMBER, float, str, float)
    return Reference(*row)


def identity(row: Sequence[Any]) -> Mapping[str, JSON]:
    _check(row, str)
    return _json_object(row[0])


def compact(value: JSON) -> str:
    return json.dumps(value, separators=(",", ":"))


def canonical(text: str) -> str:
    """JSON text without its order of keys, which may hang on the order of a set."""
    return json.dumps(json.loads(text), sort_keys=True)


def differences(old: Mapping[str, JSON], new: Mapping[str, JSON], but: Collection[str] = ()) -> list[str]:
    """One line ``key: old -> new`` for each value, however deep, in which two JSON objects differ, ``but`` for some."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    keys = list(dict.fromkeys([*before, *after]))
    return [
        f"{key}: {_short(before, key)} -> {_short(after, key)}"
        for key in keys
        if (key not in before or key not in after or before[key] != after[key]) and key not in but
    ]


def _check(row: Sequence[Any], *kinds: Any) -> None:
    """SQLite keeps any kind of value in any column, so a damaged or made-up file may hold what was never written."""
    for value, kind in zip(row, kinds, strict=False):
        if not isinstance(value, kind):
            raise ValueError(f"{brief(value)} is not of the kind that was written")


def _json_object(text: str) -> dict[str, JSON]:
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError(f"{brief(read)} is no JSON object")
    return read


def _leaves(value: Mapping[str, JSON], prefix: str = "") -> Iterator[tuple[str, JSON]]:
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            yield from _leaves(item, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", item


def _short(values: Mapping[str, JSON], key: str, longest: int = 80) -> str:
    text = json.dumps(values[key], ensure_ascii=False) if key in values else "(absent)"
    return text if len(text) <= longest else f"{text[:longest]}…"


def storable(text: str) -> str:
    """SQLite takes UTF-8 only; what a solver prints, and a file's name, may hold halves of characters."""
    return text.encode(errors="replace").decode()


def _write_trace(trace: Sequence[Incumbent]) -> str | None:
    return compact([number for one in trace for number in (one.cpu, one.cost)]) if trace else None


def _read_trace(text: str | None) -> tuple[Incumbent, ...]:
    if text is None:
        return ()
    numbers = json.loads(text)
    if not isinstance(numbers, list) or not set(map(type, numbers)) <= {int, float}:
        raise ValueError(f"{brief(numbers)} is no trace")
    pairs = iter(numbers)
    return tuple(Incumbent(cpu, cost) for cpu, cost in zip(pairs, pairs, strict=True))
