"""What is kept, for how long, and what it takes on the database's disk: by the database's own sizes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series import modes, packed, plain, timescale
from gavel.db.series.catalog import (
    DAY,
    HOUR,
    LEDGER,
    LEDGER_LEAVES,
    LEDGER_ROLLS,
    RAWS,
    ROLLS,
    SAMPLES,
    Mode,
    RawSeries,
    Roll,
)
from gavel.domain.retention import VARIABLES, Grain
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key


class KeptGrain(StrEnum):
    """`leaf_minutes`: of virtual disks and host devices; `minutes`: of all that they add up to."""

    SAMPLES = "samples"
    LEAF_MINUTES = "leaf_minutes"
    MINUTES = "minutes"
    FIVE_MINUTES = "five_minutes"
    HOURS = "hours"


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows of one grain. `keep_days`: how long they stay, by the setting `setting` or by default (`is_default`).

    `since`: start of the oldest ones; null while there is none.
    `bytes`: on the database's disk, with indexes. `bytes_a_day`: mean of the days that are there; null before the first day is over.
    `full_bytes`: size once rows of all days that are kept are there, at that growth.
    """

    grain: KeptGrain
    keep_days: float
    setting: str
    is_default: bool
    since: datetime | None
    bytes: int
    bytes_a_day: float | None
    full_bytes: float | None


_Series = Sequence[RawSeries | Roll]
_FIVE = [roll for roll in ROLLS.values() if roll.width < HOUR]
_SERIES: Mapping[KeptGrain, _Series] = {
    KeptGrain.SAMPLES: list(SAMPLES.values()),
    KeptGrain.LEAF_MINUTES: [LEDGER_LEAVES],
    KeptGrain.MINUTES: [LEDGER],
    KeptGrain.FIVE_MINUTES: _FIVE,
    KeptGrain.HOURS: [roll for roll in ROLLS.values() if roll not in _FIVE],
}
_LEDGER_SUMS: Mapping[KeptGrain, Roll] = dict(zip((KeptGrain.FIVE_MINUTES, KeptGrain.HOURS), LEDGER_ROLLS, strict=True))
# An empty partition of the coming hours is no history, and says nothing of the age of what is kept.
_PARTITIONS = text("""
    SELECT p.relname AS parent, c.relname AS name, pg_total_relation_size(c.oid) AS bytes, pg_relation_size(c.oid) > 0 AS has_rows
    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
    WHERE p.relname = ANY(CAST(:names AS text[])) AND p.relkind = 'p'
""")
_CHUNKS = text("""
    WITH named AS (
        SELECT hypertable_name AS name, hypertable_schema AS schema, hypertable_name AS hypertable
        FROM timescaledb_information.hypertables
        UNION ALL SELECT view_name, materialization_hypertable_schema, materialization_hypertable_name
        FROM timescaledb_information.continuous_aggregates)
    SELECT n.name, coalesce(hypertable_size(format('%I.%I', n.schema, n.hypertable)::regclass), 0)::bigint AS bytes,
        (SELECT min(c.range_start) FROM timescaledb_information.chunks c
            WHERE c.hypertable_schema = n.schema AND c.hypertable_name = n.hypertable) AS since
    FROM named n WHERE n.name = ANY(CAST(:names AS text[]))
""")


def kept(connection: Connection) -> list[Kept]:
    """By grain, the finest first."""
    storage = modes.storage(connection)
    found = _of_chunks(connection) if storage.mode is Mode.TIMESCALE else _of_partitions(connection)
    sizes = []
    for grain, series in _SERIES.items():
        since = _oldest(found[one.name][1] for one in series if one.name in found)
        if since is not None and grain in _LEDGER_SUMS:
            since = _begun(connection, _LEDGER_SUMS[grain], since, storage.mode)
        size = sum(found[one.name][0] for one in series if one.name in found)
        sizes.append(_sized(grain, storage, series[0].grain, since, size))
    return sizes


def _begun(connection: Connection, roll: Roll, since: datetime, mode: Mode) -> datetime:
    """When the sums of the partition that begins at `since` begin: it is of a day or weeks, and they may be hours old.

    By those of the whole environment, which has one wherever anything has.
    """
    sums = packed.rows(roll, (), of="entity_id = :key")
    key = scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID)
    width = timescale.widest_chunk(roll) if mode is Mode.TIMESCALE else roll.chunk[mode]
    limits = {"key": key, "lo": since, "hi": since + width}
    return connection.execute(text(f"SELECT min({roll.time}) FROM {sums} r"), limits).scalar_one() or since


def _sized(grain: KeptGrain, storage: modes.Storage, kept_as: Grain, since: datetime | None, size: int) -> Kept:
    # Beyond what is kept, too: after retention was shortened, older rows are there until they are dropped.
    age_days = 0.0 if since is None else (storage.now - since) / DAY
    a_day = size / age_days if age_days >= 1 else None
    keep_days = storage.keep(kept_as) / DAY
    return Kept(
        grain=grain,
        keep_days=keep_days,
        setting=VARIABLES[kept_as],
        is_default=kept_as not in storage.chosen,
        since=since,
        bytes=size,
        bytes_a_day=a_day,
        full_bytes=None if a_day is None else a_day * keep_days,
    )


def _oldest(instants: Iterable[datetime | None]) -> datetime | None:
    return min((instant for instant in instants if instant is not None), default=None)


def _of_partitions(connection: Connection) -> dict[str, tuple[int, datetime | None]]:
    """Bytes and start of the oldest partition with rows, by series; what is packed is the series' own."""
    parents: dict[str, RawSeries | Roll] = {
        **RAWS,
        **ROLLS,
        **{packed.parent(one): one for one in packed.PACKED.values()},
    }
    found: dict[str, tuple[int, datetime | None]] = {}
    for row in connection.execute(_PARTITIONS, {"names": list(parents)}):
        series = parents[row.parent]
        size, since = found.get(series.name, (0, None))
        start = plain.partition_named(series, row.name.replace(row.parent, series.name, 1)).lo if row.has_rows else None
        found[series.name] = size + row.bytes, _oldest((since, start))
    return found


def _of_chunks(connection: Connection) -> dict[str, tuple[int, datetime | None]]:
    rows = connection.execute(_CHUNKS, {"names": [*RAWS, *ROLLS]})
    return {row.name: (row.bytes, row.since) for row in rows}
