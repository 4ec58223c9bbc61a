"""What the driver and a session of the tuner say to each other."""

from __future__ import annotations

from dataclasses import dataclass

from ceps.records import Configuration
from ceps.solvers.solver import Solver


@dataclass(frozen=True, slots=True)
class SessionOrder:
    """What a session is to search, and on how much."""

    solvers: tuple[Solver, ...]
    features: tuple[tuple[float, ...], ...]
    """One row per training instance; rows are empty when the problem has no features."""
    starts: tuple[Configuration, ...]
    width: int
    seed: int
    grant: float
    in_flight: int


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """A score that is wanted: instance and seed by their index."""

    number: int
    members: tuple[Configuration, ...]
    instance: int
    seed: int


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    number: int
    score: float
    charge: float


@dataclass(frozen=True, slots=True)
class SessionResult:
    members: tuple[Configuration, ...]
    charge: float
    trials: int
