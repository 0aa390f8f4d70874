"""What the machine of alerts reads: minutes of the ledger by kind of object, one at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gavel.alerting.machine.readings import Readings, RuleTable, rule_table
from gavel.alerting.rules.model import Rule, RuleMeasure, Subject
from gavel.alerting.use.measures import Measured, detail_for, measured
from gavel.alerting.use.objects import SCOPES, AlertObjects, covered, of_key, things
from gavel.alerting.use.rules import measures_of, rules_of
from gavel.db.engine import Connection, Engine
from gavel.db.queries.alert_objects import AlertObject, objects_stamp
from gavel.db.queries.alert_rules import RuleRow
from gavel.db.queries.ledger import ledger
from gavel.db.write.alert_memory import DueMinute
from gavel.diagnosis.baselines import usual
from gavel.diagnosis.diagnose import MINUTE

Ints = npt.NDArray[np.int64]
_SECONDS = 60
# What is there, and which rule looks at it, changes with inventories and rules only.
_cached_objects: WeakKeyDictionary[Engine, tuple[object, tuple["WatchedObjects", ...]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class WatchedObjects:
    """Things of one kind, and the rules that look at them. table: over `things`, in their order."""

    things: AlertObjects
    rules: Mapping[int, Rule]
    measures: tuple[RuleMeasure, ...]
    table: RuleTable

    def beside(self, keys: Ints) -> "WatchedObjects":
        """The same with things of this kind that are gone: nothing looks at them any more, so what was open of them ends."""
        gone = np.setdiff1d(keys, self.things.keys)
        if not len(gone):
            return self
        nothing = tuple(AlertObject(of_key(key)[1], "") for key in gone.tolist())
        every = np.concatenate([self.things.keys, gone])
        order = np.argsort(every)
        objects = (*self.things.objects, *nothing)
        there = replace(self.things, keys=every[order], objects=tuple(objects[n] for n in order.tolist()))
        applies = np.zeros((len(self.rules), len(every)), dtype=np.bool_)
        applies[:, : len(self.things.keys)] = self.table.applies
        return WatchedObjects(
            there, self.rules, self.measures, rule_table(self.rules, self.measures, applies[:, order])
        )


@dataclass(frozen=True, slots=True)
class MinuteRead:
    """One minute of one kind of things. excess_outstanding: (n,) I/Os outstanding because of the excess."""

    minute: int
    readings: Readings
    excess_outstanding: npt.NDArray[np.float64]


def watched(connection: Connection, rows: Sequence[RuleRow]) -> tuple[WatchedObjects, ...]:
    """Of every kind that some of these rules looks at; apart those looked at by the clock and those by the minutes of the ledger."""
    stamp = (objects_stamp(connection), tuple((row.id, row.changed_at) for row in rows))
    known = _cached_objects.get(connection.engine)
    if known is None or known[0] != stamp:
        rules = rules_of(rows)
        kinds = dict.fromkeys((rule.scope.subject, rule.is_by_clock) for rule in rules.values())
        known = stamp, tuple(_watched(connection, subject, rules, is_by_clock=by_clock) for subject, by_clock in kinds)
        _cached_objects[connection.engine] = known
    return known[1]


def _watched(
    connection: Connection, subject: Subject, rules: Mapping[int, Rule], *, is_by_clock: bool
) -> WatchedObjects:
    mine = {
        rule_id: rule
        for rule_id, rule in rules.items()
        if rule.scope.subject is subject and rule.is_by_clock is is_by_clock
    }
    there = things(connection, subject, is_by_clock=is_by_clock)
    measures = measures_of(mine.values())
    return WatchedObjects(there, mine, measures, rule_table(mine, measures, covered(mine, there)))


def read_minutes(connection: Connection, objects: WatchedObjects, due: Sequence[DueMinute]) -> Iterator[MinuteRead]:
    """Each due minute in its order. Of a whole minute everything that is there, with or without data; else what has data.

    due: within some minutes of each other, oldest first.
    """
    first, last = due[0].minute, due[-1].minute
    scope = SCOPES[objects.things.subject]
    kept = ledger(
        connection, objects.things.keys.tolist(), _at(first), _at(last + 1), MINUTE, detail_for(objects.measures)
    )
    expected = usual(connection, scope, objects.things.ids)
    place = np.searchsorted(objects.things.keys, kept.keys)
    numbers = measured(kept, place, expected, objects.measures)
    minutes = kept.starts_us // (_SECONDS * 1_000_000)
    for wanted in due:
        rows = np.flatnonzero(minutes == wanted.minute)
        yield _minute(objects.things, wanted, place[rows], numbers, rows)


def _minute(there: AlertObjects, wanted: DueMinute, positions: Ints, numbers: Measured, rows: Ints) -> MinuteRead:
    shown = np.arange(len(there.objects)) if wanted.is_whole else positions
    at = np.searchsorted(shown, positions)
    n, m = len(shown), len(numbers.value)
    present, quality, excess_outstanding = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int8), np.full(n, np.nan)
    present[at], quality[at], excess_outstanding[at] = True, numbers.quality[rows], numbers.excess_outstanding[rows]
    value, lower, ops = (np.full((m, n), np.nan) for _ in range(3))
    for target, found in zip((value, lower, ops), (numbers.value, numbers.lower, numbers.ops), strict=True):
        target[:, at] = found[:, rows]
    readings = Readings(
        object_id=there.keys[shown],
        minute=np.full(n, wanted.minute),
        present=present,
        quality=quality,
        value=value,
        lower=lower,
        ops=ops,
    )
    return MinuteRead(wanted.minute, readings, excess_outstanding)


def narrowed(table: RuleTable, keys: Ints, shown: Ints) -> RuleTable:
    """The table over some of its things only, given by keys."""
    if len(keys) == len(shown):
        return table
    columns = np.searchsorted(keys, shown)
    fields = {name: getattr(table, name) for name in RuleTable.__dataclass_fields__}
    return RuleTable(**{**fields, "applies": table.applies[:, columns]})


def _at(minute: int) -> datetime:
    return datetime.fromtimestamp(minute * _SECONDS, UTC)
