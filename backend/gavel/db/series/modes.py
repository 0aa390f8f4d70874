"""Which of the two storage modes this database is in, decided once by the first migration, and how long it keeps rows of each grain."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, select, text

from gavel import clock
from gavel.db.errors import SchemaError
from gavel.db.schema.bookkeeping import storage_mode
from gavel.db.series import packed
from gavel.db.series.catalog import DEFAULT_KEEP, LEDGER, LEDGER_LEAVES, Mode
from gavel.domain.retention import Grain

_EXTENSION = text("SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'")
_LICENSE = text("SELECT current_setting('timescaledb.license', true)")
_NOW = "CAST(:now AS timestamptz)"
# An hour is packed two hours after its end (`maintenance.PACK_AFTER`); that none of the last three was is looked up, since a clock may have
# been wrong.
_LEDGERS = ", ".join(f"'{packed.parent(series)}'" for series in (LEDGER, LEDGER_LEAVES))
_UNPACKED_SINCE = f"""(
    SELECT CASE WHEN bool_or(to_regclass(name) IS NOT NULL) THEN NULL ELSE min(hour) END FROM (
        SELECT hour, unnest(ARRAY[{_LEDGERS}]) || to_char(hour AT TIME ZONE 'UTC', '"_"YYYYMMDD"t"HH24') AS name
        FROM generate_series(
            date_trunc('hour', {_NOW}, 'UTC') - INTERVAL '2 hours', {_NOW} + INTERVAL '1 hour', INTERVAL '1 hour') hour) hours
    ) AS unpacked_since"""
# Columns of a question that has `FROM … LEFT JOIN storage_mode ON true`, for `storage_of`. It binds `now`.
STORAGE = ", ".join(
    (
        "mode",
        *(f"keep_{grain}" for grain in Grain),
        *(f"{grain}_from" for grain in Grain),
        f"{_NOW} AS now",
        _UNPACKED_SINCE,
    )
)
_STORAGE = text(f"SELECT {STORAGE} FROM (SELECT) once LEFT JOIN storage_mode ON true")


@dataclass(frozen=True, slots=True)
class Storage:
    """What is kept at `now`.

    chosen: lengths that the operator set; a grain that is missing has the default of the mode. whole_from: before it rows of a grain may
    have gone under a shorter retention; a grain that is missing was never lengthened. unpacked_since: minutes of the ledger from then on
    are rows, none is packed; None where one of the last hours is packed.
    """

    mode: Mode
    now: datetime
    chosen: Mapping[Grain, timedelta]
    whole_from: Mapping[Grain, datetime]
    unpacked_since: datetime | None = None

    def keep(self, grain: Grain) -> timedelta:
        """How long rows stay."""
        return self.chosen.get(grain, DEFAULT_KEEP[self.mode][grain])

    def since(self, grain: Grain, now: datetime | None = None) -> datetime:
        """Rows from then on are all there; older ones may have gone. now: instead of the instant of the question."""
        kept = (now or self.now) - self.keep(grain)
        return max(kept, self.whole_from.get(grain, kept))

    def whole_since(self, now: datetime) -> datetime:
        """Samples and minutes from then on are all there: a minute can be attributed again."""
        return max(self.since(grain, now) for grain in (Grain.SAMPLES, Grain.MINUTES))

    def pruned(self, sql: str, lo: datetime) -> str:
        """A question for minutes of the ledger from `lo` on, without what it asks of packed ones where there are none: planning that half
        takes several times as long as all the rest."""
        is_unpacked = self.unpacked_since is not None and lo >= self.unpacked_since
        return packed.without_packed(sql) if is_unpacked else sql


def detect(connection: Connection) -> Mode:
    """What this server offers. The Apache-licensed build has neither columnstore nor continuous aggregates: that is plain."""
    if connection.scalar(_EXTENSION) is None:
        return Mode.PLAIN
    return Mode.TIMESCALE if connection.scalar(_LICENSE) == "timescale" else Mode.PLAIN


def stored(connection: Connection) -> Mode:
    """Raises SchemaError when the schema was never made."""
    return required(connection.scalar(select(storage_mode.c.mode)))


def storage(connection: Connection) -> Storage:
    """Raises SchemaError when the schema was never made."""
    return storage_of(connection.execute(_STORAGE, {"now": clock.now()}).one())


def storage_of(row: Row[Any]) -> Storage:
    """Of a row with the columns `STORAGE`. Raises SchemaError when the schema was never made."""
    keep = {grain: getattr(row, f"keep_{grain}") for grain in Grain}
    whole_from = {grain: getattr(row, f"{grain}_from") for grain in Grain}
    return Storage(
        mode=required(row.mode),
        now=row.now,
        chosen={grain: length for grain, length in keep.items() if length is not None},
        whole_from={grain: at for grain, at in whole_from.items() if at is not None},
        unpacked_since=row.unpacked_since,
    )


def required(mode: str | None) -> Mode:
    """Raises SchemaError where there is none."""
    if mode is None:
        raise SchemaError("The database has no storage mode: it was not migrated. Run `gavel db migrate`.")
    return Mode(mode)


def mismatch(connection: Connection) -> str | None:
    """Why the stored mode does not fit the server, or None. A plain schema works on any server."""
    if stored(connection) is Mode.TIMESCALE and detect(connection) is Mode.PLAIN:
        return (
            "The schema was made for TimescaleDB, but this server does not offer it (extension missing, or license not 'timescale'). "
            "Start the server it was made on, or import an export into a fresh database."
        )
    return None
