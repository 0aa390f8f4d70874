"""What must hold of every declared column, so that parsers, tables, roll-ups, API and pages can be made from it."""

import pytest

from gavel.domain.source import GRAIN_S, Stream
from gavel.domain.streams import (
    COLUMNS_OF,
    ROLL_UPS,
    ColumnKind,
    CounterUnit,
    SampleColumn,
    column_of,
    directions_of,
)

COLUMNS = [
    pytest.param(stream, column, id=f"{stream}.{column.name}") for stream in Stream for column in COLUMNS_OF[stream]
]
# By the unit of its counter: what a column of it is.
KINDS = {
    CounterUnit.PER_S: {"ops/s", "count"},
    CounterUnit.KB_PER_S: {"bytes/s"},
    CounterUnit.BYTES_PER_S: {"bytes/s"},
    CounterUnit.MICROSECONDS: {"µs"},
    CounterUnit.MILLISECONDS: {"µs"},
    CounterUnit.NUMBER: {"ops/s", "I/Os", "count"},
    CounterUnit.HUNDREDTHS_OF_PERCENT: {"%"},
}


@pytest.mark.parametrize("stream", Stream)
def test_a_stream_has_no_name_twice_neither_stored_nor_shown(stream: Stream) -> None:
    columns = COLUMNS_OF[stream]
    assert stream in GRAIN_S
    assert (
        len({column.name for column in columns}) == len({column.shown_name for column in columns}) == len(columns) > 0
    )


@pytest.mark.parametrize(("stream", "column"), COLUMNS)
def test_a_column_says_where_it_comes_from_and_how_it_adds_up(stream: Stream, column: SampleColumn) -> None:
    assert column.label
    assert column.kind is ColumnKind.CODE or column.counters
    assert all(column.unit in KINDS[counter.unit] for counter in column.counters)
    assert (column.kind is ColumnKind.TIME) == (column.unit == "µs") == (column.weight is not None)
    assert (column.kind is ColumnKind.LEVEL) == (column.unit in ("I/Os", "%"))
    if column.direction is not None:
        assert column.name.startswith(f"{column.direction}_")
        assert column.direction in directions_of(stream)
    if column.weight is not None:
        weight = column_of(stream, column.weight)
        assert (weight.unit, weight.direction) == ("ops/s", column.direction)


def test_a_quantity_reads_alike_in_whatever_stream_it_is() -> None:
    labels: dict[str, set[str]] = {}
    for stream in Stream:
        for column in COLUMNS_OF[stream]:
            labels.setdefault(column.quantity, set()).add(column.label)
    assert {quantity: found for quantity, found in labels.items() if len(found) > 1} == {
        "queue_depth": {"queue depth (DQLEN)", "queue depth (AQLEN)"}  # of a device, and of an adapter
    }


@pytest.mark.parametrize("stream", ROLL_UPS)
def test_roll_ups_of_a_stream_hold_its_columns_each_once_and_the_weights_of_their_times(stream: Stream) -> None:
    kept = [column for columns in ROLL_UPS[stream].values() for column in columns]
    assert sorted(column.name for column in kept) == sorted(column.name for column in COLUMNS_OF[stream])
    assert next(iter(ROLL_UPS[stream])) == stream
    for columns in ROLL_UPS[stream].values():
        names = {column.name for column in columns}
        assert all(column.weight is None or column.weight in names for column in columns)
