"""Run directories from strangers may hold links, pipes and devices: nothing outside is written to, nothing hangs."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.exporting import Format, export
from ceps.files import write_whole
from ceps.store import Store
from ceps.store.database import FILE_NAME
from ceps.store.lock import LOCK_NAME
from ceps.store.seal import SEAL_NAME
from ceps.store.tally import TALLY_NAME
from tests.security.stranger import PORTFOLIO, stored
from tests.torture.mangled import bounded
from tests.torture.no_files import NO_FILES, Place, long_name

KEPT = "what nobody may write to"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The run directory of a build, with something of every kind to export."""
    folder = tmp_path / "run"
    stored(folder)
    (folder / "portfolio.json").write_text(json.dumps(PORTFOLIO))
    return folder


EXPORTED = {
    Format.CSV: "runs.csv",
    Format.INSTANCES: "fine.tsp",
    Format.CONFIGURATIONS: "commands.txt",
}


@pytest.mark.parametrize("kind", EXPORTED)
def test_exports_write_to_no_link(run: Path, kind: Format) -> None:
    """Neither where a file is to be, nor where its folder is: the user is told which, and of a way out."""
    victim, elsewhere = run.parent / "victim", run.parent / "elsewhere"
    victim.write_text(KEPT)
    elsewhere.mkdir()
    out = run / "export" / kind.value
    out.mkdir(parents=True)
    (out / EXPORTED[kind]).symlink_to(victim)
    with pytest.raises(UserError, match=f"{EXPORTED[kind]}: a link leads out of .* --out"):
        export(run, kind, out)
    (out / EXPORTED[kind]).unlink()
    for each in out.iterdir():
        each.unlink()
    out.rmdir()
    out.symlink_to(elsewhere)
    with pytest.raises(UserError, match="a link leads out of"):
        export(run, kind, out)
    assert victim.read_text() == KEPT
    assert list(elsewhere.iterdir()) == []
    # What the user names may be a link, and is where it leads.
    mine = run.parent / "mine"
    mine.symlink_to(elsewhere)
    assert mine / EXPORTED[kind] in export(run, kind, mine)
    assert (elsewhere / EXPORTED[kind]).is_file()


OPENED = [Store.open, Store.read_only]
OWN_FILES = [FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}.new", LOCK_NAME, SEAL_NAME, TALLY_NAME]


@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize("name", OWN_FILES)
def test_a_store_is_no_link(run: Path, name: str, opened: Callable[[Path], Store]) -> None:
    """A directory in which a file of the store leads elsewhere is refused before anything is read or written."""
    victim = run.parent / "victim"
    victim.write_text(KEPT)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(victim)
    with pytest.raises(UserError, match=f"{name}: this is no ordinary file"):
        opened(run)
    assert victim.read_text() == KEPT


@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize("name", OWN_FILES)
@pytest.mark.parametrize("place", [place for place in NO_FILES if place is not long_name])
def test_a_store_of_no_files_is_opened_or_told(
    run: Path, name: str, place: Place, opened: Callable[[Path], Store]
) -> None:
    """What is no file is not waited for, nor read for ever, nor until the memory is full."""
    (run / name).unlink(missing_ok=True)
    place(run / name)
    with bounded(), suppress(UserError):
        opened(run).close()


def test_a_file_that_is_written_whole_replaces_a_link(tmp_path: Path) -> None:
    """Where a link is, there is a file afterwards, and what it led to is as it was."""
    victim, link = tmp_path / "victim", tmp_path / "report.html"
    victim.write_text(KEPT)
    link.symlink_to(victim)
    write_whole(link, b"new")
    assert victim.read_text() == KEPT
    assert (link.is_symlink(), link.read_bytes()) == (False, b"new")
