"""Delivery of one channel's messages: one at a time, newest state only, retried with patience, and never lost without a word."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from gavel.alerting.contract import ChannelKind
from gavel.alerting.delivery import Outcome, Result, next_wait_s
from gavel.alerting.message import Message, Picture
from gavel.alerting.message_plain import message_of
from gavel.alerting.rate import held, pace_of, plain_pace, taken
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.leases import only_one
from gavel.db.queries import channels as stored
from gavel.db.queries import notifications as outbox
from gavel.db.queries.channels import ChannelRow
from gavel.db.queries.notifications import NotificationRow
from gavel.domain.errors import SettingsError
from gavel.pipeline.channels import full_settings, kind_of
from gavel.pipeline.picturing import linked_picture, picture
from gavel.pipeline.sending import Sent, send
from gavel.pipeline.workplace import Workplace

log = structlog.get_logger(__name__)

_LONGEST_REQUEST = 20_000
# Channels that failed last time and are tried at once, of all processes: fewer than there are processes for it (supervise.stack).
ILL_AT_ONCE = 2
# Jitter between installations, no secret.
_CHANCE = random.Random()  # noqa: S311


def deliver(place: Workplace, channel_id: int, *, budget_s: float) -> int:
    """Send what is due on a channel, for about `budget_s`; returns how many were accepted. Nothing to do for a second caller meanwhile."""
    until, accepted = time.monotonic() + budget_s, 0
    with only_one(place.engine, f"deliver/{channel_id}") as mine, _in_line(place, channel_id) as may:
        while mine and may and time.monotonic() < until and not place.stopping():
            result = _deliver_next(place, channel_id)
            if result is None or result is Result.RETRY:
                break
            accepted += result is Result.DELIVERED
    return accepted


@contextmanager
def _in_line(place: Workplace, channel_id: int) -> Iterator[bool]:
    """Who failed last time may take all its patience again: a few of those at once, so that the others always find somebody to send theirs.

    False: there are as many already. Its next tick comes soon.
    """
    with reading(place.engine) as connection:
        is_ill = stored.channel_row(connection, channel_id).failures > 0
    if not is_ill:
        yield True
        return
    with only_one(place.engine, f"ill/{channel_id % ILL_AT_ONCE}") as held:
        yield held


def _deliver_next(place: Workplace, channel_id: int) -> Result | None:
    """None: there is nothing to send now."""
    with transaction(place.engine) as connection:
        row = stored.channel_row(connection, channel_id)
        now = place.now()
        if not row.enabled or (row.retry_at is not None and row.retry_at > now):
            return None
        outbox.supersede(connection, channel_id, now, by_key=_kind(row).keeps_by_key)
        one = outbox.next_due(connection, channel_id, now)
        if one is None or not _may_go(connection, row, now):
            return None
        receipt = outbox.last_receipt(connection, channel_id, one.group_key)
        said = replace(message_of(one.message), picture=_picture(connection, place, row, one, now))
    began = place.now()
    sent = _sent(place, row, said, dict(receipt))
    with transaction(place.engine) as connection:
        _note(connection, row, one, sent, began, place.now())
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
    connection: Connection, place: Workplace, row: ChannelRow, one: NotificationRow, now: datetime
) -> Picture | None:
    """For channels that take files the picture itself, for the others its address where Gavel can be reached from outside."""
    if _kind(row).takes_pictures:
        return picture(connection, one.message)
    return linked_picture(place.connections.vault, place.outside, one, now)


def _sent(place: Workplace, row: ChannelRow, said: Message, receipt: dict[str, str]) -> Sent:
    try:
        settings = full_settings(row, place.connections.vault)
    except SettingsError as error:
        return Sent(Outcome(Result.REFUSED, str(error)), 0.0, "")
    kind = _kind(row)
    return send(kind, settings, said, receipt if kind.updates else {}, place.outside)


def _kind(row: ChannelRow) -> ChannelKind:
    return kind_of(row.kind)


# --- what became of it ------------------------------------------------------------------------------------------------


def _note(
    connection: Connection, row: ChannelRow, one: NotificationRow, sent: Sent, began: datetime, now: datetime
) -> None:
    outcome = sent.outcome
    outbox.log_attempt(
        connection,
        notification_id=one.id,
        started_at=began,
        duration_s=sent.duration_s,
        result=outcome.result.value,
        status=outcome.status,
        detail=outcome.detail,
        request=sent.request[:_LONGEST_REQUEST],
    )
    log.info(
        "message tried", channel=row.name, event_id=one.event_id, result=outcome.result.value, status=outcome.status
    )
    if outcome.result is Result.DELIVERED:
        _accepted(connection, row, one, outcome, now)
        return
    wait_s = next_wait_s(one.attempts + 1, (now - one.created_at).total_seconds(), outcome, _CHANCE)
    if wait_s is None:
        _dead(connection, row, one, outcome, now)
    else:
        outbox.finish(
            connection,
            one.id,
            attempts=one.attempts + 1,
            next_at=now + timedelta(seconds=wait_s),
            detail=outcome.detail,
        )
    if outcome.result is Result.RETRY:
        _pause(connection, row, outcome, now)
    live.tell(connection, live.News(None, "deliveries", None))


def _accepted(connection: Connection, row: ChannelRow, one: NotificationRow, outcome: Outcome, now: datetime) -> None:
    outbox.finish(
        connection,
        one.id,
        state="delivered",
        attempts=one.attempts + 1,
        finished_at=now,
        detail=outcome.detail,
        receipt=dict(outcome.receipt),
    )
    stored.change_channel(connection, row.id, failures=0, retry_at=None)
    live.tell(connection, live.News(None, "deliveries", None))


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


def _dead(connection: Connection, row: ChannelRow, one: NotificationRow, outcome: Outcome, now: datetime) -> None:
    """It stays where people see it, and another channel tells of it. A channel that is gone for good is switched off."""
    detail = outcome.detail if outcome.result is not Result.RETRY else f"given up after a day: {outcome.detail}"
    outbox.finish(connection, one.id, state="dead", attempts=one.attempts + 1, finished_at=now, detail=detail)
    stored.change_channel(connection, row.id, failures=row.failures + 1)
    if outcome.result is Result.GONE:
        stored.change_channel(connection, row.id, enabled=False, off_reason=outcome.detail)
    second = _second(connection, row)
    if one.dead_letter_of is None and second is not None:
        _tell_second(connection, row, one, second, detail, now)


def _second(connection: Connection, row: ChannelRow) -> ChannelRow | None:
    """The one that was named, else the oldest other one that is on."""
    others = [other for other in stored.channel_rows(connection, enabled_only=True) if other.id != row.id]
    named = [other for other in others if other.id == row.second_id]
    return next(iter(named or others), None)


def _tell_second(
    connection: Connection, row: ChannelRow, one: NotificationRow, second: ChannelRow, detail: str, now: datetime
) -> None:
    group_key = f"dead_{one.channel_id}_{one.group_key}"
    sequence = outbox.next_sequence(connection, second.id, group_key)
    event_id = f"{one.event_id}_dead_{second.id}_{sequence}"
    said = f"{row.name} did not take this message ({detail}) It says: {one.message['sentence']}"
    names = {"event_id": event_id, "sequence": sequence, "incident_id": f"dead_{one.message['incident_id']}"}
    again = {"dedupe_key": f"dead_{one.message['dedupe_key']}"[:255], "sentence": said}
    outbox.add_notification(
        connection,
        event_id=event_id,
        channel_id=second.id,
        group_key=group_key,
        sequence=sequence,
        status=one.status,
        message={**one.message, **names, **again},
        alert_ids=list(one.alert_ids),
        created_at=now,
        next_at=now,
        dead_letter_of=one.id,
    )
