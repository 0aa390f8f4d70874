"""Imports as they are listed, the parts of uploads, and what captures say of the devices of hosts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import RowMapping, Table, exists, func, select, text

from gavel.db.copying import ColumnType, fetch
from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.schema.array_side import volume
from gavel.db.schema.host_side import datastore, esxi_host, vm, vm_disk
from gavel.db.schema.imports import captured_object, file_import, import_chunk
from gavel.db.schema.load_runs import load_run
from gavel.db.schema.offline_builds import offline_build_file
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.imports import Float64Array, ImportOptions, ImportState, Int64Array, OffsetOrigin
from gavel.domain.load_runs import LeftOutFile, RunTie, TieKind
from gavel.domain.source import Stream

_MOST_LISTED = 1000


@dataclass(frozen=True, slots=True)
class FileImport:
    """One import as `domain.imports` describes it. received_bytes: of an upload, the parts of it that came without a hole before them.

    host: name of the host that it is tied to; host_name: as the file calls it. devices: of the capture; matched_devices: those that are
    devices of that host. subject, disk, runs: of a load tool's result, what it is tied to while that is in the inventory, the virtual disk
    of it where it is tied to one, and how many runs it holds. left_out: how many files of a bundle became no run.
    """

    id: int
    format: str
    file_name: str
    size_bytes: int
    received_bytes: int
    read_bytes: int
    state: ImportState
    error: str | None
    created_at: datetime
    changed_at: datetime
    options: ImportOptions
    subject: EntityRef | None
    disk_id: int | None
    disk: str | None
    runs: int
    left_out: int
    host_name: str | None
    host_id: int | None
    host: str | None
    starts_at: datetime | None
    ends_at: datetime | None
    offset_s: float | None
    offset_error_s: float | None
    offset_by: OffsetOrigin | None
    correlation: float | None
    narrows: bool
    note: str | None
    devices: int
    matched_devices: int


_ONE = file_import.c
_TIE_TABLES: Mapping[TieKind, Table] = {"vm": vm, "datastore": datastore, "volume": volume}
_DISK_ID = _ONE.options["disk_id"].as_integer()
_DEVICES = select(func.count()).where(captured_object.c.import_id == _ONE.id, captured_object.c.kind == "device")
_LISTED = (
    select(
        *(column for column in _ONE if column.name not in ("report", "half_us", "left_out")),
        esxi_host.c.name.label("host"),
        *(
            select(table.c.name)
            .where(table.c.id == _ONE.options[f"{kind}_id"].as_integer())
            .scalar_subquery()
            .label(f"{kind}_name")
            for kind, table in _TIE_TABLES.items()
        ),
        select(vm_disk.c.label).where(vm_disk.c.id == _DISK_ID).scalar_subquery().label("disk"),
        func.jsonb_array_length(_ONE.left_out).label("left_out"),
        select(func.count()).where(load_run.c.import_id == _ONE.id).scalar_subquery().label("runs"),
        _DEVICES.scalar_subquery().label("devices"),
        _DEVICES.where(captured_object.c.device_id.is_not(None)).scalar_subquery().label("matched_devices"),
        select(func.coalesce(func.sum(func.octet_length(import_chunk.c.data)), 0))
        .where(import_chunk.c.import_id == _ONE.id)
        .scalar_subquery()
        .label("received_bytes"),
    )
    .select_from(file_import.outerjoin(esxi_host, esxi_host.c.id == _ONE.host_id))
    .order_by(_ONE.created_at.desc(), _ONE.id.desc())
)


# What came for an offline environment is none of the imports: it is read with it, and goes with it.
_IS_IMPORT = ~(
    exists().where(offline_build_file.c.import_id == _ONE.id, offline_build_file.c.is_upload).correlate(file_import)
)


def list_imports(connection: Connection) -> list[FileImport]:
    """Newest first."""
    return [_import(row) for row in connection.execute(_LISTED.where(_IS_IMPORT).limit(_MOST_LISTED)).mappings()]


def load_import(connection: Connection, import_id: int) -> FileImport:
    """Raises NotFoundError."""
    row = connection.execute(_LISTED.where(_ONE.id == import_id)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(f"There is no import {import_id}.")
    return _import(row)


def load_state(connection: Connection, import_id: int) -> ImportState | None:
    """None for one that was removed."""
    state = connection.scalar(select(_ONE.state).where(_ONE.id == import_id))
    return None if state is None else ImportState(state)


def is_being_read(connection: Connection, import_id: int) -> bool:
    """Whether its reader is to go on: False once it is removed, or is being removed, which begins with its parts."""
    parts = exists().where(import_chunk.c.import_id == import_id)
    row = connection.execute(select(_ONE.state, parts).where(_ONE.id == import_id)).one_or_none()
    return row is not None and (row[0] != ImportState.READING or bool(row[1]))


def load_report(connection: Connection, import_id: int) -> Mapping[str, Any] | None:
    """What the file held, as its reader reported it; None before it was read. Raises NotFoundError."""
    row = connection.execute(select(_ONE.report).where(_ONE.id == import_id)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no import {import_id}.")
    report: Mapping[str, Any] | None = row.report
    return report


def load_left_out(connection: Connection, import_id: int) -> list[LeftOutFile]:
    """Files of a bundle that became no run. Raises NotFoundError."""
    found = connection.execute(select(_ONE.left_out).where(_ONE.id == import_id)).scalar_one_or_none()
    if found is None:
        raise NotFoundError(f"There is no import {import_id}.")
    return [LeftOutFile(**each) for each in found]


def waiting_imports(connection: Connection) -> list[int]:
    """Oldest first: those to be read, and those whose reading ended with its process."""
    states = (ImportState.WAITING, ImportState.READING)
    return list(connection.scalars(select(_ONE.id).where(_ONE.state.in_(states), _IS_IMPORT).order_by(_ONE.id)))


def _import(row: RowMapping) -> FileImport:
    values = {name: row[name] for name in FileImport.__slots__ if name in row}
    options = ImportOptions.from_json(row["options"])
    origin = row["offset_by"]
    return FileImport(
        **values
        | {
            "state": ImportState(row["state"]),
            "offset_by": None if origin is None else OffsetOrigin(origin),
            "options": options,
            "subject": next((found for tie in options.ties if (found := _subject(tie, row)) is not None), None),
            "disk_id": options.disk_id,
        }
    )


def _subject(tie: RunTie, row: RowMapping) -> EntityRef | None:
    name = row[f"{tie.kind}_name"]
    return None if name is None else EntityRef(RefKind(tie.kind), tie.id, name)


def count_uploads(connection: Connection) -> int:
    """Count uploads that are not complete. All files of one offline environment are one upload."""
    build = offline_build_file.c
    of_build = (build.import_id == _ONE.id) & build.is_upload
    # A build and an import may have the same id.
    count = func.count(func.coalesce(-build.build_id, _ONE.id).distinct())
    uploads = select(count).select_from(file_import.outerjoin(offline_build_file, of_build))
    return connection.execute(uploads.where(_ONE.state == ImportState.UPLOADING)).scalar_one()


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Where a part of an upload lies in its file."""

    position: int
    size: int


