"""Files from strangers: nothing in them is executed, and nothing is written where they say."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.exporting import Format, export
from ceps.problems.tsp import Tsp
from ceps.records import Configuration, Ending, Incumbent, Outcome, RunKey
from ceps.solve import load
from ceps.store import Store, StoredInstance
from ceps.store.seal import SEAL_NAME
from tests import described
from tests.torture.mangled import bounded
from tests.torture.no_files import NO_FILES, Place

TSP = Tsp()
CITY = TSP.generate("uniform", 10, 1)
CONFIGURATION = Configuration.of("lkh", {"MOVE_TYPE": 3})
SCENARIO = {
    "problem": {"name": "tsp", "settings": {}},
    "metric": {"name": "par10", "cutoff": 1.0, "penalty": None},
}
PORTFOLIO = {
    "format": 1,
    "problem": "tsp",
    "metric": {"name": "par10", "cutoff": 0.2},
    "members": [{"solver": "lkh", "parameters": {}}],
}

WATCHED_READING = """
    import json, sys
    from contextlib import suppress
    from pathlib import Path
    from ceps.comparing.experiment import read_experiment
    from ceps.errors import UserError
    from ceps.evaluation.best_known import read_best_known
    from ceps.evaluation.session import read_known_costs
    from ceps.portfolio import Portfolio
    from ceps.problems import PROBLEMS
    from ceps.problems.described import DescribedProblem
    from ceps.settings import read_scenario
    from ceps.solvers.command import Command
    from ceps.solvers.command_space import read_space
    from ceps.store import Store

    def read_store(folder):
        for read in (
            lambda store: list(store.runs()),
            lambda store: store.journal(),
            lambda store: store.identity,
            lambda store: store.configuration(CONFIGURATION),
            lambda store: store.instance(INSTANCE),
            lambda store: store.best_solution(INSTANCE),
        ):
            with suppress(UserError), Store.read_only(folder) as store:
                read(store)

    def read_space_of(path, kind):
        named = path.with_suffix(kind)
        if named.exists():
            read_space({"file": str(named)}, "here:", path.parent).as_configspace("x")

    instances = [problem.generate(problem.default_generator, 5, 1) for problem in PROBLEMS.values()]
    readers = [
        Portfolio.load, read_scenario, read_experiment, read_known_costs,
        Command.described, DescribedProblem.described,
        *(lambda path, kind=kind: read_space_of(path, kind) for kind in (".yaml", ".json", ".pcs")),
        lambda path: read_best_known(path, instances),
        *(problem.read for problem in PROBLEMS.values()),
        *(lambda path, p=p, i=i: p.read_solution(i, path) for p, i in zip(PROBLEMS.values(), instances)),
    ]

    def read_all(path):
        for read in readers:
            with suppress(UserError):
                read(path)
        if path.is_dir():
            read_store(path)

    CONFIGURATION, INSTANCE, harmless, *files = sys.argv[1:]
    harmless, *files = map(Path, (harmless, *files))
    read_all(harmless), read_all(Path("harmless store"))  # What is imported late is imported now.
    events, armed = [], True
    DEEDS = ("os.", "subprocess.", "pickle.", "ctypes.", "socket.", "shutil.", "code.")
    LOOKS = ("os.listdir", "os.scandir")

    def is_deed(event, arguments):
        if event in ("exec", "compile"):  # Type hints are evaluated; what a file says must not be.
            code = arguments[0]
            text = repr((code.co_names, code.co_consts) if hasattr(code, "co_names") else code)
            return any(word in text for word in ("touch", "system", "__import__"))
        if event == "open":
            return isinstance(arguments[1], str) and bool(set(arguments[1]) & set("wax+"))
        return event.startswith(DEEDS) and not event.startswith(LOOKS)

    def watch(event, arguments):
        if armed and is_deed(event, arguments):
            events.append(f"{event} {arguments}"[:200])

    sys.addaudithook(watch)
    for file in files:
        read_all(file)
    armed = False
    print(json.dumps(events))
"""


class Payload:
    """What runs a command when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch stolen",)


