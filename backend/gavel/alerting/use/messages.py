"""What a notification states: the diagnosis of the alert's window, its evidence, and links to the same view."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import structlog

from gavel.alerting.machine.grouping import Incident, MessageGroup, key_of, object_count
from gavel.alerting.render.message import (
    MOST_OBJECTS,
    LayerTime,
    Message,
    MessageLink,
    Peak,
    Status,
    milliseconds,
)
from gavel.alerting.rules.model import Quantity, Subject, Unit
from gavel.alerting.rules.plain import measure_of
from gavel.alerting.use.message_evidence import evidence_of
from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.alerts import AlertRow
from gavel.db.queries.finding_counts import WorstFinding, worst_open_finding
from gavel.db.queries.findings import FirstAdvice, first_advice
from gavel.db.queries.owners import owners
from gavel.db.queries.refs import RefKind
from gavel.db.queries.scopes import ledger_until
from gavel.diagnosis.diagnose import MINUTE, DiagnosisState
from gavel.diagnosis.explain import Diagnosis, diagnosis
from gavel.diagnosis.stored_sentence import StoredSentence
from gavel.domain.io_path import Quality
from gavel.egress.policy import OutboundPolicy

_LONG_S = 120.0


def amount(value: float, unit: Unit) -> str:
    """As in "0.44 ms", "37 %", "2.4 ×"."""
    match unit:
        case Unit.US:
            return milliseconds(value)
        case Unit.SHARE:
            return f"{value * 100:.0f} %"
        case Unit.SECONDS:
            return f"{value:.0f} s" if abs(value) < _LONG_S else f"{value / 60:.0f} min"
        case Unit.FINDINGS:
            return f"{value:.0f} open finding{'' if round(value) == 1 else 's'}"
        case _:
            return f"{value:.1f} {unit.value}"


log = structlog.get_logger(__name__)

# A diagnosis is on what is going on now, not on all of a long night; of what is over it is on all of it, up to a day.
_LATEST = timedelta(minutes=15)
_LONGEST = timedelta(days=1)
_MOST_RULES = 3


@dataclass(frozen=True, slots=True)
class DiagnosedWindow:
    """A message's window, and what it is about: the diagnosis on it and what to do first about its cause, or the finding that is open."""

    from_at: datetime
    to_at: datetime
    diagnosis: Diagnosis | None
    finding: WorstFinding | None = None
    advice: FirstAdvice | None = None

    @property
    def action(self) -> str:
        """What to do first, without a full stop: an open finding says more than its kind of cause."""
        if self.advice is not None:
            return self.advice.text.rstrip(".")
        return self.diagnosis.cause.action if self.diagnosis is not None and self.diagnosis.cause is not None else ""


@dataclass(frozen=True, slots=True)
class Occasion:
    """What is to be said: the group, the alerts in it by incident id, and under which name."""

    group: MessageGroup
    alerts: Mapping[str, AlertRow]
    event_id: str
    sequence: int
    now: datetime

    @property
    def members(self) -> list[AlertRow]:
        """The worst first."""
        return [self.alerts[one.incident_id] for one in self.group.incidents]

    @property
    def worst(self) -> Incident:
        return self.group.incidents[0]

    @property
    def is_solo(self) -> bool:
        """Whether the message has been about this one incident from its beginning: then both have one name everywhere."""
        return len(self.group.incidents) == 1 and self.group.key == key_of([self.worst.incident_id])


@dataclass(frozen=True, slots=True)
class Worded:
    """A message, and what its picture is to show (None: it has none): see `picturing`."""

    message: Message
    picture_of: Mapping[str, Any] | None


def message(connection: Connection, occasion: Occasion, outside: OutboundPolicy) -> Worded:
    """The whole of it."""
    worst, first = occasion.worst, occasion.members[0]
    status = occasion.group.status
    told = diagnose_alert_window(connection, first, status)
    many = object_count(occasion.group.incidents)
    found = told.diagnosis
    sentence, *more = _paragraphs(occasion, told, many)
    said = Message(
        event_id=occasion.event_id,
        incident_id=worst.incident_id if occasion.is_solo else f"grp_{occasion.group.key[:24]}",
        dedupe_key=worst.dedupe_key if occasion.is_solo else occasion.group.key,
        sequence=occasion.sequence,
        status=status,
        severity=worst.severity,
        rule_key=worst.rule_key,
        rule_name=_rule_names(occasion.members),
        sentence=sentence,
        more=tuple(more),
        path=tuple(first.path) if many == 1 else (f"{many} objects", *first.path),
        from_at=told.from_at,
        to_at=told.to_at,
        started_at=min(one.started_at for one in occasion.members),
        sent_at=occasion.now,
        ended_at=_ended_at(occasion) if status is Status.RESOLVED else None,
        total_us=found.total_us if found else None,
        layers=tuple(LayerTime(one.label, one.us, one.lower_us, one.upper_us) for one in found.layers) if found else (),
        evidence=tuple(evidence_of(first, found)),
        quality=Quality(found.data_quality.quality) if found and found.data_quality.quality else None,
        diagnosis_severity=found.severity if found else None,
        confidence=found.confidence if found else None,
        links=tuple(_links(first, told, outside)),
        labels=_common(occasion.members),
        objects=tuple(_object_lines(occasion.members[:MOST_OBJECTS])) if many > 1 else (),
        object_count=many,
        is_joint=not occasion.is_solo,
        peak=_peak(first) if len(occasion.members) == 1 else None,
        owner=_owner(connection, first) if many == 1 else None,
    )
    return Worded(said, _picture_of(first, found) if many == 1 else None)


def _owner(connection: Connection, alert: AlertRow) -> str | None:
    """Of one that several owners share: whose most of its VMs are."""
    kind = RefKind(alert.subject)
    owner = owners(connection, kind, [alert.object_id]).get(alert.object_id) if kind is not RefKind.SOURCE else None
    if owner is None:
        return None
    return (
        owner.name
        if owner.owners == 1
        else f"{owner.name} ({owner.share * 100:.0f} % of its VMs, {owner.owners} owners)"
    )


def _picture_of(alert: AlertRow, diagnosis: Diagnosis | None) -> dict[str, Any] | None:
    """A waterfall of one thing that has a diagnosis."""
    if diagnosis is None:
        return None
    named = [layer for layer in (diagnosis.layer, diagnosis.other) if layer is not None]
    return {"subject": alert.subject, "id": alert.object_id, "head": diagnosis.sentence.head.text, "named": named}


def diagnose_alert_window(connection: Connection, alert: AlertRow, status: Status) -> DiagnosedWindow:
    """The window of a notification of this alert, with its diagnosis."""
    begin, end = _window(connection, alert, status)
    if alert.measure["quantity"] == Quantity.OPEN_FINDINGS:
        return DiagnosedWindow(begin, end, None, _finding(connection, alert))
    found = _diagnosis(connection, alert, begin, end)
    return DiagnosedWindow(begin, end, found, advice=_advice(connection, alert, found, begin, end))


def sentence_of(connection: Connection, alert: AlertRow) -> str:
    """The diagnosis on an alert that fires, in words, as they are stored with it."""
    told = diagnose_alert_window(connection, alert, Status.FIRING)
    if told.diagnosis is not None:
        return StoredSentence.of(told.diagnosis.sentence, told.action).stored
    return _of_finding(told.finding) if told.finding is not None else _of_source(alert)


def _window(connection: Connection, alert: AlertRow, status: Status) -> tuple[datetime, datetime]:
    if status is Status.RESOLVED and alert.ended_at is not None:
        end = max(alert.recovered_at or alert.ended_at, alert.started_at + MINUTE)
        return max(alert.started_at, end - _LONGEST), end
    newest = ledger_until(connection) or alert.since_at
    end = max(newest, alert.since_at + MINUTE, alert.started_at + MINUTE)
    return max(alert.started_at, end - _LATEST), end


