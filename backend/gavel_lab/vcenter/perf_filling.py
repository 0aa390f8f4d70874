"""The newest real-time sample is listed before all of its counters are there: −1 at first, and filled some seconds later, group by group.

So it was recorded of a vSphere 8: 474 of 759 series had −1 in the newest slot. A lab whose clock is held has everything, as time enough
has passed.
"""

from collections.abc import Sequence
from typing import Any, Final

from gavel_lab.environment import EsxiHost
from gavel_lab.quantise import MISSING
from gavel_lab.vcenter.perf_windows import REAL_TIME_S, Span
from gavel_lab.vcenter.site import Site

# The part of a vCenter's `slots_fill_s` after which a group is there; one that is not named is there at once.
_SHARES: Final = {
    "virtualDisk": 0.5,
    "datastore": 0.75,
    "storageAdapter": 0.75,
    "storagePath": 1.0,
    "storage": 1.0,
}


def unfilled(site: Site, record: Any, span: Span, interval_s: int) -> frozenset[str]:
    """Groups of counters that a record's newest sample does not hold yet."""
    if interval_s != REAL_TIME_S or not len(span.stamps) or site.lab.clocks.lab_time.is_held:
        return frozenset()
    host = record if isinstance(record, EsxiHost) else site.host_of(record)
    age_s = site.lab.clocks.hosts[host.index].now() - float(span.stamps[-1])
    return frozenset(group for group, share in _SHARES.items() if age_s < share * site.vcenter.slots_fill_s)


def without_newest(values: Sequence[int]) -> list[int]:
    return [*values[:-1], MISSING]
