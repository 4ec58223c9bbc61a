"""How pages become small enough for a test: what is replaced in their blocks, and the files they take for given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ceps.problems import problem_of_file

SIZE = 30
"""Cities, or customers."""

_COMMANDS = {
    r"--(size|customers) \d+": rf"--\1 {SIZE}",
    r"-\d+-(\d+)\.(tsp|vrpspdtw)\b": rf"-{SIZE}-\1.\2",
    r"--count \d+": "--count 2",
    r"--time \S+": "--time 0.5",
    r"\btime=\d+": "time=0.5",
    r"--cutoff \S+": "--cutoff 0.2",
    r"--(repeats|seeds) \d+": r"--\1 1",
    r"--at( \d+)+": "--at 0.2",
    r"--runs \d+": "--runs 1000",
    r"benchmarks\.scaling": "benchmarks.scaling --runs 8 --sleeps 1100",
    r'"--(count|repeats)", "\d+"': r'"--\1", "1"',
    r'"--time", "\d+"': '"--time", "0.5"',
}
_SCENARIO = {
    r"^(iterations|phases|sessions) = .*\n": "",
    r'^name = "(ceps|eps)".*': r'name = "\1"\niterations = 2\nsessions = 1\n'
    "shares = { initialisation = 60, validation = 90 }",
    r'^name = "(clustering|global|parhydra|single)".*': r'name = "\1"\nsessions = 1\nshares = { validation = 7.5 }',
    r'^name = "pcit".*': 'name = "pcit"\nphases = 2\nsessions = 1\nshares = { validation = 7.5 }',
    r"(generate = .*\bsize = )\d+": rf"\g<1>{SIZE}",
    r"(generate = .*\bcount = )\d+": r"\g<1>2",
    r"^size = \d+": "size = 2",
    r"^cutoff = [\d.]+": "cutoff = 0.1",
    r'(\[references\]\ncpu = )"\w+"': r'\g<1>"0.05s"',
    # Hardly any: phases have shares like what their first runs may take, so that little is enough to begin with.
    r'(\[budget\]\ncpu = )"\w+"': r'\g<1>"4s"',
}
_EXPERIMENT = {
    r"(generate = .*\bcount = )\d+": r"\g<1>4",
    r'(name = "tsp"\ngenerate = .*generator = )"all"': r'\1"netgen"',
    r"^train = [\d.]+": "train = 2",
    r"(\[splits\]\ncount = )\d+": r"\g<1>1",
    r"^cutoff = [\d.]+": "cutoff = 0.05",
    r"^repeats = \d+": "repeats = 1",
    r'(\[budget\]\ncpu = )"\w+"': r'\g<1>"1.6s"',
}
_PAGES: Mapping[str, Mapping[str, str]] = {
    "docs/tutorial-own-instances.md": {r"range\(50\)": "range(5)", r"\[1-8\]": "[1-2]"},
}

_GIVEN: Mapping[str, Sequence[str]] = {
    "README.md": ["data/train/a.tsp", "data/train/b.tsp", "data/test/c.tsp", "city.tsp", "day.vrpspdtw"],
    "docs/comparing.md": [f"data/{number}.tsp" for number in range(4)],
    "docs/tsp.md": ["instances/a.tsp", "data/b.tsp", "optima.json"],
    "docs/vrpspdtw.md": ["days/a.vrpspdtw", "wang_chen/rdp101.vrpspdtw", "wang_chen/best_known.csv"],
}
_TEXTS = {
    "optima.json": '{"a.tsp": 1}',
    "best_known.csv": "instance,vehicles,distance\nrdp101,9,999\n",
}


def smaller(text: str, page: str = "") -> str:
    """A block, or a file, at the size of a test."""
    for rule in [_PAGES.get(page, {}), _COMMANDS, _SCENARIO, _EXPERIMENT if "[[methods]]" in text else {}]:
        for pattern, replacement in rule.items():
            text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def give_files(page: str, root: Path, folder: Path) -> None:
    """What a reader of the page has: the repository's examples and experiments, and files of their own."""
    for path in [*(root / "examples").iterdir(), *(root / "experiments").iterdir()]:
        if path.is_file():
            copy = folder / path.relative_to(root)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(smaller(path.read_text()))
    for seed, name in enumerate(_GIVEN.get(page, []), start=1):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name in _TEXTS:
            path.write_text(_TEXTS[path.name])
        else:
            problem = problem_of_file(path)
            problem.write(problem.generate(problem.default_generator, SIZE, seed), path)
