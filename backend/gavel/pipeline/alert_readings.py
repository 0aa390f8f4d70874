"""Minutes of the ledger as the machine of alerts reads them: by kind of thing, one minute at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from gavel.alerting.evaluate import Readings, RuleTable, rule_table
from gavel.alerting.rules import Measure, Rule, Subject
from gavel.db.alert_memory import DueMinute
from gavel.db.engine import Connection, Engine
from gavel.db.queries.alert_objects import AlertObject, objects_stamp
from gavel.db.queries.alert_rules import RuleRow
from gavel.db.queries.ledger import ledger
from gavel.pipeline.alert_objects import SCOPES, Things, covered, of_key, things
from gavel.pipeline.alert_rules import measures_of, rules_of
from gavel.pipeline.expecting import usual
from gavel.pipeline.judging import MINUTE
from gavel.pipeline.measuring import Measured, detail_for, measured

Ints = npt.NDArray[np.int64]
_SECONDS = 60
# What is there, and which rule looks at it, changes with inventories and rules only.
_known: WeakKeyDictionary[Engine, tuple[object, dict[Subject, "Watched"]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Watched:
    """Things of one kind, and the rules that look at them. table: over `things`, in their order."""

    things: Things
    rules: Mapping[int, Rule]
    measures: tuple[Measure, ...]
    table: RuleTable

    def beside(self, keys: Ints) -> "Watched":
        """The same with things of this kind that are gone: nothing looks at them any more, so what was open of them ends."""
        gone = np.setdiff1d(keys, self.things.keys)
        if not len(gone):
            return self
        nothing = tuple(AlertObject(of_key(key)[1], "") for key in gone.tolist())
        every = np.concatenate([self.things.keys, gone])
        order = np.argsort(every)
        objects = (*self.things.objects, *nothing)
        there = Things(self.things.subject, every[order], tuple(objects[n] for n in order.tolist()))
        applies = np.zeros((len(self.rules), len(every)), dtype=np.bool_)
        applies[:, : len(self.things.keys)] = self.table.applies
        return Watched(there, self.rules, self.measures, rule_table(self.rules, self.measures, applies[:, order]))


@dataclass(frozen=True, slots=True)
class MinuteRead:
    """One minute of one kind of things. impact: (n,) I/Os that wait needlessly."""

    minute: int
    readings: Readings
    impact: npt.NDArray[np.float64]


def watched(connection: Connection, rows: Sequence[RuleRow]) -> dict[Subject, Watched]:
    """By kind, those kinds that some of these rules looks at."""
    stamp = (objects_stamp(connection), tuple((row.id, row.changed_at) for row in rows))
    known = _known.get(connection.engine)
    if known is None or known[0] != stamp:
        rules = rules_of(rows)
        subjects = dict.fromkeys(rule.scope.subject for rule in rules.values())
        known = stamp, {subject: _watched(connection, subject, rules) for subject in subjects}
        _known[connection.engine] = known
    return known[1]


def _watched(connection: Connection, subject: Subject, rules: Mapping[int, Rule]) -> Watched:
    mine = {rule_id: rule for rule_id, rule in rules.items() if rule.scope.subject is subject}
    there = things(connection, subject)
    measures = measures_of(mine.values())
    return Watched(there, mine, measures, rule_table(mine, measures, covered(mine, there)))


def read_minutes(connection: Connection, one: Watched, due: Sequence[DueMinute]) -> Iterator[MinuteRead]:
    """Each due minute in its order. Of a whole minute everything that is there, with or without data; else what has data.

    due: within some minutes of each other, oldest first.
    """
    first, last = due[0].minute, due[-1].minute
    scope = SCOPES[one.things.subject]
    kept = ledger(connection, one.things.keys.tolist(), _at(first), _at(last + 1), MINUTE, detail_for(one.measures))
    expected = usual(connection, scope, one.things.ids)
    place = np.searchsorted(one.things.keys, kept.keys)
    numbers = measured(kept, place, expected, one.measures)
    minutes = kept.starts_us // (_SECONDS * 1_000_000)
    for wanted in due:
        rows = np.flatnonzero(minutes == wanted.minute)
        yield _minute(one.things, wanted, place[rows], numbers, rows)


def _minute(there: Things, wanted: DueMinute, place: Ints, numbers: Measured, rows: Ints) -> MinuteRead:
    shown = np.arange(len(there.objects)) if wanted.is_whole else place
    at = np.searchsorted(shown, place)
    n, m = len(shown), len(numbers.value)
    present, grade, impact = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int8), np.full(n, np.nan)
    present[at], grade[at], impact[at] = True, numbers.grade[rows], numbers.impact[rows]
    columns = [np.full((m, n), np.nan) for _ in range(3)]
    for target, found in zip(columns, (numbers.value, numbers.lower, numbers.ops), strict=True):
        target[:, at] = found[:, rows]
    readings = Readings(there.keys[shown], np.full(n, wanted.minute), present, grade, *columns)
    return MinuteRead(wanted.minute, readings, impact)


def narrowed(table: RuleTable, keys: Ints, shown: Ints) -> RuleTable:
    """The table over some of its things only, given by keys."""
    if len(keys) == len(shown):
        return table
    columns = np.searchsorted(keys, shown)
    fields = {name: getattr(table, name) for name in RuleTable.__dataclass_fields__}
    return RuleTable(**{**fields, "applies": table.applies[:, columns]})


def _at(minute: int) -> datetime:
    return datetime.fromtimestamp(minute * _SECONDS, UTC)
