"""What a page says, as data: :mod:`ceps.report.reading` has it from the store, :mod:`ceps.report.page` shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from ceps.comparing.results import Results
from ceps.problems.sketch import Sketch
from ceps.records import Ending, Value


class Kind(StrEnum):
    """What a run directory is of."""

    BUILD = "build"
    COMPARISON = "comparison"
    EVALUATION = "evaluation"


class Origin(StrEnum):
    """Where an instance comes from."""

    GIVEN = "given"
    """A training instance that somebody gave."""
    BRED = "bred"
    """Made by a method, and trained on."""
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Spread:
    """How measured values spread; never shown without ``count``."""

    count: int
    mean: float
    lowest: float
    lower_quartile: float
    median: float
    upper_quartile: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """There must be some."""
        ordered = sorted(values)

        def quantile(share: float) -> float:
            place = share * (len(ordered) - 1)
            below = int(place)
            above = min(below + 1, len(ordered) - 1)
            return ordered[below] + (place - below) * (ordered[above] - ordered[below])

        return cls(
            count=len(ordered),
            mean=fmean(ordered),
            lowest=ordered[0],
            lower_quartile=quantile(0.25),
            median=quantile(0.5),
            upper_quartile=quantile(0.75),
            highest=ordered[-1],
        )


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    value: Value
    default: Value | None
    """None where the default configuration does not have it: it depends on another parameter."""
    changed: bool | None
    """Whether it differs from the default; None where nobody knows the solver's default any more."""


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """A member of a portfolio: what it is, and what it is good for."""

    number: int
    """From 1."""
    solver: str
    version: str
    parameters: tuple[Parameter, ...]
    loss: float | None
    """By how much the training score would rise without it; None for an only one."""
    wins: int
    """Pairs of instance and seed on which it was the best of all members (the first of equals)."""
    contests: int
    """Pairs of instance and seed that the members met on."""

    @property
    def name(self) -> str:
        """What winners and curves are called by."""
        return member_name(self.number, self.solver)


def member_name(number: int, solver: str) -> str:
    return f"member {number} ({solver})"


@dataclass(frozen=True, slots=True)
class Stage:
    """A portfolio that was kept on the way, in the order of keeping."""

    name: str
    """``initial``, ``iteration 1``, ``validation`` …"""
    score: float
    """Mean training score when it was kept: on seeds, and perhaps instances, of its own."""
    spread: Spread | None
    """Of the scores that it is the mean of; None in directories from before that was written down."""
    charged: float
    """CPU seconds charged until then."""
    before: float | None
    """Score of the portfolio before, on the same instances and seeds; None where there was none."""
    candidates: tuple[float, ...]
    """Score of every session's candidate, on the same instances and seeds; empty for a first portfolio."""


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one phase of configuration: for each, trials and CPU seconds charged."""

    phase: str
    trials: tuple[int, ...]
    charges: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Generation:
    """A phase that made instances."""

    name: str
    offspring: int
    dropped: int
    """Of these, how many could not be used."""
    admitted: tuple[str, ...]
    """Ids of those that are trained on."""


@dataclass(frozen=True, slots=True)
class Phase:
    """An entry of the journal with its charge, in order, sessions of a phase summed up."""

    name: str
    charge: float


@dataclass(frozen=True, slots=True)
class BuildFacts:
    """One build: its portfolio, and the way to it. Of a comparison there are several."""

    label: str
    """The method; in a comparison with its split before it."""
    finished: bool
    members: tuple[MemberFacts, ...]
    """Of the last portfolio that was kept; empty before the first."""
    stages: tuple[Stage, ...]
    sessions: tuple[Sessions, ...]
    generations: tuple[Generation, ...]
    phases: tuple[Phase, ...]
    budget: float
    charged: float
    spent: float
    """CPU seconds of runs really made for it."""
    trials: float
    """Of that, without runs that look for references."""
    side_by_side: float | None
    """What the same trials would have cost with all members side by side; None before the end."""
    saved: float | None
    """The share of it that trials did not take."""


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    id: str
    name: str
    origin: Origin
    generation: int
    """0 for instances that were given; their children are of generation 1, and so on."""
    parent: str | None
    """Its id."""
    reference: float | None
    best_cost: float | None
    hardness: Spread | None
    """Scores of the last portfolio (in a comparison, of all contenders), one value per seed (or contender)."""
    winner: str | None
    """The member, or in a comparison the contender, that is most often the best on it."""
    place: tuple[float, float] | None
    """On the map of the instance space; None for a problem without features."""
    features: Mapping[str, float]
    sketch: Sketch | None
    """None where it cannot be drawn, or where drawing all would make the page too large."""


@dataclass(frozen=True, slots=True)
class Anytime:
    """How a member's cost falls while it runs: quartiles of (cost - best) / best over runs, at common times.

    Runs that were stopped before the cut-off because others were better do not count: nobody knows how they go on. Nor
    do runs that failed: what they claimed on the way may be false.
    """

    member: str
    runs: int
    of: int
    """Of so many that could be shown."""
    times: tuple[float, ...]
    """CPU seconds."""
    lower: tuple[float | None, ...]
    """None where so many runs have no solution yet."""
    median: tuple[float | None, ...]
    upper: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class EndingCount:
    solver: str
    ending: Ending
    runs: int
    cpu: float


@dataclass(frozen=True, slots=True)
class Cause:
    """Why runs ended as they did, in the words of who ended them."""

    ending: str
    reason: str
    runs: int


@dataclass(frozen=True, slots=True)
class Sitting:
    """From a start (or resumption) to its last run."""

    started: int
    """Seconds since 1970."""
    wall: float
    workers: int
    cpu: float
    """Seconds of runs made."""
    host: str

    @property
    def utilisation(self) -> float | None:
        """The share of the workers' time that was solver CPU."""
        return self.cpu / (self.workers * self.wall) if self.wall > 0.0 else None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a page says."""

    kind: Kind
    name: str
    """Of the run directory."""
    finished: bool
    problem: str
    metric: str
    cutoff: float
    penalty: float
    settings: Mapping[str, object]
    """The scenario or the experiment, as it was read."""
    versions: Mapping[str, str]
    builds: tuple[BuildFacts, ...]
    instances: tuple[InstanceFacts, ...]
    map_axes: tuple[str, str]
    """What the map's axes stand for, such as ``PC1 (41 % of the variance): ...``."""
    anytime: tuple[Anytime, ...]
    endings: tuple[EndingCount, ...]
    causes: tuple[Cause, ...]
    """The most frequent ones."""
    contradictions: Sequence[str]
    """Between answers to decision problems, in words."""
    sittings: tuple[Sitting, ...]
    runs: int
    cpu: float
    comparison: Results | None
    missing: tuple[str, ...]
    """What cannot be shown yet, or not from this directory, and why: sentences for people."""
