"""Instance files: what is written comes back, what is wrong is named."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.problems.vrpspdtw import VrpspdtwInstance
from ceps.problems.vrpspdtw.feasibility import flaw
from ceps.problems.vrpspdtw.io import Costs, decode, encode, read, write
from tests.problems.vrpspdtw.strategies import instances, small

DATA = os.environ.get("CEPS_DATA")
COSTS = Costs(dispatching=2000.0, unit=1.0)
GOOD = """good

CUSTOMER  VEHICLE
NUMBER\t  NUMBER     CAPACITY    DispatchingCost
      3       3             10       100

CUSTOMER
CUST NO.  XCOORD.   YCOORD.   DDEMAND   PDEMAND   READY TIME  DUE TIME   SERVICE TIME

    0       0          0          0          0          0         50          0
    7       3          4          5          2          0         20          2
    8       0         10          4          6         12         30          2
    9       6          0          1          0          0         50          1
"""
HEAD = GOOD.split("    0       0", maxsplit=1)[0]
SILENT = GOOD.replace("    DispatchingCost", "").replace("       100", "")


def test_files_look_like_the_published_ones() -> None:
    """The text of a small instance, to the last blank."""
    assert encode(small(name="good"), COSTS) == GOOD


@given(instance=instances(), costs=st.sampled_from([COSTS, Costs(100.0, 0.5)]))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_what_is_written_is_read(instance: VrpspdtwInstance, costs: Costs) -> None:
    """Any servable instance comes back bit for bit, its costs and ids included, whatever the settings are."""
    try:
        copy = decode(encode(instance, costs), "copy", costs)
    except UserError:
        assert flaw(instance) is not None
    else:
        assert (copy, copy.name) == (instance, "copy")
        assert encode(copy, costs) == encode(replace(instance, name="copy"), costs)


@pytest.mark.parametrize(("text", "stated", "cost"), [(GOOD, True, 100.0), (SILENT, False, 2000.0)])
def test_the_dispatching_cost_is_in_the_file_or_a_setting(text: str, stated: bool, cost: float) -> None:
    """A file without it takes the setting's, and stays without it when written; under other settings it is written."""
    instance = decode(text, "good", COSTS)
    assert (instance.dispatching_cost, instance.states_dispatching_cost) == (cost, stated)
    assert encode(instance, COSTS) == text
    assert decode(encode(instance, Costs(1.0, 1.0)), "good", Costs(1.0, 1.0)) == instance


def test_another_unit_cost_is_written() -> None:
    """A unit cost that is not the setting's has a column of its own."""
    instance = small(unit_cost=0.25)
    text = encode(instance, COSTS)
    assert "DispatchingCost    UnitCost\n" in text
    assert decode(text, "x", COSTS) == instance
    assert "UnitCost" not in encode(instance, Costs(2000.0, 0.25))


@pytest.mark.skipif(DATA is None, reason="set CEPS_DATA to the folder of the published instances")
def test_the_published_files_are_read() -> None:
    """All published instances are read, and written back with the same rows, byte for byte."""
    paths = sorted((Path(str(DATA)) / "vrpspdtw").glob("*/*.txt"))
    assert len(paths) == 30
    for path in paths:
        instance = read(path, COSTS)
        assert instance.n == int(path.read_text().splitlines()[4].split()[0])
        assert (instance.name, instance.states_dispatching_cost) == (path.stem, path.parent.name == "jd")
        text = encode(instance, COSTS)
        assert decode(text, "copy", COSTS) == instance
        first = 1 if path.parent.name == "jd" else 9  # The heads of the classic files are laid out by hand.
        assert text.splitlines()[first:] == path.read_text().splitlines()[first:]


@pytest.mark.parametrize(
    "name", ["plain", "two\nlines", "\r\t\0", "", "Köln \udcff", "CUSTOMER VEHICLE", "customer\tvehicle"]
)
def test_files_are_read_whatever_the_instance_is_called(name: str, tmp_path: Path) -> None:
    """No name breaks a file; the instance read is named after the file."""
    write(small(name=name), tmp_path / "day.vrpspdtw", COSTS)
    copy = read(tmp_path / "day.vrpspdtw", COSTS)
    assert (copy, copy.name) == (small(), "day")


