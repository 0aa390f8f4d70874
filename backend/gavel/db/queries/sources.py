"""Sources: their settings, and how well their collection goes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Table, delete, exists, func, insert, literal, select, text, union_all, update
from sqlalchemy.exc import IntegrityError

from gavel.db.engine import Connection
from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.queries.clocks import clock_names, newest_clocks
from gavel.db.queries.gaps import GapState
from gavel.db.queries.runs import SourceRun, run_of
from gavel.db.queries.runs import runs as newest_runs
from gavel.db.schema import bookkeeping
from gavel.db.schema.array_side import array_host, pod, storage_array, volume
from gavel.db.schema.bookkeeping import collection_run, gap, watermark
from gavel.db.schema.host_side import cluster, datastore, esxi_host, host_device, vcenter, vm, vm_disk
from gavel.db.write.entities import ENTITY_TABLES
from gavel.domain.source import ARRAY_SOURCES, HOST_SOURCES, POLLED, ClockReading, SourceKind, Stream

_source = bookkeeping.source
_COLUMNS = tuple(column for column in _source.c if column.name not in {"inventory_revision", "tasks_read_at"})
_RATE_WINDOW = timedelta(minutes=5)
_CHANGE_WINDOW = timedelta(hours=1)
_COUNTED: Mapping[SourceKind, tuple[Table, ...]] = {
    **dict.fromkeys(ARRAY_SOURCES, (volume, pod, array_host)),
    **dict.fromkeys(HOST_SOURCES, (cluster, esxi_host, datastore, vm, vm_disk, host_device)),
}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """`settings` without secrets; `secrets_encrypted` is an envelope under the key `secrets_key_id`, opened elsewhere.

    `withheld`: what the source kept from the newest inventory, each a sentence. `settings_after_run`: id of the newest run that had
    other settings than these. `next_poll_at`: when a sample that is not stored yet can be read, by Gavel's clock; None
    when nothing is known of its streams.
    """

    id: int
    kind: SourceKind
    name: str
    address: str
    settings: Mapping[str, Any]
    secrets_encrypted: bytes | None
    secrets_key_id: str | None
    enabled: bool
    created_at: datetime
    identity: str | None
    inventory_at: datetime | None
    withheld: Sequence[str]
    settings_after_run: int
    next_poll_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StreamHealth:
    """`lag_s` = now − until_at on the source's clock; `samples_per_s` new rows over the last 5 minutes, null before the first run.

    `completed`, `corrected`: samples that were stored before the runs of the last hour, which filled or changed their values.
    """

    stream: Stream
    until_at: datetime | None
    lag_s: float | None
    samples_per_s: float | None
    last_run: SourceRun | None
    open_gaps: int
    completed: int
    corrected: int


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """`newest_run` over all streams; `failing_since`: start of the first of the failures in a row, when the newest run failed.

    `streams`: those that have something to measure now, or still owe something; an array without directories has none of them.
    `entities`: present things by table. `version` as the source tells it.
    `twins`: names of other sources that are the same array or vCenter. `host_names`: by the keys that clocks have as their subject.
    """

    source: SourceRow
    version: str | None
    streams: tuple[StreamHealth, ...]
    clocks: tuple[ClockReading, ...]
    host_names: Mapping[str, str]
    newest_run: SourceRun | None
    failing_since: datetime | None
    open_gaps: int
    entities: Mapping[str, int]
    twins: tuple[str, ...]


def add_source(
    connection: Connection,
    *,
    kind: SourceKind,
    name: str,
    address: str,
    settings: Mapping[str, Any],
    enabled: bool,
    now: datetime,
) -> int:
    """Its id. Secrets follow by `store_secrets`, since their envelope is bound to the id. Raises NameTakenError."""
    row = insert(_source).values(
        kind=kind, name=name, address=address, settings=dict(settings), enabled=enabled, created_at=now
    )
    with _unique_name(connection, name):
        source_id: int = connection.execute(row.returning(_source.c.id)).scalar_one()
    return source_id


# What was tried until now was tried with others, and these are tried at once.
_OTHER_SETTINGS = {
    "settings_after_run": select(func.coalesce(func.max(collection_run.c.id), 0))
    .where(collection_run.c.source_id == _source.c.id)
    .scalar_subquery(),
    "next_poll_at": None,
}


def change_source(connection: Connection, source_id: int, **changes: Any) -> None:
    """Set any of name, address, settings, enabled. Raises NotFoundError, NameTakenError."""
    unknown = set(changes) - {"name", "address", "settings", "enabled"}
    if unknown:
        raise TypeError(f"a source has no changeable {sorted(unknown)}")
    if not changes:
        return
    with _unique_name(connection, changes.get("name", "")):
        _update(connection, source_id, changes | ({} if changes.keys() == {"name"} else _OTHER_SETTINGS))


def store_secrets(connection: Connection, source_id: int, envelope: bytes | None, key_id: str | None) -> None:
    """Raises NotFoundError."""
    _update(connection, source_id, {"secrets_encrypted": envelope, "secrets_key_id": key_id} | _OTHER_SETTINGS)


def plan_poll(connection: Connection, row: SourceRow, at: datetime) -> None:
    """When the source is polled next; nothing for one that is gone, or has other settings by now: they are tried at once."""
    same = (_source.c.id == row.id, _source.c.settings_after_run == row.settings_after_run)
    connection.execute(update(_source).where(*same).values(next_poll_at=at))


def remove_source(connection: Connection, source_id: int) -> None:
    """The source with its account and environment; its samples can no longer be reached and leave with their retention.

    Raises NotFoundError.
    """
    if connection.execute(delete(_source).where(_source.c.id == source_id)).rowcount == 0:
        raise NotFoundError(f"There is no source {source_id}.")


def source(connection: Connection, source_id: int) -> SourceRow:
    """Raises NotFoundError."""
    found = _rows(connection, _source.c.id == source_id)
    if not found:
        raise NotFoundError(f"There is no source {source_id}.")
    return found[0]


def source_by_name(connection: Connection, name: str) -> SourceRow:
    """Raises NotFoundError."""
    found = _rows(connection, _source.c.name == name)
    if not found:
        raise NotFoundError(f"There is no source named {name!r}.")
    return found[0]


def sources(connection: Connection, *, enabled_only: bool = False) -> tuple[SourceRow, ...]:
    """By name."""
    return _rows(connection, *([_source.c.enabled] if enabled_only else []))


def twins(connection: Connection, kind: SourceKind, identity: str, *, but: int | None = None) -> tuple[SourceRow, ...]:
    """Sources that are this array (its id) or vCenter (its instance UUID), except `but`; by name."""
    same = [_source.c.kind == kind, _source.c.identity == identity]
    return _rows(connection, *same, *([] if but is None else [_source.c.id != but]))


def source_health(connection: Connection, now: datetime, source_id: int | None = None) -> tuple[SourceHealth, ...]:
    """Of every source, or of one; by name. Raises NotFoundError."""
    wanted = sources(connection) if source_id is None else (source(connection, source_id),)
    return tuple(_health(connection, row, now) for row in wanted)


def _rows(connection: Connection, *where: ColumnElement[bool]) -> tuple[SourceRow, ...]:
    query = select(*_COLUMNS).where(*where).order_by(func.lower(_source.c.name), _source.c.id)
    rows = (dict(row) for row in connection.execute(query).mappings())
    return tuple(SourceRow(**row | {"kind": SourceKind(row["kind"])}) for row in rows)


def _update(connection: Connection, source_id: int, changes: Mapping[str, Any]) -> None:
    changed = connection.execute(update(_source).where(_source.c.id == source_id).values(**changes))
    if changed.rowcount == 0:
        raise NotFoundError(f"There is no source {source_id}.")


@contextmanager
def _unique_name(connection: Connection, name: str) -> Iterator[None]:
    try:
        with connection.begin_nested():
            yield
    except IntegrityError as error:
        raise NameTakenError(f"Another source is already named {name!r}. Choose another name.") from error


def _health(connection: Connection, row: SourceRow, now: datetime) -> SourceHealth:
    clocks = newest_clocks(connection, row.id)
    own_clock = next((clock.offset_s for clock in clocks if clock.subject is None), 0.0)
    runs = _last_runs(connection, row.id)
    gaps = _open_gaps(connection, row.id)
    newest = next(iter(newest_runs(connection, row.id, limit=1)), None)
    return SourceHealth(
        source=row,
        version=_version(connection, row),
        streams=_streams(connection, row.id, now + timedelta(seconds=own_clock), now, runs, gaps),
        clocks=clocks,
        host_names=clock_names(connection, row.id),
        newest_run=newest,
        failing_since=_failing_since(connection, row.id) if newest and newest.error_kind else None,
        open_gaps=sum(gaps.values()),
        entities=_entities(connection, row),
        twins=tuple(one.name for one in twins(connection, row.kind, row.identity, but=row.id)) if row.identity else (),
    )


def _streams(
    connection: Connection,
    source_id: int,
    source_now: datetime,
    now: datetime,
    runs: Mapping[str, SourceRun],
    gaps: Mapping[str, int],
) -> tuple[StreamHealth, ...]:
    marks = select(watermark.c.stream, watermark.c.until_at).where(watermark.c.source_id == source_id)
    until = {row.stream: row.until_at for row in connection.execute(marks)}
    rates = _rates(connection, source_id, now)
    measurable = _measurable(connection, source_id)
    changes = _changes(connection, source_id, now)
    return tuple(
        StreamHealth(
            stream=stream,
            until_at=until.get(stream),
            lag_s=(source_now - until[stream]).total_seconds() if stream in until else None,
            samples_per_s=rates.get(stream, 0.0 if stream in runs else None),
            last_run=runs.get(stream),
            open_gaps=gaps.get(stream, 0),
            completed=changes.get(stream, (0, 0))[0],
            corrected=changes.get(stream, (0, 0))[1],
        )
        for stream in POLLED
        if stream in gaps or (stream in measurable and (stream in until or stream in runs))
    )


def idle_streams(connection: Connection, source_id: int) -> frozenset[str]:
    """The streams that the source has nothing for, such as those of directories at an array without files."""
    return frozenset(POLLED) - _measurable(connection, source_id)


def _measurable(connection: Connection, source_id: int) -> frozenset[str]:
    """The streams that the source has anything for: a volume, a directory, a virtual disk, …"""
    has_any = (
        select(literal(stream).label("stream")).where(exists().where(table.c.source_id == source_id, table.c.present))
        for stream, table in ENTITY_TABLES.items()
    )
    return frozenset(connection.scalars(union_all(*has_any)))


# Each is looked up by itself: two weeks of runs are kept.
_LAST_RUNS = text("""
    SELECT r.* FROM unnest(CAST(:streams AS text[])) AS asked (stream) CROSS JOIN LATERAL (
        SELECT * FROM collection_run WHERE source_id = :source AND stream = asked.stream
        ORDER BY started_at DESC, id DESC LIMIT 1) r
