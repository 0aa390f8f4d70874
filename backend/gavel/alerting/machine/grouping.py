"""What is said now: of all incidents those with news, put together so that one event is one message.

It looks at states, not at events: what is open or over is compared with what was last said of it. So after an outage only the newest state
goes out, what was silenced is said when the silence ends and it still fires, and asking twice says nothing twice.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gavel.alerting.machine.silences import Quiet
from gavel.alerting.render.message import Status
from gavel.alerting.rules.model import AlertSeverity, Subject
from gavel.domain.io_path import Layer

MOST_OBJECTS_APART = 20
REPEAT_AFTER = timedelta(hours=4)
_RANK = {AlertSeverity.CRITICAL: 0, AlertSeverity.WARNING: 1, AlertSeverity.INFO: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One incident as it stands. labels: rule, severity, layer, object, and where known `array`, `datastore`, and the rule's own.

    array_down: the array that this incident says is down. excess_outstanding: I/Os outstanding because of the excess, for the order.
    """

    incident_id: str
    rule_key: str
    subject: Subject
    object_id: int
    layer: Layer | None
    severity: AlertSeverity
    status: Status
    excess_outstanding: float = 0.0
    labels: Mapping[str, str] = field(default_factory=dict)
    array_down: str | None = None
    is_acknowledged: bool = False

    @property
    def dedupe_key(self) -> str:
        """The same for the same rule, object and layer, whenever it happens."""
        layer = None if self.layer is None else self.layer.name
        return _digest([self.rule_key, self.subject.value, self.object_id, layer])

    @property
    def group_label(self) -> tuple[str, str]:
        """What it is put together by: its array, else its datastore, else itself."""
        for label in ("array", "datastore"):
            if name := self.labels.get(label):
                return label, name
        return "object", f"{self.subject.value}/{self.object_id}"


@dataclass(frozen=True, slots=True)
class LastSent:
    """What was last sent of an incident to a channel, in which group and when."""

    status: Status
    group_key: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """One message to be. incidents: the worst first. key: of the message, the same from firing to resolved."""

    key: str
    status: Status
    incidents: tuple[Incident, ...]

    @property
    def is_summary(self) -> bool:
        return object_count(self.incidents) > MOST_OBJECTS_APART


def arrays_down(incidents: Iterable[Incident]) -> frozenset[str]:
    """Arrays whose silence is an open incident; everything behind them is muted."""
    return frozenset(one.array_down for one in incidents if one.array_down and one.status is not Status.RESOLVED)


def plan(
    incidents: Sequence[Incident], sent: Mapping[str, LastSent], quiet: Quiet, at: datetime, *, apart: bool = False
) -> tuple[MessageGroup, ...]:
    """The messages to one channel now. sent: by incident id. apart: the channel keeps incidents by key, so each gets its own message."""
    fires = {sent[one.incident_id].group_key for one in incidents if _fires(one) and one.incident_id in sent}
    news = [one for one in incidents if one.status is not Status.RESOLVED and _is_news(one, sent, quiet, at)]
    # A message has no data when nothing in it fires any more: it would hide what still does.
    news = [one for one in news if _fires(one) or sent[one.incident_id].group_key not in fires]
    groups = [
        group for status in (Status.FIRING, Status.NO_DATA) for group in _grouped(status, news, sent, apart=apart)
    ]
    # What is over first: where something fires anew under the same key, its end would else end what has just begun.
    return (*_resolved_groups(incidents, sent), *groups)


def after(groups: Iterable[MessageGroup], sent: Mapping[str, LastSent], at: datetime) -> dict[str, LastSent]:
    """What has been said once these groups are in the outbox."""
    new = {one.incident_id: LastSent(group.status, group.key, at) for group in groups for one in group.incidents}
    return {**sent, **new}


def key_of(incident_ids: Iterable[str]) -> str:
    """Of a message that begins with these incidents."""
    return _digest(sorted(incident_ids))


def object_count(incidents: Iterable[Incident]) -> int:
    return len({(one.subject, one.object_id) for one in incidents})


def _fires(incident: Incident) -> bool:
    return incident.status is Status.FIRING


def _is_news(incident: Incident, sent: Mapping[str, LastSent], quiet: Quiet, at: datetime) -> bool:
    last = sent.get(incident.incident_id)
    if quiet.reason(incident.labels, at, says_down=incident.array_down is not None):
        return False
    if last is None:
        # No data is news only of what was said to fire.
        return incident.status is Status.FIRING and not incident.is_acknowledged
    if incident.is_acknowledged:
        return False
    return last.status is not incident.status or at - last.at >= REPEAT_AFTER


def _grouped(
    status: Status, news: list[Incident], sent: Mapping[str, LastSent], *, apart: bool
) -> Iterator[MessageGroup]:
    """What was said before keeps its message; the rest is put together anew."""
    mine = [one for one in news if one.status is status]
    known = [one for one in mine if one.incident_id in sent]
    fresh = [one for one in mine if one.incident_id not in sent]
    yield from _by_key(status, ((sent[one.incident_id].group_key, one) for one in known))
    if object_count(fresh) > MOST_OBJECTS_APART:
        yield _group(status, fresh)
    elif apart:
        yield from (_group(status, [one]) for one in _worst_first(fresh))
    else:
        places = dict.fromkeys(one.group_label for one in _worst_first(fresh))
        yield from (_group(status, [one for one in fresh if one.group_label == place]) for place in places)


def _resolved_groups(incidents: Sequence[Incident], sent: Mapping[str, LastSent]) -> Iterator[MessageGroup]:
    """A message is over when everything in it is; what was never said to fire is not said to be over. Quiet does not hold this back."""
    open_keys = {
        sent[one.incident_id].group_key
        for one in incidents
        if one.status is not Status.RESOLVED and one.incident_id in sent
    }
    ended = (
        (last.group_key, one)
        for one in incidents
        if one.status is Status.RESOLVED
        and (last := sent.get(one.incident_id)) is not None
        and last.status is not Status.RESOLVED
        and last.group_key not in open_keys
    )
    yield from _by_key(Status.RESOLVED, ended)


def _by_key(status: Status, keyed: Iterable[tuple[str, Incident]]) -> Iterator[MessageGroup]:
    groups: dict[str, list[Incident]] = {}
    for key, one in keyed:
        groups.setdefault(key, []).append(one)
    for key, members in groups.items():
        yield MessageGroup(key, status, tuple(_worst_first(members)))


def _group(status: Status, members: list[Incident]) -> MessageGroup:
    return MessageGroup(key_of(one.incident_id for one in members), status, tuple(_worst_first(members)))


def _worst_first(incidents: Iterable[Incident]) -> list[Incident]:
    return sorted(incidents, key=lambda item: (_RANK[item.severity], -item.excess_outstanding, item.incident_id))


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
