"""TSPLIB instance files: what is written comes back, what is wrong is named."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.tsp import EdgeWeight, TspInstance
from ceps.problems.tsp.io import decode, encode, read, write
from tests.problems.tsp.strategies import instances

DATA = os.environ.get("CEPS_DATA")

GOOD = """NAME : good
COMMENT : three cities
TYPE : TSP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 1e+06 2.5
3 -4 1
EOF
"""
CITIES = [[0, 0], [1e6, 2.5], [-4, 1]]


@given(instance=instances())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_what_is_written_is_read(instance: TspInstance) -> None:
    """Any instance comes back bit for bit, and integers are written as integers."""
    text = encode(instance)
    copy = decode(text, "copy")
    assert copy.name == "copy"
    assert copy.metric == instance.metric
    assert copy.coordinates.tobytes() == instance.coordinates.tobytes()
    if np.array_equal(instance.coordinates, np.rint(instance.coordinates)):
        assert "." not in text.split("NODE_COORD_SECTION")[1]


@pytest.mark.parametrize("name", ["plain", "two\nEOF\nlines", "\r\t\0", "", "Köln \udcff", "a : b"])
def test_files_are_read_whatever_the_instance_is_called(name: str, tmp_path: Path) -> None:
    """No name breaks a file; the instance read is named after the file."""
    instance = TspInstance(name, np.array(CITIES))
    write(instance, tmp_path / "city.tsp")
    copy = read(tmp_path / "city.tsp")
    assert (copy, copy.name) == (instance, "city")


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_the_published_files_are_read() -> None:
    """All published instances have 800 cities and survive a round trip."""
    paths = sorted((Path(str(DATA)) / "tsp").glob("*.tsp"))
    assert len(paths) == 30
    for path in paths:
        instance = read(path)
        assert instance.n == 800
        assert decode(encode(instance), "copy") == instance


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("EOF\n", ""),
        GOOD.rstrip("\n"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.replace("\n", "\n\n  \n"),
        GOOD.replace(" ", "\t"),
        GOOD.replace(" : ", ": "),
        GOOD.replace(" : ", ":"),
        GOOD.replace(" : ", " = "),
        GOOD.replace("1 0 0\n2 1e+06 2.5\n3 -4 1", "  3  -4.0  1.\n\t1 0 +0\n2 1.0E6 2.50  "),
        GOOD.replace("TYPE : TSP", "COMMENT : again\nCOMMENT\nTYPE : TSP (a remark)"),
        GOOD.replace("TYPE : TSP\n", "", 1),
        GOOD.replace("NODE_COORD_S", "NODE_COORD_TYPE : TWOD_COORDS\nDISPLAY_DATA_TYPE : COORD_DISPLAY\nNODE_COORD_S"),
        GOOD.replace("NODE_COORD_S", "EDGE_WEIGHT_FORMAT : FUNCTION\nNODE_COORD_S"),
        GOOD + "whatever follows\n",
        "\ufeff" + GOOD,
    ],
    ids=[
        "plain",
        "no EOF",
        "no last newline",
        "CRLF",
        "CR",
        "blank lines",
        "tabs",
        "colon",
        "tight colon",
        "equals",
        "any order",
        "comments",
        "no TYPE",
        "twod",
        "function",
        "after EOF",
        "BOM",
    ],
)
def test_dialects_are_understood(text: str) -> None:
    """Files as people and programs write them give the same instance."""
    assert decode(text, "x") == TspInstance("x", np.array(CITIES))


def test_old_encodings_are_understood(tmp_path: Path) -> None:
    """A comment in Latin-1 does not make a file unreadable."""
    (tmp_path / "a.tsp").write_bytes(GOOD.replace("three", "fünf").encode("latin-1"))
    assert read(tmp_path / "a.tsp").coordinates.tolist() == CITIES


@pytest.mark.parametrize("metric", EdgeWeight)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_cities_and_equal_points_are_valid(metric: EdgeWeight, n: int) -> None:
    """One, two or three cities in the same place are an instance of every metric."""
    instance = TspInstance("few", np.full((n, 2), 5.0), metric)
    assert decode(encode(instance), "few") == instance


BAD = {
    "empty": ("", "the file is empty"),
    "blank": (" \n\n\t\n", "the file is empty"),
    "binary": (GOOD.replace("three", "th\0ree"), "binary file"),
    "prose": ("Dear user,\nhello", "line 1: keyword 'DEAR' is not supported. Known:"),
    "json": ('{"a": 1}', "line 1: '{\"a\": 1}' is not a TSPLIB line"),
    "misspelt keyword": (
        GOOD.replace("DIMENSION", "DIMENSON"),
        "line 4: keyword 'DIMENSON' is not supported. Did you mean 'DIMENSION'",
    ),
    "keyword twice": (GOOD.replace("TYPE : TSP\n", "TYPE : TSP\nTYPE : TSP\n", 1), "line 4: TYPE is given twice"),
    "other type": (GOOD.replace(": TSP", ": CVRP"), "line 3: TYPE CVRP is not supported; supported: TSP"),
    "no type": (GOOD.replace(": TSP", ":"), "line 3: TYPE (nothing) is not supported"),
    "explicit": (
        GOOD.replace("EUC_2D", "EXPLICIT"),
        "line 5: EDGE_WEIGHT_TYPE EXPLICIT is not supported; supported: EUC_2D, CEIL_2D, ATT, GEO",
    ),
    "3-d": (GOOD.replace("EUC_2D", "EUC_3D"), "line 5: EDGE_WEIGHT_TYPE EUC_3D is not supported"),
    "3-d coordinates": (
        GOOD.replace("NODE_COORD_S", "NODE_COORD_TYPE : THREED_COORDS\nNODE_COORD_S"),
        "line 6: NODE_COORD_TYPE THREED_COORDS is not supported",
    ),
    "other section": (
        GOOD.replace("NODE_COORD_S", "FIXED_EDGES_S"),
        "line 6: keyword 'FIXED_EDGES_SECTION' is not supported",
    ),
    "no dimension": (GOOD.replace("DIMENSION : 3\n", ""), "line 5: DIMENSION is missing"),
    "no edge weight type": (
        GOOD.replace("EDGE_WEIGHT_TYPE : EUC_2D\n", ""),
        "line 5: EDGE_WEIGHT_TYPE is missing. Add one of EUC_2D",
    ),
    "no section": (GOOD.split("NODE", maxsplit=1)[0], "line 5: the file ends without a NODE_COORD_SECTION"),
    "EOF instead of section": (GOOD.split("NODE", maxsplit=1)[0] + "EOF\n", "without a NODE_COORD_SECTION"),
    "truncated after cities": (
        GOOD.split("3 -4", maxsplit=1)[0],
        "line 8: found 2 of the 3 cities that DIMENSION promises, node id 3 is missing",
    ),
    "truncated in a city": (GOOD.split(" 1\nEOF", maxsplit=1)[0], "line 9: expected 'id x y', found '3 -4'"),
    "no cities": (GOOD.split("1 0 0", maxsplit=1)[0], "line 6: found 0 of the 3 cities"),
    "three coordinates": (GOOD.replace("1 0 0", "1 0 0 0"), "line 7: expected 'id x y', found '1 0 0 0'"),
    "keyword among cities": (GOOD.replace("3 -4 1", "COMMENT : x"), "line 9: expected a node id, found 'COMMENT'"),
    "word for a coordinate": (GOOD.replace("1 0 0", "1 0 north"), "line 7: coordinate 'north' is not a number"),
    "comma for a point": (GOOD.replace("2.5", "2,5"), "line 8: coordinate '2,5' is not a number"),
    "python's underscore": (GOOD.replace("2.5", "2_5"), "line 8: coordinate '2_5' is not a number"),
    "foreign digits": (GOOD.replace("2.5", "٢"), "line 8: coordinate '٢' is not a number"),
    "nan": (GOOD.replace("2.5", "nan"), "line 8: coordinate 'nan' is not finite"),
    "infinite": (GOOD.replace("2.5", "-Inf"), "line 8: coordinate '-Inf' is not finite"),
    "overflow": (GOOD.replace("2.5", "1e999"), "line 8: coordinate '1e999' is not finite"),
    "too large": (GOOD.replace("2.5", "1.1e15"), "line 8: coordinates beyond ±1.001e+15 are too large"),
    "duplicate id": (GOOD.replace("3 -4", "2 -4"), "line 9: node id 2 is already in line 8"),
    "missing id": (
        GOOD.replace("2 1e+06 2.5\n", ""),
        "found 2 of the 3 cities that DIMENSION promises, node id 2 is missing",
    ),
    "id 0": (GOOD.replace("1 0 0", "0 0 0"), "line 7: node id 0 is outside 1 to 3"),
    "id beyond": (GOOD.replace("3 -4", "4 -4"), "line 9: node id 4 is outside 1 to 3"),
    "real id": (GOOD.replace("1 0 0", "1.0 0 0"), "line 7: expected a node id, found '1.0'"),
    "word for an id": (GOOD.replace("1 0 0", "one 0 0"), "line 7: expected a node id, found 'one'"),
    "dimension too small": (
        GOOD.replace(": 3", ": 2"),
        "line 9: node id 3 is outside 1 to 2. Correct it, or DIMENSION",
    ),
    "dimension too large": (GOOD.replace(": 3", ": 4"), "found 3 of the 4 cities"),
    "dimension zero": (
        GOOD.replace(": 3", ": 0"),
        "line 4: DIMENSION must be a whole number of cities from 1 on, not '0'",
    ),
    "dimension negative": (
        GOOD.replace(": 3", ": -3"),
        "line 4: DIMENSION must be a whole number of cities from 1 on, not '-3'",
    ),
    "dimension real": (
        GOOD.replace(": 3", ": 3.0"),
        "line 4: DIMENSION must be a whole number of cities from 1 on, not '3.0'",
    ),
    "dimension word": (GOOD.replace(": 3", ": three"), "line 4: DIMENSION must be a whole number"),
    "dimension empty": (GOOD.replace(": 3", ":"), "line 4: DIMENSION must be a whole number"),
    "dimension absurd": (GOOD.replace(": 3", ": 999999999999999999"), "found 3 of the 999999999999999999 cities"),
    "dimension of many digits": (GOOD.replace(": 3", ": " + "9" * 10_000), "line 4: DIMENSION must be a whole number"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_named(case: str, tmp_path: Path) -> None:
    """The message has the file, the line and what is wrong, in a size that fits a terminal."""
    text, problem = BAD[case]
    path = tmp_path / "bad.tsp"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(UserError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert problem in message
    assert len(message) < len(str(path)) + 250


def test_texts_are_named_as_files_are() -> None:
    """decode() puts the given name where read() has the path."""
    with pytest.raises(UserError, match=r"^some text, line 7: node id 9 is outside"):
        decode(GOOD.replace("1 0 0", "9 0 0"), "some text")


def test_large_coordinates_are_judged_by_the_tours_they_allow() -> None:
    """The largest coordinates accepted give exact tour lengths, those beyond are refused."""
    n = 4
    limit = (2**53 / n - 1) / 3
    corners = np.array([[-1, -1], [1, 1], [-1, -1], [1, 1]])
    longest = TspInstance("long", corners * np.floor(limit)).tour_length([0, 1, 2, 3])
    assert longest <= 2**53
    with pytest.raises(UserError, match="Scale the coordinates down"):
        decode(GOOD.replace("2.5", str(limit * 2)), "x")


def _missing(folder: Path) -> Path:
    return folder / "none.tsp"


def _folder(folder: Path) -> Path:
    return folder


def _loop(folder: Path) -> Path:
    path = folder / "loop.tsp"
    path.symlink_to(path)
    return path


def _below_a_file(folder: Path) -> Path:
    (folder / "file").write_text(GOOD)
    return folder / "file" / "a.tsp"


def _forbidden(folder: Path) -> Path:
    path = folder / "secret.tsp"
    path.write_text(GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    return path


def _pipe(folder: Path) -> Path:
    path = folder / "pipe.tsp"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (_pipe, "no ordinary file"),
        (_missing, "there is no such file"),
        (_folder, "this is a directory"),
        (_loop, "cannot be read"),
        (_below_a_file, "cannot be read"),
        (_forbidden, "cannot be read"),
        (lambda folder: folder / "nul\0.tsp", "cannot be read"),
    ],
    ids=["pipe", "missing", "directory", "symlink loop", "below a file", "forbidden", "NUL in the name"],
)
def test_paths_that_are_no_files_are_named(make, problem: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """A path that cannot be read is named with the reason."""
    path = make(tmp_path)
    with pytest.raises(UserError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert problem in str(caught.value)


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Writing into a folder that is not there says so."""
    path = tmp_path / "none" / "a.tsp"
    with pytest.raises(UserError) as caught:
        write(TspInstance("a", np.array(CITIES)), path)
    assert str(caught.value).startswith(f"{path}: the file cannot be written")


