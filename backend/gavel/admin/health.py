"""How a source is doing, in one word, and what limits the trust in its numbers."""

from typing import Literal

from gavel.db.queries.sources import SourceHealth
from gavel.domain.source import ARRAY_SOURCES, GRAIN_S, HOST_SOURCES, ClockReading

State = Literal["waiting", "live", "late", "failing", "disabled"]

# A stream is late when it stands more than this many of its intervals back.
_LATE_INTERVALS = 3
_CLOCK_WARNING_S = 5.0
# Lists of 50,000 volumes took 7 s.
_MANY_OBJECTS = 25_000
_WORDS = dict.fromkeys(ARRAY_SOURCES, "array") | dict.fromkeys(HOST_SOURCES, "vCenter")
_DEFAULT_POLL_S = 30.0
_EMPTY = dict.fromkeys(
    ARRAY_SOURCES, "The array lists no volumes and no hosts. Check that this is the array you mean."
) | dict.fromkeys(
    HOST_SOURCES,
    "Nothing of the vCenter is visible to the account. Give the user the role Read-only on the vCenter's root, propagated to children.",
)


def state(health: SourceHealth) -> State:
    """waiting: no samples yet. failing: the newest run failed. late: some stream stands more than three intervals back."""
    if not health.source.enabled:
        return "disabled"
    if health.newest_run is None:
        return "waiting"
    if health.newest_run.error_kind:
        return "failing"
    poll_s = float(health.source.settings.get("poll_interval_s", _DEFAULT_POLL_S))
    lags = [
        (stream.lag_s, max(GRAIN_S[stream.stream], poll_s)) for stream in health.streams if stream.lag_s is not None
    ]
    if not lags:
        return "waiting"
    return "late" if any(lag_s > _LATE_INTERVALS * interval_s for lag_s, interval_s in lags) else "live"


def _owner(health: SourceHealth, clock: ClockReading) -> str:
    return "the source" if clock.subject is None else health.host_names.get(clock.subject, clock.subject)


def warnings(health: SourceHealth) -> list[str]:
    """Facts about a source that limit how far its numbers can be trusted."""
    found = [
        f"The clock of {_owner(health, clock)} is {clock.offset_s:+.1f} s off; Gavel corrects for it, NTP would be better."
        for clock in health.clocks
        if abs(clock.offset_s) - clock.error_s > _CLOCK_WARNING_S
    ]
    found += [
        f"The source {name!r} is the same {_WORDS[health.source.kind]}: what it does is counted twice. Remove one of the two."
        for name in health.twins
    ]
    if health.source.inventory_at is not None and not any(health.entities.values()):
        found.append(_EMPTY[health.source.kind])
    if (objects := sum(health.entities.values())) > _MANY_OBJECTS:
        found.append(
            f"The source has {objects:,} objects. Above {_MANY_OBJECTS:,}, lists and rankings take seconds. Check whether all of them"
            " exist."
        )
    found += health.source.withheld
    found += [sentence for stream in health.streams if stream.last_run for sentence in stream.last_run.left_out]
    unknown_keys = sum(stream.last_run.unknown_keys for stream in health.streams if stream.last_run)
    if unknown_keys:
        found.append(
            f"{unknown_keys} objects of the newest samples are not in the inventory; their samples are not stored."
        )
    corrected = sum(stream.corrected for stream in health.streams)
    if corrected:
        found.append(
            f"{corrected} samples read in the last hour had other values than when they were first read. The later values are"
            " kept, and minutes that had used the earlier ones are calculated again."
        )
    return found
