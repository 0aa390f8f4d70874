"""All tables but the series, in one MetaData."""

from gavel.db.schema.base import metadata

__all__ = [
    "alerting",
    "array_side",
    "bookkeeping",
    "findings",
    "guests",
    "host_side",
    "imports",
    "labels",
    "ledger",
    "load_runs",
    "metadata",
    "offline_builds",
    "work",
]
