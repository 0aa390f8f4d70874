"""Ledger rows for tests: random, but consistent as the maths makes them."""

from dataclasses import fields

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.domain.ledger import LedgerRows, Notes


def ledger_rows(n: int, seed: int = 0) -> tuple[LedgerRows, Notes]:
    """n rows: a tenth idle, a third of the parts not measured, and of the others a fifth only for some of the ops."""
    rng = np.random.default_rng(seed)
    ops = np.floor(rng.uniform(1, 5000, (n, 2)))
    ops[rng.random((n, 2)) < 0.1] = 0
    segment = _parts(rng, ops, 9, bounds=False)
    span = _parts(rng, ops, 10, bounds=True)
    outermost = np.where((span[3] > 0).any(axis=2), rng.uniform(0, 1e6, (n, 3)), 0.0)
    parts = ("time", "lower", "upper", "ops")
    columns = {f"segment_{name}": column for name, column in zip(parts, segment, strict=True)}
    columns |= {f"span_{name}": column for name, column in zip(parts, span, strict=True)}
    rows = LedgerRows(ops=_all(ops), bytes=_all(np.floor(ops * 4096)), **columns, outermost_lower=outermost)
    return rows, _notes(rng, n)


def _all(ways: Floats) -> Floats:
    return np.concatenate([ways, ways.sum(axis=1, keepdims=True)], axis=1)


def _parts(rng: np.random.Generator, ops: Floats, parts: int, *, bounds: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """Time, lower, upper, ops of (n, 3, parts); without bounds as a reader gives them: NaN."""
    shape = (*ops.shape, parts)
    there = rng.random(shape) < 0.67
    some = np.where(rng.random(shape) < 0.2, 0.5, 1.0)
    weights = np.where(there, np.floor(ops[:, :, None] * some), 0.0)
    time = weights * rng.uniform(1, 3000, shape)
    lower, upper = (time * 0.5, time * 2) if bounds else (np.full(shape, np.nan),) * 2
    return _all(time), _all(lower), _all(upper), _all(weights)


def _notes(rng: np.random.Generator, n: int) -> Notes:
    flags: dict[str, np.ndarray] = {name: rng.integers(0, 512, n) for name in ("reasons", "quality_reasons")}
    others: dict[str, np.ndarray] = {
        field.name: rng.uniform(0, 1000, n) for field in fields(Notes) if field.name not in flags
    }
    for numbers in others.values():
        numbers[rng.random(n) < 0.2] = np.nan
    return Notes(**flags, **others)
