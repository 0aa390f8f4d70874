"""A webhook of your own, signed as Standard Webhooks wants it; the id stays the same whenever it is sent again."""

import base64
import binascii
import hashlib
import hmac
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel import clock
from gavel.alerting.contract import JSON_TYPE, ChannelKind, ChannelSettings, Receipt, send, usable_url
from gavel.alerting.render.message import Json, Message, Peak, fitting, headline, json_bytes
from gavel.alerting.transport.outcome import Outcome
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request, Transport
from gavel.egress.tls import DESTINATION

LARGEST = 18_000  # the standard asks for less than 20 KB
_PREFIX = "whsec_"


def _usable_secret(value: SecretStr) -> SecretStr:
    _key(value)
    return value


class WebhookSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Webhook (signed)")

    url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="URL",
        description="Gets a POST with JSON. Only 2xx counts as received; 410 switches this channel off.",
        json_schema_extra=DESTINATION,
    )
    secrets: tuple[Annotated[SecretStr, AfterValidator(_usable_secret)], ...] = Field(
        title="Signing secrets",
        description="whsec_ and 24 to 64 bytes in base64. Two while you change from one to the other: each message is signed with both.",
        min_length=1,
        max_length=3,
        json_schema_extra={"format": "signing-secret"},
    )


def render(settings: WebhookSettings, message: Message, _receipt: Receipt) -> Request:
    body = fitting(message, lambda cut: json_bytes(_built(cut)), len, LARGEST)
    return Request(settings.url.get_secret_value(), body, {**JSON_TYPE, "webhook-id": message.event_id})


def deliver(settings: WebhookSettings, request: Request, way: Transport) -> Outcome:
    """Signs for now: receivers refuse what was signed long ago."""
    signed = sign(settings, request.headers["webhook-id"], int(clock.time_s()), request.body)
    return send(settings, replace(request, headers={**request.headers, **signed}), way)


def sign(settings: WebhookSettings, event_id: str, at_s: int, body: bytes) -> dict[str, str]:
    """The headers of an attempt at `at_s` (seconds since 1970)."""
    content = f"{event_id}.{at_s}.".encode() + body
    signatures = (hmac.new(_key(secret), content, hashlib.sha256).digest() for secret in settings.secrets)
    written = " ".join(f"v1,{base64.b64encode(signature).decode()}" for signature in signatures)
    return {"webhook-timestamp": str(at_s), "webhook-signature": written}


def _key(secret: SecretStr) -> bytes:
    text = secret.get_secret_value()
    try:
        key = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not text.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise ValueError("a signing secret is whsec_ followed by 24 to 64 bytes in base64")
    return key


def _built(message: Message) -> Json:
    times = {
        "from_at": message.from_at,
        "to_at": message.to_at,
        "started_at": message.started_at,
        "ended_at": message.ended_at,
    }
    return {
        "type": f"alert.{message.status.value}",
        "timestamp": message.sent_at.isoformat(),
        "data": {
            "event_id": message.event_id,
            "incident_id": message.incident_id,
            "dedupe_key": message.dedupe_key,
            "sequence": message.sequence,
            "status": message.status.value,
            "severity": message.severity.value,
            "rule": message.rule_key,
            "headline": headline(message),
            "diagnosis": message.in_one_line,
            "diagnosis_severity": message.diagnosis_severity.value if message.diagnosis_severity else None,
            "confidence": message.confidence.value if message.confidence else None,
            "path": list(message.path),
            "total_us": message.total_us,
            "layers": [
                {"name": one.name, "us": one.us, "lower_us": one.lower_us, "upper_us": one.upper_us}
                for one in message.layers
            ],
            "evidence": list(message.evidence),
            "quality": message.quality.value if message.quality else None,
            "peak": _peak(message.peak),
            "objects": list(message.objects),
            "object_count": message.object_count,
            "labels": dict(message.labels),
            "picture_url": message.picture.url if message.picture else None,
            "links": {link.label: link.url for link in message.links},
            **{name: at.isoformat() if at else None for name, at in times.items()},
        },
    }


def _peak(peak: Peak | None) -> Json | None:
    if peak is None:
        return None
    return {"value": peak.value, "lower": peak.lower, "unit": peak.unit, "at": peak.at.isoformat()}


WEBHOOK = ChannelKind("webhook", "Webhook (signed)", WebhookSettings, render, deliver, LARGEST, (Limit(20, 0.1),))
