"""Delivery of one channel's messages: one at a time, newest state only, retried with patience, and never lost without a word."""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from gavel.alerting.contract import ChannelKind, ChannelSettings, Receipt, logged
from gavel.alerting.render.message import Message, MessageLink, Picture, Status, headline, message_of
from gavel.alerting.rules.model import AlertSeverity
from gavel.alerting.transport.outcome import Outcome, Result, next_wait_s
from gavel.alerting.transport.rate import held, pace_of, plain_pace, taken
from gavel.alerting.transport.wire import Transport
from gavel.alerting.use.pictures import Drawing, linked_picture, load_drawing
from gavel.alerting.use.settings import full_settings, kind_of
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import one_of, only_one
from gavel.db.queries import channels as stored
from gavel.db.queries import notifications as outbox
from gavel.db.queries.channels import ChannelRow
from gavel.db.queries.notifications import NotificationRow
from gavel.domain.errors import SettingsError
from gavel.egress.policy import OutboundPolicy
from gavel.ingest.worker import WorkerContext


@dataclass(frozen=True, slots=True)
class Sent:
    """request: what was sent, secrets masked; empty when nothing was."""

    outcome: Outcome
    duration_s: float
    request: str


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of one test notification. `delivered`: the receiver accepted it; check there that it is visible."""

    result: Result
    detail: str
    status: int | None
    duration_s: float


def send(
    kind: ChannelKind, settings: ChannelSettings, message: Message, receipt: Receipt, outside: OutboundPolicy
) -> Sent:
    """Renders and sends once; never raises for what the message, the network or the receiver does."""
    began = time.monotonic()
    try:
        rendered = kind.render(settings, message, receipt)
    except ValueError as error:
        outcome = Outcome(Result.REFUSED, f"The message cannot be put in the form of {kind.title}: {error}")
        return Sent(outcome, time.monotonic() - began, "")
    outcome = kind.deliver(settings, rendered, Transport(outside.allowed))
    return Sent(outcome, time.monotonic() - began, logged(settings, rendered))


def try_out(kind: ChannelKind, settings: ChannelSettings, outside: OutboundPolicy, now: datetime) -> Trial:
    """Sends the test message."""
    sent = send(kind, settings, _test_message(outside, now), {}, outside)
    return Trial(sent.outcome.result, sent.outcome.detail, sent.outcome.status, sent.duration_s)


def _test_message(outside: OutboundPolicy, now: datetime) -> Message:
    """Over as soon as it is said, so that it opens no page anywhere."""
    name = f"test_{now:%Y%m%d%H%M%S%f}"
    return Message(
        event_id=f"evt_{name}",
        incident_id=f"inc_{name}",
        dedupe_key=name,
        sequence=1,
        status=Status.RESOLVED,
        severity=AlertSeverity.INFO,
        rule_key="test",
        rule_name="Test message",
        sentence="Test notification from Gavel. No alert is firing.",
        path=("Gavel",),
        from_at=now,
        to_at=now,
        started_at=now,
        sent_at=now,
        ended_at=now,
        links=(MessageLink("Open", f"{outside.public_url}/"),) if outside.public_url else (),
    )


def headline_of(plain: Mapping[str, Any]) -> str:
    """Of a message as the outbox keeps it."""
    return headline(message_of(plain))


log = structlog.get_logger(__name__)

_LONGEST_REQUEST = 20_000
# Channels that failed last time and are tried at once, of all processes: fewer than there are processes for it (supervise.stack).
MAX_FAILING_IN_PARALLEL = 2
# Their locks.
FAILING = "failing channel"
# Jitter between installations, no secret.
_CHANCE = random.Random()  # noqa: S311


def deliver(context: WorkerContext, channel_id: int, *, budget_s: float) -> int:
    """Send what is due on a channel, for about `budget_s`; returns how many were accepted. Nothing to do for a second caller meanwhile.

    Raises NotFoundError where the channel was removed meanwhile.
    """
    until, accepted = time.monotonic() + budget_s, 0
    with only_one(context.engine, f"deliver/{channel_id}") as mine, _failing_slot(context, channel_id) as may:
        while mine and may and time.monotonic() < until and not context.stopping():
            result = _deliver_next(context, channel_id)
            if result is None or result is Result.RETRY:
                break
            accepted += result is Result.DELIVERED
    return accepted


@contextmanager
def _failing_slot(context: WorkerContext, channel_id: int) -> Iterator[bool]:
    """Who failed last time may take all its patience again: a few of those at once, so that the others always find somebody to send theirs.

    False: there are as many already. Its next tick comes soon.
    """
    with reading(context.engine) as connection:
        is_ill = stored.channel_row(connection, channel_id).failures > 0
    if not is_ill:
        yield True
        return
    with one_of(context.engine, FAILING, MAX_FAILING_IN_PARALLEL) as held:
        yield held


def _deliver_next(context: WorkerContext, channel_id: int) -> Result | None:
    """None: there is nothing to send now."""
    with transaction(context.engine) as connection:
        row = stored.channel_row(connection, channel_id)
        now = context.now()
        if not row.enabled or (row.retry_at is not None and row.retry_at > now):
            return None
        outbox.supersede(connection, channel_id, now, by_key=_kind(row).keeps_by_key)
        one = outbox.next_due(connection, channel_id, now)
        if one is None or not _may_go(connection, row, now):
            return None
        receipt = outbox.last_receipt(connection, channel_id, one.group_key)
        drawing = load_drawing(connection, one.message) if _kind(row).takes_pictures else None
    message = replace(message_of(one.message), picture=_picture(context, row, one, drawing, now))
    began = context.now()
    sent = _sent(context, row, message, dict(receipt))
    with transaction(context.engine) as connection:
        # A channel that was removed while its message was on its way has no log any more.
        stored.hold_channel(connection, channel_id)
        _note(connection, row, one, sent, began, context.now())
    return sent.outcome.result


def _may_go(connection: Connection, row: ChannelRow, now: datetime) -> bool:
    """Within the vendor's limits; else the channel waits until it is."""
    wait_s, pace = taken(_kind(row).limits, pace_of(row.pace), now)
    if wait_s > 0:
        stored.change_channel(connection, row.id, retry_at=now + timedelta(seconds=wait_s))
        return False
    stored.change_channel(connection, row.id, pace=plain_pace(pace))
    return True