def _finding(connection: Connection, alert: AlertRow) -> WorstFinding | None:
    """None: it has cleared since, or was accepted."""
    measure = measure_of(alert.measure)
    return worst_open_finding(connection, alert.subject, alert.object_id, measure.finding, measure.finding_severity)


def _diagnosis(connection: Connection, alert: AlertRow, begin: datetime, end: datetime) -> Diagnosis | None:
    """None of what has none: sources, and things that are gone."""
    if alert.subject == Subject.SOURCE:
        return None
    try:
        with connection.begin_nested():
            found = diagnosis(connection, RefKind(alert.subject), alert.object_id, begin, end)
    except NotFoundError:
        return None
    except Exception:
        # That something is wrong is worth more than the words for it: one that cannot be judged must not hold up all others.
        log.exception("no diagnosis for a message", alert=alert.id)
        return None
    return None if found.state is DiagnosisState.NO_DATA else found


def _advice(
    connection: Connection, alert: AlertRow, diagnosis: Diagnosis | None, begin: datetime, end: datetime
) -> FirstAdvice | None:
    """Of the finding with the same threshold as the cause."""
    rule = diagnosis.cause.finding if diagnosis is not None and diagnosis.cause is not None else None
    return None if rule is None else first_advice(connection, rule, alert.subject, alert.object_id, begin, end)


# --- in words ---------------------------------------------------------------------------------------------------------


def _paragraphs(occasion: Occasion, window: DiagnosedWindow, many: int) -> list[str]:
    """At least one; evidence has lines of its own."""
    first = occasion.members[0]
    said = _of_window(first, window)
    if occasion.group.status is Status.NO_DATA:
        last = _stored(first) or " ".join(said)
        said = [f"No data for {first.object_name} since {first.since_at:%H:%M} UTC.", f"Last diagnosis: {last}"]
    elif occasion.group.status is Status.RESOLVED:
        what = "Finding" if first.measure["quantity"] == Quantity.OPEN_FINDINGS else "Diagnosis"
        said = [_cleared(occasion), f"{what}: {_stored(first) or ' '.join(said)}"]
    if many > 1:
        said[0] = f"{many} objects, worst {first.object_name}. {said[0]}"
    return said


def _of_window(alert: AlertRow, window: DiagnosedWindow) -> list[str]:
    if window.diagnosis is not None:
        sentence = window.diagnosis.sentence
        action = f"What to do: {window.action}." if window.action else ""
        cause = f"{sentence.cause}." if sentence.cause else ""
        return [part for part in (sentence.without_cause, cause, action, sentence.limits) if part]
    return [_of_finding(window.finding) if window.finding is not None else _of_source(alert)]


def _stored(alert: AlertRow) -> str:
    """What it was about when it fired; evidence has lines of its own."""
    return StoredSentence.parse(alert.sentence).claim if alert.sentence else ""


def _cleared(occasion: Occasion) -> str:
    """When, by the minutes' own time, after how long, and the peak. What is no longer evaluated need not have recovered."""
    members = occasion.members
    ended = _ended_at(occasion)
    lasted = _minutes(ended - min(one.started_at for one in members))
    peaks = [f"peak {_amounts(one)}" for one in map(_peak, members) if one] if len(members) == 1 else []
    how = "Cleared" if all(one.recovered_at for one in members) else "No longer evaluated since"
    return f"{', '.join([f'{how} {ended:%H:%M} UTC after {lasted}', *peaks])}."


def _ended_at(occasion: Occasion) -> datetime:
    return max(one.recovered_at or one.ended_at or occasion.now for one in occasion.members)


