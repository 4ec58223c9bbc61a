"""TOML tables become dataclasses, and every mistake is told with its key."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ceps.errors import UserError
from ceps.tables import Bytes, Seconds, brief, duration, naming, read_table, read_toml, size

TOO_LONG_TO_PRINT = 16**5000

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


@dataclass(frozen=True, slots=True)
class Wheel:
    spokes: int

    def __post_init__(self) -> None:
        if self.spokes < 3:
            raise ValueError(f"spokes must be at least 3, not {self.spokes}")


@dataclass(frozen=True)
class Bicycle:
    name: str
    wheel: Wheel
    weight: float = 10.0
    bell: bool = True
    service: Seconds | None = None
    manual: Bytes | None = None
    frame: Path | None = None
    riders: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    brand: str = field(default="ours", init=False)


GOOD = {"name": "b", "wheel": {"spokes": 3}}


def read(table: object, base: Path = Path()) -> Bicycle:
    return read_table(Bicycle, table, "b.toml:", base)


def refusal(reading: Callable[[], object]) -> str:
    """The message of a UserError, or "none"."""
    try:
        reading()
    except UserError as error:
        return str(error)
    return "none"


@pytest.mark.parametrize(
    ("given", "seconds"), [(2, 2.0), (0.5, 0.5), ("90min", 5400.0), (" 1.5 h ", 5400.0), ("2d", 172800.0), ("3s", 3.0)]
)
def test_durations(given: object, seconds: float) -> None:
    """A duration is a number of seconds or a number with its unit."""
    assert duration(given) == seconds


@pytest.mark.parametrize(("given", "count"), [(7, 7), ("2GiB", 2 * 1024**3), ("5 MB", 5_000_000), ("1.5KiB", 1536)])
def test_sizes(given: object, count: int) -> None:
    """A size is a number of bytes or a number with its unit."""
    assert size(given) == count


@pytest.mark.parametrize("given", [0, -1, "0s", float("nan"), float("inf"), 10**400, "9" * 400 + "h"])
def test_durations_are_finite_and_above_zero(given: object) -> None:
    """No duration is zero, negative, infinite or no number at all."""
    with pytest.raises(ValueError, match="must be a finite time above 0"):
        duration(given)


@pytest.mark.parametrize("given", ["", "h", "1", "-1s", "1h30", "1e3s", True, None, [1], "1 2 s", "٣s"])
def test_what_is_no_quantity(given: object) -> None:
    """What is neither a number nor a number with a unit is refused with an example."""
    with pytest.raises(ValueError, match="such as"):
        duration(given)


def test_an_unknown_unit_is_told_with_a_suggestion() -> None:
    """A wrong unit is answered with the right one."""
    with pytest.raises(ValueError, match=r"unknown unit 'Gib'\. Did you mean 'GiB'\?"):
        size("2Gib")


@given(values)
@settings(derandomize=True, deadline=None, max_examples=150)
def test_quantities_of_anything(value: object) -> None:
    """Whatever is given, the answer is a usable quantity or a ValueError."""
    for parse in (duration, size):
        with contextlib.suppress(ValueError):
            assert isfinite(parse(value))
            assert parse(value) > 0


def test_a_table_becomes_a_dataclass() -> None:
    """Every kind of value arrives in the field of its name, and absent keys have their defaults."""
    table = GOOD | {
        "weight": 9,
        "service": "1min",
        "manual": "1KiB",
        "frame": "parts/frame.obj",
        "riders": ["a", "b"],
        "extras": {"x": [1]},
    }
    expected = Bicycle("b", Wheel(3), 9.0, True, 60.0, 1024, Path("base/parts/frame.obj"), ("a", "b"), {"x": [1]})
    assert read(table, Path("base")) == expected
    assert isinstance(read(table).weight, float)


def test_paths_know_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that starts with ~ is not relative to the file's folder."""
    monkeypatch.setenv("HOME", "/home/me")
    assert read(GOOD | {"frame": "~/frame"}, Path("base")).frame == Path("/home/me/frame")


