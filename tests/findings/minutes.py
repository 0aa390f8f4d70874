"""Ten minutes of a disk, device or volume, as tests of rules make them up."""

import numpy as np

from gavel.findings.minutes import PartMinutes

COUNT = 10
_NAMES = (
    "ops", "read_ops", "bytes", "array_ops", "guest_time", "hypervisor_time", "queue_time", "kernel_time", "kernel_lower", "san_time",
    "array_time", "qos_time", "in_flight_time", "outstanding_s", "depth",
)  # fmt: skip


def ten(
    iops: float,
    *,
    size: float = 4096,
    outstanding: float = np.nan,
    depth: float = np.nan,
    in_flight: float = np.nan,
    queue_error_us: float = 0.0,
    array_iops: float = np.nan,
    lasting: float = COUNT,
    **us: float,
) -> PartMinutes:
    """Ten minutes with the same numbers; the first 10 − `lasting` of them were not measured. us: µs per I/O of a segment or layer.

    queue_error_us: how far below the kernel's time its lower bound is.
    """
    ops = 60 * iops
    given = dict.fromkeys(_NAMES, np.nan) | {
        "ops": ops,
        "bytes": ops * size,
        "outstanding_s": 60 * outstanding,
        "depth": depth,
    }
    given |= {"in_flight_time": in_flight * 60e6, "array_ops": 60 * array_iops}
    given |= {f"{name}_time": value * ops for name, value in us.items()}
    given["kernel_lower"] = given["kernel_time"] - queue_error_us * ops
    columns = {name: np.full(COUNT, value, dtype=np.float64) for name, value in given.items()}
    for column in columns.values():
        column[: COUNT - int(lasting)] = np.nan
    return PartMinutes(columns)
