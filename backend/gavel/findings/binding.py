"""Whether a limit binds: thresholds, each once, and the checks that causes and findings share.

Checks are elementwise over NumPy arrays of one shape (single numbers do as well). NaN is "not measured", and what was not measured does
not bind. Rates are per second, times in µs per I/O, `in_flight` and `outstanding` in I/Os.
"""

import numpy as np
import numpy.typing as npt

from gavel.analysis.diagnosis import is_virtual_disk_queue_full
from gavel.analysis.intervals import Bools, Floats

Numbers = npt.ArrayLike

# So much of an IOPS or bandwidth limit in use is at the limit.
LIMIT_USED = 0.95
# What ESXi counts as one I/O against a limit; larger ones count several times. `Disk.SchedCostUnit`, where it was not read.
COST_UNIT_BYTES = 32_768
# Wait that has to stand beside a limit in full use: above the device (virtual-disk limit), and as the array's own QoS time.
LEAST_HYPERVISOR_US = 200.0
LEAST_QOS_US = 200.0
# A device queue is full from so much of its depth on, once the kernel's queue time is more than that for sure.
DEVICE_QUEUE_USED = 0.9
LEAST_QUEUE_US = 100.0
# DSNRO has a say from so many VMs with I/O on a device of a host on.
COMPETING_VMS = 2
# Wait above a virtual disk whose queue is full.
LEAST_GUEST_US = 200.0
# Outstanding I/O of a disk from which on an LSI Logic controller is short of slots: three quarters of its 32.
BUSY_LSI = 24
# Snapshots on a virtual disk from which on its hypervisor time may be theirs.
LONG_CHAIN = 2
# Of a host's CPU in use from which on its own code may make I/Os wait.
HOST_CPU_USED = 0.9
# Of a device's I/O on non-optimized paths while an optimized one works.
NON_OPTIMIZED_SHARE = 0.05
# A path or adapter is slow against the fastest one of the same device from this ratio on, and this difference.
PATH_SPREAD = 2.0
LEAST_PATH_SPREAD_US = 200.0
# Between the fastest and the slowest array of a stretched pod, for which a preferred array pays; the counters' own step apart.
LEAST_LEG_SPREAD_US = 1000.0
# Host ÷ array ops below which I/O of unmonitored initiators is part of the matter.
LEAST_MATCH = 0.9
# Active volumes of an array that are elevated at the same time, for its load to be the cause.
ARRAY_WIDE = 0.5
# Wait in an array's own queue, over all its I/O, from which on it may be near saturation; and hours of its past to compare with.
LEAST_ARRAY_QUEUE_US = 50.0
LEAST_ARRAY_HOURS = 72
# Of the line rate of a target port, one way, from which on I/Os wait for its link.
PORT_USED = 0.9
# So much more of an object's own load is what changed; less is what any load does.
LOAD_GROWN = 1.5

# The twin test: a limit binds in so many of the elevated minutes, and in none of the normal ones before.
BINDING_SHARE = 0.6
# Who issues, or what explains, so much of the I/O-time of a segment is behind it.
MAIN_SHARE = 0.5


def normalized_ops(ops: Numbers, carried_bytes: Numbers, cost_unit: float = COST_UNIT_BYTES) -> Floats:
    """Ops as the host's I/O scheduler counts them: each once per begun `cost_unit` bytes, from the mean size of the I/Os.

    Never fewer than `ops`. A mean hides the mixture of sizes, so this is an estimate; that limits count like this is documented, its
    effect on every version is not proven.
    """
    count, carried = _floats(ops), _floats(carried_bytes)
    size = np.divide(carried, count, out=np.zeros(np.broadcast(count, carried).shape), where=count > 0)
    units: Floats = count * np.maximum(np.ceil(size / cost_unit), 1.0)
    return units


def is_rate_at_limit(rate: Numbers, limit: Numbers) -> Bools:
    """A rate against its limit, both per second: IOPS, normalized IOPS, or bytes."""
    used, allowed = _floats(rate), _floats(limit)
    return _sure((allowed > 0) & (used >= LIMIT_USED * allowed))


def is_iops_limit_binding(
    iops: Numbers, normalized_iops: Numbers, limit: Numbers, hypervisor_us: Numbers, kernel_us: Numbers
) -> Bools:
    """A virtual disk at its IOPS limit, raw or cost-normalized, while its I/Os wait above the device and not at it.

    hypervisor_us: from the virtual disk to the device; kernel_us: KAVG of its I/Os, NaN where it was not separable.
    """
    wait, kernel = _floats(hypervisor_us), _floats(kernel_us)
    is_used = is_rate_at_limit(iops, limit) | is_rate_at_limit(normalized_iops, limit)
    return _sure(is_used & (wait > LEAST_HYPERVISOR_US) & ~(kernel >= wait))


