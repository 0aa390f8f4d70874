"""Hosts: the list and a single one."""

from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.rows import HostDetail, HostRow, ListQuery, Page


def hosts(connection: Connection, query: ListQuery, now: datetime) -> Page[HostRow]:
    """What is there now, with the newest numbers."""
    raise NotImplementedError


def host(connection: Connection, host_id: int, now: datetime) -> HostDetail:
    """Raises NotFoundError."""
    raise NotImplementedError
