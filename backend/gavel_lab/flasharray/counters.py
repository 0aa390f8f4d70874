"""The integers an array shows of a reading: rates, sizes and the sub-times of each direction.

Everything is averaged over the interval and rounded once. A direction whose rate rounds to 0 shows 0 for every latency
and size, as the vendor does. Aggregated rows are truncated instead of rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from gavel_lab import quantise
from gavel_lab.flasharray.gates import DIRECTIONS
from gavel_lab.reading import Floats, Reading

Whole = Callable[[Floats], NDArray[np.int64]]
Columns = dict[str, NDArray[np.int64]]

FC_FRAME_BYTES = 2_048
PACKET_BYTES = 8_948


def rounded(values: Floats) -> NDArray[np.int64]:
    return quantise.count(values)


def truncated(values: Floats) -> NDArray[np.int64]:
    return quantise.whole(values)


def block_columns(reading: Reading, whole: Whole, *, queue_in_usec: bool) -> Columns:
    """Every block field of REST 2.52 as (n, w) integers, by name."""
    columns: Columns = {}
    rates = whole(reading.ops_per_s())
    throughput = whole(reading.bytes_per_s())
    times = _sub_times(reading, whole, rates, queue_in_usec=queue_in_usec)
    sizes = np.where(rates > 0, whole(_ratio(reading.bytes, reading.ops)), 0)
    for place, direction in enumerate(DIRECTIONS):
        columns[f"{direction}s_per_sec"] = rates[..., place]
        columns[f"{direction}_bytes_per_sec"] = throughput[..., place]
        columns[f"bytes_per_{direction}"] = sizes[..., place]
        for name, values in times.items():
            columns[f"{name}_{direction}_op"] = values[..., place]
    columns["bytes_per_op"] = _size_of_all(rates, sizes)
    columns.update(_cache_columns(columns))
    return columns


def _sub_times(reading: Reading, whole: Whole, rates: NDArray[np.int64], *, queue_in_usec: bool) -> Columns:
    service, queue = reading.segment_us("array_service"), reading.segment_us("array_queue")
    times = {
        "usec_per": service + queue if queue_in_usec else service,
        "service_usec_per": service,
        "queue_usec_per": queue,
        "san_usec_per": reading.segment_us("array_port"),
        "qos_rate_limit_usec_per": reading.segment_us("array_qos"),
        # The lab's arrays schedule nothing: a limit is the only way its QoS acts.
        "qos_scheduling_usec_per": np.zeros_like(service),
    }
    return {name: np.where(rates > 0, whole(values), 0) for name, values in times.items()}


def _cache_columns(columns: Columns) -> Columns:
    """The split by cache hits (REST 2.51): the lab's arrays have no read cache, so nothing is ever a hit."""
    nothing = np.zeros_like(columns["reads_per_sec"])
    return {
        "cached_read_bytes_per_sec": nothing,
        "cached_reads_per_sec": nothing,
        "non_cached_read_bytes_per_sec": columns["read_bytes_per_sec"],
        "non_cached_reads_per_sec": columns["reads_per_sec"],
        "read_cache_hit_ratio": nothing,
        "service_usec_per_read_op_cached": nothing,
        "service_usec_per_read_op_non_cached": columns["service_usec_per_read_op"],
        "mirrored_others_per_sec": nothing,
        "others_per_sec": nothing,
        "usec_per_mirrored_other_op": nothing,
        "usec_per_other_op": nothing,
    }


def file_columns(reading: Reading, whole: Whole) -> Columns:
    """The fields of a directory: FlashArray File shows one latency and does not split it."""
    rates = whole(reading.ops_per_s())
    sizes = np.where(rates > 0, whole(_ratio(reading.bytes, reading.ops)), 0)
    latency = np.where(rates > 0, whole(reading.latency_us("array_internal")), 0)
    columns = {"bytes_per_op": _size_of_all(rates, sizes)}
    for place, direction in enumerate(("read", "write")):
        columns[f"{direction}s_per_sec"] = rates[..., place]
        columns[f"{direction}_bytes_per_sec"] = whole(reading.bytes_per_s())[..., place]
        columns[f"bytes_per_{direction}"] = sizes[..., place]
        columns[f"usec_per_{direction}_op"] = latency[..., place]
    return {**columns, **dict.fromkeys(("others_per_sec", "usec_per_other_op"), np.zeros_like(rates[..., 0]))}


def interface_rates(reading: Reading, unit_bytes: int) -> Mapping[str, NDArray[np.int64]]:
    """(n, w) bytes and frames (or packets) per second of ports: what hosts write is received, what they read is sent."""
    per_s = reading.bytes_per_s()
    received, transmitted = per_s[..., 1:].sum(axis=2), per_s[..., 0]
    return {
        "received_bytes": rounded(received),
        "received_units": rounded(np.ceil(received / unit_bytes)),
        "transmitted_bytes": rounded(transmitted),
        "transmitted_units": rounded(np.ceil(transmitted / unit_bytes)),
    }


def _size_of_all(rates: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Mean size over all directions, recomputed from the shown rates and sizes and truncated, as captured rows are."""
    return np.asarray((rates * sizes).sum(axis=2) // np.maximum(rates.sum(axis=2), 1))


def _ratio(above: Floats, below: Floats) -> Floats:
    result: Floats = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return result
