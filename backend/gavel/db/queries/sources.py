"""Sources: their settings, and how well their collection goes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Table, delete, exists, func, insert, literal, select, text, union_all, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import IntegrityError

from gavel.db.engine import Connection
from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.queries.clocks import clock_names_of, newest_clocks_of
from gavel.db.queries.gaps import GapState
from gavel.db.queries.runs import SourceRun, run_of
from gavel.db.schema import bookkeeping
from gavel.db.schema.array_side import array_host, pod, storage_array, volume
from gavel.db.schema.bookkeeping import collection_run, gap, poll_plan, watermark
from gavel.db.schema.host_side import cluster, datastore, esxi_host, host_device, vcenter, vm, vm_disk
from gavel.db.write.entities import ENTITY_TABLES
from gavel.domain.source import ARRAY_SOURCES, HOST_SOURCES, POLLED, ClockReading, SourceKind, Stream

_source = bookkeeping.source
_COLUMNS = (
    *(column for column in _source.c if column.name not in {"inventory_revision", "tasks_read_at"}),
    select(poll_plan.c.next_poll_at)
    .where(poll_plan.c.source_id == _source.c.id, poll_plan.c.settings_after_run == _source.c.settings_after_run)
    .scalar_subquery()
    .label("next_poll_at"),
)
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
}


def change_source(connection: Connection, source_id: int, **changes: Any) -> None:
    """Set any of name, address, settings, enabled. Raises NotFoundError, NameTakenError."""
    unknown = set(changes) - {"name", "address", "settings", "enabled"}
    if unknown:
        raise TypeError(f"a source has no changeable {sorted(unknown)}")
    if not changes:
        return
    are_other = changes.keys() != {"name"}
    with _unique_name(connection, changes.get("name", "")):
        _update(connection, source_id, changes | (_OTHER_SETTINGS if are_other else {}))
    if are_other:
        _forget_plan(connection, source_id)


def store_secrets(connection: Connection, source_id: int, envelope: bytes | None, key_id: str | None) -> None:
    """Raises NotFoundError."""
    _update(connection, source_id, {"secrets_encrypted": envelope, "secrets_key_id": key_id} | _OTHER_SETTINGS)
    _forget_plan(connection, source_id)


def plan_poll(connection: Connection, row: SourceRow, at: datetime) -> None:
    """When the source is polled next; nothing for one that is gone, or has other settings by now: they are tried at once."""
    same = select(_source.c.id, _source.c.settings_after_run, literal(at)).where(
        _source.c.id == row.id, _source.c.settings_after_run == row.settings_after_run
    )
    names = ("source_id", "settings_after_run", "next_poll_at")
    planned = upsert(poll_plan).from_select(names, same)
    moved = {name: planned.excluded[name] for name in names[1:]}
    connection.execute(planned.on_conflict_do_update(index_elements=["source_id"], set_=moved))


def _forget_plan(connection: Connection, source_id: int) -> None:
    connection.execute(delete(poll_plan).where(poll_plan.c.source_id == source_id))


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
    """Of every source, or of one; by name. The number of statements does not depend on that of the sources. Raises NotFoundError."""
    if source_id is None:
        rows = sources(connection)
        others = rows
    else:
        rows = (source(connection, source_id),)
        (row,) = rows
        others = twins(connection, row.kind, row.identity, but=row.id) if row.identity else ()
    facts = _load_facts(connection, rows, now)
    return tuple(_health(row, others, facts, now) for row in rows)


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


@dataclass(frozen=True, slots=True)
class _HealthFacts:
    """What the health of some sources is made from, each by source and stream, or by source. newest_runs: over all streams."""

    clocks: Mapping[int, tuple[ClockReading, ...]]
    host_names: Mapping[int, Mapping[str, str]]
    last_runs: Mapping[tuple[int, str], SourceRun]
    newest_runs: Mapping[int, SourceRun]
    failing_since: Mapping[int, datetime]
    open_gaps: Mapping[tuple[int, str], int]
    until: Mapping[tuple[int, str], datetime]
    recent: Mapping[tuple[int, str], "_RecentRuns"]
    measurable: Collection[tuple[int, str]]
    versions: Mapping[int, str]
    entities: Mapping[int, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class _RecentRuns:
    """rate_per_s: None without a run in its window."""

    rate_per_s: float | None
    completed: int
    corrected: int


def _load_facts(connection: Connection, rows: Sequence[SourceRow], now: datetime) -> _HealthFacts:
    ids = [row.id for row in rows]
    last_runs, newest_runs = _last_runs(connection, ids)
    failing = [source_id for source_id, run in newest_runs.items() if run.error_kind]
    return _HealthFacts(
        clocks=newest_clocks_of(connection, ids),
        host_names=clock_names_of(connection, ids),
        last_runs=last_runs,
        newest_runs=newest_runs,
        failing_since=_failing_since(connection, failing) if failing else {},
        open_gaps=_open_gaps(connection, ids),
        until=_watermarks(connection, ids),
        recent=_recent_runs(connection, ids, now),
        measurable=_measurable(connection, ids),
        versions=_versions(connection, ids),
        entities=_entities(connection, ids),
    )


def _health(row: SourceRow, others: Sequence[SourceRow], facts: _HealthFacts, now: datetime) -> SourceHealth:
    clocks = facts.clocks[row.id]
    own_clock = next((clock.offset_s for clock in clocks if clock.subject is None), 0.0)
    same = [
        each.name
        for each in others
        if each.id != row.id and row.identity and (each.kind, each.identity) == (row.kind, row.identity)
    ]
    counted = facts.entities.get(row.id, {})
    return SourceHealth(
        source=row,
        version=facts.versions.get(row.id),
        streams=_streams(row.id, facts, now + timedelta(seconds=own_clock)),
        clocks=clocks,
        host_names=facts.host_names[row.id],
        newest_run=facts.newest_runs.get(row.id),
        failing_since=facts.failing_since.get(row.id),
        open_gaps=sum(gaps for (source_id, _), gaps in facts.open_gaps.items() if source_id == row.id),
        entities={table.name: counted.get(table.name, 0) for table in _COUNTED[row.kind]},
        twins=tuple(same),
    )


def _streams(source_id: int, facts: _HealthFacts, source_now: datetime) -> tuple[StreamHealth, ...]:
    found = []
    for stream in POLLED:
        key = (source_id, str(stream))
        until, last_run = facts.until.get(key), facts.last_runs.get(key)
        is_of_use = key in facts.measurable and (until is not None or last_run is not None)
        if not is_of_use and key not in facts.open_gaps:
            continue
        recent = facts.recent.get(key, _RecentRuns(None, 0, 0))
        health = StreamHealth(
            stream=stream,
            until_at=until,
            lag_s=(source_now - until).total_seconds() if until is not None else None,
            samples_per_s=0.0 if recent.rate_per_s is None and last_run is not None else recent.rate_per_s,
            last_run=last_run,
            open_gaps=facts.open_gaps.get(key, 0),
            completed=recent.completed,
            corrected=recent.corrected,
        )
        found.append(health)
    return tuple(found)


def idle_streams(connection: Connection, source_id: int) -> frozenset[str]:
    """The streams that the source has nothing for, such as those of directories at an array without files."""
    return frozenset(POLLED) - {stream for _, stream in _measurable(connection, [source_id])}


def _measurable(connection: Connection, source_ids: Sequence[int]) -> frozenset[tuple[int, str]]:
    """Source and stream where the source has anything for the stream: a volume, a directory, a virtual disk, …"""
    has_any = (
        select(_source.c.id, literal(stream).label("stream")).where(
            _source.c.id.in_(source_ids), exists().where(table.c.source_id == _source.c.id, table.c.present)
        )
        for stream, table in ENTITY_TABLES.items()
    )
    return frozenset((source_id, stream) for source_id, stream in connection.execute(union_all(*has_any)))


# Each is looked up by itself: two weeks of runs are kept.
_LAST_RUNS = text("""
    SELECT true AS is_newest, r.* FROM unnest(CAST(:sources AS integer[])) AS asked (source_id) CROSS JOIN LATERAL (
        SELECT * FROM collection_run WHERE source_id = asked.source_id ORDER BY started_at DESC, id DESC LIMIT 1) r
    UNION ALL
    SELECT false, r.* FROM unnest(CAST(:sources AS integer[])) AS asked (source_id)
    CROSS JOIN unnest(CAST(:streams AS text[])) AS of_source (stream)
    CROSS JOIN LATERAL (
        SELECT * FROM collection_run WHERE source_id = asked.source_id AND stream = of_source.stream
        ORDER BY started_at DESC, id DESC LIMIT 1) r
