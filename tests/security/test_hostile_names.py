"""Files and folders may be called anything: no name is a command, a pattern, a markup or a parameter."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.problems.tsp import Tsp, TspInstance
from ceps.problems.tsp.io import read
from ceps.records import Configuration, Ending, Limits
from ceps.solvers.lkh import Lkh

CEPS = str(Path(sys.executable).with_name("ceps"))
GUARD = 120
"""Wall-clock seconds after which a command that does not end fails its test."""
TSP = Tsp()
WORST = [
    "--help",
    "$(touch stolen)",
    "line\nRUNS = 1\nOUTPUT_TOUR_FILE = stolen\n",
    "*[a-z]?{x}",
    "$\\frac{$\\unknown$",
    "\x1b[31mred\x1b]0;title\x07",
    os.fsdecode(b"latin-1 caf\xe9"),
]
NAMES = [
    *WORST,
    "plain",
    "two  blanks",
    "-rf",
    "a;touch stolen;b",
    "`touch stolen`",
    "a|touch stolen",
    "&touch stolen&",
    "quote'quote\"quote",
    "return\rtab\t",
    "[bold red]markup:smile:",
    "%s%n{0}{name}",
    "Köln ñ 東京 ٣",
    "..",
    "~root",
    "#comment",
    "=1+1",
]
"""Stems of files."""
PORTFOLIO = {
    "format": 1,
    "problem": "tsp",
    "metric": {"name": "par10", "cutoff": 0.1},
    "members": [{"solver": "lkh", "parameters": {}}, {"solver": "eax", "parameters": {}}],
}
SCENARIO = """
seed = 1
[problem]
name = "tsp"
train = ["data"]
[portfolio]
size = 1
solvers = ["lkh"]
[metric]
cutoff = 0.05
[method]
iterations = 2
sessions = 1
candidates = 2
[budget]
cpu = 8.0
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an instance of every name in a folder, and a portfolio."""
    pytest.importorskip("LKHpy")
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    for number, name in enumerate(NAMES):
        (Path("data") / f"{name}.tsp").write_text(TSP.encode(TSP.generate("uniform", 12, number)))
    Path("p.json").write_text(json.dumps(PORTFOLIO))
    return tmp_path


def ceps(*arguments: object) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [CEPS, *map(str, arguments)], capture_output=True, encoding="utf-8", errors="strict", timeout=GUARD, check=False
    )
    assert "Traceback" not in result.stderr
    assert not list(Path().rglob("*stolen"))
    return result


def printable(text: str) -> bool:
    """Whether a text can be shown on a terminal, that is, does not steer it."""
    return all(c.isprintable() or c == "\n" for c in text)


def test_all_are_evaluated() -> None:
    """Every file is read, run and reported on, once; the report can be printed."""
    result = ceps("evaluate", "data", "--portfolio", "p.json", "--repeats", 1, "--out", "run $(x);'", "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["instances"] == len(NAMES)
    assert report["timeouts"] < len(NAMES)
    names = {each["instance"] for each in report["per_instance"]}
    assert all(map(printable, names))
    assert {name for name in NAMES if name.isprintable()} <= names
    shown = ceps("evaluate", "data", "--portfolio", "p.json", "--repeats", 1, "--out", "run $(x);'")
    assert shown.returncode == 0, shown.stderr
    assert printable(shown.stdout)


@pytest.mark.parametrize("name", WORST)
def test_each_can_be_solved_written_and_drawn(name: str) -> None:
    """An instance's name reaches its solvers, its files and its picture without doing anything on the way."""
    race = ("solve", f"data/{name}.tsp", "--portfolio", "p.json", "--time", 0.2)
    result = ceps(*race, "--out", f"{name}.tour", "--draw", f"{name}.svg")
    assert result.returncode == 0, result.stderr
    instance = read(Path(f"data/{name}.tsp"))
    assert printable(instance.name)
    assert isinstance(TSP.check(instance, TSP.read_solution(instance, Path(f"{name}.tour"))), int)
    assert Path(f"{name}.svg").stat().st_size > 0


