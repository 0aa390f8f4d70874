"""What sources have shown of their own counters: how a vCenter's build cuts its numbers, how a stretched pod counts mirrored writes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import structlog

from gavel.analysis.array_side import Mirroring
from gavel.analysis.observed import HostCounter, Proofs
from gavel.analysis.proofs import SCATTER_US, CounterEvidence, proven
from gavel.correlate.topology import Environment
from gavel.db.engine import Connection
from gavel.db.queries.correlation import mirrored_on_both, note_mirroring
from gavel.db.queries.proofs import Shown, counter_proofs, note_counters, note_proofs, shown_of_counters

_LATEST = "latest"
# Samples whose `latest` differs from its twin by so many µs, and by more than the step before.
_STRAYS = tuple(f"latest_within_{round(step)}" for step in SCATTER_US)


@dataclass(frozen=True, slots=True)
class NotedProofs:
    """Proofs and the id by which a minute refers to them."""

    id: int
    proofs: Proofs


def newest_proofs(connection: Connection, environment: Environment, now: datetime) -> NotedProofs:
    """As of now, noted if they have changed."""
    known = proofs(connection, environment)
    return NotedProofs(note_proofs(connection, _by_source(known, environment), now), known)


def noted_proofs(connection: Connection, environment: Environment, proof_id: int) -> NotedProofs:
    """As they were noted; of vCenters that were added since, as of now."""
    known, noted = proofs(connection, environment), counter_proofs(connection, proof_id)
    scatter_us = np.full(len(known.latest), np.nan) if known.scatter_us is None else known.scatter_us
    for position, source in enumerate(environment.source_ids):
        then = noted.get(str(source))
        if then is not None:
            known.rounding[position], known.latest[position] = then["rounding"], then["latest"]
            scatter_us[position] = np.nan if then["scatter_us"] is None else then["scatter_us"]
    return NotedProofs(proof_id, Proofs(rounding=known.rounding, latest=known.latest, scatter_us=scatter_us))


def _by_source(proofs: Proofs, environment: Environment) -> dict[str, Any]:
    scatter_us = np.full(len(proofs.latest), np.nan) if proofs.scatter_us is None else proofs.scatter_us
    return {
        str(source): {
            "rounding": proofs.rounding[position].tolist(),
            "latest": int(proofs.latest[position]),
            "scatter_us": None if np.isnan(scatter_us[position]) else float(scatter_us[position]),
        }
        for position, source in enumerate(environment.source_ids)
    }


def proofs(connection: Connection, environment: Environment) -> Proofs:
    """As of now; a vCenter that has shown nothing yet has proven nothing."""
    known = shown_of_counters(connection)
    nothing = Shown(0, 0)

    def counts(counter: str) -> list[tuple[int, int]]:
        found = (known.get((source, counter), nothing) for source in environment.source_ids)
        return [(shown.rounds_or_mean, shown.truncates_or_instant) for shown in found]

    rounding = np.array([counts(counter.name.lower()) for counter in HostCounter], dtype=np.int64)
    rounding = rounding.reshape(len(HostCounter), len(environment.source_ids), 2)
    latest = np.array(counts(_LATEST), dtype=np.int64).reshape(-1, 2)
    strays = np.array([[count for count, _ in counts(name)] for name in _STRAYS], dtype=np.int64)
    return proven(
        CounterEvidence(
            rounds=rounding[:, :, 0].T,
            truncates=rounding[:, :, 1].T,
            latest_agrees=latest[:, 0],
            latest_disagrees=latest[:, 1],
            strays=strays.reshape(len(_STRAYS), len(environment.source_ids)).T,
        )
    )


def note_evidence(connection: Connection, environment: Environment, seen: CounterEvidence, now: datetime) -> None:
    """Add what minutes have shown that were written for the first time."""
    found: dict[tuple[int, str], Shown] = {}
    for position, source in enumerate(environment.source_ids):
        for counter in HostCounter:
            rounds, truncates = int(seen.rounds[position, counter]), int(seen.truncates[position, counter])
            found[source, counter.name.lower()] = Shown(rounds, truncates)
        agrees, disagrees = int(seen.latest_agrees[position]), int(seen.latest_disagrees[position])
        found[source, _LATEST] = Shown(agrees, disagrees)
        if seen.strays is not None:
            found |= {
                (source, name): Shown(int(count), 0) for name, count in zip(_STRAYS, seen.strays[position], strict=True)
            }
    told = {key: shown for key, shown in found.items() if shown.rounds_or_mean or shown.truncates_or_instant}
    note_counters(connection, told, now)


log = structlog.get_logger(__name__)

# So many writes of hosts tell, if the arrays counted them so nearly once or twice.
_TELLING_WRITES = 10_000.0
_NEAR = 0.15


def find_mirroring(connection: Connection, environment: Environment, seen: Mirroring, now: datetime) -> bool:
    """Store what a stretch of minutes tells; True when that is news which changes how writes add up."""
    known = mirrored_on_both(connection)
    changed = False
    for pod, key in enumerate(environment.pod_keys):
        writes, counted = float(seen.host_writes[pod]), float(seen.array_writes[pod])
        if writes < _TELLING_WRITES:
            continue
        ratio = counted / writes
        both = next((times == 2 for times in (1, 2) if abs(ratio - times) <= _NEAR * times), None)
        if both is None or known.get(key) == both:
            continue
        note_mirroring(connection, key, counted_on_both=both, ratio=ratio, ops=writes, now=now)
        log.info("mirrored writes", pod=key, counted_on_both=both, ratio=round(ratio, 3))
        changed |= known.get(key, False) != both
    return changed