@pytest.mark.parametrize(
    "text",
    [
        GOOD.rstrip("\n"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.replace("\n\n", "\n"),
        GOOD.replace("  ", "\t"),
        GOOD.replace("good\n", ""),
        GOOD.replace("DUE TIME", "DUE DATE"),
        GOOD.replace("DUE TIME", "due time").replace("CAPACITY", "Capacity"),
        GOOD.replace("XCOORD.   YCOORD.", "XCOORD YCOORD"),
        GOOD.replace(" 3          4 ", " 3.0  4e0 "),
        "\ufeff" + GOOD,
    ],
    ids=["no newline", "CRLF", "CR", "dense", "tabs", "no name", "DATE", "case", "no dots", "reals", "BOM"],
)
def test_dialects_are_understood(text: str) -> None:
    """Files as people and programs write them give the same instance."""
    assert decode(text, "x", COSTS) == small()


def _row(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


ROW = "    7       3          4          5          2          0         20          2\n"
BAD = {
    "empty": (" \n", "the file is empty"),
    "binary": (GOOD + "\0", "binary file"),
    "something else": ("NAME : a280\nTYPE : TSP\n", "line 2: there is no line 'CUSTOMER VEHICLE'. This is no VRPSPDTW"),
    "ends in the head": (
        GOOD.split("NUMBER", maxsplit=1)[0],
        "line 3: the file ends before the line 'NUMBER NUMBER CAPACITY'",
    ),
    "ends before values": (GOOD.split("      3", maxsplit=1)[0], "line 4: the file ends before the fleet's values"),
    "plain solomon": (GOOD.replace("CUSTOMER  VEHICLE\n", "VEHICLE\n"), "there is no line 'CUSTOMER VEHICLE'"),
    "unknown fleet value": (_row("DispatchingCost", "DispatchCost"), "line 4: expected 'NUMBER NUMBER CAPACITY'"),
    "missing fleet value": (_row("       100", ""), "line 5: expected 4 values for 'NUMBER NUMBER CAPACITY Disp"),
    "no vehicles": (_row("      3       3", "      3       0"), "line 5: the VEHICLE NUMBER is 0"),
    "no customers": (_row("      3       3", "      0       3"), "line 5: the CUSTOMER NUMBER is 0"),
    "half a vehicle": (_row("      3       3", "      3     2.5"), "line 5: the VEHICLE NUMBER must be a whole number"),
    "no capacity": (_row("             10", "              0"), "line 5: CAPACITY is 0"),
    "nan capacity": (
        _row("             10", "            nan"),
        "line 5: CAPACITY 'nan' is not finite",
    ),
    "negative cost": (_row("       100", "      -100"), "line 5: DispatchingCost '-100' is negative"),
    "other section": (_row("CUSTOMER\n", "CLIENT\n"), "line 7: expected the line 'CUSTOMER', found 'CLIENT'"),
    "missing column name": (
        _row("PDEMAND   ", ""),
        "DUE TIME SERVICE TIME', found 'READY' in place of 'PDEMAND'",
    ),
    "extra column name": (_row("SERVICE TIME", "SERVICE TIME X"), "line 8: expected the columns 'CUST NO. XCOORD."),
    "missing column": (_row(ROW, ROW[:-2] + "\n"), "line 11: expected 8 columns (CUST NO., XCOORD., YCOORD., DDEMAND"),
    "extra column": (_row(ROW, ROW[:-1] + " 1\n"), "line 11: expected 8 columns"),
    "not a number": (_row(ROW, ROW.replace("20", "2O")), "line 11: DUE TIME '2O' is not a number"),
    "nan": (_row(ROW, ROW.replace("20", "nan")), "line 11: DUE TIME 'nan' is not finite"),
    "infinite": (_row(ROW, ROW.replace(" 3 ", " inf ")), "line 11: XCOORD. 'inf' is not finite"),
    "too large": (_row(ROW, ROW.replace(" 3 ", " 2e9 ")), "line 11: XCOORD. '2e9' cannot be used"),
    "negative demand": (_row(ROW, ROW.replace(" 5 ", " -5 ")), "line 11: DDEMAND '-5' is negative"),
    "negative service": (_row(ROW, ROW[:-2] + "-2\n"), "line 11: SERVICE TIME '-2' is negative"),
    "id twice": (_row("    8", "    7"), "line 12: CUST NO. 7 is already in line 11"),
    "id of a word": (_row("    8", "    x"), "line 12: CUST NO. must be a whole number from 0"),
    "negative id": (_row("    8", "   -8"), "line 12: CUST NO. must be a whole number from 0"),
    "truncated": (GOOD.split("    9", maxsplit=1)[0], "line 12: found 2 customers below the depot, line 5 promises 3"),
    "no rows": (HEAD, "line 8: found 0 customers below the depot, line 5 promises 3"),
    "too many": (GOOD + ROW.replace("    7", "   10"), "line 14: found 4 customers below the depot, line 5 promises 3"),
    "depot with demand": (
        _row("    0       0          0          0", "    0       0          0          1"),
        "line 10: the depot comes first and has no demands",
    ),
    "window closed before open": (
        _row(ROW, ROW.replace(" 0         20", "21         20")),
        "line 11: customer 7 cannot be served: its window closes at 20 before it opens at 21. Correct DUE TIME",
    ),
    "depot closed before open": (
        _row(" 0         50          0\n", "51         50          0\n"),
        "line 10: the depot cannot be served: its window closes at 50 before it opens at 51",
    ),
    "out of reach": (
        _row(ROW, ROW.replace("20", " 4")),
        "line 11: customer 7 cannot be served: no vehicle can be there before 5, its window closes at 4",
    ),
    "back too late": (
        _row(ROW, ROW[:-2] + "41\n"),
        "line 11: customer 7 cannot be served: its vehicle is back at 51, the depot closes at 50. Correct READY or",
    ),
    "too much to deliver": (
        _row(ROW, ROW.replace(" 5 ", " 11 ")),
        "line 11: customer 7 cannot be served: its delivery 11 is above the capacity 10. Correct DDEMAND",
    ),
    "too much to pick up": (
        _row(ROW, ROW.replace(" 2 ", " 11 ")),
        "line 11: customer 7 cannot be served: its pickup 11 is above the capacity 10. Correct PDEMAND",
    ),
    "fleet too small": (
        _row("      3       3             10", "      3       1              9"),
        "line 5: the fleet is too small: there is 10 to deliver, all vehicles together hold 9. Correct CAPACITY",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_named(case: str, tmp_path: Path) -> None:
    """The message has the file, the line, the column and what is wrong."""
    text, problem = BAD[case]
    path = tmp_path / "bad.txt"
    path.write_text(text, newline="")
    with pytest.raises(UserError) as caught:
        read(path, COSTS)
    assert str(caught.value).startswith(str(path))
    assert problem in str(caught.value)


@pytest.mark.parametrize(("name", "problem"), [("none.txt", "no such file"), (".", "a directory")])
def test_paths_that_are_no_files_are_named(name: str, problem: str, tmp_path: Path) -> None:
    """A path that cannot be read is named with the reason."""
    with pytest.raises(UserError, match=problem):
        read(tmp_path / name, COSTS)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A path that cannot be written is named with the reason."""
    with pytest.raises(UserError, match="cannot be written"):
        write(small(), tmp_path / "none" / "a.vrpspdtw", COSTS)


WORDS = [*GOOD.split(), "\n", "\n", "\n", "x", "nan", "1e400", "-1", "٣", "9" * 5000]


@given(text=st.text(max_size=50) | st.lists(st.sampled_from(WORDS)).map(" ".join), head=st.booleans())
@settings(derandomize=True, deadline=None, max_examples=120)
def test_any_text_is_an_instance_or_a_user_error(text: str, head: bool) -> None:
    """Arbitrary text, after a good head or not, gives an instance or a UserError that names its source."""
    try:
        result: VrpspdtwInstance | UserError = decode((HEAD if head else "") + text, "fuzz", COSTS)
    except UserError as error:
        result = error
    if isinstance(result, UserError):
        assert str(result).startswith("fuzz")
    else:
        assert np.isfinite(result.table).all()
