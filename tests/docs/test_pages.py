"""What the documentation shows is true: every block of every page is executed, at a small size."""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ceps.comparing.contest import prepare
from ceps.comparing.experiment import read_experiment
from ceps.planning import plan
from ceps.rehearsal import assemble
from ceps.settings import read_scenario
from tests.docs.blocks import PAGES, ROOT, Block, blocks_of
from tests.docs.scale import give_files, smaller

CEPS = str(Path(sys.executable).with_name("ceps"))
REASONS = {"installs packages", "needs other hosts"}
"""Why blocks are not executed."""
ELSEWHERE = {
    "docs/add-a-method.md": "tests/test_adding.py",
    "docs/add-a-problem.md": "tests/test_adding.py",
    "docs/add-a-solver.md": "tests/test_adding.py",
    "docs/own-solver.md": "tests/test_own_solver.py",
}
"""Pages whose blocks belong together in ways of their own, and who executes them."""
WIDTH = 92
"""Characters of a line of code that the site shows without scrolling."""
LANGUAGES = {"sh", "python", "toml", "text", "console"}

BASE = """
seed = 1
[problem]
name = "tsp"
generate = { generator = "uniform", size = 30, count = 4 }
[portfolio]
size = 2
solvers = ["eax", "lkh"]
[metric]
cutoff = 0.1
[budget]
cpu = "100h"
"""
"""The scenario that parts of one are put into."""
SPLITS = """
[splits]
count = 1
train = 2
"""
"""What makes an experiment of it, for parts that have methods."""

_made: dict[tuple[str, str], Path] = {}
"""Run directories by command and by what it reads: pages that show the same build share it."""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_a_page_is_executed(page: str, tmp_path: Path) -> None:
    """All blocks of a page do what they say, in its order, in one folder."""
    if "lkh" in (ROOT / page).read_text().lower():
        pytest.importorskip("LKHpy")
    give_files(page, ROOT, tmp_path)
    for block in blocks_of(page):
        if block.reason is None:
            _execute(block, smaller(block.text, page), tmp_path)


def test_what_is_not_executed_has_one_of_few_reasons() -> None:
    """A block is executed, or says before it why not."""
    skipped = [block for page in PAGES for block in blocks_of(page) if block.reason is not None]
    assert {block.reason for block in skipped} <= REASONS, [block.place for block in skipped]


def test_pages_that_are_executed_elsewhere_are() -> None:
    """Whoever is said to execute a page names it."""
    for page, test in ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text()


def test_every_block_says_what_it_is() -> None:
    """A language for each, so that nothing is left out unseen; directives of the site are told by their braces."""
    blocks = [block for page in PAGES for block in blocks_of(page)]
    assert [each.place for each in blocks if each.language not in LANGUAGES and not each.language.startswith("{")] == []
    assert len(blocks) > 40


def test_commands_fit_on_the_site() -> None:
    """No command of a page has to be scrolled to be read; the README is read elsewhere."""
    commands = [
        block for page in PAGES if page.startswith("docs/") for block in blocks_of(page) if block.language == "sh"
    ]
    assert [each.place for each in commands if max(map(len, each.text.splitlines())) > WIDTH] == []


def test_no_fence_is_overlooked() -> None:
    """Every line of backticks is the beginning or the end of a block."""
    for page in PAGES:
        fences = re.findall(r"^ *```", (ROOT / page).read_text(), re.MULTILINE)
        assert len(fences) == 2 * len(list(blocks_of(page))), page


@pytest.mark.parametrize("folder", ["examples", "experiments"])
def test_files_beside_the_pages_are_understood(folder: str) -> None:
    """All scenarios and experiments that come with the package can be read, and have a budget."""
    for path in (ROOT / folder).glob("*.toml"):
        read = read_experiment if "[[methods]]" in path.read_text() else read_scenario
        assert read(path).budget is not None


def _execute(block: Block, text: str, folder: Path) -> None:
    match block.language:
        case "sh":
            for line in _lines(text):
                _run(_command(line, folder, block.place), folder, block.place)
        case "python":
            printed = _run([sys.executable, "-c", text], folder, block.place)
            assert block.output in (None, printed), block.place
        case "toml":
            _write(text, folder, block.place)


def _lines(text: str) -> Iterator[str]:
    """The commands of a block; one may go on after a backslash."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.partition("#")[0].strip():
            yield line


def _command(line: str, folder: Path, place: str) -> list[str]:
    """What a shell would execute, if it is one of the commands that pages may have."""
    program, *words = shlex.split(line, comments=True)
    expanded = [match for word in words for match in sorted(glob.glob(word, root_dir=folder)) or [word]]
    match program, words:
        case "ceps", _:
            return [CEPS, *expanded]
        case "python", ["-m", *_]:
            return [sys.executable, *expanded]
        case "make", [target]:
            return ["make", "--directory", str(ROOT), "--dry-run", target]
    pytest.fail(f"{place}: {line!r} is neither ceps nor python -m nor make")


def _run(command: list[str], folder: Path, place: str) -> str:
    """What a command prints. The same build or comparison of generated instances is made once and copied."""
    shared = _shared(command, folder)
    if shared is not None and shared in _made:
        shutil.copytree(_made[shared], _out(command, folder))
        return ""
    search = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{place}: {shlex.join(command)}\n{done.stdout}{done.stderr}"
    if shared is not None:
        _made[shared] = _out(command, folder)
    return done.stdout


def _shared(command: list[str], folder: Path) -> tuple[str, str] | None:
    if command[0] != CEPS or command[1] not in ("build", "compare"):
        return None
    text = (folder / command[2]).read_text()
    return (command[1], text) if re.search(r"^generate = ", text, re.MULTILINE) else None


def _out(command: list[str], folder: Path) -> Path:
    return folder / command[command.index("--out") + 1]


def _write(text: str, folder: Path, place: str) -> None:
    """A file, whose first line is its name, or a part of one, which is put into a scenario or an experiment."""
    named = re.match(r"# (in )?(\S+\.toml)\n", text)
    assert named is not None, f"{place}: the first line must be the name of the file, such as # scenario.toml"
    part, name = named.groups()
    if part is None:
        path = folder / name
        path.write_text(text)
        read = read_experiment if "[[methods]]" in text else read_scenario
        assert read(path).budget is not None
        return
    path = folder / f"part-of-{name}"
    if "[[methods]]" in text:
        path.write_text(_with_part(BASE + SPLITS, text))
        assert prepare(read_experiment(path), folder, place) is not None
        return
    path.write_text(_with_part(BASE, text))
    scenario = read_scenario(path)
    assert plan(scenario, assemble(scenario, folder, place), place, workers=1) is not None


def _with_part(whole: str, part: str) -> str:
    """A file in which the tables of a part stand in place of its own."""
    tables = re.split(r"^(?=\[)", whole, flags=re.MULTILINE)
    headers = re.findall(r"^\[.*\]$", part, re.MULTILINE)
    return "".join(table for table in tables if table.partition("\n")[0] not in headers) + part
