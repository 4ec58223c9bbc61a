"""The file and its directory: one writer, no data lost, nothing foreign or damaged touched."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ceps.errors import InUseError, UserError
from ceps.records import Configuration, Ending, Outcome, RunKey
from ceps.store import Store, StoredInstance
from ceps.store.schema import MIGRATIONS, migrate, version_of
from ceps.store.seal import SEAL_NAME
from tests.store.older import make_older

CONFIGURATION = Configuration.of("s", {"a": 1})
KEY = RunKey("s", "1", CONFIGURATION.id, "i", seed=1, target=None, memory=2**30)

PRELUDE = """
import sys
from pathlib import Path
from ceps.records import Configuration, Ending, Outcome, RunKey
from ceps.store import Store, StoredInstance
directory = Path(sys.argv[1])
configuration = Configuration.of("s", {"a": 1})
key = RunKey("s", "1", configuration.id, "i", seed=1, target=None, memory=2**30)
"""


def filled(directory: Path, runs: int = 200) -> Path:
    """A store with so many runs, closed but not sealed; its file."""
    with Store.open(directory) as store:
        fill(store)
        for number in range(runs):
            store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=float(number), output="x" * 100))
    (directory / SEAL_NAME).unlink()
    return directory / "ceps.sqlite"


def fill(store: Store) -> None:
    store.add_configuration(CONFIGURATION)
    store.add_instance(StoredInstance("i", "p", "i", "content"))


@contextmanager
def child(script: str, directory: Path) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs a script; killed in the end, if it has not ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_acknowledged_rows_outlive_a_kill(tmp_path: Path) -> None:
    """After SIGKILL in the middle of writing, every row whose recording had returned is there."""
    script = """
store = Store.open(directory)
store.add_configuration(configuration)
store.add_instance(StoredInstance("i", "p", "i", "content"))
while True:
    print(store.record(key, 10.0, Outcome(Ending.FINISHED, cpu=1.0, output="x" * 3000)).id, flush=True)
"""
    with child(script, tmp_path) as process:
        assert process.stdout is not None
        for _ in range(1500):  # enough for SQLite to have moved some of its write-ahead log to the file
            acknowledged = int(process.stdout.readline())
        process.kill()
        process.wait()
        rest = process.stdout.read().split("\n")
    whole_lines = rest[:-1]
    acknowledged = int(whole_lines[-1]) if whole_lines else acknowledged
    with Store.open(tmp_path) as store:
        ids = [row.id for row in store.executions(KEY)]
    assert ids[:acknowledged] == list(range(1, acknowledged + 1))
    assert len(ids) <= acknowledged + 1


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """A second writer is told the first one's process and host, readers are let in, and death frees the directory."""
    script = "store = Store.open(directory); print('open', flush=True); sys.stdin.read()"
    with child(script, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(InUseError) as caught:
            Store.open(tmp_path)
        assert f"{tmp_path} is in use by process {process.pid} on host {socket.gethostname()};" in str(caught.value)
        Store.read_only(tmp_path).close()
        process.kill()
        process.wait()
        Store.open(tmp_path).close()


def test_closing_frees_the_directory(tmp_path: Path) -> None:
    """Within one process too, a directory is open once at a time, and a refused opening leaves it free."""
    with Store.open(tmp_path, {"a": 1}), pytest.raises(InUseError):
        Store.open(tmp_path)
    with pytest.raises(UserError):
        Store.open(tmp_path, {"a": 2})
    Store.open(tmp_path).close()


def test_readers_see_what_is_being_written(tmp_path: Path) -> None:
    """A reader sees every run recorded so far, stops no writer, and cannot write."""
    with Store.open(tmp_path) as store:
        fill(store)
        with Store.read_only(tmp_path) as reader:
            for count in range(1, 4):
                store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0))
                assert len(reader.executions(KEY)) == count
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0))


def test_a_directory_one_may_not_write_to_can_be_read(tmp_path: Path) -> None:
    """A finished run directory can be read by somebody who may not write to it."""
    script = """
import os, shutil, tempfile
if os.getuid() == 0:  # root may write anywhere
    os.setgid(65534)
    os.setuid(65534)
directory = Path(tempfile.mkdtemp())
with Store.open(directory) as store:
    store.add_configuration(configuration)
directory.chmod(0o555)
try:
    with Store.read_only(directory) as store:
        print(store.configuration(configuration.id) == configuration)
finally:
    directory.chmod(0o755)
    shutil.rmtree(directory)
"""
    with child(script, tmp_path) as process:
        assert process.communicate()[0] == "True\n"


