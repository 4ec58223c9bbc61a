"""Generated instances look like the paper's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.problems.tsp.statistics import LINEARPROJECTION, PUBLISHED, ROUNDING, standard_errors, statistics_of

INSTANCES = 40


@pytest.mark.parametrize("generator", PUBLISHED)
def test_instances_look_like_the_published_ones(generator: str) -> None:
    """The mean of each statistic is within four standard errors of that of the published files."""
    made = statistics_of(generator, INSTANCES)
    differences = np.abs(made.mean(axis=0) - np.array(PUBLISHED[generator])[:, 0])
    assert (differences <= 4 * standard_errors(generator, made) + ROUNDING).all()


def test_projections_look_like_simulated_ones() -> None:
    """The mean of each statistic of linearprojection is within a tenth of that of a simulation."""
    means = statistics_of("linearprojection", INSTANCES).mean(axis=0)
    assert means == pytest.approx(np.array(LINEARPROJECTION), rel=0.1)
