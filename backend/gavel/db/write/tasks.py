"""Storing tasks of VMs: each once, with its end when that is known, and an event at either."""

from collections.abc import Sequence

from sqlalchemy import Connection, text

from gavel.db.schema import host_side
from gavel.db.write.inventory_sync import Taking, ids_by_key
from gavel.domain.tasks import TASK_LABELS, VmTask
from gavel.domain.text import clean_text

_GIVEN = """
    given AS (
        SELECT * FROM unnest(CAST(:keys AS text[]), CAST(:kinds AS text[]), CAST(:labels AS text[]), CAST(:vms AS int[]),
            CAST(:starts AS timestamptz[]), CAST(:ends AS timestamptz[]), CAST(:users AS text[]))
            g (key, kind, label, vm_id, started_at, ended_at, started_by))
"""
# Before the rows are written: what is new, and what has an end now that had none.
_EVENTS = f"""
    WITH {_GIVEN}, noted AS (
        SELECT g.started_at AS at, 'task_started' AS kind, g.vm_id, g.label, g.started_by FROM given g
        WHERE NOT EXISTS (SELECT FROM vm_task t WHERE t.source_id = :source_id AND t.key = g.key)
        UNION ALL SELECT g.ended_at, 'task_ended', g.vm_id, g.label, g.started_by FROM given g
        LEFT JOIN vm_task t ON t.source_id = :source_id AND t.key = g.key
        WHERE g.ended_at IS NOT NULL AND t.ended_at IS NULL)
    INSERT INTO event (source_id, happened_at, kind, subject_table, subject_id, subject_name, before, after)
    SELECT :source_id, n.at, n.kind, 'vm', n.vm_id, v.name, NULL, n.label || coalesce(' by ' || n.started_by, '')
    FROM noted n JOIN vm v ON v.id = n.vm_id
"""
_ROWS = f"""
    WITH {_GIVEN}
    INSERT INTO vm_task (source_id, key, kind, vm_id, started_at, ended_at, started_by, seen_at)
    SELECT :source_id, key, kind, vm_id, started_at, ended_at, started_by, :at FROM given
    ON CONFLICT (source_id, key) DO UPDATE SET ended_at = coalesce(excluded.ended_at, vm_task.ended_at), seen_at = excluded.seen_at
    WHERE vm_task.ended_at IS NULL
"""


def note_tasks_read(connection: Connection, taking: Taking) -> None:
    """The inventory has all tasks that there are, be it none."""
    connection.execute(
        text("UPDATE source SET tasks_read_at = :at WHERE id = :source_id"),
        {"source_id": taking.source_id, "at": taking.at},
    )


def store_tasks(connection: Connection, taking: Taking, tasks: Sequence[VmTask]) -> int:
    """Tasks of VMs that the inventory has; returns how many events were recorded. The same tasks again change nothing but `seen_at`."""
    if not tasks:
        return 0
    vms = ids_by_key(connection, taking.source_id, host_side.vm)
    known = [one for one in tasks if one.vm_key in vms]
    given = {
        "source_id": taking.source_id,
        "at": taking.at,
        "keys": [clean_text(one.key) for one in known],
        "kinds": [one.kind.value for one in known],
        "labels": [TASK_LABELS[one.kind] for one in known],
        "vms": [vms[one.vm_key] for one in known],
        "starts": [one.started_at for one in known],
        "ends": [one.ended_at for one in known],
        "users": [one.started_by and clean_text(one.started_by) for one in known],
    }
    events = connection.execute(text(_EVENTS), given).rowcount
    connection.execute(text(_ROWS), given)
    return events
