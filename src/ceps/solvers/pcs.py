"""Parameter spaces in .pcs files, the old format and the new one.

ConfigSpace's own readers are no longer kept up: they take conditions and forbidden values of numbers for texts, and
pass over lines that they do not understand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ceps.errors import did_you_mean

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace
    from ConfigSpace.hyperparameters import Hyperparameter

_NAME = r"(?P<name>[^\s{}\[\]|]+)"
_CHOICE = re.compile(
    _NAME + r"\s*(?P<type>\s(?:categorical|ordinal))?\s*\{(?P<values>[^{}]+)\}\s*\[(?P<default>[^\[\]]+)\]"
)
_RANGE = re.compile(
    _NAME + r"\s*(?P<type>\s(?:integer|real))?\s*\[(?P<low>[^\[\],]+),(?P<high>[^\[\],]+)\]"
    r"\s*\[(?P<default>[^\[\]]+)\]\s*(?P<flags>log|[il]{0,2})"
)
_FORBIDDEN = re.compile(r"\{([^{}]+)\}")
_RULE = re.compile(_NAME + r"\s*(?P<relation>==|!=|<|>|\sin\s)\s*(?P<values>\{[^{}]+\}|[^\s{}]+)")
_HEADINGS = ("conditionals:", "forbidden:")
_PAIR = re.compile(r"(?P<name>[^\s=<>!&|]+)\s*=\s*(?P<value>(?!=)(?:(?!&&|\|\|).)+)")
_NO_COMBINATION = (
    "only combinations such as {a=1, b=x} can be forbidden, with = and commas; expressions with &&, ||, ==, <, > or "
    "functions (SMAC's advanced form) are not supported: write out the values that they forbid, or leave the line out"
)


def read_pcs(text: str) -> ConfigurationSpace:
    """The space in a text. Raises ValueError with the number of the line that is wrong, and what to mend in it."""
    from ConfigSpace import ConfigurationSpace  # noqa: PLC0415 - a second to import, not needed to run

    space = ConfigurationSpace()
    conditions: dict[str, list[Any]] = {}
    places: dict[str, tuple[int, str]] = {}
    # Blanks are one: expressions that try every way to part a million of them would not end.
    bare = (" ".join(line.partition("#")[0].split()) for line in text.splitlines())
    lines = list(enumerate(bare, start=1))
    # Parameters first: a line may stand before those that it speaks of.
    for number, line in sorted(lines, key=lambda each: "|" in each[1] or each[1].startswith("{")):
        with _at(number, line):
            if not line or line.lower() in _HEADINGS:
                continue
            if line.startswith("{"):
                space.add(_forbidden(line, space))
            elif "|" in line:
                child, condition = _condition(line, space)
                conditions.setdefault(child, []).append(condition)
                places[child] = (number, line)
            else:
                space.add(_parameter(line, space))
    for child, rules in conditions.items():
        with _at(*places[child]):
            space.add(_all(rules))
    return space


@contextmanager
def _at(number: int, line: str) -> Iterator[None]:
    """Whatever is wrong in here is a mistake in a line."""
    try:
        yield
    except Exception as error:  # ConfigSpace has several kinds of its own.
        raise ValueError(f"line {number}: {_cut(repr(line), 150)}: {in_words(error)}") from error


def in_words(error: Exception) -> str:
    """A mistake in a space, in words: names of classes tell users nothing."""
    from ConfigSpace.exceptions import CyclicDependancyError, ForbiddenValueError  # noqa: PLC0415 - as above

    if isinstance(error, CyclicDependancyError):
        return "conditions go round in a circle: a parameter depends on one that depends on it; remove one of them"
    if isinstance(error, ForbiddenValueError):
        return "this forbids the default values; forbid others, or change a default"
    told = " ".join(str(error).split())
    told = _cut(told, 600)
    return told if isinstance(error, ValueError) else f"not as ConfigSpace writes it ({told})"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _parameter(line: str, space: ConfigurationSpace) -> Hyperparameter[Any, Any]:
    match = _CHOICE.fullmatch(line) or _RANGE.fullmatch(line)
    if match is None:
        raise ValueError(
            "this is no parameter, condition or forbidden combination; parameters are written such as "
            "name {a, b} [a] or name [1, 9] [3], with the default at the end"
        )
    if match["name"] in space:
        raise ValueError(f"there is a parameter '{match['name']}' already; remove one of them, or rename it")
    return _choice(match) if match.re is _CHOICE else _range(match)


def _choice(match: re.Match[str]) -> Hyperparameter[Any, Any]:
    from ConfigSpace import Categorical  # noqa: PLC0415 - a second to import

    values, default = _listed(match["values"]), match["default"].strip()
    if default not in values:
        raise ValueError(f"the default '{default}' is none of the values; add it to them, or take one of them")
    value, count = Counter(values).most_common(1)[0]
    if count > 1:
        raise ValueError(f"the value '{value}' is there {count} times; keep one")
    return Categorical(match["name"], values, default=default, ordered=(match["type"] or "").strip() == "ordinal")


def _range(match: re.Match[str]) -> Hyperparameter[Any, Any]:
    from ConfigSpace import Float, Integer  # noqa: PLC0415 - a second to import

    kind, flags = (match["type"] or "").strip(), match["flags"]
    log = "l" in flags
    if kind == "integer" or (not kind and "i" in flags):
        low, high, default = (_whole(match[key]) for key in ("low", "high", "default"))
        _check_range((low, high), default, log)
        return Integer(match["name"], (low, high), default=default, log=log)
    real = [_number(match[key]) for key in ("low", "high", "default")]
    _check_range((real[0], real[1]), real[2], log)
    return Float(match["name"], (real[0], real[1]), default=real[2], log=log)


def _check_range(ends: tuple[float, float], default: float, log: bool) -> None:
    low, high = ends
    if not low < high:
        raise ValueError(f"the range ends at {high}, which must be above its beginning, {low}")
    if not low <= default <= high:
        raise ValueError(f"the default {default} must be from {low} to {high}")
    if log and low <= 0:
        raise ValueError(f"a logarithmic scale needs a range that begins above 0, not at {low}")


def _condition(line: str, space: ConfigurationSpace) -> tuple[str, Any]:
    """``child | a in {x, y} && b > 3 || c == z``: and binds closer than or."""
    from ConfigSpace import OrConjunction  # noqa: PLC0415 - a second to import

    child, _, expression = line.partition("|")
    name = child.strip()
    of = _named(name, space)
    choices = [_all([_rule(rule, of, space) for rule in each.split("&&")]) for each in expression.split("||")]
    return name, choices[0] if len(choices) == 1 else OrConjunction(*choices)


def _rule(text: str, child: Hyperparameter[Any, Any], space: ConfigurationSpace) -> Any:
    from ConfigSpace import (  # noqa: PLC0415 - a second to import
        EqualsCondition,
        GreaterThanCondition,
        InCondition,
        LessThanCondition,
        NotEqualsCondition,
    )
    from ConfigSpace.hyperparameters import CategoricalHyperparameter  # noqa: PLC0415

    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text.strip()!r} is no condition; write one such as a == x, n > 3 or a in {{x, y}}")
    parent = _named(match["name"], space)
    if parent is child:
        raise ValueError(f"'{child.name}' cannot depend on itself; name another parameter behind the |")
    values = [_value(parent, each) for each in _listed(match["values"].strip("{}"))]
    relation = match["relation"].strip()
    if relation in "<>" and isinstance(parent, CategoricalHyperparameter):
        raise ValueError(f"the values of '{parent.name}' have no order; use ==, != or in")
    if relation == "in":
        return InCondition(child, parent, values)
    kinds = {"==": EqualsCondition, "!=": NotEqualsCondition, "<": LessThanCondition, ">": GreaterThanCondition}
    return kinds[relation](child, parent, values[0])


def _forbidden(line: str, space: ConfigurationSpace) -> Any:
    from ConfigSpace import ForbiddenAndConjunction, ForbiddenEqualsClause  # noqa: PLC0415 - a second to import

    match = _FORBIDDEN.fullmatch(line)
    if match is None:
        raise ValueError(_NO_COMBINATION)
    clauses = []
    for pair in _listed(match[1]):
        said = _PAIR.fullmatch(pair)
        if said is None:
            raise ValueError(_NO_COMBINATION)
        parameter = _named(said["name"], space)
        clauses.append(ForbiddenEqualsClause(parameter, _value(parameter, said["value"])))
    return clauses[0] if len(clauses) == 1 else ForbiddenAndConjunction(*clauses)


def _all(rules: list[Any]) -> Any:
    from ConfigSpace import AndConjunction  # noqa: PLC0415 - a second to import

    return rules[0] if len(rules) == 1 else AndConjunction(*rules)


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]


def _named(name: str, space: ConfigurationSpace) -> Hyperparameter[Any, Any]:
    if name not in space:
        raise ValueError(f"there is no parameter '{name}'.{did_you_mean(name, list(space))}")
    return space[name]


def _value(parameter: Hyperparameter[Any, Any], text: str) -> int | float | str:
    """A value in the type that the parameter's own values have, which must be one of them."""
    from ConfigSpace.hyperparameters import FloatHyperparameter, IntegerHyperparameter  # noqa: PLC0415

    if not isinstance(parameter, IntegerHyperparameter | FloatHyperparameter):
        known: Sequence[str] = getattr(parameter, "choices", ()) or getattr(parameter, "sequence", ())
        if text not in known:
            raise ValueError(f"'{parameter.name}' is never '{text}'.{did_you_mean(text, known)}")
        return text
    value = _whole(text) if isinstance(parameter, IntegerHyperparameter) else _number(text)
    if not parameter.lower <= value <= parameter.upper:
        raise ValueError(f"'{parameter.name}' is never {value}; it is from {parameter.lower} to {parameter.upper}")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"'{text.strip()}' is no number") from None


def _whole(text: str) -> int:
    number = _number(text)
    if not number.is_integer():
        raise ValueError(f"{text.strip()} is no whole number")
    return int(number)
