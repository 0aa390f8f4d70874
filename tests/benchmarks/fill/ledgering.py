"""The ledger of the filled samples: attributed as correlation does it, written in the order of its key."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine
from tests.benchmarks.fill.columnstore import materialized

from gavel.analysis.gridded import Stretch
from gavel.analysis.minutes import Attribution, attributed
from gavel.analysis.observed import Observed, Times
from gavel.correlate.counters import find_mirroring, note_evidence, proofs
from gavel.correlate.samples import _REACH, _SLITS, Offsets, observed, offsets
from gavel.correlate.topology import Environment, environment
from gavel.db import copying
from gavel.db.copying import Field, Numbers
from gavel.db.engine import transaction
from gavel.db.queries import correlation as ask
from gavel.db.queries.clocks import clocks_around
from gavel.db.series import ledger_columns, modes, partitions, plain
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, LEDGER_ROLLS, Mode, RawSeries
from gavel.db.series.room import make_room, note_rows
from gavel.db.write.ledger import _FIELDS, FIRST_PARENT, _columns, stored
from gavel.domain.ledger import joined
from gavel.domain.samples import Int64Array
from gavel.domain.source import GRAIN_S, Stream

_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)
_MINUTES_OF_AN_HOUR = 60
_US = 1_000_000
_MINUTE_US = 60 * _US
_SIDES = {
    "devices": Stream.HOST_DEVICE,
    "disks": Stream.VM_DISK,
    "volumes": Stream.ARRAY_VOLUME,
    "directories": Stream.ARRAY_DIRECTORY,
}
_ROWS_PER_COPY = 250_000
_CLOCKS_BEFORE, _CLOCKS_AFTER = timedelta(days=2), timedelta(minutes=5)

_Columns = Mapping[str, Numbers]


def learn(engine: Engine, since: datetime, until: datetime, now: datetime) -> None:
    """What minutes prove of counters and pods, before all others are written with it."""
    with transaction(engine) as connection:
        found, shifts = _then(connection, since, until)
        seen = observed(connection, found, shifts, proofs(connection, found), since, until)
        for minute in _minutes(since, (until - since) // _MINUTE):
            attribution = attributed(found.topology, _around(seen, minute), minute)
            note_evidence(connection, found, attribution.evidence, now)
            if find_mirroring(connection, found, attribution.mirroring, now):
                found, shifts = _then(connection, since, until)


def write_minutes(connection: Connection, since: datetime, until: datetime) -> int:
    """The ledger's minutes [since, until), within the caller's transaction; returns how many rows."""
    found, shifts = _then(connection, since, until)
    seen = observed(connection, found, shifts, proofs(connection, found), since, until)
    columns = _attributed(found, seen, since, (until - since) // _MINUTE)
    leaves = int(np.searchsorted(columns["entity_id"], FIRST_PARENT))
    for series, rows in ((LEDGER_LEAVES, slice(leaves)), (LEDGER, slice(leaves, None))):
        _copy_minutes(connection, series, {name: column[rows] for name, column in columns.items()})
    return len(columns["ts"])


def write_hours(connection: Connection, since: datetime, until: datetime) -> int:
    """Hours of `ledger_1h` from samples of an hour each: each attributed as a minute of the same means, then 60 times as much."""
    found, shifts = _then(connection, since, until)
    seen = observed(connection, found, shifts, proofs(connection, found), since, until)
    columns = _attributed(found, _hours_as_minutes(seen, since), since, (until - since) // _HOUR)
    parents = columns["entity_id"] >= FIRST_PARENT
    columns = {name: column[parents] for name, column in columns.items()}
    for name in ledger_columns.REALS:
        if name not in ledger_columns.WORST:
            columns[name] = columns[name] * np.float32(_MINUTES_OF_AN_HOUR)
    begin_us = _us(since)
    columns["ts"] = begin_us + (columns["ts"] - begin_us) * _MINUTES_OF_AN_HOUR
    _copy_hours(connection, columns, since, until)
    return len(columns["ts"])


def _attributed(found: Environment, seen: Observed, since: datetime, minutes: int) -> dict[str, Numbers]:
    """The columns of all rows, in key order. A minute at a time: several at once take more CPU each, as none fits a cache any more."""
    parts = [
        _columns_of(found, attributed(found.topology, _around(seen, minute), minute))
        for minute in _minutes(since, minutes)
    ]
    keys, stamps = (np.concatenate([part[name] for part in parts]) for name in ("entity_id", "ts"))
    order = np.lexsort((stamps, keys))
    return {name: np.concatenate([part[name] for part in parts])[order] for name in parts[0]}


def _then(connection: Connection, since: datetime, until: datetime) -> tuple[Environment, Offsets]:
    things = ask.things(connection, since, until)
    found = environment(things, ask.directory_arrays(connection), ask.mirrored_on_both(connection))
    return found, offsets(found, clocks_around(connection, since - _CLOCKS_BEFORE, until + _CLOCKS_AFTER))


def _minutes(since: datetime, count: int) -> list[Stretch]:
    first = round(since.timestamp()) // 60
    return [Stretch(number, 1) for number in range(first, first + count)]


def _around(seen: Observed, minute: Stretch) -> Observed:
    """The samples that have a say in a minute, as many as correlation reads of it."""
    begin_us = minute.first * _MINUTE_US
    sides = {}
    for name, stream in _SIDES.items():
        side, reach = getattr(seen, name), round((_REACH * GRAIN_S[stream] + _SLITS.total_seconds()) * _US)
        ends = side.times.end_us - side.times.offset_us
        index = np.flatnonzero((ends > begin_us - reach) & (ends <= begin_us + _MINUTE_US + reach))
        sides[name] = _picked(replace(side, times=_picked(side.times, index)), index)
    return replace(seen, **sides)


def _picked(side: Any, index: Int64Array) -> Any:
    columns = {field.name: getattr(side, field.name) for field in fields(side)}
    return replace(side, **{name: column[index] for name, column in columns.items() if isinstance(column, np.ndarray)})


def _hours_as_minutes(seen: Observed, first: datetime) -> Observed:
    """Samples of an hour after `first`, moved together to a minute each, with a sixtieth of what was counted: every mean stays."""
    begin_us = _us(first)

    def shrunk(times: Times) -> Times:
        end_us = begin_us + (times.end_us - begin_us) // _MINUTES_OF_AN_HOUR
        return replace(times, end_us=end_us, length_us=times.length_us // _MINUTES_OF_AN_HOUR)

    sides = {}
    for name in _SIDES:
        side = getattr(seen, name)
        counted = {what: getattr(side, what) / _MINUTES_OF_AN_HOUR for what in ("ops", "bytes")}
        sides[name] = replace(side, times=shrunk(side.times), **counted)
    return replace(seen, **sides)


def _columns_of(found: Environment, attribution: Attribution) -> dict[str, Numbers]:
    kinds = attribution.rows.items()
    keys = np.concatenate([found.keys(kind, rows.thing) for kind, rows in kinds])
    minutes = np.concatenate([rows.minute for _, rows in kinds]) * _MINUTE_US
    rows, notes = joined([rows.rows for _, rows in kinds]), joined([rows.notes for _, rows in kinds])
    return _columns(minutes, keys, rows, notes, np.lexsort((minutes, keys)))


def _copy_minutes(connection: Connection, series: RawSeries, columns: _Columns) -> None:
    if len(columns["ts"]):
        stamps = np.asarray(columns["ts"]).astype(np.int64)
        mode = modes.stored(connection)
        make_room(connection, mode, series, stamps)
        note_rows(connection, mode, series, int(stamps.min()), int(stamps.max()))
        _copy(connection, series.name, _FIELDS, stored(mode, columns))


def _copy_hours(connection: Connection, columns: dict[str, Numbers], since: datetime, until: datetime) -> None:
    """Roll-ups hold the ops of every part in full, and how many minutes they are of."""
    hour = LEDGER_ROLLS[1]
    if modes.stored(connection) is Mode.TIMESCALE:
        table = materialized(connection, hour)
    else:
        table = hour.name
        partitions.ensure(connection.engine, hour, list(plain.partitions_between(hour, since, until)))
    ops = {"read": columns["read_ops"], "write": columns["write_ops"]}
    ops["all"] = np.nan_to_num(ops["read"]) + np.nan_to_num(ops["write"])
    whole = {name: column for name, column in columns.items() if name != "ts"}
    for name in ledger_columns.REALS:
        if ledger_columns.whole_ops(name) is not None:
            time = columns[name.removesuffix("ops") + "time"]
            stands_for_all = np.isnan(columns[name]) & ~np.isnan(time)
            whole[name] = np.where(stands_for_all, np.nan_to_num(ops[name.split("_", 1)[0]]), columns[name])
    whole |= {"bucket": columns["ts"], "minutes": np.full(len(columns["ts"]), _MINUTES_OF_AN_HOUR, dtype=np.int64)}
    fields = [Field("bucket", "timestamptz"), Field("entity_id", "integer")]
    fields += [Field(partial.name, partial.sql_type) for partial in hour.partials]
    _copy(connection, table, fields, whole)


def _copy(connection: Connection, table: str, fields: list[Field] | tuple[Field, ...], columns: _Columns) -> None:
    count = len(columns["entity_id"])
    for start in range(0, count, _ROWS_PER_COPY):
        rows = {field.name: columns[field.name][start : start + _ROWS_PER_COPY] for field in fields}
        measured = [field for field in fields if not field.absent(rows[field.name]).all()]
        copying.copy(connection, table, measured, copying.pack(measured, rows))


def _us(at: datetime) -> int:
    return round(at.timestamp()) * _US
