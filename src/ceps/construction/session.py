"""One session: a process that searches one configuration, or several at once, and asks the driver for every score.

Sessions are forked from a host process that has imported the search once; importing it takes seconds. The host is
started as ``python -P -m ceps.construction.session DESCRIPTOR``, receives the sockets of new sessions over its own
socket, tells how each session has ended, and ends, with all sessions, when the driver does.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import sys
from collections import deque
from typing import TYPE_CHECKING

from ceps import _native
from ceps.construction.messages import SessionOrder, SessionResult, TrialAnswer, TrialRequest
from ceps.execution import wire

if TYPE_CHECKING:
    from ceps.construction.search import Trial


MOST_FREE_TRIALS = 300
"""Trials in a row that cost nothing, after which a session ends: its account never would."""


def search_for(order: SessionOrder, connection: socket.socket) -> SessionResult:
    """Ask, have it scored, tell, until the account is empty. Scores are folded in the order of asking."""
    import numpy as np  # noqa: PLC0415

    from ceps.construction.search import Search, SearchSettings  # noqa: PLC0415

    features = np.array(order.features, dtype=float) if any(order.features) else None
    search = Search(
        solvers=order.solvers,
        features=features,
        n_instances=len(order.features),
        starts=order.starts,
        seed=order.seed,
        settings=SearchSettings(),
        width=order.width,
    )
    charged, trials, free = 0.0, 0, 0
    pending: deque[Trial] = deque()
    answers: dict[int, TrialAnswer] = {}
    while True:
        while (
            (charged < order.grant or trials + len(pending) == 0)  # One in any case: it must have something to tell.
            and free < MOST_FREE_TRIALS
            and len(pending) < order.in_flight
            and (trial := search.ask()) is not None
        ):
            wire.send(connection, TrialRequest(trial.number, trial.members, trial.instance, trial.seed))
            pending.append(trial)
        if not pending:
            return SessionResult(search.standing.members, charged, trials)
        oldest = pending.popleft()
        while oldest.number not in answers:
            answer: TrialAnswer = wire.receive(connection)
            answers[answer.number] = answer
        answer = answers.pop(oldest.number)
        search.tell(oldest, answer.score)
        charged, trials = charged + answer.charge, trials + 1
        free = 0 if answer.charge > 0.0 else free + 1


def _be_a_session(connection: socket.socket) -> None:
    """The forked side. Never returns."""
    status = 1
    try:
        _native.die_with_parent()
        order: SessionOrder = wire.receive(connection)
        wire.send(connection, search_for(order, connection))
        status = 0
    except wire.ConnectionLostError:
        pass  # The driver is gone or has no more use for this session.
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(status)


def _fork_session(host: socket.socket) -> tuple[int, socket.socket] | None:
    """A new session, and where to tell how it has ended; None when the driver is gone."""
    message, descriptors, _, _ = socket.recv_fds(host, 1, 2)
    if not message:
        return None
    connection, fate = (socket.socket(fileno=descriptor) for descriptor in descriptors)
    with connection:
        session = os.fork()
        if session == 0:
            host.close()
            _be_a_session(connection)
    return session, fate


def _tell_end(session: int, fate: socket.socket) -> None:
    """The exit code of a session that has ended; if it was killed, the signal's number below zero."""
    _, status = os.waitpid(session, 0)
    with fate, contextlib.suppress(wire.ConnectionLostError):  # Nobody is interested any more.
        wire.send(fate, os.waitstatus_to_exitcode(status))


def main() -> None:
    """The host: forks a session for every pair of sockets it is sent."""
    host = socket.socket(fileno=int(sys.argv[1]))
    start: list[str] = wire.receive(host)
    sys.path[:] = start
    import ceps.construction.search  # noqa: F401, PLC0415

    with selectors.DefaultSelector() as events:
        events.register(host, selectors.EVENT_READ)
        while True:
            for event, _ in events.select():
                if event.fileobj is not host:
                    events.unregister(event.fileobj)
                    os.close(event.fd)
                    _tell_end(*event.data)
                elif (forked := _fork_session(host)) is not None:
                    events.register(os.pidfd_open(forked[0]), selectors.EVENT_READ, forked)
                else:
                    return


if __name__ == "__main__":
    main()
