"""The demo does its job. That of vehicle routing is executed with its page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.docs.scale import give_files


def test_the_demo_runs(tmp_path: Path) -> None:
    """What ``make demo`` does, at a smaller size: scores are shown, a solution is written and drawn."""
    pytest.importorskip("LKHpy")
    give_files("", ROOT, tmp_path)
    command = [sys.executable, "-m", "examples.demo"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "CEPS.initial" in done.stdout
    assert "\nCEPS   " in done.stdout
    assert "cost " in done.stdout
    assert (tmp_path / "demo" / "solution").exists()
    assert (tmp_path / "demo" / "solution.svg").exists()
