"""What it was told, and what it ran with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ceps.report.facts import Facts
from ceps.report.pieces import Section, code, heading, joined, table


def settings(facts: Facts) -> Section | None:
    """Every key of the scenario or the experiment, defaults included, and versions."""
    parts = []
    if facts.settings:
        rows = [(code(key), code(value)) for key, value in flat(facts.settings)]
        parts.append(table(("setting", "value"), rows, names=2))
    if facts.versions:
        parts += [heading("Versions"), table(("of", "version"), facts.versions.items(), names=2)]
    return Section("settings", "Settings and versions", joined(parts)) if parts else None


def flat(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Tables in tables, and lists of tables, as dotted keys."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from flat(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, (list, tuple)) and any(isinstance(inner, Mapping) for inner in value):
        for index, inner in enumerate(value, start=1):
            yield from flat(inner, f"{key}[{index}]")
    else:
        yield key, json.dumps(value, default=str, ensure_ascii=False)
