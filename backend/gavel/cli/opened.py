"""The database and the vault for the length of a command."""

from collections.abc import Iterator
from contextlib import contextmanager

from gavel.cli.running import database
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine


@contextmanager
def opened(settings: Settings) -> Iterator[Engine]:
    """Of an installation that may be running or not."""
    with database(settings) as url:
        engine = open_engine(url, Role.API)
        try:
            yield engine
        finally:
            engine.dispose()
