"""A load tool's latency over time beside Gavel's layers of the same time, by one clock."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.db.engine import Connection
from gavel.db.queries.load_runs import StoredRun, load_run_latency, load_stored_run
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.domain.load_runs import LoggedLatency
from gavel.views.series import Latency, disk_latency, latency

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLatency:
    """`times_ms`: start of each bucket of the tool's, ms since 1970 by the clock of the hosts' samples, `step_s` apart. `gavel`: layers of
    what the run is tied to (`subject`), or of the virtual disk of it, over the minutes that the log touches, in steps of their own."""

    run_id: int
    subject: EntityRef
    tool: str
    step_s: int
    times_ms: list[int]
    series: tuple[LoggedLatency, ...]
    gavel: Latency


def run_latency(connection: Connection, run_id: int) -> RunLatency | None:
    """None where the tool logged nothing over time. Raises NotFoundError."""
    run = load_stored_run(connection, run_id)
    logged = load_run_latency(connection, run_id)
    if not logged:
        return None
    first, count = logged[0], len(logged[0].mean_us)
    ends_at = first.starts_at + count * timedelta(seconds=first.step_s)
    from_at, last_minute = (at.replace(second=0, microsecond=0) for at in (first.starts_at, ends_at))
    to_at = last_minute if last_minute == ends_at else last_minute + _MINUTE
    first_ms = round(first.starts_at.timestamp() * 1000)
    return RunLatency(
        run_id=run.id,
        subject=run.subject,
        tool=run.tool,
        step_s=first.step_s,
        times_ms=[first_ms + position * first.step_s * 1000 for position in range(count)],
        series=tuple(logged),
        gavel=_layers(connection, run, from_at, to_at),
    )


def _layers(connection: Connection, run: StoredRun, from_at: datetime, to_at: datetime) -> Latency:
    if run.disk_id is None:
        return latency(connection, run.subject.kind, run.subject.id, from_at, to_at, None)
    disk = EntityRef(RefKind.VM_DISK, run.disk_id, run.disk or f"virtual disk {run.disk_id}")
    return disk_latency(connection, disk, from_at, to_at)
