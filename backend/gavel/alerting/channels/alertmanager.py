"""Prometheus Alertmanager by its API v2, for sites whose routing lives there."""

from datetime import timedelta
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

LARGEST = 64_000
# A name longer than that is cut alike in every state, however long the rest of the message is.
_LONGEST_LABEL = 200
# Without an end, Alertmanager would resolve after its own five minutes what is said only once.
_HOLDS = timedelta(days=1)


class AlertmanagerSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Alertmanager")

    url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="Address",
        description="Of Alertmanager itself, such as https://alertmanager.example.org:9093.",
        json_schema_extra=DESTINATION,
    )
    bearer_token: SecretStr | None = Field(
        default=None, title="Bearer token", description="Where a proxy in front asks for one.", max_length=4000
    )


def render(settings: AlertmanagerSettings, message: Message, _receipt: Receipt) -> Request:
    body = fitting(message, lambda cut: json_bytes([_alert(cut)]), len, LARGEST)
    token = settings.bearer_token
    login = {"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}
    return Request(f"{settings.url.get_secret_value().rstrip('/')}/api/v2/alerts", body, {**JSON_TYPE, **login})


def _alert(message: Message) -> Json:
    """Labels say which alert it is, and so have to be the same in every state; what changes stands in annotations."""
    ends_at = message.ended_at or message.sent_at
    alert: Json = {
        "labels": {
            **(_of_many() if message.is_joint else _of_one(message)),
            "severity": message.severity.value,
            "gavel_dedupe_key": message.dedupe_key,
        },
        "annotations": {
            "summary": headline(message),
            "description": "\n".join(message.paragraphs),
            "details": "\n".join(f"{title}: {text}" for title, text in facts(message)),
            "evidence": "\n".join(evidence_lines(message)),
            "status": message.status.value,
            **({"picture_url": message.picture.url} if message.picture and message.picture.url else {}),
        },
        "startsAt": message.started_at.isoformat(),
        "endsAt": (ends_at if message.status is Status.RESOLVED else message.sent_at + _HOLDS).isoformat(),
    }
    return alert | ({"generatorURL": message.permalink} if message.permalink else {})


def _of_one(message: Message) -> dict[str, str]:
    labels = {**message.labels, "alertname": message.rule_key, "object": " / ".join(message.path)}
    return {name: clipped(value, _LONGEST_LABEL) for name, value in labels.items()}


def _of_many() -> dict[str, str]:
    """What they have alike, and who is the worst, changes with those that still have news."""
    return {"alertname": "several_objects", "object": "several objects"}


ALERTMANAGER = ChannelKind(
    "alertmanager", "Alertmanager", AlertmanagerSettings, render, send, LARGEST, (Limit(50, 0.1),), keeps_by_key=True
)
