"""A described problem (texts of zeros and ones, the cost is the number of zeros) and programs that solve it."""

from __future__ import annotations

import sys
from pathlib import Path

from typer.testing import CliRunner

from ceps.cli import app
from ceps.problems.described import DescribedProblem, FileInstance
from ceps.solvers.command import Command

SCRIPT = """
import random, sys
from pathlib import Path

def check(instance, solution):
    size, bits = int(Path(instance).read_text()), Path(solution).read_text().strip()
    if len(bits) != size or set(bits) - {"0", "1"}:
        sys.exit(f"expected {size} bits")
    print("checked")
    print(bits.count("0"))

def mutate(instance, out, seed):
    Path(out).write_text(str(int(Path(instance).read_text()) + random.Random(int(seed)).randint(1, 1000)))

def generate(out, seed, size):
    Path(out).write_text(size)

def features(instance):
    print("size =", Path(instance).read_text())
    print("one = 1")

command, *arguments = sys.argv[1:]
globals()[command](*arguments)
"""
COMPUTES_WITHOUT_END = """
import hashlib, threading

def compute():
    while True:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000)  # other threads go on meanwhile

for _ in range(8):  # so that others on this machine leave it enough
    threading.Thread(target=compute).start()
"""
"""In the place of the script."""
PROBLEM = """
name = "zeros"
suffixes = [".zeros"]
check = ["{python}", "{{here}}/zeros.py", "check", "{{instance}}", "{{solution}}"]
mutate = ["{python}", "{{here}}/zeros.py", "mutate", "{{instance}}", "{{out}}", "{{seed}}"]
features = ["{python}", "{{here}}/zeros.py", "features", "{{instance}}"]
generate = {{ plain = ["{python}", "{{here}}/zeros.py", "generate", "{{out}}", "{{seed}}", "{{size}}"] }}
"""
SOLVER = """
name = "filler"
problems = ["zeros"]
command = ["{python}", "{{here}}/filler.py", "{{instance}}", "{{seed}}", "{{cutoff}}", "{{parameters}}"]

[space]
ones = {{ type = "integer", low = 0, high = 9, default = 2 }}

[output]
cost = '^cost (.*)$'
solution = '^bits (.*)$'
"""


PORTFOLIO = {
    "format": 1,
    "problem": "zeros",
    "problem_settings": {"file": "zeros.toml"},
    "metric": {"name": "panc", "cutoff": 1.0},
    "members": [{"solver": "filler", "parameters": {"ones": 2}}],
    "solvers": {"filler": {"file": "filler.toml"}},
}


def told(code: int, *words: str) -> str:
    """What a command prints, all in one line; it must exit with the code."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def problem(folder: Path, text: str = PROBLEM) -> DescribedProblem:
    """The problem, described in a folder."""
    (folder / "zeros.py").write_text(SCRIPT)
    (folder / "zeros.toml").write_text(text.format(python=sys.executable))
    return DescribedProblem.described(folder / "zeros.toml")


def solver(folder: Path, script: str, text: str = SOLVER) -> Command:
    """A solver whose program is a Python script."""
    (folder / "filler.py").write_text(script)
    (folder / "filler.toml").write_text(text.format(python=sys.executable))
    return Command.described(folder / "filler.toml")


def instance(size: int = 5, name: str = "five") -> FileInstance:
    return FileInstance(name, str(size).encode(), ".zeros")


def answer(bits: str | None, cost: float | None = None) -> dict[str, object]:
    return {"status": "solved", "cost": cost, "solution": bits}
