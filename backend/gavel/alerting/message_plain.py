"""Messages as plain values, as the outbox keeps them between planning and delivery."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gavel.alerting.message import LayerTime, Link, Message, Peak, Status
from gavel.alerting.rules import Severity
from gavel.domain.io_path import Grade

_TIMES = ("from_at", "to_at", "started_at", "sent_at", "ended_at")
_SAME = (
    "event_id", "incident_id", "dedupe_key", "sequence", "rule_key", "rule_name", "sentence", "total_us", "object_count",
)  # fmt: skip
_LISTS = ("path", "evidence", "objects")


def plain_message(message: Message) -> dict[str, Any]:
    """As JSON takes it; `message_of` gives an equal message."""
    return {
        **{name: getattr(message, name) for name in _SAME},
        **{name: list(getattr(message, name)) for name in _LISTS},
        **{name: at.isoformat() if (at := getattr(message, name)) else None for name in _TIMES},
        "status": message.status.value,
        "severity": message.severity.value,
        "layers": [[one.name, one.us, one.lower_us, one.upper_us] for one in message.layers],
        "grade": message.grade.value if message.grade else None,
        "links": [[one.label, one.url] for one in message.links],
        "labels": dict(message.labels),
        "peak": _plain_peak(message.peak),
        "is_joint": message.is_joint,
    }


def message_of(plain: Mapping[str, Any]) -> Message:
    """Raises KeyError, TypeError or ValueError for what is no message."""
    times = {name: datetime.fromisoformat(plain[name]) if plain[name] else None for name in _TIMES}
    given: dict[str, Any] = (
        {name: plain[name] for name in _SAME} | {name: tuple(plain[name]) for name in _LISTS} | times
    )
    return Message(
        **given,
        status=Status(plain["status"]),
        severity=Severity(plain["severity"]),
        layers=tuple(LayerTime(*one) for one in plain["layers"]),
        grade=Grade(plain["grade"]) if plain["grade"] else None,
        links=tuple(Link(*one) for one in plain["links"]),
        labels=dict(plain["labels"]),
        # What was planned before these were kept has none.
        peak=_peak_of(plain.get("peak")),
        is_joint=plain.get("is_joint", False),
    )


def _plain_peak(peak: Peak | None) -> list[Any] | None:
    return None if peak is None else [peak.value, peak.lower, peak.unit, peak.at.isoformat()]


def _peak_of(plain: list[Any] | None) -> Peak | None:
    if plain is None:
        return None
    value, lower, unit, at = plain
    return Peak(value, lower, unit, datetime.fromisoformat(at))
