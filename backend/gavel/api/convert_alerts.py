"""From what `alerting.use` and the database know of alerts to what crosses the API."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import ValidationError

from gavel.admin import channels
from gavel.alerting.use import mute, rules
from gavel.alerting.use.deliver import headline_of
from gavel.alerting.use.objects import Named
from gavel.alerting.use.present import NewestMeasure
from gavel.api.schemas.alerts import (
    AlertDetail,
    AlertMessageOut,
    AlertOut,
    AlertSubject,
    LateOut,
    MaintenanceOut,
    MatcherOut,
    RuleBody,
    RuleOut,
    SilenceOut,
)
from gavel.api.schemas.channels import ChannelOut, NotificationDetail, NotificationOut, RouteOut
from gavel.db.queries.alert_rules import RuleRow
from gavel.db.queries.alerts import AlertRow, LateRow, TransitionRow
from gavel.db.queries.channels import ChannelBacklog, ChannelRow
from gavel.db.queries.notifications import AttemptRow, NotificationRow
from gavel.db.queries.quiet import MaintenanceRow, SilenceRow
from gavel.diagnosis.stored_sentence import StoredSentence
from gavel.domain.errors import SettingsError

_SAME_IN_ALERT = (
    "id", "rule_id", "rule_key", "rule_name", "severity", "layer", "state", "since_at", "started_at", "fired_at", "ended_at",
    "value", "lower", "excess_outstanding", "peak", "peak_lower", "peak_at", "recovered_at", "runbook_url", "acknowledged_at",
    "acknowledged_by", "acknowledged_note",
)  # fmt: skip
_SAME_IN_NOTIFICATION = (
    "id", "event_id", "channel_id", "channel_name", "status", "state", "created_at", "finished_at", "attempts", "detail",
    "dead_letter_of",
)  # fmt: skip


def rule_out(row: RuleRow, open_counts: Mapping[int, int]) -> RuleOut:
    more: dict[str, Any] = {
        "id": row.id,
        "open": open_counts.get(row.id, 0),
        "created_at": row.created_at,
        "changed_at": row.changed_at,
        "error": row.error,
        "error_at": row.error_at,
    }
    try:
        rule = rules.rule_in(row)
        body = RuleBody.model_validate({**row.definition, "enabled": row.enabled})
    except (SettingsError, ValidationError) as error:
        unreadable = {"error": row.error or str(error), "error_at": row.error_at or row.changed_at}
        return RuleOut(**_what_is_readable(row), is_default=False, **{**more, **unreadable})
    return RuleOut(**body.model_dump(), is_default=rules.is_default(rule), **more)


def _what_is_readable(row: RuleRow) -> dict[str, Any]:
    """Fields of a definition that this version cannot read as a whole, without those that are wrong."""
    whole = {**row.definition, "enabled": row.enabled}
    blank = {"name": row.key, "of": "datastore", "when": []}
    try:
        RuleBody.model_validate(whole)
    except ValidationError as error:
        wrong = {one["loc"][0] for one in error.errors()}
        known = set(RuleBody.model_fields)
        return {**blank, **{name: value for name, value in whole.items() if name in known - wrong}, "key": row.key}
    return whole


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Context of alerts: why they are quiet at `at`, and the arrays they are on, by alert id."""

    quiet: mute.QuietNow
    arrays: Mapping[int, Sequence[int]]
    at: datetime


def alert_out(row: AlertRow, around: Surroundings) -> AlertOut:
    return AlertOut(**_alert_fields(row, around))


def alert_detail(
    row: AlertRow,
    around: Surroundings,
    newest: NewestMeasure | None,
    moved: Iterable[TransitionRow],
    messages: Iterable[NotificationRow],
) -> AlertDetail:
    return AlertDetail(
        **_alert_fields(row, around),
        newest=newest,
        transitions=list(moved),
        messages=[AlertMessageOut.model_validate(one) for one in messages],
    )


