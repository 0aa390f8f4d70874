"""Vms: the list and a single one."""

from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.rows import ListQuery, Page, VmDetail, VmRow


def vms(connection: Connection, query: ListQuery, now: datetime) -> Page[VmRow]:
    """What is there now, with the newest numbers."""
    raise NotImplementedError


def vm(connection: Connection, vm_id: int, now: datetime) -> VmDetail:
    """Raises NotFoundError."""
    raise NotImplementedError
