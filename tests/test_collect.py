"""Instances are found by files, folders and patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.problems import problem_named
from ceps.problems.collect import read_instances

TSP = problem_named("tsp")
CITY = "DIMENSION : 1\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\nEOF\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose name is itself a pattern, with instances and other files in it."""
    folder = tmp_path / "data[1]"
    for name in ("b.tsp", "a.tsp", "c.TSP", "notes.txt", "deep/er/d.tsp"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(CITY)
    return folder


def names(base: Path, *patterns: str) -> list[str]:
    return [instance.name for instance in read_instances(TSP, patterns, base, "s.toml: [problem] train")]


def test_a_file(folder: Path) -> None:
    """A file is read whatever its name ends in."""
    assert names(folder, "b.tsp") == ["b"]
    assert names(folder, "notes.txt") == ["notes"]


def test_a_folder(folder: Path) -> None:
    """A folder stands for its instance files, in the order of their names, without those further down."""
    assert names(folder, ".") == ["a", "b", "c"]
    assert names(folder.parent, "data[1]") == ["a", "b", "c"]


def test_patterns(folder: Path) -> None:
    """A pattern stands for the files it matches, in the order of their names; ** goes down."""
    assert names(folder, "*.tsp") == ["a", "b"]
    assert names(folder, "**/*.tsp") == ["a", "b", "d"]
    assert names(folder, "[ab].tsp") == ["a", "b"]
    assert names(folder, "deep*/*/d.tsp") == ["d"]


def test_absolute_patterns(folder: Path) -> None:
    """An absolute pattern does not depend on the place it is relative to."""
    assert names(Path("/"), f"{folder.parent}/data*/*.tsp") == ["a", "b"]
    assert names(Path("/"), str(folder / "a.tsp")) == ["a"]


def test_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern may start at the home folder."""
    monkeypatch.setenv("HOME", str(folder))
    assert names(Path("/"), "~/a.tsp") == ["a"]


def test_order_and_repetition(folder: Path) -> None:
    """Patterns count in the order given, and each file once however it is spelt."""
    (folder / "link.tsp").symlink_to(folder / "a.tsp")
    assert names(folder, "b.tsp", "./a.tsp", "deep/../a.tsp", "*.tsp", str(folder / "b.tsp")) == ["b", "a"]


MISTAKES = {
    "empty pattern": ("*.vrp", r"s\.toml: \[problem\] train: '\*\.vrp' matches no \.tsp file \(looked below /"),
    "empty folder": ("deep", r"train: 'deep' matches no \.tsp file"),
    "missing file": ("none.tsp", r"data\[1\]/none\.tsp: there is no such file"),
    "long name": ("x" * 5000, r"x: the file cannot be read \(.*File name too long"),
    "long pattern": ("x" * 5000 + "*", "matches no .tsp file"),
    "NUL in a name": ("a\0.tsp", r"train: 'a\\x00.tsp' cannot be searched"),
    "NUL in a pattern": ("a\0/*.tsp", r"train: 'a\\x00/\*.tsp' cannot be searched"),
    "bad instance": ("bad.tsp", r"bad\.tsp, line 1"),
}


@pytest.mark.parametrize(("pattern", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes(folder: Path, pattern: str, message: str) -> None:
    """What matches nothing or cannot be read is told with its name and with the place it is named at."""
    (folder / "bad.tsp").write_text("?")
    with pytest.raises(UserError, match=message):
        names(folder, pattern)


def test_no_pattern_at_all(tmp_path: Path) -> None:
    """Nothing named is a mistake, not an empty list."""
    with pytest.raises(UserError, match="no instances are named"):
        names(tmp_path)
