"""What scopes usually take, and what the arrays behind them are set to: expectations by hour of the day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Table, select, text

from gavel.db.copying import fetch, int_array
from gavel.db.engine import Connection
from gavel.db.queries.members import MEMBERS, relation
from gavel.db.queries.refs import RefKind
from gavel.db.schema.array_side import storage_array, volume
from gavel.db.schema.bookkeeping import source
from gavel.db.schema.host_side import cluster, datastore, esxi_host, vm
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER_ROLLS
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key
from gavel.domain.source import ARRAY_SOURCES, Stream

SCOPE_TABLES: Mapping[ScopeKind, Table] = {
    ScopeKind.VM: vm,
    ScopeKind.DATASTORE: datastore,
    ScopeKind.HOST: esxi_host,
    ScopeKind.CLUSTER: cluster,
    ScopeKind.VOLUME: volume,
    ScopeKind.ARRAY: storage_array,
}

HOURS = 24
_HOUR = timedelta(hours=1)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """(n, 24) µs per I/O by hour of the day (UTC); NaN where a scope's own history is too short."""

    san_us: Floats
    array_us: Floats


@dataclass(frozen=True, slots=True)
class BackingArray:
    """`count` volumes or directories of a scope's thing are on an array of this source; `is_stretched`: on a pod of two arrays."""

    thing_id: int
    source_id: int
    is_stretched: bool
    count: int


def histories(connection: Connection, keys: Sequence[int]) -> Histories:
    """In the order of `keys`, each of which comes once."""
    found = fetch(
        connection,
        "SELECT entity_id, hour, san_us, array_us FROM expectation WHERE entity_id = ANY(CAST(:keys AS int[]))",
        {"keys": int_array(keys)},
        {"entity_id": "i8", "hour": "i8", "san_us": "f8", "array_us": "f8"},
    )
    san, array = (np.full((len(keys), HOURS), np.nan) for _ in range(2))
    wanted = np.asarray(keys, dtype=np.int64)
    order = np.argsort(wanted)
    rows = order[np.searchsorted(wanted[order], found["entity_id"])] if len(wanted) else np.empty(0, np.int64)
    san[rows, found["hour"]], array[rows, found["hour"]] = found["san_us"], found["array_us"]
    return Histories(san_us=san, array_us=array)


def array_settings(connection: Connection) -> Mapping[int, Mapping[str, Any]]:
    """Settings of every array source, by its id."""
    rows = connection.execute(select(source.c.id, source.c.settings).where(source.c.kind.in_(ARRAY_SOURCES)))
    return {row.id: row.settings for row in rows}


def backing_arrays(connection: Connection, kind: RefKind | None, ids: Sequence[int]) -> tuple[BackingArray, ...]:
    """On which arrays the things are; None is the whole environment, as thing 0."""
    rows = connection.execute(text(backing_arrays_sql(kind)), {"ids": list(ids)})
    return tuple(BackingArray(*row) for row in rows)


def backing_arrays_sql(kind: RefKind | None) -> str:
    def pairs(stream: Stream, table: str) -> str:
        if kind is None:
            return f"SELECT 0 AS subject_id, id AS entity_id FROM {table} WHERE present"
        return relation(kind, stream)

    on_volumes = (
        "SELECT m.subject_id, v.source_id, coalesce(p.array_count, 1) > 1 AS is_stretched"
        f" FROM ({pairs(Stream.ARRAY_VOLUME, 'volume')}) m"
        " JOIN volume v ON v.id = m.entity_id LEFT JOIN pod p ON p.id = v.pod_id"
    )
    parts = [on_volumes]
    if kind is None or (kind, Stream.ARRAY_DIRECTORY) in MEMBERS:
        directories = pairs(Stream.ARRAY_DIRECTORY, "array_directory")
        parts.append(
            "SELECT m.subject_id, d.source_id, false"
            f" FROM ({directories}) m JOIN array_directory d ON d.id = m.entity_id"
        )
    return f"SELECT subject_id, source_id, is_stretched, count(*) FROM ({' UNION ALL '.join(parts)}) b GROUP BY 1, 2, 3"


# --- making them ------------------------------------------------------------------------------------------------------

