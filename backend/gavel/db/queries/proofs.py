"""What samples have shown of a vCenter's counters, and what was proven by it when minutes were written."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from gavel.db.engine import Connection
from gavel.db.schema.ledger import counter_evidence, counter_proof

_BUILDS = "SELECT source_id, build FROM vcenter WHERE present"


@dataclass(frozen=True, slots=True)
class Shown:
    """Rows that only rounding (a mean) explains, and rows that only truncation (an instant) does."""

    rounds_or_mean: int
    truncates_or_instant: int


def shown_of_counters(connection: Connection) -> Mapping[tuple[int, str], Shown]:
    """By vCenter and counter, of the build that it runs."""
    rows = connection.execute(text(f"SELECT e.* FROM counter_evidence e JOIN ({_BUILDS}) b USING (source_id, build)"))
    return {(row.source_id, row.counter): Shown(row.rounds_or_mean, row.truncates_or_instant) for row in rows}


def note_counters(connection: Connection, more: Mapping[tuple[int, str], Shown], now: datetime) -> None:
    """Add to what was shown before."""
    builds = {row.source_id: row.build for row in connection.execute(text(_BUILDS))}
    values = [
        {"source_id": source, "build": builds[source], "counter": counter, "noted_at": now}
        | {"rounds_or_mean": shown.rounds_or_mean, "truncates_or_instant": shown.truncates_or_instant}
        for (source, counter), shown in more.items()
        if source in builds
    ]
    if not values:
        return
    row, stored = insert(counter_evidence), counter_evidence.c
    added = {name: stored[name] + row.excluded[name] for name in ("rounds_or_mean", "truncates_or_instant")}
    key = ["source_id", "build", "counter"]
    connection.execute(row.on_conflict_do_update(index_elements=key, set_=added | {"noted_at": now}), values)


def counter_proofs(connection: Connection, proof_id: int) -> Any:
    """What was noted by `note_proofs`."""
    return connection.scalar(select(counter_proof.c.proofs).where(counter_proof.c.id == proof_id))


def note_proofs(connection: Connection, proofs: Mapping[str, Any], now: datetime) -> int:
    """Id of these proofs of all vCenters; a new row where they are not those of the newest."""
    newest = connection.execute(select(counter_proof).order_by(counter_proof.c.id.desc()).limit(1)).one_or_none()
    if newest is not None and newest.proofs == proofs:
        return int(newest.id)
    row = insert(counter_proof).values(proofs=proofs, noted_at=now).returning(counter_proof.c.id)
    return int(connection.execute(row).scalar_one())
