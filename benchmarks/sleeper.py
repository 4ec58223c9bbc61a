"""A solver that sleeps. In a file of its own, since keepers import it by its name."""

from __future__ import annotations

import time
from collections.abc import Mapping

from ceps.records import Limits, Solution, Value
from ceps.solvers.solver import OnIncumbent
from ceps.testing.bits import BitsInstance, BitSolver, ones

SLEEP = 1.0
"""Seconds."""


class Sleeper(BitSolver):
    """Has the solution after a second without work."""

    def solve(
        self,
        instance: BitsInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> Solution | None:
        time.sleep(SLEEP)
        return ones(instance.size, instance.size)
