"""One process at a time works in a run directory."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from ceps.errors import InUseError, UserError

LOCK_NAME = "ceps.lock"


def lock(directory: Path) -> int:
    """Take a directory for this process: the descriptor to close in order to give it back.

    The kernel gives it back when the process dies. The file stays: removing it would let two processes hold it.
    """
    path = directory / LOCK_NAME
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror}); choose a directory that can") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on host {socket.gethostname()}".encode())
    except BlockingIOError:
        holder = os.pread(descriptor, 1024, 0).decode(errors="replace") or "another process"
        os.close(descriptor)
        raise InUseError(f"{directory} is in use by {holder}; wait for it or use another directory") from None
    except OSError as error:
        os.close(descriptor)
        raise UserError(
            f"{path}: cannot be locked ({error.strerror}); free space, or use a directory on another disk"
        ) from error
    return descriptor
