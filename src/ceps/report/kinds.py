"""What builds, comparisons and evaluations have to tell, each in its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ceps.comparing.contest import COMPARISON, SPLITS, asker
from ceps.comparing.measured import Measured
from ceps.comparing.results import Results, results_of
from ceps.construction.methods import METHODS
from ceps.evaluation.session import EVALUATION
from ceps.records import Configuration, Value
from ceps.report.anytime import read_anytime
from ceps.report.builds import Course, build_facts, member_facts
from ceps.report.facts import Anytime, BuildFacts, Kind, Origin, member_name
from ceps.report.instances import Verdict, verdicts_by_meetings, verdicts_by_rows
from ceps.report.library import Library
from ceps.report.meetings import Meeting, read_meetings
from ceps.report.subject import Subject
from ceps.store import Store
from ceps.store.history import Relative, Spent


@dataclass(frozen=True, slots=True)
class Source:
    """What there is to tell from."""

    store: Store
    subject: Subject
    library: Library
    courses: Mapping[str, Course]
    """The builds, by what the store calls them."""
    relatives: Sequence[Relative]
    defaults: Callable[[str], Mapping[str, Value] | None]
    """Of solvers, as far as they are known here."""
    versions: Mapping[str, str]
    """Of solvers."""
    spent: Mapping[str, Spent]
    """By whom runs were made for."""


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to tell."""

    finished: bool
    builds: tuple[BuildFacts, ...]
    verdicts: Mapping[str, Verdict]
    """By instance."""
    origin: Callable[[Relative], Origin]
    anytime: tuple[Anytime, ...]
    comparison: Results | None
    missing: tuple[str, ...]


def tell(source: Source) -> Told:
    match source.subject.kind:
        case Kind.BUILD:
            return _build(source)
        case Kind.COMPARISON:
            return _comparison(source)
        case Kind.EVALUATION:
            return _evaluation(source)


@dataclass(frozen=True, slots=True)
class _Team:
    """A portfolio's members, and where they met."""

    members: tuple[Configuration, ...]
    meetings: Sequence[Meeting]

    @property
    def names(self) -> list[str]:
        return [member_name(number, member.solver) for number, member in enumerate(self.members, start=1)]


def _team(source: Source, ids: Sequence[str]) -> _Team:
    found = [source.store.configuration(identifier) for identifier in ids]
    known = {each.id for each in source.relatives}
    meetings = read_meetings(source.store, ids, source.subject.metric, known, source.library.scale) if ids else []
    return _Team(tuple(member for member in found if member is not None), meetings)


def _build(source: Source) -> Told:
    course = source.courses.get("", Course("", ()))
    team = _team(source, course.members)
    built = _facts(source, course, source.subject.settings["method"]["name"], team)
    missing = []
    if not built.finished:
        missing.append("The build has not ended: it is under way, or was stopped.")
    if not team.members:
        missing.append("There is no portfolio yet: the build looks for references, or for its first members.")
    anytime = _anytime(source, {"": team}, missing)
    return Told(
        finished=built.finished,
        builds=(built,),
        verdicts=verdicts_by_meetings(team.meetings, team.names),
        origin=lambda each: Origin.GIVEN if each.parent is None else Origin.BRED,
        anytime=anytime,
        comparison=None,
        missing=tuple(missing),
    )


def _comparison(source: Source) -> Told:
    store, settings = source.store, source.subject.settings
    methods = settings["methods"]
    builders = [label for label, method in methods.items() if method["name"] in METHODS]
    labels = [asker(split, label) for split in range(1, settings["splits"]["count"] + 1) for label in builders]
    # Those that have not begun have no entries.
    courses = {label: source.courses.get(label, Course(label, ())) for label in labels}
    teams = {label: _team(source, course.members) for label, course in courses.items()}
    builds = tuple(_facts(source, course, label, teams[label]) for label, course in courses.items())
    splits = store.conclusion(SPLITS) or {"instances": [], "train": []}
    trained = {splits["instances"][number] for train in splits["train"] for number in train}
    concluded = store.conclusion(COMPARISON)
    measured = None if concluded is None else Measured.from_json(concluded)
    verdicts: dict[str, Verdict] = {}
    missing = []
    if measured is None:
        missing.append(
            "The comparison has not ended: it is under way, or was stopped. Its tables, and how hard instances are, "
            "come when all portfolios have been tested."
        )
    else:
        contenders = [label for label in measured.methods if methods.get(label, {}).get("name") != "vbs"]
        verdicts = verdicts_by_rows(measured, splits["instances"], contenders)
        if any(each.parent is not None for each in source.relatives):
            missing.append("Contenders are not tested on instances that were bred: how hard those are is not known.")
    # Curves of all members of all builds could not be told apart: those that CEPS built first stand for them.
    shown = [label for label in builders if methods[label]["name"] == "ceps"] or builders
    built = [(key, team) for key, team in teams.items() if key.partition("/")[2] in shown[:1] and team.members]
    anytime = _anytime(source, dict(built[:1]), missing)
    return Told(
        finished=measured is not None,
        builds=builds,
        verdicts=verdicts,
        origin=lambda each: (
            Origin.BRED if each.parent is not None else Origin.GIVEN if each.id in trained else Origin.TEST
        ),
        anytime=anytime,
        comparison=None if measured is None else results_of(measured),
        missing=tuple(missing),
    )


def _evaluation(source: Source) -> Told:
    concluded = source.store.conclusion(EVALUATION)
    team = _team(source, [] if concluded is None else concluded["members"])
    missing = []
    if concluded is None:
        missing.append("The evaluation has not ended: how hard instances are, and for whom, comes at its end.")
    anytime = _anytime(source, {"": team}, missing)
    return Told(
        finished=concluded is not None,
        builds=(),
        verdicts=verdicts_by_meetings(team.meetings, team.names),
        origin=lambda each: Origin.TEST,
        anytime=anytime,
        comparison=None,
        missing=tuple(missing),
    )


def _facts(source: Source, course: Course, label: str, team: _Team) -> BuildFacts:
    return build_facts(
        source.store,
        course,
        label,
        member_facts(course, team.members, source.versions, team.meetings, source.defaults),
        budget=source.subject.settings["budget"]["cpu"],
        spent=source.spent.get(course.label, Spent(0.0, 0.0)),
    )


def _anytime(source: Source, teams: Mapping[str, _Team], missing: list[str]) -> tuple[Anytime, ...]:
    curves = [
        read_anytime(source.store, member.id, f"{label} {name}".strip(), source.subject.metric)
        for label, team in teams.items()
        for member, name in zip(team.members, team.names, strict=True)
    ]
    if curves and not any(curves):
        missing.append("No run of these members has told how its cost fell, so there are no curves over time.")
    return tuple(curve for curve in curves if curve is not None)
