"""Test instances that somebody has trained on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ceps.comparing.contenders import Fixed
from ceps.comparing.splits import Split, trained_twins


def leaks(instances: Sequence[Any], splits: Iterable[Split], given: Iterable[Fixed]) -> list[str]:
    """What people are warned of: twins on both sides of a split, and what given portfolios say they were trained on."""
    warnings = []
    for split in splits:
        if twins := trained_twins(instances, split):
            warnings.append(f"split {split.number}: {_some(twins)} in the test are also trained on")
    names = {instance.name for instance in instances}
    for fixed in given:
        trained = fixed.portfolio.provenance.get("instances", ())
        if seen := sorted(names.intersection(name for name in trained if isinstance(name, str))):
            warnings.append(f"{fixed.label} was trained on instances of this comparison: {_some(seen)}")
    return warnings


def _some(names: Sequence[str], most: int = 3) -> str:
    return f"{', '.join(names[:most])}{f' and {len(names) - most} more' if len(names) > most else ''}"
