"""What the README shows is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ceps.problems.tsp import Tsp

ROOT = Path(__file__).parent.parent


def test_the_python_example_runs(tmp_path: Path) -> None:
    """The example of the README, executed as it stands, writes a tour of the instance it made."""
    pytest.importorskip("LKHpy")
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
    instance = Tsp().read(tmp_path / "city.tsp")
    cost = Tsp().check(instance, Tsp().read_solution(instance, tmp_path / "city.tour"))
    assert done.stdout.startswith(f"{cost} by component ")


def test_the_demo_runs(tmp_path: Path) -> None:
    """``make demo`` does its job: instances, a check, and a tour of the first instance."""
    pytest.importorskip("LKHpy")
    subprocess.run([sys.executable, "-m", "examples.demo", str(tmp_path)], cwd=ROOT, check=True, env=os.environ)
    instance = Tsp().read(tmp_path / "uniform-400-1.tsp")
    assert Tsp().read_solution(instance, tmp_path / "uniform-400-1.tour")
