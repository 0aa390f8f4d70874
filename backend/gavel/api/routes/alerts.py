"""Alerts: what is open, what was, one with its story; and what keeps messages back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from gavel.api.convert_alerts import (
    Surroundings,
    alert_detail,
    alert_out,
    late_out,
    maintenance_out,
    silence_out,
)
from gavel.api.deps import AdminOnly, HouseDep, NowDep, ReaderOnly
from gavel.api.ranges import Limit, RangeDep
from gavel.api.schemas.alerts import (
    AcknowledgeIn,
    AlertDetail,
    AlertOut,
    AlertsNow,
    LateOut,
    MaintenanceBody,
    MaintenanceOut,
    SeverityName,
    SilenceChange,
    SilenceIn,
    SilenceOut,
    SubjectName,
)
from gavel.api.schemas.common import Page
from gavel.db.engine import Connection, reading, transaction
from gavel.db.queries import alerts as stored
from gavel.db.queries import notifications
from gavel.db.queries import quiet as quiet_rows
from gavel.pipeline import quieting
from gavel.pipeline.alert_objects import key_of, names_of
from gavel.pipeline.alert_present import arrays_of, newest
from gavel.pipeline.judged import judged_until

router = APIRouter(tags=["alerts"], dependencies=[ReaderOnly])

ObjectId = Annotated[int | None, Query(ge=1, lt=2**27, description="of this thing only; needs `subject`")]
Subject = Annotated[SubjectName | None, Query(description="of this kind of thing only")]


@router.get("/alerts/now")
def alerts_now(here: HouseDep, at: NowDep, subject: Subject = None, object_id: ObjectId = None) -> AlertsNow:
    """What is open, worst first, and what is about to be."""
    with reading(here.engine) as connection:
        found = stored.open_alerts(connection)
        pending = stored.pending_alerts(connection)
        around = Surroundings(quieting.quiet_now(connection, found, at), arrays_of(connection, (*found, *pending)), at)
        until = judged_until(connection)

    def mine(row: stored.AlertRow) -> bool:
        return subject in (None, row.subject) and object_id in (None, row.object_id)

    return AlertsNow(
        alerts=[alert_out(row, around) for row in found if mine(row)],
        pending=[alert_out(row, around) for row in pending if mine(row)],
        judged_until_at=until,
    )


@router.get("/alerts/history")
def alert_history(
    here: HouseDep,
    at: NowDep,
    window: RangeDep,
    search: Annotated[str, Query(max_length=200)] = "",
    severity: SeverityName | None = None,
    rule: Annotated[str | None, Query(max_length=64, description="key of a rule")] = None,
    subject: Subject = None,
    object_id: ObjectId = None,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Page[AlertOut]:
    """What was open at some moment of the range, newest first; what never fired is left out."""
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
    with reading(here.engine) as connection:
        found = stored.alert_history(connection, wanted)
        around = _around(connection, found.items, at)
    items = [alert_out(row, around) for row in found.items]
    return Page[AlertOut](items=items, total=found.total, limit=limit, offset=offset)


@router.get("/alerts/late")
def late_breaches(
    here: HouseDep, window: RangeDep, subject: Subject = None, object_id: ObjectId = None
) -> list[LateOut]:
    """Breaches that became known too late to page anybody, newest first."""
    key = key_of(subject, object_id) if subject is not None and object_id is not None else None
    with reading(here.engine) as connection:
        found = stored.late_breaches(connection, window.from_at, window.to_at, key)
        names = names_of(connection, [row.object_key for row in found])
    told = (late_out(row, names) for row in found if subject is None or row.definition.get("of") == subject)
    return [one for one in told if one is not None]


@router.get("/alerts/{alert_id}")
def one_alert(alert_id: int, here: HouseDep, at: NowDep) -> AlertDetail:
    return _detail(here, alert_id, at)


@router.post("/alerts/{alert_id}/acknowledge", dependencies=[AdminOnly])
def acknowledge_alert(alert_id: int, body: AcknowledgeIn, here: HouseDep, at: NowDep) -> AlertDetail:
    """Somebody looks after it: nothing more is said of it until it is over."""
    with transaction(here.engine) as connection:
        stored.acknowledge(connection, alert_id, body.by, body.note, at)
    return _detail(here, alert_id, at)


@router.delete("/alerts/{alert_id}/acknowledge", dependencies=[AdminOnly])
def take_back_acknowledgement(alert_id: int, here: HouseDep, at: NowDep) -> AlertDetail:
    with transaction(here.engine) as connection:
        stored.acknowledge(connection, alert_id, None, "", at)
    return _detail(here, alert_id, at)


# --- what keeps messages back -----------------------------------------------------------------------------------------


@router.get("/silences")
def silences(here: HouseDep, at: NowDep) -> list[SilenceOut]:
    """Those in force, to come, and over; the last to end comes first."""
    with reading(here.engine) as connection:
        found = stored.open_alerts(connection)
        return [silence_out(row, found, at) for row in quiet_rows.silences(connection)]


@router.post("/silences", dependencies=[AdminOnly], status_code=201)
def add_silence(body: SilenceIn, here: HouseDep, at: NowDep) -> SilenceOut:
    matchers = [one.model_dump() for one in body.matchers]
    return _silence(
        here, quieting.add_silence(here.engine, matchers, body.from_at, body.until_at, body.reason, body.by, at), at
    )


@router.patch("/silences/{silence_id}", dependencies=[AdminOnly])
def change_silence(silence_id: int, body: SilenceChange, here: HouseDep, at: NowDep) -> SilenceOut:
    with transaction(here.engine) as connection:
        quiet_rows.end_silence(connection, silence_id, max(body.until_at, at))
    return _silence(here, silence_id, at)


@router.delete("/silences/{silence_id}", dependencies=[AdminOnly], status_code=204)
def remove_silence(silence_id: int, here: HouseDep) -> None:
    with transaction(here.engine) as connection:
        quiet_rows.remove_silence(connection, silence_id)


@router.get("/maintenance-windows")
def maintenance_windows(here: HouseDep, at: NowDep) -> list[MaintenanceOut]:
    with reading(here.engine) as connection:
        return [maintenance_out(row, at) for row in quiet_rows.maintenance_windows(connection)]


@router.post("/maintenance-windows", dependencies=[AdminOnly], status_code=201)
def add_maintenance_window(body: MaintenanceBody, here: HouseDep, at: NowDep) -> MaintenanceOut:
    return _window(here, quieting.store_maintenance(here.engine, body.name, _plain(body), at), at)


@router.put("/maintenance-windows/{window_id}", dependencies=[AdminOnly])
def change_maintenance_window(window_id: int, body: MaintenanceBody, here: HouseDep, at: NowDep) -> MaintenanceOut:
    return _window(here, quieting.store_maintenance(here.engine, body.name, _plain(body), at, window_id), at)


@router.delete("/maintenance-windows/{window_id}", dependencies=[AdminOnly], status_code=204)
def remove_maintenance_window(window_id: int, here: HouseDep) -> None:
    with transaction(here.engine) as connection:
        quiet_rows.remove_maintenance(connection, window_id)


def _detail(here: HouseDep, alert_id: int, at: NowDep) -> AlertDetail:
    with reading(here.engine) as connection:
        row = stored.one_alert(connection, alert_id)
        moved = stored.transitions(connection, alert_id)
        told = notifications.of_alert(connection, alert_id)
        return alert_detail(row, _around(connection, [row], at), newest(connection, row, at), moved, told)


def _around(connection: Connection, rows: Sequence[stored.AlertRow], at: datetime) -> Surroundings:
    quiet = quieting.quiet_now(connection, stored.open_alerts(connection), at)
    return Surroundings(quiet, arrays_of(connection, rows), at)


def _silence(here: HouseDep, silence_id: int, at: NowDep) -> SilenceOut:
    with reading(here.engine) as connection:
        return silence_out(quiet_rows.silence_row(connection, silence_id), stored.open_alerts(connection), at)


def _window(here: HouseDep, window_id: int, at: NowDep) -> MaintenanceOut:
    with reading(here.engine) as connection:
        return maintenance_out(quiet_rows.maintenance_row(connection, window_id), at)


def _plain(body: MaintenanceBody) -> dict[str, object]:
    return body.model_dump(mode="json", exclude={"name"})
