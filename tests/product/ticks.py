"""Whether the live reading of good sources keeps its ticks: how far apart their passes began."""

from dataclasses import dataclass
from itertools import pairwise

from tests.product.running import Product


@dataclass(frozen=True)
class Ticks:
    """Of one source: passes, the longest time between two, and its poll interval, in seconds. `failed`: runs with an error."""

    name: str
    passes: int
    longest_s: float
    interval_s: float
    failed: int

    @property
    def lost(self) -> int:
        """Whole intervals in which no pass began."""
        return max(0, int(self.longest_s // self.interval_s) - 1)

    def __str__(self) -> str:
        apart = f"at most {self.longest_s:.1f} s apart (interval {self.interval_s:.0f} s)"
        return f"{self.name}: {self.passes} passes, {apart}, {self.failed} failed"


def ticks(product: Product, names: list[str], since: float, until: float) -> list[Ticks]:
    """Between two instants; the stream that every pass reads counts for it."""
    rows = product.ask(
        "SELECT s.name, coalesce((s.settings->>'poll_interval_s')::float, 30), extract(epoch FROM r.started_at)::float, r.error_kind"
        " FROM collection_run r JOIN source s ON s.id = r.source_id"
        " WHERE s.name = ANY(%(names)s) AND r.queue = 'live' AND r.stream IN ('array_volume', 'host_device')"
        " AND r.started_at BETWEEN to_timestamp(%(since)s) AND to_timestamp(%(until)s) ORDER BY r.started_at",
        names=names, since=since, until=until,
    )  # fmt: skip
    found = []
    for name in names:
        own = [row for row in rows if row[0] == name]
        starts = [since, *(float(row[2]) for row in own if row[3] is None), until]
        longest = max(after - before for before, after in pairwise(starts))
        interval = float(own[0][1]) if own else 20.0
        found.append(Ticks(name, len(starts) - 2, longest, interval, sum(row[3] is not None for row in own)))
    return found
