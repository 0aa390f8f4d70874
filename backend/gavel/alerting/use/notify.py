"""What is to be said now, to which channel: states that have news become messages in the outbox, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from gavel.alerting.machine.grouping import Incident, LastSent, MessageGroup, plan
from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Status, plain_message
from gavel.alerting.rules.model import AlertSeverity, Subject
from gavel.alerting.use.messages import Occasion, message, sentence_of
from gavel.alerting.use.mute import matchers_of, quiet_now
from gavel.alerting.use.pictures import PICTURE_OF
from gavel.alerting.use.rule_faults import FAULTS
from gavel.alerting.use.settings import kind_of
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries import channels as channel_rows
from gavel.db.queries import notifications as outbox
from gavel.db.queries.alerts import AlertRow, alerts_by_id, open_alerts
from gavel.db.queries.channels import ChannelRow
from gavel.db.queries.notifications import LastSentRow
from gavel.db.write import alert_states
from gavel.domain.io_path import Layer
from gavel.egress.policy import OutboundPolicy
from gavel.ingest.worker import WorkerContext

log = structlog.get_logger(__name__)

_NOTIFY_LOCK = "notify"
_RANK = {AlertSeverity.INFO: 0, AlertSeverity.WARNING: 1, AlertSeverity.CRITICAL: 2}
_STATUS = {"no_data": Status.NO_DATA, "resolved": Status.RESOLVED}
# A diagnosis for each of very many alerts that fire at once would take longer than anybody reads.
_MOST_SENTENCES = 20


def enqueue_messages(context: WorkerContext) -> int:
    """Put what has news into the outbox; returns how many messages. Nothing to do for a second caller meanwhile."""
    with only_one(context.engine, _NOTIFY_LOCK) as held:
        if not held:
            return 0
        with transaction(context.engine) as connection:
            return _enqueue(connection, context.outside, context.now())


@dataclass(frozen=True, slots=True)
class DueChannel:
    """is_apart: its deliveries belong in a queue of their own."""

    channel_id: int
    is_apart: bool


def due_channels(context: WorkerContext) -> list[DueChannel]:
    """Channels that have something to deliver now."""
    with reading(context.engine) as connection:
        found = outbox.due_channels(connection, context.now())
    return [DueChannel(channel_id, kind in CHANNELS and CHANNELS[kind].is_apart) for channel_id, kind in found]


def _enqueue(connection: Connection, outside: OutboundPolicy, now: datetime) -> int:
    found = _with_sentences(connection, open_alerts(connection))
    written = 0
    for channel in channel_rows.channel_rows(connection, enabled_only=True):
        said = outbox.last_sent(connection, channel.id)
        if not found and not said:
            continue
        try:
            with connection.begin_nested():
                written += _enqueue_for_channel(connection, channel, found, said, outside, now)
        except FAULTS:
            # By what another version has stored of it, say: no reason to keep anything from the others. Its page shows it as failing.
            log.exception("no message can be made for a channel", channel=channel.name)
            channel_rows.change_channel(connection, channel.id, failures=max(channel.failures, 1))
    return written


def _enqueue_for_channel(
    connection: Connection,
    channel: ChannelRow,
    alert_rows: Sequence[AlertRow],
    sent: Sequence[LastSentRow],
    outside: OutboundPolicy,
    now: datetime,
) -> int:
    known = {row.id: row for row in alert_rows}
    over = alerts_by_id(connection, [one.alert_id for one in sent if one.alert_id not in known])
    alerts = {name_of(row.id): row for row in (*_routed(channel, alert_rows, sent), *over.values())}
    incidents = [incident_of(row) for row in alerts.values()]
    told = {name_of(one.alert_id): LastSent(Status(one.status), one.group_key, one.said_at) for one in sent}
    quiet = quiet_now(connection, alert_rows, now)
    groups = plan(incidents, told, quiet, now, apart=kind_of(channel.kind).keeps_by_key)
    for group in groups:
        _write(connection, channel, group, alerts, outside, now)
    return len(groups)


def _write(
    connection: Connection,
    channel: ChannelRow,
    group: MessageGroup,
    alerts: Mapping[str, AlertRow],
    outside: OutboundPolicy,
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
    outbox.store_last_sent(
        connection, channel.id, [LastSentRow(one, group.status.value, group.key, now) for one in ids]
    )
    log.info("message planned", channel=channel.name, event_id=event_id, status=group.status.value, alerts=len(ids))


def _with_sentences(connection: Connection, alert_rows: Sequence[AlertRow]) -> tuple[AlertRow, ...]:
    """Those that fire get their diagnosis in words, which stays with them."""
    fresh = [row for row in alert_rows if row.sentence is None][:_MOST_SENTENCES]
    if not fresh:
        return tuple(alert_rows)
    for row in fresh:
        alert_states.note_sentence(connection, row.id, sentence_of(connection, row))
    return open_alerts(connection)


def _routed(channel: ChannelRow, alert_rows: Sequence[AlertRow], sent: Sequence[LastSentRow]) -> list[AlertRow]:
    """Those routed to this channel, and those it was notified of before: they are resolved there, too."""
    begun = {one.alert_id for one in sent}
    return [row for row in alert_rows if row.id in begun or _goes_to(channel.route, row)]


def _goes_to(route: Mapping[str, Any], alert: AlertRow) -> bool:
    least = AlertSeverity(route.get("min_severity", AlertSeverity.INFO))
    if _RANK[AlertSeverity(alert.severity)] < _RANK[least]:
        return False
    return all(matcher.holds(alert.labels) for matcher in matchers_of(route.get("matchers", ())))


def incident_of(row: AlertRow) -> Incident:
    return Incident(
        incident_id=name_of(row.id),
        rule_key=row.rule_key,
        subject=Subject(row.subject),
        object_id=row.object_id,
        layer=None if row.layer is None else Layer[row.layer.upper()],
        severity=AlertSeverity(row.severity),
        status=_STATUS.get(row.state, Status.FIRING),
        excess_outstanding=row.excess_outstanding or 0.0,
        labels=dict(row.labels),
        array_down=row.array_down,
        is_acknowledged=row.acknowledged_at is not None,
    )


def name_of(alert_id: int) -> str:
    """How an alert is called outside."""
    return f"inc_{alert_id:06d}"
