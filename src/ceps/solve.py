"""Race one portfolio on one instance: K processes side by side, the best verified answer counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ceps import seeds
from ceps.box import boxed_portfolio
from ceps.contradictions import judged, quoted, truth_of
from ceps.errors import UserError
from ceps.execution.executor import Run
from ceps.execution.local import LocalExecutor
from ceps.findings import Findings, finding_of
from ceps.portfolio import Portfolio
from ceps.records import Ending, Incumbent, Limits, Outcome, Solution

DEFAULT_MEMORY = Limits(cpu=1.0).memory


@dataclass(frozen=True, slots=True)
class Answer:
    """What a race came to. ``component`` counts the members from 1; it and ``cost`` are None without a solution."""

    cost: float | None
    status: Ending
    """How the component ended; ``TIMEOUT`` when the time of the race was used up."""
    component: int | None
    """The one whose answer it is: of several with the same cost, the first in the portfolio."""
    cpu: float
    """CPU seconds of all components together."""
    wall: float
    solution: Solution | None
    outcomes: tuple[Outcome, ...]
    """One per member, in the portfolio's order."""
    interrupt: KeyboardInterrupt | None = None
    """What has ended it early."""


def race(
    portfolio: Portfolio,
    instance: Any,
    time: float,
    target: float | None = None,
    seed: int = 1,
    memory: int = DEFAULT_MEMORY,
    on_incumbent: Callable[[int, Incumbent], None] = lambda component, incumbent: None,
) -> Answer:
    """Run all members at once for ``time`` wall-clock seconds or until one reaches the target.

    ``on_incumbent(component, incumbent)`` is called from other threads as members improve. An interrupt (Ctrl-C)
    stops the race; what was found until then is returned.
    """
    if not time > 0.0:
        raise UserError(f"--time {time:g}: a race needs some time; give a number of seconds above 0")
    problem, solvers = portfolio.problem_class, portfolio.solvers()
    if target is None:
        target = problem.target  # The first answer to a decision problem ends the race.
    limits = Limits(cpu=time, memory=memory, wall=time)
    with LocalExecutor(workers=len(portfolio)) as executor:
        futures = [
            executor.submit(
                Run(
                    problem,
                    solvers[member.solver],
                    member,
                    instance,
                    seeds.derive(seed, "solve", index),
                    limits,
                    target,
                ),
                partial(on_incumbent, index),
            )
            for index, member in enumerate(portfolio.members, start=1)
        ]
        interrupt = None
        try:
            _wait_until_decided(futures)
        except KeyboardInterrupt as asked:
            interrupt = asked
        for future in futures:
            executor.stop(future)
        outcomes = tuple(_outcome(future) for future in futures)
    if not any(map(_counts, outcomes)):
        _raise_trouble(futures)
    if problem.target is not None:
        outcomes = without_contradictions(outcomes, [member.solver for member in portfolio.members])
    return _best_of(outcomes, interrupt)


def without_contradictions(outcomes: tuple[Outcome, ...], solvers: Sequence[str]) -> tuple[Outcome, ...]:
    """Outcomes of components on a decision problem; false claims those whose answers others show to be false, and all
    of them where nobody can tell which is true."""
    findings = Findings()
    findings.add(found for each in outcomes if (found := finding_of("", each)) is not None)
    truth = truth_of(findings.of(""))
    names = [f"component {number} ({solver})" for number, solver in enumerate(solvers, start=1)]
    said = quoted((name, each.says) for name, each in zip(names, outcomes, strict=True) if each.says)
    made = [(outcome, judged(outcome, truth)) for outcome in outcomes]
    return tuple(new if new is old else replace(new, reason=f"{new.reason}: {said}") for old, new in made)


def _wait_until_decided(futures: list[Future[Outcome]]) -> None:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        if any(_outcome(future).ending is Ending.SOLVED for future in done):
            return


def _outcome(future: Future[Outcome]) -> Outcome:
    if future.cancelled():
        return Outcome(Ending.CAPPED, cpu=0.0, reason="stopped before it started")
    trouble = future.exception()
    if isinstance(trouble, UserError):  # Of the host's, say. Others may have an answer.
        return Outcome(Ending.CRASHED, cpu=0.0, reason=str(trouble))
    return future.result()


def _raise_trouble(futures: Sequence[Future[Outcome]]) -> None:
    """Why there is no answer, if that is no fault of the components."""
    for future in futures:
        if not future.cancelled() and isinstance(future.exception(), UserError):
            future.result()


def _best_of(outcomes: tuple[Outcome, ...], interrupt: KeyboardInterrupt | None) -> Answer:
    cpu, wall = sum(outcome.cpu for outcome in outcomes), max(outcome.wall for outcome in outcomes)
    ranked = sorted((outcome.cost, index) for index, outcome in enumerate(outcomes) if _counts(outcome))
    if not ranked:
        return Answer(None, outcomes[0].ending, None, cpu, wall, None, outcomes, interrupt)
    cost, best = ranked[0]
    winner = outcomes[best]
    return Answer(cost, winner.ending, best + 1, cpu, wall, winner.solution, outcomes, interrupt)


def _counts(outcome: Outcome) -> bool:
    return outcome.cost is not None and outcome.ending is not Ending.INVALID


@dataclass(frozen=True, slots=True)
class PortfolioSolver:
    """A portfolio, ready to solve. Made by :func:`ceps.load` and :func:`ceps.boxed`."""

    portfolio: Portfolio

    def solve(
        self, instance: str | Path | Any, time: float = 10.0, target: float | None = None, seed: int = 1
    ) -> Answer:
        """Solve an instance, given as such or as a file, within ``time`` wall-clock seconds."""
        if isinstance(instance, str | Path):
            instance = self.portfolio.problem_class.read(Path(instance))
        return race(self.portfolio, instance, time, target, seed)


def load(path: str | Path, trust: bool = False) -> PortfolioSolver:
    """The portfolio in a JSON file, ready to solve. One that names programs of its own needs ``trust``.

    >>> ceps.load("portfolio.json").solve("city.tsp", time=10).cost
    """
    portfolio = Portfolio.load(Path(path))
    if not trust:
        portfolio.refuse_programs(path, "load it with trust=True")
    return PortfolioSolver(portfolio)


def boxed(problem: str) -> PortfolioSolver:
    """The portfolio in the box for a problem, ready to solve.

    >>> ceps.boxed("tsp").solve("city.tsp", time=10).cost
    """
    return PortfolioSolver(boxed_portfolio(problem))
