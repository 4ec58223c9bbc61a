"""A disk that runs full ends the work with a message, and nothing is lost: with space, it goes on to the same end."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.execution.local import LocalExecutor
from ceps.records import Ending
from ceps.testing.executor import bits_run
from ceps.testing.misbehaving import LittersItsDirectory
from tests.torture.builds import PROGRAM, Whole, assert_same, finish, refused, start
from tests.torture.scale import TRIED, scaled

SIZES = [200_000 + 300_000 * number for number in range(scaled(2, 12))]
"""Bytes that there are for a build: it comes to a different moment with each."""
FULL = "disk full? Free space and start again to resume"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte, in memory."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("there is no mount")
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(disk)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"file systems cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def resize(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def fill_up(file: FileIO) -> None:
    while True:
        file.write(b"x" * 4096)


@pytest.mark.parametrize("size", SIZES)
def test_a_build_on_a_full_disk_goes_on_when_there_is_space(whole: Whole, small_disk: Path, size: int) -> None:
    """The build says which file could not be written and what to do, exits with 2, and comes to the same end."""
    resize(small_disk, size)
    out = small_disk / "run"
    told = refused(start(out))
    assert str(out) in told
    assert FULL in told or "No space left on device" in told
    TRIED["builds on a full disk"] += 1
    resize(small_disk, 64 * 1024**2)
    _, last = finish(start(out))
    assert_same(out, last, whole)


@pytest.mark.parametrize("size", SIZES)
def test_a_build_whose_files_may_not_grow_goes_on_when_they_may(whole: Whole, tmp_path: Path, size: int) -> None:
    """The same where the system refuses to let a file grow."""
    limit = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, 2 * (int(sys.argv[1]),)); "
    command = [sys.executable, "-c", limit + "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])", str(size)]
    told = refused(
        subprocess.Popen(
            [*command, str(PROGRAM), str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    )
    assert str(tmp_path / "ceps.sqlite") in told
    assert FULL in told
    TRIED["builds on a full disk"] += 1
    _, last = finish(start(tmp_path))
    assert_same(tmp_path, last, whole)


def test_a_full_disk_of_temporary_files_is_no_fault_of_a_run(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that cannot write its files is not recorded as a crash: the work stops with a message, and can go on."""
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))
    with LocalExecutor(workers=1) as executor:
        assert executor.submit(bits_run(LittersItsDirectory())).result().ending is Ending.FINISHED
        filler = small_disk / "filler"
        with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left on device"):
            fill_up(file)
        with pytest.raises(UserError, match="the disk is full; free space and start again to resume"):
            executor.submit(bits_run(LittersItsDirectory())).result()
        filler.unlink()
        assert executor.submit(bits_run(LittersItsDirectory())).result().ending is Ending.FINISHED


def test_no_place_for_temporary_files_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder for them, nothing is started, and the message says what to set."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(UserError, match="set TMPDIR"):
        LocalExecutor(workers=1)
