"""The main job, from nothing: build a portfolio from a handful of instances, test it, solve. ``make demo`` runs it.

python -m examples.demo [FOLDER] [SCENARIO]

The scenario's instances are generated; the ones for testing come from the same generator, with other seeds.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

from ceps.settings import read_scenario

HERE = Path(__file__).parent
TEST_SEED = 1001


def ceps(*arguments: str) -> str:
    """Run a command as one would type it, and show it; its output is shown, or returned when it is JSON."""
    print(f"\n$ ceps {shlex.join(arguments)}", flush=True)
    output = subprocess.PIPE if "--json" in arguments else None
    done = subprocess.run(
        [str(Path(sys.executable).with_name("ceps")), *arguments], check=True, text=True, stdout=output
    )
    return done.stdout or ""


def main(folder: Path, scenario: Path) -> None:
    test, run = folder / "test", folder / "run"
    problem = read_scenario(scenario).problem
    made = problem.generate
    assert made is not None
    parameters = [word for name, value in made.parameters.items() for word in ("--set", f"{name}={value:g}")]
    sizes = ("--size", str(made.size), "--count", "6", "--seed", str(TEST_SEED))
    generator = ("--generator", made.generator, *parameters)
    ceps("generate", problem.name, *generator, *sizes, "--out", str(test), "--force")
    ceps("build", str(scenario), "--out", str(run))
    scores = {}
    for name, file in {"CEPS.initial": "portfolio.initial.json", "CEPS": "portfolio.json"}.items():
        options = ("--repeats", "3", "--out", str(folder / "evaluation"), "--json")
        report = json.loads(ceps("evaluate", str(test), "--portfolio", str(run / file), *options))
        scores[name] = f"{report['metric']} {report['score']:.3f}, {report['timeouts']} timeouts"
    print()
    for name, score in scores.items():
        print(f"{name:13s} {score} on 6 instances never seen")
    instance = str(min(test.iterdir()))
    files = ("--out", str(folder / "solution"), "--draw", str(folder / "solution.svg"))
    ceps("solve", instance, "--portfolio", str(run / "portfolio.json"), "--time", "3", *files)


if __name__ == "__main__":
    folder, scenario = (*sys.argv[1:], *("demo", str(HERE / "scenario.toml"))[len(sys.argv) - 1 :])
    main(Path(folder), Path(scenario))
