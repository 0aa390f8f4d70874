"""The declarative list of time-series tables. `plain` and `timescale` make the same relations of it; a new series is a line here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import chain

from gavel.db.series import ledger_columns
from gavel.db.series.measures import COMMON, Partial, partials, sample_types
from gavel.domain.retention import Grain
from gavel.domain.source import Stream
from gavel.domain.streams import ROLL_UPS

# Bucket and partition limits are counted from a Monday, so that any width up to a week starts where people expect it.
EPOCH = datetime(2000, 1, 3, tzinfo=UTC)
# A sample is stamped with its end: one that ends on the hour belongs to the hour it measured. Its buckets are (b, b + width].
END_STAMPED = EPOCH + timedelta(microseconds=1)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Mode(StrEnum):
    PLAIN = "plain"
    TIMESCALE = "timescale"


# How long rows of a grain stay where the operator says nothing else (`modes.Storage`).
DEFAULT_KEEP: Mapping[Mode, Mapping[Grain, timedelta]] = {
    Mode.PLAIN: {Grain.SAMPLES: 2 * DAY, Grain.MINUTES: 8 * DAY, Grain.FIVE_MINUTES: 30 * DAY, Grain.HOURS: 400 * DAY},
    Mode.TIMESCALE: {
        Grain.SAMPLES: 14 * DAY, Grain.MINUTES: 8 * DAY, Grain.FIVE_MINUTES: 30 * DAY, Grain.HOURS: 400 * DAY
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RawSeries:
    """Rows as they come. Key (entity_id, time). `chunk` is the width of a partition, per mode."""

    name: str
    columns: Mapping[str, str]  # name → SQL type, key and time included
    chunk: Mapping[Mode, timedelta]
    grain: Grain
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
    grain: Grain
    origin: datetime
    time: str = "bucket"

    def aggregate(self, partial: Partial) -> str:
        return partial.of_samples if self.of_raw else partial.of_partials


def _samples(stream: Stream, *, chunk: timedelta = HOUR) -> RawSeries:
    return RawSeries(
        name=f"{stream}_sample",
        columns=sample_types(stream),
        chunk={Mode.PLAIN: chunk, Mode.TIMESCALE: 6 * HOUR},
        grain=Grain.SAMPLES,
    )


def _ledger(name: str, grain: Grain, *, chunk: timedelta) -> RawSeries:
    return RawSeries(name, ledger_columns.TYPES, chunk={Mode.PLAIN: HOUR, Mode.TIMESCALE: chunk}, grain=grain)


def _rolls(name: str, raw: RawSeries, parts: tuple[Partial, ...], origin: datetime) -> tuple[Roll, Roll]:
    five = Roll(
        name=f"{name}_5m",
        source=raw.name,
        source_time=raw.time,
        width=timedelta(minutes=5),
        partials=parts,
        of_raw=True,
        chunk={Mode.PLAIN: DAY, Mode.TIMESCALE: DAY},
        grain=Grain.FIVE_MINUTES,
        origin=origin,
    )
    hour = Roll(
        name=f"{name}_1h",
        source=five.name,
        source_time=five.time,
        width=HOUR,
        partials=parts,
        of_raw=False,
        chunk={Mode.PLAIN: 7 * DAY, Mode.TIMESCALE: 7 * DAY},
        grain=Grain.HOURS,
        origin=origin,
    )
    return five, hour


ROLLED = tuple(ROLL_UPS)
SAMPLES: Mapping[Stream, RawSeries] = {stream: _samples(stream) for stream in Stream}
# Minutes of the ledger, stamped with their start: of leaves (virtual disks, devices of hosts), and of all that they add up to.
LEDGER_LEAVES = _ledger("ledger_leaf_1m", Grain.SAMPLES, chunk=6 * HOUR)
LEDGER = _ledger("ledger_1m", Grain.MINUTES, chunk=8 * HOUR)
LEDGER_ROLLS = _rolls("ledger", LEDGER, ledger_columns.PARTIALS, EPOCH)
# By the width of the roll-up whose buckets they tell more of. Apart from them: a continuous aggregate takes no new column.
LEDGER_MEASURED = {
    roll.width: roll for roll in _rolls("ledger_measured", LEDGER, ledger_columns.MEASURED_PARTIALS, EPOCH)
}

RAWS: Mapping[str, RawSeries] = {raw.name: raw for raw in (*SAMPLES.values(), LEDGER_LEAVES, LEDGER)}


def _sample_rolls(stream: Stream) -> Iterator[Roll]:
    """The first pair also keeps what is common to all columns of a row."""
    for number, (name, columns) in enumerate(ROLL_UPS[stream].items()):
        parts = (*(COMMON if number == 0 else ()), *partials(columns))
        yield from _rolls(name, SAMPLES[stream], parts, END_STAMPED)


# Those of each width together: the first one has a row for every bucket, the others are read beside it.
SAMPLE_ROLLS: Mapping[Stream, tuple[Roll, ...]] = {stream: tuple(_sample_rolls(stream)) for stream in ROLLED}
# In order: a roll-up comes after its source.
ROLLS: Mapping[str, Roll] = {
    roll.name: roll for roll in (*chain(*SAMPLE_ROLLS.values()), *LEDGER_ROLLS, *LEDGER_MEASURED.values())
}
