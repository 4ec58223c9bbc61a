"""The page of a run that is going on, on a local address, made anew when there is something new."""

from __future__ import annotations

import hashlib
import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ceps.errors import UserError
from ceps.report.facts import Facts
from ceps.report.page import page, page_that_waits
from ceps.store.database import FILE_NAME

LOCAL = "127.0.0.1"
REST = 100.0
"""After a page that took so many CPU seconds, these many times as long no other is made: they take less than 1 %."""
LEAST_REST = 2.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Made:
    """A page, and a short text that is another one for another page."""

    text: str
    version: str


class Watch:
    """Makes the page of a run directory when it is asked for, but not more often than it is worth.

    ``tell`` is told why there is nothing to show, once for each reason.
    """

    def __init__(
        self,
        directory: Path,
        read: Callable[[], Facts],
        now: Callable[[], float] = time.monotonic,
        tell: Callable[[str], None] = lambda why: None,
    ) -> None:
        self._directory = directory
        self._name = directory.name or str(directory)
        self._read = read
        self._now = now
        self._tell = tell
        self._told = ""
        self._making = threading.Lock()
        self._made: Made | None = None
        self._seen: object = None
        self._rest_until = 0.0

    def page(self) -> Made:
        """The present page. While another thread makes the next one, the last one: nobody waits for others."""
        if not self._making.acquire(blocking=False):
            return self._made or _stamped(page_that_waits(self._name, "The first page is being made."))
        try:
            return self._renewed()
        finally:
            self._making.release()

    def _renewed(self) -> Made:
        if self._made is not None and self._now() < self._rest_until:
            return self._made
        # Looked at before it is read: what is written meanwhile is seen the next time.
        present = self._traces()
        if self._made is None or present != self._seen:
            began = time.process_time()
            text, is_whole = self._text()
            self._made = _stamped(text)
            # What could not be read may be readable the next time, also if nobody has written.
            self._seen = present if is_whole else None
            self._rest_until = self._now() + max(LEAST_REST, REST * (time.process_time() - began))
        return self._made

    def _text(self) -> tuple[str, bool]:
        """The page, and whether it is the real one."""
        try:
            text = page(self._read(), live=True)
        except UserError as error:
            why = str(error)
        except Exception as error:  # whoever looks at the page is told, and the server lives on
            why = f"{self._directory} cannot be shown: {error!r}"
        else:
            self._told = ""
            return text, True
        if why != self._told:
            self._told = why
            self._tell(why)
        return page_that_waits(self._name, why), False

    def _traces(self) -> object:
        """What differs when something was written: sizes and times of the store's files."""
        return [_trace(self._directory / f"{FILE_NAME}{ending}") for ending in ("", "-wal")]


def _trace(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _stamped(text: str) -> Made:
    """With its own version in it, so that the page knows what it shows."""
    version = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return Made(text.replace('data-live="yes"', f'data-live="{version}"', 1), version)


class Server(ThreadingHTTPServer):
    """Answers with the page, and with its version."""

    daemon_threads = True

    def __init__(self, watch: Watch, address: str, port: int) -> None:
        if not address:  # which would be all of them
            raise UserError(f"--address is empty; name one, such as {LOCAL}")
        self.watch = watch
        self.address = address
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            super().__init__((address, port), Answer)
        except (OSError, OverflowError, TypeError) as error:  # one of these for any name that cannot be
            raise UserError(f"--address {address} --port {port}: cannot listen there: {error}") from error

    @property
    def url(self) -> str:
        return f"http://{f'[{self.address}]' if ':' in self.address else self.address}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Browsers that go away before the answer are nobody's concern."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def is_meant(self, host: str) -> bool:
        """Whether a request for this host is for us, and not for a name that somebody pointed here."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        name = name.strip("[]").lower()
        if name in ("localhost", LOCAL, "::1", self.address.lower()):
            return True
        if self.address not in ("0.0.0.0", "::"):
            return False
        return name == socket.gethostname().lower() or _is_number(name)


def _is_number(name: str) -> bool:
    """An address, which nobody can point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Answer(BaseHTTPRequestHandler):
    """To one request."""

    server: Server
    server_version = "ceps"
    timeout = 30.0

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        if not self.server.is_meant(self.headers.get("Host", "")):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", "This server answers under its own address only.\n")
        elif self.path == "/":
            self._send(HTTPStatus.OK, "text/html", self.server.watch.page().text)
        elif self.path == "/version":
            self._send(HTTPStatus.OK, "text/plain", self.server.watch.page().version)
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", "There is only one page here: /\n")

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Nobody needs to know."""


def serve(
    directory: Path,
    read: Callable[[], Facts],
    address: str = LOCAL,
    port: int = 0,
    ready: Callable[[str], None] = lambda url: None,
    tell: Callable[[str], None] = lambda why: None,
) -> None:
    """Serve the page of a run directory until interrupted.

    Port 0 is any free one. ``ready`` is told the URL; ``tell``, from another thread, why there is nothing to show.
    """
    with Server(Watch(directory, read, tell=tell), address, port) as server:
        ready(server.url)
        # Features of many instances take a while: who opens the page meanwhile is told so.
        threading.Thread(target=server.watch.page, daemon=True).start()
        server.serve_forever()
