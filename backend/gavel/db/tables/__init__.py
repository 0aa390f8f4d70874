"""All tables but the series, in one MetaData."""

from gavel.db.tables import alerting, array_side, bookkeeping, host_side, ledger
from gavel.db.tables.base import metadata

__all__ = ["alerting", "array_side", "bookkeeping", "host_side", "ledger", "metadata"]
