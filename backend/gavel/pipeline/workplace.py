"""What a use-case that talks to sources needs: the database, the vault, and this process's open collectors."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gavel.db.engine import Engine, Role, open_engine
from gavel.pipeline.connections import Connections
from gavel.pipeline.outside import Outside
from gavel.pipeline.secrets import load_vault


def utc_now() -> datetime:
    return datetime.now(UTC)


def never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Workplace:
    engine: Engine
    connections: Connections
    now: Callable[[], datetime] = utc_now
    outside: Outside = field(default_factory=Outside)
    # Whether this process is to end: long work then stops at its next step.
    stopping: Callable[[], bool] = never

    @classmethod
    def open(
        cls, database_url: str, key_file: Path, stopping: Callable[[], bool] = never, outside: Outside | None = None
    ) -> "Workplace":
        """The workplace of a worker process. Connects on first use."""
        engine, connections = open_engine(database_url, Role.WORKER), Connections(load_vault(key_file))
        return cls(engine, connections, stopping=stopping, outside=outside or Outside())

    def close(self) -> None:
        """Log out of every source and let go of the database."""
        self.connections.close()
        self.engine.dispose()