def test_nothing_to_read(tmp_path: Path) -> None:
    """Reading where nothing was written is told, and creates nothing."""
    with pytest.raises(UserError, match=r"ceps\.sqlite does not exist"):
        Store.read_only(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be(tmp_path: Path) -> None:
    """A file in the place of the directory is told by name."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file"):
        Store.open(tmp_path / "file" / "run")


def write_text(file: Path) -> None:
    file.write_text("Dear diary, this is no database. " * 10)


def write_short_text(file: Path) -> None:
    file.write_text("Dear diary")


def truncate_to(size: int) -> Callable[[Path], None]:
    def truncate(file: Path) -> None:
        file.write_bytes(file.read_bytes()[:size])

    return truncate


def cut_in_half(file: Path) -> None:
    truncate_to(file.stat().st_size // 2 // 4096 * 4096)(file)


def overwrite_a_page(file: Path) -> None:
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xa5" * 4096
    file.write_bytes(content)


def overwrite_the_schema(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[100:4096] = b"\xa5" * 3996
    file.write_bytes(content)


def garble_the_schema(file: Path) -> None:
    content = file.read_bytes()
    assert content.count(b"CREATE INDEX runs_by_key") == 1
    file.write_bytes(content.replace(b"CREATE INDEX runs_by_key", b"CREATE INDE\xa9 runs_by_key"))


def foreign_database(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY)")
        connection.commit()


def rename_a_table(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("ALTER TABLE journal RENAME TO journey")


def no_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 0")


def newer_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


@pytest.mark.parametrize("opened", [Store.open, Store.read_only])
@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (write_text, "not an SQLite file"),
        (write_short_text, "not an SQLite file"),
        (truncate_to(0), "cut short"),
        (truncate_to(10), "cut short"),
        (truncate_to(99), "cut short"),
        (truncate_to(5000), "damaged"),
        (cut_in_half, "damaged"),
        (overwrite_a_page, "damaged"),
        (overwrite_the_schema, "damaged"),
        (garble_the_schema, "damaged"),
        (rename_a_table, "tables are missing.*damaged"),
        (no_version, "tables are missing.*damaged"),
        (foreign_database, "another program's database"),
        (newer_version, "made by a newer ceps .*upgrade"),
    ],
)
def test_what_cannot_be_used_is_named_and_left_alone(
    tmp_path: Path, spoil: Callable[[Path], None], complaint: str, opened: Callable[[Path], Store]
) -> None:
    """A file that is foreign, damaged, cut short or newer is refused by name, and not a byte of it changes."""
    file = filled(tmp_path)
    spoil(file)
    before = file.read_bytes()
    with pytest.raises(UserError, match=complaint) as caught:
        opened(tmp_path)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == before


def test_a_lost_file_is_not_replaced_over_its_changes(tmp_path: Path) -> None:
    """When the file is gone but its write-ahead log is there, no new file is mixed with the old log."""
    kept = tmp_path / "kept"
    with Store.open(tmp_path / "run") as store:
        fill(store)
        shutil.copytree(tmp_path / "run", kept)
    (kept / "ceps.sqlite").unlink()
    for opened in (Store.open, Store.read_only):
        with pytest.raises(UserError, match=r"ceps\.sqlite is missing"):
            opened(kept)
    assert not (kept / "ceps.sqlite").exists()


def test_a_creation_cut_short_is_begun_again(tmp_path: Path) -> None:
    """What is left of a creation that was killed does not disturb the next."""
    (tmp_path / "ceps.sqlite.new").write_text("half a da")
    with Store.open(tmp_path) as store:
        fill(store)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ceps.lock", SEAL_NAME, "ceps.sqlite"]


def record_for_ever(store: Store) -> None:
    while True:
        store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0, output="x" * 3000))


def test_a_full_disk_is_told_and_survived(tmp_path: Path) -> None:
    """When no more can be written, the message says so, and all recorded before is there when one starts again."""
    with Store.open(tmp_path) as store:
        fill(store)
        store._connection.execute("PRAGMA max_page_count = 60")
        with pytest.raises(UserError, match=r"disk full\? Free space and start again to resume"):
            record_for_ever(store)
        recorded = len(store.executions(KEY))
        assert recorded > 0
    with Store.open(tmp_path) as store:
        assert len(store.executions(KEY)) == recorded
        store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0))


def test_a_failed_write_is_told(tmp_path: Path) -> None:
    """When the system refuses to write, it is a message and not a traceback."""
    script = """
import resource
from ceps.errors import UserError
store = Store.open(directory)
store.add_configuration(configuration)
store.add_instance(StoredInstance("i", "p", "i", "content"))
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    while True:
        store.record(key, 10.0, Outcome(Ending.FINISHED, cpu=1.0, output="x" * 3000))
except UserError as error:
    print(error)
"""
    with child(script, tmp_path) as process:
        assert "disk full? Free space and start again to resume" in process.communicate()[0]
    with Store.open(tmp_path) as store:
        assert store.executions(KEY)


def add_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT 'old'")


def fail_half_way(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (a)")
    connection.execute("INSERT INTO nowhere VALUES (1)")


def test_old_files_are_migrated_step_by_step(tmp_path: Path) -> None:
    """Each missing step is taken once and keeps the data; a step that fails leaves the version before it whole."""
    file = filled(tmp_path, runs=3)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        assert version_of(connection) == len(MIGRATIONS)
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            migrate(connection, [*MIGRATIONS, add_column, fail_half_way])
        assert version_of(connection) == len(MIGRATIONS) + 1
        assert connection.execute("SELECT note FROM runs").fetchall() == [("old",)] * 3
        assert connection.execute("SELECT * FROM sqlite_master WHERE name = 'half'").fetchall() == []
        migrate(connection, [*MIGRATIONS, add_column])
        assert version_of(connection) == len(MIGRATIONS) + 1


def test_an_old_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """Opened for writing, a file of the second version keeps its runs and has room for sittings, conclusions and what
    answers come to."""
    filled(tmp_path, runs=3)
    make_older(tmp_path, 2)
    with Store.open(tmp_path) as store:
        assert (len(store.executions(KEY)), store.sittings(), store.conclusion("build")) == (3, [], None)
        store.begin_sitting(workers=3)
        store.conclude("build", 1)
        answered = store.record(KEY, 10.0, Outcome(Ending.SOLVED, cpu=1.0, cost=0, says="solved"))
        assert [row.outcome.says for row in store.executions(KEY)] == ["", "", "", answered.outcome.says]
    with Store.read_only(tmp_path) as store:
        assert [(sitting.workers, sitting.cpu) for sitting in store.sittings()] == [(3, 1.0)]


@pytest.mark.parametrize("version", [2, 3])
def test_old_files_are_left_to_the_ceps_that_has_made_them(tmp_path: Path, version: int) -> None:
    """Readers find all that is in a file of an older version, which stays as it is; so does a build of another ceps
    that is refused there."""
    with Store.open(tmp_path, {"ceps": "old"}) as store:
        fill(store)
        made = store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0))
    make_older(tmp_path, version)
    before = (tmp_path / "ceps.sqlite").read_bytes()
    with Store.read_only(tmp_path) as store:
        assert store.executions(KEY) == [made]
        assert store.sittings() == []
    with pytest.raises(UserError, match='ceps: "old" -> "new"'):
        Store.open(tmp_path, {"ceps": "new"})
    assert (tmp_path / "ceps.sqlite").read_bytes() == before


def test_what_a_killed_writer_has_left_is_not_touched_by_who_is_refused(tmp_path: Path) -> None:
    """Neither the file nor its log changes: who has made them finds them as they were."""
    kept = tmp_path / "kept"
    with Store.open(tmp_path / "run", {"ceps": "old"}) as store:
        fill(store)
        made = store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0))
        shutil.copytree(tmp_path / "run", kept)
    files = [kept / name for name in ("ceps.sqlite", "ceps.sqlite-wal", "ceps.tally")]
    before = [file.read_bytes() for file in files]
    with pytest.raises(UserError, match='ceps: "old" -> "new"'):
        Store.open(kept, {"ceps": "new"})
    assert [file.read_bytes() for file in files] == before
    with Store.open(kept, {"ceps": "old"}) as store:
        assert store.executions(KEY) == [made]


def test_an_old_file_that_cannot_be_brought_up_to_date(tmp_path: Path) -> None:
    """One with columns that it cannot have is told as damaged, to readers and writers, and left as it is."""
    file = filled(tmp_path)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 1")
    before = file.read_bytes()
    for attempt in (Store.read_only, Store.open):
        with pytest.raises(UserError, match="duplicate column name: asker: the file is damaged"):
            attempt(tmp_path)
        assert file.read_bytes() == before
