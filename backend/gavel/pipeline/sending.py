"""One attempt to send a message by a channel's kind, and what a test message says."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gavel.alerting.contract import ChannelKind, ChannelSettings, Receipt, logged
from gavel.alerting.delivery import Outcome, Result
from gavel.alerting.message import Link, Message, Status, headline
from gavel.alerting.message_plain import message_of
from gavel.alerting.rules import Severity
from gavel.alerting.wire import Way
from gavel.pipeline.outside import Outside


@dataclass(frozen=True, slots=True)
class Sent:
    """request: what was sent, secrets masked; empty when nothing was."""

    outcome: Outcome
    duration_s: float
    request: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a test message fared."""

    result: str
    detail: str
    status: int | None
    duration_s: float


def send(kind: ChannelKind, settings: ChannelSettings, message: Message, receipt: Receipt, outside: Outside) -> Sent:
    """Renders and sends once; never raises for what the message, the network or the receiver does."""
    began = time.monotonic()
    try:
        rendered = kind.render(settings, message, receipt)
    except ValueError as error:
        outcome = Outcome(Result.REFUSED, f"The message cannot be put in the form of {kind.title}: {error}")
        return Sent(outcome, time.monotonic() - began, "")
    outcome = kind.deliver(settings, rendered, Way(outside.allowed))
    return Sent(outcome, time.monotonic() - began, logged(settings, rendered))


def try_out(kind: ChannelKind, settings: ChannelSettings, outside: Outside, now: datetime) -> Trial:
    """Sends the test message."""
    sent = send(kind, settings, _test_message(outside, now), {}, outside)
    return Trial(sent.outcome.result.value, sent.outcome.detail, sent.outcome.status, sent.duration_s)


def _test_message(outside: Outside, now: datetime) -> Message:
    """Over as soon as it is said, so that it opens no page anywhere."""
    name = f"test_{now:%Y%m%d%H%M%S%f}"
    return Message(
        event_id=f"evt_{name}",
        incident_id=f"inc_{name}",
        dedupe_key=name,
        sequence=1,
        status=Status.RESOLVED,
        severity=Severity.INFO,
        rule_key="test",
        rule_name="Test message",
        sentence="This is a test of this channel by Gavel. Nothing is wrong.",
        path=("Gavel",),
        from_at=now,
        to_at=now,
        started_at=now,
        sent_at=now,
        ended_at=now,
        links=(Link("Open", f"{outside.public_url}/"),) if outside.public_url else (),
    )


def headline_of(plain: Mapping[str, Any]) -> str:
    """Of a message as the outbox keeps it."""
    return headline(message_of(plain))
