"""A store that was closed is sealed: whatever happens to its file is noticed before anything is built upon it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.records import Configuration, Ending, Outcome, RunKey
from ceps.store import Store, StoredInstance
from ceps.store.seal import SEAL_NAME

CONFIGURATION = Configuration.of("s", {"a": 1})
KEY = RunKey("s", "1", CONFIGURATION.id, "i", seed=1, target=None, memory=2**30)
OUTPUT = "what a failed run has printed"


def fill(store: Store) -> None:
    store.add_configuration(CONFIGURATION)
    store.add_instance(StoredInstance("i", "p", "i", "content"))
    store.record(KEY, 10.0, Outcome(Ending.CRASHED, cpu=1.0, output=OUTPUT))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """That of a store with one run, closed."""
    with Store.open(tmp_path) as store:
        fill(store)
    return tmp_path


def change_a_value(directory: Path) -> None:
    """One letter of a text: a file as whole as before, for SQLite."""
    file = directory / "ceps.sqlite"
    content = file.read_bytes()
    assert content.count(OUTPUT.encode()) == 1
    file.write_bytes(content.replace(b"a failed run", b"a foiled run"))


def test_a_sealed_store_is_opened(directory: Path) -> None:
    """Reading leaves the seal whole; writing takes it away, and closing puts it back."""
    Store.read_only(directory).close()
    Store.read_only(directory).close()
    with Store.open(directory) as store:
        assert not (directory / SEAL_NAME).exists()
        store.record(KEY, 10.0, Outcome(Ending.FINISHED, cpu=1.0))
        with Store.read_only(directory) as reader:
            assert len(reader.executions(KEY)) == 2
    assert (directory / SEAL_NAME).exists()
    with Store.read_only(directory) as store:
        assert len(store.executions(KEY)) == 2


@pytest.mark.parametrize("opened", [Store.open, Store.read_only])
def test_a_changed_value_is_noticed(directory: Path, opened: Callable[[Path], Store]) -> None:
    """A value that has changed, which SQLite cannot see, is refused by the file's name and with the ways out."""
    change_a_value(directory)
    before = (directory / "ceps.sqlite").read_bytes()
    with pytest.raises(UserError, match=r"ceps\.sqlite has changed since ceps closed it: .*damaged.*remove ceps\.seal"):
        opened(directory)
    assert (directory / "ceps.sqlite").read_bytes() == before
    (directory / SEAL_NAME).unlink()
    with opened(directory) as store:
        assert [row.outcome.output for row in store.executions(KEY)] == [OUTPUT.replace("failed", "foiled")]


def test_what_was_pending_counts(directory: Path) -> None:
    """Changes by another program that are not in the file itself yet are seen, though the seal fits the file."""
    kept = directory / "kept"
    with closing(sqlite3.connect(directory / "ceps.sqlite")) as connection:
        connection.execute("UPDATE runs SET cpu = 2.0")
        connection.commit()
        shutil.copytree(directory, kept)
    with Store.read_only(kept) as store:
        assert [row.outcome.cpu for row in store.executions(KEY)] == [2.0]


def test_a_killed_writer_leaves_no_seal(tmp_path: Path) -> None:
    """What lies there when a writer is killed has no seal, is opened all the same, and nothing of it is lost."""
    kept = tmp_path / "kept"
    with Store.open(tmp_path / "run") as store:
        fill(store)
        shutil.copytree(tmp_path / "run", kept)
    assert not (kept / SEAL_NAME).exists()
    with Store.open(kept) as store:
        assert len(store.executions(KEY)) == 1
    assert (kept / SEAL_NAME).exists()


@pytest.mark.parametrize("content", [b"", b"0123", b"\xff" * 33, b"0" * 63 + b"\n", b"G" * 64])
def test_half_a_seal_is_none(directory: Path, content: bytes) -> None:
    """A seal that was cut short, by a power failure say, does not make a good file a bad one."""
    (directory / SEAL_NAME).write_bytes(content)
    with Store.open(directory) as store:
        assert len(store.executions(KEY)) == 1


def test_a_seal_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    """Where something stands in the seal's place, closing goes well and, without that, the store is opened again."""
    store = Store.open(tmp_path)
    fill(store)
    (tmp_path / SEAL_NAME).mkdir()
    store.close()
    (tmp_path / SEAL_NAME).rmdir()
    with Store.read_only(tmp_path) as reader:
        assert len(reader.executions(KEY)) == 1