MALICIOUS: dict[str, bytes] = {
    "pickle": pickle.dumps(Payload()),
    "old pickle": pickle.dumps(Payload(), protocol=0),
    "yaml": b"!!python/object/apply:os.system ['touch stolen']\n",
    "tagged": b'{"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["touch stolen"]}]}',
    "reduced": b'{"__reduce__": ["os.system", ["touch stolen"]], "__class__": "os.system"}',
    "python": b"__import__('os').system('touch stolen')\n",
    "shell": b"#!/bin/sh\ntouch stolen\n",
    "parameters": json.dumps(
        {**PORTFOLIO, "members": [{"solver": "lkh", "parameters": {"MOVE_TYPE": "__import__('os')"}}]}
    ).encode(),
    "solver": json.dumps({**PORTFOLIO, "members": [{"solver": "os.system", "parameters": {}}]}).encode(),
    "problem": json.dumps({**PORTFOLIO, "problem": "os.system", "problem_settings": {"name": "touch stolen"}}).encode(),
    "binary": json.dumps({**PORTFOLIO, "solvers": {"lkh": {"binary": "./evil"}}}).encode(),
    "scenario": b'seed = 1\n[problem]\nname = "__import__(\'os\')"\ntrain = ["$(touch stolen)"]\n',
}


TEXTS = {
    "meta": ("value",),
    "configurations": ("solver", "parameters"),
    "instances": ("problem", "name", "content"),
    "runs": ("host", "reason", "trace", "output", "says"),
    "best": ("solution",),
    "journal": ("phase", "result"),
}


