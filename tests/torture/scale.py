"""How hard the tests in this folder try: a little in the suite, and for long with CEPS_TORTURE=1 (``make torture``)."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

LONG = os.environ.get("CEPS_TORTURE") == "1"
SEED = secrets.randbits(32) if LONG else 1
"""Of what these tests draw themselves. In the suite always the same; else printed at the end, with the counts."""
TRIED: Counter[str] = Counter()
"""How often what was tried: printed at the end."""


def scaled(short: int, long: int) -> int:
    return long if LONG else short


def examples(short: int, long: int) -> Callable[[Any], Any]:
    """Settings of a Hypothesis test; long ones have another seed every time."""
    return settings(
        max_examples=scaled(short, long),
        derandomize=not LONG,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )
