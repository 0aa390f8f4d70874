"""Evaluation: rules are evaluated as soon as minutes are written; changed states are stored with the memory of the machine."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import numpy as np
import structlog

from gavel.alerting.machine.states import LATE_AFTER_MIN, OBJECT, ROW, Memory, Step, Table, retire, step
from gavel.alerting.use import rule_faults
from gavel.alerting.use.clock_readings import readings_now
from gavel.alerting.use.incidents import Moved, write_late_ones, write_moved, write_peaks
from gavel.alerting.use.objects import key_range
from gavel.alerting.use.readings import MinuteRead, WatchedObjects, narrowed, read_minutes, watched
from gavel.alerting.use.rules import ensure_default_rules
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries.alert_rules import RuleRow, enabled_revisions, rule_rows
from gavel.db.write import alert_memory
from gavel.db.write.alert_memory import DueMinute, MemoryRow, OvertakenError
from gavel.ingest.worker import WorkerContext

log = structlog.get_logger(__name__)

_LOCK = "alerts"
# One transaction reads and judges so many minutes at most; a kind of things has bounds of its own in the ledger's keys.
_AT_ONCE = 15
# A breach of the day before yesterday is on no timeline that anybody looks at for alerts.
_LATE_FOR = timedelta(hours=24)
_MINUTE_S = 60


@dataclass(kw_only=True)
class _Turn:
    """What one transaction moves the machine by."""

    memory: Memory
    now_minute: int
    moved: list[Moved] = field(default_factory=list)
    late: list[Table] = field(default_factory=list)
    breaching: list[Table] = field(default_factory=list)

    def take(self, result: Step, watching: WatchedObjects | None = None, read: MinuteRead | None = None) -> None:
        self.memory = result.memory
        if len(result.transitions):
            self.moved.append(Moved(result.transitions, watching, read))
        if len(result.late):
            self.late.append(result.late)
        self.breaching.append(result.breaching)


def evaluate_rules(context: WorkerContext, *, budget_s: float) -> int:
    """Judge what is due, for about `budget_s`; returns how many transitions that gave. Nothing to do for a second caller meanwhile."""
    until, moved = time.monotonic() + budget_s, 0
    ensure_default_rules(context.engine, context.now())
    with only_one(context.engine, _LOCK) as held:
        while held and time.monotonic() < until and not context.stopping():
            try:
                found = _evaluate_once(context)
            except OvertakenError as error:
                # A process that had been stopped for long while another one went on: what it read is of the past.
                log.warning("alert evaluation superseded by another process", reason=str(error))
                break
            except rule_faults.FAULTS:
                if not _leave_out_culprits(context):
                    raise
                continue
            if found is None:
                break
            moved += found
    return moved


def _evaluate_once(context: WorkerContext) -> int | None:
    """Transitions of one turn; None when there is nothing to do."""
    now = context.now()
    now_minute = int(now.timestamp()) // _MINUTE_S
    with reading(context.engine) as connection:
        if not _may_have_work(connection, now_minute):
            return None
    with transaction(context.engine) as connection:
        rules = _enabled(connection)
        judged = rule_faults.tried(rules, now)
        moved = _evaluate_all(connection, rules, judged, now)
        rule_faults.forget(connection, judged)
    return moved


def _evaluate_all(connection: Connection, rules: Sequence[RuleRow], judged: Sequence[RuleRow], now: datetime) -> int:
    """Transitions of one turn. judged: those of the rules that are looked at; what the others found stays as it is."""
    before = alert_memory.read_memory(connection)
    turn = _Turn(memory=_memory_of(before), now_minute=int(now.timestamp()) // _MINUTE_S)
    _retire_others(turn, before, rules)
    due = _due(connection, turn.now_minute)
    watching = watched(connection, judged)
    for one in watching:
        if one.things.is_by_clock:
            _evaluate_by_clock(connection, turn, before, one, now)
        elif due:
            _evaluate_minutes(connection, turn, one, due)
    _end_unwatched(turn, watching)
    alert_memory.write_memory(connection, before, _row_of(turn, before, rules))
    alert_memory.remove_due_minutes(connection, due)
    moved = write_moved(connection, turn.moved, now)
    write_peaks(connection, turn.breaching)
    late = write_late_ones(connection, turn.late, now)
    if moved or late:
        live.announce(connection, live.News(None, live.ALERTS, None))
        log.info("alert rules evaluated", minutes=len(due), transitions=moved, late=late)
    return moved


def _leave_out_culprits(context: WorkerContext) -> bool:
    """Notes which rules the judging fails by; False when it is none of them."""
    now = context.now()
    with transaction(context.engine) as connection:
        rules = _enabled(connection)

        def judge(attempt: Connection, some: Sequence[RuleRow]) -> int:
            return _evaluate_all(attempt, rules, some, now)

        found = rule_faults.culprits(connection, rule_faults.tried(rules, now), judge)
        rule_faults.note(connection, found, now)
    return bool(found)


def _enabled(connection: Connection) -> tuple[RuleRow, ...]:
    return tuple(row for row in rule_rows(connection) if row.enabled)


def _may_have_work(connection: Connection, now_minute: int) -> bool:
    memory = alert_memory.read_memory(connection)
    return (
        alert_memory.has_due_minutes(connection)
        or _clock_due(memory, now_minute)
        or dict(memory.rule_revisions) != enabled_revisions(connection)
    )


def _due(connection: Connection, now_minute: int) -> list[DueMinute]:
    """Minutes to be evaluated together: new ones before late ones, and none that lie far apart."""
    alert_memory.forget_minutes(connection, now_minute - _LATE_FOR // timedelta(minutes=1))
    found = sorted(
        alert_memory.due_minutes(connection, now_minute - LATE_AFTER_MIN, _AT_ONCE), key=lambda item: item.minute
    )
    return [one for one in found if one.minute < found[0].minute + 2 * _AT_ONCE]


def _evaluate_minutes(connection: Connection, turn: _Turn, objects: WatchedObjects, due: Sequence[DueMinute]) -> None:
    there = objects.beside(_remembered(turn.memory, objects))
    if not there.things.objects:
        return
    for read in read_minutes(connection, there, due):
        table = narrowed(there.table, there.things.keys, read.readings.object_id)
        turn.take(step(turn.memory, table, read.readings, turn.now_minute), there, read)


def _evaluate_by_clock(
    connection: Connection, turn: _Turn, before: MemoryRow, objects: WatchedObjects, now: datetime
) -> None:
    """Once a minute: when every source is silent no minute of the ledger may come."""
    if not _clock_due(before, turn.now_minute):
        return
    there = objects.beside(_remembered(turn.memory, objects))
    readings = readings_now(connection, there.things, there.measures, now)
    excess_outstanding = np.full(len(there.things.objects), np.nan)
    read = MinuteRead(turn.now_minute, readings, excess_outstanding)
    turn.take(step(turn.memory, there.table, readings, turn.now_minute), there, read)


def _clock_due(memory: MemoryRow, now_minute: int) -> bool:
    return memory.sources_minute is None or memory.sources_minute != now_minute


def _remembered(memory: Memory, objects: WatchedObjects) -> np.ndarray:
    """Keys of the things of a kind that something is remembered of."""
    keys = np.unique(memory.rows["object_id"])
    low, high = key_range(objects.things.subject, is_by_clock=objects.things.is_by_clock)
    return keys[(keys >= low) & (keys <= high)]


def _retire_others(turn: _Turn, before: MemoryRow, rules: Sequence[RuleRow]) -> None:
    """Ends what rules had found that are gone, switched off or no longer the same."""
    now = _revisions(rules)
    gone = [int(rule_id) for rule_id, revision in before.rule_revisions.items() if now.get(rule_id) != revision]
    if gone:
        turn.take(retire(turn.memory, np.array(gone, dtype=np.int64), turn.now_minute))


def _end_unwatched(turn: _Turn, watching: Iterable[WatchedObjects]) -> None:
    """Objects of kinds that no rule looks at need not be remembered."""
    kept = np.zeros(len(turn.memory.objects), dtype=np.bool_)
    for one in watching:
        low, high = key_range(one.things.subject, is_by_clock=one.things.is_by_clock)
        kept |= (turn.memory.objects["object_id"] >= low) & (turn.memory.objects["object_id"] <= high)
    turn.memory = replace(turn.memory, objects=turn.memory.objects[kept])


# --- as the database keeps it -----------------------------------------------------------------------------------------


def _memory_of(row: MemoryRow) -> Memory:
    return Memory(
        rows=np.frombuffer(row.rows, ROW), objects=np.frombuffer(row.objects, OBJECT), next_incident=row.next_incident
    )


def _row_of(turn: _Turn, before: MemoryRow, rules: Sequence[RuleRow]) -> MemoryRow:
    return replace(
        before,
        rows=turn.memory.rows.tobytes(),
        objects=turn.memory.objects.tobytes(),
        next_incident=turn.memory.next_incident,
        rule_revisions=_revisions(rules),
        sources_minute=turn.now_minute,
    )


def _revisions(rules: Sequence[RuleRow]) -> dict[str, int]:
    return {str(row.id): row.revision for row in rules}
