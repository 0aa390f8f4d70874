"""The workplace of one worker process: its own database connections and its own sessions with the sources."""

from gavel.config import Settings
from gavel.db.engine import Role, open_engine
from gavel.pipeline.connections import Connections
from gavel.pipeline.secrets import load_vault
from gavel.pipeline.workplace import Workplace

_here: list[Workplace] = []


def open_workplace(settings: Settings) -> None:
    engine = open_engine(settings.database_url, Role.WORKER)
    _here[:] = [Workplace(engine, Connections(load_vault(settings.key_file)))]


def here() -> Workplace:
    """The workplace of this process; there is one from the start of a worker process on."""
    return _here[0]


def close_workplace() -> None:
    """Log out of every source and let go of the database."""
    for place in _here:
        place.connections.close()
        place.engine.dispose()
    _here.clear()
