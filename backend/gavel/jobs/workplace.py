"""The workplace of one worker process: its own database connections and its own sessions with the sources."""

from pathlib import Path

from gavel.pipeline.workplace import Workplace

_here: list[Workplace] = []


def open_workplace(database_url: str, key_file: Path) -> None:
    _here[:] = [Workplace.open(database_url, key_file)]


def here() -> Workplace:
    """The workplace of this process; there is one from the start of a worker process on."""
    return _here[0]


def close_workplace() -> None:
    for place in _here:
        place.close()
    _here.clear()
