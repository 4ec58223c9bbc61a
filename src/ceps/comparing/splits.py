"""Repeated random splits into training and test instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ceps import seeds
from ceps.errors import UserError


@dataclass(frozen=True, slots=True)
class Split:
    """One split; instances by their position in the whole set."""

    number: int
    """From 1."""
    train: tuple[int, ...]
    test: tuple[int, ...]


def random_splits(instances: int, count: int, train: float, seed: int) -> list[Split]:
    """``count`` independent splits; ``train`` is a share (a float) or a number of instances (an int)."""
    if instances < 2:
        raise UserError(
            "[problem]: there is only one instance, which cannot be both trained on and tested; give two at least"
        )
    training = train if isinstance(train, int) else max(1, round(train * instances))
    if training >= instances:
        raise UserError(
            f"[splits] train = {train}: {training} of {instances} instances to train on leave none for the test; "
            f"give more instances, or train on {instances - 1} of them at most"
        )
    made = []
    for number in range(1, count + 1):
        order = [int(each) for each in seeds.generator(seed, "splits", number).permutation(instances)]
        made.append(Split(number, tuple(sorted(order[:training])), tuple(sorted(order[training:]))))
    return made


def trained_twins(instances: Sequence[Any], split: Split) -> list[str]:
    """Names of test instances whose content is also a training instance's."""
    trained = {instances[index].id for index in split.train}
    return [instances[index].name for index in split.test if instances[index].id in trained]
