"""What has to be done before rows are written: partitions for their stamps, and a note of what is to be made from them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
from sqlalchemy import Connection

from gavel.db.series import partitions, plain, timescale
from gavel.db.series.catalog import Mode, RawSeries
from gavel.db.series.plain import Partition
from gavel.db.series.rollups import note_written
from gavel.domain.samples import Int64Array

_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def make_room(connection: Connection, mode: Mode, raw: RawSeries, stamps_us: Int64Array) -> None:
    """In the transaction that writes (or removes) rows with these stamps, µs since 1970, before it does; at least one."""
    if mode is Mode.TIMESCALE:
        connection.exec_driver_sql(timescale.UNPACK_FREELY)
        return
    partitions.open_for_writing(connection, raw, list(_touched(raw, stamps_us)))


def note_rows(connection: Connection, mode: Mode, raw: RawSeries, lo_us: int, hi_us: int) -> None:
    """In the same transaction: rows with stamps in [lo, hi], µs since 1970, are not as they were. TimescaleDB notes that by itself."""
    if mode is Mode.PLAIN:
        note_written(connection, raw.name, instant(lo_us), instant(hi_us))


def _touched(raw: RawSeries, stamps_us: Int64Array) -> Iterator[Partition]:
    width_us = raw.chunk[Mode.PLAIN] // _MICROSECOND
    for start in np.unique(stamps_us // width_us):
        yield plain.partition_at(raw, instant(start * width_us))


def instant(stamp_us: np.int64 | int) -> datetime:
    return _UNIX + int(stamp_us) * _MICROSECOND


def stamp_us(at: datetime) -> int:
    return (at - _UNIX) // _MICROSECOND
