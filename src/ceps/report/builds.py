"""Builds as the journal has them: portfolios, sessions, generations, and what every phase was charged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

from ceps.building import BUILD, PORTFOLIO
from ceps.errors import UserError
from ceps.evaluator import share_saved
from ceps.records import Configuration, Value
from ceps.report.facts import BuildFacts, Generation, MemberFacts, Parameter, Phase, Sessions, Spread, Stage
from ceps.report.meetings import Meeting
from ceps.solvers import solver_named
from ceps.solvers.solver import default_configuration
from ceps.store import JournalEntry, Store
from ceps.store.history import Spent

_SCOPE_END = ": "
"""Between the name of a build and what the journal calls its phase, where several builds share a store."""


@dataclass(frozen=True, slots=True)
class Course:
    """The entries of one build, their phases without its name."""

    label: str
    """What the store calls the build: its split and method; empty where the directory is of one build."""
    entries: tuple[JournalEntry, ...]

    @property
    def kept(self) -> list[Mapping[str, Any]]:
        """All portfolios that were kept, in order."""
        return [entry.result for entry in self.entries if entry.phase == PORTFOLIO]

    @property
    def members(self) -> list[str]:
        """The ids of the last portfolio's members; none before the first portfolio."""
        return list(self.kept[-1]["members"]) if self.kept else []

    @property
    def generations(self) -> tuple[Generation, ...]:
        return tuple(
            Generation(entry.phase, entry.result["offspring"], entry.result["dropped"], tuple(entry.result["admitted"]))
            for entry in self.entries
            if "admitted" in entry.result
        )

    def conclusion(self, store: Store, name: str = BUILD) -> Mapping[str, Any] | None:
        """What the build, or something in it, has come to; None before its end."""
        scope = f"{self.label}{_SCOPE_END}" if self.label else ""
        concluded: Mapping[str, Any] | None = store.conclusion(scope + name)
        return concluded


def courses(journal: Sequence[JournalEntry]) -> dict[str, Course]:
    """All builds of a journal, by label."""
    entries: dict[str, list[JournalEntry]] = {}
    for entry in journal:
        label, _, phase = entry.phase.rpartition(_SCOPE_END)
        entries.setdefault(label, []).append(replace(entry, phase=phase))
    return {label: Course(label, tuple(own)) for label, own in entries.items()}


def build_facts(
    store: Store, course: Course, label: str, members: tuple[MemberFacts, ...], budget: float, spent: Spent
) -> BuildFacts:
    conclusion = course.conclusion(store)
    side_by_side = None if conclusion is None else conclusion["side_by_side"]
    return BuildFacts(
        label=label,
        finished=conclusion is not None,
        members=members,
        stages=_stages(store, course),
        sessions=_sessions(course),
        generations=course.generations,
        phases=_phases(course),
        budget=budget,
        charged=fsum(entry.charge for entry in course.entries),
        spent=spent.cpu,
        trials=spent.trials,
        side_by_side=side_by_side,
        saved=None if side_by_side is None else share_saved(spent.trials, side_by_side),
    )


def member_facts(
    course: Course,
    configurations: Sequence[Configuration],
    versions: Mapping[str, str],
    meetings: Sequence[Meeting],
    defaults: Callable[[str], Mapping[str, Value] | None],
) -> tuple[MemberFacts, ...]:
    """The members of the last portfolio, with what their meetings say of them; ``defaults`` are those of a solver."""
    wins = Counter(meeting.winner for meeting in meetings)
    losses = course.kept[-1]["losses"] if course.kept else []
    return tuple(
        MemberFacts(
            number=number,
            solver=member.solver,
            version=versions.get(member.solver, ""),
            parameters=_parameters(member, defaults(member.solver)),
            loss=loss,
            wins=wins[number],
            contests=len(meetings),
        )
        for number, (member, loss) in enumerate(zip(configurations, losses, strict=True), start=1)
    )


def _parameters(member: Configuration, defaults: Mapping[str, Value] | None) -> tuple[Parameter, ...]:
    if defaults is None:
        return tuple(Parameter(name, value, None, None) for name, value in member.values)
    return tuple(
        Parameter(name, value, defaults.get(name), value != defaults.get(name)) for name, value in member.values
    )


def default_values(solver: str, settings: Mapping[str, Any]) -> Mapping[str, Value] | None:
    """The default configuration of a solver; None for one that is not here any more."""
    try:
        return default_configuration(solver_named(solver, settings)).as_dict()
    except UserError:
        return None


def _stages(store: Store, course: Course) -> tuple[Stage, ...]:
    decisions = {entry.phase: entry.result for entry in course.entries if "candidates" in entry.result}
    stages = []
    for kept in course.kept:
        # The portfolio of an iteration was decided by the validation of the same number, others by their namesakes.
        decision = decisions.get(kept["stage"].replace("iteration", "validation"), {})
        stages.append(
            Stage(
                name=kept["stage"],
                score=kept["score"],
                spread=_spread(kept["score"], course.conclusion(store, f"{PORTFOLIO} {kept['stage']}")),
                charged=kept["charged"],
                before=decision.get("incumbent"),
                candidates=tuple(decision.get("candidates", ())),
            )
        )
    return tuple(stages)


def _spread(mean: float, told: Mapping[str, Any] | None) -> Spread | None:
    return None if told is None else Spread(told["count"], mean, *told["quartiles"])


def _sessions(course: Course) -> tuple[Sessions, ...]:
    found: dict[str, list[JournalEntry]] = {}
    for entry in course.entries:
        if entry.phase == "session":
            found.setdefault(_phase(entry), []).append(entry)
    return tuple(
        Sessions(
            phase=phase,
            trials=tuple(entry.result["trials"] for entry in entries),
            charges=tuple(entry.charge for entry in entries),
        )
        for phase, entries in found.items()
    )


def _phases(course: Course) -> tuple[Phase, ...]:
    charges: dict[str, list[float]] = {}
    for entry in course.entries:
        if entry.phase != PORTFOLIO:
            charges.setdefault(_phase(entry), []).append(entry.charge)
    return tuple(Phase(name, fsum(paid)) for name, paid in charges.items())


def _phase(entry: JournalEntry) -> str:
    # Sessions of builds that were begun before they said so do not tell their phase.
    return str(entry.result.get("phase", "configuration")) if entry.phase == "session" else entry.phase
