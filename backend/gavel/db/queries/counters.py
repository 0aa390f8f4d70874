"""The source's own name of what a column is made from, and the step of its numbers."""

from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import OF_ARRAYS, Stream
from gavel.domain.streams import ColumnKind, CounterUnit, SampleColumn


def counter_name(column: SampleColumn, precision: Precision | None) -> str:
    """As the source writes it. `precision`: of the samples, where they have one: µs counters are used where they are there."""
    if column.kind is ColumnKind.TIME and precision is not Precision.MICROSECOND:
        return column.counters[-1].name
    return column.counters[0].name


def step_us(stream: Stream, column: SampleColumn, precision: Precision | None) -> float | None:
    """The step of a latency in µs; None for what is not a latency, or when the samples have none."""
    if column.kind is not ColumnKind.TIME:
        return None
    if stream in OF_ARRAYS:
        return 1.0
    if all(counter.unit is CounterUnit.MILLISECONDS for counter in column.counters):
        return 1000.0
    return None if precision is None else float(STEP_US[precision])
