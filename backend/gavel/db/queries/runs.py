"""Collection runs: what each attempt to read a source cost and brought."""

from dataclasses import dataclass
from datetime import datetime

from gavel.db.engine import Connection
from gavel.domain.errors import ErrorKind


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt. `stream`: a stream's name or 'inventory'. `samples` rows read, `new_samples` of them not stored before."""

    source_id: int
    stream: str
    queue: str
    started_at: datetime
    duration_s: float
    calls: int = 0
    bytes_received: int = 0
    samples: int = 0
    new_samples: int = 0
    strangers: int = 0
    conflicting: int = 0
    lag_s: float | None = None
    clock_offset_s: float | None = None
    error_kind: ErrorKind | None = None
    error_message: str | None = None
    id: int | None = None


def record_run(connection: Connection, run: Run) -> int:
    """Its id."""
    raise NotImplementedError


def runs(connection: Connection, source_id: int, *, stream: str | None = None, limit: int = 50) -> tuple[Run, ...]:
    """Newest first."""
    raise NotImplementedError
