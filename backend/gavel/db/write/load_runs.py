"""Runs of load tools, each with its directions, and with its latency over time where the tool logged it."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert

from gavel.db.schema.load_runs import load_run, load_run_direction, load_run_series
from gavel.db.write.imports import mark_ready
from gavel.domain.imports import OffsetOrigin
from gavel.domain.load_runs import LeftOutFile, PlacedRun
from gavel.domain.text import clean_text


def save_runs(
    connection: Connection,
    import_id: int,
    placed: Sequence[PlacedRun],
    left_out: Sequence[LeftOutFile],
    offset_s: float | None,
    now: datetime,
) -> None:
    """What a file holds; with it the import is ready. left_out: of a bundle. offset_s: by how much the tool's clock was ahead, as
    it was given."""
    runs = [each.run for each in placed]
    starts_at = min((run.starts_at for run in runs if run.starts_at), default=None)
    ends_at = max((run.ends_at for run in runs if run.ends_at), default=None)
    origin = None if offset_s is None else OffsetOrigin.GIVEN
    mark_ready(
        connection,
        import_id,
        now,
        starts_at=starts_at,
        ends_at=ends_at,
        offset_s=offset_s,
        offset_by=origin,
        left_out=[{"file": clean_text(each.file, 255), "reason": clean_text(each.reason)} for each in left_out],
    )
    for position, each in enumerate(placed):
        run, tie = each.run, each.tie
        values = {
            "starts_at": _by_hosts(run.starts_at, offset_s),
            "ends_at": _by_hosts(run.ends_at, offset_s),
            **{name: getattr(run, name) for name in ("outstanding_limit", "is_direct")},
            **{name: clean_text(getattr(run, name), 200) for name in ("name", "tool", "tool_version")},
            "block_size": None if run.block_size is None else clean_text(run.block_size, 50),
            "warnings": [{**asdict(warning), "text": clean_text(warning.text)} for warning in run.warnings],
        }
        row = insert(load_run).values(import_id=import_id, position=position, **{f"{tie.kind}_id": tie.id}, **values)
        run_id = connection.execute(row.returning(load_run.c.id)).scalar_one()
        connection.execute(
            insert(load_run_direction), [{"run_id": run_id, **asdict(figures)} for figures in run.figures]
        )
        if run.series:
            rows = [
                {"run_id": run_id, **asdict(series), "starts_at": _by_hosts(series.starts_at, offset_s)}
                for series in run.series
            ]
            connection.execute(insert(load_run_series), rows)


def _by_hosts(at: datetime | None, offset_s: float | None) -> datetime | None:
    """An instant of the tool's clock by that of the hosts' samples."""
    return None if at is None else at - timedelta(seconds=offset_s or 0.0)
