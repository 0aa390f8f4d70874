"""Raw numbers of both sides over time: columnar, in shared buckets, null where nothing was measured."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gavel.db.engine import Connection
from gavel.db.queries.rows import Ref, RefKind

Unit = Literal["µs", "ops/s", "bytes/s", "I/Os", "count"]


@dataclass(frozen=True, slots=True)
class SeriesColumn:
    """One line of a chart: latencies are op-weighted means of the bucket, rates are means over the time that was measured.

    name: as in `COLUMNS`, with `_iops` for `_ops` and `_bytes_per_s` for `_bytes`. counter: the source's own name of it.
    precision: the coarsest step of the source's number in `unit`, over the range. values: as long as `times_ms`.
    """

    name: str
    unit: Unit
    direction: Literal["read", "write", "mirrored_write"] | None
    counter: str
    precision: float | None
    values: list[float | None]


@dataclass(frozen=True, slots=True)
class SeriesGroup:
    """Columns of one thing on one side. scope `whole`: the sum over all devices, disks or volumes of the subject."""

    side: Literal["array", "host"]
    scope: Literal["whole", "part"]
    entity: Ref
    sources: tuple[Ref, ...]
    columns: tuple[SeriesColumn, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """`times_ms`: start of each bucket, ms since 1970 UTC by Gavel's clock (offsets of the sources taken out), `step_s` apart.

    `resolution`: the coarsest grain the buckets were made from.
    """

    from_at: datetime
    to_at: datetime
    step_s: int
    resolution: Literal["raw", "5m", "1h"]
    times_ms: list[int]
    groups: tuple[SeriesGroup, ...]


def series(
    connection: Connection,
    subject: RefKind,
    subject_id: int,
    from_at: datetime,
    to_at: datetime,
    *,
    points: int = 700,
    parts: bool = False,
) -> Series:
    """Both sides of a datastore, VM, host or volume over [from_at, to_at), in at most `points` buckets.

    `parts` adds a group per device, disk and volume. Raises NotFoundError, and ValueError for an empty range.
    """
    raise NotImplementedError
