"""TSPLIB files: instances (``.tsp``) and tours (``.tour``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ceps.errors import did_you_mean
from ceps.problems.text import Text, integer, joined, name_of, one_line, save, shown, written
from ceps.problems.tsp.instance import EdgeWeight, TspInstance, largest_coordinate

Keywords = Mapping[str, tuple[str, ...]]
"""The keywords that may stand before the data, each with its supported values; none: any value will do."""

_INSTANCE_KEYWORDS: Keywords = {
    "NAME": (),
    "COMMENT": (),
    "TYPE": ("TSP",),
    "DIMENSION": (),
    "EDGE_WEIGHT_TYPE": tuple(EdgeWeight),
    "EDGE_WEIGHT_FORMAT": ("FUNCTION",),
    "NODE_COORD_TYPE": ("TWOD_COORDS",),
    "DISPLAY_DATA_TYPE": (),
}
_TOUR_KEYWORDS: Keywords = {"NAME": (), "COMMENT": (), "TYPE": ("TOUR",), "DIMENSION": ()}
_KIND = ("TSPLIB", "EOF")
"""What the files are, and the line that ends them."""
_KEYWORD_LINE = re.compile(r"([A-Za-z]\w*)\s*[:=]?\s*(.*)")


def read(path: Path) -> TspInstance:
    """The instance in a TSPLIB file, named after the file."""
    return _instance(Text.read(path, *_KIND), name_of(path))


def decode(text: str, name: str) -> TspInstance:
    """The instance in a TSPLIB text; ``name`` is its name and stands for the file in messages."""
    return _instance(Text(name, text, *_KIND), name)


def write(instance: TspInstance, path: Path) -> None:
    """Write an instance; reading it gives the same coordinates to the last bit."""
    save(path, encode(instance))


def encode(instance: TspInstance) -> str:
    """The text of an instance's TSPLIB file."""
    cities = (f"{i} {written(x)} {written(y)}" for i, (x, y) in enumerate(instance.coordinates.tolist(), 1))
    return joined(
        f"NAME : {one_line(instance.name)}",
        "TYPE : TSP",
        f"DIMENSION : {instance.n}",
        f"EDGE_WEIGHT_TYPE : {instance.metric}",
        "NODE_COORD_SECTION",
        *cities,
        "EOF",
    )


def read_tour(instance: TspInstance, path: Path) -> list[int]:
    """The tour in a TSPLIB file as its node ids: every city of the instance once."""
    return _tour(Text.read(path, *_KIND), instance.n)


def write_tour(instance: TspInstance, tour: Sequence[int], cost: float, path: Path) -> None:
    """Write a tour and its length."""
    text = joined(
        f"NAME : {one_line(instance.name)}",
        f"COMMENT : Length = {written(float(cost))}",
        "TYPE : TOUR",
        f"DIMENSION : {instance.n}",
        "TOUR_SECTION",
        *map(str, tour),
        "-1",
        "EOF",
    )
    save(path, text)


@dataclass(frozen=True)
class _Header:
    """What stands before the data: the value and the line of each keyword, and the line where it ends."""

    values: dict[str, str]
    line_of: dict[str, int]
    end: int


def _read_header(text: Text, lines: Iterator[tuple[int, str]], keywords: Keywords, section: str) -> _Header:
    """Read up to the line that starts the section."""
    values: dict[str, str] = {}
    line_of: dict[str, int] = {}
    for number, line in lines:
        match = _KEYWORD_LINE.fullmatch(line)
        if match is None:
            raise text.error(number, f"{shown(line)} is not a TSPLIB line. Write 'KEYWORD : value'.")
        keyword, value = match[1].upper(), match[2]
        if keyword == section:
            return _Header(values, line_of, number)
        if keyword not in keywords:
            hint = did_you_mean(keyword, [*keywords, section])
            raise text.error(number, f"keyword {shown(keyword)} is not supported.{hint}")
        if keyword in values and keyword != "COMMENT":
            raise text.error(number, f"{keyword} is given twice. Remove one of the two lines.")
        values[keyword] = _supported(text, number, keyword, value, keywords[keyword])
        line_of[keyword] = number
    raise text.error(text.end, f"the file ends without a {section}. It may be truncated: get the whole file.")


def _supported(text: Text, number: int, keyword: str, value: str, choices: tuple[str, ...]) -> str:
    if not choices:
        return value
    # Some TSPLIB files have a remark behind the value: 'TYPE : TSP (M.~Hofmeister)'.
    word = value.split(maxsplit=1)[0].upper() if value else "(nothing)"
    if word not in choices:
        raise text.error(number, f"{keyword} {_cut(word)} is not supported; supported: {', '.join(choices)}.")
    return word