def _alert_fields(row: AlertRow, around: Surroundings) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in _SAME_IN_ALERT},
        "subject": {"kind": row.subject, "id": row.object_id, "name": row.object_name},
        "array_ids": list(around.arrays.get(row.id, ())),
        "path": list(row.path),
        "labels": dict(row.labels),
        # Alerts of before there were findings to alert on have none stored.
        "measure": {"finding": None, "finding_severity": None, **row.measure},
        "sentence": None if row.sentence is None else StoredSentence.parse(row.sentence),
        "quiet": mute.reason(around.quiet, row, around.at) if row.ended_at is None else None,
    }


def late_out(row: LateRow, names: Mapping[int, Named]) -> LateOut | None:
    """None for late detections of a rule that cannot be read any more: the unit of its values is unknown."""
    try:
        rule = rules.rule_from(row.definition)
    except SettingsError:
        return None
    thing = names[row.object_key]
    return LateOut(
        rule_id=row.rule_id,
        rule_key=rule.key,
        rule_name=rule.name,
        severity=rule.severity.value,
        subject=AlertSubject(kind=thing.subject.value, id=thing.id, name=thing.name),
        from_at=row.from_at,
        to_at=row.to_at,
        minutes=row.minutes,
        peak=row.peak,
        unit=rule.conditions[0].measure.unit.value,
    )


# --- what keeps messages back -----------------------------------------------------------------------------------------


def silence_out(row: SilenceRow, open_alerts: Iterable[AlertRow], at: datetime) -> SilenceOut:
    state: Literal["coming", "active", "over"] = "active"
    if not row.from_at <= at < row.until_at:
        state = "coming" if at < row.from_at else "over"
    return SilenceOut(
        id=row.id,
        matchers=[MatcherOut.model_validate(dict(one)) for one in row.matchers],
        from_at=row.from_at,
        until_at=row.until_at,
        reason=row.reason,
        by=row.made_by,
        created_at=row.created_at,
        state=state,
        matching=mute.matching(row, open_alerts),
    )


def maintenance_out(row: MaintenanceRow, at: datetime) -> MaintenanceOut:
    is_on = mute.maintenance_of(row).is_on(at)
    return MaintenanceOut(id=row.id, created_at=row.created_at, is_on=is_on, name=row.name, **row.definition)


# --- channels ---------------------------------------------------------------------------------------------------------


def channel_out(row: ChannelRow, loads: Mapping[int, ChannelBacklog]) -> ChannelOut:
    load = loads.get(row.id, ChannelBacklog())
    return ChannelOut(
        id=row.id,
        kind=row.kind,
        name=row.name,
        enabled=row.enabled,
        state=_state(row),
        settings=channels.shown_settings(row),
        secrets_set=list(row.secrets_set),
        route=RouteOut.model_validate(dict(row.route)),
        second_id=row.second_id,
        failures=row.failures,
        retry_at=row.retry_at,
        off_reason=row.off_reason,
        pending=load.pending,
        dead=load.dead,
        last_delivered_at=load.last_delivered_at,
        created_at=row.created_at,
    )


def _state(row: ChannelRow) -> Literal["ok", "failing", "off", "disabled"]:
    if not row.enabled:
        return "off" if row.off_reason else "disabled"
    return "failing" if row.failures else "ok"


def notification_out(row: NotificationRow) -> NotificationOut:
    return NotificationOut(**_notification_fields(row))


def notification_detail(row: NotificationRow, log: Sequence[AttemptRow]) -> NotificationDetail:
    return NotificationDetail(**_notification_fields(row), log=list(log))


def _notification_fields(row: NotificationRow) -> dict[str, Any]:
    return {
        **{name: getattr(row, name) for name in _SAME_IN_NOTIFICATION},
        "headline": headline_of(row.message),
        "sentence": row.message["sentence"],
        "alert_ids": list(row.alert_ids),
        "next_at": row.next_at if row.state == "pending" else None,
    }
