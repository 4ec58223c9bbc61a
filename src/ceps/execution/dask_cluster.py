"""Runs on the workers of a Dask cluster, through its scheduler.

Which worker makes which run is decided here, in the order of asking: Dask carries orders and answers, tells who has
come and gone, and keeps instances on the workers that have got them. Every sending of a run has a name of its own, so
what an older one says is not heard any more, and how often a run was lost is known of every run. A worker gets its next
runs while it is still busy, so that it does not wait for the driver in between.
"""

from __future__ import annotations

import pickle
import queue
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Any, Self

import distributed
from distributed.deploy.cluster import Cluster

from ceps import __version__
from ceps.errors import UserError
from ceps.execution import dask_worker, wire
from ceps.execution.dask_line import Line, first_line
from ceps.execution.dask_roster import Job, Kept, Worker, place_for
from ceps.execution.executor import Run, unsendable
from ceps.execution.local import MOST_LOSSES
from ceps.execution.speed import Speeds
from ceps.records import Ending, Incumbent, Outcome

LOOK = 0.2
"""Seconds without news until it is looked whether the scheduler is there, and whether work is to be moved."""
PATIENCE = 10.0
"""Seconds that workers have to answer before others begin without them."""


class DaskExecutor:
    """Makes runs on a Dask cluster, given or by its scheduler's address. Close it, or use it in ``with``.

    Workers may come and go. A thread of its own does all the work; the others leave it steps to take, so it needs no
    locks. ``tell`` is called with what people want to know: that there is no worker yet, or none any more, that hosts
    differ in speed.
    """

    def __init__(self, cluster: str | Cluster, tell: Callable[[str], None] = lambda message: None) -> None:
        self._line = Line(cluster, dask_worker.TOPIC)
        self._jobs: dict[Future[Outcome], Job] = {}
        self._waiting: deque[Job] = deque()
        self._sent: dict[str, Job] = {}
        self._workers: dict[str, Worker] = {}
        self._speeds = Speeds()
        self._tell = tell
        self._steps: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._trouble: BaseException | None = None
        self._deserted = False
        """Whether there was a worker, and is none now."""
        self._closed = False
        self._met_first = threading.Event()
        self._met_all = threading.Event()
        self._thread = threading.Thread(target=self._work, name="ceps-cluster", daemon=True)
        self._thread.start()
        try:
            self._meet()
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        """The threads of all workers that are there now; 1 when there are none."""
        return max(1, sum(worker.threads for worker in list(self._workers.values())))

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        if self._closed:
            raise RuntimeError("this executor is closed")
        try:
            order = wire.packed(dask_worker.Order.of(run))
        except wire.UnsendableError as error:
            raise unsendable(run, error) from error
        job = Job(run, order, on_incumbent)
        self._jobs[job.future] = job
        job.future.add_done_callback(partial(self._done, job))
        self._steps.put(partial(self._enqueue, job))
        return job.future

    def stop(self, future: Future[Outcome]) -> None:
        job = self._jobs.get(future)
        if job is not None and not future.cancel():
            self._steps.put(partial(self._stop, job))

    def close(self) -> None:
        """Leave the cluster: workers end the runs of a driver that is gone."""
        if self._closed:
            return
        self._closed = True
        self._steps.put(None)
        self._thread.join()
        for future in list(self._jobs):
            future.cancel()
        for job in list(self._jobs.values()):
            job.fail(RuntimeError("the executor was closed"))
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _meet(self) -> None:
        """Listen, then greet who is there already, and wait for one to answer."""
        self._line.listen(
            scheduler=lambda message: self._steps.put(partial(self._hear_scheduler, message)),
            workers=lambda message: self._steps.put(partial(self._hear_worker, message)),
        )
        for address in self._line.client.scheduler_info(n_workers=-1)["workers"]:
            self._steps.put(partial(self._greet, address))
        self._met_all.wait(PATIENCE)
        if not self._met_first.is_set():
            self._tell(f"waiting for the first worker of the cluster at {self._line.address}")
            self._met_first.wait()
        if self._trouble is not None:
            raise self._trouble

    def _done(self, job: Job, future: Future[Outcome]) -> None:
        self._jobs.pop(future, None)
        if future.cancelled():
            self._steps.put(partial(self._withdraw, job))

    # All below is done by the executor's own thread.

    def _work(self) -> None:
        while True:
            try:
                step = self._steps.get(timeout=LOOK)
            except queue.Empty:
                step = self._even_out
            if step is None:
                return
            try:
                if self._trouble is None:
                    self._line.check()
                step()
                self._send_waiting()
            except Exception as error:
                self._give_up(error)

    def _give_up(self, trouble: BaseException) -> None:
        if self._trouble is None:
            self._trouble = trouble
        self._waiting.clear()
        self._sent.clear()
        self._workers.clear()
        for job in list(self._jobs.values()):
            job.fail(self._trouble)
        self._met_first.set()
        self._met_all.set()

    def _enqueue(self, job: Job) -> None:
        if self._trouble is not None:
            job.fail(self._trouble)
            return
        self._waiting.append(job)

    def _send_waiting(self) -> None:
        """In their order: others do not overtake one that needs a worker of its own, so that one gets free."""
        while self._waiting and (worker := place_for(self._waiting[0], self._workers.values())):
            job = self._waiting.popleft()
            if not job.future.cancelled():
                self._send(job, worker)

    def _even_out(self) -> None:
        """Have a worker with a thread to spare make what waits at a busy one.

        Only when there was no news for a while: else what seems to wait may have begun, since its worker got free.
        """
        while crowded := [worker for worker in self._workers.values() if worker.ahead]:
            job = crowded[0].ahead[0]
            freest = place_for(job, self._workers.values())
            if freest is None or freest.load >= 1:
                return
            self._take_back(job)
            self._send(job, freest)

    def _send(self, job: Job, worker: Worker) -> None:
        instance, live = self._instance(job.run.instance, worker), job.on_incumbent is not None
        task = self._task(worker, "ceps-run", dask_worker.make, job.order, instance, live)
        execution = str(task.key)
        job.execution, job.worker, job.task = execution, worker, task
        worker.jobs.append(job)
        for kept in worker.forget():
            kept.task.release()
        self._sent[execution] = job
        worker.begin()
        task.add_done_callback(lambda ended: self._steps.put(partial(self._task_ended, execution, ended)))

    def _instance(self, instance: Any, worker: Worker) -> distributed.Future[Any]:
        """It is sent to a worker once, unless it was forgotten there since."""
        if instance.id in worker.instances:
            worker.instances[instance.id] = worker.instances.pop(instance.id)  # The last to be forgotten.
        else:
            content = pickle.dumps(instance)
            worker.keep(instance.id, Kept(self._task(worker, "ceps-instance", pickle.loads, content), len(content)))
        return worker.instances[instance.id].task

    def _task(self, worker: Worker, kind: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """A task for one worker and no other: Dask itself would make it again elsewhere, uncounted."""
        return self._line.client.submit(
            function, *arguments, key=f"{kind}-{uuid.uuid4().hex}", workers=[worker.address], pure=False
        )

    def _take_back(self, job: Job) -> None:
        """Nothing more is heard of this sending."""
        assert job.worker is not None
        assert job.task is not None
        del self._sent[job.execution]
        job.worker.jobs.remove(job)
        job.task.release()
        job.worker.begin()
        job.worker = job.task = None

    def _withdraw(self, job: Job) -> None:
        """It was cancelled, but may be at a worker already."""
        job.begin()
        if job.worker is not None:
            self._take_back(job)

    def _lose(self, job: Job, counted: bool) -> None:
        """Make a run again, before all others, unless it was lost too often."""
        assert job.worker is not None
        address = job.worker.address
        self._take_back(job)
        job.losses += counted
        if job.losses == MOST_LOSSES:
            lost = f"the worker that made this run was lost {MOST_LOSSES} times, at last the one at {address}"
            job.future.set_result(Outcome(Ending.CRASHED, cpu=0.0, reason=lost))
        elif job.stopped:
            job.future.set_result(Outcome(Ending.CAPPED, cpu=0.0, reason="stopped when its worker was lost"))
        else:
            self._waiting.appendleft(job)

    def _stop(self, job: Job) -> None:
        job.stopped = True
        if job.worker is not None:
            self._line.call(job.worker.address, dask_worker.stop, job.execution)
        elif job in self._waiting:
            self._waiting.remove(job)
            job.future.set_result(Outcome(Ending.CAPPED, cpu=0.0, reason="stopped when its worker was lost"))

    def _task_ended(self, execution: str, task: distributed.Future[None]) -> None:
        """Of a run that is still under way here, this is bad news: its outcome would have been heard before."""
        job = self._sent.get(execution)
        if job is None:
            return
        assert job.worker is not None
        address, error = job.worker.address, task.exception() if task.status == "error" else None
        if isinstance(error, distributed.KilledWorker):
            return  # That the worker is gone is heard next.
        if error is None:
            self._lose(job, counted=True)  # Somebody has cancelled it.
            return
        self._take_back(job)
        told = str(error) if isinstance(error, UserError) else first_line(error)
        job.fail(UserError(f"worker {address} cannot make runs of solver '{job.run.solver.name}': {told}"))

    def _hear_scheduler(self, message: Any) -> None:
        match message:
            case {"action": "add-worker", "worker": address}:
                self._greet(address)
            case {"action": "remove-worker", "worker": address}:
                self._part(address, expected=message.get("expected", False))

    def _hear_worker(self, message: Any) -> None:
        match message:
            case {"driver": self._line.driver, "worker": address}:
                self._welcome(self._workers.get(address), message)
            case {"driver": self._line.driver}:
                self._line.word_came_back()
            case {"execution": execution} if (job := self._sent.get(execution)) is not None:
                self._hear_run(job, message)

    def _hear_run(self, job: Job, message: Mapping[str, Any]) -> None:
        match message:
            case {"incumbent": [cpu, cost]} if job.on_incumbent is not None:
                job.on_incumbent(Incumbent(cpu, cost))
            case {"outcome": outcome}:
                self._take_back(job)
                self._send_waiting()  # Before others are busy with the outcome.
                if job.begin():
                    job.future.set_result(pickle.loads(outcome))
            case {"given_back": True}:
                assert job.worker is not None
                job.worker.threads = 0
                self._lose(job, counted=False)

    def _greet(self, address: str) -> None:
        if self._trouble is not None or address in self._workers:
            return
        worker = self._workers[address] = Worker(address)
        self._met_all.clear()
        worker.greeting = self._task(worker, "ceps-greeting", dask_worker.greet, self._line.driver)
        worker.greeting.add_done_callback(lambda ended: self._steps.put(partial(self._greeting_ended, worker, ended)))

    def _greeting_ended(self, worker: Worker, task: distributed.Future[None]) -> None:
        error = task.exception() if task.status == "error" else None
        gone = isinstance(error, distributed.KilledWorker) or self._workers.get(worker.address) is not worker
        if error is not None and not gone:
            raise UserError(
                f"worker {worker.address} cannot load ceps {__version__}: {first_line(error)}. Install the same ceps "
                "on all hosts of the cluster, that of the scheduler included"
            )

    def _welcome(self, worker: Worker | None, message: Mapping[str, Any]) -> None:
        if worker is None:
            return
        if message["version"] != __version__:
            raise UserError(
                f"worker {worker.address} has ceps {message['version']}, but this is ceps {__version__}. Install the "
                "same ceps on all hosts of the cluster"
            )
        worker.threads = message["threads"]
        if self._deserted:
            self._deserted = False
            self._tell(f"the cluster at {self._line.address} has a worker again")
        if told := self._speeds.meet(*message["speed"]):
            self._tell(told)
        self._met_first.set()
        self._note_who_answered()

    def _part(self, address: str, expected: bool) -> None:
        """A worker is gone. One that was asked to leave is nobody's loss."""
        worker = self._workers.pop(address, None)
        if worker is None:
            return
        being_made = worker.being_made
        for job in worker.jobs[::-1]:
            self._lose(job, counted=not expected and job in being_made)
        for kept in worker.instances.values():
            kept.task.release()
        if worker.greeting is not None:
            worker.greeting.release()
        if self._met_first.is_set() and not self._deserted and not any(each.threads for each in self._workers.values()):
            self._deserted = True
            self._tell(f"all workers of the cluster at {self._line.address} are gone; runs wait for new ones")
        self._note_who_answered()

    def _note_who_answered(self) -> None:
        if self._workers and all(worker.threads for worker in self._workers.values()):
            self._met_all.set()
