"""What a use-case that talks to sources needs: the database, the vault, and this process's open collectors."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from gavel.db.engine import Engine
from gavel.pipeline.connections import Connections


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Workplace:
    engine: Engine
    connections: Connections
    now: Callable[[], datetime] = utc_now
