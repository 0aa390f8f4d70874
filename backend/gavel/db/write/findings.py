"""Writing findings: one evaluation by sets, what it raised and cleared as events; and who accepts one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb
from sqlalchemy import insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from gavel.db import copying
from gavel.db.engine import Connection
from gavel.db.errors import ConflictError, NotFoundError, ValueRefusedError
from gavel.db.schema.findings import finding, finding_evaluation, finding_event
from gavel.findings.document import document_of, object_keys
from gavel.findings.model import Finding

# Of changes of state; findings themselves stay.
EVENTS_KEPT = timedelta(days=400)
# An accepted finding comes back once its evidence is so many times what it was.
RETURNS_AT = 2.0

_KEY = ("rule", "object_kind", "object_id", "part")
_VALUES = ("source_id", "object_name", "objects", "severity", "confidence", "title", "document", "magnitude")
_STAGED = "staged_finding"
_SAME = " AND ".join(f"f.{name} = s.{name}" for name in _KEY)
_RETURNS = (
    "f.state = 'cleared' OR (f.state = 'accepted' AND (f.accepted_until <= :now"
    " OR (f.accepted_magnitude > 0 AND s.magnitude >= :times * f.accepted_magnitude)))"
)
_NOTE_RETURNS = f"""
    INSERT INTO finding_event (finding_id, happened_at, before, after, note)
    SELECT f.id, :now, f.state, 'open', CASE WHEN f.state = 'cleared' THEN '' WHEN f.accepted_until <= :now THEN 'acceptance ended'
        ELSE 'the evidence doubled since it was accepted' END
    FROM finding f JOIN {_STAGED} s ON {_SAME} WHERE {_RETURNS}
"""
_SET = ", ".join(f"{name} = s.{name}" for name in _VALUES)
_ENDED = ", ".join(
    f"{name} = CASE WHEN {_RETURNS} THEN NULL ELSE f.{name} END"
    for name in ("accepted_at", "accepted_until", "accepted_by", "accepted_why", "accepted_magnitude")
)
_UPDATE = f"""
    UPDATE finding f SET {_SET}, {_ENDED}, seen_at = :now, cleared_at = NULL,
        raised_at = CASE WHEN f.state = 'cleared' THEN :now ELSE f.raised_at END,
        state = CASE WHEN {_RETURNS} THEN 'open' ELSE f.state END
    FROM {_STAGED} s WHERE {_SAME}
"""
_NAMES = ", ".join((*_KEY, *_VALUES))
_RAISE = f"""
    WITH raised AS (
        INSERT INTO finding ({_NAMES}, state, raised_at, seen_at) SELECT {_NAMES}, 'open', :now, :now FROM {_STAGED} s
        WHERE NOT EXISTS (SELECT FROM finding f WHERE {_SAME}) RETURNING id)
    INSERT INTO finding_event (finding_id, happened_at, after) SELECT id, :now, 'open' FROM raised
"""
# Of sources that are read no longer nothing can be said: what is open there stays as it was.
_CLEAR = f"""
    WITH gone AS (
        SELECT f.id, f.state FROM finding f WHERE f.state <> 'cleared' AND (f.rule <> ALL(CAST(:known AS text[]))
            OR ((f.rule, f.source_id) IN (SELECT * FROM unnest(CAST(:rules AS text[]), CAST(:sources AS int[])))
                AND NOT EXISTS (SELECT FROM {_STAGED} s WHERE {_SAME}))) FOR NO KEY UPDATE
    ), cleared AS (
        UPDATE finding f SET state = 'cleared', cleared_at = :now, accepted_at = NULL, accepted_until = NULL, accepted_by = NULL,
            accepted_why = NULL, accepted_magnitude = NULL FROM gone WHERE f.id = gone.id)
    INSERT INTO finding_event (finding_id, happened_at, before, after) SELECT id, :now, state, 'cleared' FROM gone
"""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What rules reported in one go. known: every registered rule; findings of others are cleared.

    settled: rules and sources that were looked at as a whole, so that what is not reported of them has ended.
    until_at: through which minute of the ledger.
    """

    found: Sequence[tuple[str, Finding]]
    known: Sequence[str]
    settled: Sequence[tuple[str, int]]
    now: datetime
    until_at: datetime | None


@dataclass(frozen=True, slots=True)
class EvaluationCounts:
    raised: int
    returned: int
    cleared: int


