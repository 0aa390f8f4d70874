"""What rules of findings ask of sources: clocks, the step of their counters, and what of a day is missing. One statement each."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.samples import Precision
from gavel.domain.source import Stream
from gavel.findings.evidence_sources import ClockState, CoarseCounters, CoarseHost, SourceClocks, SourceGaps, StreamGap
from gavel.findings.model import ObjectRef

# Readings of so long make up what is so now; those an hour before are looked for around it, as one may be missing.
CLOCK_WINDOW = timedelta(minutes=10)
_EARLIER = timedelta(minutes=65), timedelta(minutes=50)
# A pending gap this old was not filled by the first rounds of backfill.
_FILLED_WITHIN = timedelta(minutes=30)
_DAY = timedelta(days=1)

_READINGS = """
    SELECT DISTINCT ON (source_id, subject) source_id, subject, offset_s, error_s, read_at, min(error_s) OVER (
        PARTITION BY source_id, subject) AS least_error_s
    FROM clock_offset WHERE source_id = ANY(ARRAY(SELECT id FROM source WHERE enabled)) AND read_at > :{0} AND read_at <= :{1}
    ORDER BY source_id, subject, read_at DESC
"""
_CLOCKS = f"""
    WITH newest AS ({_READINGS.format("since", "now")}), earlier AS ({_READINGS.format("earlier_since", "earlier_until")})
    SELECT n.source_id, s.name AS source, h.id AS host_id, h.name AS host, n.offset_s, n.error_s, n.least_error_s, n.read_at,
        e.offset_s AS earlier_offset_s, e.error_s AS earlier_error_s, e.read_at AS earlier_at
    FROM newest n JOIN source s ON s.id = n.source_id
    LEFT JOIN earlier e ON e.source_id = n.source_id AND e.subject IS NOT DISTINCT FROM n.subject
    LEFT JOIN esxi_host h ON h.source_id = n.source_id AND h.key = n.subject AND h.present
    WHERE (n.subject IS NULL OR h.id IS NOT NULL)
        AND (n.least_error_s > :near * :error OR abs(n.offset_s - e.offset_s) > :near * :drift)
    ORDER BY n.source_id, h.name NULLS FIRST, h.id
"""
# A little below a threshold is for the rule to decide.
_NEAR = 0.99


def source_clocks(connection: Connection, now: datetime, *, error_s: float, drift_s: float) -> list[SourceClocks]:
    """By source, those of its clocks that are uncertain or moved."""
    given = {
        "now": now,
        "since": now - CLOCK_WINDOW,
        "earlier_since": now - _EARLIER[0],
        "earlier_until": now - _EARLIER[1],
        "near": _NEAR,
        "error": error_s,
        "drift": drift_s,
    }
    by_source: Mapping[ObjectRef, list[ClockState]] = defaultdict(list)
    for row in connection.execute(text(_CLOCKS), given):
        source = ObjectRef("source", row.source_id, row.source)
        by_source[source].append(_clock(row, source))
    return [
        SourceClocks(source_id=source.id, source=source, clocks=tuple(clocks), read_at=clocks[0].read_at)
        for source, clocks in by_source.items()
    ]


def _clock(row: Row[object], source: ObjectRef) -> ClockState:
    return ClockState(
        object=source if row.host_id is None else ObjectRef("host", row.host_id, row.host),
        offset_s=row.offset_s,
        error_s=row.error_s,
        least_error_s=row.least_error_s,
        earlier_offset_s=row.earlier_offset_s,
        earlier_error_s=row.earlier_error_s,
        earlier_at=row.earlier_at,
        read_at=row.read_at,
    )


def sources_with_clocks(connection: Connection, now: datetime) -> tuple[int, ...]:
    """Those whose clocks were read lately."""
    query = "SELECT DISTINCT source_id FROM clock_offset WHERE read_at > :since AND read_at <= :now"
    return tuple(connection.execute(text(query), {"since": now - CLOCK_WINDOW, "now": now}).scalars())


_OF_DEVICE = packed.rows(SAMPLES[Stream.HOST_DEVICE], ("precision",), of="entity_id = d.id")
# One sample of any device says it of the whole host: no order, so that the first one that is there ends the search.
_COARSE = f"""
    SELECT v.source_id, s.name AS source, v.version, h.id AS host_id, h.name AS host, h.version AS host_version, p.precision
    FROM vcenter v JOIN source s ON s.id = v.source_id AND s.enabled
    JOIN esxi_host h ON h.source_id = v.source_id AND h.present,
    LATERAL (
        SELECT l.precision FROM host_device d JOIN LATERAL {_OF_DEVICE} l ON l.ts > :lo
        WHERE d.host_id = h.id AND d.present AND l.precision IS NOT NULL LIMIT 1) p
    WHERE v.present ORDER BY v.source_id, h.name, h.id
