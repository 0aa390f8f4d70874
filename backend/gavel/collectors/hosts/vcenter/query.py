"""QueryPerf as raw SOAP: a request body is written once per batch of entities, and only the two times change per poll."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import ceil, floor
from typing import Final
from xml.sax.saxutils import escape

from gavel.collectors.hosts.vcenter.soap import ENVELOPE_END, ENVELOPE_START

SAMPLE_S: Final = 20
_MOST_METRIC_IDS: Final = 50_000  # a request may have 500,000 elements, and a metric id is three
_SINCE, _UNTIL = b"@since@", b"@until@"


@dataclass(frozen=True, slots=True)
class PerfQuery:
    """One QueryPerf call for some entities of a kind. `counters`: ids in the order of the columns they are decoded into."""

    entities: tuple[str, ...]
    counters: tuple[int, ...]
    template: bytes

    @property
    def columns(self) -> Mapping[int, int]:
        return {counter: column for column, counter in enumerate(self.counters)}

    def body(self, since: datetime, until: datetime) -> bytes:
        """The request for (since, until], widened to whole seconds."""
        start, end = floor(since.timestamp()), ceil(until.timestamp())
        return self.template.replace(_SINCE, _instant(start)).replace(_UNTIL, _instant(max(end, start + 1)))


def queries(
    manager: str, kind: str, entities: Sequence[str], counters: Sequence[int], *, size: int, instance: str = "*"
) -> Iterator[PerfQuery]:
    """Calls for at most `size` entities each that together ask for these counters of all of them.

    `manager`: id of the PerformanceManager.
    """
    if not counters:
        return
    size = max(1, min(size, _MOST_METRIC_IDS // len(counters)))
    for start in range(0, len(entities), size):
        part = tuple(entities[start : start + size])
        yield PerfQuery(part, tuple(counters), _template(manager, kind, dict.fromkeys(part, (instance,)), counters))


def named_queries(
    manager: str, kind: str, instances: Mapping[str, Sequence[str]], counters: Sequence[int], *, size: int
) -> Iterator[PerfQuery]:
    """The same by the names of the instances: entity → its instances."""
    part: dict[str, Sequence[str]] = {}
    room = _MOST_METRIC_IDS // max(1, len(counters))
    for entity, names in instances.items():
        if part and (len(part) >= size or sum(map(len, part.values())) + len(names) > room):
            yield PerfQuery(tuple(part), tuple(counters), _template(manager, kind, part, counters))
            part = {}
        part[entity] = names
    if part and counters:
        yield PerfQuery(tuple(part), tuple(counters), _template(manager, kind, part, counters))


def _template(manager: str, kind: str, instances: Mapping[str, Sequence[str]], counters: Sequence[int]) -> bytes:
    specs = "".join(
        f'<querySpec><entity type="{kind}">{escape(entity)}</entity>'
        f"<startTime>{_SINCE.decode()}</startTime><endTime>{_UNTIL.decode()}</endTime>"
        f"{_metrics(tuple(names), tuple(counters))}<intervalId>{SAMPLE_S}</intervalId><format>csv</format></querySpec>"
        for entity, names in instances.items()
    )
    call = f'<QueryPerf xmlns="urn:vim25"><_this type="PerformanceManager">{escape(manager)}</_this>{specs}</QueryPerf>'
    return ENVELOPE_START + call.encode() + ENVELOPE_END


@lru_cache(maxsize=4)  # most entities are asked for the same
def _metrics(names: tuple[str, ...], counters: tuple[int, ...]) -> str:
    return "".join(
        f"<metricId><counterId>{counter}</counterId><instance>{escape(name)}</instance></metricId>"
        for counter in counters
        for name in names
    )


def _instant(second: int) -> bytes:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ").encode()
