"""``ceps watch`` as people run it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ceps.store import Store

CEPS = str(Path(sys.executable).with_name("ceps"))


@contextmanager
def watched(run: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the URL that it has told."""
    command = [CEPS, "watch", str(run), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+/) \(Ctrl-C ends\)", said)
        assert found, said
        yield process, found.group(1)
    finally:
        process.kill()
        process.communicate()


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        text = answer.read().decode()
        assert isinstance(text, str)
        return text


def shown(url: str) -> str:
    """The first page that is more than a promise."""
    while "The first page is being made" in (text := fetched(url)):
        pass
    return text


def test_it_waits_for_a_run_and_ends_by_an_interrupt(tmp_path: Path) -> None:
    """Before there is a directory page and terminal say so; Ctrl-C is an end like any other."""
    with watched(tmp_path / "later") as (process, url):
        assert "Nothing to show yet" in shown(url)
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "nothing to show yet" in complaints
        assert "does not exist" in complaints
        assert "Traceback" not in complaints


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_damaged_store_is_told(tmp_path: Path, content: bytes) -> None:
    """The page and, once, the terminal say so; the server lives on, for a copy may be restored, and its end is one
    like any other."""
    (tmp_path / "ceps.sqlite").write_bytes(content)
    with watched(tmp_path) as (process, url):
        assert "Nothing to show yet" in shown(url)
        assert fetched(url + "version")
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
        assert process.returncode == 0
        assert complaints.replace("\n", " ").count("restore it from a copy") == 1


def test_a_directory_of_something_else_is_told(tmp_path: Path) -> None:
    """The message is the store's own."""
    Store.open(tmp_path / "run").close()
    with watched(tmp_path / "run") as (_, url):
        assert "not the run directory of a build" in shown(url)


def test_an_address_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    """It is told with a warning that others may read the page."""
    command = [CEPS, "watch", str(tmp_path), "--address", "203.0.113.7"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 2
    assert "whoever can reach 203.0.113.7" in ended.stderr
    assert "cannot listen there" in ended.stderr
