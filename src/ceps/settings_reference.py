"""Every setting there is, as a page of the documentation: ``python -m ceps.settings_reference docs/settings.md``.

All of it comes from the code: keys, types and defaults from the frozen dataclasses that files are read into, meanings
from the docstrings below their attributes, parameters from the solvers' own spaces.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import textwrap
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ceps.comparing.contenders import FIXED
from ceps.comparing.experiment import Entrant, Experiment, InstanceSettings
from ceps.construction.eps import EpsSettings
from ceps.construction.evolution import REMOVALS, EvolutionSettings
from ceps.construction.methods import METHODS, SETTINGS
from ceps.metrics import METRICS
from ceps.problems import PROBLEMS, Problem
from ceps.problems.tsp.generators import ALIASES as TSP_ALIASES
from ceps.problems.vrpspdtw import Vrpspdtw
from ceps.problems.vrpspdtw.mutate import Demands, Service
from ceps.settings import (
    BACKENDS,
    ExecutionSettings,
    MethodSettings,
    MetricSettings,
    PortfolioSettings,
    ProblemSettings,
    Scenario,
)
from ceps.solvers import SOLVERS
from ceps.tables import size

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

_INTRODUCTION = """\
# Every setting

Made from the code by `python -m ceps.settings_reference docs/settings.md`; a test holds it against the code. To change
a line, change the docstring below the attribute.

A scenario is what [`ceps build`](building.md) reads, an experiment what [`ceps compare`](comparing.md) reads; both are
TOML. Keys that are not listed here are refused, with the nearest one that is. Paths are relative to the folder the file
stands in. Whole numbers that count something are at least 1, shares of the budget are above 0: they count by their
proportions.

