"""Alerts: what is open, what was, one with its story; and what keeps messages back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from gavel.alerting.use import mute
from gavel.alerting.use.objects import key_of, names_of
from gavel.alerting.use.present import arrays_of, evaluated_until, newest
from gavel.api.convert_alerts import (
    Surroundings,
    alert_detail,
    alert_out,
    late_out,
    maintenance_out,
    silence_out,
)
from gavel.api.deps import AdminOnly, AnnouncesAlerts, AppDep, NowDep, ReaderOnly
from gavel.api.inputs import TEXT_PATTERN, Id, LongId, Search
from gavel.api.ranges import Limit, RangeDep
from gavel.api.schemas.alerts import (
    AcknowledgeIn,
    AlertDetail,
    AlertOut,
    AlertSeverityName,
    AlertsNow,
    LateOut,
    MaintenanceBody,
    MaintenanceOut,
    SilenceChange,
    SilenceIn,
    SilenceOut,
    SubjectName,
)
from gavel.api.schemas.answer import Page
from gavel.db.engine import Connection, reading, transaction
from gavel.db.queries import alerts as stored
from gavel.db.queries import notifications
from gavel.db.queries import quiet as quiet_rows

router = APIRouter(tags=["alerts"], dependencies=[ReaderOnly])

ObjectId = Annotated[int | None, Query(ge=1, lt=2**27, description="of this object only; needs `subject`")]
Subject = Annotated[SubjectName | None, Query(description="of this kind of object only")]


@router.get("/alerts/now")
def alerts_now(app: AppDep, at: NowDep, subject: Subject = None, object_id: ObjectId = None) -> AlertsNow:
    """Open alerts, worst first, and pending ones."""
    with reading(app.engine) as connection:
        found = stored.open_alerts(connection)
        pending = stored.pending_alerts(connection)
        around = Surroundings(mute.quiet_now(connection, found, at), arrays_of(connection, (*found, *pending)), at)
        until = evaluated_until(connection, at)

    def mine(row: stored.AlertRow) -> bool:
        return subject in (None, row.subject) and object_id in (None, row.object_id)

    return AlertsNow(
        alerts=[alert_out(row, around) for row in found if mine(row)],
        pending=[alert_out(row, around) for row in pending if mine(row)],
        analyzed_until_at=until,
    )


@router.get("/alerts/history")
def alert_history(
    app: AppDep,
    at: NowDep,
    window: RangeDep,
    search: Search = "",
    severity: AlertSeverityName | None = None,
    rule: Annotated[str | None, Query(max_length=64, pattern=TEXT_PATTERN, description="key of a rule")] = None,
    subject: Subject = None,
    object_id: ObjectId = None,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Page[AlertOut]:
    """Alerts that were open at some time of the range, newest first; those that never fired are left out."""
    wanted = stored.AlertQuery(
        from_at=window.from_at,
        to_at=window.to_at,
        search=search.strip(),
        severity=severity,
        rule_key=rule,
        subject=subject,
        object_id=object_id,
        limit=limit,
        offset=offset,
    )
    with reading(app.engine) as connection:
        found = stored.alert_history(connection, wanted)
        around = _around(connection, found.items, at)
    items = [alert_out(row, around) for row in found.items]
    return Page[AlertOut](items=items, total=found.total, limit=limit, offset=offset)


@router.get("/alerts/late", summary="Late Detections")
def late_breaches(app: AppDep, window: RangeDep, subject: Subject = None, object_id: ObjectId = None) -> list[LateOut]:
    """Late detections, newest first: their data arrived too late to notify."""
    key = key_of(subject, object_id) if subject is not None and object_id is not None else None
    with reading(app.engine) as connection:
        found = stored.late_breaches(connection, window.from_at, window.to_at, key)
        names = names_of(connection, [row.object_key for row in found])
    told = (late_out(row, names) for row in found if subject is None or row.definition.get("of") == subject)
    return [one for one in told if one is not None]


@router.get("/alerts/{alert_id}")
def one_alert(alert_id: LongId, app: AppDep, at: NowDep) -> AlertDetail:
    return _detail(app, alert_id, at)


@router.post("/alerts/{alert_id}/acknowledge", dependencies=[AdminOnly, AnnouncesAlerts])
def acknowledge_alert(alert_id: LongId, body: AcknowledgeIn, app: AppDep, at: NowDep) -> AlertDetail:
    """Acknowledges an alert: no further notifications until it resolves."""
    with transaction(app.engine) as connection:
        stored.acknowledge(connection, alert_id, body.by, body.note, at)
    return _detail(app, alert_id, at)


@router.delete("/alerts/{alert_id}/acknowledge", dependencies=[AdminOnly, AnnouncesAlerts])
def take_back_acknowledgement(alert_id: LongId, app: AppDep, at: NowDep) -> AlertDetail:
    with transaction(app.engine) as connection:
        stored.acknowledge(connection, alert_id, None, "", at)
    return _detail(app, alert_id, at)


# --- what keeps messages back -----------------------------------------------------------------------------------------


@router.get("/silences")
def silences(app: AppDep, at: NowDep) -> list[SilenceOut]:
    """Active, scheduled and expired ones; the last to end comes first."""
    with reading(app.engine) as connection:
        found = stored.open_alerts(connection)
        return [silence_out(row, found, at) for row in quiet_rows.silences(connection)]


@router.post("/silences", dependencies=[AdminOnly, AnnouncesAlerts], status_code=201)
def add_silence(body: SilenceIn, app: AppDep, at: NowDep) -> SilenceOut:
    matchers = [one.model_dump() for one in body.matchers]
    return _silence(
        app, mute.add_silence(app.engine, matchers, body.from_at, body.until_at, body.reason, body.by, at), at
    )


@router.patch("/silences/{silence_id}", dependencies=[AdminOnly, AnnouncesAlerts])
def change_silence(silence_id: Id, body: SilenceChange, app: AppDep, at: NowDep) -> SilenceOut:
    with transaction(app.engine) as connection:
        quiet_rows.end_silence(connection, silence_id, max(body.until_at, at))
    return _silence(app, silence_id, at)


@router.delete("/silences/{silence_id}", dependencies=[AdminOnly, AnnouncesAlerts], status_code=204)
def remove_silence(silence_id: Id, app: AppDep) -> None:
    with transaction(app.engine) as connection:
        quiet_rows.remove_silence(connection, silence_id)


@router.get("/maintenance-windows")
def maintenance_windows(app: AppDep, at: NowDep) -> list[MaintenanceOut]:
    with reading(app.engine) as connection:
        return [maintenance_out(row, at) for row in quiet_rows.maintenance_windows(connection)]


@router.post("/maintenance-windows", dependencies=[AdminOnly, AnnouncesAlerts], status_code=201)
def add_maintenance_window(body: MaintenanceBody, app: AppDep, at: NowDep) -> MaintenanceOut:
    return _window(app, mute.store_maintenance(app.engine, body.name, _plain(body), at), at)


@router.put("/maintenance-windows/{window_id}", dependencies=[AdminOnly, AnnouncesAlerts])
def change_maintenance_window(window_id: Id, body: MaintenanceBody, app: AppDep, at: NowDep) -> MaintenanceOut:
    return _window(app, mute.store_maintenance(app.engine, body.name, _plain(body), at, window_id), at)


@router.delete("/maintenance-windows/{window_id}", dependencies=[AdminOnly, AnnouncesAlerts], status_code=204)
def remove_maintenance_window(window_id: Id, app: AppDep) -> None:
    with transaction(app.engine) as connection:
        quiet_rows.remove_maintenance(connection, window_id)


def _detail(app: AppDep, alert_id: int, at: NowDep) -> AlertDetail:
    with reading(app.engine) as connection:
        row = stored.one_alert(connection, alert_id)
        moved = stored.transitions(connection, alert_id)
        told = notifications.of_alert(connection, alert_id)
        return alert_detail(row, _around(connection, [row], at), newest(connection, row, at), moved, told)


def _around(connection: Connection, rows: Sequence[stored.AlertRow], at: datetime) -> Surroundings:
    quiet = mute.quiet_now(connection, stored.open_alerts(connection), at)
    return Surroundings(quiet, arrays_of(connection, rows), at)


def _silence(app: AppDep, silence_id: int, at: NowDep) -> SilenceOut:
    with reading(app.engine) as connection:
        return silence_out(quiet_rows.silence_row(connection, silence_id), stored.open_alerts(connection), at)


def _window(app: AppDep, window_id: int, at: NowDep) -> MaintenanceOut:
    with reading(app.engine) as connection:
        return maintenance_out(quiet_rows.maintenance_row(connection, window_id), at)


def _plain(body: MaintenanceBody) -> dict[str, object]:
    return body.model_dump(mode="json", exclude={"name"})
