"""Events of the estate: moves, renames, path states, depths."""

from dataclasses import dataclass
from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.rows import Ref, RefKind


@dataclass(frozen=True, slots=True)
class Event:
    """`kind`: moved, renamed, path_state, queue_depth, … ; `subject_table` and id say what; `subject` is set for what has a page."""

    id: int
    source_id: int
    happened_at: datetime
    kind: str
    subject_table: str
    subject_id: int
    subject_name: str
    subject: Ref | None
    before: str | None
    after: str | None


def events_of(
    connection: Connection, subject: RefKind, subject_id: int, from_at: datetime, to_at: datetime
) -> tuple[Event, ...]:
    """Of the thing itself and of its parts (a datastore's devices and paths, a VM's disks), oldest first, at most 500."""
    raise NotImplementedError
