"""The main job, from nothing: build a portfolio from a handful of instances, test it, solve. ``make demo`` runs it.

python -m examples.demo [FOLDER] [SCENARIO]
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def ceps(*arguments: str) -> str:
    """Run a command as one would type it, and show it; its output is shown, or returned when it is JSON."""
    print(f"\n$ ceps {shlex.join(arguments)}", flush=True)
    output = subprocess.PIPE if "--json" in arguments else None
    done = subprocess.run(
        [str(Path(sys.executable).with_name("ceps")), *arguments], check=True, text=True, stdout=output
    )
    return done.stdout or ""


def main(folder: Path, scenario: Path, cities: str) -> None:
    test, run = folder / "test", folder / "run"
    ceps("generate", "tsp", "--size", cities, "--count", "6", "--seed", "1001", "--out", str(test), "--force")
    ceps("build", str(scenario), "--out", str(run))
    scores = {}
    for name, file in {"CEPS.initial": "portfolio.initial.json", "CEPS": "portfolio.json"}.items():
        options = ("--repeats", "3", "--out", str(folder / "evaluation"), "--json")
        report = json.loads(ceps("evaluate", str(test), "--portfolio", str(run / file), *options))
        scores[name] = f"{report['metric']} {report['score']:.3f}, {report['timeouts']} timeouts"
    print()
    for name, score in scores.items():
        print(f"{name:13s} {score} on 6 instances never seen")
    city, tour = test / f"uniform-{cities}-1001.tsp", folder / "city.tour"
    ceps("solve", str(city), "--portfolio", str(run / "portfolio.json"), "--time", "3", "--out", str(tour))


if __name__ == "__main__":
    folder, scenario, cities = (*sys.argv[1:], *("demo", str(HERE / "scenario.toml"), "300")[len(sys.argv) - 1 :])
    main(Path(folder), Path(scenario), cities)
