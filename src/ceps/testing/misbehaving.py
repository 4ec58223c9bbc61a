"""Solvers of the bits problem, one for each way to misbehave."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ceps.errors import UserError
from ceps.records import Limits, Solution, Value
from ceps.solvers.program import child
from ceps.solvers.solver import OnIncumbent
from ceps.testing.bits import BitsInstance, BitSolver, ones, spin


def start_daemon() -> None:
    """A process in a session of its own that spins for ever."""
    subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"], start_new_session=True)


class Misbehaving(BitSolver):
    """Base of solvers that only need the instance and somewhere to report to."""

    def solve(
        self,
        instance: BitsInstance,
        configuration: Mapping[str, Value],
        seed: int,
        limits: Limits,
        target: float | None,
        on_incumbent: OnIncumbent,
    ) -> Solution | None:
        return self.misbehave(instance.size, on_incumbent)

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        raise RuntimeError("it always raises")


class Raises(Misbehaving):
    """Raises an exception."""


class Segfaults(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        on_incumbent(ones(1, size), size - 1)
        ctypes.string_at(0)
        return None


class ExitsNonZero(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        os._exit(7)


class ReturnsTooFew(Misbehaving):
    """A partial solution."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        return ones(size - 1, size - 1)


class ReturnsNonsense(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        return {"tour": ["of", {"nowhere": None}]}


class ReturnsWhatJsonCannotHold(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        return object()


@dataclass(frozen=True)
class ReturnsDeepNesting(Misbehaving):
    """A solution on which a recursive reader fails, or a recursive writer, which fails earlier."""

    depth: int = 1_000_000

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        from ceps.execution.wire import Reporter, ReportKind  # noqa: PLC0415 - what a hostile solver would do

        Reporter(3).send(ReportKind.RESULT, b"[" * self.depth + b"]" * self.depth)
        return None


class ClaimsTooMuch(Misbehaving):
    """Claims a better cost than its solution has."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        on_incumbent(ones(1, size), 0)
        return None


class WritesGarbageReports(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        os.write(3, b"\xff" * 4096)
        spin(60.0)
        return None


class FindsNothing(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        return None


class Sleeps(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        on_incumbent(ones(1, size), size - 1)
        time.sleep(3600)
        return None


class Spins(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        on_incumbent(ones(2, size), size - 2)
        spin(3600)
        return None


class SpinsInThreeProcesses(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        for _ in range(2):
            if os.fork() == 0:
                spin(3600)
        spin(3600)
        return None


class SpinsInShortLivedChildren(Misbehaving):
    """No process of it is ever old, but together they use CPU."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        while True:
            child = os.fork()
            if child == 0:
                spin(0.03)
                os._exit(0)
            os.waitpid(child, 0)


class LeavesADaemon(Misbehaving):
    """Ends at once, but leaves a detached process in a session of its own that goes on spinning."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        start_daemon()
        return ones(size, size)


class SpinsBesideADaemon(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        start_daemon()
        on_incumbent(ones(1, size), size - 1)
        spin(3600)
        return None


class ForksWithoutEnd(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        while True:
            os.fork()


class IgnoresSignals(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU):
            signal.signal(number, signal.SIG_IGN)
        spin(3600)
        return None


class EatsMemorySlowly(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        eaten = []
        while True:
            eaten.append(b"x" * 1024**2)
            time.sleep(0.001)


class EatsMemoryAtOnce(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        return [len(bytearray(64 * 1024**3))]


class EatsSharedMemory(Misbehaving):
    """Memory that is not on the heap, eaten by a child."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        blocks = []
        while True:
            block = multiprocessing.RawArray("c", 4 * 1024**2)
            ctypes.memset(block, 1, len(block))
            blocks.append(block)
            time.sleep(0.001)


class PrintsMegabytes(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        for _ in range(64):
            sys.stdout.write("x" * 1024**2)
            sys.stderr.write("y" * 1024**2)
        print("the end of it", flush=True)
        return ones(size, size)


class ReportsWithoutEnd(Misbehaving):
    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        while True:
            on_incumbent(ones(1, size), size - 1)


class LittersItsDirectory(Misbehaving):
    """Leaves files in its working directory, and says where that is."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        assert not os.listdir(), "the directory was not empty"
        Path("litter").mkdir()
        Path("litter/file").write_text("x" * 1000)
        print(Path.cwd())
        return ones(size, size)


@dataclass(frozen=True)
class KillsItsKeeper(Misbehaving):
    """Takes the supervising process with it, the first ``times`` times, counted by the files in a folder."""

    folder: str
    times: int

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        killed = len(os.listdir(self.folder))
        if killed < self.times:
            Path(self.folder, str(killed)).touch()
            start_daemon()
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(3600)
        return ones(size, size)


class EndsItself(Misbehaving):
    """By the signal that others use to tell it to end, as some programs do when their time is up."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        spin(0.1)
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("the signal ends it")


class ItsProgramEndsItself(Misbehaving):
    """The same of a program that it has started."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        spin(0.1)
        with child(lambda: os.kill(os.getpid(), signal.SIGTERM), None) as process:
            process.wait()
        raise AssertionError("the program's end is an error")


class CannotBePrepared(Misbehaving):
    def prepare(self) -> None:
        raise UserError("this solver is not installed; install it with: pip install nothing")


class CannotBeSent(Misbehaving):
    """Holds something that stays where it is, a connection say."""

    def __reduce__(self) -> str:
        raise TypeError("cannot pickle this solver")


class CannotBeReceived(Misbehaving):
    """Goes out, and does not come in."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return int, ("this solver is no number",)


class DetachesTwice(Misbehaving):
    """Leaves a process whose parent is gone, in a session of its own, with every descriptor closed: a true daemon."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 64)
                os.environ.clear()
                spin(3600)
            os._exit(0)
        os.waitpid(child, 0)
        return ones(size, size)


class ClosesItsDescriptors(Misbehaving):
    """Nothing it says can be heard any more."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        os.closerange(0, 64)
        spin(3600)
        return None


class StopsItself(Misbehaving):
    """Neither runs nor ends."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        on_incumbent(ones(1, size), size - 1)
        os.kill(os.getpid(), signal.SIGSTOP)
        return None


class KillsItsGroup(Misbehaving):
    """Ends by a signal, with all that is near."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        os.killpg(0, signal.SIGABRT)
        time.sleep(3600)
        return None


class DigsDeep(Misbehaving):
    """Leaves folders in folders, deeper than names and calls can be."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        for _ in range(3000):
            os.mkdir("deep")
            os.chdir("deep")
        os.chmod(".", 0)
        return None


class WritesManyFiles(Misbehaving):
    """In folders that nobody may enter any more, too."""

    def misbehave(self, size: int, on_incumbent: OnIncumbent) -> Solution | None:
        for number in range(20):
            folder = Path(f"folder {number}\n'$(x)")
            folder.mkdir()
            for each in range(20):
                (folder / str(each)).write_text("x" * 1000)
            folder.chmod(0)
        return ones(size, size)
