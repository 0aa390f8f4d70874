"""Runs of load tools, each with its directions, and with its latency over time where the tool logged it."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert

from gavel.db.schema.load_runs import load_run, load_run_direction, load_run_series
from gavel.db.write.imports import mark_ready
from gavel.domain.imports import OffsetOrigin
from gavel.domain.load_runs import LoadRun, RunTie
from gavel.domain.text import clean_text


def save_runs(
    connection: Connection, import_id: int, tie: RunTie, runs: Sequence[LoadRun], offset_s: float | None, now: datetime
) -> None:
    """What a file holds; with it the import is ready. offset_s: by how much the tool's clock was ahead, as it was given."""
    starts_at = min((run.starts_at for run in runs if run.starts_at), default=None)
    ends_at = max((run.ends_at for run in runs if run.ends_at), default=None)
    origin = None if offset_s is None else OffsetOrigin.GIVEN
    mark_ready(connection, import_id, now, starts_at=starts_at, ends_at=ends_at, offset_s=offset_s, offset_by=origin)
    for position, run in enumerate(runs):
        values = {
            "starts_at": _by_hosts(run.starts_at, offset_s),
            "ends_at": _by_hosts(run.ends_at, offset_s),
            **{name: getattr(run, name) for name in ("outstanding_limit", "is_direct")},
            **{name: clean_text(getattr(run, name), 200) for name in ("name", "tool", "tool_version")},
            "block_size": None if run.block_size is None else clean_text(run.block_size, 50),
            "warnings": [{**asdict(each), "text": clean_text(each.text)} for each in run.warnings],
        }
        row = insert(load_run).values(import_id=import_id, position=position, **{f"{tie.kind}_id": tie.id}, **values)
        run_id = connection.execute(row.returning(load_run.c.id)).scalar_one()
        connection.execute(insert(load_run_direction), [{"run_id": run_id, **asdict(each)} for each in run.figures])
        if run.series:
            rows = [
                {"run_id": run_id, **asdict(each), "starts_at": _by_hosts(each.starts_at, offset_s)}
                for each in run.series
            ]
            connection.execute(insert(load_run_series), rows)


def _by_hosts(at: datetime | None, offset_s: float | None) -> datetime | None:
    """An instant of the tool's clock by that of the hosts' samples."""
    return None if at is None else at - timedelta(seconds=offset_s or 0.0)
