"""Ledger rows for tests: random, but consistent as the maths makes them."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.db.series.codes import CodeRounding
from gavel.db.series.digits import shorten
from gavel.db.series.ledger_columns import FLAGS as _FLAGS
from gavel.domain.ledger import LedgerRows, Notes


def short_ledger_rows(n: int, seed: int = 0) -> tuple[LedgerRows, Notes]:
    """`ledger_rows` in numbers that both storage modes keep as they are: of 12 binary digits, and sums of them that are stored as well."""
    rows, notes = ledger_rows(n, seed)
    ops = np.minimum(rows.ops[:, :2], 2_000)
    weights = np.minimum(rows.span_ops[:, :2], ops[:, :, None])
    parts = np.minimum(rows.segment_ops[:, :2], ops[:, :, None])
    time = _short(_all(rows.span_time[:, :2]))
    segment_time = _all(_short(rows.segment_time[:, :2]))
    columns = {"span_time": time, "span_lower": time * 0.5, "span_upper": time * 2, "segment_time": segment_time}
    columns |= {"span_ops": _all(weights), "segment_ops": _all(parts), "ops": _all(ops), "bytes": _all(ops * 4096)}
    shortened: dict[str, Any] = {
        field.name: _short(getattr(notes, field.name)) for field in fields(Notes) if field.name not in _FLAGS
    }
    return replace(rows, outermost_lower=_short(rows.outermost_lower), **columns), replace(notes, **shortened)


def _short(numbers: Floats) -> Floats:
    return shorten(numbers.astype(np.float32).ravel(), CodeRounding.NEAREST).reshape(numbers.shape).astype(np.float64)


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
    flags: dict[str, np.ndarray] = {name: rng.integers(0, 512, n) for name in _FLAGS}
    others: dict[str, np.ndarray] = {
        field.name: rng.uniform(0, 1000, n) for field in fields(Notes) if field.name not in flags
    }
    for numbers in others.values():
        numbers[rng.random(n) < 0.2] = np.nan
    return Notes(**flags, **others)
