"""Evidence of tasks that run on VMs, with the VMs' own minutes before and during them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.correlate.finding_loads import MINUTE, EvidenceWindow, microseconds
from gavel.db.engine import Connection
from gavel.db.queries.cause_minutes import cause_minutes
from gavel.db.queries.tasks import TaskRun, task_runs
from gavel.db.series.modes import storage
from gavel.domain.samples import Int64Array
from gavel.domain.scope import ScopeKind, scope_key
from gavel.findings.evidence_tasks import RunningTask
from gavel.findings.minutes import PartMinutes, minutes_at
from gavel.findings.model import ObjectRef

_BEFORE = 10


def running_tasks(connection: Connection, window: EvidenceWindow) -> Iterator[RunningTask]:
    """Of each VM and kind the newest; only those that ran in enough of the window's minutes."""
    least = window.narrowed.least
    runs = [run for run in task_runs(connection, window.from_at, window.to_at) if len(_during(run, window)) >= least]
    newest = {(run.vm_id, run.kind): run for run in runs}
    stamps = sorted({stamp for run in newest.values() for stamp in (*_during(run, window), *_before(run))})
    keys = sorted({scope_key(ScopeKind.VM, run.vm_id) for run in newest.values()})
    rows = cause_minutes(connection, keys, stamps, storage(connection))

    def of(run: TaskRun, wanted: list[datetime]) -> PartMinutes:
        stamps_us: Int64Array = np.array([microseconds(at) for at in wanted], dtype=np.int64)
        return minutes_at(scope_key(ScopeKind.VM, run.vm_id), stamps_us, rows.keys, rows.starts_us, rows.columns)

    for run in newest.values():
        yield RunningTask(
            source_id=run.source_id,
            vm=ObjectRef("vm", run.vm_id, run.vm_name),
            kind=run.kind,
            started_at=run.started_at,
            ended_at=run.ended_at,
            started_by=run.started_by,
            minutes=of(run, _during(run, window)),
            before=of(run, _before(run)),
            minutes_whole=len(window.stamps),
            from_at=window.from_at,
            to_at=window.to_at,
        )


def _during(run: TaskRun, window: EvidenceWindow) -> list[datetime]:
    """Minutes of the window in which it ran from beginning to end."""
    return [
        at for at in window.stamps if run.started_at <= at and (run.ended_at is None or run.ended_at >= at + MINUTE)
    ]


def _before(run: TaskRun) -> list[datetime]:
    """Whole minutes before it began."""
    start = run.started_at.astimezone(UTC)
    first = start - timedelta(seconds=start.second, microseconds=start.microsecond)
    return [first - n * MINUTE for n in range(1, _BEFORE + 1)]
