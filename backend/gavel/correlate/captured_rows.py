"""Rows of captures as `analysis` takes them: by position of a device, by the clock of its samples."""

from datetime import datetime

import numpy as np

from gavel.analysis.captured import CapturedRows
from gavel.analysis.observed import HostCounter
from gavel.correlate.topology import Environment
from gavel.db.engine import Connection
from gavel.db.queries.imports import CapturedDevice, narrowing_devices
from gavel.domain.scope import ScopeKind

_US = 1_000_000
_COUNTERS = {
    HostCounter.GAVG: "guest",
    HostCounter.DAVG: "driver",
    HostCounter.KAVG: "kernel",
    HostCounter.QAVG: "queue",
}
_WAYS = ("read", "write")


def captured_rows(
    connection: Connection, environment: Environment, since: datetime, until: datetime
) -> dict[int, list[CapturedRows]]:
    """By position of a device, what captures hold of [since, until)."""
    ids = environment.ids[ScopeKind.HOST_DEVICE]
    found: dict[int, list[CapturedRows]] = {}
    for each in narrowing_devices(connection, since, until):
        position = int(np.searchsorted(ids, each.device_id or 0))
        if position < len(ids) and ids[position] == each.device_id:
            found.setdefault(position, []).append(rows_of_device(each))
    return found


def rows_of_device(device: CapturedDevice) -> CapturedRows:
    """By the clock of the samples that it is laid over."""
    rows = len(device.ended_us)
    nothing = np.full(rows, np.nan)
    length_s = device.length_us / _US
    return CapturedRows(
        end_us=device.ended_us - round(device.offset_s * _US),
        length_us=device.length_us,
        ops=np.stack([device.columns.get(f"{way}s_per_s", nothing) * length_s for way in _WAYS], axis=1),
        latency_us=np.stack(
            [
                np.stack([device.columns.get(f"{way}_{_COUNTERS[each]}_us", nothing) for each in _COUNTERS], axis=1)
                for way in _WAYS
            ],
            axis=1,
        ),
        half_us=device.half_us,
        error_us=round(device.offset_error_s * _US),
    )
