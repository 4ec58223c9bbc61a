"""Seeds are derived, disjoint by purpose, and the same everywhere."""

from __future__ import annotations

from ceps import seeds


def test_seeds_are_the_same_on_every_machine() -> None:
    """A derived seed is a fixed function of its arguments, in the range C programs can read."""
    assert seeds.derive(1, "test", "a", 0) == 636138129
    assert 1 <= seeds.derive(2, "test") <= seeds.LARGEST_SEED


def test_purposes_and_indices_give_unrelated_seeds() -> None:
    """No two of a thousand seeds of different purposes and indices coincide."""
    made = {seeds.derive(1, purpose, index) for purpose in ("tune", "test") for index in range(500)}
    assert len(made) == 1000


def test_index_types_are_told_apart() -> None:
    """The index 1 and the index "1" are different."""
    assert seeds.derive(1, "x", 1) != seeds.derive(1, "x", "1")


def test_generators_repeat_themselves() -> None:
    """The same seed and purpose give the same stream, another purpose another one."""
    first, again, other = (seeds.generator(5, purpose).random(4).tolist() for purpose in ("a", "a", "b"))
    assert first == again != other
