"""What the store holds besides runs, and how values become columns and columns values again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ceps.records import Ending, Incumbent, Outcome, RunKey, Solution
from ceps.store.rules import Execution

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


_KEY_FIELDS = tuple(field.name for field in fields(RunKey))
RUN_COLUMNS = "id, cpu_limit, ending, cpu, wall, peak_memory, cost, trace, reason, output, host"


def execution(row: Sequence[Any]) -> Execution:
    """The run in a row of :data:`RUN_COLUMNS`."""
    identifier, limit, ending, cpu, wall, memory, cost, trace, reason, output, host = row
    return Execution(
        identifier,
        limit,
        Outcome(
            Ending(ending),
            cpu=cpu,
            wall=wall,
            memory=memory,
            cost=cost,
            trace=_read_trace(trace),
            reason=reason,
            output=output,
            host=host,
        ),
    )


def recorded_run(row: Sequence[Any]) -> RecordedRun:
    """A run with its key: the key's columns, who asked, when, and :data:`RUN_COLUMNS`."""
    width = len(_KEY_FIELDS)
    return RecordedRun(RunKey(*row[:width]), row[width], row[width + 1], execution(row[width + 2 :]))


def key_values(key: RunKey) -> dict[str, Any]:
    # dataclasses.asdict would take as long as the look-up itself.
    return {name: getattr(key, name) for name in _KEY_FIELDS}


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    return {
        "ending": outcome.ending.value,
        "cost": outcome.cost,
        "cpu": outcome.cpu,
        "wall": outcome.wall,
        "peak_memory": outcome.memory,
        "host": outcome.host,
        "reason": _storable(outcome.reason),
        "trace": _write_trace(outcome.trace),
        "output": _storable(outcome.output),
    }


def journal_entry(row: Sequence[Any]) -> JournalEntry:
    phase, result, charge = row
    return JournalEntry(phase, json.loads(result), charge)


def compact(value: JSON) -> str:
    return json.dumps(value, separators=(",", ":"))


def canonical(text: str) -> str:
    """JSON text without its order of keys, which may hang on the order of a set."""
    return json.dumps(json.loads(text), sort_keys=True)


def differences(old: Mapping[str, JSON], new: Mapping[str, JSON]) -> list[str]:
    """One line ``key: old -> new`` for each value, however deep, in which two JSON objects differ."""
    before, after = dict(_leaves(old)), dict(_leaves(new))
    keys = list(dict.fromkeys([*before, *after]))
    return [
        f"{key}: {_short(before, key)} -> {_short(after, key)}"
        for key in keys
        if key not in before or key not in after or before[key] != after[key]
    ]


def _leaves(value: Mapping[str, JSON], prefix: str = "") -> Iterator[tuple[str, JSON]]:
    for key, item in value.items():
        if isinstance(item, Mapping) and item:
            yield from _leaves(item, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", item


def _short(values: Mapping[str, JSON], key: str, longest: int = 80) -> str:
    text = json.dumps(values[key], ensure_ascii=False) if key in values else "(absent)"
    return text if len(text) <= longest else f"{text[:longest]}…"


def _storable(text: str) -> str:
    """SQLite takes UTF-8 only; what a solver prints may hold halves of characters."""
    return text.encode(errors="replace").decode()


def _write_trace(trace: Sequence[Incumbent]) -> str | None:
    return compact([number for one in trace for number in (one.cpu, one.cost)]) if trace else None


def _read_trace(text: str | None) -> tuple[Incumbent, ...]:
    numbers = iter(() if text is None else json.loads(text))
    return tuple(Incumbent(cpu, cost) for cpu, cost in zip(numbers, numbers, strict=True))
