"""Units of the fill into the database, each in one transaction, by the writers of collection and correlation."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np
from sqlalchemy import Connection, Engine, text
from tests.benchmarks.fill.columnstore import mode_of, refresh
from tests.benchmarks.fill.environment import Size
from tests.benchmarks.fill.journal import HOUR, Kind, Unit, note
from tests.benchmarks.fill.ledgering import write_hours, write_minutes
from tests.benchmarks.fill.sampling import Stretch, of_array, of_vcenter

from gavel.db.engine import transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.series import packed, partitions, plain
from gavel.db.series.catalog import LEDGER_ROLLS, ROLLED, ROLLS, SAMPLE_ROLLS, SAMPLES, Mode, Roll
from gavel.db.series.maintenance import roll_dirty
from gavel.db.write.samples import write_samples
from gavel.domain.source import ClockReading
from gavel_lab.lab import Lab

_MINUTE, _TICK = timedelta(minutes=1), timedelta(microseconds=1)
# An hour is read as the mean of two of its minutes: all sixty of a month would take hours to solve.
_MINUTES_OF_AN_HOUR = (17, 44)
# Sources stamp with the model's own time here: no clock is off, and each was read so well.
_CLOCK_ERROR_S = 0.05


@dataclass(frozen=True)
class Filling:
    """`sources`: name → id of what `environment.registered` made. `until`: the roll-ups are made of what is before."""

    engine: Engine
    lab: Lab
    size: Size
    sources: Mapping[str, int]
    until: datetime

    def fill(self, unit: Unit) -> int:
        """Rows written."""
        work = {
            Kind.MINUTE_SAMPLES: self._minute_samples,
            Kind.MINUTE_LEDGER: lambda connection, one: write_minutes(connection, one.after, one.until),
            Kind.DAY: self._day,
        }[unit.kind]
        if self.mode is Mode.TIMESCALE and unit.kind is Kind.DAY:
            # Before the ready sums of its times are there: those would go with the first refresh.
            refresh(self.engine, LEDGER_ROLLS, unit.until)
        with transaction(self.engine) as connection:
            # A unit is many minutes' work, most of it between two statements.
            for limit in ("statement_timeout", "idle_in_transaction_session_timeout"):
                connection.exec_driver_sql(f"SET LOCAL {limit} = 0")
            rows = work(connection, unit)
            note(connection, unit, rows)
        if unit.kind is not Kind.DAY:
            roll_dirty(self.engine, self.until + 2 * _MINUTE)
        return rows

    @cached_property
    def mode(self) -> Mode:
        return mode_of(self.engine)

    def _minute_samples(self, connection: Connection, unit: Unit) -> int:
        ends = _ends(unit, _MINUTE)
        spans = np.stack([ends - 60, ends], axis=1)[:, None, :]
        return self._samples(connection, unit, Stretch(60, ends, spans.astype(np.float64)))

    def _day(self, connection: Connection, unit: Unit) -> int:
        """The samples are let go of as soon as what is made of them is there: theirs is a retention of 48 hours."""
        ends = _ends(unit, HOUR)
        starts = ends[:, None] - 3600 + 60 * np.array(_MINUTES_OF_AN_HOUR)
        spans = np.stack([starts, starts + 60], axis=2)
        rows = self._samples(connection, unit, Stretch(3600, ends, spans.astype(np.float64)))
        if self.mode is Mode.TIMESCALE:
            # Their sums are made of them in the end; until they are as old as samples get, they stay.
            return rows + write_hours(connection, unit.after, unit.until)
        for rolls in SAMPLE_ROLLS.values():
            for roll in rolls:
                rows += self._roll_hours(connection, roll, unit) if roll.width == HOUR else 0
        rows += write_hours(connection, unit.after, unit.until)
        for stream in ROLLED:
            # What ended with the day lies in the partition of what comes after it.
            connection.execute(
                text(f"DELETE FROM {SAMPLES[stream].name} WHERE ts = :until AND interval_s = 3600"),
                {"until": unit.until},
            )
        # Nothing is to be made of rows that are gone.
        connection.execute(
            text("DELETE FROM dirty_window WHERE kind = 'roll' AND lo >= :after AND hi <= :until"),
            {"after": unit.after, "until": unit.until},
        )
        return rows

    def _samples(self, connection: Connection, unit: Unit, stretch: Stretch) -> int:
        rows = 0
        streams = [(array.name, of_array(self.lab, array, stretch)) for array in self.lab.environment.arrays]
        streams += [(vcenter.name, of_vcenter(self.lab, vcenter, stretch)) for vcenter in self.lab.environment.vcenters]
        for name, batches in streams:
            source = self.sources[name]
            record_clocks(connection, source, [ClockReading(None, 0.0, _CLOCK_ERROR_S, unit.after)])
            for batch in batches:
                written = write_samples(connection, source, batch)
                if written.unknown_keys:
                    raise ValueError(f"{name}: {written.unknown_keys[:3]} are not in the inventory")
                rows += written.new_rows
        return rows

    def _roll_hours(self, connection: Connection, roll: Roll, unit: Unit) -> int:
        """Straight to hours, with the product's own sums: rows of 5 minutes would hold nothing else."""
        source = next(raw for raw in SAMPLES.values() if raw.name == ROLLS[roll.source].source)
        direct = replace(roll, source=source.name, source_time=source.time, of_raw=True)
        lo, hi = unit.after + _TICK, unit.until + _TICK
        partitions.ensure(self.engine, roll, list(plain.partitions_between(roll, unit.after, unit.until)))
        return connection.exec_driver_sql(packed.roll_window(direct, lo, hi)).rowcount


def _ends(unit: Unit, width: timedelta) -> np.ndarray:
    first, last, step = (round(x) for x in (unit.after.timestamp(), unit.until.timestamp(), width.total_seconds()))
    return np.arange(first + step, last + 1, step, dtype=np.int64)
