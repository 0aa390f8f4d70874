"""What goes wrong, when, and who is to blame: phases keyed to the minute of the hour, each on its own datastore.

A phase is data; `gavel_lab.inputs` turns it into numbers. All phases last at least 8 minutes and under a quarter of the
hour, so any span of an hour holds every kind of trouble.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

HOUR_S = 3600


@dataclass(frozen=True)
class DiskChange:
    """What the disks of one workload do during a phase; None leaves it as it is."""

    threads: float
    think_us: float
    queue_depth: int | None = None


@dataclass(frozen=True)
class StoryTask:
    """A task of the vCenter that runs as long as the phase does: `description_id` as vSphere names it, and the VM that it is on."""

    description_id: str
    vm: str


@dataclass(frozen=True)
class Phase:
    """One state of a story. `layer` and `segment` are the guilty ones, None where all is well.

    culprit      workload of the disk that causes it, where a disk does
    device_depth Device Max Queue Depth of the datastore's devices
    fabric_us    added to the mean fabric time, all of it on the paths of fabric B
    task         of the vCenter, on a VM whose I/Os then spend `hypervisor_us` more above the device
    hypervisor_us of a phase without a task: spent by I/Os of the disks with an I/O filter
    busy_host    whose CPU is used to `cpu_share`; I/Os of its devices of the datastore spend `kernel_us` more in the kernel's own code
    """

    story: str
    title: str
    start_minute: int
    end_minute: int
    layer: str | None
    segment: str | None
    disks: Mapping[str, DiskChange] = field(default_factory=dict)
    culprit: str | None = None
    device_depth: int | None = None
    fabric_us: float = 0.0
    optimized_paths_down: bool = False
    service_scale: float = 1.0
    capacity_scale: float = 1.0
    task: StoryTask | None = None
    hypervisor_us: float = 0.0
    busy_host: str | None = None
    cpu_share: float = 0.0
    kernel_us: float = 0.0

    def plays_at(self, second: float) -> bool:
        """Whether the phase is on at a lab second."""
        return 60 * self.start_minute <= second % HOUR_S < 60 * self.end_minute


_ARTICLE = DiskChange(96, 77)
_ARTICLE_DEEP = DiskChange(96, 77, queue_depth=96)
_MEDIA = {"media": DiskChange(64, 13_000)}

PHASES = (
    Phase(
        "esxi-queuing",
        "PVSCSI 64, device depth 32: queueing in the guest and in the kernel",
        4,
        14,
        "kernel",
        "kernel_queue",
        {"article": _ARTICLE},
    ),
    Phase(
        "esxi-queuing",
        "PVSCSI 96, device depth 32: all of the queue in the kernel",
        14,
        24,
        "kernel",
        "kernel_queue",
        {"article": _ARTICLE_DEEP},
    ),
    Phase(
        "esxi-queuing",
        "PVSCSI 96, device depth 96: no queue",
        24,
        34,
        None,
        None,
        {"article": _ARTICLE_DEEP},
        device_depth=96,
    ),
    Phase("san-congestion", "fabric B congested", 8, 18, "san", "fabric", fabric_us=1200),
    Phase(
        "array-qos",
        "volume at its QoS limit",
        20,
        30,
        "array",
        "array_qos",
        {"throttled": DiskChange(6, 100)},
    ),
    Phase(
        "array-overload",
        "array short of service capacity",
        33,
        43,
        "array",
        "array_service",
        {"overload": DiskChange(12, 300)},
        service_scale=4.0,
        capacity_scale=0.03,
    ),
    Phase(
        "competing-worlds",
        "a second VM on the device brings DSNRO into play",
        45,
        55,
        "kernel",
        "kernel_queue",
        {"intruder": DiskChange(1, 10_000)},
        culprit="intruder",
    ),
    Phase(
        "non-optimized-paths",
        "optimized paths of the stretched pod down",
        12,
        22,
        "san",
        "fabric",
        optimized_paths_down=True,
    ),
    Phase(
        "vm-iops-limit",
        "virtual disk at its IOPS limit",
        36,
        46,
        "kernel",
        "hypervisor",
        {"limited": DiskChange(8, 500)},
        culprit="limited",
    ),
    Phase(
        "noisy-neighbour",
        "one VM fills the device queue of all",
        26,
        36,
        "kernel",
        "kernel_queue",
        {"noisy": DiskChange(64, 50)},
        culprit="noisy",
    ),
    Phase(
        "volume-group-limit",
        "volumes of a VM at the QoS limit of their group",
        48,
        58,
        "array",
        "array_qos",
        {"oltp": DiskChange(24, 300)},
    ),
    Phase(
        "snapshot-consolidation",
        "disks of a VM are consolidated",
        37,
        47,
        "kernel",
        "hypervisor",
        task=StoryTask("VirtualMachine.consolidateDisks", "general-03"),
        hypervisor_us=2500.0,
    ),
    Phase(
        "io-filter",
        "I/O filter of a VM's disks slow",
        22,
        32,
        "kernel",
        "hypervisor",
        hypervisor_us=4000.0,
    ),
    Phase(
        "host-cpu",
        "CPU of a host in full use, completions late",
        2,
        12,
        "kernel",
        "kernel_service",
        busy_host="esx-06.lab.example",
        cpu_share=0.97,
        kernel_us=1500.0,
    ),
    Phase(
        "host-cpu",
        "CPU of a host in full use, completions in time",
        14,
        24,
        None,
        None,
        busy_host="esx-06.lab.example",
        cpu_share=0.96,
    ),
    Phase(
        "guest-queue",
        "96 threads on a virtual disk queue of 64: a queue in the guest alone",
        34,
        44,
        "guest",
        "guest_queue",
        {"crowded": DiskChange(96, 0)},
        culprit="crowded",
    ),
    Phase(
        "guest-queue",
        "64 threads on a virtual disk queue of 64: the same I/O, no queue",
        44,
        54,
        None,
        None,
        {"crowded": DiskChange(64, 0)},
    ),
    Phase(
        "target-port",
        "large I/Os over four target ports, the link of one at 16 Gbit/s",
        22,
        32,
        "san",
        "array_port",
        _MEDIA,
    ),
    Phase(
        "target-port-twin",
        "the same large I/Os over four target ports at 32 Gbit/s",
        44,
        54,
        None,
        None,
        _MEDIA,
    ),
)


def playing(story: str | None, second: float) -> Phase | None:
    """The phase of a story that is on at a lab second."""
    return next((phase for phase in PHASES if phase.story == story and phase.plays_at(second)), None)
