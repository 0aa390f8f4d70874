"""The declarative list of time-series tables. `plain` and `timescale` make the same relations of it; a new series is a line here."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from gavel.db.measures import Partial, partials, sample_types
from gavel.domain.source import Stream

# Bucket and partition limits are counted from a Monday, so that any width up to a week starts where people expect it.
EPOCH = datetime(2000, 1, 3, tzinfo=UTC)
# A sample is stamped with its end: one that ends on the hour belongs to the hour it measured. Its buckets are (b, b + width].
END_STAMPED = EPOCH + timedelta(microseconds=1)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Mode(StrEnum):
    PLAIN = "plain"
    TIMESCALE = "timescale"


@dataclass(frozen=True, slots=True)
class Raw:
    """Rows as they come. Key (entity_id, time). `chunk` is the width of a partition, `keep` how long rows stay, per mode."""

    name: str
    columns: Mapping[str, str]  # name → SQL type, key and time included
    chunk: Mapping[Mode, timedelta]
    keep: Mapping[Mode, timedelta]
    time: str = "ts"


@dataclass(frozen=True, slots=True)
class Roll:
    """Sums per (entity_id, bucket) of `width` over the rows of `source`, a Raw or a narrower Roll."""

    name: str
    source: str
    source_time: str
    width: timedelta
    partials: tuple[Partial, ...]
    of_raw: bool
    chunk: Mapping[Mode, timedelta]
    keep: timedelta
    origin: datetime = END_STAMPED
    time: str = "bucket"

    def aggregate(self, partial: Partial) -> str:
        return partial.of_samples if self.of_raw else partial.of_partials


def _samples(stream: Stream, *, chunk: timedelta = HOUR) -> Raw:
    return Raw(
        name=f"{stream}_sample",
        columns=sample_types(stream),
        chunk={Mode.PLAIN: chunk, Mode.TIMESCALE: 2 * HOUR},
        keep={Mode.PLAIN: timedelta(hours=48), Mode.TIMESCALE: timedelta(days=14)},
    )


def _rolls(stream: Stream) -> tuple[Roll, Roll]:
    five = Roll(
        name=f"{stream}_5m",
        source=f"{stream}_sample",
        source_time="ts",
        width=timedelta(minutes=5),
        partials=partials(stream),
        of_raw=True,
        chunk={Mode.PLAIN: DAY, Mode.TIMESCALE: DAY},
        keep=30 * DAY,
    )
    hour = Roll(
        name=f"{stream}_1h",
        source=five.name,
        source_time="bucket",
        width=HOUR,
        partials=partials(stream),
        of_raw=False,
        chunk={Mode.PLAIN: 7 * DAY, Mode.TIMESCALE: 28 * DAY},
        keep=400 * DAY,
    )
    return five, hour


ROLLED = (Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY, Stream.HOST_DEVICE, Stream.VM_DISK)

RAWS: Mapping[str, Raw] = {raw.name: raw for raw in map(_samples, Stream)}
# In order: a roll-up comes after its source.
ROLLS: Mapping[str, Roll] = {roll.name: roll for stream in ROLLED for roll in _rolls(stream)}
