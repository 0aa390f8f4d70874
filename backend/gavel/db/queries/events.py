"""Events of the environment: moves, renames, path states, depths; and what became of findings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.queries.members import relation
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.domain.source import Stream
from gavel.findings.document import object_key

_PAGES = {"datastore": RefKind.DATASTORE, "vm": RefKind.VM, "esxi_host": RefKind.HOST, "volume": RefKind.VOLUME}


@dataclass(frozen=True, slots=True)
class Event:
    """`kind`: moved, renamed, path_state, queue_depth, … ; `subject_table` and id say what; `subject` is set for what has a page.

    Of a finding (finding_raised, _accepted, _reopened, _cleared): its title is the name, and its object the subject; after: who and why.
    """

    id: int
    source_id: int
    happened_at: datetime
    kind: str
    subject_table: str
    subject_id: int
    subject_name: str
    subject: EntityRef | None
    before: str | None
    after: str | None


def _parts(subject: RefKind, stream: Stream, table: str) -> str:
    return f"SELECT '{table}', entity_id FROM ({relation(subject, stream)}) m"


def _paths(subject: RefKind) -> str:
    return f"SELECT 'path', p.id FROM ({relation(subject, Stream.HOST_DEVICE)}) m JOIN path p ON p.host_device_id = m.entity_id"


_D, _K, _V = (Stream.HOST_DEVICE, "host_device"), (Stream.VM_DISK, "vm_disk"), (Stream.ARRAY_VOLUME, "volume")
# The things whose events belong to a subject: itself and its parts.
_CONCERNED: Mapping[RefKind, tuple[str, ...]] = {
    RefKind.DATASTORE: (
        "SELECT 'datastore', unnest(CAST(:ids AS int[]))",
        *(_parts(RefKind.DATASTORE, *part) for part in (_D, _K, _V)),
        _paths(RefKind.DATASTORE),
    ),
    RefKind.VM: (
        "SELECT 'vm', unnest(CAST(:ids AS int[]))",
        *(_parts(RefKind.VM, *part) for part in (_K, _V)),
    ),
    RefKind.HOST: (
        "SELECT 'esxi_host', unnest(CAST(:ids AS int[]))",
        _parts(RefKind.HOST, *_D),
        _paths(RefKind.HOST),
        "SELECT 'hba', id FROM hba WHERE host_id = ANY(:ids)",
    ),
    RefKind.VOLUME: ("SELECT 'volume', unnest(CAST(:ids AS int[]))", _parts(RefKind.VOLUME, *_D)),
    RefKind.ARRAY: ("SELECT 'storage_array', unnest(CAST(:ids AS int[]))", _parts(RefKind.ARRAY, *_V)),
}


# Of findings on the object itself, and of those that touch it.
_OF_FINDINGS = """
    SELECT n.id, f.source_id, n.happened_at, CASE WHEN n.after <> 'open' THEN 'finding_' || n.after
            WHEN n.before = 'accepted' THEN 'finding_reopened' ELSE 'finding_raised' END AS kind,
        'finding' AS subject_table, f.id AS subject_id, f.title AS subject_name, NULL AS before,
        nullif(concat_ws(': ', 'by ' || n.made_by, nullif(n.note, '')), '') AS after, f.object_kind, f.object_id, f.object_name
    FROM finding f JOIN finding_event n ON n.finding_id = f.id WHERE f.objects @> ARRAY[:object]
"""


def events_of(
    connection: Connection, subject: RefKind, subject_id: int, from_at: datetime, to_at: datetime
) -> tuple[Event, ...]:
    """Of the thing itself, of its parts (a datastore's devices and paths, a VM's disks) and of its findings, oldest first, at most 500."""
    concerned = " UNION ".join(_CONCERNED[subject])
    query = (
        f"WITH concerned (subject_table, subject_id) AS ({concerned})"
        " SELECT * FROM (SELECT e.id, e.source_id, e.happened_at, e.kind, e.subject_table, e.subject_id, e.subject_name, e.before, e.after,"
        " NULL AS object_kind, NULL AS object_id, NULL AS object_name FROM event e JOIN concerned USING (subject_table, subject_id)"
        f" UNION ALL {_OF_FINDINGS}) e"
        " WHERE e.happened_at >= :from_at AND e.happened_at < :to_at ORDER BY e.happened_at, e.subject_table, e.id LIMIT 500"
    )
    given = {"ids": [subject_id], "object": object_key(subject, subject_id), "from_at": from_at, "to_at": to_at}
    rows = connection.execute(text(query), given)
    return tuple(_event(row) for row in rows)


def _event(row: Row[object]) -> Event:
    return Event(
        id=row.id,
        source_id=row.source_id,
        happened_at=row.happened_at,
        kind=row.kind,
        subject_table=row.subject_table,
        subject_id=row.subject_id,
        subject_name=row.subject_name,
        subject=_subject(row),
        before=row.before,
        after=row.after,
    )


def _subject(row: Row[object]) -> EntityRef | None:
    if row.object_kind is not None:
        return EntityRef(RefKind(row.object_kind), row.object_id, row.object_name)
    kind = _PAGES.get(row.subject_table)
    return None if kind is None else EntityRef(kind, row.subject_id, row.subject_name)
