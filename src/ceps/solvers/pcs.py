"""Parameter spaces in .pcs files, the old format and the new one.

ConfigSpace's own readers are no longer kept up: they take conditions and forbidden values of numbers for texts, and
pass over lines that they do not understand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

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


def read_pcs(text: str) -> ConfigurationSpace:
    """The space in a text. Raises ValueError with the number of the line that is wrong."""
    from ConfigSpace import ConfigurationSpace  # noqa: PLC0415 - a second to import, not needed to run

    space = ConfigurationSpace()
    conditions: dict[str, list[Any]] = {}
    # Blanks are one: expressions that try every way to part a million of them would not end.
    bare = (" ".join(line.partition("#")[0].split()) for line in text.splitlines())
    lines = list(enumerate(bare, start=1))
    # Parameters first: a line may stand before those that it speaks of.
    for number, line in sorted(lines, key=lambda each: "|" in each[1] or each[1].startswith("{")):
        try:
            if not line or line.lower() in _HEADINGS:
                continue
            if line.startswith("{"):
                space.add(_forbidden(line, space))
            elif "|" in line:
                child, condition = _condition(line, space)
                conditions.setdefault(child, []).append(condition)
            else:
                space.add(_parameter(line))
        except Exception as error:  # ConfigSpace has several kinds of its own.
            raise ValueError(f"line {number}: {line!r}: {error}") from error
    for rules in conditions.values():
        space.add(_all(rules))
    return space


def _parameter(line: str) -> Hyperparameter[Any, Any]:
    from ConfigSpace import Categorical, Float, Integer  # noqa: PLC0415 - a second to import

    if choice := _CHOICE.fullmatch(line):
        values, ordered = _listed(choice["values"]), (choice["type"] or "").strip() == "ordinal"
        return Categorical(choice["name"], values, default=choice["default"].strip(), ordered=ordered)
    if bounds := _RANGE.fullmatch(line):
        kind, flags = (bounds["type"] or "").strip(), bounds["flags"]
        log = "l" in flags
        if kind == "integer" or (not kind and "i" in flags):
            low, high, default = (_whole(bounds[key]) for key in ("low", "high", "default"))
            return Integer(bounds["name"], (low, high), default=default, log=log)
        real = [float(bounds[key]) for key in ("low", "high", "default")]
        return Float(bounds["name"], (real[0], real[1]), default=real[2], log=log)
    raise ValueError("this is no parameter, condition or forbidden combination")


def _condition(line: str, space: ConfigurationSpace) -> tuple[str, Any]:
    """``child | a in {x, y} && b > 3 || c == z``: and binds closer than or."""
    from ConfigSpace import OrConjunction  # noqa: PLC0415 - a second to import

    child, _, expression = line.partition("|")
    name = child.strip()
    choices = [_all([_rule(rule, space[name], space) for rule in each.split("&&")]) for each in expression.split("||")]
    return name, choices[0] if len(choices) == 1 else OrConjunction(*choices)


def _rule(text: str, child: Hyperparameter[Any, Any], space: ConfigurationSpace) -> Any:
    from ConfigSpace import (  # noqa: PLC0415 - a second to import
        EqualsCondition,
        GreaterThanCondition,
        InCondition,
        LessThanCondition,
        NotEqualsCondition,
    )

    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text.strip()!r} is no condition")
    parent = space[match["name"]]
    values = [_value(parent, each) for each in _listed(match["values"].strip("{}"))]
    relation = match["relation"].strip()
    if relation == "in":
        return InCondition(child, parent, values)
    kinds = {"==": EqualsCondition, "!=": NotEqualsCondition, "<": LessThanCondition, ">": GreaterThanCondition}
    return kinds[relation](child, parent, values[0])


def _forbidden(line: str, space: ConfigurationSpace) -> Any:
    from ConfigSpace import ForbiddenAndConjunction, ForbiddenEqualsClause  # noqa: PLC0415 - a second to import

    match = _FORBIDDEN.fullmatch(line)
    if match is None:
        raise ValueError("only combinations such as {a=1, b=x} can be forbidden")
    clauses = []
    for pair in _listed(match[1]):
        name, _, value = (part.strip() for part in pair.partition("="))
        clauses.append(ForbiddenEqualsClause(space[name], _value(space[name], value)))
    return clauses[0] if len(clauses) == 1 else ForbiddenAndConjunction(*clauses)


def _all(rules: list[Any]) -> Any:
    from ConfigSpace import AndConjunction  # noqa: PLC0415 - a second to import

    return rules[0] if len(rules) == 1 else AndConjunction(*rules)


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]


def _value(parameter: Hyperparameter[Any, Any], text: str) -> int | float | str:
    """A value in the type that the parameter's own values have."""
    from ConfigSpace.hyperparameters import FloatHyperparameter, IntegerHyperparameter  # noqa: PLC0415

    if isinstance(parameter, IntegerHyperparameter):
        return _whole(text)
    return float(text) if isinstance(parameter, FloatHyperparameter) else text


def _whole(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError(f"{text.strip()} is no whole number")
    return int(number)