def _dimension(text: Text, header: _Header) -> int:
    if "DIMENSION" not in header.values:
        raise text.error(header.end, "DIMENSION is missing. Add 'DIMENSION : <number of cities>' above.")
    number = header.line_of["DIMENSION"]
    value = integer(header.values["DIMENSION"])
    if value is None or value < 1:
        given = shown(header.values["DIMENSION"])
        raise text.error(number, f"DIMENSION must be a whole number of cities from 1 on, not {given}.")
    return value


def _instance(text: Text, name: str) -> TspInstance:
    lines = iter(text.lines)
    header = _read_header(text, lines, _INSTANCE_KEYWORDS, "NODE_COORD_SECTION")
    n = _dimension(text, header)
    if "EDGE_WEIGHT_TYPE" not in header.values:
        choices = ", ".join(EdgeWeight)
        raise text.error(header.end, f"EDGE_WEIGHT_TYPE is missing. Add one of {choices} above.")
    cities = _read_cities(text, lines, n)
    _refuse_large(text, cities)
    coordinates = np.array([cities[i][:2] for i in range(1, n + 1)], dtype=np.float64)
    return TspInstance(name, coordinates, EdgeWeight(header.values["EDGE_WEIGHT_TYPE"]))


def _read_cities(text: Text, lines: Iterator[tuple[int, str]], n: int) -> dict[int, tuple[float, float, int]]:
    """The cities 1 … n, each with x, y and its line. Nothing is allocated by the promise of ``n``."""
    cities: dict[int, tuple[float, float, int]] = {}
    for number, line in lines:
        fields = line.split()
        if len(fields) != 3:
            raise text.error(
                number,
                f"expected 'id x y', found {shown(line)}. The file may be truncated or not a 2-D one.",
            )
        city = _node(text, number, fields[0], n)
        if city in cities:
            raise text.error(number, f"node id {city} is already in line {cities[city][2]}. Use each id once.")
        x, y = (text.finite(number, word, "coordinate") for word in fields[1:])
        cities[city] = (x, y, number)
    if len(cities) < n:
        missing = next(i for i in range(1, n + 1) if i not in cities)
        raise text.error(
            text.end,
            f"found {len(cities)} of the {n} cities that DIMENSION promises, node id {missing} is missing. "
            "Get the whole file, or correct DIMENSION.",
        )
    return cities


def _refuse_large(text: Text, cities: Mapping[int, tuple[float, float, int]]) -> None:
    limit = largest_coordinate(len(cities))
    for x, y, number in cities.values():
        if max(abs(x), abs(y)) > limit:
            raise text.error(
                number,
                f"coordinates beyond ±{limit:.4g} are too large: tour lengths would leave 2**53, up to where "
                "integers are exact. Scale the coordinates down.",
            )


def _tour(text: Text, n: int) -> list[int]:
    lines = iter(text.lines)
    header = _read_header(text, lines, _TOUR_KEYWORDS, "TOUR_SECTION")
    if "DIMENSION" in header.values and _dimension(text, header) != n:
        given = _cut(header.values["DIMENSION"])
        raise text.error(header.line_of["DIMENSION"], f"DIMENSION is {given}, the instance has {n} cities. Wrong file?")
    lines_of: dict[int, int] = {}
    for number, token in ((number, token) for number, line in lines for token in line.split()):
        if token == "-1" or token.upper() == "EOF":
            break
        city = _node(text, number, token, n)
        if city in lines_of:
            raise text.error(
                number, f"node id {city} is already in line {lines_of[city]}. A tour visits each city once."
            )
        lines_of[city] = number
    if len(lines_of) < n:
        missing = next(i for i in range(1, n + 1) if i not in lines_of)
        raise text.error(
            text.end,
            f"the tour has {len(lines_of)} of {n} cities, node id {missing} is missing. Get the whole file.",
        )
    return list(lines_of)


def _node(text: Text, number: int, token: str, n: int) -> int:
    value = integer(token)
    if value is None:
        raise text.error(number, f"expected a node id, found {shown(token)}. Ids are whole numbers from 1 to {n}.")
    if not 1 <= value <= n:
        raise text.error(number, f"node id {_cut(token)} is outside 1 to {n}. Correct it, or DIMENSION.")
    return value


def _cut(token: str) -> str:
    return shown(token)[1:-1]
