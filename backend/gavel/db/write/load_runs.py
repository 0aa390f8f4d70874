"""Runs of load tools, each with its directions."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, insert, update

from gavel.db.schema.imports import file_import
from gavel.db.schema.load_runs import load_run, load_run_direction
from gavel.domain.imports import ImportState
from gavel.domain.load_runs import LoadDirection, LoadRun
from gavel.domain.text import clean_text

_LATENCIES = ("mean_us", "max_us", "p50_us", "p95_us", "p99_us", "p999_us")


def save_runs(connection: Connection, import_id: int, vm_id: int, runs: Sequence[LoadRun], now: datetime) -> None:
    """What a file holds; with it the import is ready."""
    connection.execute(
        update(file_import)
        .where(file_import.c.id == import_id)
        .values(
            state=ImportState.READY,
            error=None,
            changed_at=now,
            read_bytes=file_import.c.size_bytes,
            starts_at=min((run.starts_at for run in runs if run.starts_at), default=None),
            ends_at=max((run.ends_at for run in runs if run.ends_at), default=None),
        )
    )
    for position, run in enumerate(runs):
        values = {
            **{name: getattr(run, name) for name in ("starts_at", "ends_at", "outstanding_limit", "is_direct")},
            **{name: clean_text(getattr(run, name), 200) for name in ("name", "tool", "tool_version")},
            "block_size": None if run.block_size is None else clean_text(run.block_size, 50),
            "warnings": [{**asdict(each), "text": clean_text(each.text)} for each in run.warnings],
        }
        row = insert(load_run).values(import_id=import_id, position=position, vm_id=vm_id, **values)
        run_id = connection.execute(row.returning(load_run.c.id)).scalar_one()
        connection.execute(insert(load_run_direction), [_direction(run_id, each) for each in run.directions])


def _direction(run_id: int, each: LoadDirection) -> dict[str, object]:
    rates = {name: getattr(each, name) for name in ("direction", "ops", "ops_per_s", "bytes_per_s")}
    return {"run_id": run_id, **rates, **{name: getattr(each.latency, name, None) for name in _LATENCIES}}
