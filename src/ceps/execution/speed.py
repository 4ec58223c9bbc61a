"""How fast hosts are, compared with each other: scores are CPU times, and a slow host would make good runs look bad."""

from __future__ import annotations

import platform
import time

CLEARLY = 1.5
"""Times as long for the same work; less may be chance."""
ROUNDS = 50_000
TRIES = 5


def measured_here() -> tuple[str, float]:
    """The name of this host, and the CPU seconds that it needs for a certain piece of work, at best of a few tries."""
    return platform.node(), min(_try() for _ in range(TRIES))


def _try() -> float:
    start = time.thread_time()
    sum(number * number for number in range(ROUNDS))
    return time.thread_time() - start


class Speeds:
    """The hosts that were met so far."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._differ = False

    def meet(self, host: str, seconds: float) -> str | None:
        """What is to be said when hosts turn out to be clearly different, once."""
        self._seconds[host] = min(seconds, self._seconds.get(host, seconds))
        slow, fast = (extreme(self._seconds, key=self._seconds.__getitem__) for extreme in (max, min))
        ratio = self._seconds[slow] / self._seconds[fast]
        if self._differ or ratio < CLEARLY:
            return None
        self._differ = True
        return (
            f"hosts differ in speed: {slow} needs {ratio:.1f} times as long as {fast} for the same work. Scores are "
            "CPU times: a run scores worse on the slow one. Use hosts that are alike where you can"
        )
