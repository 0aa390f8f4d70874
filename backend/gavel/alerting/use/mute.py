"""What keeps messages back just now: silences, maintenance windows and arrays that are down; and why an alert is quiet."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from gavel.alerting.machine.silences import Maintenance, Matcher, Quiet, Repeat, Silence
from gavel.db.engine import Connection, Engine, transaction
from gavel.db.queries import quiet as stored
from gavel.db.queries.alerts import AlertRow
from gavel.db.queries.quiet import MaintenanceRow, SilenceRow

# What keeps messages back at one moment.
QuietNow = Quiet


def matchers_of(plain: Iterable[Mapping[str, Any]]) -> tuple[Matcher, ...]:
    return tuple(Matcher(one["label"], one["pattern"], one.get("negated", False)) for one in plain)


def silence_of(row: SilenceRow) -> Silence:
    return Silence(
        silence_id=str(row.id),
        matchers=matchers_of(row.matchers),
        from_at=row.from_at,
        until_at=row.until_at,
        reason=row.reason,
        by=row.made_by,
    )


def maintenance_of(row: MaintenanceRow) -> Maintenance:
    return _maintenance(str(row.id), row.name, row.definition)


def quiet_now(connection: Connection, alerts: Iterable[AlertRow], now: datetime) -> Quiet:
    """alerts: the open ones, of which some may say that an array is down."""
    return Quiet(
        tuple(silence_of(row) for row in stored.silences(connection, ending_after=now)),
        tuple(maintenance_of(row) for row in stored.maintenance_windows(connection)),
        frozenset(one.array_down for one in alerts if one.array_down and one.ended_at is None),
    )


def reason(quiet: Quiet, alert: AlertRow, now: datetime) -> str | None:
    """Why nothing is said of it; None: it is said."""
    return quiet.reason(alert.labels, now, says_down=alert.array_down is not None)


def matching(silence: SilenceRow, alerts: Iterable[AlertRow]) -> int:
    """How many of these its matchers hold for, whenever it is in force."""
    found = matchers_of(silence.matchers)
    return sum(all(matcher.holds(one.labels) for matcher in found) for one in alerts)


def add_silence(
    engine: Engine,
    matchers: Sequence[Mapping[str, Any]],
    from_at: datetime | None,
    until_at: datetime,
    reason: str,
    by: str,
    now: datetime,
) -> int:
    """Its id. Raises SettingsError."""
    begins = from_at or now
    # Made once, so that what it refuses is refused here.
    Silence(silence_id="", matchers=matchers_of(matchers), from_at=begins, until_at=until_at, reason=reason, by=by)
    with transaction(engine) as connection:
        return stored.add_silence(
            connection,
            matchers=[dict(one) for one in matchers],
            from_at=begins,
            until_at=until_at,
            reason=reason,
            made_by=by,
            created_at=now,
        )


def store_maintenance(
    engine: Engine, name: str, definition: Mapping[str, Any], now: datetime, window_id: int | None = None
) -> int:
    """Its id. Raises SettingsError, NotFoundError."""
    _maintenance("", name, definition)
    with transaction(engine) as connection:
        return stored.store_maintenance(connection, name, definition, now, window_id)


def _maintenance(window_id: str, name: str, plain: Mapping[str, Any]) -> Maintenance:
    last_day = plain["last_day"]
    return Maintenance(
        window_id=window_id,
        name=name,
        first_day=date.fromisoformat(plain["first_day"]),
        starts=time.fromisoformat(plain["starts"]),
        lasts=timedelta(minutes=plain["lasts_min"]),
        zone=plain["zone"],
        repeat=Repeat(plain["repeat"]),
        weekdays=frozenset(plain["weekdays"]),
        last_day=date.fromisoformat(last_day) if last_day else None,
        matchers=matchers_of(plain["matchers"]),
    )
