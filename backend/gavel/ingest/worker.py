"""What a use-case that talks to sources needs: the database, the vault, and this process's open collectors."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from gavel import clock
from gavel.db.engine import Engine, Role, open_engine
from gavel.domain.owner_clocks import OwnerClocks
from gavel.egress.policy import OutboundPolicy
from gavel.ingest.connections import Connections
from gavel.vault import load_vault


def never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class WorkerContext:
    engine: Engine
    connections: Connections
    now: Callable[[], datetime] = clock.now
    outside: OutboundPolicy = field(default_factory=OutboundPolicy)
    # Whether this process is to end: long work then stops at its next step.
    stopping: Callable[[], bool] = never
    # Of each source, as its live reading last needed them.
    owner_clocks: dict[int, OwnerClocks] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        database_url: str,
        key_file: Path,
        stopping: Callable[[], bool] = never,
        outside: OutboundPolicy | None = None,
    ) -> "WorkerContext":
        """The workplace of a worker process. Connects on first use."""
        engine, connections = open_engine(database_url, Role.WORKER), Connections(load_vault(key_file))
        return cls(engine, connections, stopping=stopping, outside=outside or OutboundPolicy())

    def close(self) -> None:
        """Log out of every source and let go of the database."""
        self.connections.close()
        self.engine.dispose()
