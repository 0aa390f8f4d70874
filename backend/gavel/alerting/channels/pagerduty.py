"""PagerDuty by Events API v2: one incident there per incident here, by its dedup key."""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import JSON_TYPE, ChannelKind, ChannelSettings, Receipt, send, usable_url
from gavel.alerting.render.message import (
    Json,
    Message,
    Status,
    clipped,
    evidence_lines,
    facts,
    fitting,
    headline,
    json_bytes,
)
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request
from gavel.egress.tls import DESTINATION

LARGEST = 100_000  # PagerDuty takes 512 KB; nobody reads as much
# Of an integration key: 120 a minute.
LIMITS = (Limit(30, 0.7),)
_SUMMARY = 1024


class PagerDutySettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="PagerDuty")

    routing_key: SecretStr = Field(
        title="Integration key", description="Service › Integrations › Events API V2.", min_length=32, max_length=32
    )
    events_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        default=SecretStr("https://events.pagerduty.com/v2/enqueue"),
        title="Events address",
        description="In the EU: https://events.eu.pagerduty.com/v2/enqueue.",
        json_schema_extra=DESTINATION,
    )


def render(settings: PagerDutySettings, message: Message, _receipt: Receipt) -> Request:
    body = fitting(message, lambda cut: json_bytes(_event(settings, cut)), len, LARGEST)
    return Request(settings.events_url.get_secret_value(), body, JSON_TYPE)


def _event(settings: PagerDutySettings, message: Message) -> Json:
    event: Json = {
        "routing_key": settings.routing_key.get_secret_value(),
        "event_action": "resolve" if message.status is Status.RESOLVED else "trigger",
        "dedup_key": message.dedupe_key,
    }
    if message.status is Status.RESOLVED:
        return event
    details = {**dict(facts(message)), "evidence": list(evidence_lines(message)), "event_id": message.event_id}
    return event | {
        "client": "Gavel",
        **({"client_url": message.permalink} if message.permalink else {}),
        **_images(message),
        "links": [{"href": link.url, "text": link.label} for link in message.links],
        "payload": {
            "summary": clipped(f"{headline(message)}: {message.in_one_line}", _SUMMARY),
            "source": clipped(" / ".join(message.path) or "Gavel", _SUMMARY),
            "severity": message.severity.value,
            "timestamp": message.started_at.isoformat(),
            "component": message.path[-1] if message.path else "",
            "group": message.path[0] if message.path else "",
            "class": message.rule_key,
            "custom_details": details,
        },
    }


def _images(message: Message) -> Json:
    picture = message.picture
    # Others than these are refused, and the event with them.
    if picture is None or not (picture.url or "").startswith("https://"):
        return {}
    return {"images": [{"src": picture.url, "alt": picture.alt}]}


PAGERDUTY = ChannelKind("pagerduty", "PagerDuty", PagerDutySettings, render, send, LARGEST, LIMITS, keeps_by_key=True)
