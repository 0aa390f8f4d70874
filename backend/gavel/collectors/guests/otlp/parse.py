"""OTLP metrics in JSON and protobuf: data points of `system.disk.*`, put together per disk and moment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from gavel.collectors.disk_names import is_drive, is_linux_disk
from gavel.collectors.guest_lines import LineRefusedError, count, number, short
from gavel.collectors.guests.otlp.wire_format import ProtobufError, decode_request
from gavel.domain.errors import GavelError
from gavel.domain.guests import (
    DiskCounters,
    DiskIdentity,
    DiskReading,
    GuestAgent,
    GuestDiskKind,
    GuestIdentity,
    LatencyStep,
    PushedReadings,
    RefusalReason,
    RefusedLine,
)
from gavel.domain.text import clean_text

_CUMULATIVE: Final = (2, "2", "AGGREGATION_TEMPORALITY_CUMULATIVE")
_US_PER_S: Final = 1_000_000
# Column of DiskCounters by metric and direction.
_COLUMNS: Final[Mapping[tuple[str, str], str]] = {
    ("system.disk.operations", "read"): "reads",
    ("system.disk.operations", "write"): "writes",
    ("system.disk.io", "read"): "read_bytes",
    ("system.disk.io", "write"): "write_bytes",
    ("system.disk.operation_time", "read"): "read_time_us",
    ("system.disk.operation_time", "write"): "write_time_us",
    ("system.disk.weighted_io_time", ""): "queue_time_us",
}
_METRICS: Final = frozenset(metric for metric, _ in _COLUMNS)
_TIMES: Final = frozenset({"system.disk.operation_time", "system.disk.weighted_io_time"})


class _Value(msgspec.Struct, rename="camel"):
    string_value: str | None = None


class _Attribute(msgspec.Struct):
    key: str = ""
    value: _Value = msgspec.field(default_factory=_Value)


class _DataPoint(msgspec.Struct, rename="camel"):
    attributes: list[_Attribute] = []
    start_time_unix_nano: int | str | None = None
    time_unix_nano: int | str | None = None
    as_int: int | str | None = None
    as_double: float | str | None = None


class _Sum(msgspec.Struct, rename="camel"):
    data_points: list[_DataPoint] = []
    aggregation_temporality: int | str | None = None
    is_monotonic: bool = False


class _Metric(msgspec.Struct):
    name: str = ""
    sum: _Sum | None = None


class _ScopeMetrics(msgspec.Struct):
    metrics: list[_Metric] = []


class _Resource(msgspec.Struct):
    attributes: list[_Attribute] = []


class _ResourceMetrics(msgspec.Struct, rename="camel"):
    resource: _Resource = msgspec.field(default_factory=_Resource)
    scope_metrics: list[_ScopeMetrics] = []


class _Request(msgspec.Struct, rename="camel"):
    resource_metrics: list[_ResourceMetrics] = []


_DECODER: Final = msgspec.json.Decoder(_Request)


class OtlpError(GavelError):
    """The body is no request of OTLP: nothing of it can be read."""


@dataclass(slots=True)
class _DiskAt:
    """What the points of one disk and moment add up to. `line`: the number of its first point."""

    guest: GuestIdentity
    disk: str
    at_ns: int
    line: int
    epoch: str | None
    values: dict[str, int] = field(default_factory=dict)


def parse_json(body: bytes) -> PushedReadings:
    """Lines are data points, counted from 1. Raises OtlpError."""
    try:
        request = _DECODER.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise OtlpError(f"The body is no OTLP metrics request in JSON ({clean_text(str(error), 200)}).") from error
    return _readings(request)


def parse_protobuf(body: bytes) -> PushedReadings:
    """As `parse_json`."""
    try:
        request = msgspec.convert(decode_request(body), _Request)
    except (ProtobufError, msgspec.MsgspecError) as error:
        raise OtlpError(f"The body is no OTLP metrics request in protobuf ({clean_text(str(error), 200)}).") from error
    return _readings(request)


def _readings(request: _Request) -> PushedReadings:
    refused: list[RefusedLine] = []
    disks: dict[tuple[str, str, int], _DiskAt] = {}
    for line, (resource, metric, point) in enumerate(_points(request), 1):
        try:
            _add(disks, line, resource, metric, point)
        except LineRefusedError as error:
            refused.append(RefusedLine(line, error.reason, clean_text(str(error))))
    readings = []
    for disk in disks.values():
        if "reads" in disk.values and "writes" in disk.values:
            readings.append(_reading(disk))
        else:
            detail = f"{disk.disk!r} comes without system.disk.operations of reads and writes"
            refused.append(RefusedLine(disk.line, RefusalReason.NO_COUNTERS, detail))
    return PushedReadings(tuple(readings), tuple(refused))


def _points(request: _Request) -> Iterator[tuple[_Resource, _Metric, _DataPoint]]:
    """A metric that is no sum has no points for us, and counts as one that is refused."""
    for group in request.resource_metrics:
        for scope in group.scope_metrics:
            for metric in scope.metrics:
                for point in metric.sum.data_points if metric.sum else [_DataPoint()]:
                    yield group.resource, metric, point


def _add(
    disks: dict[tuple[str, str, int], _DiskAt], line: int, resource: _Resource, metric: _Metric, point: _DataPoint
) -> None:
    if metric.name not in _METRICS:
        raise LineRefusedError(RefusalReason.UNKNOWN_MEASUREMENT, metric.name[:60])
    if metric.sum is None or metric.sum.aggregation_temporality not in _CUMULATIVE:
        raise LineRefusedError(RefusalReason.NO_COUNTERS, f"{metric.name} is no cumulative sum")
    attributes = _texts(point.attributes)
    disk = short(attributes.get("device", "").removeprefix("/dev/"), "device")
    if not disk:
        raise LineRefusedError(RefusalReason.NO_DISK, f"{metric.name} has no attribute 'device'")
    if not is_linux_disk(disk) and not is_drive(disk):
        raise LineRefusedError(RefusalReason.NOT_A_DISK, f"{disk!r} is no whole disk")
    column = _COLUMNS.get((metric.name, attributes.get("direction", "")))
    if column is None:
        raise LineRefusedError(
            RefusalReason.NO_COUNTERS, f"{metric.name} has no attribute 'direction' of read or write"
        )
    guest = _guest(resource)
    at_ns = _nanoseconds(point.time_unix_nano, "timeUnixNano")
    value = _value(point, metric.name)
    begun = str(_nanoseconds(point.start_time_unix_nano, "startTimeUnixNano")) if point.start_time_unix_nano else None
    found = disks.setdefault((guest.key, disk, at_ns), _DiskAt(guest, disk, at_ns, line, begun))
    found.values[column] = value


def _reading(disk: _DiskAt) -> DiskReading:
    return DiskReading(
        guest=disk.guest,
        agent=GuestAgent.OPENTELEMETRY,
        kind=GuestDiskKind.LOGICAL if is_drive(disk.disk) else GuestDiskKind.DISK,
        disk=disk.disk,
        identity=DiskIdentity(),
        at_us=disk.at_ns // 1000 or None,
        # Seconds as floats, made from the kernel's whole ms.
        step=LatencyStep.MILLISECOND_SUM,
        numbers=DiskCounters(**disk.values, wraps_ms=True, epoch=disk.epoch),
        line=disk.line,
    )


def _guest(resource: _Resource) -> GuestIdentity:
    attributes = _texts(resource.attributes)
    host_name = short(attributes.get("host.name", ""), "host.name")
    if not host_name:
        raise LineRefusedError(
            RefusalReason.NO_HOST, "the resource has no attribute 'host.name' (processor resourcedetection)"
        )
    return GuestIdentity(host_name)


def _texts(attributes: list[_Attribute]) -> dict[str, str]:
    return {each.key: each.value.string_value for each in attributes if each.value.string_value is not None}


def _value(point: _DataPoint, metric: str) -> int:
    """64-bit integers come as texts; times are seconds, with fractions."""
    given = _plain(point.as_double if point.as_int is None else point.as_int, metric)
    if metric in _TIMES:
        found = number({metric: given}, metric, scale=_US_PER_S)
        whole = None if found is None else round(found)
    else:
        whole = count({metric: given}, metric)
    if whole is None:
        raise LineRefusedError(RefusalReason.NOT_A_NUMBER, f"{metric} has no value")
    return whole


def _nanoseconds(given: int | str | None, name: str) -> int:
    """0 where there is none, as the protocol has it."""
    value = 0 if given is None else _plain(given, name)
    if not isinstance(value, int) or not 0 <= value < 2**63:
        raise LineRefusedError(RefusalReason.OUTSIDE_TIME, f"{name} = {str(given)[:40]!r} is no time")
    return value


def _plain(given: float | str | None, name: str) -> Any:
    if not isinstance(given, str):
        return given
    try:
        return int(given) if given.isascii() and given.isdigit() and len(given) <= 20 else float(given)
    except ValueError as error:
        raise LineRefusedError(RefusalReason.NOT_A_NUMBER, f"{name} = {given[:40]!r} is no number") from error
