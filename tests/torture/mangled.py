"""Files that were good once, and limits within which whoever reads them has to come to an end."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from hypothesis import strategies as st

MOST_CPU = 20.0
"""Seconds for reading one file. Files here have up to some hundred kilobytes."""
MOST_WAITING = 120.0
"""Seconds by the clock, in which a busy machine has read any file: who needs more waits for what never comes."""
MOST_MEMORY = 512 * 1024**2
"""Bytes for reading one file, beyond what the process has."""

WORDS: list[bytes] = [
    *(b"", b"0", b"-0", b"-1", b"+1", b"1.5", b".5", b"5.", b"1e5", b"1_000", b"0x10", b"1,5"),
    *(b"nan", b"inf", b"-Infinity", b"1e400", b"-1e400", b"1e-400", b"NaN", b"Infinity"),
    *(b"1000000000000", b"999999999999999999", b"9" * 19, b"9" * 400, b"9" * 5000, b"1" * 100_000 + b"x"),
    *("٣".encode(), "１２".encode(), "²".encode(), "é".encode(), "é".encode("latin-1"), "\u2028".encode()),
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x1b[31m", b"\x85", b"\x0c", b"\r"),
    *(b"EOF", b"-1", b":", b"=", b"#", b"[", b"]", b"{", b"}", b'"', b"'", b"\\", b"'''", b'"""', b",", b"."),
    *(b"true", b"null", b"[]", b"{}", b"[[]]", b'"\\ud800"', b"1979-05-27", b"inf ", b"99999h", b"1e308GiB"),
    *(b"../../x", b"/dev/zero", b"~nobody/x", b"$(touch x)", b"`x`", b"; x", b"a\nb", b"%s%n", b"{0}", b"-rf"),
    *(b"[" * 5000, b"{" * 5000, b'{"a":' * 5000, b"a." * 500, b"x" * 200_000, b" " * 100_000, b"\n" * 10_000),
]
"""What stands in files that people, other programs, accidents and enemies have written."""


class TooMuch(BaseException):
    """A reader has used more time than any file is worth. No reader can catch it by mistake."""


@contextmanager
def bounded() -> Iterator[None]:
    """Within this, a reader that goes on and on is stopped, and one that wants all the memory gets none."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise TooMuch(f"more than {MOST_CPU:g} CPU seconds, or {MOST_WAITING:g} seconds by the clock")

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, MOST_CPU)
    signal.setitimer(signal.ITIMER_REAL, MOST_WAITING)
    resource.setrlimit(resource.RLIMIT_DATA, (_own_data() + MOST_MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _own_data() -> int:
    with open("/proc/self/status", "rb") as status:
        (line,) = (line for line in status if line.startswith(b"VmData:"))
    return 1024 * int(line.split()[1])


Draw = Callable[[st.SearchStrategy[Any]], Any]
Edit = Callable[[Draw, bytes], bytes]


def _cut(draw: Draw, content: bytes) -> bytes:
    return content[: draw(st.integers(0, len(content)))]


def _flip(draw: Draw, content: bytes) -> bytes:
    if not content:
        return content
    place = draw(st.integers(0, len(content) - 1))
    return content[:place] + bytes([draw(st.integers(0, 255))]) + content[place + 1 :]


def _insert(draw: Draw, content: bytes) -> bytes:
    place = draw(st.integers(0, len(content)))
    return content[:place] + draw(st.sampled_from(WORDS) | st.binary(max_size=20)) + content[place:]


def _remove_part(draw: Draw, content: bytes) -> bytes:
    start = draw(st.integers(0, len(content)))
    return content[:start] + content[draw(st.integers(start, len(content))) :]


def _repeat_part(draw: Draw, content: bytes) -> bytes:
    start = draw(st.integers(0, len(content)))
    end = draw(st.integers(start, min(len(content), start + 200)))
    return content[:end] + content[start:end] * draw(st.integers(1, 50)) + content[end:]


def _of_lines(change: Callable[[Draw, list[bytes], int], None]) -> Edit:
    def edit(draw: Draw, content: bytes) -> bytes:
        lines = content.split(b"\n")
        change(draw, lines, draw(st.integers(0, len(lines) - 1)))
        return b"\n".join(lines)

    return edit


def _remove_line(draw: Draw, lines: list[bytes], number: int) -> None:
    del lines[number]


def _repeat_line(draw: Draw, lines: list[bytes], number: int) -> None:
    lines[number:number] = [lines[number]] * draw(st.integers(1, 3))


def _swap_lines(draw: Draw, lines: list[bytes], number: int) -> None:
    other = draw(st.integers(0, len(lines) - 1))
    lines[number], lines[other] = lines[other], lines[number]


def _replace_word(draw: Draw, lines: list[bytes], number: int) -> None:
    words = lines[number].split(b" ")
    words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
    lines[number] = b" ".join(words)


EDITS: list[Edit] = [
    _cut,
    _flip,
    _insert,
    _remove_part,
    _repeat_part,
    *(_of_lines(change) for change in (_remove_line, _repeat_line, _swap_lines, _replace_word, _replace_word)),
]


@st.composite
def mangled(draw: Draw, originals: list[bytes]) -> bytes:
    """One of some good files after a few accidents; or, now and then, any bytes at all."""
    if draw(st.integers(0, 19)) == 0:
        return draw(st.binary(max_size=300))
    content = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(1, 5))):
        content = draw(st.sampled_from(EDITS))(draw, content)
    return content
