"""Facts as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from math import isfinite

from markupsafe import Markup

from ceps.report.facts import Facts, InstanceFacts, Kind
from ceps.report.pieces import Section, note
from ceps.report.sections import sections_of
from ceps.report.sketches import packed
from ceps.report.words import NONE, cost, number, origin_text, spread_text

_TITLES = {Kind.BUILD: "a build", Kind.COMPARISON: "a comparison", Kind.EVALUATION: "an evaluation"}
_IN_SCRIPTS = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""So that no name can end the script that it stands in."""


def page(facts: Facts, live: bool = False) -> str:
    """The whole page. A live one asks its server for changes, and for nothing else."""
    data = Markup(_as_json([_instance(each) for each in facts.instances]))
    return _filled(facts.name, _TITLES[facts.kind], sections_of(facts), data, "live" if live else "")


def page_that_waits(name: str, message: str) -> str:
    """A live page where there is nothing to show yet, and why."""
    body = note([message, "This page goes on watching, and shows what there is as soon as it can."])
    return _filled(name, "waiting", [Section("overview", "Nothing to show yet", body)], Markup("[]"), "waiting")


def _filled(name: str, kind: str, sections: Sequence[Section], data: Markup, state: str) -> str:
    """``state`` is what a page says of itself that renews itself; one that does not has none."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - only who makes a page waits for it

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    script = _resource("drawings.js") + _resource("page.js")
    filled = environment.from_string(_resource("page.html.jinja")).render(
        name=name,
        kind=kind,
        sections=sections,
        data=data,
        state=state,
        style=Markup(_resource("page.css")),
        script=Markup(script),
        policy=_policy(script, live=bool(state)),
    )
    # File names may hold what no encoding has.
    return filled.encode("utf-8", "replace").decode("utf-8")


def _policy(script: str, live: bool) -> str:
    """What the page may do: show itself and run its one script; a live one may ask its own server too."""
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        f"script-src 'sha256-{digest}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        *(["connect-src 'self'"] if live else []),
    ]
    return "; ".join(rules)


def _resource(name: str) -> str:
    return files("ceps.report").joinpath(name).read_text(encoding="utf-8")


def _as_json(value: object) -> str:
    """JSON that may stand in a script element, whatever the texts in it are."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.translate(_IN_SCRIPTS)


def _instance(instance: InstanceFacts) -> dict[str, object]:
    """What is shown of an instance when it is opened."""
    facts = [
        ("origin", origin_text(instance)),
        ("hardness", NONE if instance.hardness is None else spread_text(instance.hardness)),
        ("best on it", instance.winner or NONE),
        ("cost that counts as solved", cost(instance.reference)),
        ("best cost known", cost(instance.best_cost)),
    ]
    features = [(name, number(value, 5)) for name, value in instance.features.items() if isfinite(value)]
    shown: dict[str, object] = {"id": instance.id, "name": instance.name, "facts": facts, "features": features}
    if instance.parent is not None:
        shown["parent"] = instance.parent
    if instance.sketch is not None:
        shown["sketch"] = packed(instance.sketch)
    return shown
