"""The search for configurations, one or several at once: SMAC through ask and tell, with a model and a race of ours."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ConfigSpace import Configuration as Point
from smac.facade import AlgorithmConfigurationFacade
from smac.initial_design.default_design import DefaultInitialDesign
from smac.main.smbo import SMBO
from smac.random_design import ProbabilityRandomDesign
from smac.runhistory import TrialInfo, TrialValue
from smac.runhistory.runhistory import RunHistory
from smac.scenario import Scenario

from ceps.construction.acquisition import BatchedSearch, Improvement, Proposals
from ceps.construction.race import Race
from ceps.construction.surrogate import Rows, Surrogate
from ceps.records import Configuration
from ceps.solvers.solver import Solver
from ceps.solvers.space import JointSpace, ProductSpace

Members = tuple[Configuration, ...]
"""What is searched for: one configuration, or a portfolio."""

_SILENCE = logging.NullHandler()
"""Keeps SMAC's messages off the terminal unless the user sets up logging."""
_MOST_PROPOSALS = 8
"""Proposals of one model before it learns anew, once there is much to learn from; in the beginning it is every one."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How configurations are searched for."""

    heats: int = 100
    """Most runs one configuration gets, over instances and seeds; always at least one per instance."""
    random: float = 0.3
    """Share of new configurations drawn at random instead of proposed by the model: below 1."""

    def __post_init__(self) -> None:
        if self.heats < 1:
            raise ValueError(f"heats must be at least 1, not {self.heats}")
        if not 0.0 <= self.random < 1.0:
            raise ValueError(f"random must be at least 0 and below 1, not {self.random:g}")


@dataclass(frozen=True, slots=True)
class Trial:
    """One evaluation wanted."""

    number: int
    """In the order of asking, from 0."""
    members: Members
    instance: int
    """An index into the training instances."""
    seed: int
    """A seed index (0, 1, …), which stands for the same solver seed whatever the configuration."""

    @property
    def configuration(self) -> Configuration:
        """The only member."""
        (only,) = self.members
        return only


@dataclass(frozen=True, slots=True)
class Standing:
    """What was found, the (instance, seed) pairs it ran, and its mean score over them."""

    members: Members
    runs: tuple[tuple[int, int], ...]
    mean: float


class Search:
    """Looks for the configuration, or the portfolio of them, with the smallest mean score over the instances.

    Ask for any number of trials before telling the first score; tell the scores in the order of asking. The same seed
    and the same scores give the same trials.

    Parameters
    ----------
    solvers
        Whose configurations: the choice of solver is searched as their parameters are.
    features
        One row of numbers per instance; None when nothing is known of the instances.
    starts
        The configurations to try first, in this order: ``width`` at a time.
    width
        How many configurations are searched for together.
    """

    def __init__(
        self,
        solvers: Sequence[Solver],
        features: npt.NDArray[np.float64] | None,
        n_instances: int,
        starts: Sequence[Configuration],
        seed: int,
        settings: SearchSettings,
        width: int = 1,
    ) -> None:
        self._space = ProductSpace(JointSpace(tuple(solvers)), width)
        portfolios = [tuple(starts[first : first + width]) for first in range(0, len(starts), width)]
        points = [self._space.point(members) for members in portfolios]
        self._known = dict(zip(points, portfolios, strict=True))
        self._race, self._smac = _assemble(self._space, features, n_instances, points, seed, settings)
        self._in_flight: dict[int, TrialInfo] = {}
        self._asked = 0

    def ask(self) -> Trial | None:
        """The next trial; None when there is nothing to try, or nothing until a score in flight is told."""
        try:
            wanted = self._smac.ask()
        except StopIteration:
            return None
        number, self._asked = self._asked, self._asked + 1
        self._in_flight[number] = wanted
        return Trial(number, self._members(wanted.config), int(wanted.instance or 0), wanted.seed or 0)

    def tell(self, trial: Trial, score: float) -> None:
        """The score of a trial: a cost, not below zero."""
        self._smac.tell(self._in_flight.pop(trial.number), TrialValue(cost=float(score)), save=False)

    @property
    def incumbent(self) -> Configuration:
        """The best configuration so far, where one is searched for."""
        (only,) = self.standing.members
        return only

    @property
    def standing(self) -> Standing:
        """The best so far, what it ran on, and how well."""
        leader = self._race.leader
        if leader is None:
            raise LookupError("there is no best configuration before the first score is told")
        mean = sum(leader.scores.values()) / len(leader.scores)
        runs = tuple(self._race.pair(heat) for heat in leader.scores)
        return Standing(self._members(leader.configuration), runs, mean)

    def _members(self, point: Point) -> Members:
        if point not in self._known:
            self._known[point] = self._space.members(point)
        return self._known[point]


def _assemble(
    product: ProductSpace,
    features: npt.NDArray[np.float64] | None,
    n_instances: int,
    starts: list[Point],
    seed: int,
    settings: SearchSettings,
) -> tuple[Race, AlgorithmConfigurationFacade]:
    logging.getLogger("smac").addHandler(_SILENCE)
    seed = np.random.SeedSequence(seed).generate_state(1)[0] % 2**31
    names = [str(index) for index in range(n_instances)]
    scenario = Scenario(
        product.space,
        name="search",
        instances=names,
        instance_features=None if features is None else dict(zip(names, features.tolist(), strict=True)),
        n_trials=2**31,
        seed=int(seed),
    )
    race = Race(scenario, settings.heats)
    smac = _Facade(
        scenario,
        None,
        model=Surrogate(product.space, scenario.instance_features, seed=scenario.seed),
        acquisition_function=Improvement(),
        acquisition_maximizer=BatchedSearch(product, seed=scenario.seed),
        initial_design=DefaultInitialDesign(scenario, n_configs=0, additional_configs=starts),
        random_design=ProbabilityRandomDesign(settings.random, seed=scenario.seed),
        intensifier=race,
        runhistory_encoder=Rows(scenario),
        config_selector=Proposals(scenario, retrain_after=_MOST_PROPOSALS),
        logging_level=False,
    )
    return race, smac


class _Facade(AlgorithmConfigurationFacade):
    """SMAC put together without its files."""

    @property
    def meta(self) -> dict[str, Any]:
        return {}

    def _update_dependencies(self) -> None:
        self._runhistory = _History()
        super()._update_dependencies()

    def _get_optimizer(self) -> SMBO:
        return _Optimizer(self._scenario, self._runner, self._runhistory, self._intensifier)


class _Optimizer(SMBO):
    """SMAC's ask and tell, which neither looks for an earlier run's files nor writes any."""

    def _initialize_state(self) -> None:
        pass

    def save(self) -> None:
        pass


class _History(RunHistory):
    """Leaves out work that only files and several objectives need, and that grows with the number of trials."""

    def _update_objective_bounds(self) -> None:
        pass

    def _check_json_serializable(self, *_: Any) -> None:
        pass
