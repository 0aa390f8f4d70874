"""Which tasks ran on VMs in a time: what moves or copies their data beside their I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.domain.tasks import TaskKind


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A task on a VM, with times on the axis of the ledger. ended_at: None while it runs."""

    source_id: int
    vm_id: int
    vm_name: str
    kind: TaskKind
    started_at: datetime
    ended_at: datetime | None
    started_by: str | None


# Times are by the vCenter's own clock: its newest offset is taken out. A task that is listed no more, without an end, ended when it was
# seen last.
_RUNS = """
    SELECT * FROM (
        SELECT t.source_id, t.vm_id, v.name AS vm_name, t.kind, t.started_at - c.ahead AS started_at, t.started_by,
            coalesce(t.ended_at, CASE WHEN t.seen_at < s.inventory_at THEN greatest(t.seen_at, t.started_at) END) - c.ahead AS ended_at
        FROM vm_task t JOIN vm v ON v.id = t.vm_id JOIN source s ON s.id = t.source_id AND s.enabled,
        LATERAL (SELECT coalesce((
            SELECT o.offset_s FROM clock_offset o WHERE o.source_id = t.source_id AND o.subject IS NULL
            ORDER BY o.read_at DESC LIMIT 1), 0) * interval '1 second' AS ahead) c
        WHERE (CAST(:vms AS int[]) IS NULL OR t.vm_id = ANY(CAST(:vms AS int[]))) AND t.started_at > :hi - interval '3 days') r
    WHERE r.started_at < :hi AND (r.ended_at IS NULL OR r.ended_at > :lo)
    ORDER BY r.started_at, r.vm_id, r.kind
"""


def task_runs(
    connection: Connection, from_at: datetime, to_at: datetime, vm_ids: Sequence[int] | None = None
) -> list[TaskRun]:
    """Of these VMs (None: of all) in [from_at, to_at), oldest first."""
    given = {"vms": None if vm_ids is None else list(vm_ids), "lo": from_at, "hi": to_at}
    return [_run(row) for row in connection.execute(text(_RUNS), given)]


def _run(row: Row[object]) -> TaskRun:
    return TaskRun(
        source_id=row.source_id,
        vm_id=row.vm_id,
        vm_name=row.vm_name,
        kind=TaskKind(row.kind),
        started_at=row.started_at,
        ended_at=row.ended_at,
        started_by=row.started_by,
    )
