"""Solver runs as execution makes them: in a process of their own whose working directory is private and empty."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from ceps.records import Limits

GUARD = 60
"""Wall-clock seconds after which a run that does not end fails its test instead of blocking all of them."""


@dataclass
class Trace:
    """What a run reported and returned."""

    answer: Any = None
    tours: list[list[int]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)


class EnoughError(Exception):
    """Raised to stop a run that would go on."""


@contextlib.contextmanager
def spawned_process() -> Iterator[ProcessPoolExecutor]:
    """One fresh single-threaded process: solvers fork, which a test process with threads must not."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def trace(
    solver: Any,
    instance: Any,
    configuration: Mapping[str, Any] | None = None,
    *,
    seed: int = 1,
    target: float | None = None,
    incumbents: int | None = None,
    seconds: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> Trace:
    """Run a solver here and now, up to a number of incumbents or of seconds if given."""
    seen = Trace()

    def on_incumbent(tour: list[int], cost: float | None = None) -> None:
        seen.tours.append(tour)
        seen.costs.append(cost)
        if len(seen.costs) == incumbents:
            raise EnoughError

    os.environ.update(environment or {})
    if seconds is not None:
        signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, GUARD if seconds is None else seconds)
    try:
        with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):
            seen.answer = solver.solve(instance, configuration or {}, seed, Limits(GUARD), target, on_incumbent)
    except EnoughError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return seen


def _stop(*_: object) -> None:
    raise EnoughError