def _picture(
    context: WorkerContext, row: ChannelRow, due: NotificationRow, drawing: Drawing | None, now: datetime
) -> Picture | None:
    """For channels that take files the picture itself, for the others its address where Gavel can be reached from outside."""
    if _kind(row).takes_pictures:
        return drawing.draw() if drawing else None
    return linked_picture(context.connections.vault, context.outside, due, now)


def _sent(context: WorkerContext, row: ChannelRow, message: Message, receipt: dict[str, str]) -> Sent:
    try:
        settings = full_settings(row, context.connections.vault)
    except SettingsError as error:
        return Sent(Outcome(Result.REFUSED, str(error)), 0.0, "")
    kind = _kind(row)
    return send(kind, settings, message, receipt if kind.updates else {}, context.outside)


def _kind(row: ChannelRow) -> ChannelKind:
    return kind_of(row.kind)


# --- what became of it ------------------------------------------------------------------------------------------------


def _note(
    connection: Connection, row: ChannelRow, due: NotificationRow, sent: Sent, began: datetime, now: datetime
) -> None:
    outcome = sent.outcome
    outbox.log_attempt(
        connection,
        notification_id=due.id,
        started_at=began,
        duration_s=sent.duration_s,
        result=outcome.result.value,
        status=outcome.status,
        detail=outcome.detail,
        request=sent.request[:_LONGEST_REQUEST],
    )
    log.info(
        "message tried", channel=row.name, event_id=due.event_id, result=outcome.result.value, status=outcome.status
    )
    if outcome.result is Result.DELIVERED:
        _accepted(connection, row, due, outcome, now)
        return
    wait_s = next_wait_s(due.attempts + 1, (now - due.created_at).total_seconds(), outcome, _CHANCE)
    if wait_s is None:
        _dead(connection, row, due, outcome, now)
    else:
        outbox.finish(
            connection,
            due.id,
            attempts=due.attempts + 1,
            next_at=now + timedelta(seconds=wait_s),
            detail=outcome.detail,
        )
    if outcome.result is Result.RETRY:
        _pause(connection, row, outcome, now)
    live.announce(connection, live.News(None, live.DELIVERIES, None))


