"""Which performance counters feed which columns, and under which ids this vCenter serves them.

A counter is known by "group.name.rollup"; names may hold dots, so that key is compared and never split. Ids differ from
vCenter to vCenter and change with upgrades.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ColumnKind, ColumnUnit, CounterUnit, SampleColumn

STREAMS: Final = (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.PATH, Stream.ADAPTER, Stream.HOST_CPU)
# Asked of a host itself, as its aggregate (instance ""); of everything else single instances.
AGGREGATES: Final = frozenset({Stream.HOST_CPU})


def _latencies(stream: Stream, unit: CounterUnit) -> frozenset[str]:
    times = (column for column in COLUMNS_OF[stream] if column.kind is ColumnKind.TIME)
    return frozenset(counter.name for column in times for counter in column.counters if counter.unit is unit)


DEVICE_MICROSECONDS: Final = _latencies(Stream.HOST_DEVICE, CounterUnit.MICROSECONDS)
DEVICE_MILLISECONDS: Final = _latencies(Stream.HOST_DEVICE, CounterUnit.MILLISECONDS)
VM_MICROSECONDS: Final = _latencies(Stream.VM_DISK, CounterUnit.MICROSECONDS)


def _choices(stream: Stream) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Counters of the columns of one unit, each time with their alternatives, best first: exact counts before rates, µs before ms."""
    alike: dict[ColumnUnit, list[SampleColumn]] = {}
    for column in COLUMNS_OF[stream]:
        alike.setdefault(column.unit, []).append(column)
    for columns in alike.values():
        ranked = zip_longest(*((counter.name for counter in column.counters) for column in columns))
        yield tuple(tuple(name for name in names if name is not None) for names in ranked)


def choose(stream: Stream, available: Collection[str]) -> tuple[str, ...]:
    """Counters to ask for: of everything wanted the best alternative that is available at all."""
    chosen: list[str] = []
    for alternatives in _choices(stream):
        served = ([name for name in names if name in available] for names in alternatives)
        chosen += next(filter(None, served), ())
    return tuple(chosen)


def is_aggregate(key: str) -> bool:
    """Whether a counter is one of an entity as a whole."""
    return key in _AGGREGATE_KEYS


def wanted_keys() -> Iterator[str]:
    """Every counter any stream could use."""
    for stream in STREAMS:
        for column in COLUMNS_OF[stream]:
            yield from (counter.name for counter in column.counters)


_AGGREGATE_KEYS: Final = frozenset(
    counter.name for stream in AGGREGATES for column in COLUMNS_OF[stream] for counter in column.counters
)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The counters a vCenter has, as key → id."""

    ids: Mapping[str, int]

    def agrees_with(self, counters: Iterable[Any], asked: Collection[str]) -> bool:
        """Whether the asked counters, as the vCenter describes them (vim.PerfCounterInfo) now, still have these ids."""
        now = {counter.key: counter_key(counter) for counter in counters}
        return all(now.get(self.ids[key]) == key for key in asked)


def counter_key(counter: Any) -> str:
    """ "group.name.rollup" of a vim.PerfCounterInfo."""
    return f"{counter.groupInfo.key}.{counter.nameInfo.key}.{counter.rollupType}"


def catalogue(counters: Iterable[Any]) -> Catalogue:
    """The catalogue out of PerformanceManager.perfCounter."""
    return Catalogue({counter_key(counter): counter.key for counter in counters})