def chunk_places(connection: Connection, import_id: int) -> list[ChunkPlace]:
    """In order of their positions."""
    one = import_chunk.c
    rows = connection.execute(
        select(one.position, func.octet_length(one.data)).where(one.import_id == import_id).order_by(one.position)
    )
    return [ChunkPlace(*row) for row in rows]


def load_head(connection: Connection, import_id: int, size: int) -> bytes:
    """The first `size` bytes of an upload; empty where its first part was lost."""
    one = import_chunk.c
    head = func.substring(one.data, 1, size)
    found = connection.scalar(select(head).where(one.import_id == import_id, one.position == 0))
    return b"" if found is None else bytes(found)


def load_chunk(connection: Connection, import_id: int, position: int) -> bytes:
    one = import_chunk.c
    query = select(one.data).where(one.import_id == import_id, one.position == position)
    return bytes(connection.execute(query).scalar_one())


@dataclass(frozen=True, slots=True)
class HostOfCapture:
    """A host that has `devices` of the capture's devices."""

    id: int
    source_id: int
    name: str
    devices: int


_HOSTS = text("""
    SELECT h.id, h.source_id, h.name, count(DISTINCT o.name) AS devices FROM captured_object o
    JOIN host_device d ON d.canonical_name = o.name JOIN esxi_host h ON h.id = d.host_id
    WHERE o.import_id = :import_id AND o.kind = 'device' AND d.present GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1
""")


