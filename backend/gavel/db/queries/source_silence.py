"""What each source that is switched on last gave, when it was last asked, how its clock stands, and what is missing of the last hour."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from gavel.db.engine import Connection


@dataclass(frozen=True, slots=True)
class SourceStand:
    """samples_until_at: by Gavel's clock. offset_s = source − Gavel, true within ± offset_error_s. missing_s: of its worst stream."""

    source_id: int
    created_at: datetime
    samples_until_at: datetime | None
    newest_run_at: datetime | None
    newest_run_ended_at: datetime | None
    newest_failed: bool
    offset_s: float | None
    offset_error_s: float | None
    missing_s: float


_STANDS = text("""
    SELECT s.id, s.created_at,
        w.until_at - make_interval(secs => coalesce(c.offset_s, 0)) AS samples_until_at,
        r.started_at, r.started_at + make_interval(secs => r.duration_s) AS ended_at, r.error_kind IS NOT NULL AS failed,
        c.offset_s, c.error_s, coalesce(g.missing_s, 0)
    FROM source s
    LEFT JOIN LATERAL (SELECT max(until_at) AS until_at FROM watermark w WHERE w.source_id = s.id) w ON true
    LEFT JOIN LATERAL (
        SELECT started_at, duration_s, error_kind FROM collection_run r
        WHERE r.source_id = s.id AND r.queue = 'live' ORDER BY started_at DESC, id DESC LIMIT 1) r ON true
    LEFT JOIN LATERAL (
        SELECT offset_s, error_s FROM clock_offset c
        WHERE c.source_id = s.id AND c.subject IS NULL ORDER BY read_at DESC LIMIT 1) c ON true
    LEFT JOIN LATERAL (
        SELECT max(of_stream) AS missing_s FROM (
            SELECT sum(extract(epoch FROM least(to_at, :now) - greatest(from_at, :hour_ago)))::float8 AS of_stream
            FROM gap g WHERE g.source_id = s.id AND g.entity_key IS NULL AND g.state <> 'recovered'
                AND g.to_at > :hour_ago AND g.from_at < :now GROUP BY g.stream) q) g ON true
    WHERE s.enabled ORDER BY s.id
""")


def source_stands(connection: Connection, now: datetime) -> tuple[SourceStand, ...]:
    """By id."""
    hour_ago = now.timestamp() - 3600
    given = {"now": now, "hour_ago": datetime.fromtimestamp(hour_ago, now.tzinfo)}
    return tuple(SourceStand(*row) for row in connection.execute(_STANDS, given))
