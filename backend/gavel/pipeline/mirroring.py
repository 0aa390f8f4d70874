"""How a stretched pod counts mirrored writes, found out from its own numbers: on one array or on both (attribution.md §1)."""

from datetime import datetime

import structlog

from gavel.analysis.array_side import Mirroring
from gavel.db.engine import Connection
from gavel.db.queries.correlation import mirrored_on_both, note_mirroring
from gavel.pipeline.mapping import Estate

log = structlog.get_logger(__name__)

# So many writes of hosts tell, if the arrays counted them so nearly once or twice.
_TELLING_WRITES = 10_000.0
_NEAR = 0.15


def find_mirroring(connection: Connection, estate: Estate, seen: Mirroring, now: datetime) -> bool:
    """Store what a stretch of minutes tells; True when that is news which changes how writes add up."""
    known = mirrored_on_both(connection)
    changed = False
    for pod, key in enumerate(estate.pod_keys):
        writes, counted = float(seen.host_writes[pod]), float(seen.array_writes[pod])
        if writes < _TELLING_WRITES:
            continue
        ratio = counted / writes
        both = next((times == 2 for times in (1, 2) if abs(ratio - times) <= _NEAR * times), None)
        if both is None or known.get(key) == both:
            continue
        note_mirroring(connection, key, both=both, ratio=ratio, ops=writes, now=now)
        log.info("mirrored writes", pod=key, counted_on_both=both, ratio=round(ratio, 3))
        changed |= known.get(key, False) != both
    return changed