MISTAKES: dict[str, tuple[object, str]] = {
    "not a table": (3, "b.toml: must be a table, not 3"),
    "unknown key": (GOOD | {"nmae": "c"}, "b.toml: unknown key 'nmae'. Did you mean 'name'?"),
    "unlike any key": (GOOD | {"zzz": 1}, "b.toml: unknown key 'zzz'. Known: bell, extras, frame"),
    "not settable": (GOOD | {"brand": "theirs"}, "b.toml: unknown key 'brand'"),
    "missing key": ({"name": "b"}, "b.toml: the key 'wheel' is missing"),
    "missing in a table": (GOOD | {"wheel": {}}, "b.toml: [wheel] the key 'spokes' is missing"),
    "unknown in a table": (
        GOOD | {"wheel": {"spokes": 3, "spoke": 4}},
        "b.toml: [wheel] unknown key 'spoke'. Did you mean 'spokes'?",
    ),
    "refused by the class": (GOOD | {"wheel": {"spokes": 2}}, "b.toml: [wheel] spokes must be at least 3, not 2"),
    "no table": (GOOD | {"wheel": 3}, "b.toml: [wheel] must be a table, not 3"),
    "text for number": (GOOD | {"weight": "9"}, "b.toml: weight must be a number, not '9'"),
    "bool for number": (GOOD | {"weight": True}, "b.toml: weight must be a number, not True"),
    "bool for whole number": (GOOD | {"wheel": {"spokes": True}}, "spokes must be a whole number, not True"),
    "float for whole number": (GOOD | {"wheel": {"spokes": 3.0}}, "spokes must be a whole number, not 3.0"),
    "number for bool": (GOOD | {"bell": 1}, "b.toml: bell must be true or false, not 1"),
    "number for text": (GOOD | {"name": 1}, "b.toml: name must be a text, not 1"),
    "infinite": (GOOD | {"weight": float("inf")}, "b.toml: weight must be finite, not inf"),
    "not a number": (GOOD | {"weight": float("nan")}, "b.toml: weight must be finite, not nan"),
    "too large": (GOOD | {"weight": 10**400}, "b.toml: weight must be finite, not 1000"),
    "too large to count": (GOOD | {"wheel": {"spokes": 2**63}}, "spokes must be below 2^63, not 9223372036854775808"),
    "too large to print": (
        GOOD | {"wheel": {"spokes": TOO_LONG_TO_PRINT}},
        "spokes must be below 2^63, not a number of thousands of digits",
    ),
    "no list": (GOOD | {"riders": "ab"}, "b.toml: riders must be a list, not 'ab'"),
    "list of others": (GOOD | {"riders": ["a", 2]}, "b.toml: riders[1] must be a text, not 2"),
    "no settings": (GOOD | {"extras": 1}, "b.toml: extras must be a table, not 1"),
    "bad quantity": (GOOD | {"service": "soon"}, "b.toml: service must be a number of seconds or a text such as"),
    "homeless": (GOOD | {"frame": "~no-such-user/x"}, "b.toml: frame names the home of an unknown user"),
    "NUL in a home": (GOOD | {"frame": "~\0/x"}, "b.toml: frame names the home of an unknown user"),
}


@pytest.mark.parametrize(("table", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_name_file_and_key(table: object, message: str) -> None:
    """A mistake is told with the file, the table and the key it was made in."""
    with pytest.raises(UserError) as caught:
        read(table)
    assert message in str(caught.value)


def test_tables_in_tables_are_named_as_in_the_file() -> None:
    """The place of a nested table is written as TOML writes it."""

    with pytest.raises(UserError, match=r"b\.toml: \[garage\.wheel\] spokes must be a whole number"):
        read_table(Bicycle, GOOD | {"wheel": {"spokes": "x"}}, "b.toml: [garage]")


@given(st.dictionaries(st.sampled_from([*Bicycle.__dataclass_fields__, "other"]), values, max_size=4), st.booleans())
@settings(derandomize=True, deadline=None, max_examples=150)
def test_any_table_is_read_or_refused(table: dict[str, object], complete: bool) -> None:
    """Whatever values a table has, it becomes the dataclass or a UserError that names the file."""
    assert refusal(lambda: read((GOOD if complete else {}) | table)).startswith(("b.toml: ", "none"))


def test_reading_toml(tmp_path: Path) -> None:
    """A TOML file is read, with or without the mark that some editors put before it."""
    path = tmp_path / "a.toml"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + "seed = 1\nname = 'Zürich'\n".encode())
        assert read_toml(path) == {"seed": 1, "name": "Zürich"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"seed = \n", "a.toml: not valid TOML"),
        (b"[a\n", "a.toml: not valid TOML"),
        (b"\xff\xfe\x00", "a.toml: not a text file"),
        (b"a = 1\na = 2", "a.toml: not valid TOML"),
        (b"a = " + b"9" * 5000, "a.toml: not valid TOML"),
        (b"a = " + b"[" * 100_000, "a.toml: not valid TOML"),
    ],
    ids=["no value", "no table", "binary", "twice", "digits", "nesting"],
)
def test_what_is_no_toml(tmp_path: Path, content: bytes, message: str) -> None:
    """A file that is no TOML is refused by its name."""
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_toml(tmp_path / "a.toml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file and a folder are told as such."""
    with pytest.raises(UserError, match=r"none\.toml: there is no such file"):
        read_toml(tmp_path / "none.toml")
    with pytest.raises(UserError, match="this is a directory"):
        read_toml(tmp_path)


@given(st.binary(max_size=40))
@settings(
    derandomize=True, deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_are_toml_or_refused(tmp_path: Path, content: bytes) -> None:
    """Whatever a file holds, it is read as TOML or refused by its name."""
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    assert refusal(lambda: read_toml(path)).startswith((f"{path}: ", "none"))


def test_messages_stay_short() -> None:
    """A value in a message is cut short, and shown even when Python refuses to write it out."""
    assert len(brief("x" * 10_000)) < 100
    assert len(brief([[["x"] * 1000] * 1000] * 1000)) < 1000
    assert brief(TOO_LONG_TO_PRINT) == "a number of thousands of digits"


def test_naming_a_place() -> None:
    """A mistake noticed without knowing its place gets it put before its message; others pass unchanged."""
    with pytest.raises(UserError, match=r"^a\.toml: wrong$"), naming("a.toml"):
        raise UserError("wrong")
    with pytest.raises(KeyError), naming("a.toml"):
        raise KeyError("wrong")
