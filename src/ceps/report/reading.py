"""Facts from the store of a run directory. Nothing is run, nothing is written, and the work may be under way."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from ceps import contradictions
from ceps.records import Ending
from ceps.report.builds import courses, default_values
from ceps.report.facts import Cause, EndingCount, Facts, Sitting
from ceps.report.instances import read_gallery
from ceps.report.kinds import Source, tell
from ceps.report.library import FeatureCache, Library
from ceps.report.subject import Subject, read_subject
from ceps.store import Store, history

MOST_CAUSES = 12


def read_facts(directory: Path, cache: FeatureCache | None = None, trust: bool = False) -> Facts:
    """All that a page says about a run directory.

    Whoever reads again and again gives the same ``cache`` each time. With ``trust``, features may be told by a program
    that the directory names. What cannot be told yet is named in ``missing``;
    what is no run directory, damaged, or made by another ceps is a :class:`~ceps.errors.UserError`.
    """
    with Store.read_only(directory) as store, store.legible():
        subject = read_subject(store, directory)
        source = _source(store, Library(store, subject.problem, cache or FeatureCache(), trust), subject)
        told = tell(source)
        gallery = read_gallery(source.library, source.relatives, told.verdicts, told.origin)
        endings = tuple(
            EndingCount(solver, Ending(ending), runs, cpu) for solver, ending, runs, cpu in history.endings(store)
        )
        sittings = tuple(
            Sitting(each.started, each.wall, each.workers, each.cpu, each.host) for each in store.sittings()
        )
        cpu = sum(each.cpu for each in endings)
        return Facts(
            kind=subject.kind,
            name=directory.resolve().name,
            finished=told.finished,
            problem=subject.problem.name,
            metric=subject.metric.name,
            cutoff=subject.metric.cutoff,
            penalty=subject.metric.penalty,
            settings=subject.settings,
            versions={**subject.versions, **source.versions},
            builds=told.builds,
            instances=gallery.instances,
            map_axes=gallery.axes,
            anytime=told.anytime,
            endings=endings,
            causes=tuple(Cause(*row) for row in history.causes(store, MOST_CAUSES)),
            contradictions=contradictions.told(history.contradictions(store)),
            sittings=sittings,
            runs=sum(each.runs for each in endings),
            cpu=cpu,
            comparison=told.comparison,
            missing=(*told.missing, *gallery.missing, *_unseated(sittings, cpu)),
        )


def _source(store: Store, library: Library, subject: Subject) -> Source:
    builds = courses(store.journal())
    admitted = [key for course in builds.values() for made in course.generations for key in made.admitted]
    versions: dict[str, str] = {}
    for solver, version in history.versions(store):
        versions[solver] = f"{versions[solver]}; {version}" if solver in versions else version
    solvers = subject.settings.get("solvers", {})
    return Source(
        store=store,
        subject=subject,
        library=library,
        courses=builds,
        relatives=history.family(store, admitted),
        defaults=functools.cache(lambda solver: default_values(solver, solvers.get(solver, {}))),
        versions=versions,
        spent=history.spent(store, subject.metric.uses_target),
    )


def _unseated(sittings: Sequence[Sitting], cpu: float) -> list[str]:
    """Runs from before sittings were written down."""
    earlier = cpu - sum(each.cpu for each in sittings)
    if earlier <= 0.01 + 1e-9 * cpu:
        return []
    return [f"{earlier:.0f} CPU seconds were spent before starts were written down; no sitting has them."]
