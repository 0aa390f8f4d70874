"""One slab of time after the other into the database, as collection writes it; a slab that is there already is passed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import Engine
from tests.benchmarks.fill.sampling import Stretch, of_array, of_vcenter

from gavel.db.engine import reading, transaction
from gavel.db.maintenance import drop_expired, roll_dirty
from gavel.db.samples import advance_watermark, watermark, write_samples
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream
from gavel_lab.lab import Lab

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)
# As much as the model keeps solved at once on a big estate: every source of a slab reads the same minutes.
_MINUTES_PER_SLAB, _HOURS_PER_SLAB = 10, 6
# An hour is read as the mean of two of its minutes: all sixty of a month would take days to solve.
_MINUTES_OF_AN_HOUR = (17, 44)


@dataclass(frozen=True)
class Slab:
    """Samples of `interval` that end in (after, until]."""

    after: datetime
    until: datetime
    interval: timedelta

    def stretch(self) -> Stretch:
        first, last, step = (
            round(x) for x in (self.after.timestamp(), self.until.timestamp(), self.interval.total_seconds())
        )
        ends = np.arange(first + step, last + 1, step, dtype=np.int64)
        if self.interval == _MINUTE:
            spans = np.stack([ends - 60, ends], axis=1)[:, None, :]
        else:
            starts = ends[:, None] - step + 60 * np.array(_MINUTES_OF_AN_HOUR)
            spans = np.stack([starts, starts + 60], axis=2)
        return Stretch(step, ends, spans.astype(np.float64))


def slabs(now: datetime, *, hours: int, days: int) -> Iterator[Slab]:
    """Oldest first: hours of the days, then minutes of the hours up to now."""
    whole = now.replace(minute=0, second=0, microsecond=0)
    fine_from = whole - hours * _HOUR
    yield from _cut(fine_from - days * 24 * _HOUR, fine_from, _HOURS_PER_SLAB, _HOUR)
    yield from _cut(fine_from, whole if hours else fine_from, _MINUTES_PER_SLAB, _MINUTE)


def _cut(after: datetime, until: datetime, count: int, interval: timedelta) -> Iterator[Slab]:
    while after < until:
        end = min(after + count * interval, until)
        yield Slab(after, end, interval)
        after = end


class Filling:
    """`sources`: name → id of what `estate.registered` made."""

    def __init__(self, engine: Engine, lab: Lab, sources: Mapping[str, int]) -> None:
        self._engine = engine
        self._lab = lab
        self._sources = sources

    def fill(self, slab: Slab) -> int:
        """Rows written; 0 when the slab was there already."""
        stretch = slab.stretch()
        rows = 0
        for array in self._lab.estate.arrays:
            if not self._is_filled(self._sources[array.name], Stream.ARRAY_VOLUME, slab):
                rows += self._write(self._sources[array.name], of_array(self._lab, array, stretch), slab.until)
        for vcenter in self._lab.estate.vcenters:
            if not self._is_filled(self._sources[vcenter.name], Stream.HOST_DEVICE, slab):
                rows += self._write(self._sources[vcenter.name], of_vcenter(self._lab, vcenter, stretch), slab.until)
        if rows and slab.until.minute == 0:
            self._roll(slab.until)
        return rows

    def _is_filled(self, source: int, stream: Stream, slab: Slab) -> bool:
        with reading(self._engine) as connection:
            until = watermark(connection, source, stream)
        return until is not None and until >= slab.until

    def _write(self, source: int, batches: Iterator[SampleBatch], until: datetime) -> int:
        """All streams of a source in one transaction, so that a slab is there as a whole or not at all."""
        rows = 0
        with transaction(self._engine) as connection:
            for batch in batches:
                written = write_samples(connection, source, batch)
                if written.strangers:
                    raise ValueError(f"source {source}: {written.strangers[:3]} are not in the inventory")
                advance_watermark(connection, source, batch.stream, until)
                rows += written.new_rows
        return rows

    def _roll(self, at: datetime) -> None:
        """As the maintenance job did at that time: roll up, and let go of what its retention has passed."""
        then = at + 2 * _MINUTE
        roll_dirty(self._engine, then)
        drop_expired(self._engine, then)
