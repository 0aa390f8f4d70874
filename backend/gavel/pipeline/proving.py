"""What vCenters' own minutes have proven of their counters, kept per build, used for the minutes to come."""

from datetime import datetime

import numpy as np

from gavel.analysis.observed import HostCounter, Proofs
from gavel.analysis.proofs import Evidence, proven
from gavel.db.engine import Connection
from gavel.db.queries.correlation import Shown, note_counters, shown_of_counters
from gavel.pipeline.mapping import Estate

_LATEST = "latest"


def proofs(connection: Connection, estate: Estate) -> Proofs:
    """As of now; a vCenter that has shown nothing yet has proven nothing."""
    known = shown_of_counters(connection)
    nothing = Shown(0, 0)

    def counts(counter: str) -> list[tuple[int, int]]:
        found = (known.get((source, counter), nothing) for source in estate.source_ids)
        return [(shown.rounds_or_mean, shown.truncates_or_instant) for shown in found]

    rounding = np.array([counts(counter.name.lower()) for counter in HostCounter], dtype=np.int64)
    rounding = rounding.reshape(len(HostCounter), len(estate.source_ids), 2)
    latest = np.array(counts(_LATEST), dtype=np.int64).reshape(-1, 2)
    return proven(Evidence(rounding[:, :, 0].T, rounding[:, :, 1].T, latest[:, 0], latest[:, 1]))


def note_evidence(connection: Connection, estate: Estate, seen: Evidence, now: datetime) -> None:
    """Add what minutes have shown that were written for the first time."""
    found: dict[tuple[int, str], Shown] = {}
    for position, source in enumerate(estate.source_ids):
        for counter in HostCounter:
            rounds, truncates = int(seen.rounds[position, counter]), int(seen.truncates[position, counter])
            found[source, counter.name.lower()] = Shown(rounds, truncates)
        agrees, disagrees = int(seen.latest_agrees[position]), int(seen.latest_disagrees[position])
        found[source, _LATEST] = Shown(agrees, disagrees)
    told = {key: shown for key, shown in found.items() if shown.rounds_or_mean or shown.truncates_or_instant}
    note_counters(connection, told, now)
