"""The live page, asked for over real HTTP on the loopback."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from ceps.errors import UserError
from ceps.report.facts import Facts
from ceps.report.live import LEAST_REST, Made, Server, Watch, serve
from tests.report.made import build_facts, unfinished_facts


@dataclass
class Subject:
    """What is watched: facts that change, read from files that change, by a clock that is moved."""

    directory: Path
    facts: Facts = field(default_factory=unfinished_facts)
    error: Exception | None = None
    reads: int = 0
    time: float = 0.0

    def read(self) -> Facts:
        self.reads += 1
        if self.error is not None:
            raise self.error
        return self.facts

    def write(self, facts: Facts) -> None:
        self.facts = facts
        with (self.directory / "ceps.sqlite-wal").open("a") as file:
            file.write("more")

    def watch(self) -> Watch:
        return Watch(self.directory, self.read, lambda: self.time)


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return Subject(tmp_path)


@contextmanager
def served(subject: Subject, address: str = "127.0.0.1") -> Iterator[Server]:
    with Server(subject.watch(), address, 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server: Server, path: str, method: str = "GET", host: str | None = None) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    try:
        connection.request(method, path, headers={} if host is None else {"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


def test_the_page_and_its_version(subject: Subject) -> None:
    """The page has the version in it that the server tells, and is not to be kept by anybody."""
    with served(subject) as server:
        status, text, headers = ask(server, "/")
        assert status == 200
        assert "small-1" in text
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["Cache-Control"] == "no-store"
        (version,) = re.findall(r'data-live="(\w+)"', text)
        assert ask(server, "/version")[:2] == (200, version)


def test_head_has_no_body(subject: Subject) -> None:
    """But says how long it would be."""
    with served(subject) as server:
        status, text, headers = ask(server, "/", "HEAD")
        assert (status, text) == (200, "")
        assert int(headers["Content-Length"]) > 10_000


@pytest.mark.parametrize("path", ["/ceps.sqlite", "/../etc/passwd", "/index.html", "/?x"])
def test_there_is_nothing_else(subject: Subject, path: str) -> None:
    """Any other path is not found."""
    with served(subject) as server:
        assert ask(server, path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(subject: Subject, method: str) -> None:
    """There are no other methods than GET and HEAD."""
    with served(subject) as server:
        assert ask(server, "/", method)[0] == 501


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("evil.example", 403),
        ("evil.example:8000", 403),
        ("localhost.evil.example", 403),
        ("192.168.0.7", 403),
        ("", 403),
    ],
)
def test_only_its_own_name_is_answered(subject: Subject, host: str, status: int) -> None:
    """A page of somebody else whose name was pointed here learns nothing."""
    with served(subject) as server:
        assert ask(server, "/", host=host)[0] == status
        assert ask(server, "/version", host=host)[0] == status


def test_an_open_address_is_answered_by_number(subject: Subject) -> None:
    """Who listens everywhere is asked under addresses that it cannot know; names of others are refused still."""
    with served(subject, "0.0.0.0") as server:
        assert ask(server, "/version", host="192.168.0.7:80")[0] == 200
        assert ask(server, "/version", host="evil.example")[0] == 403


def test_the_page_is_made_again_when_something_was_written(subject: Subject) -> None:
    """Not before, and not while it rests."""
    watch = subject.watch()
    first = watch.page()
    subject.time += 1000.0
    assert watch.page() is first
    subject.write(build_facts())
    second = watch.page()
    assert second.version != first.version
    assert subject.reads == 2
    subject.write(replace(build_facts(), runs=1))
    assert watch.page() is second
    subject.time += LEAST_REST / 2
    assert watch.page() is second
    subject.time += 1e6
    assert watch.page().version not in (first.version, second.version)


def test_the_same_facts_are_the_same_version(subject: Subject) -> None:
    """What was written need not be seen."""
    watch = subject.watch()
    first = watch.page()
    subject.time += 1000.0
    subject.write(subject.facts)
    assert watch.page() == first
    assert subject.reads == 2


@pytest.mark.parametrize("is_first", [True, False])
def test_nobody_waits_for_a_page_that_another_one_has_asked_for(subject: Subject, is_first: bool) -> None:
    """While it is made the last one is shown; where there is none, one that says so."""
    watch = subject.watch()
    shown = "" if is_first else watch.page().version
    subject.time += 1000.0
    subject.write(build_facts())
    reading, go_on, made = threading.Event(), threading.Event(), list[Made]()
    read = subject.read

    def slow_read() -> Facts:
        reading.set()
        assert go_on.wait(30)
        return read()

    watch._read = slow_read
    thread = threading.Thread(target=lambda: made.append(watch.page()))
    thread.start()
    assert reading.wait(30)
    meanwhile = watch.page()
    go_on.set()
    thread.join()
    assert ("The first page is being made" in meanwhile.text) if is_first else (meanwhile.version == shown)
    assert made[0].version != meanwhile.version


@pytest.mark.parametrize(
    "error",
    [UserError("there is no store in it yet"), OSError(5, "Input/output error"), KeyError("no store is like this")],
)
def test_what_cannot_be_read_is_told_and_watched_further(subject: Subject, error: Exception) -> None:
    """A page says why, and is followed by the real one."""
    subject.error = error
    with served(subject) as server:
        status, text, _ = ask(server, "/")
        assert status == 200
        assert "Nothing to show yet" in text
        assert ("no store" in text) or ("Input/output error" in text)
        assert "Traceback" not in text
        subject.error = None
        subject.facts = build_facts()
        subject.time += 1000.0
        assert "Portfolio" in ask(server, "/")[1]


def test_why_there_is_nothing_to_show_is_told_once(subject: Subject) -> None:
    """However often the page is asked for; again when the reason is another one, or was mended in between."""
    told: list[str] = []
    watch = Watch(subject.directory, subject.read, lambda: subject.time, told.append)

    def page_after(error: Exception | None) -> str:
        subject.error = error
        subject.time += 1000.0
        subject.write(subject.facts)
        return watch.page().text

    for error in (UserError("a"), UserError("a"), KeyError("b"), None, KeyError("b")):
        assert ("Nothing to show yet" in page_after(error)) == (error is not None)
    assert told == ["a", *[f"{subject.directory} cannot be shown: KeyError('b')"] * 2]


def test_a_port_that_is_taken_is_the_users_mistake(subject: Subject) -> None:
    """And the message names the option."""
    with served(subject) as server, pytest.raises(UserError, match=f"--port {server.server_port}"):
        serve(subject.directory, subject.read, port=server.server_port)


@pytest.mark.parametrize("address", ["", "ä" * 70])
def test_what_is_no_address_is_the_users_mistake(subject: Subject, address: str) -> None:
    """An empty one, say of a variable that is not set, would be all addresses."""
    with pytest.raises(UserError, match="--address"):
        serve(subject.directory, subject.read, address)


def test_serving_tells_its_address_and_ends_when_interrupted(subject: Subject) -> None:
    """The URL has the port that was free."""
    told: list[str] = []

    def interrupt(url: str) -> None:
        told.append(url)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        serve(subject.directory, subject.read, ready=interrupt)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", told[0])