def hosts_of_capture(connection: Connection, import_id: int) -> list[HostOfCapture]:
    """Hosts with a device of the capture's, those with the most first."""
    return [HostOfCapture(*row) for row in connection.execute(_HOSTS, {"import_id": import_id})]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedDevice:
    """Rows of one device in one capture: stamps in µs by the capture's clock, columns (r,) by counter.

    offset_s, offset_error_s: how far that clock is ahead of the host's samples. device_id: the host's device, where it is tied.
    """

    import_id: int
    device_id: int | None
    name: str
    offset_s: float
    offset_error_s: float
    half_us: float
    ended_us: Int64Array
    length_us: Int64Array
    columns: Mapping[str, Float64Array]


_ROWS = """
    SELECT f.id, o.position, o.device_id, o.name, coalesce(f.offset_s, 0) AS offset_s,
        coalesce(f.offset_error_s, 0) AS offset_error_s, f.half_us, h.ended_us, h.length_us, h.counters, h.numbers
    FROM file_import f JOIN captured_object o ON o.import_id = f.id
    JOIN captured_hour h ON h.import_id = o.import_id AND h.position = o.position
    WHERE o.kind = 'device' AND {where} ORDER BY f.id, o.position, h.hour_at
"""
_NARROWING = text(
    _ROWS.format(
        where=(
            "f.narrows AND o.device_id IS NOT NULL AND f.starts_at - make_interval(secs => f.offset_s) < :until"
            " AND f.ends_at - make_interval(secs => f.offset_s) > :since"
            " AND h.hour_at BETWEEN floor((extract(epoch FROM CAST(:since AS timestamptz)) + f.offset_s) / 3600) - 1"
            " AND floor((extract(epoch FROM CAST(:until AS timestamptz)) + f.offset_s) / 3600) + 1"
        )
    )
)
_ANY = text("SELECT EXISTS (SELECT FROM file_import WHERE narrows)")
_OF_IMPORT = text(_ROWS.format(where="f.id = :import_id"))


def narrowing_devices(connection: Connection, since: datetime, until: datetime) -> list[CapturedDevice]:
    """What captures that have a say in the ledger hold of [since, until), by the clocks of the hosts' samples."""
    if not connection.scalar(_ANY):
        return []
    return _devices(connection.execute(_NARROWING, {"since": since, "until": until}).mappings().all())


def captured_devices(connection: Connection, import_id: int) -> list[CapturedDevice]:
    return _devices(connection.execute(_OF_IMPORT, {"import_id": import_id}).mappings().all())


def _devices(rows: Sequence[RowMapping]) -> list[CapturedDevice]:
    by_object: dict[tuple[int, int], list[RowMapping]] = {}
    for row in rows:
        by_object.setdefault((row["id"], row["position"]), []).append(row)
    return [_device(hours) for hours in by_object.values()]


def _device(hours: Sequence[RowMapping]) -> CapturedDevice:
    first = hours[0]
    names = sorted({name for hour in hours for name in hour["counters"]})
    tables = [dict(zip(hour["counters"], hour["numbers"], strict=True)) for hour in hours]
    return CapturedDevice(
        import_id=first["id"],
        device_id=first["device_id"],
        name=first["name"],
        offset_s=first["offset_s"],
        offset_error_s=first["offset_error_s"],
        half_us=first["half_us"],
        ended_us=np.concatenate([np.array(hour["ended_us"], dtype=np.int64) for hour in hours]),
        length_us=np.concatenate([np.array(hour["length_us"], dtype=np.int64) for hour in hours]),
        columns={
            name: np.concatenate(
                [
                    np.array(table.get(name, [np.nan] * len(hour["ended_us"])), dtype=np.float64)
                    for table, hour in zip(tables, hours, strict=True)
                ]
            )
            for name in names
        },
    )


