"""What rules of alerts compare by the clock: how sources are doing, and which findings are open."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from gavel.alerting.machine.readings import Readings
from gavel.alerting.rules.model import Quantity, RuleMeasure, Subject
from gavel.alerting.use.objects import AlertObjects
from gavel.db.engine import Connection
from gavel.db.queries.finding_counts import open_findings
from gavel.db.queries.findings import evaluated_at
from gavel.db.queries.source_silence import SourceStand, source_stands

_SECONDS = 60
# Findings are evaluated every five minutes; after three turns that did not come nothing is said of them.
_EVALUATED_WITHIN = timedelta(minutes=16)
# A run that failed so recently was a poll: the age counts until now. Else until the newest run.
_ASKED_WITHIN = timedelta(minutes=20)


def readings_now(
    connection: Connection, there: AlertObjects, measures: Sequence[RuleMeasure], now: datetime
) -> Readings:
    """The present minute of every object, as it stands now."""
    value, lower = (np.full((len(measures), len(there.objects)), np.nan) for _ in range(2))
    if there.subject is Subject.SOURCE:
        _put_sources(connection, there, measures, now, (value, lower))
    for row, measure in enumerate(measures):
        if measure.quantity is Quantity.OPEN_FINDINGS:
            value[row] = lower[row] = _open_findings(connection, there, measure, now)
    n = len(there.objects)
    return Readings(
        object_id=there.keys,
        minute=np.full(n, int(now.timestamp()) // _SECONDS),
        present=np.ones(n, dtype=np.bool_),
        quality=np.zeros(n, dtype=np.int8),
        value=value,
        lower=lower,
        ops=np.full(value.shape, np.inf),
    )


def _put_sources(
    connection: Connection,
    there: AlertObjects,
    measures: Sequence[RuleMeasure],
    now: datetime,
    columns: tuple[np.ndarray, np.ndarray],
) -> None:
    stands = {stand.source_id: stand for stand in source_stands(connection, now)}
    nothing = (np.nan, np.nan)
    for column, one in enumerate(there.objects):
        numbers = _numbers(stands[one.id], now) if one.id in stands else {}
        for row, measure in enumerate(measures):
            columns[0][row, column], columns[1][row, column] = numbers.get(measure.quantity, nothing)


def _open_findings(
    connection: Connection, there: AlertObjects, measure: RuleMeasure, now: datetime
) -> npt.NDArray[np.float64]:
    """(n,) NaN as long as findings are not evaluated: then nobody can say that one has cleared."""
    newest = evaluated_at(connection)
    if newest is None or newest < now - _EVALUATED_WITHIN:
        return np.full(len(there.objects), np.nan)
    counts = open_findings(connection, there.subject.value, measure.finding, measure.finding_severity)
    return np.array([counts.get(one.id, 0) for one in there.objects], dtype=np.float64)


def _numbers(stand: SourceStand, now: datetime) -> Mapping[Quantity, tuple[float, float]]:
    """Estimate and lower bound in seconds; what was not measured is absent."""
    silent = _silent_s(stand, now)
    found = {Quantity.SAMPLE_AGE: (silent, silent), Quantity.GAP: (stand.missing_s, stand.missing_s)}
    if stand.offset_s is not None:
        lower = max(0.0, abs(stand.offset_s) - (stand.offset_error_s or 0.0))
        found[Quantity.CLOCK_SKEW] = (abs(stand.offset_s), lower)
    return found


def _silent_s(stand: SourceStand, now: datetime) -> float:
    """Age of the newest sample, only while Gavel polled: a pause of Gavel itself does not count against its sources."""
    if stand.newest_run_at is None:
        return 0.0
    failed_lately = stand.newest_failed and stand.newest_run_at > now - _ASKED_WITHIN
    until = now if failed_lately else min(now, stand.newest_run_ended_at or stand.newest_run_at)
    since = stand.samples_until_at or stand.created_at
    return max(0.0, (until - since).total_seconds())
