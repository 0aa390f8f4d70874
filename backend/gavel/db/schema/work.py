"""Work that writing rows leaves to be done later: its kinds, and the table of what waits for it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Table,
    Text,
)

from gavel.db.schema.base import instant, metadata


class WorkKind(StrEnum):
    ORDER = "order"  # plain mode only: partitions of a table are to be rewritten in key order
    ROLL = "roll"  # plain mode only: buckets of a roll-up are to be made again
    CORRELATE = "correlate"  # minutes of a source's samples are to be written, stamps by its clock
    CORRELATE_GUESTS = "correlate_guests"  # those of what guests pushed, stamps by Gavel's clock
    CORRELATE_LATE_GUESTS = (
        "correlate_late_guests"  # and of that what came after its minutes were written, held back once
    )


OF_SERIES = (WorkKind.ORDER, WorkKind.ROLL)
OF_CORRELATION = (WorkKind.CORRELATE, WorkKind.CORRELATE_GUESTS, WorkKind.CORRELATE_LATE_GUESTS)


def _listed(kinds: tuple[WorkKind, ...]) -> str:
    return ", ".join(f"'{kind}'" for kind in kinds)


# Stamps [lo, hi] were written, and work of this kind is still to be done for them: for a table or roll-up (`series`), or for a source.
dirty_window = Table(
    "dirty_window",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("series", Text),
    Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE")),
    instant("lo"),
    instant("hi"),
    CheckConstraint(f"kind IN ({_listed(tuple(WorkKind))})", name="kind"),
    CheckConstraint(f"(series IS NOT NULL) = (kind IN ({_listed(OF_SERIES)}))", name="series"),
    CheckConstraint(f"(source_id IS NOT NULL) = (kind = '{WorkKind.CORRELATE}')", name="source"),
    Index("ix_dirty_window_kind_series", "kind", "series"),
)


@dataclass(frozen=True, slots=True)
class PendingWork:
    """What is to be done: of a kind, for the series or the source that kind is of."""

    kind: WorkKind
    series: str | None = None
    source_id: int | None = None

    def of(self, lo: datetime, hi: datetime) -> dict[str, object]:
        """The row of `dirty_window` for stamps [lo, hi]."""
        return {"kind": self.kind, "series": self.series, "source_id": self.source_id, "lo": lo, "hi": hi}


def ordering(table: str) -> PendingWork:
    return PendingWork(WorkKind.ORDER, series=table)


def rolling(rollup: str) -> PendingWork:
    return PendingWork(WorkKind.ROLL, series=rollup)


def correlating(source_id: int) -> PendingWork:
    return PendingWork(WorkKind.CORRELATE, source_id=source_id)


CORRELATING_GUESTS = PendingWork(WorkKind.CORRELATE_GUESTS)


def waits_for(work: PendingWork) -> ColumnElement[bool]:
    """Rows of work for a series."""
    return (dirty_window.c.kind == work.kind) & (dirty_window.c.series == work.series)
