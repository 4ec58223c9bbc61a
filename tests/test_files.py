"""Files are whole or not there, and folders are gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ceps.files import remove_tree, write_whole


def test_a_file_is_replaced_by_a_whole_one(tmp_path: Path) -> None:
    """The new content is there to the last byte, and nothing else is left."""
    file = tmp_path / "file"
    file.write_text("old and longer")
    write_whole(file, b"new\0")
    assert file.read_bytes() == b"new\0"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("place", ["folder", "none/file", "file/file", "long" * 64])
def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, place: str) -> None:
    """A name that is a folder's, one in no folder and one that is too long are errors, and all is as it was."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(OSError, match=r"\[Errno"):
        write_whole(tmp_path / place, b"content")
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "file"}
    assert (tmp_path / "file").read_text() == "kept"


def test_folders_are_removed_however_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deeper than names may be long and calls may be nested, shut, with files on the way; what links lead to stays."""
    kept, top = tmp_path / "kept", tmp_path / "top"
    kept.mkdir()
    (kept / "file").touch()
    top.mkdir()
    monkeypatch.chdir(top)
    for _ in range(1500):
        Path("file").touch()
        Path("link").symlink_to(kept)
        Path("beside").mkdir()
        Path("inner").mkdir()
        os.chdir("inner")
    Path().chmod(0)
    os.chdir(tmp_path)
    remove_tree(top)
    assert list(tmp_path.iterdir()) == [kept]
    assert list(kept.iterdir()) == [kept / "file"]


@pytest.mark.parametrize("kind", ["nothing", "file", "link"])
def test_what_is_no_folder_is_removed_itself(tmp_path: Path, kind: str) -> None:
    """A link is removed, not what it leads to."""
    (tmp_path / "kept").mkdir()
    place = tmp_path / "place"
    {"nothing": lambda: None, "file": place.touch, "link": lambda: place.symlink_to(tmp_path / "kept")}[kind]()
    remove_tree(place)
    assert list(tmp_path.iterdir()) == [tmp_path / "kept"]
