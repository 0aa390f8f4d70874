"""What a message says: the verdict on the alert's window, what it rests on, and links that show the same again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import structlog

from gavel.alerting.amounts import amount
from gavel.alerting.grouping import Group, Incident, key_of, object_count
from gavel.alerting.message import MOST_EVIDENCE, MOST_OBJECTS, LayerTime, Link, Message, Peak, Status
from gavel.alerting.rules import Quantity, Subject, Unit
from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.alerts import AlertRow
from gavel.db.queries.rows import RefKind
from gavel.db.queries.scopes import ledger_until
from gavel.domain.io_path import Grade
from gavel.pipeline.evidence import Evidence
from gavel.pipeline.judging import MINUTE, State
from gavel.pipeline.outside import Outside
from gavel.pipeline.rulings import Verdict, verdict
from gavel.pipeline.sentences import duration

log = structlog.get_logger(__name__)

# A verdict is on what is going on now, not on all of a long night; of what is over it is on all of it, up to a day.
_LATEST = timedelta(minutes=15)
_LONGEST = timedelta(days=1)
_MOST_RULES = 3
# Counters that speak of a layer, in the order in which they say most.
_SPEAKS: Mapping[str, tuple[str, ...]] = {
    "guest": ("latency_us", "outstanding", "gavg_us"),
    "kernel": ("kavg_us", "qavg_us", "queued", "davg_us"),
    "san": ("davg_us", "san_us", "service_us"),
    "array": ("service_us", "queue_us", "qos_us", "davg_us"),
}
_ANY = ("gavg_us", "davg_us", "kavg_us", "service_us", "latency_us")


@dataclass(frozen=True, slots=True)
class Told:
    """A message's window, and the verdict on it where there is one."""

    from_at: datetime
    to_at: datetime
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Occasion:
    """What is to be said: the group, the alerts in it by incident id, and under which name."""

    group: Group
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


def message(connection: Connection, occasion: Occasion, outside: Outside) -> Worded:
    """The whole of it."""
    worst, first = occasion.worst, occasion.members[0]
    status = occasion.group.status
    told = told_of(connection, first, status)
    many = object_count(occasion.group.incidents)
    found = told.verdict
    said = Message(
        event_id=occasion.event_id,
        incident_id=worst.incident_id if occasion.is_solo else f"grp_{occasion.group.key[:24]}",
        dedupe_key=worst.dedupe_key if occasion.is_solo else occasion.group.key,
        sequence=occasion.sequence,
        status=status,
        severity=worst.severity,
        rule_key=worst.rule_key,
        rule_name=_rule_names(occasion.members),
        sentence=_sentence(occasion, told, many),
        path=tuple(first.path) if many == 1 else (f"{many} objects", *first.path),
        from_at=told.from_at,
        to_at=told.to_at,
        started_at=min(one.started_at for one in occasion.members),
        sent_at=occasion.now,
        ended_at=_ended_at(occasion) if status is Status.RESOLVED else None,
        total_us=found.total_us if found else None,
        layers=tuple(LayerTime(one.label, one.us, one.lower_us, one.upper_us) for one in found.layers) if found else (),
        evidence=tuple(_evidence(first, found)),
        grade=Grade(found.quality.grade) if found and found.quality.grade else None,
        links=tuple(_links(first, told, outside)),
        labels=_common(occasion.members),
        objects=tuple(_object_line(one) for one in occasion.members[:MOST_OBJECTS]) if many > 1 else (),
        object_count=many,
        is_joint=not occasion.is_solo,
        peak=_peak(first) if len(occasion.members) == 1 else None,
    )
    return Worded(said, _picture_of(first, found) if many == 1 else None)


def _picture_of(alert: AlertRow, found: Verdict | None) -> dict[str, Any] | None:
    """A waterfall of one thing that has a verdict."""
    if found is None:
        return None
    named = [layer for layer in (found.layer, found.other) if layer is not None]
    return {"subject": alert.subject, "id": alert.object_id, "head": found.sentence.head, "named": named}


def told_of(connection: Connection, alert: AlertRow, status: Status) -> Told:
    """The window that a message on this alert is about, judged."""
    begin, end = _window(connection, alert, status)
    return Told(begin, end, _verdict(connection, alert, begin, end))


def sentence_of(connection: Connection, alert: AlertRow) -> str:
    """The verdict on an alert that fires, in words."""
    told = told_of(connection, alert, Status.FIRING)
    return told.verdict.sentence.text if told.verdict else _of_source(alert)


def _window(connection: Connection, alert: AlertRow, status: Status) -> tuple[datetime, datetime]:
    if status is Status.RESOLVED and alert.ended_at is not None:
        end = max(alert.breach_ended_at or alert.ended_at, alert.started_at + MINUTE)
        return max(alert.started_at, end - _LONGEST), end
    newest = ledger_until(connection) or alert.since_at
    end = max(newest, alert.since_at + MINUTE, alert.started_at + MINUTE)
    return max(alert.started_at, end - _LATEST), end


def _verdict(connection: Connection, alert: AlertRow, begin: datetime, end: datetime) -> Verdict | None:
    """None of what has none: sources, and things that are gone."""
    if alert.subject == Subject.SOURCE:
        return None
    try:
        with connection.begin_nested():
            found = verdict(connection, RefKind(alert.subject), alert.object_id, begin, end)
    except NotFoundError:
        return None
    except Exception:
        # That something is wrong is worth more than the words for it: one that cannot be judged must not hold up all others.
        log.exception("no verdict for a message", alert=alert.id)
        return None
    return None if found.state is State.NO_DATA else found