_COUNTS: dict[str, ColumnType] = {
    "ts": "us",
    "entity_id": "i8",
    "interval_s": "i8",
    "read_ops": "i8",
    "write_ops": "i8",
}
_SAMPLES = packed.rows(
    SAMPLES[Stream.HOST_DEVICE],
    ("interval_s", "read_ops", "write_ops"),
    of=packed.of_any("CAST(:devices AS int[])"),
    lo="CAST(:since AS timestamptz)",
    hi="CAST(:until AS timestamptz)",
)
_STORED = (
    f"SELECT s.ts, s.entity_id, s.interval_s, s.read_ops, s.write_ops FROM {_SAMPLES} s"
    " WHERE s.ts > :since ORDER BY s.entity_id, s.ts"
)


def stored_counts(
    connection: Connection, devices: Sequence[int], since: datetime, until: datetime
) -> dict[str, Int64Array]:
    """I/Os of the samples of these devices with stamps in (since, until], in order of device and time."""
    return fetch(connection, _STORED, {"devices": list(devices), "since": since, "until": until}, _COUNTS)


def devices_by_name(connection: Connection, host_id: int, names: Sequence[str]) -> dict[str, int]:
    """The newest device of each name that the host has or had."""
    rows = connection.execute(
        text(
            "SELECT canonical_name, max(id) AS id FROM host_device WHERE host_id = :host AND canonical_name = ANY(:names)"
            " GROUP BY canonical_name"
        ),
        {"host": host_id, "names": list(names)},
    )
    return {row.canonical_name: row.id for row in rows}


@dataclass(frozen=True, slots=True)
class HostSource:
    """A host with the source that it is read from."""

    id: int
    source_id: int
    name: str


def host_by_id(connection: Connection, host_id: int) -> HostSource:
    """Raises NotFoundError."""
    row = connection.execute(
        select(esxi_host.c.id, esxi_host.c.source_id, esxi_host.c.name).where(esxi_host.c.id == host_id)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no host {host_id}.")
    return HostSource(*row)


def host_id_by_name(connection: Connection, name: str) -> int:
    """Of the only host that is called so, with or without its domain. Raises NotFoundError."""
    short = name.split(".")[0].lower()
    rows = connection.execute(select(esxi_host.c.id, esxi_host.c.name).where(esxi_host.c.present)).all()
    same = [row.id for row in rows if row.name.lower() == name.lower()]
    found = same or [row.id for row in rows if row.name.split(".")[0].lower() == short]
    if len(found) != 1:
        raise NotFoundError(f"{len(found) or 'No'} hosts are called {name!r}.")
    return int(found[0])


_COVERING = text("""
    SELECT DISTINCT f.id, f.file_name, f.starts_at - make_interval(secs => f.offset_s) AS from_at,
        f.ends_at - make_interval(secs => f.offset_s) AS to_at
    FROM file_import f JOIN captured_object o ON o.import_id = f.id
    WHERE f.narrows AND o.device_id = ANY(:devices) AND f.starts_at - make_interval(secs => f.offset_s) < :until
        AND f.ends_at - make_interval(secs => f.offset_s) > :since ORDER BY f.id
""")


@dataclass(frozen=True, slots=True)
class CoveringCapture:
    """A capture that has a say in the minutes of a window; from_at, to_at: by the clock of its host's samples."""

    id: int
    file_name: str
    from_at: datetime
    to_at: datetime


def covering_captures(
    connection: Connection, devices: Sequence[int], since: datetime, until: datetime
) -> tuple[CoveringCapture, ...]:
    """Captures that have a say in minutes of [since, until) of these devices."""
    rows = connection.execute(_COVERING, {"devices": list(devices), "since": since, "until": until})
    return tuple(CoveringCapture(*row) for row in rows)
