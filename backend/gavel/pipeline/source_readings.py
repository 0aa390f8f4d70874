"""Sources as rules of alerts compare them: how long silent, how far their clock is off, how much of the last hour is missing."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from gavel.alerting.evaluate import Readings
from gavel.alerting.rules import Measure, Quantity
from gavel.db.engine import Connection
from gavel.db.queries.source_silence import SourceStand, source_stands
from gavel.pipeline.alert_objects import Things

# Who failed so recently has been asked: it is silent until now. Else only as long as it was asked.
_ASKED_WITHIN = timedelta(minutes=20)


def source_readings(
    connection: Connection, there: Things, measures: Sequence[Measure], minute: int, now: datetime
) -> Readings:
    """One minute of every source, as it stands now."""
    stands = {stand.source_id: stand for stand in source_stands(connection, now)}
    value, lower = (np.full((len(measures), len(there.objects)), np.nan) for _ in range(2))
    for column, one in enumerate(there.objects):
        numbers = _numbers(stands[one.id], now)
        for row, measure in enumerate(measures):
            value[row, column], lower[row, column] = numbers.get(measure.quantity, (np.nan, np.nan))
    n = len(there.objects)
    return Readings(
        there.keys,
        np.full(n, minute),
        np.ones(n, dtype=np.bool_),
        np.zeros(n, dtype=np.int8),
        value,
        lower,
        np.full(value.shape, np.inf),
    )


def _numbers(stand: SourceStand, now: datetime) -> Mapping[Quantity, tuple[float, float]]:
    """Estimate and lower bound in seconds; what is not known is absent."""
    silent = _silent_s(stand, now)
    found = {Quantity.SOURCE_SILENT: (silent, silent), Quantity.GAP: (stand.missing_s, stand.missing_s)}
    if stand.offset_s is not None:
        surely = max(0.0, abs(stand.offset_s) - (stand.offset_error_s or 0.0))
        found[Quantity.CLOCK_OFFSET] = (abs(stand.offset_s), surely)
    return found


def _silent_s(stand: SourceStand, now: datetime) -> float:
    """While Gavel itself did not ask, nobody was silent: after a rest of Gavel's own, nothing is held against its sources."""
    if stand.newest_run_at is None:
        return 0.0
    failed_lately = stand.newest_failed and stand.newest_run_at > now - _ASKED_WITHIN
    until = now if failed_lately else min(now, stand.newest_run_ended_at or stand.newest_run_at)
    since = stand.samples_until_at or stand.created_at
    return max(0.0, (until - since).total_seconds())
