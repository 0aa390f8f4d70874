"""Past changes of settings: what a what-if predicts from the minutes before each, and what came after it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from gavel.analysis.backtest import BacktestScore, ChangeOutcome, score
from gavel.db.engine import Connection
from gavel.db.queries.depths import queue_settings
from gavel.db.queries.queues import Queue
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.setting_changes import SettingChange, SettingName, setting_changes
from gavel.views.whatif import Scenario, WhatIf, of_start
from gavel.views.whatif_load import MINUTE, WIDTH, NotPredictableError, QueueStart, queues_behind, start_of

# An inventory is read every five minutes: a change that it shows was made at some time since the one before.
_SINCE_READ = 6 * MINUTE
# So far back the minutes of queues are kept everywhere.
REACH = timedelta(hours=48)
# Each is two what-ifs' worth of questions.
MOST_CHANGES = 20
# ESXi takes no limit as -1.
_NO_LIMIT = frozenset({None, "-1", "0"})
_UNPREDICTED: Final[Mapping[str, str]] = {
    "path_policy": "What a path policy does to the share of each path is not predicted.",
    "moved": "A move changes host, queue and neighbors at once; it is not predicted.",
}


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """One setting, as the inventory had it before and after; null: no limit, or not read."""

    name: SettingName
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestedChange:
    """A change read at `read_at`. subject: whose I/O it is about, None: gone. queue None: not predicted.

    outcome None: not predicted, or nothing came after; reason: why, or why it does not count.
    """

    read_at: datetime
    settings: tuple[ChangedSetting, ...]
    subject_name: str
    subject: EntityRef | None
    queue: Queue | None
    outcome: ChangeOutcome | None
    reason: str | None

    @property
    def counts(self) -> bool:
        return self.outcome is not None and self.reason is None


@dataclass(frozen=True, slots=True)
class Backtest:
    """Changes in [from_at, to_at), newest first, at most 20; score: of those that count."""

    from_at: datetime
    to_at: datetime
    changes: tuple[TestedChange, ...]
    score: BacktestScore


def backtest(connection: Connection, now: datetime, subject: tuple[RefKind, int] | None = None) -> Backtest:
    """Of one object's queues and virtual disks, or of the whole environment. Raises NotFoundError."""
    devices, vms = (None, None) if subject is None else _concerned(connection, *subject)
    from_at, to_at = now - REACH, now - WIDTH
    rows = setting_changes(
        connection, from_at, to_at, reach=_SINCE_READ + WIDTH, limit=MOST_CHANGES, devices=devices, vms=vms
    )
    tested = tuple(_tested(connection, rows))
    outcomes = [one.outcome for one in tested if one.outcome is not None and one.counts]
    return Backtest(from_at, to_at, tested, score(outcomes))


def _concerned(connection: Connection, kind: RefKind, thing_id: int) -> tuple[list[int], list[int]]:
    """Devices and VMs whose changes are of an object."""
    _, queues = queues_behind(connection, kind, thing_id)
    return [one.device.id for one in queues], [thing_id] if kind is RefKind.VM else []


def _tested(connection: Connection, rows: Sequence[SettingChange]) -> Iterator[TestedChange]:
    """Settings of one thing that one inventory shows changed are one change."""

    def made(row: SettingChange) -> tuple[datetime, int, int]:
        return row.read_at, row.device_id or 0, row.vm_id or 0

    for _, alike in groupby(sorted(rows, key=made, reverse=True), key=made):
        yield _test_change(connection, tuple(alike))


def _test_change(connection: Connection, rows: tuple[SettingChange, ...]) -> TestedChange:
    first = rows[0]
    blank = TestedChange(
        read_at=first.read_at,
        settings=tuple(ChangedSetting(row.name, row.before, row.after) for row in rows),
        subject_name=first.subject,
        subject=None,
        queue=None,
        outcome=None,
        reason=None,
    )
    if reason := next((_UNPREDICTED[row.name] for row in rows if row.name in _UNPREDICTED), None):
        return replace(blank, reason=reason)
    try:
        before = _start(connection, first, first.read_at - _SINCE_READ - WIDTH)
        predicted = _predicted(before, rows)
        found = replace(blank, subject=before.subject, queue=before.queue)
    except NotPredictableError as error:
        return replace(blank, reason=str(error))
    try:
        after = _start(connection, first, first.read_at, before.queue)
    except NotPredictableError:
        return replace(found, reason="No I/O was measured afterwards.")
    if before.guest_is_measured is not after.guest_is_measured:
        return replace(
            found, reason="The guest was measured before or afterwards only: the latencies are of two boundaries."
        )
    outcome = _outcome(before, predicted, after)
    if outcome.is_other_workload:
        return replace(found, outcome=outcome, reason="IOPS and outstanding I/O both changed: another workload.")
    return replace(found, outcome=outcome)


def _start(connection: Connection, change: SettingChange, from_at: datetime, queue: Queue | None = None) -> QueueStart:
    """The queue's workload, or the VM's of a virtual disk. Raises NotPredictableError."""
    if change.device_id is not None:
        subject, queues = queues_behind(connection, RefKind.DEVICE, change.device_id)
        return start_of(connection, subject, queues[0], from_at, from_at + WIDTH)
    subject, queues = queues_behind(connection, RefKind.VM, change.vm_id or 0)
    chosen = [one for one in queues if queue is None or one == queue]
    if queue is None:
        chosen = [one for one in chosen if _carries(connection, one, change.disk_id, from_at)]
    if len(chosen) != 1:
        raise NotPredictableError(
            f"The I/O of this disk of {subject.name} goes through {len(chosen)} device queues, not one."
        )
    start = start_of(connection, subject, chosen[0], from_at, from_at + WIDTH)
    if start.knobs.disks > 1:
        raise NotPredictableError(f"{subject.name} has several busy disks: limits of single disks are not modeled.")
    return start


def _carries(connection: Connection, queue: Queue, disk_id: int | None, at: datetime) -> bool:
    return disk_id in {disk for disk, _ in queue_settings(connection, queue.device.id, at, at).disks}


def _predicted(start: QueueStart, rows: Sequence[SettingChange]) -> WhatIf:
    """Raises NotPredictableError."""
    wanted = {row.name: row for row in rows}
    limit = wanted.get("iops_limit")
    if limit is not None:
        # The inventory has the new limit by now.
        start = replace(start, knobs=replace(start.knobs, iops_limit=_limit(limit.before)))
        after = _limit(limit.after)
        return of_start(start, Scenario(iops_limit=after, lifts_iops_limit=after is None))
    depths = {name: _depth(wanted[name]) for name in ("queue_depth", "dsnro") if name in wanted}
    return of_start(start, Scenario(device_depth=depths.get("queue_depth"), dsnro=depths.get("dsnro")))


def _limit(value: str | None) -> int | None:
    return None if value is None or value in _NO_LIMIT else int(value)


def _depth(change: SettingChange) -> int:
    if change.before is None or change.after is None:
        raise NotPredictableError("The setting was not read before, or not afterwards: nothing says that it changed.")
    return int(change.after)


def _outcome(before: QueueStart, predicted: WhatIf, after: QueueStart) -> ChangeOutcome:
    outlook = predicted.outlook
    return ChangeOutcome(
        before_us=before.load.times.total,
        before_iops=before.load.iops,
        predicted_us=outlook.total,
        predicted_iops=outlook.iops,
        after_us=after.load.times.total,
        after_iops=after.load.iops,
    )
