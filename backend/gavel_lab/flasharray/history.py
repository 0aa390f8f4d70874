"""Which history samples exist for a query: resolutions, retention, default windows, and the array's own clock.

Stamps are epoch milliseconds of the array's clock, multiples of the resolution, and mark the *end* of their interval.
"""

from __future__ import annotations

from collections.abc import Mapping

from gavel_lab.flasharray.errors import bad_request
from gavel_lab.flasharray.query import Query

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS
RETENTION_MS: Mapping[int, int] = {
    1_000: _HOUR_MS,
    30_000: 3 * _HOUR_MS,
    300_000: _DAY_MS,
    1_800_000: 7 * _DAY_MS,
    7_200_000: 30 * _DAY_MS,
    28_800_000: 90 * _DAY_MS,
    86_400_000: 365 * _DAY_MS,
}
ARRAY_RESOLUTIONS_MS = tuple(RETENTION_MS)
OBJECT_RESOLUTIONS_MS = ARRAY_RESOLUTIONS_MS[1:]
# An interval's sample can be read this long after the interval's end.
AVAILABLE_AFTER_MS = 1_500


def resolution_of(query: Query, allowed: tuple[int, ...]) -> int:
    """The resolution asked for, or the finest one; 400 for one the object has not."""
    resolution = query.resolution if query.resolution is not None else allowed[0]
    if resolution not in allowed:
        raise bad_request(f"Invalid resolution. Valid values are {', '.join(map(str, allowed))}.", "resolution")
    return resolution


def stamps(query: Query, resolution: int, now_ms: int) -> list[int]:
    """The samples in the asked window, oldest first, that are available and still kept.

    Both ends belong to the window. Without a start it begins one resolution before the end, that instant excluded, so
    that it holds one sample, and none at all while the newest is not available yet.
    """
    end = now_ms if query.end_time is None else query.end_time
    start = end - resolution + 1 if query.start_time is None else query.start_time
    first = max(start, now_ms - RETENTION_MS[resolution])
    last = min(end, now_ms - AVAILABLE_AFTER_MS)
    return list(range(-(-first // resolution) * resolution, last + 1, resolution))
