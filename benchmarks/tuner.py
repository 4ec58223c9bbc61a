"""What the search for a configuration costs and finds: ``python -m benchmarks.tuner [--baseline] [--quality]``.

``tuner_overhead_ms``: wall time outside the target function per trial, over 600 and over 6,000 trials: the 23
parameters of LKH, 30 instances with 6 features, one trial at a time, a target function that answers at once.
``joint_overhead_ms``: the same for the joint space of LKH and a made-up solver of 10 parameters, 3 of them conditional.
``smac_default_overhead_ms``: the same for SMAC's own facade for algorithm configuration (``--baseline``).
``--quality`` prints the true mean score of what is found after 300 trials, seed by seed, on a made-up response with
the features of a real one: few parameters matter, bad regions time out, and runs of one configuration vary widely.
``joint`` searches both solvers there; the made-up one is decent from the start but never the best: what a tempting
solver costs.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float, GreaterThanCondition
from smac import AlgorithmConfigurationFacade, Scenario
from smac.runhistory import TrialValue

from ceps.construction.search import Search, SearchSettings
from ceps.records import Configuration, digest
from ceps.solvers.lkh import Lkh
from ceps.solvers.solver import default_configuration, plain_configuration

INSTANCES = 30
FEATURES = 6
CUTOFF = 10.0
QUALITY_TRIALS = 300
QUALITY_SEEDS = 12
SETTINGS = SearchSettings()


@dataclass(frozen=True)
class Ten:
    """A made-up solver, as far as a search sees one."""

    name: str = "ten"

    @property
    def space(self) -> ConfigurationSpace:
        space = ConfigurationSpace([Float(f"x{i}", (0.0, 1.0)) for i in range(8)])
        space.add(Categorical("kind", ["a", "b", "c"]), Categorical("mode", ["p", "q"]))
        space.add(
            EqualsCondition(space["x0"], space["kind"], "b"),
            EqualsCondition(space["x1"], space["mode"], "q"),
            GreaterThanCondition(space["x2"], space["x3"], 0.5),
        )
        return space


@dataclass(frozen=True)
class Landscape:
    """A made-up solver on made-up instances: PAR-10 scores of heavy-tailed run times that depend on both."""

    seed: int

    @property
    def features(self) -> np.ndarray:
        return np.random.default_rng(self.seed).random((INSTANCES, FEATURES))

    def score(self, configuration: Configuration, instance: int, seed: int) -> float:
        values = configuration.as_dict()
        noise = np.random.default_rng(int(digest([self.seed, sorted(values.items()), instance, seed]), 16))
        seconds = float(np.exp(self.log_seconds(values)[instance] + 0.8 * noise.normal()))
        return seconds if seconds < CUTOFF else 10.0 * CUTOFF

    def log_seconds(self, values: dict[str, Any]) -> np.ndarray:
        """The typical run time's logarithm on each instance."""
        rng = np.random.default_rng([self.seed, 1])
        features = self.features
        if "kind" in values:  # the made-up solver
            distance = sum((values[f"x{i}"] - 0.5) ** 2 for i in range(3, 8))
            return 1.5 * features[:, 4] + 2.0 * distance + (values["kind"] == "a")
        best = rng.random(8)
        weights = rng.uniform(0.5, 2.0, 8)
        scaled = np.array(
            [
                (values["MAX_CANDIDATES"] - 1) / 9,
                (values["MOVE_TYPE"] - 2) / 4,
                np.log(values["MAX_BREADTH"]) / np.log(2**31),
                (values["POPULATION_SIZE"] - 2) / 98,
                values["KICKS"] / 5,
                (values["PATCHING_A"] + values["PATCHING_C"]) / 10,
                values["INITIAL_TOUR_FRACTION"],
                values["EXTRA_CANDIDATES"] / 10,
            ]
        )
        # Where an instance's best setting lies depends on its features.
        targets = np.clip(best + 0.3 * (features[:, [0, 1, 2, 3, 0, 1, 2, 3]] - 0.5), 0.0, 1.0)
        smooth = (2.5 * weights * (scaled - targets) ** 2).sum(axis=1)
        kinds = ("INITIAL_TOUR_ALGORITHM", "CANDIDATE_SET_TYPE", "KICK_TYPE", "SUBGRADIENT", "GAIN_CRITERION")
        effects = sum(0.7 * np.random.default_rng(int(digest([self.seed, k, values[k]]), 16)).random() for k in kinds)
        bad = (values["SUBGRADIENT"] == "no" and scaled[0] > 0.6) or (
            values["BACKTRACKING"] == "yes" and scaled[1] > 0.5
        )
        hardness = 1.5 * features[:, 4] - 3.0
        return hardness + smooth + effects + (4.0 if bad else 0.0)

    def true_mean(self, values: dict[str, Any]) -> float:
        """The mean score over the instances and 200 quantiles of the noise."""
        noise = 0.8 * np.array([statistics.NormalDist().inv_cdf((i + 0.5) / 200) for i in range(200)])
        seconds = np.exp(self.log_seconds(values)[:, None] + noise)
        return float(np.where(seconds < CUTOFF, seconds, 10.0 * CUTOFF).mean())


