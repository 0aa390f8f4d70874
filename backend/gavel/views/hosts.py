"""A datastore as each of its hosts sees it: the host's own counters over a window, its queue, and how many of its VMs did I/O."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.leaves import DiskLeaf, device_leaves, disk_leaves
from gavel.db.queries.queues import Queue
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.series import SeriesGroup, series_of
from gavel.diagnosis.evidence import Pair, mean, points_over, weighed
from gavel.diagnosis.window import DiagnosisWindow, WindowSum, summed

_DIRECTIONS = ("read", "write")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLatencyRow:
    """A datastore on one host, reads and writes of all its devices there: the host's own counters, means over
    operations; null: not measured.

    `precision_us`: the coarsest step of these latencies. `queue_depth`: the largest of the window. `vms`: with a disk here that run on
    it now; `vms_active`: those that did I/O; null: no virtual disk was measured.
    """

    subject: EntityRef
    iops: float | None
    gavg_us: float | None
    davg_us: float | None
    kavg_us: float | None
    qavg_us: float | None
    precision_us: float | None
    queue_depth: float | None
    vms: int
    vms_active: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRows(DiagnosisWindow):
    """The busiest first. Without devices of its own (NFS, vVol) a host's IOPS are those of its VMs' virtual disks."""

    hosts: tuple[HostLatencyRow, ...]


def host_rows(connection: Connection, datastore_id: int, from_at: datetime | None, to_at: datetime | None) -> HostRows:
    """Raises NotFoundError, and ValueError for an empty range."""
    whole = summed(connection, RefKind.DATASTORE, datastore_id, from_at, to_at)
    devices = device_leaves(connection, RefKind.DATASTORE, datastore_id)
    return host_rows_of(connection, whole, devices, disk_leaves(connection, RefKind.DATASTORE, datastore_id))


def host_rows_of(
    connection: Connection, whole: WindowSum, devices: Sequence[Queue], disks: Sequence[DiskLeaf]
) -> HostRows:
    """Of a datastore with these devices and virtual disks."""
    window = whole.window
    points = points_over(window.from_at, window.to_at)
    found = series_of(
        connection, window.subject, window.from_at, window.to_at, whole.storage, points=points, parts=True
    )
    parts = {(one.entity.kind, one.entity.id): one for one in found.groups if one.scope == "part"}
    hosts = {leaf.host for leaf in devices} | {leaf.host for leaf in disks if leaf.host is not None}
    rows = []
    for host in hosts:
        own = [parts.get((RefKind.DEVICE, leaf.device.id)) for leaf in devices if leaf.host == host]
        rows.append(
            _row(
                host,
                [group for group in own if group is not None],
                [(leaf, parts.get((RefKind.VM_DISK, leaf.disk.id))) for leaf in disks if leaf.host == host],
            )
        )
    return HostRows(**window.fields, hosts=tuple(sorted(rows, key=lambda row: (-(row.iops or 0.0), row.subject.name))))


def _row(
    host: EntityRef, devices: Sequence[SeriesGroup], disks: Sequence[tuple[DiskLeaf, SeriesGroup | None]]
) -> HostLatencyRow:
    measured = [(leaf.vm, group) for leaf, group in disks if group is not None]
    depths = [value for group in devices for value in _values(group, "queue_depth")]
    steps = [
        column.precision
        for group in devices
        for column in group.columns
        if column.unit == "µs" and column.precision is not None
    ]
    return HostLatencyRow(
        subject=host,
        iops=_rate(devices or [group for _, group in measured]),
        gavg_us=mean(_pairs(devices, "gavg")),
        davg_us=mean(_pairs(devices, "davg")),
        kavg_us=mean(_pairs(devices, "kavg")),
        qavg_us=mean(_pairs(devices, "qavg")),
        precision_us=max(steps, default=None),
        queue_depth=max(depths, default=None),
        vms=len({leaf.vm for leaf, _ in disks}),
        vms_active=len({vm for vm, group in measured if (_rate([group]) or 0.0) > 0}) if measured else None,
    )


def _pairs(devices: Sequence[SeriesGroup], boundary: str) -> Iterator[Pair]:
    for group in devices:
        columns = {column.name: column for column in group.columns}
        for direction in _DIRECTIONS:
            yield from weighed(columns[f"{direction}_{boundary}_us"], columns[f"{direction}_iops"].values)


def _rate(groups: Sequence[SeriesGroup]) -> float | None:
    """Per second over the time that was measured, reads and writes of all of them; None where nothing was counted."""
    rates = [_over_time(_values(group, f"{direction}_iops")) for group in groups for direction in _DIRECTIONS]
    told = [rate for rate in rates if rate is not None]
    return sum(told) if told else None


def _over_time(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _values(group: SeriesGroup, name: str) -> list[float]:
    """Of the buckets in which it was measured."""
    return [value for column in group.columns if column.name == name for value in column.values if value is not None]
