"""Randomness without state: numbers that are functions of a key and an instant, so any second can be asked in any order."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from gavel_lab.reading import Floats

Keys = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def keys(seed: int, kind: str, number: int) -> Keys:
    """(number,) independent keys for the things of one kind."""
    return keys_of(seed, kind, np.arange(number, dtype=np.uint64))


def keys_of(seed: int, kind: str, numbers: Keys) -> Keys:
    """Independent keys for the things of one kind that have these numbers."""
    head = int.from_bytes(hashlib.sha256(f"{seed}/{kind}".encode()).digest()[:8], "big")
    with np.errstate(over="ignore"):
        return _mix(np.uint64(head) + numbers * _GOLDEN)


def uniform(of: Keys, at: NDArray[np.int64]) -> Floats:
    """(n, t) numbers in [-1, 1), one per key and instant, independent of one another."""
    mixed = _mix(of[:, None] ^ _mix(at.astype(np.uint64) * _GOLDEN)[None, :])
    result: Floats = (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0
    return result


def smooth(of: Keys, at: NDArray[np.int64], period_s: int) -> Floats:
    """(n, t) numbers in [-1, 1] that wander from one independent value to the next within each period."""
    place = at / period_s
    left = np.floor(place).astype(np.int64)
    first, column = int(left[0]), left - int(left[0])
    lattice = uniform(of, np.arange(first, int(left[-1]) + 2))
    blend = 0.5 - 0.5 * np.cos(np.pi * (place - left))
    result: Floats = lattice[:, column] * (1 - blend) + lattice[:, column + 1] * blend
    return result


def _mix(value: Keys) -> Keys:
    with np.errstate(over="ignore"):
        value = (value ^ (value >> np.uint64(30))) * _MIX_1
        value = (value ^ (value >> np.uint64(27))) * _MIX_2
        return value ^ (value >> np.uint64(31))
