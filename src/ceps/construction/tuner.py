"""The tuner's side of the driver: n sessions at a time, each searching configurations to join a rest portfolio.

A session is a process of its own (see :mod:`ceps.construction.session`) that asks the driver for scores over a socket.
It is told min(f(s, Θ̄), f(s, θ')): exact also where θ' was capped by the rest, so no censored value reaches its model.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import astuple, dataclass
from math import fsum
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from ceps import seeds
from ceps.construction.features import feature_rows
from ceps.construction.messages import SessionOrder, SessionResult, TrialAnswer, TrialRequest
from ceps.construction.scoring import Scored, portfolio_score, raced_score
from ceps.errors import UserError
from ceps.evaluator import Evaluator
from ceps.execution import wire
from ceps.execution.local import single_threaded_environment
from ceps.findings import Finding, Findings
from ceps.records import Configuration
from ceps.solvers.solver import Solver


@dataclass(frozen=True, slots=True)
class Search:
    """What one session is to do: improve ``rest`` by ``width`` configurations within ``grant`` CPU seconds."""

    instances: tuple[Any, ...]
    """What it is to be improved on."""
    rest: tuple[Configuration, ...]
    starts: tuple[Configuration, ...]
    """Configurations to try first, ``width`` at a time."""
    seed: int
    grant: float
    in_flight: int = 1
    """Trials under way at a time; their scores are folded in the order of asking."""
    solver: str | None = None
    """The solver whose configurations are searched; None: those of all."""
    width: int = 1
    """How many configurations are searched for together."""
    with_history: bool = False
    """Whether all trials are to be told, beside what was found. For searches of one configuration."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """What a trial came to."""

    configuration: Configuration
    instance: str
    """Its id."""
    score: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a session came to."""

    members: tuple[Configuration, ...]
    """What is to join the rest."""
    charge: float
    trials: int
    side_by_side: float
    """What the trials would have cost with all members side by side until one has solved the instance."""

    findings: tuple[Finding, ...] = ()
    """What the trials say of the instances: a session that is taken from the journal makes none."""
    history: tuple[TrialScore, ...] = ()
    """All trials in the order of asking, if they are wanted."""

    @property
    def configuration(self) -> Configuration:
        """The only one that was searched for."""
        (only,) = self.members
        return only

    def as_json(self) -> dict[str, Any]:
        # Configurations are long, and most have several trials: each is told once.
        tried = list(dict.fromkeys(trial.configuration for trial in self.history))
        numbers = {configuration: number for number, configuration in enumerate(tried)}
        return {
            "members": [_as_json(member) for member in self.members],
            "charge": self.charge,
            "trials": self.trials,
            "side_by_side": self.side_by_side,
            "findings": [astuple(each) for each in self.findings],
            "tried": [_as_json(configuration) for configuration in tried],
            "history": [[numbers[trial.configuration], trial.instance, trial.score] for trial in self.history],
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Found:
        tried = [_from_json(each) for each in content["tried"]]
        return cls(
            members=tuple(_from_json(member) for member in content["members"]),
            charge=content["charge"],
            trials=content["trials"],
            side_by_side=content["side_by_side"],
            findings=tuple(Finding(*each) for each in content["findings"]),
            history=tuple(TrialScore(tried[number], instance, score) for number, instance, score in content["history"]),
        )


def _as_json(configuration: Configuration) -> dict[str, Any]:
    return {"solver": configuration.solver, "parameters": configuration.as_dict()}


def _from_json(content: Mapping[str, Any]) -> Configuration:
    return Configuration.of(content["solver"], content["parameters"])


class Tuner(Protocol):
    """Runs sessions."""

    def tune(
        self,
        evaluator: Evaluator,
        searches: Sequence[Search],
        on_found: Callable[[int, Found], None],
    ) -> list[Found]:
        """All searches, side by side; ``on_found`` is called with each as it ends, from any thread."""


class ProcessTuner:
    """Sessions as processes, which search the configurations of all ``solvers``. Close it, or use it in ``with``.

    ``seed`` is the build's: it decides the solver seeds that all sessions have in common.
    """

    def __init__(self, solvers: Sequence[Solver], seed: int) -> None:
        self._solvers = tuple(solvers)
        self._seed = seed
        self._host, other_end = socket.socketpair()
        with other_end:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ceps.construction.session", str(other_end.fileno())],
                pass_fds=[other_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=single_threaded_environment(),
                start_new_session=True,
            )
        wire.send(self._host, [str(Path(entry).resolve()) for entry in sys.path])

    def tune(
        self,
        evaluator: Evaluator,
        searches: Sequence[Search],
        on_found: Callable[[int, Found], None],
    ) -> list[Found]:
        instances = {instance.id: instance for search in searches for instance in search.instances}
        features = dict(zip(instances, feature_rows(evaluator.problem, instances.values()), strict=True))
        threads = ThreadPoolExecutor(max(1, len(searches)))
        sessions = [_Session(evaluator, search, self._seed) for search in searches]

        def hold(index: int) -> Found:
            connection, fate = self._start()
            with connection, fate:
                try:
                    found = sessions[index].run(connection, self._order(searches[index], features))
                except wire.ConnectionLostError as error:
                    raise self._ended(fate) from error
            on_found(index, found)
            return found

        try:
            return list(threads.map(hold, range(len(sessions))))
        finally:
            for session in sessions:
                session.hang_up()
            threads.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        self._host.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _order(self, search: Search, features: Mapping[str, tuple[float, ...]]) -> SessionOrder:
        return SessionOrder(
            solvers=tuple(each for each in self._solvers if search.solver in (None, each.name)),
            features=tuple(features[instance.id] for instance in search.instances),
            starts=search.starts,
            width=search.width,
            seed=search.seed,
            grant=search.grant,
            in_flight=search.in_flight,
        )

    def _start(self) -> tuple[socket.socket, socket.socket]:
        """Sockets to a new session, and to where its end is told."""
        connection, for_session = socket.socketpair()
        fate, for_host = socket.socketpair()
        # Where the host is gone, both sockets are dead from the beginning.
        with for_session, for_host, contextlib.suppress(OSError):
            socket.send_fds(self._host, [b"s"], [for_session.fileno(), for_host.fileno()])
        return connection, fate

    def _ended(self, fate: socket.socket) -> Exception:
        """Why a session is gone that had not come to its result."""
        try:
            code: int = wire.receive(fate)
        except wire.ConnectionLostError:
            code = self._process.wait()  # Its host is gone, and took it along.
        if code >= 0:
            return RuntimeError("a session of the tuner ended unexpectedly; its last words are above")
        return UserError(
            f"a process that searches configurations was killed by {signal.Signals(-code).name}; memory may have run "
            "out. Finished runs are kept: free some memory, and the same command again goes on from there"
        )


class _Session:
    """The driver's end of one session: answers its requests with scores of Θ̄ ∪ {θ'}."""

    def __init__(self, evaluator: Evaluator, search: Search, seed: int) -> None:
        self._search = search
        self._evaluator = evaluator
        self._seed = seed
        self._threads = ThreadPoolExecutor(search.in_flight)
        self._rest: dict[tuple[int, int], Future[Scored]] = {}
        self._sending = threading.Lock()
        self._connection: socket.socket | None = None
        self._trouble: BaseException | None = None
        self._side_by_side: list[float] = []
        self._history: dict[int, TrialScore] = {}
        self._findings = Findings()

    def run(self, connection: socket.socket, order: SessionOrder) -> Found:
        """Hold the session: answer its requests until it has its result."""
        self._connection = connection
        try:
            wire.send(connection, order)
            while not isinstance(message := wire.receive(connection), SessionResult):
                assert isinstance(message, TrialRequest)
                self._take(message)
        except wire.ConnectionLostError:
            if self._trouble is not None:
                raise self._trouble from None
            raise
        # fsum: the same whatever order the answers came in.
        side_by_side = fsum(self._side_by_side)
        history = tuple(trial for _, trial in sorted(self._history.items()))
        return Found(message.members, message.charge, message.trials, side_by_side, self._findings.all(), history)

    def hang_up(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._cut()

    def _cut(self) -> None:
        """The session process ends when it finds the line dead."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)

    def _take(self, request: TrialRequest) -> None:
        """Requests arrive in asking order: the first for an instance and seed pays for completing the rest there."""
        instance = self._search.instances[request.instance]
        seed = seeds.derive(self._seed, "tune", instance.id, request.seed)
        where = (request.instance, request.seed)
        first = where not in self._rest
        if first:
            rest = self._search.rest
            self._rest[where] = self._threads.submit(portfolio_score, self._evaluator, rest, instance, seed)
        self._threads.submit(self._answer, request, instance, seed, self._rest[where], first)

    def _answer(self, request: TrialRequest, instance: Any, seed: int, rest: Future[Scored], pays_rest: bool) -> None:
        connection = self._connection
        assert connection is not None
        try:
            others = rest.result()
            made = raced_score(self._evaluator, request.members, instance, seed, bound=others.score)
        except BaseException as error:
            self._trouble = error
            self._cut()  # Requests that have arrived are taken all the same, so the threads stay.
            return
        score, charge = made.score, made.charge + (others.charge if pays_rest else 0.0)
        self._findings.add((*others.findings, *made.findings))
        members = len(request.members) + len(self._search.rest)
        self._side_by_side.append(members * self._evaluator.metric.cap(score))
        if self._search.with_history:
            (configuration,) = request.members
            self._history[request.number] = TrialScore(configuration, instance.id, score)
        with self._sending:
            wire.send(connection, TrialAnswer(request.number, score, charge))