def _accepted(connection: Connection, row: ChannelRow, due: NotificationRow, outcome: Outcome, now: datetime) -> None:
    outbox.finish(
        connection,
        due.id,
        state="delivered",
        attempts=due.attempts + 1,
        finished_at=now,
        detail=outcome.detail,
        receipt=dict(outcome.receipt),
    )
    stored.change_channel(connection, row.id, failures=0, retry_at=None)
    live.announce(connection, live.News(None, live.DELIVERIES, None))


def _pause(connection: Connection, row: ChannelRow, outcome: Outcome, now: datetime) -> None:
    """The whole channel waits: what ails it ails every message."""
    wait_s = next_wait_s(row.failures + 1, 0.0, outcome, _CHANCE) or 0.0
    pace = pace_of(row.pace)
    if outcome.retry_after_s:
        pace = held(pace, now, outcome.retry_after_s)
    stored.change_channel(
        connection,
        row.id,
        failures=row.failures + 1,
        retry_at=now + timedelta(seconds=wait_s),
        pace=plain_pace(pace),
    )


def _dead(connection: Connection, row: ChannelRow, due: NotificationRow, outcome: Outcome, now: datetime) -> None:
    """It stays visible, and another channel reports it. A channel that is gone for good is disabled."""
    detail = outcome.detail if outcome.result is not Result.RETRY else f"given up after a day: {outcome.detail}"
    outbox.finish(connection, due.id, state="dead", attempts=due.attempts + 1, finished_at=now, detail=detail)
    stored.change_channel(connection, row.id, failures=row.failures + 1)
    if outcome.result is Result.GONE:
        stored.change_channel(connection, row.id, enabled=False, off_reason=outcome.detail)
    second = _second(connection, row)
    if due.dead_letter_of is None and second is not None:
        _notify_second_channel(connection, row, due, second, detail, now)


def _second(connection: Connection, row: ChannelRow) -> ChannelRow | None:
    """The one that was named, else the oldest other one that is on."""
    others = [other for other in stored.channel_rows(connection, enabled_only=True) if other.id != row.id]
    named = [other for other in others if other.id == row.second_id]
    return next(iter(named or others), None)


def _notify_second_channel(
    connection: Connection, row: ChannelRow, due: NotificationRow, second: ChannelRow, detail: str, now: datetime
) -> None:
    group_key = f"dead_{due.channel_id}_{due.group_key}"
    sequence = outbox.next_sequence(connection, second.id, group_key)
    event_id = f"{due.event_id}_dead_{second.id}_{sequence}"
    said = f"Not delivered by {row.name} ({detail}) Notification: {due.message['sentence']}"
    names = {"event_id": event_id, "sequence": sequence, "incident_id": f"dead_{due.message['incident_id']}"}
    again = {"dedupe_key": f"dead_{due.message['dedupe_key']}"[:255], "sentence": said}
    outbox.add_notification(
        connection,
        event_id=event_id,
        channel_id=second.id,
        group_key=group_key,
        sequence=sequence,
        status=due.status,
        message={**due.message, **names, **again},
        alert_ids=list(due.alert_ids),
        created_at=now,
        next_at=now,
        dead_letter_of=due.id,
    )