def _decoded(text: str) -> TspInstance | UserError:
    try:
        return decode(text, "fuzz")
    except UserError as error:
        return error


@given(st.text())
@settings(derandomize=True, deadline=None, max_examples=300)
def test_any_text_is_an_instance_or_a_user_error(text: str) -> None:
    """Arbitrary text raises nothing but UserError."""
    result = _decoded(text)
    assert isinstance(result, TspInstance) or str(result).startswith("fuzz")


PIECES = [*GOOD.split(), "\n", "\r", "nan", "1e999", "-1", "٣", "9" * 30, "1e308", "_", ":", "\ufeff", "\x85"]


@given(st.integers(0, len(GOOD)), st.integers(0, 40), st.lists(st.sampled_from(PIECES)).map(" ".join))
@settings(derandomize=True, deadline=None, max_examples=500)
def test_any_damage_to_a_file_is_an_instance_or_a_user_error(start: int, length: int, patch: str) -> None:
    """A good file with any part replaced by pieces of others raises nothing but UserError."""
    result = _decoded(GOOD[:start] + patch + GOOD[start + length :])
    assert isinstance(result, TspInstance) or str(result).startswith("fuzz")


@given(st.binary() | st.tuples(st.binary(max_size=5), st.integers(0, 150)).map(lambda b: GOOD.encode()[: b[1]] + b[0]))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_any_bytes_are_an_instance_or_a_user_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A file of arbitrary bytes raises nothing but UserError."""
    path = tmp_path_factory.getbasetemp() / "fuzz.tsp"
    path.write_bytes(content)
    try:
        result: TspInstance | UserError = read(path)
    except UserError as error:
        result = error
    assert isinstance(result, TspInstance) or str(result).startswith(str(path))
