"""What is to be said now, to which channel: states that have news become messages in the outbox, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from gavel.alerting.grouping import Group, Incident, Said, plan
from gavel.alerting.message import Status
from gavel.alerting.message_plain import plain_message
from gavel.alerting.registry import CHANNELS
from gavel.alerting.rules import Severity, Subject
from gavel.db import alert_writing
from gavel.db.engine import Connection, reading, transaction
from gavel.db.leases import only_one
from gavel.db.queries import channels as channel_rows
from gavel.db.queries import notifications as outbox
from gavel.db.queries.alerts import AlertRow, alerts_by_id, open_alerts
from gavel.db.queries.channels import ChannelRow
from gavel.db.queries.notifications import SaidRow
from gavel.domain.io_path import Layer
from gavel.pipeline.channels import kind_of
from gavel.pipeline.outside import Outside
from gavel.pipeline.picturing import PICTURE_OF
from gavel.pipeline.quieting import matchers_of, quiet_now
from gavel.pipeline.rule_faults import FAULTS
from gavel.pipeline.wording import Occasion, message, sentence_of
from gavel.pipeline.workplace import Workplace

log = structlog.get_logger(__name__)

_TELLING = "telling"
_RANK = {Severity.INFO: 0, Severity.WARNING: 1, Severity.CRITICAL: 2}
_STATUS = {"no_data": Status.NO_DATA, "resolved": Status.RESOLVED}
# A verdict for each of very many alerts that fire at once would take longer than anybody reads.
_MOST_SENTENCES = 20


def tell(place: Workplace) -> int:
    """Put what has news into the outbox; returns how many messages. Nothing to do for a second caller meanwhile."""
    with only_one(place.engine, _TELLING) as held:
        if not held:
            return 0
        with transaction(place.engine) as connection:
            return _tell(connection, place.outside, place.now())


@dataclass(frozen=True, slots=True)
class DueChannel:
    """is_apart: its deliveries belong in a queue of their own."""

    channel_id: int
    is_apart: bool


def due_channels(place: Workplace) -> list[DueChannel]:
    """Channels that have something to deliver now."""
    with reading(place.engine) as connection:
        found = outbox.due_channels(connection, place.now())
    return [DueChannel(channel_id, kind in CHANNELS and CHANNELS[kind].is_apart) for channel_id, kind in found]


def _tell(connection: Connection, outside: Outside, now: datetime) -> int:
    found = _with_sentences(connection, open_alerts(connection))
    written = 0
    for channel in channel_rows.channel_rows(connection, enabled_only=True):
        said = outbox.said(connection, channel.id)
        if not found and not said:
            continue
        try:
            with connection.begin_nested():
                written += _tell_channel(connection, channel, found, said, outside, now)
        except FAULTS:
            # By what another version has stored of it, say: no reason to keep anything from the others. Its page shows it as failing.
            log.exception("no message can be made for a channel", channel=channel.name)
            channel_rows.change_channel(connection, channel.id, failures=max(channel.failures, 1))
    return written


def _tell_channel(
    connection: Connection,
    channel: ChannelRow,
    found: Sequence[AlertRow],
    said: Sequence[SaidRow],
    outside: Outside,
    now: datetime,
) -> int:
    known = {row.id: row for row in found}
    over = alerts_by_id(connection, [one.alert_id for one in said if one.alert_id not in known])
    alerts = {name_of(row.id): row for row in (*_routed(channel, found, said), *over.values())}
    incidents = [incident_of(row) for row in alerts.values()]
    told = {name_of(one.alert_id): Said(Status(one.status), one.group_key, one.said_at) for one in said}
    quiet = quiet_now(connection, found, now)
    groups = plan(incidents, told, quiet, now, apart=kind_of(channel.kind).keeps_by_key)
    for group in groups:
        _write(connection, channel, group, alerts, outside, now)
    return len(groups)


def _write(
    connection: Connection,
    channel: ChannelRow,
    group: Group,
    alerts: Mapping[str, AlertRow],
    outside: Outside,
    now: datetime,
) -> None:
    sequence = outbox.next_sequence(connection, channel.id, group.key)
    event_id = f"evt_{channel.id}_{group.key[:24]}_{sequence}"
    occasion = Occasion(group, alerts, event_id, sequence, now)
    ids = [alerts[one.incident_id].id for one in group.incidents]
    worded = message(connection, occasion, outside)
    outbox.add_notification(
        connection,
        event_id=event_id,
        channel_id=channel.id,
        group_key=group.key,
        sequence=sequence,
        status=group.status.value,
        message={**plain_message(worded.message), PICTURE_OF: worded.picture_of},
        alert_ids=ids,
        created_at=now,
        next_at=now,
    )
    outbox.store_said(connection, channel.id, [SaidRow(one, group.status.value, group.key, now) for one in ids])
    log.info("message planned", channel=channel.name, event_id=event_id, status=group.status.value, alerts=len(ids))


def _with_sentences(connection: Connection, found: Sequence[AlertRow]) -> tuple[AlertRow, ...]:
    """Those that fire get their verdict in words, which stays with them."""
    fresh = [row for row in found if row.sentence is None][:_MOST_SENTENCES]
    if not fresh:
        return tuple(found)
    for row in fresh:
        alert_writing.note_sentence(connection, row.id, sentence_of(connection, row))
    return open_alerts(connection)


def _routed(channel: ChannelRow, found: Sequence[AlertRow], said: Sequence[SaidRow]) -> list[AlertRow]:
    """Those that go to this channel, and those that it was told of: what was begun there is ended there."""
    begun = {one.alert_id for one in said}
    return [row for row in found if row.id in begun or _goes_to(channel.route, row)]


def _goes_to(route: Mapping[str, Any], alert: AlertRow) -> bool:
    least = Severity(route.get("min_severity", Severity.INFO))
    if _RANK[Severity(alert.severity)] < _RANK[least]:
        return False
    return all(matcher.holds(alert.labels) for matcher in matchers_of(route.get("matchers", ())))


def incident_of(row: AlertRow) -> Incident:
    return Incident(
        incident_id=name_of(row.id),
        rule_key=row.rule_key,
        subject=Subject(row.subject),
        object_id=row.object_id,
        layer=None if row.layer is None else Layer[row.layer.upper()],
        severity=Severity(row.severity),
        status=_STATUS.get(row.state, Status.FIRING),
        impact=row.impact or 0.0,
        labels=dict(row.labels),
        array_down=row.array_down,
        is_acknowledged=row.acknowledged_at is not None,
    )


def name_of(alert_id: int) -> str:
    """How an alert is called outside."""
    return f"inc_{alert_id:06d}"
