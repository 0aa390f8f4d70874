"""Volumes: the list and a single one."""

from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.rows import ListQuery, Page, VolumeDetail, VolumeRow


def volumes(connection: Connection, query: ListQuery, now: datetime) -> Page[VolumeRow]:
    """What is there now, with the newest numbers."""
    raise NotImplementedError


def volume(connection: Connection, volume_id: int, now: datetime) -> VolumeDetail:
    """Raises NotFoundError."""
    raise NotImplementedError
