"""The page as a file, and the command that makes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ceps.building import Built
from ceps.cli import app
from ceps.errors import UserError
from ceps.report.writing import write_page


def test_a_page_is_written_whole(tmp_path: Path) -> None:
    """It replaces an older one, its size is told in bytes, and nothing else is left."""
    file = tmp_path / "report.html"
    file.write_text("old")
    assert write_page("<p>ä</p>", file) == 9
    assert file.read_text() == "<p>ä</p>"
    assert list(tmp_path.iterdir()) == [file]


def test_where_it_cannot_be_written_is_told(tmp_path: Path) -> None:
    """With the file's name and the way out; nothing half-written is left."""
    (tmp_path / "report.html").mkdir()
    (tmp_path / "file").touch()
    places = ("report.html", "none/report.html", "file/report.html", f"{'long' * 60}.report.html")
    for place in places:
        with pytest.raises(UserError, match=r"report\.html: cannot be written: .*; name another file with --out"):
            write_page("text", tmp_path / place)
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "file"}


def test_the_command_writes_into_the_run_directory(finished: tuple[Built, Path], tmp_path: Path) -> None:
    """Or where it is told to, and says where and how large."""
    pytest.importorskip("ceps.report.page")
    done = CliRunner().invoke(app, ["report", str(finished[1])])
    assert done.exit_code == 0
    assert done.stdout.startswith(str(finished[1] / "report.html"))
    other = tmp_path / "a.html"
    assert CliRunner().invoke(app, ["report", str(finished[1]), "--out", str(other)]).exit_code == 0
    assert other.read_text() == (finished[1] / "report.html").read_text()


def test_the_command_tells_what_is_wrong(tmp_path: Path) -> None:
    """No run directory, no folder to write to: exit code 2 and a message."""
    pytest.importorskip("ceps.report.page")
    assert CliRunner().invoke(app, ["report", str(tmp_path)]).exit_code == 2
    assert CliRunner().invoke(app, ["report", str(tmp_path), "--out", str(tmp_path / "none" / "a.html")]).exit_code == 2
