"""Every seed is derived from (scenario seed, purpose, index). There is no global randomness anywhere."""

from __future__ import annotations

import hashlib

import numpy as np

LARGEST_SEED = 2**31 - 1
"""Solvers written in C read a seed as a signed 32-bit number."""


def derive(seed: int, purpose: str, *index: int | str) -> int:
    """A solver seed in 1 … 2³¹−1. Different purposes ("tune", "validate", "test") give unrelated seeds."""
    return int.from_bytes(_digest(seed, purpose, index)[:8], "big") % LARGEST_SEED + 1


def generator(seed: int, purpose: str, *index: int | str) -> np.random.Generator:
    """A random generator of its own for one purpose."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(_digest(seed, purpose, index), "big")))


def _digest(seed: int, purpose: str, index: tuple[int | str, ...]) -> bytes:
    # repr separates 1 from "1" and ("a", "b") from ("ab",).
    return hashlib.blake2b(repr((seed, purpose, index)).encode(), digest_size=16).digest()
