"""What the model answers: sums over time windows of operations, bytes and I/O-time per segment, for many rows at once.

Everything is a sum, so readings of parts add up to the reading of the whole, exactly. Averages are taken at the end,
op-weighted. Axis order is always (row, window, direction[, segment]).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

READ, WRITE, MIRRORED_WRITE = 0, 1, 2

SEGMENTS = (
    "guest_queue",
    "hypervisor",
    "kernel_queue",
    "kernel_service",
    "fabric",
    "array_port",
    "array_qos",
    "array_queue",
    "array_service",
)
SEGMENT = {name: place for place, name in enumerate(SEGMENTS)}
# A boundary times everything from its first segment inwards.
BOUNDARIES = {
    "guest": SEGMENT["guest_queue"],
    "vscsi": SEGMENT["hypervisor"],
    "device": SEGMENT["kernel_queue"],  # GAVG
    "driver": SEGMENT["fabric"],  # DAVG
    "array": SEGMENT["array_port"],
    "array_internal": SEGMENT["array_qos"],
}
LAYERS = {
    "guest": ("guest_queue",),
    "kernel": ("hypervisor", "kernel_queue", "kernel_service"),
    "san": ("fabric", "array_port"),
    "array": ("array_qos", "array_queue", "array_service"),
}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Sums over windows. n rows, w windows, d directions: 2 (read, write), or 3 (+ mirrored write) on the array's side.

    seconds     (w,)          length of each window; (n, w) where every row has windows of its own
    ops         (n, w, d)     operations completed in the window (a count, fractional)
    bytes       (n, w, d)     bytes moved
    io_time_us  (n, w, d, 9)  I/O-time per segment: the sum over the operations of the time each spent there
    """

    seconds: Floats
    ops: Floats
    bytes: Floats
    io_time_us: Floats

    def ops_per_s(self) -> Floats:
        """(n, w, d) operations per second."""
        return self.ops / self.seconds[..., None]

    def bytes_per_s(self) -> Floats:
        """(n, w, d) bytes per second."""
        return self.bytes / self.seconds[..., None]

    def segment_us(self, segment: str) -> Floats:
        """(n, w, d) op-weighted mean time in one segment; NaN where there were no operations."""
        return _mean(self.io_time_us[..., SEGMENT[segment]], self.ops)

    def layer_us(self, layer: str) -> Floats:
        """(n, w, d) op-weighted mean time in one layer (guest, kernel, san, array); NaN without operations."""
        places = [SEGMENT[name] for name in LAYERS[layer]]
        return _mean(self.io_time_us[..., places].sum(axis=-1), self.ops)

    def latency_us(self, boundary: str) -> Floats:
        """(n, w, d) op-weighted mean latency at a boundary: "device" is GAVG, "driver" DAVG; NaN without operations."""
        return _mean(self._time(boundary), self.ops)

    def kernel_us(self) -> Floats:
        """(n, w, d) KAVG: device - driver, that is kernel_queue + kernel_service; NaN without operations."""
        inner = slice(BOUNDARIES["device"], BOUNDARIES["driver"])
        return _mean(self.io_time_us[..., inner].sum(axis=-1), self.ops)

    def outstanding(self, boundary: str) -> Floats:
        """(n, w, d) mean number of I/Os inside a boundary (Little's law): "vscsi" is a disk's OIO, "driver" ACTV."""
        return self._time(boundary) / 1e6 / self.seconds[..., None]

    def queued(self) -> Floats:
        """(n, w, d) mean number of I/Os in the kernel queue (QUED)."""
        return self.io_time_us[..., SEGMENT["kernel_queue"]] / 1e6 / self.seconds[..., None]

    def all_directions(self) -> "Reading":
        """The same with d = 1: all directions added up."""
        return Reading(
            seconds=self.seconds,
            ops=self.ops.sum(axis=2, keepdims=True),
            bytes=self.bytes.sum(axis=2, keepdims=True),
            io_time_us=self.io_time_us.sum(axis=2, keepdims=True),
        )

    def _time(self, boundary: str) -> Floats:
        result: Floats = self.io_time_us[..., BOUNDARIES[boundary] :].sum(axis=-1)
        return result


def _mean(io_time_us: Floats, ops: Floats) -> Floats:
    """I/O-time over operations; NaN where nothing happened, because an average of nothing is not zero."""
    result: Floats = np.divide(io_time_us, ops, out=np.full_like(ops, np.nan), where=ops > 0)
    return result