""")


def _last_runs(connection: Connection, source_id: int) -> dict[str, SourceRun]:
    newest = connection.execute(_LAST_RUNS, {"streams": [str(one) for one in POLLED], "source": source_id})
    return {row["stream"]: run_of(row) for row in newest.mappings()}


def _rates(connection: Connection, source_id: int, now: datetime) -> dict[str, float]:
    per_second = func.sum(collection_run.c.new_samples) / _RATE_WINDOW.total_seconds()
    recent = (
        select(collection_run.c.stream, per_second.label("rate"))
        .where(collection_run.c.source_id == source_id, collection_run.c.started_at > now - _RATE_WINDOW)
        .group_by(collection_run.c.stream)
    )
    return {row.stream: float(row.rate) for row in connection.execute(recent)}


def _changes(connection: Connection, source_id: int, now: datetime) -> dict[str, tuple[int, int]]:
    """By stream, samples that the runs of the last hour completed and corrected."""
    run = collection_run.c
    recent = (
        select(run.stream, func.sum(run.completed).label("completed"), func.sum(run.corrected).label("corrected"))
        .where(run.source_id == source_id, run.started_at > now - _CHANGE_WINDOW)
        .group_by(run.stream)
    )
    return {row.stream: (int(row.completed), int(row.corrected)) for row in connection.execute(recent)}


def _open_gaps(connection: Connection, source_id: int) -> dict[str, int]:
    pending = (
        select(gap.c.stream, func.count().label("gaps"))
        .where(gap.c.source_id == source_id, gap.c.state == GapState.PENDING_BACKFILL)
        .group_by(gap.c.stream)
    )
    return {row.stream: row.gaps for row in connection.execute(pending)}


def _failing_since(connection: Connection, source_id: int) -> datetime | None:
    of_source = collection_run.c.source_id == source_id
    succeeded = select(func.max(collection_run.c.started_at)).where(of_source, collection_run.c.error_kind.is_(None))
    last_good: datetime | None = connection.scalar(succeeded)
    failures = select(func.min(collection_run.c.started_at)).where(of_source, collection_run.c.error_kind.is_not(None))
    if last_good is not None:
        failures = failures.where(collection_run.c.started_at > last_good)
    since: datetime | None = connection.scalar(failures)
    return since


def _version(connection: Connection, row: SourceRow) -> str | None:
    array, center = storage_array.c, vcenter.c
    told = (
        select(array.version).where(array.source_id == row.id, array.present)
        if row.kind in ARRAY_SOURCES
        else select(center.version + " build " + center.build).where(center.source_id == row.id, center.present)
    )
    version: str | None = connection.scalar(told.limit(1))
    return version


def _entities(connection: Connection, row: SourceRow) -> dict[str, int]:
    counts = (
        select(literal(table.name).label("name"), func.count().label("things")).where(
            table.c.source_id == row.id, table.c.present
        )
        for table in _COUNTED[row.kind]
    )
    return {counted.name: counted.things for counted in connection.execute(union_all(*counts))}