# Per I/O that passed the layer, from rows of five minutes that are good enough and hold enough I/Os to be judged. Each day is asked for
# by itself: rows of one hour lie scattered over all of the roll-up, and are found by scope and time only when the time is given.
_OF_GOOD = (
    "quality_reasons",
    "read_ops",
    "write_ops",
    *(f"all_{layer}_{part}" for layer in ("san", "array") for part in ("time", "ops")),
)
_GOOD = """
    SELECT entity_id, {n} AS day, all_san_time::float8 / nullif(all_san_ops, 0) AS san_us,
        all_array_time::float8 / nullif(all_array_ops, 0) AS array_us
    FROM {rows} r WHERE quality_reasons & :bad = 0 AND coalesce(read_ops, 0) + coalesce(write_ops, 0) >= :least_ops
"""
_TYPICAL = """
    INSERT INTO expectation (entity_id, hour, san_us, array_us, days, computed_at)
    SELECT k.entity_id, :hour,
        CASE WHEN count(DISTINCT day) FILTER (WHERE san_us IS NOT NULL) >= :least_days
            THEN percentile_cont(:part) WITHIN GROUP (ORDER BY san_us) END,
        CASE WHEN count(DISTINCT day) FILTER (WHERE array_us IS NOT NULL) >= :least_days
            THEN percentile_cont(:part) WITHIN GROUP (ORDER BY array_us) END,
        count(DISTINCT day), :now
    FROM unnest(CAST(:keys AS int[])) AS k (entity_id) LEFT JOIN ({good}) g ON g.entity_id = k.entity_id
    GROUP BY k.entity_id
    ON CONFLICT (entity_id, hour) DO UPDATE SET san_us = excluded.san_us, array_us = excluded.array_us,
        days = excluded.days, computed_at = excluded.computed_at
"""
_FORGET = "DELETE FROM expectation WHERE hour = :hour AND computed_at < :now"
_KEYS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Terms:
    """What counts as usual: `percentile` (0…100) over `days`, of rows without any `bad` quality reason, on `least_days` days or more."""

    percentile: float
    days: int
    least_days: int
    bad: int
    least_ops: int


def renew_expectations(connection: Connection, last_start: datetime, terms: Terms, now: datetime) -> int:
    """Compute an hour of the day anew, from the one that begins at `last_start` and the same of the days before; returns how many scopes.

    A scope without history has a row too, that says so; one that is gone has none.
    """
    keys = _scope_keys(connection)
    starts = [last_start - timedelta(days=n) for n in range(terms.days)]
    limits = {f"from{n}": start for n, start in enumerate(starts)} | {
        f"to{n}": start + _HOUR for n, start in enumerate(starts)
    }
    parameters = {
        "hour": last_start.hour,
        "bad": terms.bad,
        "least_ops": terms.least_ops,
        "least_days": terms.least_days,
        "part": terms.percentile / 100,
        "now": now,
    }
    good = " UNION ALL ".join(_GOOD.format(n=n, rows=_rows(n)) for n in range(terms.days))
    query = text(_TYPICAL.format(good=good))
    for first in range(0, len(keys), _KEYS_AT_ONCE):
        connection.execute(query, parameters | limits | {"keys": keys[first : first + _KEYS_AT_ONCE]})
    connection.execute(text(_FORGET), {"hour": last_start.hour, "now": now})
    return len(keys)


def _rows(n: int) -> str:
    """Of the hour of the n-th day."""
    lo, hi = f"CAST(:from{n} AS timestamptz)", f"CAST(:to{n} AS timestamptz) - INTERVAL '1 microsecond'"
    return packed.rows(LEDGER_ROLLS[0], _OF_GOOD, of=packed.of_any("CAST(:keys AS int[])"), lo=lo, hi=hi)


def _scope_keys(connection: Connection) -> list[int]:
    """Of everything that leaves add up to, and is there."""
    keys = [scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID)]
    for kind, table in SCOPE_TABLES.items():
        keys += [scope_key(kind, thing) for thing in connection.scalars(select(table.c.id).where(table.c.present))]
    return keys


def renewed_at(connection: Connection) -> Mapping[int, datetime]:
    """When each hour of the day was computed; hours that never were are absent."""
    rows = connection.execute(text("SELECT hour, max(computed_at) AS at FROM expectation GROUP BY hour"))
    return {row.hour: row.at for row in rows}
