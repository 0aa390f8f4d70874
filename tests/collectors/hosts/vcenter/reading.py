"""Rows of samples as tests compare them, and the lab's vCenters by name."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream

OLD, NEW = "vcenter-1", "vcenter-2"  # 8.0.3 in whole ms, 9.0.1 in µs
Row = tuple[str, int, int, tuple[int, ...]]


def rows(batches: Iterable[SampleBatch]) -> set[Row]:
    """Key, end in seconds, interval and all values of every row."""
    found: list[Row] = []
    for batch in batches:
        columns = [column.tolist() for column in batch.values.values()]
        found += zip(
            [batch.keys[place] for place in batch.key_index],
            (batch.ended_at_us // 1_000_000).tolist(),
            batch.interval_s.tolist(),
            zip(*columns, strict=True),
            strict=True,
        )
    assert len(found) == len(set(found)) == len({row[:2] for row in found}), "a row came twice"
    return set(found)


def column(batches: list[SampleBatch], name: str) -> list[int]:
    return [int(value) for batch in batches for value in batch.values[name]]


def reach(past: tuple[datetime, datetime], stream: Stream) -> tuple[datetime, datetime]:
    """The window, for paths made long enough for two blocks of five minutes."""
    return (past[0] - timedelta(minutes=12), past[1]) if stream is Stream.PATH else past
