"""From what the database answers to what crosses the API, where the two differ in more than names."""

from collections.abc import Iterable, Mapping
from typing import Any

from gavel.admin.health import state, warnings
from gavel.admin.sources import kind_title, secrets_set, shown_settings
from gavel.api.schemas.common import GapOut, SourceRef
from gavel.api.schemas.sources import ClockOut, PreflightOut, RunOut, SourceDetail, SourceOut, StreamOut
from gavel.db.engine import Connection
from gavel.db.queries.gaps import Gap, GapState, SourceGap, pending_gaps
from gavel.db.queries.runs import SourceRun
from gavel.db.queries.sources import SourceHealth, SourceRow, StreamHealth
from gavel.domain.source import GRAIN_S, OF_ARRAYS, Preflight
from gavel.vault import Vault


def source_out(health: SourceHealth, vault: Vault) -> SourceOut:
    return SourceOut(**_source_fields(health, vault))


def source_detail(
    health: SourceHealth, runs: Iterable[SourceRun], connection: Connection, vault: Vault
) -> SourceDetail:
    row = health.source
    return SourceDetail(
        **_source_fields(health, vault),
        runs=[run_out(run) for run in runs],
        gaps=[gap_out(gap, {row.id: row}) for gap in pending_gaps(connection, row.id)],
    )


def _source_fields(health: SourceHealth, vault: Vault) -> dict[str, Any]:
    row, newest = health.source, health.newest_run
    failed = newest if newest and newest.error_kind else None
    streams = [stream_out(stream) for stream in health.streams]
    return {
        "id": row.id,
        "kind": row.kind,
        "kind_title": kind_title(row.kind),
        "name": row.name,
        "enabled": row.enabled,
        "state": state(health),
        "settings": shown_settings(row),
        "secrets_set": sorted(secrets_set(row, vault)),
        "identity": row.identity,
        "version": health.version,
        "error_kind": failed.error_kind if failed else None,
        "error_message": failed.error_message if failed else None,
        "error_since": health.failing_since if failed else None,
        "streams": streams,
        "clocks": [
            ClockOut(
                subject=clock.subject,
                name=None if clock.subject is None else health.host_names.get(clock.subject),
                offset_s=clock.offset_s,
                error_s=clock.error_s,
                read_at=clock.read_at,
            )
            for clock in health.clocks
        ],
        "open_gaps": health.open_gaps,
        "entities": dict(health.entities),
        "warnings": warnings(health),
    }


def stream_out(stream: StreamHealth) -> StreamOut:
    run = stream.last_run
    brought = run if run and run.error_kind is None else None
    return StreamOut(
        stream=stream.stream,
        interval_s=GRAIN_S[stream.stream],
        until_at=stream.until_at,
        lag_s=stream.lag_s,
        samples_per_s=stream.samples_per_s,
        last_run_at=run.started_at if run else None,
        last_duration_s=run.duration_s if run else None,
        last_samples=brought.samples if brought else None,
        last_new_samples=brought.new_samples if brought else None,
        open_gaps=stream.open_gaps,
        completed_1h=stream.completed,
        corrected_1h=stream.corrected,
    )


def run_out(run: SourceRun) -> RunOut:
    return RunOut.model_validate(run)


def gap_out(gap: Gap, sources: Mapping[int, SourceRow]) -> GapOut:
    row = sources[gap.source_id]
    return _gap_out(gap, SourceRef(id=row.id, kind=row.kind, name=row.name))


def source_gap_out(missing: SourceGap) -> GapOut:
    source = SourceRef(id=missing.gap.source_id, kind=missing.source_kind, name=missing.source_name)
    return _gap_out(missing.gap, source)


def _gap_out(gap: Gap, source: SourceRef) -> GapOut:
    return GapOut(
        source=source,
        stream=gap.stream,
        side="array" if gap.stream in OF_ARRAYS else "host",
        subject=gap.entity_key,
        from_at=gap.from_at,
        to_at=gap.to_at,
        reason=gap.reason,
        state="pending_backfill" if gap.state is GapState.PENDING_BACKFILL else "explained",
    )


def preflight_out(preflight: Preflight) -> PreflightOut:
    return PreflightOut(passed=preflight.passed, checks=list(preflight.checks))
