"""The members: what each is, what makes it differ from its solver's default, what it is good for."""

from __future__ import annotations

from markupsafe import Markup

from ceps.records import Value
from ceps.report.facts import BuildFacts, Facts, Kind, MemberFacts, Parameter
from ceps.report.pieces import Section, details, joined, meter, paragraph, table
from ceps.report.sections.shared import first_of_interest
from ceps.report.words import NONE, change, percent
from ceps.texts import counted


def portfolio(facts: Facts) -> Section | None:
    """A card per member; of a comparison, build by build."""
    shown = [(index, build) for index, build in enumerate(facts.builds) if build.members]
    if not shown:
        return None
    lead = paragraph(
        "All members start at once on an instance, and the best answer counts. Marked parameters differ from the "
        "solver's default."
    )
    if facts.kind is not Kind.COMPARISON:
        return Section("portfolio", "Portfolio", joined([lead, *(_cards(index, build) for index, build in shown)]))
    opened = first_of_interest(facts.builds)
    folded = [
        details(f"portfolio-{index}", _summary(build), _cards(index, build), build is opened) for index, build in shown
    ]
    return Section("portfolio", "Portfolios", joined([lead, *folded]))


def _summary(build: BuildFacts) -> str:
    state = "" if build.finished else ", unfinished"
    return f"{build.label}: {counted(len(build.members), 'member')}{state}"


def _cards(index: int, build: BuildFacts) -> Markup:
    return Markup('<div class="cards">{}</div>').format(joined(_card(index, member) for member in build.members))


def _card(build: int, member: MemberFacts) -> Markup:
    changed = [parameter for parameter in member.parameters if parameter.changed]
    others = [parameter for parameter in member.parameters if not parameter.changed]
    loss = "it is the only one" if member.loss is None else f"{change(member.loss)} training score"
    share = member.wins / member.contests if member.contests else 0.0
    wins = f"{member.wins:,} of {member.contests:,} ({percent(share)})" if member.contests else NONE
    same = (
        f"{counted(len(others), 'parameter')}: the solver's default is not known here"
        if any(parameter.changed is None for parameter in others)
        else f"{'The other ' if changed else 'All '}{counted(len(others), 'parameter')}: as by default"
    )
    return Markup(
        '<article class="card"><h3><span class="badge">{number}</span> {solver} <small>{version}</small></h3>'
        "<dl><dt>Without it</dt><dd>{loss}</dd><dt>Wins</dt><dd>{wins}{meter}</dd></dl>{changed}{others}</article>"
    ).format(
        number=member.number,
        solver=member.solver,
        version=member.version,
        loss=loss,
        wins=wins,
        meter=meter(share, f"wins {percent(share)}") if member.contests else "",
        changed=table(("parameter", "value", "default"), map(_changed, changed)) if changed else "",
        others=details(f"member-{build}-{member.number}", same, table(("parameter", "value"), map(_same, others)))
        if others
        else "",
    )


def _changed(parameter: Parameter) -> tuple[object, ...]:
    name = Markup('<mark title="differs from the default">{}</mark>').format(parameter.name)
    return name, _value(parameter.value), NONE if parameter.default is None else _value(parameter.default)


def _same(parameter: Parameter) -> tuple[object, ...]:
    return parameter.name, _value(parameter.value)


def _value(value: Value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
