"""Transitions of the machine as alerts that people know: of which thing, along which path, under which labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from gavel.alerting.machine.states import BREACHING, AlertState, Table
from gavel.alerting.rules.model import Quantity, Rule, Subject
from gavel.alerting.rules.plain import plain_measure
from gavel.alerting.use.objects import stored_key
from gavel.alerting.use.readings import MinuteRead, WatchedObjects
from gavel.db.engine import Connection
from gavel.db.queries.alert_objects import AlertObject
from gavel.db.write import alert_states

# What a thing's path goes through, outermost first, where it is known.
_PATH = ("array", "volume", "datastore", "cluster", "host", "vm")
_LABELS = ("array", "datastore", "host", "cluster")


@dataclass(frozen=True, slots=True)
class Moved:
    """`TRANSITION`s of one step; watching and read: what they were found in. Without: rules that are gone, of which nothing is known."""

    transitions: Table
    watching: WatchedObjects | None
    read: MinuteRead | None


def write_moved(connection: Connection, moved: Sequence[Moved], now: datetime) -> int:
    """Alerts and their transitions; returns how many transitions."""
    alerts: dict[int, dict[str, Any]] = {}
    steps: list[dict[str, Any]] = []
    for one in moved:
        for transition in one.transitions:
            row = _moves(transition)
            known = alerts.get(row["id"])
            if one.watching is None or one.read is None:
                _end(connection, row)
            else:
                whole = row | _described(one.watching, one.read, transition)
                # Later transitions of one turn count; what the first one told stays.
                alerts[row["id"]] = whole if known is None else known | _later(known, whole)
            steps.append(_step(transition, now))
    _begin_anew(connection, alerts)
    alert_states.write_alerts(connection, list(alerts.values()))
    alert_states.write_transitions(connection, steps)
    return len(steps)


def write_peaks(connection: Connection, breaching: Sequence[Table]) -> None:
    """The worst of these minutes of each alert, if it is worse than what is known."""
    every = np.concatenate([np.empty(0, BREACHING), *breaching])
    every = every[~np.isnan(every["value"])]
    every = every[np.lexsort((every["value"], every["incident"]))]
    worst = every[np.append(every["incident"][1:] != every["incident"][:-1], True)[: len(every)]]
    lowers = [_number(one) for one in worst["lower"].tolist()]
    alert_states.write_peaks(
        connection, worst["incident"].tolist(), worst["value"].tolist(), lowers, worst["minute"].tolist()
    )


def write_late_ones(connection: Connection, late: Sequence[Table], now: datetime) -> int:
    """Returns how many are new."""
    rows = [
        {
            "rule_id": int(one["rule_id"]),
            "object_key": stored_key(int(one["object_id"])),
            "minute_at": _at(one["minute"]),
            "value": _number(one["value"]),
            "lower": _number(one["lower"]),
            "detected_at": now,
        }
        for table in late
        for one in table
    ]
    return alert_states.write_late(connection, rows)


def _moves(transition: np.void) -> dict[str, Any]:
    after, at = AlertState(int(transition["after"])), _at(transition["minute"])
    is_over = after in (AlertState.RESOLVED, AlertState.INACTIVE)
    return {
        "id": int(transition["incident"]),
        "state": after.name.lower(),
        "sequence": int(transition["sequence"]),
        "since_at": at,
        "started_at": _at(transition["started_minute"]),
        "fired_at": at if after is AlertState.FIRING else None,
        "ended_at": at if is_over else None,
        "recovered_at": at if _begins_recovery(transition, after) else None,
        "value": _number(transition["value"]),
        "lower": _number(transition["lower"]),
    }


def _begins_recovery(transition: np.void, after: AlertState) -> bool:
    """Also where it is over with its first minute of recovery."""
    return after is AlertState.RECOVERING or (
        after is AlertState.RESOLVED and transition["before"] != AlertState.RECOVERING
    )


def _later(stored: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    recovered = None if whole["state"] == "firing" else whole["recovered_at"] or stored["recovered_at"]
    moved = {
        name: whole[name]
        for name in ("state", "sequence", "since_at", "ended_at", "value", "lower", "excess_outstanding")
    }
    return moved | {"fired_at": stored["fired_at"] or whole["fired_at"], "recovered_at": recovered}


def _step(transition: np.void, now: datetime) -> dict[str, Any]:
    return {
        "alert_id": int(transition["incident"]),
        "sequence": int(transition["sequence"]),
        "before": AlertState(int(transition["before"])).name.lower(),
        "after": AlertState(int(transition["after"])).name.lower(),
        "minute_at": _at(transition["minute"]),
        "value": _number(transition["value"]),
        "lower": _number(transition["lower"]),
        "detected_at": now,
    }


def _end(connection: Connection, row: Mapping[str, Any]) -> None:
    changed = {name: row[name] for name in ("state", "sequence", "since_at", "ended_at")}
    alert_states.end_by_id(connection, row["id"], **changed)


def _begin_anew(connection: Connection, alerts: Mapping[int, Mapping[str, Any]]) -> None:
    fresh = [row for row in alerts.values() if row["sequence"] == 1]
    if fresh:
        pairs = [(row["rule_id"], row["object_key"]) for row in fresh]
        first = min(row["id"] for row in fresh)
        alert_states.end_unfired(connection, pairs, first, min(row["started_at"] for row in fresh))


# --- what is told of it -----------------------------------------------------------------------------------------------


def _described(watching: WatchedObjects, read: MinuteRead, transition: np.void) -> dict[str, Any]:
    rule_id, key = int(transition["rule_id"]), int(transition["object_id"])
    rule = watching.rules[rule_id]
    thing = watching.things.objects[int(np.searchsorted(watching.things.keys, key))]
    seen = read.readings.object_id
    return {
        "rule_id": rule_id,
        "rule_key": rule.key,
        "rule_name": rule.name,
        "severity": rule.severity.value,
        "subject": rule.scope.subject.value,
        "object_key": stored_key(key),
        "object_id": thing.id,
        "object_name": thing.name,
        "layer": None if rule.layer is None else rule.layer.name.lower(),
        "path": list(_path(rule.scope.subject, thing)),
        "labels": _labels(rule, thing),
        "measure": plain_measure(rule.conditions[0].measure),
        "runbook_url": rule.runbook_url,
        "array_down": _array_down(rule, thing),
        "excess_outstanding": _number(read.excess_outstanding[int(np.searchsorted(seen, key))]),
    }


def _path(subject: Subject, thing: AlertObject) -> Iterator[str]:
    """From the array on; of several places of one kind how many there are."""
    own = subject.value
    for what in _PATH:
        if what == own:
            break
        names = thing.facts.get(what, ())
        if names:
            yield names[0] if len(names) == 1 else f"{len(names)} {what}s"
    yield thing.name


def _labels(rule: Rule, thing: AlertObject) -> dict[str, str]:
    """Places only where there is one: what is on two arrays is not of either."""
    places = {what: names[0] for what in _LABELS if len(names := thing.facts.get(what, ())) == 1}
    layer = {} if rule.layer is None else {"layer": rule.layer.name.lower()}
    return {
        **rule.labels,
        **places,
        **layer,
        "rule": rule.key,
        "severity": rule.severity.value,
        "kind": rule.scope.subject.value,
        "object": thing.name,
    }


def _array_down(rule: Rule, thing: AlertObject) -> str | None:
    silent = any(condition.measure.quantity is Quantity.SAMPLE_AGE for condition in rule.conditions)
    names = thing.facts.get("array", ())
    return names[0] if silent and rule.scope.subject is Subject.SOURCE and len(names) == 1 else None


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _at(minute: Any) -> datetime:
    return datetime.fromtimestamp(int(minute) * 60, UTC)
