"""An object of the ledger: its name, how far the ledger is, and what is expected of it, in one statement."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import text

from gavel import clock
from gavel.db.engine import Connection
from gavel.db.queries.expectations import HOURS, Histories
from gavel.db.queries.refs import LABELS, TABLES, EntityRef, RefKind, not_found
from gavel.db.queries.scopes import SCOPES
from gavel.db.series import modes
from gavel.domain.scope import scope_key
from gavel.domain.source import ARRAY_SOURCES

_OBJECT = """
    SELECT t.{label} AS name, (SELECT until_at FROM correlated) AS until_at, {storage},
        (SELECT jsonb_object_agg(s.id, s.settings) FROM source s WHERE s.kind = ANY(:array_kinds)) AS settings, e.*
    FROM {table} t LEFT JOIN storage_mode ON true CROSS JOIN LATERAL (
        SELECT array_agg(hour) AS hours, array_agg(san_us::float8) AS san_us, array_agg(array_us::float8) AS array_us
        FROM expectation WHERE entity_id = :key) e
    WHERE t.id = :id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerObject:
    """until_at: minutes that begin before it have been attributed; None before the first one. array_settings: of every array source, by
    its id."""

    subject: EntityRef
    until_at: datetime | None
    storage: modes.Storage
    history: Histories
    array_settings: Mapping[int, Mapping[str, Any]]


def ledger_object(connection: Connection, kind: RefKind, thing_id: int) -> LedgerObject:
    """Raises NotFoundError."""
    query = _OBJECT.format(storage=modes.STORAGE, table=TABLES[kind].name, label=LABELS.get(kind, "name"))
    key = scope_key(SCOPES[kind], thing_id)
    row = connection.execute(
        text(query), {"id": thing_id, "key": key, "array_kinds": list(ARRAY_SOURCES), "now": clock.now()}
    ).one_or_none()
    if row is None:
        raise not_found(kind, thing_id)
    san, array = (np.full((1, HOURS), np.nan) for _ in range(2))
    if row.hours is not None:
        san[0, row.hours], array[0, row.hours] = row.san_us, row.array_us
    return LedgerObject(
        subject=EntityRef(kind, thing_id, row.name),
        until_at=row.until_at,
        storage=modes.storage_of(row),
        history=Histories(san_us=san, array_us=array),
        array_settings={int(source): settings for source, settings in (row.settings or {}).items()},
    )
