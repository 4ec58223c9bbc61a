"""An executor without processes: outcomes and CPU times are pure functions of a run's key and cap.

For tests of what is built on runs: the same requests give the same answers, however often a build is killed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field

from ceps import seeds
from ceps.execution.executor import Run
from ceps.records import Ending, Incumbent, Outcome


@dataclass
class PureExecutor:
    """A run with a target is solved at a CPU time drawn from its key, if its cap allows; one without is stopped at
    its cap with a cost drawn from its instance. Half of the configurations are hopeless."""

    scale: float
    """Typical CPU seconds to the target."""
    on_run: Callable[[], object] = lambda: None
    slots: int = 2
    unsolvable: Collection[str] = ()
    """Instances, by their ids, of which no run finds a solution."""
    agreeing: bool = True
    """Whether all runs without a target find the same cost of an instance."""
    improving: bool = False
    """Whether some runs with a target beat it, by one each, down to three below what runs without one find."""
    runs: int = field(default=0, init=False)

    def submit(self, run: Run, on_incumbent: Callable[[Incumbent], None] | None = None) -> Future[Outcome]:
        self.runs += 1
        self.on_run()
        made: Future[Outcome] = Future()
        made.set_result(self.outcome(run))
        return made

    def outcome(self, run: Run) -> Outcome:
        if run.instance.id in self.unsolvable:
            return Outcome(Ending.TIMEOUT, cpu=run.limits.cpu)
        luck = () if self.agreeing else (run.seed,)
        cost = 1000 + seeds.derive(0, "cost", run.instance.id, *luck) % 1000
        if run.target is None:
            return Outcome(Ending.TIMEOUT, cpu=run.limits.cpu, cost=cost)
        hopeless = seeds.derive(0, "configuration", run.configuration.id) % 2 == 0
        taste = seeds.generator(0, "time", run.configuration.id, run.instance.id)
        noise = seeds.generator(0, "noise", run.configuration.id, run.instance.id, run.seed)
        needed = self.scale * float(taste.exponential() + 0.2 * noise.exponential()) + (1e9 if hopeless else 0.0)
        if needed > run.limits.cpu:
            return Outcome(Ending.TIMEOUT, cpu=run.limits.cpu)
        lucky = self.improving and seeds.derive(0, "luck", run.configuration.id, run.instance.id, run.seed) % 8 == 0
        return Outcome(Ending.SOLVED, cpu=needed, cost=run.target - (lucky and run.target > cost - 3))

    def stop(self, future: Future[Outcome]) -> None:
        return None

    def close(self) -> None:
        return None
