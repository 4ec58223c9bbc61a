"""Sessions as processes, on scores that cost nothing."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from ceps import _native, seeds
from ceps.construction.session import MOST_FREE_TRIALS
from ceps.construction.tuner import Found, ProcessTuner, Search
from ceps.errors import UserError
from ceps.evaluator import Evaluation
from ceps.metrics import Par10
from ceps.problems.tsp import Tsp
from ceps.records import Configuration, Ending, Outcome
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration
from tests.processes import children
from tests.solvers.two_opt import TwoOpt

INSTANCES = tuple(Tsp().generate("uniform", 10, seed) for seed in range(5))
DEFAULT = default_configuration(Lkh())
REST = Configuration.of("lkh", {**DEFAULT.as_dict(), "MOVE_TYPE": 2})
RUN = 1.0
WAY_OUT = "memory may have run out.*the same command again goes on from there"


class Instant:
    """Every run costs a second; configurations with more kicks are better, and 2-opt than LKH; the rest scores 5."""

    def __init__(self, trouble_after: int = 10**9) -> None:
        self.metric = Par10(cutoff=10.0)
        self.problem = Tsp()
        self.asked: list[tuple[Configuration, str, int, float]] = []
        self._trouble_after = trouble_after
        self.charge = RUN

    def submit(self, configuration: Configuration, instance: Any, seed: int, bound: float) -> Future[Evaluation]:
        self.asked.append((configuration, instance.id, seed, bound))
        promise: Future[Evaluation] = Future()
        if len(self.asked) > self._trouble_after:
            promise.set_exception(UserError("the solver has gone"))
            return promise
        values = configuration.as_dict()
        score = 6.0 - int(values["KICKS"]) if "KICKS" in values else 1.5 - int(values.get("kicks", 0)) / 20
        score = 5.0 if configuration == REST else score
        capped = score if score <= self.metric.cap(bound) else self.metric.penalty
        promise.set_result(Evaluation(capped, self.charge, Outcome(Ending.SOLVED, cpu=score)))
        return promise


class Killing(Instant):
    """Before the seventh score, whoever is to be killed is: a session waits for it then."""

    def __init__(self, victim: Callable[[], int]) -> None:
        super().__init__()
        self._victim = victim

    def submit(self, configuration: Configuration, instance: Any, seed: int, bound: float) -> Future[Evaluation]:
        if len(self.asked) == 6:
            os.kill(self._victim(), signal.SIGKILL)
        return super().submit(configuration, instance, seed, bound)


@pytest.fixture(scope="module")
def tuner() -> Iterator[ProcessTuner]:
    with ProcessTuner([Lkh()], seed=1) as tuner:
        yield tuner


def tune(
    tuner: ProcessTuner,
    evaluator: Instant,
    grants: list[float],
    starts: tuple[Configuration, ...] = (DEFAULT,),
) -> list[Found]:
    searches = [Search(INSTANCES, (REST,), starts, seed, grant) for seed, grant in enumerate(grants)]
    return tuner.tune(evaluator, searches, lambda index, found: None)  # type: ignore[arg-type]


def test_sessions_find_better_configurations_within_their_accounts(tuner: ProcessTuner) -> None:
    """Two sessions side by side: both find more kicks than the default has, and overdraw by one trial at most."""
    evaluator = Instant()
    for found in tune(tuner, evaluator, [60.0, 80.0]):
        assert int(found.configuration.as_dict()["KICKS"]) >= 4
        assert found.trials > 20
    charges = [found.charge for found in tune(tuner, Instant(), [60.0, 80.0])]
    assert 60.0 <= charges[0] <= 62.0
    assert 80.0 <= charges[1] <= 82.0


def test_the_rest_is_completed_once_per_instance_and_charged(tuner: ProcessTuner) -> None:
    """The rest runs once for each instance and seed, before the first trial there; trials are capped by its score."""
    evaluator = Instant()
    (found,) = tune(tuner, evaluator, [60.0])
    rest = [(instance, seed) for configuration, instance, seed, _ in evaluator.asked if configuration == REST]
    trials = [bound for configuration, *_, bound in evaluator.asked if configuration != REST]
    assert len(rest) == len(set(rest)) >= 5
    assert found.charge == len(evaluator.asked) * RUN
    assert set(trials) == {5.0}
    assert found.trials == len(trials)


def test_all_trials_are_told_if_they_are_wanted(tuner: ProcessTuner) -> None:
    """In the order of asking, with their scores, and so that they survive the way into the journal and back."""
    evaluator = Instant()
    search = Search(INSTANCES, (), (DEFAULT,), 1, 30.0, in_flight=3, with_history=True)
    (found,) = tuner.tune(evaluator, [search], lambda index, found: None)  # type: ignore[arg-type]
    assert len(found.history) == found.trials >= 30
    assert found.history[0].configuration == DEFAULT
    asked = {(configuration, instance) for configuration, instance, *_ in evaluator.asked}
    assert {(trial.configuration, trial.instance) for trial in found.history} == asked
    assert all(trial.score == 6.0 - int(trial.configuration.as_dict()["KICKS"]) for trial in found.history)
    assert Found.from_json(json.loads(json.dumps(found.as_json()))) == found


def test_a_search_may_be_of_one_solver_only() -> None:
    """Though there are two solvers, and the other is the better one."""
    with ProcessTuner([Lkh(), TwoOpt()], seed=1) as tuner:
        evaluator = Instant()
        search = Search(INSTANCES, (), (DEFAULT,), 1, 20.0, solver="lkh")
        tuner.tune(evaluator, [search], lambda index, found: None)  # type: ignore[arg-type]
    assert {configuration.solver for configuration, *_ in evaluator.asked} == {"lkh"}


def test_several_configurations_are_searched_together(tuner: ProcessTuner) -> None:
    """A trial runs all of them one after another, each capped by the best of those before, and all are charged."""
    evaluator = Instant()
    search = Search(INSTANCES, (), (REST, DEFAULT, DEFAULT), 1, 90.0, width=3)
    (found,) = tuner.tune(evaluator, [search], lambda index, found: None)  # type: ignore[arg-type]
    assert len(found.members) == 3
    assert found.charge == len(evaluator.asked) * RUN >= found.trials * 3 * RUN
    assert [bound for *_, bound in evaluator.asked[:9]] == [0.625] * 3 + [2.5] * 3 + [100.0, 5.0, 5.0]
    assert max(int(member.as_dict()["KICKS"]) for member in found.members) >= 4
    assert Found.from_json(found.as_json()) == found


def test_sessions_search_their_own_instances(tuner: ProcessTuner) -> None:
    """Every session sees its instances and no others."""
    evaluators = [Instant(), Instant()]
    for evaluator, own in zip(evaluators, (INSTANCES[:2], INSTANCES[2:]), strict=True):
        search = Search(own, (), (DEFAULT,), 1, 20.0)
        tuner.tune(evaluator, [search], lambda index, found: None)  # type: ignore[arg-type]
        assert {instance for _, instance, *_ in evaluator.asked} == {each.id for each in own}


def test_solver_seeds_are_common_to_all_sessions(tuner: ProcessTuner) -> None:
    """An instance has the same solver seeds whatever the configuration or the session."""
    evaluator = Instant()
    tune(tuner, evaluator, [30.0, 30.0])
    possible = {seeds.derive(1, "tune", each.id, index) for each in INSTANCES for index in range(100)}
    assert {seed for _, _, seed, _ in evaluator.asked} <= possible


def test_a_session_is_a_function_of_its_scores(tuner: ProcessTuner) -> None:
    """The same search on the same scores ends the same, also in another host process."""
    first = tune(tuner, Instant(), [50.0])
    with ProcessTuner([Lkh()], seed=1) as other:
        assert tune(other, Instant(), [50.0]) == first


def test_sessions_search_all_solvers() -> None:
    """Two solvers, travelled to the sessions' processes: both are tried, and the better one is found and tuned."""
    with ProcessTuner([Lkh(), TwoOpt()], seed=1) as tuner:
        evaluator = Instant()
        (found,) = tune(tuner, evaluator, [80.0], starts=(DEFAULT, default_configuration(TwoOpt())))
    tried = Counter(configuration.solver for configuration, *_ in evaluator.asked)
    assert min(tried["lkh"], tried["two-opt"]) > 5
    assert found.configuration.solver == "two-opt"
    assert int(found.configuration.as_dict()["kicks"]) > 10
    assert Found.from_json(found.as_json()) == found


