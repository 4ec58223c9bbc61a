"""The command line's many small cases, in this process. Whole processes are tested beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from ceps import __version__
from ceps.cli import app
from ceps.evaluation import session
from ceps.problems import problem_named

TSP = problem_named("tsp")
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
HEADER = "NAME : x\nTYPE : TSP\nDIMENSION : {}\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
PORTFOLIO = {
    "format": 1,
    "problem": "tsp",
    "metric": {"name": "par10", "cutoff": 0.2},
    "members": [{"solver": "lkh", "parameters": {}}],
}
SCENARIO = """
seed = 1
[problem]
name = "tsp"
train = ["*.tsp"]
[portfolio]
solvers = ["lkh"]
[metric]
cutoff = 0.2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with an instance, a portfolio, a scenario and a solution nobody may touch."""
    monkeypatch.chdir(tmp_path)
    TSP.write(TSP.generate("uniform", 60, 1), Path("city.tsp"))
    Path("p.json").write_text(json.dumps(PORTFOLIO))
    Path("s.toml").write_text(SCENARIO)
    Path("kept.tour").write_text("precious")
    return tmp_path


@pytest.fixture
def lkh() -> None:
    """For tests in which LKH really runs."""
    pytest.importorskip("LKHpy")


def ceps(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="ceps")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(folder: Path, *arguments: object) -> str:
    """What a command that must be refused says; it changes no file and prints no result."""
    before = contents(folder)
    result = ceps(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert contents(folder) == before
    return str(result.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_help(command: str) -> None:
    """Every command has an example, and every argument and option of it is explained."""
    result = ceps(command, "--help")
    assert result.exit_code == 0
    assert f"Example: ceps {command}" in result.stdout
    assert all(parameter.help for parameter in COMMANDS[command].params)


def test_help_of_all() -> None:
    """Without a command, the commands are listed."""
    for result in (ceps("-h"), ceps("--help"), ceps()):
        assert all(command in result.output for command in COMMANDS)


def test_version() -> None:
    """The version is told."""
    assert ceps("--version").stdout == f"ceps {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["slove"], ["solve"], ["solve", "city.tsp", "--tmie", "3"], ["solve", "city.tsp", "--seed", "x"], ["--no"]],
    ids=str,
)
def test_usage_errors(folder: Path, arguments: list[str]) -> None:
    """A command or option that does not exist, or has no value of its kind, is refused with the usage."""
    assert "Usage: ceps" in refused(folder, *arguments)


# generate


def test_generate(folder: Path) -> None:
    """Instances of consecutive seeds are written to a folder made for them; a seed gives the same file again."""
    result = ceps("generate", "tsp", "--size", 5, "--count", 3, "--seed", 8, "--out", "new/data")
    assert (result.exit_code, result.stdout) == (0, "3 instances in new/data\n")
    files = {path.name: path.read_text() for path in Path("new/data").iterdir()}
    assert files == {f"uniform-5-{seed}.tsp": TSP.encode(TSP.generate("uniform", 5, seed)) for seed in (8, 9, 10)}


def test_generate_overwrites_only_when_told_to(folder: Path) -> None:
    """When one of the files exists none is written, unless --force is given."""
    Path("uniform-5-2.tsp").write_text("precious")
    arguments = ("generate", "tsp", "--size", 5, "--count", 3)
    assert "uniform-5-2.tsp exists; use another --out or --seed, or --force" in refused(folder, *arguments)
    assert ceps(*arguments, "--force").exit_code == 0
    assert TSP.read(Path("uniform-5-2.tsp")) == TSP.generate("uniform", 5, 2)


def test_generate_with_several_generators(folder: Path) -> None:
    """Each generator, named or one of all, makes as many instances as asked for, and none twice."""
    result = ceps("generate", "tsp", "--generator", "netgen", "--generator", "all", "--size", 5, "--count", 2)
    assert (result.exit_code, result.stdout) == (0, "20 instances in .\n")
    made = {path.stem: TSP.read(path) for path in Path().glob("*-5-*.tsp")}
    assert made == {f"{name}-5-{seed}": TSP.generate(name, 5, seed) for name in TSP.generators for seed in (1, 2)}


def test_generate_with_parameters(folder: Path) -> None:
    """Parameters that are set reach the generator, and are part of the file's name."""
    result = ceps(
        "generate", "tsp", "--generator", "explosion", "--size", 50, "--set", "epsilon=0.2", "--set", "rate=5"
    )
    assert result.exit_code == 0
    made = TSP.read(Path("explosion-epsilon=0.2-rate=5-50-1.tsp"))
    assert made == TSP.generate("explosion", 50, 1, {"epsilon": 0.2, "rate": 5.0})


