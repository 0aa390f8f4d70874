"""What the fill does otherwise on TimescaleDB: sums are refreshed, and those that come ready go to where a refresh leaves them."""

import time
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from gavel.db.engine import transaction
from gavel.db.series import modes
from gavel.db.series.catalog import Mode, Roll

_MATERIALIZED = text("""
    SELECT format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name)
    FROM timescaledb_information.continuous_aggregates WHERE view_name = :name
""")
_ANOTHER_REFRESH = "55P03"
_TRIES, _BETWEEN_S = 120, 0.5


def mode_of(engine: Engine) -> Mode:
    with transaction(engine) as connection:
        return modes.stored(connection)


def materialized(connection: Connection, roll: Roll) -> str:
    """The table behind a continuous aggregate. Rows stay in it where their times were refreshed before and no source row changes after."""
    return str(connection.execute(_MATERIALIZED, {"name": roll.name}).scalar_one())


def refresh(engine: Engine, rolls: Iterable[Roll], until: datetime) -> None:
    """Sums of all that was written before `until`, as policies make them; waits for a policy that is at it."""
    for roll in rolls:
        for left in reversed(range(_TRIES)):
            if _refreshed(engine, roll, until, may_wait=left > 0):
                break
            time.sleep(_BETWEEN_S)


def _refreshed(engine: Engine, roll: Roll, until: datetime, *, may_wait: bool) -> bool:
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("SET statement_timeout = 0")
            connection.exec_driver_sql(f"CALL refresh_continuous_aggregate('{roll.name}', NULL, '{until.isoformat()}')")
            connection.exec_driver_sql("RESET statement_timeout")
    except OperationalError as error:
        if may_wait and getattr(error.orig, "sqlstate", None) == _ANOTHER_REFRESH:
            return False
        raise
    return True
