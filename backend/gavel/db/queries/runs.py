"""Collection runs: what each attempt to read a source cost and brought."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, or_, select

from gavel.db.engine import Connection
from gavel.db.schema.bookkeeping import collection_run
from gavel.domain.errors import ErrorKind


@dataclass(frozen=True, slots=True)
class SourceRun:
    """One attempt. `stream`: a stream's name or 'inventory'. `samples` rows read, `new_samples` of them not stored before.

    `left_out`: what it had to do without, each a sentence.
    Of those that were, `completed` were filled where they lacked values, and `corrected` got other ones.
    """

    source_id: int
    stream: str
    queue: str
    started_at: datetime
    duration_s: float
    calls: int = 0
    bytes_received: int = 0
    samples: int = 0
    new_samples: int = 0
    unknown_keys: int = 0
    completed: int = 0
    corrected: int = 0
    lag_s: float | None = None
    clock_offset_s: float | None = None
    error_kind: ErrorKind | None = None
    error_message: str | None = None
    left_out: Sequence[str] = ()
    id: int | None = None


def record_run(connection: Connection, run: SourceRun) -> int:
    """Its id."""
    values = asdict(run) | {"left_out": list(run.left_out)}
    del values["id"]
    run_id: int = connection.execute(insert(collection_run).values(values).returning(collection_run.c.id)).scalar_one()
    return run_id


def runs(
    connection: Connection,
    source_id: int,
    *,
    stream: str | None = None,
    idle: Collection[str] = (),
    limit: int = 50,
    until: datetime | None = None,
) -> tuple[SourceRun, ...]:
    """Newest first. `idle`: streams of which only runs that brought something or failed are worth a row. until: that had begun by then."""
    newest = select(collection_run).where(collection_run.c.source_id == source_id)
    if until is not None:
        newest = newest.where(collection_run.c.started_at <= until)
    if idle:
        run = collection_run.c
        newest = newest.where(or_(run.stream.not_in(idle), run.samples > 0, run.error_kind.is_not(None)))
    if stream is not None:
        newest = newest.where(collection_run.c.stream == stream)
    newest = newest.order_by(collection_run.c.started_at.desc(), collection_run.c.id.desc()).limit(limit)
    return tuple(run_of(row) for row in connection.execute(newest).mappings())


def run_outlines(connection: Connection, source_id: int, *, limit: int, until: datetime) -> tuple[SourceRun, ...]:
    """The newest runs of a source that had begun by `until`, newest first: when, for what and how they ended, and nothing of what they
    cost and brought."""
    run = collection_run.c
    newest = (
        select(run.source_id, run.stream, run.queue, run.started_at, run.duration_s, run.error_kind, run.id)
        .where(run.source_id == source_id, run.started_at <= until)
        .order_by(run.started_at.desc(), run.id.desc())
        .limit(limit)
    )
    return tuple(
        SourceRun(of, stream, queue, at, took_s, error_kind=None if kind is None else ErrorKind(kind), id=run_id)
        for of, stream, queue, at, took_s, kind, run_id in connection.execute(newest).all()
    )


def run_of(row: Mapping[Any, Any]) -> SourceRun:
    """A run from a row of `collection_run`."""
    kind = row["error_kind"]
    values = {str(name): value for name, value in row.items() if name != "error_kind"}
    return SourceRun(**values, error_kind=None if kind is None else ErrorKind(kind))
