"""What the columns of a series are called in front of people."""

_DIRECTIONS = {"read": "Read", "write": "Write", "mirrored_write": "Mirrored write"}
_QUANTITIES = {
    "iops": "IOPS",
    "bytes_per_s": "throughput",
    "service_us": "array service",
    "queue_us": "array queue",
    "qos_us": "QoS limit wait",
    "qos_sched_us": "QoS scheduling",
    "san_us": "SAN (array's port)",
    "usec_us": "array headline (usec_per_op)",
    "gavg_us": "GAVG",
    "davg_us": "DAVG",
    "kavg_us": "KAVG",
    "qavg_us": "QAVG",
    "latency_us": "latency",
    "total_latency_us": "latency (ms counter)",
    "outstanding": "outstanding I/Os",
    "queue_depth": "Queue depth (DQLEN)",
    "device_depth": "Device's own depth",
    "dsnro": "DSNRO",
    "active_vms": "VMs that do I/O",
    "queued": "Queued I/Os",
    "aborts": "Aborted commands",
    "bus_resets": "Bus resets",
}


def label(name: str) -> str:
    """`mirrored_write_san_us` → `Mirrored write SAN (array's port)`; a name nobody thought of stays as it is."""
    for direction, words in sorted(_DIRECTIONS.items(), key=lambda item: -len(item[0])):
        rest = name.removeprefix(f"{direction}_")
        if rest != name:
            return f"{words} {_QUANTITIES.get(rest, rest)}"
    return _QUANTITIES.get(name, name)
