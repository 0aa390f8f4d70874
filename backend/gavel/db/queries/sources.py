"""Sources: their settings, and how well their collection goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gavel.db.engine import Connection
from gavel.db.queries.runs import Run
from gavel.domain.source import ClockReading, SourceKind, Stream


@dataclass(frozen=True, slots=True)
class SourceRow:
    """`settings` without secrets; `secrets_encrypted` is an envelope under the key `secrets_key_id`, opened elsewhere."""

    id: int
    kind: SourceKind
    name: str
    address: str
    settings: Mapping[str, Any]
    secrets_encrypted: bytes | None
    secrets_key_id: str | None
    enabled: bool
    created_at: datetime
    identity: str | None
    inventory_at: datetime | None


@dataclass(frozen=True, slots=True)
class StreamHealth:
    """`lag_s` = now − until_at on the source's clock; `samples_per_s` new rows over the last 5 minutes."""

    stream: Stream
    until_at: datetime | None
    lag_s: float | None
    samples_per_s: float | None
    last_run: Run | None
    open_gaps: int


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """`newest_run` over all streams; `failing_since`: start of the first of the failures in a row, when the newest run failed.

    `entities`: present things by table. `version` as the source tells it.
    """

    source: SourceRow
    version: str | None
    streams: tuple[StreamHealth, ...]
    clocks: tuple[ClockReading, ...]
    newest_run: Run | None
    failing_since: datetime | None
    open_gaps: int
    entities: Mapping[str, int]


def add_source(
    connection: Connection,
    *,
    kind: SourceKind,
    name: str,
    address: str,
    settings: Mapping[str, Any],
    enabled: bool,
    now: datetime,
) -> int:
    """Its id. Secrets follow by `store_secrets`, since their envelope is bound to the id. Raises NameTakenError."""
    raise NotImplementedError


def change_source(connection: Connection, source_id: int, **changes: Any) -> None:
    """Set any of name, address, settings, enabled. Raises NotFoundError, NameTakenError."""
    raise NotImplementedError


def store_secrets(connection: Connection, source_id: int, envelope: bytes | None, key_id: str | None) -> None:
    raise NotImplementedError


def remove_source(connection: Connection, source_id: int) -> None:
    """The source with its account and estate; its samples can no longer be reached and leave with their retention."""
    raise NotImplementedError


def source(connection: Connection, source_id: int) -> SourceRow:
    """Raises NotFoundError."""
    raise NotImplementedError


def source_by_name(connection: Connection, name: str) -> SourceRow:
    """Raises NotFoundError."""
    raise NotImplementedError


def sources(connection: Connection, *, enabled_only: bool = False) -> tuple[SourceRow, ...]:
    """By name."""
    raise NotImplementedError


def source_health(connection: Connection, now: datetime, source_id: int | None = None) -> tuple[SourceHealth, ...]:
    """Of every source, or of one; by name."""
    raise NotImplementedError
