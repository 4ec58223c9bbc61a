"""Files are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceps.files import write_whole


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
