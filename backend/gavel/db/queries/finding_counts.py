"""How many findings are open on each object of a kind, and which is the worst: what alerts on findings compare and say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.domain.io_path import Severity

# A virtual disk is part of its VM, a device of its host: those have alerts of their own.
_OWNED = """
    SELECT f.id, f.rule, f.severity, f.title, f.document, f.raised_at,
        CASE f.object_kind WHEN 'vm_disk' THEN 'vm' WHEN 'device' THEN 'host' ELSE f.object_kind END AS kind,
        CASE f.object_kind WHEN 'vm_disk' THEN k.vm_id WHEN 'device' THEN d.host_id ELSE f.object_id END AS object_id
    FROM finding f LEFT JOIN vm_disk k ON f.object_kind = 'vm_disk' AND k.id = f.object_id
        LEFT JOIN host_device d ON f.object_kind = 'device' AND d.id = f.object_id
    WHERE f.state = 'open' AND (CAST(:rule AS text) IS NULL OR f.rule = :rule) AND f.severity = ANY(:severities)
"""
_COUNTS = (
    f"SELECT object_id, count(*) AS open FROM ({_OWNED}) o WHERE kind = :kind AND object_id IS NOT NULL GROUP BY 1"
)
_WORST = f"""
    SELECT id, title, document ->> 'cause' AS cause, document -> 'advice' -> 0 ->> 'text' AS advice FROM ({_OWNED}) o
    WHERE kind = :kind AND object_id = :object_id ORDER BY array_position(:severities, severity) DESC, raised_at DESC, id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class WorstFinding:
    """advice: the first sentence of it."""

    id: int
    title: str
    cause: str
    advice: str | None


def open_findings(connection: Connection, kind: str, rule: str | None, least: Severity | None) -> Mapping[int, int]:
    """Open ones by object, of those that have any. rule None: of every rule; least None: of any severity. Accepted ones do not count."""
    rows = connection.execute(text(_COUNTS), {"kind": kind, **_chosen(rule, least)})
    return {row.object_id: row.open for row in rows}


def worst_open_finding(
    connection: Connection, kind: str, object_id: int, rule: str | None, least: Severity | None
) -> WorstFinding | None:
    """Of these on one object; of several equally bad ones the newest."""
    given = {"kind": kind, "object_id": object_id, **_chosen(rule, least)}
    row = connection.execute(text(_WORST), given).one_or_none()
    return None if row is None else WorstFinding(*row)


def _chosen(rule: str | None, least: Severity | None) -> dict[str, Any]:
    severities = [severity.value for severity in Severity]
    return {"rule": rule, "severities": severities[0 if least is None else severities.index(least.value) :]}
