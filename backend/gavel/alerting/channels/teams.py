"""Microsoft Teams by a Workflow's webhook: one Adaptive Card. Names stand in text runs, which know no markup and no mentions."""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import JSON_TYPE, ChannelKind, ChannelSettings, Receipt, send, usable_url
from gavel.alerting.render.message import Json, Message, Status, evidence_lines, facts, fitting, headline, json_bytes
from gavel.alerting.rules.model import AlertSeverity
from gavel.alerting.transport.outcome import Outcome, ReceiverResponse, Result, by_status
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request, Transport
from gavel.egress.tls import DESTINATION

# Teams counts 28,672 bytes after it has added its own.
LARGEST = 18_000
# 4 a second, 60 in half a minute, 100 an hour.
LIMITS = (Limit(4, 1.0), Limit(20, 45.0))
_COLOURS = {AlertSeverity.CRITICAL: "attention", AlertSeverity.WARNING: "warning", AlertSeverity.INFO: "accent"}


class TeamsSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Microsoft Teams (Workflows)")

    webhook_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="Workflow URL",
        description="In Teams: channel › Workflows › 'Send webhook alerts to a channel'. Give it a co-owner: it goes with its owner.",
        json_schema_extra=DESTINATION,
    )


def render(settings: TeamsSettings, message: Message, _receipt: Receipt) -> Request:
    body = fitting(message, lambda cut: json_bytes(_envelope(cut)), len, LARGEST)
    return Request(settings.webhook_url.get_secret_value(), body, JSON_TYPE)


def deliver(settings: TeamsSettings, request: Request, way: Transport) -> Outcome:
    return send(settings, request, way, _read)


def _read(answer: ReceiverResponse) -> Outcome:
    """A throttled webhook may hide its 429 in the body of a 200."""
    if answer.status == 200 and b"HTTP error 429" in answer.body:
        return Outcome(Result.RETRY, "Teams answered 429", 429)
    return by_status(answer)


def _envelope(message: Message) -> Json:
    return {
        "type": "message",
        "attachments": [
            {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": _card(message)}
        ],
    }


def _card(message: Message) -> Json:
    body = [
        _line(headline(message), weight="bolder", size="medium", color=_colour(message)),
        *map(_line, message.paragraphs),
        *(
            {"type": "RichTextBlock", "inlines": [_run(f"{title}: ", isSubtle=True), _run(text)]}
            for title, text in facts(message)
        ),
        *(_line(f"• {line}") for line in evidence_lines(message)),
    ]
    if message.picture and message.picture.url:
        body.append({"type": "Image", "url": message.picture.url, "altText": message.picture.alt})
    return {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "fallbackText": "Open Gavel to see this alert.",
        "msteams": {"width": "Full"},
        "body": body,
        "actions": [{"type": "Action.OpenUrl", "title": link.label, "url": link.url} for link in message.links],
    }


def _colour(message: Message) -> str:
    return {Status.RESOLVED: "good", Status.NO_DATA: "default"}.get(message.status, _COLOURS[message.severity])


def _line(text: str, **looks: Any) -> Json:
    return {"type": "RichTextBlock", "inlines": [_run(text, **looks)]}


def _run(text: str, **looks: Any) -> Json:
    return {"type": "TextRun", "text": text, **looks}


TEAMS = ChannelKind("teams", "Microsoft Teams (Workflows)", TeamsSettings, render, deliver, LARGEST, LIMITS)