def test_generators_are_listed(folder: Path) -> None:
    """The list has every generator with its parameters, their defaults and ranges; nothing is written."""
    before = contents(folder)
    result = ceps("generate", "tsp", "--list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == list(TSP.generators)
    assert "  clusters: default drawn from 4 to 8; a whole number from 1 to 500" in lines
    assert contents(folder) == before


EXPLOSION = ["tsp", "--generator", "explosion"]
GENERATE_MISTAKES = {
    "problem": (["tps"], "problem 'tps' is unknown. Did you mean 'tsp'?"),
    "generator": (["tsp", "--generator", "unifrom"], "--generator: There is no TSP generator 'unifrom'. Did you mean"),
    "all generators": (["tsp", "--generator", "unifrom"], "Known: ClusteredNetwork, cluster, compression, expansion"),
    "parameter": ([*EXPLOSION, "--set", "eps=0.2"], "--generator: explosion has no parameter 'eps'. It has: epsilon"),
    "value": ([*EXPLOSION, "--set", "epsilon=2"], "explosion cannot have epsilon = 2.0. It has: epsilon (default 0.3"),
    "one of all": (["tsp", "--generator", "all", "--set", "epsilon=0.2"], "portgen has no parameter 'epsilon'"),
    "no value": ([*EXPLOSION, "--set", "epsilon"], "--set epsilon: give a name and a number"),
    "no number": ([*EXPLOSION, "--set", "epsilon=much"], "--set epsilon=much: give a name and a number"),
    "nan": ([*EXPLOSION, "--set", "epsilon=nan"], "explosion cannot have epsilon = nan"),
    "twice": ([*EXPLOSION, "--set", "rate=2", "--set", "rate=3"], "--set rate=3: rate is set twice"),
    "size": (["tsp", "--size", "0"], "--size"),
    "count": (["tsp", "--count", "0"], "--count"),
    "out": (["tsp", "--size", "5", "--out", "p.json"], "--out p.json: p.json is a file; name a folder"),
    "long out": (["tsp", "--size", "5", "--out", "x" * 5000], "cannot be made: File name too long"),
}


@pytest.mark.parametrize(("arguments", "message"), GENERATE_MISTAKES.values(), ids=GENERATE_MISTAKES.keys())
def test_generate_mistakes(folder: Path, arguments: list[str], message: str) -> None:
    """What cannot be generated is refused with the option and the way out."""
    assert message in refused(folder, "generate", *arguments)


# solve

INSTANCES = {
    "empty": (b"", "the file is empty"),
    "binary": (bytes(range(256)), "binary file"),
    "header only": (HEADER.format(3).encode(), "promises"),
    "truncated line": ((HEADER.format(2) + "1 0 0\n2 1").encode(), "line 7"),
    "truncated": ((HEADER.format(3) + "1 0 0\n2 1 1\n").encode(), "node id 3 is missing"),
    "not numeric": ((HEADER.format(2) + "1 0 0\n2 one 1\nEOF\n").encode(), "line 7"),
    "nan": ((HEADER.format(2) + "1 0 0\n2 nan 1\nEOF\n").encode(), "line 7: coordinate 'nan' is not finite"),
    "infinite": ((HEADER.format(2) + "1 0 0\n2 1 -inf\nEOF\n").encode(), "line 7: coordinate '-inf' is not finite"),
    "overflowing": ((HEADER.format(2) + "1 0 0\n2 1e999 1\nEOF\n").encode(), "line 7"),
    "duplicate id": ((HEADER.format(2) + "1 0 0\n1 1 1\nEOF\n").encode(), "line 7"),
    "missing id": ((HEADER.format(2) + "1 0 0\n3 1 1\nEOF\n").encode(), "line 7"),
    "too many": ((HEADER.format(1) + "1 0 0\n2 1 1\nEOF\n").encode(), "line 7"),
    "negative dimension": ((HEADER.format(-2) + "1 0 0\n2 1 1\nEOF\n").encode(), "line 3: DIMENSION must be"),
    "no dimension": ((HEADER.format("many") + "1 0 0\n").encode(), "line 3: DIMENSION must be"),
}


@pytest.mark.parametrize(("content", "message"), INSTANCES.values(), ids=INSTANCES.keys())
def test_bad_instances(folder: Path, content: bytes, message: str) -> None:
    """A bad instance file is refused by every command with its name and line, and nothing is overwritten."""
    Path("bad.tsp").write_bytes(content)
    for arguments in (
        ["solve", "bad.tsp", "--out", "kept.tour"],
        ["evaluate", "bad.tsp", "--portfolio", "p.json", "--out", "run"],
        ["check", "s.toml"],
    ):
        told = refused(folder, *arguments)
        assert "bad.tsp" in told
        assert message in told


SOLVE_MISTAKES = {
    "no file": (["none.tsp"], "none.tsp: there is no such file"),
    "folder": (["."], "this is a folder; name a file in it, or score all of them with ceps evaluate"),
    "ending": (["p.json"], "p.json: no problem has files ending in '.json'; known endings: .tsp"),
    "no portfolio": (["city.tsp", "--portfolio", "none.json"], "none.json: there is no such file"),
    "portfolio of no kind": (["city.tsp", "--portfolio", "city.tsp"], "city.tsp: not a JSON file"),
    "time 0": (["city.tsp", "--time", "0"], "--time must be a finite time above 0"),
    "negative time": (["city.tsp", "--time", "-1"], "--time must be a number of seconds or a text such as"),
    "time nan": (["city.tsp", "--time", "nan"], "--time must be a number of seconds or a text such as"),
    "time unit": (["city.tsp", "--time", "5mins"], "--time has the unknown unit 'mins'. Did you mean 'min'?"),
    "memory 0": (["city.tsp", "--memory", "0"], "--memory must be at least one byte"),
    "memory": (["city.tsp", "--memory", "lots"], "--memory must be a number of bytes or a text such as"),
    "target": (["city.tsp", "--target", "nan"], "--target nan: must be a finite cost"),
    "out in no folder": (["city.tsp", "--out", "none/a.tour"], "--out none/a.tour: there is no folder none"),
    "out is a folder": (["city.tsp", "--out", "."], "--out .: this is a folder; name a file in it"),
    "out is the instance": (["city.tsp", "--out", "./city.tsp"], "this file is read; name another one"),
    "out is the portfolio": (["city.tsp", "--portfolio", "p.json", "--out", "p.json"], "this file is read"),
}


@pytest.mark.parametrize(("arguments", "message"), SOLVE_MISTAKES.values(), ids=SOLVE_MISTAKES.keys())
def test_solve_mistakes(folder: Path, arguments: list[str], message: str) -> None:
    """What cannot be solved, or not so, is refused before any run, with the option and the way out."""
    assert message in refused(folder, "solve", *arguments)


@pytest.mark.parametrize(
    "cities",
    [["0 0"], ["0 0", "3 4"], ["0 0", "3 4", "3 0"], ["7 7"] * 3, ["7 7"] * 6, ["0 0", "0 0", "3 4", "3 4", "3 0"]],
    ids=["one", "two", "three", "three in one place", "six in one place", "pairs"],
)
def test_the_smallest_instances(folder: Path, lkh: None, cities: list[str]) -> None:
    """One, two and three cities, and cities in the same place, are instances like any other."""
    lines = [f"{index} {place}" for index, place in enumerate(cities, start=1)]
    Path("small.tsp").write_text(HEADER.format(len(cities)) + "\n".join(lines) + "\nEOF\n")
    result = ceps("solve", "small.tsp", "--time", "0.3s", "--out", "small.tour")
    optimum = {1: 0, 2: 10, 3: 12}[len(set(cities))]
    assert result.exit_code == 0
    assert f"cost {optimum} by component 1" in result.stdout
    read = TSP.read(Path("small.tsp"))
    assert TSP.check(read, TSP.read_solution(read, Path("small.tour"))) == optimum


def test_a_portfolio_with_a_program_needs_trust(folder: Path) -> None:
    """A program that a portfolio brings along is named, and nothing of it runs; with --trust it is looked for."""
    Path("p.json").write_text(json.dumps(PORTFOLIO | {"solvers": {"lkh": {"binary": "/no/[b]such"}}}))
    for command in ("solve", "evaluate"):
        told = refused(folder, command, "city.tsp", "--portfolio", "p.json")
        assert "p.json starts programs: /no/[b]such. If you know them" in told
        told = refused(folder, command, "city.tsp", "--portfolio", "p.json", "--trust")
        assert '[solvers.lkh] binary = "/no/[b]such": there is no such file' in told


# evaluate and check

EVALUATE_MISTAKES = {
    "nothing matches": (["*.vrp"], "INSTANCES: '*.vrp' matches no .tsp file"),
    "no file": (["none.tsp"], "none.tsp: there is no such file"),
    "metric": (["city.tsp", "--metric", "par1"], "--metric: [metric] name = 'par1' is unknown. Did you mean 'par10'?"),
    "cut-off 0": (["city.tsp", "--cutoff", "0"], "--cutoff must be a finite time above 0"),
    "repeats": (["city.tsp", "--repeats", "0"], "--repeats"),
    "workers": (["city.tsp", "--workers", "0"], "--workers"),
    "memory": (["city.tsp", "--memory", "-1"], "--memory must be a number of bytes"),
    "no optima": (["city.tsp", "--optima", "none.json"], "none.json: there is no such file"),
    "optima of no kind": (["city.tsp", "--optima", "city.tsp"], "city.tsp: not a JSON file"),
    "ambiguous optima": (["city.tsp", "other/city.tsp", "--optima", "o.json"], "o.json: 'city' is the name of 2"),
    "out is a file": (["city.tsp", "--out", "p.json"], "p.json"),
}


@pytest.mark.parametrize(("arguments", "message"), EVALUATE_MISTAKES.values(), ids=EVALUATE_MISTAKES.keys())
def test_evaluate_mistakes(folder: Path, arguments: list[str], message: str) -> None:
    """What cannot be evaluated is refused with the option or the file, and the way out."""
    Path("other").mkdir()
    TSP.write(TSP.generate("uniform", 12, 2), Path("other/city.tsp"))
    Path("o.json").write_text('{"city.tsp": 1}')
    assert message in refused(folder, "evaluate", *arguments, "--portfolio", "p.json")


def test_a_portfolio_for_an_unknown_metric(folder: Path) -> None:
    """A metric this version does not know is told with the portfolio's file."""
    Path("p.json").write_text(json.dumps(PORTFOLIO | {"metric": {"name": "par100", "cutoff": 1}}))
    told = refused(folder, "evaluate", "city.tsp", "--portfolio", "p.json")
    assert "p.json: [metric] name = 'par100' is unknown. Did you mean 'par10'?" in told


def test_a_directory_of_somebody_else(folder: Path) -> None:
    """A directory with another program's database of our name is refused and left as it is."""
    Path("run").mkdir()
    Path("run/ceps.lock").touch()
    Path("run/ceps.sqlite").write_text("not a database, and long enough to be taken for none" * 10)
    before = Path("run/ceps.sqlite").read_bytes()
    result = ceps("evaluate", "city.tsp", "--portfolio", "p.json", "--out", "run", "--workers", 1)
    assert result.exit_code == 2
    assert "ceps.sqlite" in result.stderr
    assert Path("run/ceps.sqlite").read_bytes() == before


CHECK_MISTAKES = {
    "no file": ("", "", "none.toml", "none.toml: there is no such file"),
    "key": ("seed", "sed", "s.toml", "s.toml: unknown key 'sed'. Did you mean 'seed'?"),
    "type": ("0.2", '"soon"', "s.toml", "s.toml: [metric] cutoff must be a number of seconds"),
    "cut-off 0": ("0.2", "0", "s.toml", "s.toml: [metric] cutoff must be a finite time above 0"),
    "no instances": ("*.tsp", "*.vrp", "s.toml", "s.toml: [problem] train: '*.vrp' matches no .tsp file"),
    "solver": ('"lkh"', '"lhk"', "s.toml", "s.toml: [portfolio] solvers: solver 'lhk' is unknown. Did you mean 'lkh'?"),
    "metric": ("[metric]", '[metric]\nname = "par1"', "s.toml", "s.toml: [metric] name = 'par1' is unknown"),
}


@pytest.mark.parametrize(("old", "new", "file", "message"), CHECK_MISTAKES.values(), ids=CHECK_MISTAKES.keys())
def test_check_mistakes(folder: Path, old: str, new: str, file: str, message: str) -> None:
    """A mistake in a scenario is told with the file, the key and the way out."""
    Path("s.toml").write_text(SCENARIO.replace(old, new))
    assert message in refused(folder, "check", file)


# Real runs


def test_a_target_ends_the_race(folder: Path, lkh: None) -> None:
    """A race with a target ends as soon as it is reached."""
    result = ceps("solve", "city.tsp", "--time", "1h", "--target", 10**12)
    assert result.exit_code == 0
    assert "SOLVED" in result.stdout


def test_a_directory_of_another_evaluation(folder: Path, lkh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run directory belongs to one evaluation by one ceps; another one is refused and changes nothing in it."""
    TSP.write(TSP.generate("uniform", 70, 1), Path("other.tsp"))
    Path("o.json").write_text(json.dumps({"city.tsp": 10**9, "other": 10**9}))
    command = ["evaluate", ".", "--portfolio", "p.json", "--out", "run", "--optima", "o.json", "--repeats", 1]
    result = ceps(*command, "--json", "--workers", 1)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert {"metric", "score", "timeouts", "instances", "per_instance"} <= set(report)
    assert (report["metric"], report["timeouts"], report["instances"]) == ("par10", 0, 2)
    assert [one["instance"] for one in report["per_instance"]] == ["city", "other"]
    before = Path("run/ceps.sqlite").read_bytes()
    other = ceps(*command, "--cutoff", 0.3, "--workers", 1)
    assert (other.exit_code, other.stdout) == (2, "")
    assert "run was made with other settings" in other.stderr
    assert "cutoff" in other.stderr
    monkeypatch.setattr(session, "__version__", "another")
    other = ceps(*command, "--workers", 1)
    assert (other.exit_code, other.stdout) == (2, "")
    assert "versions.ceps" in other.stderr
    assert Path("run/ceps.sqlite").read_bytes() == before


def test_check(folder: Path, lkh: None) -> None:
    """A check shows the call, the limits, the raw and the parsed outcome of every solver."""
    result = ceps("check", "s.toml")
    assert result.exit_code == 0
    shown = result.stdout.splitlines()
    assert shown[0].startswith("s.toml: 1 training instance of problem 'tsp', par10 with cut-off 0.2 s")
    titles = [line for line in shown[4:] if line and not line.startswith("  ")]
    assert titles == ["Limits", "Raw outcome", "Parsed outcome", "Plan of a build"]
    assert "no [budget]" in shown[-1]
    assert shown[3] == "Call"
    assert "  MOVE_TYPE = 5" in shown
    assert "  CPU 0.2 s, wall 12 s, memory 2048 MiB" in shown
    assert shown[shown.index("Parsed outcome") + 1].startswith("  TIMEOUT, cost ")


def test_a_check_that_fails(folder: Path) -> None:
    """A solver that finds nothing is shown with what it said, and the check fails."""
    program = folder / "LKH"
    program.write_text("#!/bin/sh\necho I am [bold]not[/bold] LKH :cry:\nexit 3\n")
    program.chmod(0o755)
    Path("s.toml").write_text(SCENARIO + '[solvers.lkh]\nbinary = "LKH"\n')
    result = ceps("check", "s.toml")
    assert result.exit_code == 1
    assert "I am [bold]not[/bold] LKH :cry:" in result.stdout
    assert "  CRASHED" in result.stdout
    assert "a solver found no valid solution" in result.stderr