"""


def coarse_counters(connection: Connection, from_at: datetime, to_at: datetime) -> list[CoarseCounters]:
    """Of each vCenter that has any: its hosts with latencies of devices in whole milliseconds in (from_at, to_at]."""
    by_source: Mapping[tuple[int, str, str], list[Row[object]]] = defaultdict(list)
    for row in connection.execute(text(_COARSE), {"lo": from_at, "hi": to_at}):
        by_source[row.source_id, row.source, row.version].append(row)
    return [
        CoarseCounters(
            source_id=source_id,
            source=ObjectRef("source", source_id, name),
            version=version,
            hosts=tuple(
                CoarseHost(ObjectRef("host", row.host_id, row.host), row.host_version)
                for row in rows
                if row.precision == Precision.MILLISECOND
            ),
            hosts_measured=len(rows),
            read_at=to_at,
        )
        for (source_id, name, version), rows in by_source.items()
        if any(row.precision == Precision.MILLISECOND for row in rows)
    ]


# Gaps of one stream may overlap: what is missing twice is missing once.
_GAPS = """
    WITH part AS (
        SELECT g.source_id, g.stream, g.entity_key, g.reason, tstzrange(greatest(g.from_at, :lo, s.created_at), least(g.to_at, :hi)) AS time
        FROM gap g JOIN source s ON s.id = g.source_id AND s.enabled
        WHERE g.to_at > greatest(:lo, s.created_at) AND g.from_at < :hi AND g.from_at < g.to_at
            AND (g.state = 'explained' OR g.state = 'pending_backfill' AND g.noticed_at < :old)),
    missing AS (
        SELECT source_id, stream, entity_key, count(*) AS gaps, (SELECT sum(extract(epoch FROM upper(r) - lower(r)))::float8
            FROM unnest(range_agg(time)) AS r) AS missing_s, (array_agg(reason ORDER BY upper(time) - lower(time) DESC))[1] AS reason
        FROM part GROUP BY 1, 2, 3)
    SELECT m.source_id, s.name AS source, m.stream, m.gaps, m.missing_s, m.reason, h.id AS host_id, h.name AS host, v.id AS vm_id,
        v.name AS vm
    FROM missing m JOIN source s ON s.id = m.source_id
    LEFT JOIN esxi_host h ON h.source_id = m.source_id AND h.key = m.entity_key AND h.present
    LEFT JOIN vm v ON v.source_id = m.source_id AND v.key = m.entity_key AND v.present AND h.id IS NULL
    WHERE m.missing_s > :near * :least AND (m.entity_key IS NULL OR h.id IS NOT NULL OR v.id IS NOT NULL)
    ORDER BY m.source_id, m.missing_s DESC, m.stream, m.entity_key
"""


def source_gaps(connection: Connection, now: datetime, *, missing_s: float) -> list[SourceGaps]:
    """By source, streams (or hosts and VMs of them) that miss so many seconds of the last day, after backfill had its time."""
    from_at = now - _DAY
    given = {"lo": from_at, "hi": now, "old": now - _FILLED_WITHIN, "near": _NEAR, "least": missing_s}
    by_source: Mapping[ObjectRef, list[StreamGap]] = defaultdict(list)
    for row in connection.execute(text(_GAPS), given):
        gap = StreamGap(row.stream, _reporter(row), row.missing_s, row.gaps, row.reason)
        by_source[ObjectRef("source", row.source_id, row.source)].append(gap)
    return [
        SourceGaps(source_id=source.id, source=source, gaps=tuple(gaps), from_at=from_at, to_at=now)
        for source, gaps in by_source.items()
    ]


def _reporter(row: Row[object]) -> ObjectRef | None:
    if row.host_id is not None:
        return ObjectRef("host", row.host_id, row.host)
    return None if row.vm_id is None else ObjectRef("vm", row.vm_id, row.vm)
