"""What a guest's kernel counts of its disks, and Telegraf's `inputs.diskio` writes of it: InfluxDB line protocol, sums since boot."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gavel_lab.environment import Environment, VirtualDisk
from gavel_lab.guests.agents import Agent
from gavel_lab.model import By, Model
from gavel_lab.reading import READ, WRITE, Floats

# Linux shows the ms of /proc/diskstats with so many bits.
_MS_BITS = 2**32
# A guest whose lab is started again has booted, and only counters that fell show that. So counts begin the lower the later the boot is,
# and the first reading, which is of the boot itself, can follow none of a boot before.
_LAST_BOOT_S, _LOWER_PER_S = 4_102_444_800, 10


@dataclass
class GuestCounters:
    """Sums of one guest's disks since `booted_s`, and how far they go. Times are lab seconds; (d, 2) for disks and directions."""

    environment: Environment
    model: Model
    agent: Agent
    booted_s: float
    until_s: float = field(init=False)
    _ops: Floats = field(init=False)
    _bytes: Floats = field(init=False)
    _time_us: Floats = field(init=False)
    _busy_us: Floats = field(init=False)
    _outstanding: Floats = field(init=False)

    def __post_init__(self) -> None:
        disks = len(self.agent.vm.disks)
        self.until_s = self.booted_s
        self._ops, self._bytes, self._time_us = (np.zeros((disks, 2)) for _ in range(3))
        self._busy_us, self._outstanding = np.zeros(disks), np.zeros(disks)

    def advance(self, until_s: float) -> None:
        """Count what happened up to then."""
        if until_s <= self.until_s:
            return
        windows = np.array([[self.until_s, until_s]])
        reading = self.model.read(By.DISK, list(self.agent.vm.disks), windows)
        self._ops += reading.ops[:, 0]
        self._bytes += reading.bytes[:, 0]
        # The guest's own view: its queue and everything below it.
        self._time_us += reading.io_time_us[:, 0].sum(axis=-1)
        self._outstanding = reading.outstanding("guest")[:, 0].sum(axis=-1)
        # A disk is idle when none of its I/Os happens to be on its way.
        self._busy_us += -np.expm1(-self._outstanding) * (until_s - self.until_s) * 1e6
        self.until_s = until_s

    def lines(self) -> list[bytes]:
        """A line for each disk, and for the partition of the first one, which Telegraf sends as well."""
        stamp_ns = round((self.until_s + self.agent.ahead_s) * 1000) * 1_000_000
        disks = [self.environment.disks[index] for index in self.agent.vm.disks]
        names = device_names(disks)
        lines = []
        for place, (disk, name) in enumerate(zip(disks, names, strict=True)):
            fields = ",".join(f"{key}={value}i" for key, value in self._fields(place))
            tags = {"host": self.agent.vm.name, "name": name, **_identity(self.environment, disk, self.agent)}
            lines.append(_line(tags, fields, stamp_ns))
            if place == 0:
                partition = f"{name}p1" if name.startswith("nvme") else f"{name}1"
                lines.append(_line({**tags, "name": partition}, fields, stamp_ns))
        return lines

    def _fields(self, place: int) -> Iterator[tuple[str, int]]:
        first = math.floor((_LAST_BOOT_S - self.booted_s) * _LOWER_PER_S)
        for direction, name in ((READ, "read"), (WRITE, "write")):
            yield f"{name}s", first + math.floor(self._ops[place, direction])
            yield f"{name}_bytes", first + math.floor(self._bytes[place, direction])
            yield f"{name}_time", math.floor(self._time_us[place, direction] / 1000) % _MS_BITS
            yield f"merged_{name}s", 0
        yield "io_time", math.floor(self._busy_us[place] / 1000) % _MS_BITS
        yield "weighted_io_time", math.floor(self._time_us[place].sum() / 1000) % _MS_BITS
        yield "iops_in_progress", round(self._outstanding[place])


def device_names(disks: Sequence[VirtualDisk]) -> list[str]:
    """Kernel names in the order of the disks: `sda`, `sdb`, …, `nvme0n1`."""
    scsi = [disk.index for disk in disks if disk.controller != "nvme"]
    return [
        f"nvme{disk.bus}n{disk.unit + 1}"
        if disk.controller == "nvme"
        else f"sd{chr(ord('a') + scsi.index(disk.index))}"
        for disk in disks
    ]


def _identity(environment: Environment, disk: VirtualDisk, agent: Agent) -> dict[str, str]:
    """Tags by which the disk may be recognized: of a raw device the array's serial number, of a virtual one its UUID, where it shows."""
    if disk.is_rdm:
        naa = f"624a9370{environment.volumes[disk.volumes[0]].serial.lower()}"
    elif disk.controller == "nvme":
        return {"serial": f"VMware_Virtual_NVMe_Disk_VMware_NVME_{disk.bus:04}"}
    elif agent.has_serials:
        naa = disk.backing_uuid.replace("-", "").lower()
    else:
        return {"serial": "unknown"}
    return {"serial": f"3{naa}", "wwid": f"naa.{naa}"}


def _line(tags: dict[str, str], fields: str, stamp_ns: int) -> bytes:
    """Names of the lab hold nothing that would have to be escaped."""
    return (
        ",".join(["diskio", *(f"{key}={value}" for key, value in tags.items())]).encode()
        + f" {fields} {stamp_ns}\n".encode()
    )
