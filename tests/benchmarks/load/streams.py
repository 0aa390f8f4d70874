"""How long samples took from their end to the commit of their rows, by stream, from the runs that Gavel records."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from tests.product.running import Product

from gavel.ingest.live import NOT_READ

GRAIN_S: Mapping[str, float] = {"array_volume": 30.0, "host_device": 20.0, "vm_disk": 20.0, "adapter": 20.0}

_RUNS = """
    SELECT r.source_id, r.stream, extract(epoch FROM r.started_at)::float8, r.duration_s, r.lag_s, r.new_samples, r.error_kind
      FROM collection_run r
     WHERE r.queue = 'live' AND r.started_at >= %(since)s AND r.stream = ANY(%(streams)s)
     ORDER BY r.source_id, r.stream, r.started_at
"""
_SKIPPED = """
    SELECT count(*) FROM gap WHERE noticed_at >= %(since)s AND reason = %(reason)s
"""


@dataclass
class Figures:
    """Of one stream of all sources. age_s: from the end of a sample to the commit of its rows, one per sample and source."""

    runs: int = 0
    failed: int = 0
    rows: int = 0
    age_s: list[float] = field(default_factory=list)
    lag_s: list[float] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.age_s:
            return f"{self.runs} runs, {self.failed} failed, nothing read"
        p50, p99 = np.percentile(self.age_s, (50, 99))
        return (
            f"{self.runs} runs, {self.failed} failed, {self.rows:,} rows; end of sample to commit p50 {p50:.1f} s, p99 {p99:.1f} s, "
            f"at most {max(self.age_s):.1f} s; lag at most {max(self.lag_s):.1f} s; a run takes p50 {np.median(self.took_s):.2f} s, "
            f"at most {max(self.took_s):.2f} s"
        )


def figures(product: Product, since: datetime) -> dict[str, Figures]:
    """Stream → its figures from an instant on."""
    rows = product.ask(_RUNS, since=since, streams=list(GRAIN_S))
    found: dict[str, Figures] = defaultdict(Figures)
    before: dict[tuple[int, str], float] = {}
    for source, stream, started_s, duration_s, lag_s, new_samples, error in rows:
        mine = found[stream]
        mine.runs += 1
        mine.failed += error is not None
        mine.took_s.append(duration_s)
        if error is not None or not new_samples or lag_s is None:
            continue
        newest_s = started_s - lag_s
        mine.rows += new_samples
        mine.lag_s.append(lag_s)
        mine.age_s += _ages(newest_s, before.get((source, stream)), started_s + duration_s, GRAIN_S[stream])
        before[source, stream] = newest_s
    return dict(found)


def skipped(product: Product, since: datetime) -> int:
    """Stretches that live reading left to backfill."""
    return int(product.ask(_SKIPPED, since=since, reason=NOT_READ)[0][0])


def _ages(newest_s: float, before_s: float | None, committed_s: float, grain_s: float) -> Iterable[float]:
    """Of every sample that a run brought: the newest one and those between the run before and it."""
    samples = 1 if before_s is None else max(1, round((newest_s - before_s) / grain_s))
    return [committed_s - newest_s + number * grain_s for number in range(samples)]
