"""What a turn of the machine of alerts found, written: alerts, their transitions, and what came too late."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, case, func, insert, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from gavel.db.engine import Connection
from gavel.db.schema.alerting import alert, alert_late, alert_transition

# What a later transition of the same alert changes.
_MOVES = ("state", "sequence", "since_at", "ended_at", "value", "lower", "excess_outstanding")
_AT_ONCE = 2000


def write_alerts(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows of `alert`, each once: new ones whole, of known ones what moves. Who fired stays as it is."""
    for first in range(0, len(rows), _AT_ONCE):
        stored = upsert(alert).values([dict(row) for row in rows[first : first + _AT_ONCE]])
        moved: dict[str, Any] = {name: stored.excluded[name] for name in _MOVES}
        moved["fired_at"] = func.coalesce(alert.c.fired_at, stored.excluded.fired_at)
        # Ends (a rule that is gone) measure nothing: the last numbers stay.
        for name in ("value", "lower", "excess_outstanding"):
            moved[name] = func.coalesce(moved[name], alert.c[name])
        # Who breaches again has not recovered; an end after a recovery leaves the begin of that as it is.
        kept = func.coalesce(stored.excluded.recovered_at, alert.c.recovered_at)
        moved["recovered_at"] = case((stored.excluded.state == "firing", None), else_=kept)
        connection.execute(stored.on_conflict_do_update(index_elements=["id"], set_=moved))


_PEAKS = text("""
    UPDATE alert a SET peak = p.value, peak_lower = p.lower, peak_at = to_timestamp(p.minute * 60.0)
    FROM unnest(CAST(:ids AS bigint[]), CAST(:values AS float8[]), CAST(:lowers AS float8[]), CAST(:minutes AS bigint[]))
        AS p (id, value, lower, minute)
    WHERE a.id = p.id AND (a.peak IS NULL OR p.value > a.peak)
""")


def write_peaks(
    connection: Connection,
    ids: Sequence[int],
    values: Sequence[float],
    lowers: Sequence[float | None],
    minutes: Sequence[int],
) -> None:
    """A breaching minute of each of these alerts, since 1970: kept where it is the worst so far."""
    if ids:
        connection.execute(_PEAKS, {"ids": ids, "values": values, "lowers": lowers, "minutes": minutes})


def end_unfired(connection: Connection, pairs: Sequence[tuple[int, int]], before_id: int, at: datetime) -> None:
    """What (rule, object) had begun before and never fired is over: another one has begun."""
    if not pairs:
        return
    query = text("""
        UPDATE alert a SET ended_at = :at, state = 'inactive'
        FROM unnest(CAST(:rules AS int[]), CAST(:objects AS int[])) AS p (rule_id, object_key)
        WHERE a.rule_id = p.rule_id AND a.object_key = p.object_key AND a.ended_at IS NULL AND a.fired_at IS NULL
            AND a.id < :before_id
    """)
    rules, objects = zip(*pairs, strict=True)
    connection.execute(query, {"at": at, "rules": list(rules), "objects": list(objects), "before_id": before_id})


def end_by_id(connection: Connection, alert_id: int, **values: Any) -> None:
    """Moves an alert of which nothing but its id is known any more: its rule is gone."""
    connection.execute(update(alert).where(alert.c.id == alert_id).values(**values))


def write_transitions(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    for first in range(0, len(rows), _AT_ONCE):
        connection.execute(insert(alert_transition), [dict(row) for row in rows[first : first + _AT_ONCE]])


def write_late(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> int:
    """Those minutes that no alert of the same rule and object was open in; returns how many are new."""
    written = 0
    for first in range(0, len(rows), _AT_ONCE):
        stored = upsert(alert_late).values([dict(row) for row in rows[first : first + _AT_ONCE]])
        written += connection.execute(stored.on_conflict_do_nothing()).rowcount
    if written:
        connection.execute(
            text("""
                DELETE FROM alert_late l USING alert a WHERE l.detected_at = :detected_at AND a.rule_id = l.rule_id
                    AND a.object_key = l.object_key AND a.started_at <= l.minute_at
                    AND (a.ended_at IS NULL OR a.ended_at >= l.minute_at)
            """),
            {"detected_at": rows[0]["detected_at"]},
        )
    return written


def note_sentence(connection: Connection, alert_id: int, sentence: str) -> None:
    """The diagnosis when it fired."""
    connection.execute(
        update(alert).where(and_(alert.c.id == alert_id, alert.c.sentence.is_(None))).values(sentence=sentence)
    )


def forget_alerts(connection: Connection, over_before: datetime, unfired_before: datetime) -> int:
    """Alerts that were over so long ago, with their transitions and late minutes; returns how many alerts."""
    connection.execute(text("DELETE FROM alert_late WHERE minute_at < :at"), {"at": over_before})
    connection.execute(
        text("DELETE FROM notification WHERE created_at < :at AND state <> 'pending'"), {"at": over_before}
    )
    query = text("""
        DELETE FROM alert WHERE (ended_at < :over_before)
            OR (fired_at IS NULL AND coalesce(ended_at, since_at) < :unfired_before)
    """)
    return connection.execute(query, {"over_before": over_before, "unfired_before": unfired_before}).rowcount
