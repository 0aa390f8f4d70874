"""Raw numbers of both sides over time, columnar: one time array, many columns, null where nothing was measured."""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.common import GapOut, Out, Ref, SourceRef

Unit = Literal["µs", "ops/s", "bytes/s", "I/Os", "count"]


class Column(Out):
    """One line of a chart.

    name: `read_service_us`, `write_gavg_us`, `read_iops`, … counter: the source's own name of what it is made from.
    precision: the finest step of the source's number in `unit` (1000 for a millisecond counter shown in µs).
    values: as long as `times_ms`; op-weighted means for latencies, means over time for rates; null = not measured.
    """

    name: str
    label: str
    unit: Unit
    direction: Literal["read", "write", "mirrored_write", "all"] | None
    counter: str
    precision: float | None
    values: list[float | None]


class Group(Out):
    """Columns that belong to one thing on one side. `scope` "whole" is the sum over all of the page's devices or volumes."""

    side: Literal["array", "host", "guest"]
    scope: Literal["whole", "part"]
    entity: Ref
    sources: list[SourceRef]
    columns: list[Column]


class EventOut(Out):
    at: AwareDatetime
    kind: str
    text: str
    subject: Ref | None


class Series(Out):
    """`times_ms`: start of each bucket, ms since 1970 UTC, evenly `step_s` apart. `resolution`: what the buckets were made from."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    step_s: int
    resolution: Literal["raw", "5m", "1h"]
    times_ms: list[int]
    groups: list[Group]
    gaps: list[GapOut]
    events: list[EventOut]