A solver or a problem [without Python](own-solver.md) has one setting here, `file`: the TOML file that describes it.
That page has the keys of such files.
"""

_CHOICES: Mapping[tuple[type[Any], str], Iterable[str]] = {
    (ProblemSettings, "name"): PROBLEMS,
    (InstanceSettings, "name"): PROBLEMS,
    (PortfolioSettings, "solvers"): SOLVERS,
    (MetricSettings, "name"): METRICS,
    (MethodSettings, "name"): METHODS,
    (ExecutionSettings, "backend"): BACKENDS,
    (Entrant, "name"): [*METHODS, *FIXED],
    (EvolutionSettings, "removal"): REMOVALS,
    (Vrpspdtw, "demands"): Demands,
    (Vrpspdtw, "service"): Service,
}
"""Keys whose values are names, and those there are."""

_FILLED_IN: Mapping[tuple[type[Any], str], str] = {
    (EpsSettings, "new_instances"): "required; in an experiment with CEPS, as many as CEPS came to",
}
"""Keys that may be left out where others tell their values, and what they are then."""

_OTHER_NAMES: Mapping[str, Mapping[str, str]] = {"tsp": TSP_ALIASES}
"""Of generators, by problem: the listed name by the other one."""

_PAGES = {"default": "fixed", "portfolio": "fixed", "vbs": "vbs"}
"""Pages about contenders that build nothing."""

_SOMEBODY_ELSES = "options"
"""Settings of methods stand beside their names, so the key that holds them is not written in any file."""

_PLAIN = {int: "whole number", float: "number", str: "text", bool: "true or false", Path: "path"}


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """One key."""

    key: str
    """As it is written; keys of tables in a table after a dot."""
    kind: str
    default: str
    """Empty when there is none, but the key may be left out."""
    meaning: str


def settings_reference() -> str:
    """The page, in Markdown."""
    parts = [_INTRODUCTION, "## The scenario\n", *_file(Scenario, "Scenario", {}), "## The experiment\n"]
    scenario = typing.get_type_hints(Scenario)
    parts += _file(Experiment, "Experiment", {name: _unless_none(kind) for name, kind in scenario.items()})
    for name, kind in FIXED.items():
        link = f"[What it is](methods/{_PAGES[name]}.md).\n"
        parts += [f"### Contender `{name}`\n", _described(kind), link, _table(settings_of(kind))]
    parts.append("## Methods\n\nSettings of `[method]` in a scenario and of `[[methods]]` in an experiment.\n")
    for name, kind in SETTINGS.items():
        parts += [f"### Method `{name}`\n", f"[What it does](methods/{name}.md).\n", _table(settings_of(kind))]
    parts.append(
        "## Problems\n\nSettings of `[problem.settings]`, and generators of instances with their parameters.\n"
    )
    for name, problem in PROBLEMS.items():
        settings = settings_of(type(problem))
        parts += [f"### Problem `{name}`\n", _table(settings) if settings else "It has no settings.\n"]
        parts.append(_generators(problem))
    parts.append("## Solvers\n\nSettings of `[solvers.NAME]`, and the parameters that are searched.\n")
    for name, kind in SOLVERS.items():
        settings = settings_of(kind)
        parts += [f"### Solver `{name}`\n", _described(kind), _table(settings) if settings else "It has no settings.\n"]
        parts.append(_parameters(kind().space))
    return "\n".join(parts)


def settings_of(kind: type[Any], default: Any = None) -> list[Setting]:
    """The keys of a dataclass; those of a table in it after a dot. ``default`` is where the defaults stand."""
    hints, meanings = typing.get_type_hints(kind, include_extras=True), attribute_docs(kind)
    found = []
    for entry in dataclasses.fields(kind):
        if not entry.init or entry.name == _SOMEBODY_ELSES:
            continue
        hint = _unless_none(hints[entry.name])
        table, several = _table_in(hint)
        if several:
            continue
        value = getattr(default, entry.name) if default is not None else _default(entry)
        if table is not None:
            if entry.name in meanings:
                found.append(Setting(entry.name, "table", "", meanings[entry.name]))
            inside = settings_of(table, value if dataclasses.is_dataclass(value) else None)
            found += [dataclasses.replace(each, key=f"{entry.name}.{each.key}") for each in inside]
        else:
            words = _kind(hint, _choices(kind, entry.name))
            written = _FILLED_IN.get((kind, entry.name)) or _written(hint, value)
            found.append(Setting(entry.name, words, written, meanings.get(entry.name, "")))
    return found


def attribute_docs(kind: type[Any]) -> dict[str, str]:
    """The docstrings below the attributes of a class and of those it inherits from."""
    docs: dict[str, str] = {}
    for each in reversed([base for base in kind.__mro__ if dataclasses.is_dataclass(base)]):
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        assert isinstance(definition, ast.ClassDef)
        for attribute, below in zip(definition.body, definition.body[1:], strict=False):
            match attribute, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    docs[name] = _markdown(text)
    return docs


def _file(kind: type[Any], title: str, known: Mapping[str, Any]) -> Iterator[str]:
    """The tables of a file; those that ``known`` has as well are only named."""
    hints, remarks = typing.get_type_hints(kind), attribute_docs(kind)
    plain = [each for each in settings_of(kind) if _table_in(hints[each.key.partition(".")[0]])[0] is None]
    yield from (_described(kind), _table(plain))
    for entry in dataclasses.fields(kind):
        table, several = _table_in(hints[entry.name])
        if table is None:
            continue
        name = f"[[{entry.name}]]" if several else f"[{entry.name}]"
        yield f"### {title}: `{name}`\n"
        if known.get(entry.name) is table:
            also = f" {remarks[entry.name]}" if entry.name in remarks else ""
            yield f"As [in a scenario](#scenario-{entry.name}).{also}\n"
        else:
            yield from (_described(table), _table(settings_of(table)))


def _table_in(hint: Any) -> tuple[type[Any] | None, bool]:
    """The dataclass that a table of a file is read into, and whether there may be several."""
    inner = _unless_none(hint)
    several = typing.get_origin(inner) is tuple
    inner = typing.get_args(inner)[0] if several else inner
    return (inner, several) if dataclasses.is_dataclass(inner) and isinstance(inner, type) else (None, False)


def _generators(problem: Problem) -> str:
    rows: list[tuple[str, str, str]] = []
    for name, parameters in problem.generators.items():
        others = [other for other, listed in _OTHER_NAMES.get(problem.name, {}).items() if listed == name]
        called = ", also ".join(f"`{each}`" for each in (name, *others))
        own = [(called, f"`{key}`", str(parameter)) for key, parameter in parameters.items()]
        rows += own or [(called, "", "")]
    return _rows(("generator", "parameter", "values"), rows)


def _parameters(space: ConfigurationSpace) -> str:
    """The parameters of a solver, what they depend on, and what may not be together."""
    meanings = space.meta or {}
    rows = []
    # In the order of the meanings: the space sorts by name, and some speak of those before them.
    for name in sorted(space, key=[*meanings, *space].index):
        parameter = space[name]
        conditions = [repr(each).partition(" | ")[2].replace("==", "=") for each in space.parent_conditions_of[name]]
        only = f"; only where {' and '.join(conditions)}" if conditions else ""
        default = str(_plain(parameter.default_value))
        rows.append((f"`{name}`", _domain(parameter), default, f"{meanings.get(name, '')}{only}"))
    forbidden: list[Any] = list(space.forbidden_clauses)
    together = [
        "Not all together: " + ", ".join(f"`{part.hyperparameter.name} = {part.value}`" for part in clause.dlcs) + ".\n"
        for clause in forbidden
    ]
    return "\n".join([_rows(("parameter", "domain", "default", "meaning"), rows), *together])


def _domain(parameter: Any) -> str:
    if hasattr(parameter, "choices"):
        return ", ".join(str(_plain(choice)) for choice in parameter.choices)
    low, high = (_plain(getattr(parameter, end)) for end in ("lower", "upper"))
    whole = "whole, " if isinstance(_plain(parameter.default_value), int) else ""
    return f"{whole}{low:.10g} to {high:.10g}{', log' if parameter.log else ''}"


def _plain(value: Any) -> Any:
    """numpy's values as Python's."""
    return value.item() if hasattr(value, "item") else value


def _default(entry: dataclasses.Field[Any]) -> Any:
    return entry.default_factory() if entry.default_factory is not dataclasses.MISSING else entry.default


def _written(hint: Any, value: Any) -> str:
    """A default as it would be written in the file."""
    if value is dataclasses.MISSING:
        return "required"
    if value is None or value in ((), {}):
        return ""
    if typing.get_origin(hint) is Annotated and typing.get_args(hint)[1] is size:
        return f'`"{value / 1024**3:g}GiB"`'
    match value:
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            return f'`"{value}"`'
    return f"`{value:g}`"


def _unless_none(hint: Any) -> Any:
    """``X`` of ``X | None``."""
    if typing.get_origin(hint) not in (types.UnionType, typing.Union):
        return hint
    (inner,) = (choice for choice in typing.get_args(hint) if choice is not types.NoneType)
    return inner


def _kind(hint: Any, choices: Iterable[str] | None) -> str:
    if choices is not None:
        several = "list of " if typing.get_origin(hint) is tuple else ""
        return several + ", ".join(f'`"{choice}"`' for choice in choices)
    if typing.get_origin(hint) is Annotated:
        words = _markdown(typing.get_args(hint)[1].__doc__).removesuffix(".")
        return words[0].lower() + words[1:]
    if typing.get_origin(hint) is tuple:
        return f"list of {_PLAIN[typing.get_args(hint)[0]]}s"
    return _PLAIN.get(hint, "table")


def _choices(kind: type[Any], name: str) -> Iterable[str] | None:
    return next((_CHOICES[base, name] for base in kind.__mro__ if (base, name) in _CHOICES), None)


def _described(kind: type[Any]) -> str:
    return f"{_markdown(inspect.getdoc(kind) or '')}\n"


def _markdown(text: str) -> str:
    """The first paragraph of a docstring in one line."""
    return " ".join(inspect.cleandoc(text).split("\n\n", maxsplit=1)[0].split()).replace("``", "`")


def _table(settings: Iterable[Setting]) -> str:
    rows = [(f"`{each.key}`", each.kind, each.default, each.meaning) for each in settings]
    return _rows(("key", "values", "default", "meaning"), rows)


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(settings_reference(), encoding="utf-8")
