"""Writing samples: natural keys to ids, one binary COPY, idempotent; and the watermark that moves with them."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a batch: `rows` had a known entity, `new_rows` of them were not there yet, `conflicting` were, with other values.

    `strangers`: keys that are not in the inventory; their rows were not stored.
    """

    rows: int
    new_rows: int
    conflicting: int
    strangers: tuple[str, ...]


def write_samples(connection: Connection, source_id: int, batch: SampleBatch) -> Written:
    """Store a batch within the caller's transaction. Rows that are already there stay as they are, so any replay is harmless."""
    raise NotImplementedError


def watermark(connection: Connection, source_id: int, stream: Stream) -> datetime | None:
    """Samples are stored up to here, by the source's own clock; None before the first run."""
    raise NotImplementedError


def advance_watermark(connection: Connection, source_id: int, stream: Stream, until: datetime) -> datetime:
    """Move the watermark to `until` if that is forward; returns where it stands. Call it in the transaction of the samples."""
    raise NotImplementedError


def lock_stream(connection: Connection, source_id: int, stream: Stream) -> bool:
    """Take the stream for this transaction; False when another one has it (do nothing then: the watermark covers it)."""
    raise NotImplementedError
