"""Counters of both sides over time, columnar: one time array, many columns, null where nothing was measured."""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import GapOut, Out, SourceRef
from gavel.db.queries.array_traffic import PortSeries
from gavel.db.queries.refs import EntityRef
from gavel.domain.streams import ColumnUnit


class Column(Out):
    """One line of a chart.

    name: `read_service_us`, `write_gavg_us`, `read_iops`, …; quantity: the same without its direction; label, quantity_label: in words,
    the second as it stands inside a line. counter: its name at the source.
    precision: the finest step of the source's number in `unit` (1000 for a millisecond counter shown in µs).
    values: as long as `times_ms`; op-weighted means for latencies, means over time for rates; null = not measured.
    """

    name: str
    label: str
    quantity: str
    quantity_label: str
    unit: ColumnUnit
    direction: Literal["read", "write", "mirrored_write", "all"] | None
    counter: str
    precision: float | None
    values: list[float | None]


class Group(Out):
    """Columns of one object on one side. `scope` "whole" is all of the page's devices or volumes together: rates are sums, latencies means
    over operations, a queue depth that of the deepest queue.

    `level`: where on the I/O path it was measured; hosts time their devices (host) and the virtual disks (disk); the CPU of a
    host stands beside it (cpu). `owner`: the host of a
    device or the VM of a disk, whose name stands before `own_name` in that of `entity`; null where the own name is complete.
    """

    side: Literal["array", "host", "guest"]
    level: Literal["array", "host", "disk", "guest", "cpu"]
    scope: Literal["whole", "part"]
    entity: Answer[EntityRef]
    owner: Answer[EntityRef] | None
    own_name: str
    sources: list[SourceRef]
    columns: list[Column]


class EventOut(Out):
    """`label`: its kind in words. `text`: what happened to what, from which value to which."""

    at: AwareDatetime
    kind: str
    label: str
    text: str
    subject: Answer[EntityRef] | None


class Series(Out):
    """`times_ms`: start of each bucket, ms since 1970 UTC, evenly `step_s` apart. `resolution`: the rows that the buckets are made from."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    step_s: int
    resolution: Literal["raw", "5m", "1h"]
    times_ms: list[int]
    groups: list[Group]
    gaps: list[GapOut]
    events: list[EventOut]


class ArrayTraffic(Series):
    """Counters of an array as a whole (`groups` has this one group) and of its target ports.

    `ports_kept_from_at`: samples of ports are kept from then on, `ports_keep_s` seconds long; they have no roll-ups, so that nothing is
    known of ports in an older part of the range.
    """

    ports: list[Answer[PortSeries]]
    ports_kept_from_at: AwareDatetime
    ports_keep_s: int
