"""How much of its CPU each ESXi host used, minute by minute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import EPOCH, SAMPLES
from gavel.domain.source import Stream

Floats = npt.NDArray[np.float64]
# A sample's stamp may lie this far from its place on Gavel's clock: offset of the host's clock, and half its length.
_REACH = timedelta(minutes=10)
_OF_HOST = packed.rows(SAMPLES[Stream.HOST_CPU], ("interval_s", "usage_basis_points"), of="entity_id = h.id")
# A sample lies where its middle is, by the host's own clock where that was read, else by the vCenter's.
_MINUTES = f"""
    SELECT h.id, date_bin('1 minute', s.ts - c.ahead - s.interval_s / 2.0 * interval '1 second', :epoch) AS minute,
        sum(s.usage_basis_points::float8 * s.interval_s) / sum(s.interval_s) / 10000 AS share
    FROM esxi_host h,
    LATERAL (SELECT coalesce((
        SELECT o.offset_s FROM clock_offset o WHERE o.source_id = h.source_id AND o.subject = h.key
        ORDER BY o.read_at DESC LIMIT 1), (
        SELECT o.offset_s FROM clock_offset o WHERE o.source_id = h.source_id AND o.subject IS NULL
        ORDER BY o.read_at DESC LIMIT 1), 0) * interval '1 second' AS ahead) c,
    LATERAL {_OF_HOST} s
    WHERE h.id = ANY(CAST(:ids AS int[])) AND s.usage_basis_points IS NOT NULL AND s.interval_s > 0
    GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class CpuMinutes:
    """Share of a host's CPU in use, 0 to 1, by id of the host and start of the minute."""

    shares: Mapping[tuple[int, datetime], float] = field(default_factory=dict)

    def of(self, host_id: int, stamps: Sequence[datetime]) -> Floats:
        """(n,); NaN where it was not measured."""
        return np.array([self.shares.get((host_id, stamp), np.nan) for stamp in stamps], dtype=np.float64)


def cpu_minutes(connection: Connection, host_ids: Sequence[int], from_at: datetime, to_at: datetime) -> CpuMinutes:
    """Of these hosts, of the minutes in [from_at, to_at]."""
    given = {"ids": list(host_ids), "lo": from_at - _REACH, "hi": to_at + _REACH, "epoch": EPOCH}
    rows = connection.execute(text(_MINUTES), given)
    return CpuMinutes({(row.id, row.minute): row.share for row in rows})
