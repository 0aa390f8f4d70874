"""Latency of many objects over the last hour of a window, for a line in their rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import timed_ops
from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.queries.refs import RefKind
from gavel.db.queries.scopes import SCOPES
from gavel.db.series.modes import Storage
from gavel.diagnosis.diagnose import none_if_nan
from gavel.domain.io_path import Direction
from gavel.domain.ledger import LedgerRows
from gavel.domain.scope import scope_key

REACH = timedelta(hours=1)
STEP = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Trend:
    """Total latency in steps of `step_s` from `from_at` on; null where nothing was measured."""

    from_at: datetime
    step_s: int
    total_us: tuple[float | None, ...]


def trends(
    connection: Connection, kind: RefKind, ids: Sequence[int], to_at: datetime, storage: Storage
) -> Mapping[int, Trend]:
    """By id, of the hour up to `to_at`; what has no minute in it is absent."""
    if not ids:
        return {}
    first = scope_key(SCOPES[kind], 0)
    keys = sorted(first + thing_id for thing_id in ids)
    sums = ledger(connection, keys, to_at - REACH, to_at, STEP, Detail.TIMES, storage=storage)
    buckets = round((sums.to_at - sums.from_at) / sums.step)
    start_us, step_us = sums.from_at.timestamp() * 1e6, sums.step.total_seconds() * 1e6
    at = np.rint((sums.starts_us - start_us) / step_us).astype(np.int64)
    things, row = np.unique(sums.keys, return_inverse=True)
    total_us = np.full((len(things), buckets), np.nan)
    total_us[row, at] = _total_us(sums.rows)
    step_s = round(sums.step.total_seconds())
    return {
        int(key) - first: Trend(sums.from_at, step_s, tuple(none_if_nan(us) for us in np.round(line, 1)))
        for key, line in zip(things.tolist(), total_us, strict=True)
    }


def _total_us(rows: LedgerRows) -> Floats:
    """(n,) of everything measured, per I/O; NaN where nothing was."""
    time = np.where(rows.span_ops > 0, rows.span_time, 0.0)[:, Direction.ALL].sum(axis=1)
    ops = timed_ops(rows)[:, Direction.ALL]
    total_us: Floats = np.divide(time, ops, out=np.full_like(time, np.nan), where=ops > 0)
    return total_us