def test_names_that_look_like_options_are_refused_or_taken_as_names() -> None:
    """A leading dash makes an option, as everywhere, unless it stands behind -- or a folder."""
    os.chdir("data")
    refused = ceps_here("solve", "-rf.tsp", "--time", "0.1")
    assert refused.returncode == 2
    taken = ceps_here("solve", "--time", "0.1", "--json", "--", "-rf.tsp")
    assert taken.returncode == 0, taken.stderr
    assert json.loads(taken.stdout)["cost"] > 0


def ceps_here(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([CEPS, *arguments], capture_output=True, text=True, timeout=GUARD, check=False)


def test_a_build_and_what_it_exports() -> None:
    """Trained on files of any name, a portfolio is built, and what was bred from them can be written as files."""
    for name in NAMES[len(WORST) :]:
        Path(f"data/{name}.tsp").unlink()
    Path("s'$(touch stolen).toml").write_text(SCENARIO)
    out = "run;touch stolen;'"
    built = ceps("build", "s'$(touch stolen).toml", "--out", out)
    assert built.returncode == 0, built.stderr
    for kind in ("csv", "instances", "configurations"):
        exported = ceps("export", out, "--format", kind, "--out", f"out {kind} $(x)\n")
        assert exported.returncode == 0, exported.stderr
    again = [TSP.read(file) for file in Path("out instances $(x)\n").rglob("*.tsp")]
    assert all(printable(instance.name) for instance in again)


def test_generated_files_go_where_they_should() -> None:
    """Into a folder of any name."""
    out = "new $(touch stolen)\n;'"
    assert ceps("generate", "tsp", "--size", 5, "--count", 2, "--out", out).returncode == 0
    assert len(list(Path(out).glob("*.tsp"))) == 2
    for value in ("epsilon=$(x)", "epsilon", "=1", "../x=1", "a\nb=2", "epsilon=nan", "epsilon=1e400"):
        assert ceps("generate", "tsp", "--generator", "explosion", "--set", value, "--out", "none").returncode == 2
    assert not Path("none").exists()


KEPT = """#!/bin/sh
cp lkh.par problem.tsp '{}'
exit 1
"""


def seen_by_lkh(folder: Path, instance: TspInstance, parameters: dict[str, Any]) -> tuple[Ending, str]:
    """Have a program that pretends to be LKH keep the files it is given; how the run ends, and why."""
    binary = folder / "LKH"
    binary.write_text(KEPT.format(folder))
    binary.chmod(0o755)
    configuration = Configuration.of("lkh", parameters)
    with LocalExecutor(workers=1) as executor:
        outcome = executor.submit(Run(TSP, Lkh(binary), configuration, instance, 1, Limits(10.0))).result()
    return outcome.ending, outcome.reason


def test_no_name_reaches_lkh(folder: Path) -> None:
    """LKH's files have one line per parameter, whatever the instance is called."""
    instance = TspInstance("x\nRUNS = 1\nTOUR_FILE = stolen", TSP.generate("uniform", 12, 1).coordinates)
    assert seen_by_lkh(folder, instance, {"MOVE_TYPE": 3})[0] is Ending.CRASHED
    lines = Path("lkh.par").read_text().splitlines()
    assert all(re.fullmatch(r"[A-Z0-9_]+ = [A-Za-z0-9_./-]+", line) for line in lines)
    assert len({line.split(" = ")[0] for line in lines}) == len(lines)
    assert Path("problem.tsp").read_text().startswith("NAME : problem\n")


def test_no_value_becomes_two_lines(folder: Path) -> None:
    """A value that is none of the parameter's never reaches LKH's parameter file."""
    for name in ("MOVE_TYPE", "GAIN23"):
        for value in ("3\nTOUR_FILE = stolen", "3", "yes\nRUNS = 1", "", None, [3]):
            with pytest.raises(ValueError, match=f"LKH's {name} cannot be "):
                Lkh().describe({name: value})
    ending, reason = seen_by_lkh(folder, TSP.generate("uniform", 12, 1), {"MOVE_TYPE": "3\nTOUR_FILE = stolen"})
    assert ending is Ending.CRASHED
    assert "LKH's MOVE_TYPE cannot be " in reason
    assert not Path("lkh.par").exists()
