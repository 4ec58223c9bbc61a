"""The clock on the wall may be set back and forth: it dates records, and decides nothing."""

from __future__ import annotations

import ast
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

import ceps
from tests.torture.builds import Whole, assert_same, finish, start
from tests.torture.scale import TRIED

SOURCES = Path(ceps.__file__).parent
CORE = Path(__file__).parents[2] / "cpp"
WALL_CLOCKS = {
    ("time", "time"),
    ("time", "time_ns"),
    ("time", "localtime"),
    ("time", "gmtime"),
    ("time", "ctime"),
    ("time", "strftime"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
}
RECORDS = {"store/store.py": ("time", "time"), "building.py": ("datetime", "now")}
"""The files that may look at the clock on the wall, each for what it records: when a run, a portfolio was made."""


def wall_clocks_of(file: Path) -> set[tuple[str, str]]:
    """Clocks on the wall that a file looks at, called as ``module.function``."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            found |= {("time", name.name) for name in node.names} & WALL_CLOCKS
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            found |= {(owner, node.attr)} & WALL_CLOCKS
    return found


def test_only_records_look_at_the_clock_on_the_wall() -> None:
    """All limits and waiting times are on clocks that nobody can set."""
    looking = {str(file.relative_to(SOURCES)): wall_clocks_of(file) for file in SOURCES.rglob("*.py")}
    assert {file: clocks for file, clocks in looking.items() if clocks} == {
        file: {clock} for file, clock in RECORDS.items()
    }


@pytest.mark.skipif(not CORE.is_dir(), reason="the native core's sources are not here")
def test_the_native_core_looks_at_no_clock_on_the_wall() -> None:
    """Only CPU clocks, and one that never goes back."""
    sources = [file for file in CORE.rglob("*") if file.suffix in (".cpp", ".hpp")]
    assert sources
    for file in sources:
        assert not re.search(
            r"system_clock|CLOCK_REALTIME|gettimeofday|\btime\s*\(\s*(NULL|nullptr|0)", file.read_text()
        )


@pytest.fixture
def jumping_clock(tmp_path: Path) -> Path:
    """A library that has the clock on the wall jump by years at every look; for ``LD_PRELOAD``."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = tmp_path / "jumping_clock.so"
    source = Path(__file__).with_name("jumping_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source], check=True)
    return library


def test_a_build_whose_clock_jumps_is_the_build_never_disturbed(
    whole: Whole, tmp_path: Path, jumping_clock: Path
) -> None:
    """While driver, sessions, keepers and runs see the clock jump by years, limits and results are the same."""
    out = tmp_path / "run"
    _, last = finish(start(out, "--keepers", LD_PRELOAD=str(jumping_clock)))
    TRIED["builds while the clock jumps"] += 1
    assert_same(out, last, whole)
    with closing(sqlite3.connect(out / "ceps.sqlite")) as connection:
        ((steps_back,),) = connection.execute(
            "SELECT count(*) FROM runs JOIN runs AS next ON next.id = runs.id + 1 WHERE next.created < runs.created"
        )
    assert steps_back > 0


def test_records_from_any_time_change_nothing(whole: Whole, tmp_path: Path) -> None:
    """A build that is killed, and finds its runs dated centuries ago and hence, comes to the same end."""
    process = start(tmp_path)
    assert process.stdout is not None
    for _ in range(whole.runs // 2):
        assert process.stdout.readline() == "run\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with closing(sqlite3.connect(tmp_path / "ceps.sqlite")) as connection:
        connection.execute("UPDATE runs SET created = CASE id % 2 WHEN 0 THEN -9999999999 ELSE 99999999999 END")
        connection.commit()
    _, last = finish(start(tmp_path))
    TRIED["builds on runs of any date"] += 1
    assert_same(tmp_path, last, whole)