def _peak(alert: AlertRow) -> Peak | None:
    if alert.peak is None or alert.peak_at is None:
        return None
    return Peak(alert.peak, alert.peak_lower, alert.measure["unit"], alert.peak_at)


def _amounts(peak: Peak) -> str:
    unit = Unit(peak.unit)
    bound = "" if peak.lower is None or peak.lower == peak.value else f" (≥ {amount(peak.lower, unit)})"
    return f"{amount(peak.value, unit)}{bound} at {peak.at:%H:%M}"


def _of_finding(finding: WorstFinding) -> str:
    """In one line, as a stored sentence is all claim."""
    parts = (finding.title, finding.cause, finding.advice)
    return " ".join(f"{part.rstrip('.')}." for part in (" ".join(one.split()) for one in parts if one) if part)


def _of_source(alert: AlertRow) -> str:
    """Of what has no diagnosis."""
    amount = alert.value or 0.0
    match alert.measure["quantity"]:
        case Quantity.SAMPLE_AGE:
            return f"No samples from {alert.object_name} for {_minutes(timedelta(seconds=amount))}."
        case Quantity.CLOCK_SKEW:
            return f"Clock skew of {alert.object_name}: {amount:.1f} s."
        case Quantity.GAP:
            return f"Gaps of {alert.object_name}: {_minutes(timedelta(seconds=amount))} of the last hour."
        case Quantity.OPEN_FINDINGS:
            return f"{alert.rule_name} on {alert.object_name}: the finding has cleared or was accepted."
        case _:
            return f"{alert.rule_name} on {alert.object_name}. No diagnosis available."


def _minutes(span: timedelta) -> str:
    seconds = round(span.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _rule_names(members: Sequence[AlertRow]) -> str:
    names = list(dict.fromkeys(one.rule_name for one in members))
    more = f" and {len(names) - _MOST_RULES} more" if len(names) > _MOST_RULES else ""
    return ", ".join(names[:_MOST_RULES]) + more


def _object_lines(members: Sequence[AlertRow]) -> Iterator[str]:
    """One per alert; the diagnosis of the first stands above, and of several on one object with one diagnosis it stands once."""
    shown = {_stored(members[0])} if members else set()
    for one in members:
        name, stored = " › ".join(one.path), _stored(one)
        yield f"{name} ({one.rule_name})" if not stored or stored in shown else f"{name}: {stored}"
        shown.add(stored)


def _common(members: Sequence[AlertRow]) -> dict[str, str]:
    """Labels that all of them have alike."""
    first, *others = (dict(one.labels) for one in members)
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}


# --- links ------------------------------------------------------------------------------------------------------------


def _links(alert: AlertRow, window: DiagnosedWindow, outside: OutboundPolicy) -> Iterator[MessageLink]:
    """The permalink first: the page as it was, in the window that the message is about."""
    if outside.public_url:
        base = outside.public_url
        own = f"{base}/alerts/{alert.id}"
        yield MessageLink("Open", _page(alert, window, base) or own)
        if window.advice is not None:
            yield MessageLink("Steps and commands", f"{base}/findings/{window.advice.finding_id}")
        yield MessageLink("Alert", own)
        yield MessageLink("Silence", f"{own}?do=silence")
    if alert.runbook_url:
        yield MessageLink("Runbook", alert.runbook_url)


def _page(alert: AlertRow, diagnosed: DiagnosedWindow, base: str) -> str | None:
    """Where what it is about is shown; None of what has no page."""
    if diagnosed.finding is not None:
        return f"{base}/findings/{diagnosed.finding.id}"
    if alert.subject == Subject.SOURCE:
        return f"{base}/sources"
    if alert.subject == Subject.CLUSTER:
        return None
    window = urlencode({"from": _iso(diagnosed.from_at), "to": _iso(diagnosed.to_at)}, safe=":")
    return f"{base}/{alert.subject}s/{alert.object_id}?{window}"


def _iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