""")


def _last_runs(
    connection: Connection, source_ids: Sequence[int]
) -> tuple[dict[tuple[int, str], SourceRun], dict[int, SourceRun]]:
    """The newest run of each stream of each source, and the newest of each source."""
    of_streams: dict[tuple[int, str], SourceRun] = {}
    of_sources: dict[int, SourceRun] = {}
    given = {"streams": [str(stream) for stream in POLLED], "sources": list(source_ids)}
    for found in connection.execute(_LAST_RUNS, given).mappings():
        row = dict(found)
        is_newest, run = row.pop("is_newest"), run_of(row)
        if is_newest:
            of_sources[run.source_id] = run
        else:
            of_streams[run.source_id, run.stream] = run
    return of_streams, of_sources


def _watermarks(connection: Connection, source_ids: Sequence[int]) -> dict[tuple[int, str], datetime]:
    mark = watermark.c
    marks = select(mark.source_id, mark.stream, mark.until_at).where(mark.source_id.in_(source_ids))
    return {(source_id, stream): until for source_id, stream, until in connection.execute(marks)}


def _recent_runs(
    connection: Connection, source_ids: Sequence[int], now: datetime
) -> dict[tuple[int, str], _RecentRuns]:
    """New rows a second over the last minutes; samples that runs of the last hour completed and corrected."""
    run = collection_run.c
    new = func.sum(run.new_samples).filter(run.started_at > now - _RATE_WINDOW)
    recent = (
        select(run.source_id, run.stream, new, func.sum(run.completed), func.sum(run.corrected))
        .where(run.source_id.in_(source_ids), run.started_at > now - _CHANGE_WINDOW)
        .group_by(run.source_id, run.stream)
    )
    return {
        (source_id, stream): _RecentRuns(
            None if samples is None else int(samples) / _RATE_WINDOW.total_seconds(), int(completed), int(corrected)
        )
        for source_id, stream, samples, completed, corrected in connection.execute(recent)
    }


def _open_gaps(connection: Connection, source_ids: Sequence[int]) -> dict[tuple[int, str], int]:
    pending = (
        select(gap.c.source_id, gap.c.stream, func.count())
        .where(gap.c.source_id.in_(source_ids), gap.c.state == GapState.PENDING_BACKFILL)
        .group_by(gap.c.source_id, gap.c.stream)
    )
    return {(source_id, stream): count for source_id, stream, count in connection.execute(pending)}


def _failing_since(connection: Connection, source_ids: Sequence[int]) -> dict[int, datetime]:
    """Start of the first failure after the newest success of each source; of sources whose newest run failed."""
    run, success = collection_run.c, collection_run.alias().c
    last_good = (
        select(func.max(success.started_at))
        .where(success.source_id == run.source_id, success.error_kind.is_(None))
        .scalar_subquery()
    )
    first_failure = (
        select(func.min(run.started_at))
        .where(
            run.source_id == _source.c.id,
            run.error_kind.is_not(None),
            run.started_at > func.coalesce(last_good, text("'-infinity'")),
        )
        .scalar_subquery()
    )
    rows = connection.execute(select(_source.c.id, first_failure).where(_source.c.id.in_(source_ids)))
    return {source_id: since for source_id, since in rows if since is not None}


def _versions(connection: Connection, source_ids: Sequence[int]) -> dict[int, str]:
    array, center = storage_array.c, vcenter.c
    reported = union_all(
        select(array.source_id, array.version).where(array.source_id.in_(source_ids), array.present),
        select(center.source_id, center.version + " build " + center.build).where(
            center.source_id.in_(source_ids), center.present
        ),
    )
    return {source_id: version for source_id, version in connection.execute(reported) if version is not None}


def _entities(connection: Connection, source_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Number of present objects of each source by table."""
    counts = (
        select(table.c.source_id, literal(table.name), func.count())
        .where(table.c.source_id.in_(source_ids), table.c.present)
        .group_by(table.c.source_id)
        for table in dict.fromkeys(table for tables in _COUNTED.values() for table in tables)
    )
    counted: dict[int, dict[str, int]] = {}
    for source_id, table, count in connection.execute(union_all(*counts)):
        counted.setdefault(source_id, {})[table] = count
    return counted
