"""Nothing in a file is executed, whoever reads it: what the interpreter itself reports of its deeds."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

from ceps.store.seal import SEAL_NAME
from tests.security.stranger import CITY, CONFIGURATION, PORTFOLIO, stored

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
