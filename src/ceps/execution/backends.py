"""From ``[execution]`` to an executor: this machine, or a Dask cluster."""

from __future__ import annotations

import logging
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ceps.errors import UserError
from ceps.execution.executor import Executor
from ceps.execution.local import LocalExecutor, available_cores
from ceps.settings import ExecutionSettings, JobSettings

NO_DASHBOARD = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
"""Any port: schedulers that all want the same one would warn of each other."""


@contextmanager
def executor_of(
    settings: ExecutionSettings, workers: int | None, tell: Callable[[str], None] = lambda message: None
) -> Iterator[Executor]:
    """The executor that settings ask for, and with it a cluster if one has to be made; both are closed at the end.

    ``workers`` is what was said beside the settings, and comes before theirs. ``tell`` is called with what people want
    to know while they wait.
    """
    if workers is not None and settings.has_own_workers:
        raise UserError(f"--workers {workers}: the cluster of [execution] has its own number of workers; leave it out")
    count = workers or settings.workers or available_cores()
    if settings.backend == "local":
        with LocalExecutor(count) as executor:
            yield executor
        return
    with _extra("dask", "[execution] backend = 'dask'"):
        from distributed.utils import silence_logging_cmgr  # noqa: PLC0415 - a second to import, not always there

        from ceps.execution.dask_cluster import DaskExecutor  # noqa: PLC0415 - the same
    # What people must know is told as errors. What Dask says besides would tear the display.
    with (
        silence_logging_cmgr(logging.CRITICAL),
        _cluster(settings, count) as cluster,
        DaskExecutor(cluster, tell) as cluster_executor,
    ):
        yield cluster_executor


@contextmanager
def _cluster(settings: ExecutionSettings, workers: int) -> Iterator[Any]:
    """The address of the cluster that is there, or a cluster that is made."""
    if settings.scheduler is not None:
        yield settings.scheduler
    elif settings.jobqueue is not None:
        with job_cluster(settings.jobqueue) as cluster:
            yield cluster
    else:
        with local_cluster(workers) as cluster:
            yield cluster


@contextmanager
def local_cluster(processes: int, threads: int = 1) -> Iterator[Any]:
    """A cluster of processes on this machine."""
    import dask  # noqa: PLC0415 - not always there
    from distributed import LocalCluster  # noqa: PLC0415 - a second to import, not always there

    options = {
        # Workers only wait for runs: there is nothing in them to be profiled or limited.
        "distributed.worker.profile.enabled": False,
        # One that has died is followed by another, however long that takes to start on a machine that is busy.
        "distributed.deploy.lost-worker-timeout": "1d",
    }
    with dask.config.set(options):
        try:
            cluster = LocalCluster(
                n_workers=processes,
                threads_per_worker=threads,
                memory_limit=0,
                dashboard_address=None,
                scheduler_kwargs=NO_DASHBOARD,
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError) as error:
            raise UserError(
                f"[execution] backend = 'dask': no cluster can be started on this machine ({error}); close other "
                "programs, set fewer workers, or raise the limits on processes and open files (ulimit -u, ulimit -n)"
            ) from error
        with cluster:
            yield cluster


@contextmanager
def job_cluster(settings: JobSettings) -> Iterator[Any]:
    """A cluster of jobs of a batch system; a job that ends is followed by another."""
    with _extra("jobqueue", "[execution.jobqueue]"):
        import dask_jobqueue  # noqa: PLC0415 - a second to import, not always there

    kind = getattr(dask_jobqueue, f"{settings.system.upper()}Cluster")
    command = kind.job_cls.submit_command
    if shutil.which(command) is None:
        raise UserError(
            f"[execution.jobqueue] system = '{settings.system}': there is no '{command}' on the PATH; start ceps where "
            "jobs can be submitted"
        )
    # One process per job unless told otherwise: its threads only wait for runs, which are processes anyway.
    options = {"processes": 1, "scheduler_options": NO_DASHBOARD, **settings.options}
    with ExitStack() as stack:
        try:
            cluster = kind(job_cls=_told_when_refused(kind.job_cls), silence_logs=logging.CRITICAL, **options)
            stack.callback(cluster.close)
            # Not by scale(), which submits jobs later and tells nobody of those that are refused.
            for _ in range(settings.jobs):
                cluster.worker_spec.update(cluster.new_worker_spec())
            stack.enter_context(cluster)
        except (TypeError, ValueError, RuntimeError) as error:
            raise UserError(f"[execution.jobqueue] {' '.join(str(error).split())}") from error
        cluster.adapt(minimum_jobs=settings.jobs, maximum_jobs=settings.jobs)
        yield cluster


def _told_when_refused(job: Any) -> Any:
    """A kind of jobs, with a mark at those that are refused: a cluster with unmarked ones could not be closed."""
    from distributed.core import Status  # noqa: PLC0415 - a second to import, not always there

    class Told(job):  # type: ignore[misc]
        async def start(self) -> None:
            try:
                await super().start()
            except Exception:
                self.status = Status.failed
                raise

        async def _submit_job(self, script: str) -> Any:
            if not getattr(self, "use_stdin", False):
                return await super()._submit_job(script)
            # LSF's way. dask-jobqueue's own call throws away what bsub says when it refuses.
            with open(script, "rb") as content:
                return await self._call(shlex.split(self.submit_command), stdin=content)

    return Told


@contextmanager
def _extra(name: str, asked_by: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise UserError(
            f"{asked_by} needs packages that are not installed ({error}); install them with: pip install 'ceps[{name}]'"
        ) from error
