"""Alerts as of now: the arrays of their objects, and their measure in the newest minute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from gavel.alerting.rules.model import BY_CLOCK, RuleMeasure, Subject
from gavel.alerting.rules.plain import measure_of
from gavel.alerting.use.clock_readings import readings_now
from gavel.alerting.use.measures import detail_for, measured
from gavel.alerting.use.objects import SCOPES, AlertObjects, things
from gavel.db.engine import Connection
from gavel.db.queries.alerts import AlertRow
from gavel.db.queries.ledger import ledger
from gavel.db.queries.refs import RefKind, of_sources
from gavel.db.queries.scopes import arrays_behind, ledger_until
from gavel.db.write.alert_memory import first_due_minute
from gavel.diagnosis.baselines import usual
from gavel.diagnosis.diagnose import MINUTE


def evaluated_until(connection: Connection, now: datetime) -> datetime | None:
    """Every rule was evaluated for the minutes before it, as far as the ledger has them; None before the first one."""
    until, due = ledger_until(connection), first_due_minute(connection, now)
    if until is None or due is None:
        return until
    return min(until, datetime.fromtimestamp(due * 60, UTC))


# A host or a cluster reaches every array, and is on none.
_ON_ARRAYS = (Subject.VM, Subject.DATASTORE, Subject.VOLUME, Subject.ARRAY)


@dataclass(frozen=True, slots=True)
class NewestMeasure:
    """An alert's measure in the newest evaluated minute, which began at `at`; of a source the current value."""

    at: datetime
    value: float | None
    lower: float | None


def arrays_of(connection: Connection, alerts: Sequence[AlertRow]) -> Mapping[int, tuple[int, ...]]:
    """Ids of arrays by alert id, whatever those were called when it began; what is on no array is absent."""
    found: dict[tuple[str, int], tuple[int, ...]] = {}
    for subject in _ON_ARRAYS:
        ids = sorted({row.object_id for row in alerts if row.subject == subject.value})
        behind = arrays_behind(connection, RefKind(subject.value), ids) if ids else {}
        found |= {(subject.value, thing): tuple(array.id for array in arrays) for thing, arrays in behind.items()}
    if any(row.subject == Subject.SOURCE.value for row in alerts):
        own = of_sources(connection, RefKind.ARRAY)
        found |= {(Subject.SOURCE.value, source): (array.id,) for source, array in own.items()}
    return {row.id: arrays for row in alerts if (arrays := found.get((row.subject, row.object_id)))}


def newest(connection: Connection, row: AlertRow, now: datetime) -> NewestMeasure | None:
    """The current value of an open alert's measure. None: it has ended, its source is gone, or no minute was evaluated yet."""
    if row.ended_at is not None:
        return None
    measure = measure_of(row.measure)
    if measure.quantity in BY_CLOCK:
        return _by_clock(connection, row, measure, now)
    until = evaluated_until(connection, now)
    return None if until is None else _of_minute(connection, row, measure, until - MINUTE)


def _of_minute(connection: Connection, row: AlertRow, measure: RuleMeasure, at: datetime) -> NewestMeasure:
    found = ledger(connection, [row.object_key], at, at + MINUTE, MINUTE, detail_for([measure]))
    if not len(found):
        return NewestMeasure(at, None, None)
    expected = usual(connection, SCOPES[Subject(row.subject)], [row.object_id])
    numbers = measured(found, np.zeros(len(found), dtype=np.int64), expected, [measure])
    return NewestMeasure(at, _number(numbers.value[0, 0]), _number(numbers.lower[0, 0]))


def _by_clock(connection: Connection, row: AlertRow, measure: RuleMeasure, now: datetime) -> NewestMeasure | None:
    there = things(connection, Subject(row.subject))
    mine = np.flatnonzero(there.keys == row.object_key)
    if not len(mine):
        return None
    one = AlertObjects(there.subject, there.keys[mine], (there.objects[mine[0]],))
    read = readings_now(connection, one, [measure], now)
    at = datetime.fromtimestamp(int(read.minute[0]) * 60, UTC)
    return NewestMeasure(at, _number(read.value[0, 0]), _number(read.lower[0, 0]))


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
