"""One session: a process that searches one configuration, or several at once, and asks the driver for every score.

Sessions are forked from a host process that has imported the search once; importing it takes seconds. The host is
started as ``python -P -m ceps.construction.session DESCRIPTOR``, receives the sockets of new sessions over its own
socket, and ends, with all sessions, when the driver does.
"""

from __future__ import annotations

import os
import signal
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


def main() -> None:
    """The host: forks a session for every socket it is sent."""
    host = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Ended sessions need not be waited for.
    start: list[str] = wire.receive(host)
    sys.path[:] = start
    import ceps.construction.search  # noqa: F401, PLC0415

    while True:
        message, descriptors, _, _ = socket.recv_fds(host, 1, 1)
        if not message:
            return
        with socket.socket(fileno=descriptors[0]) as connection:
            if os.fork() == 0:
                host.close()
                _be_a_session(connection)


if __name__ == "__main__":
    main()
