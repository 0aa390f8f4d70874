"""What of the fill is done: a schema of its own beside Gavel's tables, so that whatever ended it, it goes on from there."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Connection, Engine, text

from gavel.db.engine import transaction

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_SCHEMA = "CREATE SCHEMA IF NOT EXISTS fill"
_PLAN = """
    CREATE TABLE IF NOT EXISTS fill.plan (one boolean PRIMARY KEY DEFAULT true CHECK (one),
        days_from timestamptz NOT NULL, minutes_from timestamptz NOT NULL)
"""
_DONE = """
    CREATE TABLE IF NOT EXISTS fill.done (kind text, after timestamptz, until timestamptz NOT NULL, rows bigint NOT NULL,
        at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (kind, after))
"""


class Kind(StrEnum):
    MINUTE_SAMPLES = "samples by the minute"
    MINUTE_LEDGER = "ledger by the minute"
    DAY = "samples and ledger by the hour"


# As much as may be in memory: 20 minutes of a ledger take 2 GB. A scope's rows of them fill a page of the table, so more in one go
# would not lie any better.
_WIDTH = {Kind.MINUTE_SAMPLES: HOUR, Kind.MINUTE_LEDGER: HOUR / 3, Kind.DAY: DAY}


@dataclass(frozen=True, slots=True)
class Unit:
    """(after, until], written in one transaction: minutes of an hour, or a day of hours."""

    kind: Kind
    after: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Plan:
    """Rows an hour from `days_from`, rows a minute from `minutes_from` to `until`."""

    days_from: datetime
    minutes_from: datetime
    until: datetime


def plan(engine: Engine, now: datetime, *, hours: int, days: int) -> Plan:
    """As it was begun, up to the last whole minute."""
    first = now.replace(minute=0, second=0, microsecond=0) - hours * HOUR
    with transaction(engine) as connection:
        for statement in (_SCHEMA, _PLAN, _DONE):
            connection.exec_driver_sql(statement)
        connection.execute(
            text("INSERT INTO fill.plan (days_from, minutes_from) VALUES (:days, :minutes) ON CONFLICT DO NOTHING"),
            {"days": first - days * DAY, "minutes": first},
        )
        row = connection.execute(text("SELECT days_from, minutes_from FROM fill.plan")).one()
    return Plan(row.days_from, row.minutes_from, now.replace(second=0, microsecond=0))


def missing(engine: Engine, kind: Kind, after: datetime, until: datetime) -> list[Unit]:
    """What of (after, until] is not there, newest first; at most `_WIDTH` each, those below a day cut at the hour's limits."""
    width = _WIDTH[kind]
    with transaction(engine) as connection:
        rows = connection.execute(text("SELECT after, until FROM fill.done WHERE kind = :kind"), {"kind": kind})
        done = {row.after: row.until for row in rows}
    units = []
    while after < until:
        if after in done:
            after = done[after]
            continue
        end = min(after + width - (after - after.replace(minute=0)) % width, until)
        units.append(Unit(kind, after, end))
        after = end
    return units[::-1]


def note(connection: Connection, unit: Unit, rows: int) -> None:
    """In the transaction that writes it."""
    connection.execute(
        text("INSERT INTO fill.done (kind, after, until, rows) VALUES (:kind, :after, :until, :rows)"),
        {"kind": unit.kind, "after": unit.after, "until": unit.until, "rows": rows},
    )
