"""Splits into training and test instances."""

from __future__ import annotations

import pytest

from ceps.comparing.splits import Split, random_splits, trained_twins
from ceps.errors import UserError
from ceps.testing.bits import BitsInstance


def test_a_split_is_a_partition_and_splits_differ() -> None:
    """Every instance is in exactly one part of each split, parts have the asked size, and no two splits are alike."""
    splits = random_splits(50, count=4, train=0.06, seed=1)
    assert [split.number for split in splits] == [1, 2, 3, 4]
    for split in splits:
        assert len(split.train) == 3
        assert sorted([*split.train, *split.test]) == list(range(50))
    assert len({split.train for split in splits}) == 4


def test_splits_depend_on_the_seed_alone() -> None:
    """The same seed gives the same splits, however many are asked for; another seed gives others."""
    assert random_splits(20, 3, 5, seed=1)[:2] == random_splits(20, 2, 5, seed=1)
    assert random_splits(20, 3, 5, seed=1) != random_splits(20, 3, 5, seed=2)


def test_a_small_share_trains_on_one_instance() -> None:
    """A share that rounds to nothing is one instance."""
    (split,) = random_splits(5, 1, 0.01, seed=1)
    assert len(split.train) == 1


@pytest.mark.parametrize("train", [10, 11, 0.99])
def test_splits_larger_than_the_set_are_refused(train: float) -> None:
    """A test without instances is none: the message says how many may train at most."""
    with pytest.raises(UserError, match=r"\[splits\] train = .* leave none for the test; .*on 9 of them at most"):
        random_splits(10, 1, train, seed=1)


@pytest.mark.parametrize("train", [1, 2, 0.06, 0.99])
def test_a_set_of_one_instance_cannot_be_split(train: float) -> None:
    """Whatever is to be trained on: two instances are needed, and the message says so."""
    with pytest.raises(UserError, match=r"\[problem\]: there is only one instance, .* give two at least"):
        random_splits(1, 1, train, seed=1)


def test_twins_are_found_by_their_content() -> None:
    """A test instance that has a training instance's content under another name is told; its own kind is not."""
    instances = [BitsInstance("a", 3), BitsInstance("b", 4), BitsInstance("c", 3)]
    assert trained_twins(instances, Split(1, (0,), (1, 2))) == ["c"]
    assert trained_twins(instances, Split(1, (1,), (0, 2))) == []
