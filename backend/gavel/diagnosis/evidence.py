"""The counters behind a diagnosis: one value per counter over the window, as its source reports it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from gavel.db.engine import Connection
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.series import BucketedSeries, SeriesColumn, SeriesGroup, Side, series_of
from gavel.db.series.modes import Storage
from gavel.domain.io_path import DirectionName
from gavel.domain.streams import ColumnDirection, ColumnUnit

_DIRECTIONS: dict[ColumnDirection, str] = {"read": "Read", "write": "Write", "mirrored_write": "Mirrored write"}


def quantity_label(column: SeriesColumn, *, is_whole: bool = False) -> str:
    """As inside a line: "queue depth (DQLEN)". is_whole: over several devices."""
    return f"{column.words}, deepest queue" if is_whole and column.quantity == "queue_depth" else column.words


def label(column: SeriesColumn, *, is_whole: bool = False) -> str:
    """As a line of its own: "Mirrored write SAN time (array port)", "Queue depth (DQLEN)"."""
    words = quantity_label(column, is_whole=is_whole)
    return f"{_DIRECTIONS[column.direction]} {words}" if column.direction else capitalized(words)


def capitalized(words: str) -> str:
    """Sentence case that leaves abbreviations as they are."""
    return f"{words[0].upper()}{words[1:]}"


# What the rules look at; errors and throughput are on the charts.
_UNITS: tuple[ColumnUnit, ...] = ("µs", "ops/s", "I/Os", "%")
# Buckets of whole minutes hold equally many samples each; a day comes from the roll-ups of 5 minutes.
_MINUTE = timedelta(minutes=1)
_MOST_POINTS = 288
# A value and its weight.
Pair: TypeAlias = tuple[float, float]
# An array counts whole volumes, whoever's the I/Os are; of an array there may be some that no polled host uses.
_OTHERS = {RefKind.HOST: ", all hosts", RefKind.VM: ", all VMs and hosts", RefKind.ARRAY: ", all its volumes"}
# A host does not tell which array did an I/O to a stretched volume.
_BOTH_ARRAYS = ", of stretched volumes to both arrays"
_SERIES = frozenset({RefKind.DATASTORE, RefKind.VM, RefKind.HOST, RefKind.VOLUME, RefKind.ARRAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceNumber:
    """One raw number behind a diagnosis. `precision`: the source's step, in `unit`. `at`: end of the window it is the mean over.

    `sources`: where it was read, several of what is over several; of a host's own setting its vCenter and the host.
    """

    side: Side
    subject: EntityRef
    name: str
    label: str
    direction: ColumnDirection | None
    counter: str
    value: float
    unit: ColumnUnit
    precision: float | None
    sources: tuple[EntityRef, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayCounted:
    """As reported by the array's own counters, over the volumes and window of the evidence: µs per I/O inside the array and at its port.

    Mirrored writes are writes; null: not measured. Layers and segments are estimated from the counters of both sides; they may differ."""

    direction: DirectionName
    inside_us: float | None
    port_us: float | None


@dataclass(frozen=True, slots=True)
class EvidenceNumbers:
    """sources: that count anything of the object."""

    sources: tuple[EntityRef, ...] = ()
    numbers: tuple[EvidenceNumber, ...] = ()
    counted: tuple[ArrayCounted, ...] = ()


def evidence(
    connection: Connection,
    subject: EntityRef,
    from_at: datetime,
    to_at: datetime,
    storage: Storage,
    *,
    is_stretched: bool,
) -> EvidenceNumbers:
    """Of both sides, outermost first; nothing of a kind that has no counters of its own (a cluster).

    is_stretched: an array with volumes that another array has, too.
    """
    kind = subject.kind
    if kind not in _SERIES:
        return EvidenceNumbers()
    found = series_of(connection, subject, from_at, to_at, storage, points=points_over(from_at, to_at))
    hosts_first = sorted(found.groups, key=lambda group: group.side != "host")
    whose = {"array": _OTHERS.get(kind, ""), "host": _BOTH_ARRAYS if is_stretched else ""}
    return EvidenceNumbers(
        tuple({source.id: source for group in found.groups for source in group.sources}.values()),
        tuple(one for group in hosts_first for one in _of_group(group, found, whose[group.side])),
        tuple(_counted([group for group in found.groups if group.side == "array"])),
    )


def _of_group(group: SeriesGroup, series: BucketedSeries, whose: str) -> Iterator[EvidenceNumber]:
    rates = {column.direction: column.values for column in group.columns if column.name.endswith("_iops")}
    for column in group.columns:
        value = mean(weighed(column, rates.get(column.direction)))
        if column.unit in _UNITS and value is not None:
            yield EvidenceNumber(
                side=group.side,
                subject=group.entity,
                name=column.name,
                label=label(column, is_whole=group.scope == "whole") + whose,
                direction=column.direction,
                counter=column.counter,
                value=value,
                unit=column.unit,
                precision=column.precision,
                sources=group.sources,
                at=series.to_at,
            )


def points_over(from_at: datetime, to_at: datetime) -> int:
    """As many buckets as a mean over [from_at, to_at) is taken from."""
    return min(max(1, (to_at - from_at) // _MINUTE), _MOST_POINTS)


def weighed(column: SeriesColumn, rates: Sequence[float | None] | None) -> Iterator[Pair]:
    """Latencies weighted by operations, others by time; a bucket without the number says nothing about it."""
    weights = rates if column.unit == "µs" and rates is not None else [1.0] * len(column.values)
    for value, weight in zip(column.values, weights, strict=True):
        if value is not None and weight is not None and weight > 0:
            yield value, weight


def mean(pairs: Iterable[Pair]) -> float | None:
    """Of values by their weights; None of nothing."""
    known = list(pairs)
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total > 0 else None


# Columns that add up to the time inside the array; of a directory it is one.
_INSIDE = ("service_us", "queue_us", "qos_us", "qos_sched_us")
_WAYS: Mapping[DirectionName, Sequence[str]] = {
    "read": ("read",),
    "write": ("write", "mirrored_write"),
    "all": ("read", "write", "mirrored_write"),
}


def _counted(groups: Sequence[SeriesGroup]) -> Iterator[ArrayCounted]:
    for way, directions in _WAYS.items():
        told = [(group, direction) for group in groups for direction in directions]
        yield ArrayCounted(
            direction=way,
            inside_us=mean(pair for group, direction in told for pair in _inside(group, direction)),
            port_us=mean(pair for group, direction in told for pair in _timed(group, direction, "san_us")),
        )


def _inside(group: SeriesGroup, direction: str) -> list[Pair]:
    """One pair, of all operations whose time was measured; none of a direction that had none."""
    parts = [list(_timed(group, direction, part)) for part in _INSIDE]
    service = parts[0] or list(_timed(group, direction, "usec_us"))
    us = sum(mean(one) or 0.0 for one in (service, *parts[1:]))
    return [(us, sum(weight for _, weight in service))] if service else []


def _timed(group: SeriesGroup, direction: str, quantity: str) -> Iterator[Pair]:
    columns = {column.name: column for column in group.columns}
    column, rates = columns.get(f"{direction}_{quantity}"), columns.get(f"{direction}_iops")
    if column is not None and rates is not None:
        yield from weighed(column, rates.values)