def store_evaluation(connection: Connection, done: Evaluation) -> EvaluationCounts:
    """In a constant number of statements, however many findings there are. One writer at a time: callers hold a lock."""
    _stage(connection, done.found)
    given: dict[str, Any] = {
        "now": done.now,
        "times": RETURNS_AT,
        "rules": [rule for rule, _ in done.settled],
        "known": list(done.known),
        "sources": [source_id for _, source_id in done.settled],
    }
    returned = _rows(connection, _NOTE_RETURNS, given)
    _rows(connection, _UPDATE, given)
    raised = _rows(connection, _RAISE, given)
    cleared = _rows(connection, _CLEAR, given)
    values = {"evaluated_at": done.now, "ledger_until_at": done.until_at}
    row = upsert(finding_evaluation).values(values)
    connection.execute(row.on_conflict_do_update(index_elements=["singleton"], set_=values))
    connection.execute(
        text("DELETE FROM finding_event WHERE happened_at < :before"), {"before": done.now - EVENTS_KEPT}
    )
    return EvaluationCounts(raised, returned, cleared)


def _rows(connection: Connection, statement: str, given: dict[str, Any]) -> int:
    """Only the parameters that the statement has."""
    return connection.execute(
        text(statement), {name: value for name, value in given.items() if f":{name}" in statement}
    ).rowcount


def _stage(connection: Connection, reported: Sequence[tuple[str, Finding]]) -> None:
    types = ", ".join(f"{name} {finding.c[name].type.compile(connection.dialect)}" for name in (*_KEY, *_VALUES))
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS {_STAGED} ({types}) ON COMMIT DELETE ROWS")
    connection.exec_driver_sql(f"TRUNCATE {_STAGED}")
    unique = {(rule, one.object.kind, one.object.id, one.part): one for rule, one in reported}
    with copying.copying(connection, _STAGED, (*_KEY, *_VALUES)) as stream:
        for key, one in unique.items():
            stream.write_row((*key, *_values(one)))
    connection.exec_driver_sql(f"ANALYZE {_STAGED}")


def _values(reported: Finding) -> tuple[Any, ...]:
    return (
        reported.source_id,
        reported.object.name,
        object_keys(reported),
        reported.severity.value,
        reported.confidence.value,
        reported.title,
        Jsonb(document_of(reported)),
        reported.magnitude,
    )


# --- by people --------------------------------------------------------------------------------------------------------


def accept(connection: Connection, finding_id: int, by: str, why: str, until: datetime | None, now: datetime) -> None:
    """Raises NotFoundError, ConflictError for one that is cleared, ValueRefusedError for an end that has passed."""
    state, magnitude = _state(connection, finding_id)
    if state == "cleared":
        raise ConflictError(f"Finding {finding_id} is cleared: there is nothing to accept.")
    if until is not None and until <= now:
        raise ValueRefusedError(f"until: {until:%Y-%m-%d %H:%M} UTC has passed. Give a later time, or none.")
    values = {"accepted_at": now, "accepted_until": until, "accepted_by": by, "accepted_why": why}
    _move(connection, finding_id, "accepted", values | {"accepted_magnitude": magnitude})
    _note(connection, finding_id, now, state, "accepted", by, why)


def reopen(connection: Connection, finding_id: int, now: datetime) -> None:
    """Ends an acceptance; nothing to do for one that is not accepted. Raises NotFoundError."""
    state, _ = _state(connection, finding_id)
    if state != "accepted":
        return
    columns = ("accepted_at", "accepted_until", "accepted_by", "accepted_why", "accepted_magnitude")
    _move(connection, finding_id, "open", dict.fromkeys(columns))
    _note(connection, finding_id, now, state, "open", None, "acceptance withdrawn")


def _state(connection: Connection, finding_id: int) -> tuple[str, float]:
    query = (
        select(finding.c.state, finding.c.magnitude).where(finding.c.id == finding_id).with_for_update(key_share=True)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no finding {finding_id}.")
    return row.state, row.magnitude


def _move(connection: Connection, finding_id: int, state: str, values: dict[str, Any]) -> None:
    connection.execute(update(finding).where(finding.c.id == finding_id).values(state=state, **values))


def _note(
    connection: Connection, finding_id: int, at: datetime, before: str, after: str, by: str | None, note: str
) -> None:
    values = {
        "finding_id": finding_id,
        "happened_at": at,
        "before": before,
        "after": after,
        "made_by": by,
        "note": note,
    }
    connection.execute(insert(finding_event).values(values))
