"""The main job, from nothing: make instances, check a scenario, solve. ``make demo`` runs it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def ceps(*arguments: str) -> None:
    """Run a command as one would type it, and show it."""
    print(f"\n$ ceps {shlex.join(arguments)}", flush=True)
    subprocess.run([str(Path(sys.executable).with_name("ceps")), *arguments], check=True)


def main(folder: Path) -> None:
    ceps("generate", "tsp", "--size", "400", "--count", "3", "--seed", "1", "--out", str(folder), "--force")
    ceps("check", str(HERE / "scenario.toml"))
    ceps("solve", str(folder / "uniform-400-1.tsp"), "--time", "5", "--out", str(folder / "uniform-400-1.tour"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo"))
