"""Looking for samples that never came although their source answered: each hole gets a row, and one try from the source's history."""

from datetime import datetime, timedelta

from gavel.db.engine import Connection, transaction
from gavel.db.leases import only_one
from gavel.db.queries.gaps import note_gap
from gavel.db.queries.holes import holes
from gavel.db.queries.sources import sources
from gavel.domain.source import Stream
from gavel.pipeline.workplace import Workplace

NOT_DELIVERED = "not delivered with the other samples of its time; the source may still have it"
# Live runs look back three samples; what is missing beyond that does not come by itself any more.
_SETTLED = timedelta(minutes=3)
_WINDOW = timedelta(minutes=15)


def find_holes(place: Workplace) -> int:
    """Note every hole of the last quarter of an hour; returns how many there are."""
    with only_one(place.engine, "find holes") as held:
        if not held:
            return 0
        until = place.now() - _SETTLED
        with transaction(place.engine) as connection:
            found = 0
            for row in sources(connection, enabled_only=True):
                found += sum(_note(connection, row.id, stream, until, place.now()) for stream in Stream)
            return found


def _note(connection: Connection, source_id: int, stream: Stream, until: datetime, now: datetime) -> int:
    found = holes(connection, source_id, stream, until - _WINDOW, until)
    for hole in found:
        note_gap(
            connection, source_id, stream, hole.from_at, hole.to_at,
            reason=NOT_DELIVERED, now=now, entity_key=hole.reporter,
        )  # fmt: skip
    return len(found)
