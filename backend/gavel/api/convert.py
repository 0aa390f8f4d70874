"""From what the database answers to what crosses the API, where the two differ in more than names."""

from collections.abc import Iterable, Mapping
from typing import Any

from gavel.api.schemas.common import GapOut, SourceRef
from gavel.api.schemas.sources import (
    CertificateOut,
    CheckOut,
    ClockOut,
    PreflightOut,
    RunOut,
    SourceDetail,
    SourceOut,
    StreamOut,
)
from gavel.db.engine import Connection
from gavel.db.queries.gaps import Gap, GapState, pending_gaps
from gavel.db.queries.runs import Run
from gavel.db.queries.sources import SourceHealth, SourceRow, StreamHealth
from gavel.domain.source import GRAIN_S, Check, Preflight
from gavel.pipeline.certificates import Certificate
from gavel.pipeline.connections import secret_fields
from gavel.pipeline.health import state, warnings


def source_out(health: SourceHealth) -> SourceOut:
    return SourceOut(**_source_fields(health))


def source_detail(health: SourceHealth, runs: Iterable[Run], connection: Connection) -> SourceDetail:
    row = health.source
    return SourceDetail(
        **_source_fields(health),
        runs=[run_out(run) for run in runs],
        gaps=[gap_out(gap, {row.id: row}) for gap in pending_gaps(connection, row.id)],
    )


def _source_fields(health: SourceHealth) -> dict[str, Any]:
    row, newest = health.source, health.newest_run
    failed = newest if newest and newest.error_kind else None
    streams = [stream_out(stream) for stream in health.streams]
    return {
        "id": row.id,
        "kind": row.kind,
        "name": row.name,
        "enabled": row.enabled,
        "state": state(health),
        "settings": dict(row.settings),
        "secrets_set": sorted(secret_fields(row.kind)) if row.secrets_encrypted else [],
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
    )


def run_out(run: Run) -> RunOut:
    return RunOut.model_validate(run)


def gap_out(gap: Gap, sources: Mapping[int, SourceRow]) -> GapOut:
    row = sources[gap.source_id]
    return GapOut(
        source=SourceRef(id=row.id, kind=row.kind, name=row.name),
        stream=gap.stream,
        subject=gap.entity_key,
        from_at=gap.from_at,
        to_at=gap.to_at,
        reason=gap.reason,
        state="pending_backfill" if gap.state is GapState.PENDING_BACKFILL else "explained",
    )


def preflight_out(found: Preflight) -> PreflightOut:
    return PreflightOut(passed=found.passed, checks=[_check_out(check) for check in found.checks])


def _check_out(check: Check) -> CheckOut:
    return CheckOut(
        name=check.name,
        state=check.state.value,
        detail=check.detail,
        remedy=check.remedy,
        presented_sha256=check.presented_sha256,
    )


def certificate_out(found: Certificate) -> CertificateOut:
    return CertificateOut.model_validate(found)


def fields_of(value: object) -> dict[str, Any]:
    """A dataclass by name, as deep as its own fields."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]
