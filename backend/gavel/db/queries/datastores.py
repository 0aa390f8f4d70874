"""Datastores: the list and a single one."""

from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.rows import DatastoreDetail, DatastoreRow, ListQuery, Page


def datastores(connection: Connection, query: ListQuery, now: datetime) -> Page[DatastoreRow]:
    """What is there now, with the newest numbers."""
    raise NotImplementedError


def datastore(connection: Connection, datastore_id: int, now: datetime) -> DatastoreDetail:
    """Raises NotFoundError."""
    raise NotImplementedError
