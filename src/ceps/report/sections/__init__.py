"""The page's sections, each made of facts alone; one that has nothing to say is left out."""

from __future__ import annotations

from ceps.report.facts import Facts, Kind
from ceps.report.pieces import Section
from ceps.report.sections.comparison import comparison
from ceps.report.sections.instances import instances
from ceps.report.sections.members import members
from ceps.report.sections.overview import overview
from ceps.report.sections.portfolio import portfolio
from ceps.report.sections.progress import progress
from ceps.report.sections.runs import runs
from ceps.report.sections.settings import settings


def sections_of(facts: Facts) -> list[Section]:
    """All that have something to say, in the order of reading."""
    first = (overview, comparison, portfolio) if facts.kind is Kind.COMPARISON else (overview, portfolio)
    made = [make(facts) for make in (*first, progress, instances, members, runs, settings)]
    return [section for section in made if section is not None]