def ours(
    landscape: Landscape,
    trials: int,
    seed: int,
    settings: SearchSettings = SETTINGS,
    solvers: Sequence[Any] = (Lkh(),),
) -> tuple[dict[str, Any], float]:
    """What our search finds, and the seconds it took outside the target function."""
    starts = [default_configuration(solver) for solver in solvers]
    start = time.perf_counter()
    search = Search(solvers, landscape.features, INSTANCES, starts, seed, settings)
    inside = 0.0
    for _ in range(trials):
        trial = search.ask()
        assert trial is not None
        before = time.perf_counter()
        score = landscape.score(trial.configuration, trial.instance, trial.seed)
        inside += time.perf_counter() - before
        search.tell(trial, score)
    return search.incumbent.as_dict(), time.perf_counter() - start - inside


def smac_default(landscape: Landscape, trials: int, seed: int) -> tuple[dict[str, Any], float]:
    """The same by SMAC's own facade."""
    start = time.perf_counter()
    inside = 0.0
    with tempfile.TemporaryDirectory() as folder:
        names = [str(index) for index in range(INSTANCES)]
        scenario = Scenario(
            Lkh().space,
            instances=names,
            instance_features=dict(zip(names, landscape.features.tolist(), strict=True)),
            n_trials=trials,
            seed=seed,
            output_directory=Path(folder),
        )
        # Its default reduction of the features fails when it predicts.
        model = AlgorithmConfigurationFacade.get_model(scenario, pca_components=None)
        smac = AlgorithmConfigurationFacade(scenario, None, model=model, logging_level=False)
        for _ in range(trials):
            trial = smac.ask()
            before = time.perf_counter()
            score = landscape.score(plain_configuration("lkh", trial.config), int(trial.instance), trial.seed)
            inside += time.perf_counter() - before
            smac.tell(trial, TrialValue(cost=score), save=False)
        found = smac.intensifier.get_incumbent()
    return plain_configuration("lkh", found).as_dict(), time.perf_counter() - start - inside


def tuner_overhead_ms(trials: int) -> float:
    return 1000.0 * ours(Landscape(1), trials, 1)[1] / trials


def joint_overhead_ms(trials: int) -> float:
    return 1000.0 * ours(Landscape(1), trials, 1, solvers=(Lkh(), Ten()))[1] / trials


def smac_default_overhead_ms(trials: int = 100) -> float:
    return 1000.0 * smac_default(Landscape(1), trials, 1)[1] / trials


def quality(name: str, find: Callable[[Landscape, int], dict[str, Any]]) -> None:
    means = [Landscape(seed).true_mean(find(Landscape(seed), seed)) for seed in range(QUALITY_SEEDS)]
    logs = statistics.fmean(np.log(means))
    print(
        f"{name:8} mean {statistics.fmean(means):7.3f}  geometric {np.exp(logs):7.3f} ",
        *(f"{m:.2f}" for m in means),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--baseline", action="store_true", help="also time SMAC's default facade (minutes)")
    parser.add_argument("--quality", action="store_true", help="compare what is found instead of timing")
    arguments = parser.parse_args()
    if arguments.quality:
        random = SearchSettings(random=0.999)
        quality("default", lambda landscape, seed: default_configuration(Lkh()).as_dict())
        quality("ours", lambda landscape, seed: ours(landscape, QUALITY_TRIALS, seed)[0])
        quality("joint", lambda landscape, seed: ours(landscape, QUALITY_TRIALS, seed, solvers=(Lkh(), Ten()))[0])
        quality("random", lambda landscape, seed: ours(landscape, QUALITY_TRIALS, seed, random)[0])
        if arguments.baseline:
            quality("smac", lambda landscape, seed: smac_default(landscape, QUALITY_TRIALS, seed)[0])
        return
    for trials in (600, 6000):
        print(f"tuner_overhead_ms {trials} {tuner_overhead_ms(trials):.2f}", flush=True)
        print(f"joint_overhead_ms {trials} {joint_overhead_ms(trials):.2f}", flush=True)
    if arguments.baseline:
        print(f"smac_default_overhead_ms {smac_default_overhead_ms():.2f}", flush=True)


if __name__ == "__main__":
    main()
