"""Messages to people."""

from __future__ import annotations

import pickle

import pytest

from ceps.errors import UntrustedError, UserError
from ceps.tables import naming


def test_a_message_is_never_longer_than_people_read() -> None:
    """Whatever it quotes; its beginning, which names the file, and its end, which tells the way out, are there, also of
    one that came from another process."""
    short = UserError("scenario.toml: seed is missing; add it")
    assert str(short) == "scenario.toml: seed is missing; add it"
    for word in ("x" * 200_000, "x " * 100_000):
        long = pickle.loads(pickle.dumps(UserError(f"scenario.toml: {word} is unknown; remove it")))
        assert len(str(long)) < 2000
        assert str(long).startswith("scenario.toml: x")
        assert str(long).endswith(" is unknown; remove it")


def test_what_is_wrong_with_a_long_name_is_told() -> None:
    """What stands between two long names is not cut out with them."""
    name = "x" * 5000
    assert ": File name too long: " in str(UserError(f"{name}: File name too long: {name}"))


def test_what_is_to_be_trusted_is_told_whole() -> None:
    """However long, and with the name of the file before it: else its middle could hide what matters."""
    programs = f"{'x' * 5000} harm {'x ' * 5000}"
    with pytest.raises(UntrustedError) as told, naming("experiment.toml"):
        raise UntrustedError(programs)
    assert str(told.value) == f"experiment.toml: {programs}"
