"""The line to the scheduler of a Dask cluster: who is at the other end, and whether anybody is."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import dask
import distributed
from distributed.deploy.cluster import Cluster

from ceps.errors import UserError

ANSWERS_WITHIN = 10.0
"""Seconds in which a scheduler answers a driver that comes."""
PULSE = 10.0
"""Seconds between words to the scheduler that are to come back."""
MOST_UNANSWERED = 3
"""A scheduler that lets more of them go by is gone, though the line may be open."""


class Line:
    """The driver's end of the line. Words said on it come back under its topic, as ``{"driver": line.driver}``."""

    def __init__(self, cluster: str | Cluster, topic: str) -> None:
        self.address = cluster if isinstance(cluster, str) else cluster.scheduler_address
        self.client = _connected(cluster, self.address)
        self.driver: str = self.client.id
        self._topic = topic
        # None only before there is a connection, and after.
        self._loop: Any = self.client.loop
        self._scheduler: Any = self.client.scheduler
        self._comm: Any = self.client.scheduler_comm
        self._unanswered = 0
        self._last_word = time.monotonic()
        self._heard = threading.Event()

    def listen(self, scheduler: Callable[[Any], None], workers: Callable[[Any], None]) -> None:
        """From now on, have all heard that the scheduler tells all, and workers tell drivers."""
        self.client.subscribe_topic("all", lambda event: scheduler(event[1]))
        self.client.subscribe_topic(self._topic, lambda event: workers(event[1]))
        # Subscriptions and questions go separate ways: only once something was heard can nothing be missed.
        while not self._heard.wait(0.05):
            self._say_a_word()

    def word_came_back(self) -> None:
        self._unanswered = 0
        self._heard.set()

    def check(self) -> None:
        """Raises UserError when the scheduler is gone.

        The client would connect again by itself, but to a scheduler that knows nothing of what was under way.
        """
        if time.monotonic() > self._last_word + PULSE:
            self._last_word = time.monotonic()
            self._unanswered += 1
            self._say_a_word()
        # Words are counted, not time: a driver that was suspended has not listened.
        silent = self._unanswered > MOST_UNANSWERED
        replaced = self.client.scheduler_comm is not self._comm
        if silent or replaced or self._comm.closed():
            self._heard.set()
            raise UserError(
                f"the scheduler at {self.address} is gone. Finished runs are kept: start a cluster, and the same "
                "command again goes on from there"
            )

    def call(self, worker: str, function: Callable[..., None], argument: str) -> None:
        """Have a worker call a function. Nobody waits for it: the worker may be silent."""

        async def call_there() -> None:
            with contextlib.suppress(OSError, distributed.client.ClosedClientError):
                await self.client.run(function, argument, workers=[worker], on_error="ignore")

        self._loop.add_callback(call_there)

    def close(self) -> None:
        with contextlib.suppress(distributed.client.ClosedClientError):
            # The scheduler would tell of this driver's leaving, to this driver too, and complain that it is gone.
            self.client.unsubscribe_topic("all")
        self.client.close()

    def _say_a_word(self) -> None:
        async def say() -> None:
            with contextlib.suppress(OSError):
                await self._scheduler.log_event(topic=self._topic, msg={"driver": self.driver})

        self._loop.add_callback(say)


def _connected(cluster: str | Cluster, address: str) -> distributed.Client:
    if address.startswith("tls:") and distributed.Security().get_connection_args("client").get("ssl_context") is None:
        raise UserError(
            f"[execution] scheduler = '{address}' asks for TLS, of which Dask knows nothing here: name its files under "
            "distributed.comm.tls in Dask's configuration (https://distributed.dask.org/en/stable/tls.html)"
        )
    # Who is there is heard; asking for it all the time would be in vain.
    with dask.config.set({"distributed.client.scheduler-info-interval": "1h"}):
        try:
            return distributed.Client(cluster, timeout=ANSWERS_WITHIN, set_as_default=False, name="ceps")
        except (OSError, ValueError) as error:
            raise UserError(
                f"[execution] scheduler = '{address}' does not answer: {first_line(error)}. Start one there (dask "
                "scheduler), or give another address"
            ) from error


def first_line(error: BaseException) -> str:
    """An error from elsewhere, in a message."""
    first, *_ = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {first}"
