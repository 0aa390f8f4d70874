"""Alerts as of now: on which arrays what they are about lies, and what its measure is in the newest minute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from gavel.alerting.rule_plain import measure_of
from gavel.alerting.rules import Measure, Subject
from gavel.db.engine import Connection
from gavel.db.queries.alerts import AlertRow
from gavel.db.queries.ledger import ledger
from gavel.db.queries.refs import of_sources
from gavel.db.queries.rows import RefKind
from gavel.db.queries.scopes import arrays_behind
from gavel.pipeline.alert_objects import SCOPES, Things, things
from gavel.pipeline.expecting import usual
from gavel.pipeline.judged import judged_until
from gavel.pipeline.judging import MINUTE
from gavel.pipeline.measuring import detail_for, measured
from gavel.pipeline.source_readings import source_readings

# A host or a cluster reaches every array, and is on none.
_ON_ARRAYS = (Subject.VM, Subject.DATASTORE, Subject.VOLUME, Subject.ARRAY)


@dataclass(frozen=True, slots=True)
class Newest:
    """The minute that began at `at`: estimate and lower bound in the measure's unit; None: not measured, or no bound."""

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


def newest(connection: Connection, row: AlertRow, now: datetime) -> Newest | None:
    """What an open alert's measure is by now. None: it is over, its source is gone, or no minute was judged yet."""
    if row.ended_at is not None:
        return None
    measure = measure_of(row.measure)
    if row.subject == Subject.SOURCE.value:
        return _of_source(connection, row, measure, now)
    until = judged_until(connection)
    return None if until is None else _of_minute(connection, row, measure, until - MINUTE)


def _of_minute(connection: Connection, row: AlertRow, measure: Measure, at: datetime) -> Newest:
    found = ledger(connection, [row.object_key], at, at + MINUTE, MINUTE, detail_for([measure]))
    if not len(found):
        return Newest(at, None, None)
    expected = usual(connection, SCOPES[Subject(row.subject)], [row.object_id])
    numbers = measured(found, np.zeros(len(found), dtype=np.int64), expected, [measure])
    return Newest(at, _number(numbers.value[0, 0]), _number(numbers.lower[0, 0]))


def _of_source(connection: Connection, row: AlertRow, measure: Measure, now: datetime) -> Newest | None:
    there = things(connection, Subject.SOURCE)
    mine = np.flatnonzero(there.keys == row.object_key)
    if not len(mine):
        return None
    one = Things(there.subject, there.keys[mine], (there.objects[mine[0]],))
    minute = int(now.timestamp()) // 60
    read = source_readings(connection, one, [measure], minute, now)
    at = datetime.fromtimestamp(minute * 60, UTC)
    return Newest(at, _number(read.value[0, 0]), _number(read.lower[0, 0]))


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)