def is_virtual_disk_queue_binding(outstanding: Numbers, limit: Numbers, wait_us: Numbers) -> Bools:
    """Outstanding I/O at the controller's limit, not above it (then the limit is another one), with wait in the guest or the kernel."""
    is_full = is_virtual_disk_queue_full(_floats(outstanding), _floats(limit))
    return _sure(is_full & (_floats(wait_us) > LEAST_GUEST_US))


def is_device_queue_binding(in_flight: Numbers, depth: Numbers, queue_lower_us: Numbers) -> Bools:
    """I/Os in flight at the effective depth (DQLEN), and a lower bound of the kernel's queue time (QAVG) that shows the wait."""
    slots = _floats(depth)
    is_full = (slots > 0) & (_floats(in_flight) >= DEVICE_QUEUE_USED * slots)
    return _sure(is_full & (_floats(queue_lower_us) > LEAST_QUEUE_US))


def is_dsnro_in_force(depth: Numbers, dsnro: Numbers, configured: Numbers, active_vms: Numbers) -> Bools:
    """Whether DSNRO, not the device's own depth, makes the effective depth what it is: several VMs do I/O, and it is the lower one."""
    slots, shared = _floats(depth), _floats(dsnro)
    return _sure((_floats(active_vms) >= COMPETING_VMS) & (slots == shared) & (shared < _floats(configured)))


def is_qos_limit_binding(
    iops: Numbers, iops_limit: Numbers, bytes_per_s: Numbers, bytes_limit: Numbers, qos_us: Numbers
) -> Bools:
    """A volume at its QoS limit by IOPS or bandwidth, with QoS rate-limit time of the array's own counters as the proof."""
    is_used = is_rate_at_limit(iops, iops_limit) | is_rate_at_limit(bytes_per_s, bytes_limit)
    return _sure(is_used & (_floats(qos_us) > LEAST_QOS_US))


def is_chain_long(snapshot_depth: Numbers, hypervisor_us: Numbers) -> Bools:
    """Snapshots beneath a virtual disk, with wait above the device."""
    return _sure((_floats(snapshot_depth) >= LONG_CHAIN) & (_floats(hypervisor_us) > LEAST_HYPERVISOR_US))


def is_hypervisor_slow(hypervisor_us: Numbers) -> Bools:
    """Wait above the device that is worth a reason."""
    return _sure(_floats(hypervisor_us) > LEAST_HYPERVISOR_US)


def is_host_cpu_busy(used_share: Numbers) -> Bools:
    """A host's CPU in full use; the share is 0 to 1."""
    return _sure(_floats(used_share) > HOST_CPU_USED)


def is_port_full(used_share: Numbers) -> Bools:
    """A target port whose link carries what it can, one way; the share of its line rate is 0 to 1."""
    return _sure(_floats(used_share) >= PORT_USED)


def are_non_optimized_paths_used(iops: Numbers, non_optimized_iops: Numbers) -> Bools:
    """More than a twentieth of a device's I/O on its non-optimized paths."""
    whole = _floats(iops)
    return _sure((whole > 0) & (_floats(non_optimized_iops) > NON_OPTIMIZED_SHARE * whole))


def is_path_slow(us: Numbers, fastest_us: Numbers, precision_us: Numbers) -> Bools:
    """A path against the fastest of the same device; the counters' own step has to be passed as well."""
    own, best = _floats(us), _floats(fastest_us)
    least = np.maximum(LEAST_PATH_SPREAD_US, _floats(precision_us))
    return _sure((own > PATH_SPREAD * best) & (own - best > least))


def are_legs_apart(near_us: Numbers, far_us: Numbers, precision_us: Numbers) -> Bools:
    """Whether one array of a stretched pod is farther than another for sure: a counter in steps reads up to half a step too much,
    and up to a whole one too little."""
    step = np.where(_floats(precision_us) > 1.0, _floats(precision_us), 0.0)
    return _sure(_floats(far_us) - _floats(near_us) - 1.5 * step > LEAST_LEG_SPREAD_US)


def is_load_grown(before: Numbers, now: Numbers) -> Bools:
    """Rates of one kind, IOPS or bytes/s; from nothing, nothing can be said to have grown."""
    first = _floats(before)
    return _sure((first > 0) & (_floats(now) >= LOAD_GROWN * first))


def are_initiators_unmonitored(match_ratio: Numbers) -> Bools:
    """Whether the array did clearly more I/O than all monitored hosts issued."""
    return _sure(_floats(match_ratio) < LEAST_MATCH)


def _floats(numbers: Numbers) -> Floats:
    return np.asarray(numbers, dtype=np.float64)


def _sure(checks: npt.ArrayLike) -> Bools:
    """A comparison with NaN is false already; this only settles the type."""
    return np.asarray(checks, dtype=np.bool_)