def malicious_stores(folder: Path, name: str, text: str) -> list[str]:
    """Run directories in whose stores this text stands for every text of one table."""
    made = []
    for table, columns in TEXTS.items():
        run = folder / f"{name} in {table}"
        stored(run)
        (run / SEAL_NAME).unlink()
        with closing(sqlite3.connect(run / "ceps.sqlite")) as connection, connection:
            connection.execute(
                f"UPDATE {table} SET {', '.join(f'{column} = :text' for column in columns)}", {"text": text}
            )
        made.append(run.name)
    return made


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    """Whoever reads whichever of these files, the interpreter reports no deed: nothing run, imported or written."""
    (tmp_path / "harmless").write_text(json.dumps(PORTFOLIO))
    (tmp_path / "evil").write_text("#!/bin/sh\ntouch stolen\n")
    (tmp_path / "evil").chmod(0o755)
    stores: list[str] = []
    for name, content in MALICIOUS.items():
        (tmp_path / name).write_bytes(content)
        for kind in (".yaml", ".json", ".pcs"):
            (tmp_path / name).with_suffix(kind).write_bytes(content)
        stores += malicious_stores(tmp_path, name, content.decode("latin-1"))
    script = textwrap.dedent(WATCHED_READING)
    stored(tmp_path / "harmless store")
    done = subprocess.run(
        [sys.executable, "-c", script, CONFIGURATION.id, CITY.id, "harmless", *MALICIOUS, *stores],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == []
    assert not (tmp_path / "stolen").exists()


def test_a_program_that_a_portfolio_names_is_started_with_trust_only(tmp_path: Path) -> None:
    """A stranger's portfolio may come with a solver of its own: it is named, and runs when the user has said so."""
    TSP.write(CITY, tmp_path / "city.tsp")
    (tmp_path / "p.json").write_bytes(MALICIOUS["binary"])
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/stolen\n")
    evil.chmod(0o755)

    def solve(*options: str) -> subprocess.CompletedProcess[str]:
        words = ["solve", "city.tsp", "--portfolio", "p.json", "--time", "1", *options]
        command = [Path(sys.executable).with_name("ceps"), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    refused = solve()
    assert refused.returncode == 2
    assert f"p.json starts programs: {evil}. If you know them" in refused.stderr.replace("\n", " ")
    assert not (tmp_path / "stolen").exists()
    solve("--trust")
    assert (tmp_path / "stolen").exists()


def test_what_would_be_started_is_told_whole(tmp_path: Path) -> None:
    """What programs are given, see, and where they run, for a harmless name may mean harm; and no name can make the
    terminal show something else."""
    described.problem(tmp_path, described.PROBLEM + 'environment = {{ BASH_ENV = "{{here}}/e" }}\n')
    more = 'inherit = ["HOME"]\nworking_directory = "."\nenvironment = {{ LD_PRELOAD = "{{here}}/e.so" }}\n'
    described.solver(tmp_path, "", more + described.SOLVER)
    (tmp_path / "p.json").write_text(json.dumps(described.PORTFOLIO))
    line = f'cd {tmp_path} && HOME="$HOME" LD_PRELOAD={tmp_path}/e.so {sys.executable} {tmp_path}/filler.py'
    with pytest.raises(UserError) as told:
        load(tmp_path / "p.json")
    assert line in str(told.value)
    assert f"BASH_ENV={tmp_path}/e {sys.executable} {tmp_path}/zeros.py check" in str(told.value)

    steering = {**PORTFOLIO, "solvers": {"lkh": {"binary": "./evil\x1b[2K\x1b[1Aharmless"}}}
    (tmp_path / "steering.json").write_text(json.dumps(steering))
    TSP.write(CITY, tmp_path / "city.tsp")
    ceps = Path(sys.executable).with_name("ceps")
    command = [ceps, "solve", "city.tsp", "--portfolio", "steering.json"]
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert r"evil\x1b[2K\x1b[1Aharmless" in refused.stderr
    assert "\x1b" not in refused.stderr


def test_loading_in_python_needs_trust_too(tmp_path: Path) -> None:
    """The same portfolio is refused by ``ceps.load``, with the way to have it."""
    (tmp_path / "p.json").write_bytes(MALICIOUS["binary"])
    with pytest.raises(UserError, match="load it with trust=True"):
        load(tmp_path / "p.json")
    load(tmp_path / "p.json", trust=True)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Path]:
    """The run directory of a build of which nothing is known; what is around it must stay as it is."""
    folder = tmp_path / "deep" / "run"
    yield folder
    assert sorted(os.listdir(tmp_path)) == ["deep"]
    assert set(os.listdir(tmp_path / "deep")) <= {"run", "out"}
    assert not Path("/stolen.tsp").exists()


def stored(run: Path, name: str = "fine", phase: str = "breeding", admitted: object = None, **identity: object) -> None:
    with Store.open(run, {"purpose": "build", "scenario": SCENARIO, **identity}) as store:
        store.add_configuration(CONFIGURATION)
        store.add_instance(StoredInstance(CITY.id, "tsp", name, TSP.encode(CITY)))
        key = RunKey("lkh", "1", CONFIGURATION.id, CITY.id, seed=1, target=5, memory=2**30)
        store.record(key, 1.0, Outcome(Ending.SOLVED, cpu=0.5, cost=5, solution=[], trace=(Incumbent(0.5, 5),)))
        store.journal_put(phase, {}, {"admitted": [CITY.id] if admitted is None else admitted}, charge=0.0)


def test_instances_are_exported_into_the_folder(run: Path) -> None:
    """What the next test has spoilt, unspoilt."""
    stored(run, phase="1/CEPS: breeding")
    (file,) = export(run, Format.INSTANCES, run.parent / "out")
    assert file == run.parent / "out" / "split-1" / "CEPS" / "fine.tsp"
    assert TSP.read(file) == CITY


@pytest.mark.parametrize(
    "name", ["../stolen", "../../stolen", "/stolen", "a/../../../stolen", "x\0y", "new\nline", "a/b", "", ".", ".."]
)
def test_names_of_instances_do_not_lead_out(run: Path, name: str) -> None:
    """A stranger's instance is written into the folder, or not at all."""
    stored(run, name=name)
    try:
        files = export(run, Format.INSTANCES, run.parent / "out")
    except UserError:
        files = []
    assert all(file.resolve().is_relative_to(run.parent / "out") for file in files)


@pytest.mark.parametrize("phase", ["/../../..: x", "../../../..: x", "/x/../../..: x", "\0: x", "a\nb: x", ": x"])
def test_names_of_phases_do_not_lead_out(run: Path, phase: str) -> None:
    """The same for the folders that are named after what the journal says."""
    stored(run, phase=phase)
    try:
        files = export(run, Format.INSTANCES, run.parent / "out")
    except UserError:
        files = []
    assert all(file.resolve().is_relative_to(run.parent / "out") for file in files)


@pytest.mark.parametrize(
    "scenario",
    [
        {},
        {"problem": 3, "metric": []},
        {"problem": {"name": ["tsp"], "settings": {}}, "metric": SCENARIO["metric"]},
        {"problem": {"name": "tsp", "settings": 3}, "metric": SCENARIO["metric"]},
        {"problem": {"name": "tsp", "settings": {"name": "x"}}, "metric": SCENARIO["metric"]},
        {"problem": SCENARIO["problem"], "metric": {"cutoff": "x", "self": 3}},
    ],
)
@pytest.mark.parametrize("kind", [Format.CSV, Format.INSTANCES, Format.ASLIB])
def test_a_made_up_identity_is_told(run: Path, scenario: object, kind: Format) -> None:
    """A directory that says odd things of itself is refused, and is no traceback."""
    stored(run, scenario=scenario)
    with pytest.raises(UserError):
        export(run, kind, run.parent / "out")


@pytest.mark.parametrize("place", NO_FILES)
def test_an_identity_that_names_no_file_is_told(run: Path, place: Place) -> None:
    """A directory may name the description of its problem: what cannot be one is not waited for, nor read for ever."""
    run.mkdir(parents=True)
    problem = {"name": "sat", "settings": {"file": str(place(run / "sat.toml"))}}
    stored(run, scenario={**SCENARIO, "problem": problem})
    with bounded(), pytest.raises(UserError):
        export(run, Format.CSV, run.parent / "out")


@pytest.mark.parametrize("place", NO_FILES)
@pytest.mark.parametrize("key", ["problem_settings", "solvers"])
def test_a_portfolio_that_names_no_file_is_told(tmp_path: Path, key: str, place: Place) -> None:
    """The same for the descriptions that a portfolio names."""
    settings = {"file": str(place(tmp_path / "described.toml"))}
    named = (
        {"problem": "sat", "problem_settings": settings} if key == "problem_settings" else {"solvers": {"x": settings}}
    )
    (tmp_path / "p.json").write_text(json.dumps({**PORTFOLIO, **named}))
    with bounded(), pytest.raises(UserError):
        load(tmp_path / "p.json", trust=True)


def test_a_binary_of_a_long_name_is_told(tmp_path: Path) -> None:
    """A name that no file can have is one of no file."""
    portfolio = {**PORTFOLIO, "solvers": {"lkh": {"binary": "/" + "x" * 5_000}}}
    (tmp_path / "p.json").write_text(json.dumps(portfolio))
    with pytest.raises(UserError, match="there is no such file"):
        load(tmp_path / "p.json", trust=True).solve(CITY, 0.2)


@pytest.mark.parametrize("admitted", [3, "x", {"a": 1}, [3, None, ["x"], {"a": 1}], ["unknown"]])
def test_a_made_up_decision_exports_nothing(run: Path, admitted: object) -> None:
    """What is no list of instances of the store is passed over."""
    stored(run, admitted=admitted)
    assert export(run, Format.INSTANCES, run.parent / "out") == []


def test_the_content_of_an_instance_is_what_it_is_named_after(run: Path) -> None:
    """An instance whose content was changed is not passed off as the one that was trained on."""
    stored(run)
    with closing(sqlite3.connect(run / "ceps.sqlite")) as connection:
        other = TSP.encode(TSP.generate("uniform", 10, 2))
        connection.execute("UPDATE instances SET content = ?", (other,))
        connection.commit()
    (run / SEAL_NAME).unlink()
    for kind in (Format.CSV, Format.INSTANCES):
        with pytest.raises(UserError, match="the content of instance 'fine' is not what was stored"):
            export(run, kind, run.parent / "out")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        "CREATE VIEW evil AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n FROM r) SELECT * FROM r",
    ],
    ids=["trigger", "view"],
)
def test_a_store_that_acts_by_itself_is_refused(run: Path, statement: str) -> None:
    """Triggers and views are programs too; ceps makes none."""
    stored(run)
    with closing(sqlite3.connect(run / "ceps.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()
    (run / SEAL_NAME).unlink()
    for opened in (Store.open, Store.read_only):
        with pytest.raises(UserError, match=r"ceps\.sqlite holds triggers or views"):
            opened(run)


def test_command_lines_are_quoted(run: Path) -> None:
    """A line that is pasted into a shell runs what it shows, whatever the files are called."""
    stored(run)
    (run / "portfolio $(touch stolen);'.json").write_text(json.dumps(PORTFOLIO))
    out = run.parent / "out"
    export(run, Format.CONFIGURATIONS, out)
    commands = (out / "commands.txt").read_text().splitlines()
    assert len(commands) == 2
    for command in commands:
        # On a line of its own: some commands end with a remark.
        said = subprocess.run(["sh", "-c", f'set -- {command}\nprintf "%s\\n" "$@"'], capture_output=True, check=True)
        assert b"portfolio $(touch stolen);'-1-lkh" in said.stdout
    assert not Path("stolen").exists()
