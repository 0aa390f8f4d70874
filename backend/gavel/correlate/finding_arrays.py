"""Evidence of arrays as a whole: only of those that wait in their own queue."""

from collections.abc import Iterator

from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Connection
from gavel.db.queries.finding_arrays import array_samples, grown_volumes, usual_loads
from gavel.findings.binding import LEAST_ARRAY_QUEUE_US
from gavel.findings.evidence_arrays import ArrayLoad


def array_loads(connection: Connection, window: EvidenceWindow) -> Iterator[ArrayLoad]:
    waiting = [
        one
        for one in array_samples(connection, window.from_at, window.to_at)
        if any((sample.queue_us or 0.0) >= LEAST_ARRAY_QUEUE_US for sample in one.samples)
    ]
    if not waiting:
        return
    ids = [one.array.id for one in waiting]
    usual = usual_loads(connection, ids, window.from_at)
    grown = grown_volumes(connection, ids, window.from_at, window.to_at)
    for one in waiting:
        yield ArrayLoad(
            source_id=one.source_id,
            array=one.array,
            samples=one.samples,
            usual=usual.get(one.array.id),
            volumes=grown.get(one.array.id, ()),
            from_at=window.from_at,
            to_at=window.to_at,
        )
