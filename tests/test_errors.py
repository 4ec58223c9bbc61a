"""Messages to people."""

from __future__ import annotations

import pickle

from ceps.errors import UserError


def test_a_message_is_never_longer_than_people_read() -> None:
    """Whatever it quotes; its beginning, which names the file, and its end, which tells the way out, are there, also of
    one that came from another process."""
    short = UserError("scenario.toml: seed is missing; add it")
    assert str(short) == "scenario.toml: seed is missing; add it"
    long = pickle.loads(pickle.dumps(UserError(f"scenario.toml: {'x' * 200_000} is unknown; remove it")))
    assert len(str(long)) < 2000
    assert str(long).startswith("scenario.toml: xxx")
    assert str(long).endswith("xxx is unknown; remove it")
