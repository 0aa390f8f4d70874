"""Published cases of queues and paths: inputs of a what-if, and what was observed. They are computed like any other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_QUEUEING = "Understanding VMware ESXi Queuing and the FlashArray"
_LATENCY_POLICY = "Latency-based PSP in ESXi 6.7 Update 1"
_FLASH = "vSphere Settings for All Flash Arrays, 2015"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfExample:
    """A published case. load, settings, scenario: fields of `typed` and of `scenario`, as they are sent. seen: what was observed after the
    change; source: where it was published.
    """

    id: str
    title: str
    text: str
    seen: str
    source: str
    load: Mapping[str, float]
    settings: Mapping[str, float]
    scenario: Mapping[str, float] = field(default_factory=dict)


# 96 threads of 4 KB reads: 1.4 ms in the guest, GAVG 0.93 ms; its array time is not published, 0.4 ms leaves one round trip of 0.1 ms.
_READS = {"iops": 65_000, "guest_queue_us": 470, "kernel_queue_us": 438, "san_us": 92, "array_us": 400}
_READ_SETTINGS = {"threads": 96, "virtual_disk_queue": 64, "device_depth": 32}
# 32 writes outstanding over two arrays 1 ms apart: 2.2 ms on optimized paths, 6 ms on the others.
_WRITES = {"iops": 7_805, "san_us": 3_900, "array_us": 200}
_WRITE_SETTINGS = {"threads": 32, "non_optimized_percent": 50, "non_optimized_extra_us": 3_800}

EXAMPLES = (
    WhatIfExample(
        id="virtual-disk-queue-alone",
        title="PVSCSI 64 → 96",
        text="96 threads of 4 KB reads; virtual disk queue 64, device depth 32. Only the virtual disk queue is raised.",
        seen="65,000 IOPS as before, 1.4 ms in the guest; the wait is now KAVG",
        source=_QUEUEING,
        load=_READS,
        settings=_READ_SETTINGS,
        scenario={"virtual_disk_queue": 96},
    ),
    WhatIfExample(
        id="both-queues",
        title="PVSCSI and device 96",
        text="The same reads; virtual disk queue and device depth are both raised to 96. The application wants 130,000 IOPS.",
        seen="125,000 IOPS at 0.7 ms, KAVG 0",
        source=_QUEUEING,
        load=_READS,
        settings=_READ_SETTINGS,
        scenario={"virtual_disk_queue": 96, "device_depth": 96, "demand_iops": 130_000},
    ),
    WhatIfExample(
        id="device-queue-alone",
        title="Device 32 → 96",
        text="The same reads; only the device depth is raised to 96.",
        seen="Not tried; the article expects nothing of one without the other. The smallest limit binds: the virtual disk queue of 64",
        source=_QUEUEING,
        load=_READS,
        settings=_READ_SETTINGS,
        scenario={"device_depth": 96, "demand_iops": 130_000},
    ),
    WhatIfExample(
        id="optimized-paths-only",
        title="Optimized paths only",
        text="32 writes outstanding to a stretched volume, half on non-optimized paths (2.2 and 6 ms). Only optimized ones are used.",
        seen="8,500 IOPS before, 13,500 after",
        source=_LATENCY_POLICY,
        load=_WRITES,
        settings=_WRITE_SETTINGS,
        scenario={"non_optimized_percent": 0},
    ),
    WhatIfExample(
        id="deeper-device-queue",
        title="Device 30 → 128",
        text="One VM on an all-flash array, round robin with 1 I/O per path; the device depth is raised from 30 to 128.",
        seen="161,000 IOPS before, 169,000 after",
        source=_FLASH,
        load={"iops": 161_000, "array_us": 186.3},
        settings={"threads": 128, "device_depth": 30},
        scenario={"device_depth": 128},
    ),
)