# --- in words ---------------------------------------------------------------------------------------------------------


def _sentence(occasion: Occasion, told: Told, many: int) -> str:
    first = occasion.members[0]
    said = told.verdict.sentence.text if told.verdict else _of_source(first)
    if occasion.group.status is Status.NO_DATA:
        said = f"No data of {first.object_name} since {first.since_at:%H:%M} UTC; before: {first.sentence or said}"
    elif occasion.group.status is Status.RESOLVED:
        said = f"{_over(occasion)} It was: {first.sentence or said}"
    return said if many == 1 else f"{many} objects, first {first.object_name}: {said}"


def _over(occasion: Occasion) -> str:
    """Since when, by the minutes' own time, after how long, and how bad it was. Who is no longer looked at need not have recovered."""
    members = occasion.members
    ended = _ended_at(occasion)
    lasted = _minutes(ended - min(one.started_at for one in members))
    peaks = [f"at its worst {_amounts(one)}" for one in map(_peak, members) if one] if len(members) == 1 else []
    how = "Over" if all(one.breach_ended_at for one in members) else "No longer looked at"
    return f"{', '.join([f'{how} since {ended:%H:%M} UTC', f'after {lasted}', *peaks])}."


def _ended_at(occasion: Occasion) -> datetime:
    return max(one.breach_ended_at or one.ended_at or occasion.now for one in occasion.members)


def _peak(alert: AlertRow) -> Peak | None:
    if alert.peak is None or alert.peak_at is None:
        return None
    return Peak(alert.peak, alert.peak_lower, alert.measure["unit"], alert.peak_at)


def _amounts(peak: Peak) -> str:
    unit = Unit(peak.unit)
    surely = "" if peak.lower is None or peak.lower == peak.value else f" (at least {amount(peak.lower, unit)})"
    return f"{amount(peak.value, unit)}{surely} at {peak.at:%H:%M}"


def _of_source(alert: AlertRow) -> str:
    """Of what has no verdict."""
    amount = alert.value or 0.0
    match alert.measure["quantity"]:
        case Quantity.SOURCE_SILENT:
            return f"{alert.object_name} has given no sample for {_minutes(timedelta(seconds=amount))}."
        case Quantity.CLOCK_OFFSET:
            return f"The clock of {alert.object_name} is {amount:.1f} s off."
        case Quantity.GAP:
            return f"{_minutes(timedelta(seconds=amount))} of the last hour are missing of {alert.object_name}."
        case _:
            return f"{alert.rule_name}: {alert.object_name}. There is no verdict on it."


def _minutes(span: timedelta) -> str:
    seconds = round(span.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _rule_names(members: Sequence[AlertRow]) -> str:
    names = list(dict.fromkeys(one.rule_name for one in members))
    more = f" and {len(names) - _MOST_RULES} more" if len(names) > _MOST_RULES else ""
    return ", ".join(names[:_MOST_RULES]) + more


def _object_line(alert: AlertRow) -> str:
    return f"{' › '.join(alert.path)}: {alert.sentence or alert.rule_name}"


def _common(members: Sequence[AlertRow]) -> dict[str, str]:
    """Labels that all of them have alike."""
    first, *others = (dict(one.labels) for one in members)
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}


# --- what it rests on -------------------------------------------------------------------------------------------------


def _evidence(alert: AlertRow, found: Verdict | None) -> Iterator[str]:
    """The three lines that say most: why the verdict is what it is, then the counters of the layer it names."""
    if found is None:
        return
    because = [why[0].upper() + why[1:] for why in found.sentence.because]
    wanted = (*_SPEAKS.get(found.layer or alert.layer or "", ()), *_ANY)
    known = {_bare(one): _line(one) for one in reversed(_largest_first(found.evidence))}
    raw = [known[name] for name in dict.fromkeys(wanted) if name in known]
    yield from [*because, *raw][:MOST_EVIDENCE]


def _largest_first(evidence: Sequence[Evidence]) -> list[Evidence]:
    return sorted(evidence, key=lambda one: -one.value)


def _bare(one: Evidence) -> str:
    """A counter without its direction."""
    return one.name.removeprefix("mirrored_write_").removeprefix("read_").removeprefix("write_")


def _line(one: Evidence) -> str:
    amount = duration(one.value) if one.unit == "µs" else f"{one.value:.0f} {one.unit}"
    return f"{one.label} {amount} ({one.counter})" if one.counter else f"{one.label} {amount}"


# --- links ------------------------------------------------------------------------------------------------------------


def _links(alert: AlertRow, told: Told, outside: Outside) -> Iterator[Link]:
    """The permalink first: the page as it was, in the window that the message is about."""
    if outside.public_url:
        base = outside.public_url
        own = f"{base}/alerts/{alert.id}"
        yield Link("Open", _page(alert, told, base) or own)
        yield Link("Alert", own)
        yield Link("Silence", f"{own}?do=silence")
    if alert.runbook_url:
        yield Link("Runbook", alert.runbook_url)


def _page(alert: AlertRow, told: Told, base: str) -> str | None:
    """Where what it is about is shown; None of what has no page."""
    if alert.subject == Subject.SOURCE:
        return f"{base}/sources"
    if alert.subject == Subject.CLUSTER:
        return None
    window = urlencode({"from": _iso(told.from_at), "to": _iso(told.to_at)}, safe=":")
    return f"{base}/{alert.subject}s/{alert.object_id}?{window}"


def _iso(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