def test_several_trials_in_flight_are_folded_in_asking_order(tuner: ProcessTuner) -> None:
    """With four trials at a time the result is the same every time, and the account is overdrawn by four at most."""
    searches = [Search(INSTANCES, (REST,), (DEFAULT,), 1, 60.0, in_flight=4)]
    first, again = (
        tuner.tune(Instant(), searches, lambda index, found: None)  # type: ignore[arg-type]
        for _ in range(2)
    )
    assert first == again
    assert 60.0 <= first[0].charge <= 60.0 + 4 * 2 * RUN


def test_a_session_ends_though_its_trials_cost_nothing(tuner: ProcessTuner) -> None:
    """Runs without any CPU never empty an account; after many of them the session ends by itself."""
    evaluator = Instant()
    evaluator.charge = 0.0
    (found,) = tune(tuner, evaluator, [1.0])
    assert found.trials == MOST_FREE_TRIALS


def test_trouble_with_runs_is_the_callers(tuner: ProcessTuner) -> None:
    """What a run raises reaches the method, and no session is left waiting."""
    with pytest.raises(UserError, match="the solver has gone"):
        tune(tuner, Instant(trouble_after=7), [60.0, 60.0])
    assert len(tune(tuner, Instant(), [20.0])) == 1


def test_a_killed_session_is_told_with_its_signal() -> None:
    """The message says that memory may have run out and how to go on; the host is as good as before."""
    before = set(children(os.getpid()))
    with ProcessTuner([Lkh()], seed=1) as tuner:
        (host,) = set(children(os.getpid())) - before
        with pytest.raises(UserError, match=rf"killed by SIGKILL; {WAY_OUT}"):
            tune(tuner, Killing(lambda: children(host)[0]), [60.0])
        assert len(tune(tuner, Instant(), [20.0])) == 1


def test_a_killed_host_is_told_with_its_signal() -> None:
    """Its sessions go with it; a search that begins after that is told the same."""
    before = set(children(os.getpid()))
    with ProcessTuner([Lkh()], seed=1) as tuner:
        (host,) = set(children(os.getpid())) - before
        for evaluator in (Killing(lambda: host), Instant()):
            with pytest.raises(UserError, match=rf"killed by SIGKILL; {WAY_OUT}"):
                tune(tuner, evaluator, [60.0, 60.0])


def test_closing_ends_all_processes() -> None:
    """The host and its sessions are gone when the tuner is closed."""
    before = set(_native.usage_below(os.getpid()).processes)
    with ProcessTuner([Lkh()], seed=1) as tuner:
        tune(tuner, Instant(), [20.0])
    assert set(_native.usage_below(os.getpid()).processes) <= before
