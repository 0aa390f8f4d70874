"""What `esxtop -b -a -d N -n M` on a host of the lab writes: a batch file of its adapters, paths, devices, worlds and virtual disks.

Grammar as real files have it: the first cell names format, time zone and its minutes; every other cell of the header is
`\\\\host\\Object(instance)\\Counter`, nothing in it escaped; a row begins with the whole second at which its interval ended, by the
host's own clock in UTC; the first row has gauges only, since a rate needs two looks. Which columns there are is settled when the
capture begins: a VM that comes later is missing, one that leaves shows zeros. Latencies are ms with two decimals.

Of CPU and network the lab has no model: there are only the columns of `Vcpu` whose names tie worlds to VMs, at rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from gavel_lab.environment import EsxiHost, VirtualDisk, Vm
from gavel_lab.lab import Lab
from gavel_lab.model import By
from gavel_lab.quantise import Ints, count
from gavel_lab.reading import READ, WRITE, Floats, Reading

_FIRST_CELL = '"(PDH-CSV 4.0) (UTC)(0)"'
# Rows that are made at once: what a capture of a day needs of memory.
_ROWS_AT_ONCE = 120
# Gauges show the last second of an interval.
_INSTANT_S = 1.0
_MIB = 2**20
_FIRST_WORLD, _WORLDS_PER_VM, _FIRST_GROUP = 2_100_000, 10, 1_000_000

_BOUNDARIES = ("Driver", "Kernel", "Guest", "Queue")
_DIRECTIONS = ("Command", "Read", "Write")
_FAILED = ("Failed Commands/sec", "Failed Reads/sec", "Failed Writes/sec")
_FAILED_MORE = ("Failed Bytes Read/sec", "Failed Bytes Written/sec", "Failed Reserves/sec", "Aborts/sec", "Resets/sec")
_SPLIT = ("PAE Commands/sec", "PAE Copies/sec", "Split Commands/sec", "Split Copies/sec")
# Counts since the host started, and rates in between. Nothing is cloned, zeroed or deleted in the lab.
_VAAI_COUNTS = frozenset(
    {"CReads", "CWrites", "CFailed", "ATS", "ATS Failed", "Zeros", "Zeros Failed", "Delete", "Deletes Failed"}
)
_VAAI = (
    *("CReads", "CWrites", "CFailed", "MBytes CReads/sec", "MBytes CWrites/sec"),
    *("ATS", "ATS Failed", "Zeros", "Zeros Failed", "MBytes Zeroed/sec", "Delete", "Deletes Failed"),
    *("MBytes Deletes/sec",),
    *(f"Average {how} Latency ms/{what}" for how in ("Success", "Failure") for what in ("Clone", "ATS", "Zero")),
)

Cells = Sequence[str]
Columns = Iterator[tuple[str, Cells]]


@dataclass(frozen=True, kw_only=True)
class _Interval:
    """Some rows. stamps: seconds of the host's clock at which they end; spans, instants: of lab time, for rates and gauges. begins: the
    first row has no rates."""

    stamps: Ints
    spans: Floats
    instants: Floats
    begins: bool

    def rates(self, numbers: Floats) -> Cells:
        """Two decimals; 0.00 where nothing happened."""
        shown = np.nan_to_num(numbers)
        if self.begins:
            shown = np.concatenate([[0.0], shown[1:]])
        return [f"{number:.2f}" for number in shown.tolist()]

    def gauges(self, numbers: Ints) -> Cells:
        return [str(number) for number in numbers.tolist()]

    def ratios(self, numbers: Floats) -> Cells:
        """Of gauges; the first row has none yet."""
        return self.rates(numbers)

    def zeros(self) -> Cells:
        return ["0.00"] * len(self.stamps)


class EsxtopCapture:
    """One capture of one host. `first_stamp`: second of the first row, by the host's clock."""

    def __init__(self, lab: Lab, host: EsxiHost, first_stamp: int, *, interval_s: int, rows: int) -> None:
        """Raises ValueError for an interval that esxtop refuses, or fewer than two rows."""
        if interval_s < 2 or rows < 2:
            raise ValueError("esxtop captures at intervals of 2 s or more, and a capture has two rows at least")
        self._lab, self._host = lab, host
        self._clock = lab.clocks.hosts[host.index]
        self._interval_s = interval_s
        self._stamps = first_stamp + interval_s * np.arange(rows, dtype=np.int64)
        began_s = float(self._clock.to_lab(self._stamps[:1].astype(np.float64))[0])
        self._vms = [
            vm
            for vm in lab.environment.vms
            if vm.is_powered_on and lab.placement.host_of(vm.index, began_s) == host.index
        ]

    def lines(self) -> Iterator[str]:
        """The header, then a line per row, without line ends."""
        for start in range(0, len(self._stamps), _ROWS_AT_ONCE):
            interval = self._rows(self._stamps[start : start + _ROWS_AT_ONCE], begins=start == 0)
            columns = list(self._columns(interval))
            if start == 0:
                names = (f'"\\\\{self._host.name}\\{name}"' for name, _ in columns)
                yield ",".join([_FIRST_CELL, *names])
            for row, stamp in enumerate(interval.stamps.tolist()):
                at = f"{datetime.fromtimestamp(stamp, UTC):%m/%d/%Y %H:%M:%S}"
                yield ",".join([f'"{at}"', *(f'"{cells[row]}"' for _, cells in columns)])

    def _rows(self, stamps: Ints, *, begins: bool) -> _Interval:
        return _Interval(
            stamps=stamps,
            spans=self._clock.windows(stamps, float(self._interval_s)),
            instants=self._clock.windows(stamps, _INSTANT_S),
            begins=begins,
        )

    def _columns(self, rows: _Interval) -> Columns:
        yield from self._vcpus(rows)
        yield from self._adapters(rows)
        yield from self._paths(rows)
        yield from self._devices(rows)
        yield from self._worlds(rows)
        yield from self._nfs_volumes(rows)
        yield from self._virtual_disks(rows)

    # --- names of worlds ----------------------------------------------------------------------------------------------

    def _vcpus(self, rows: _Interval) -> Columns:
        """A VM's leader world has no column of its own: it stands in the names of its siblings."""
        for vm in self._vms:
            leader = _leader(vm)
            names = ["vmx", f"NetWorld-VM-{leader}", f"vmast.{leader}", *_adapter_worlds(self._disks(vm), leader)]
            for number, name in enumerate(names):
                # The process is the world before its leader.
                world = leader - 1 if name == "vmx" else leader + number
                yield f"Vcpu({_FIRST_GROUP + vm.index}:{vm.name}:{world}:{name})\\% Run", rows.zeros()

    # --- adapters, paths, devices -------------------------------------------------------------------------------------

    def _adapters(self, rows: _Interval) -> Columns:
        hbas = [self._lab.environment.hbas[number] for number in self._host.hbas]
        reading = self._lab.model.read(By.ADAPTER, list(self._host.hbas), rows.spans)
        for row, hba in enumerate(hbas):
            yield from _named(f"Physical Disk Adapter({hba.name})", _common(rows, reading, row))

    def _paths(self, rows: _Interval) -> Columns:
        paths = [path for number in self._host.devices for path in self._lab.environment.devices[number].paths]
        reading = self._lab.model.read(By.PATH, paths, rows.spans)
        for row, number in enumerate(paths):
            name = self._lab.environment.paths[number].name
            yield from _named(f"Physical Disk Path({name})", _common(rows, reading, row))

    def _devices(self, rows: _Interval) -> Columns:
        devices = list(self._host.devices)
        reading = self._lab.model.read(By.DEVICE, devices, rows.spans)
        now = self._lab.model.read(By.DEVICE, devices, rows.instants)
        depths = count(self._lab.model.device_depths(devices, rows.instants))
        for row, number in enumerate(devices):
            name = f"Physical Disk SCSI Device({self._lab.environment.devices[number].name})"
            yield from _named(name, _queues(rows, now, row, depths[row]))
            yield from _named(name, _disk_counters(rows, reading, row))
            for counter in _VAAI:
                zeros = rows.gauges(np.zeros(len(rows.stamps), np.int64))
                yield f"{name}\\{counter}", zeros if counter in _VAAI_COUNTS else rows.zeros()

    def _worlds(self, rows: _Interval) -> Columns:
        pairs = [(device, vm) for vm in self._vms for device in self._devices_of(vm)]
        numbers = [(device, vm.index) for device, vm in pairs]
        reading = self._lab.model.read_device_of_vm(numbers, rows.spans)
        now = self._lab.model.read_device_of_vm(numbers, rows.instants)
        depths = count(self._lab.model.device_depths([device for device, _ in pairs], rows.instants))
        for row, (device, vm) in enumerate(pairs):
            instance = f"{self._lab.environment.devices[device].name}-{_leader(vm)}"
            name = f"Physical Disk Per-Device-Per-World({instance})"
            yield f"{name}\\Shares", rows.gauges(np.zeros(len(rows.stamps), np.int64))
            yield from _named(name, _queues(rows, now, row, depths[row]))
            yield from _named(name, _disk_counters(rows, reading, row))

    def _devices_of(self, vm: Vm) -> list[int]:
        """Devices of this host through which a VM reaches its disks: none for one on NFS."""
        environment = self._lab.environment
        volumes: list[int] = []
        for disk in self._disks(vm):
            endpoint = environment.datastores[disk.datastore].endpoint
            volumes += [endpoint] if disk.vvol_id is not None and endpoint is not None else disk.volumes
        return sorted({environment.device_of[self._host.index, volume] for volume in volumes})

    # --- files and virtual disks --------------------------------------------------------------------------------------

    def _nfs_volumes(self, rows: _Interval) -> Columns:
        stores = [self._lab.environment.datastores[number] for number in self._host.datastores]
        shares = [store for store in stores if store.kind == "nfs"]
        pairs = [(self._host.index, store.index) for store in shares]
        reading = self._lab.model.read_datastore_of_host(pairs, rows.spans)
        now = self._lab.model.read_datastore_of_host(pairs, rows.instants).all_directions()
        for row, store in enumerate(shares):
            name = f"Physical Disk NFS Volume({store.name})"
            yield f"{name}\\Active Commands", rows.gauges(count(now.outstanding("device")[row, :, 0]))
            yield from _named(name, _rates(rows, reading, row))
            yield from _named(name, _latencies(rows, reading, row, ("Guest",)))
            zeros = (*_FAILED, "Failed MBytes Read/sec", "Failed MBytes Written/sec", *_FAILED_MORE[2:])
            yield from ((f"{name}\\{counter}", rows.zeros()) for counter in zeros)

    def _virtual_disks(self, rows: _Interval) -> Columns:
        """A VM's sum, then its disks. No latency per command: esxtop has none of them."""
        model, host = self._lab.model, self._host.index
        disks = [disk for vm in self._vms for disk in self._disks(vm)]
        sums = model.read(By.VM, [vm.index for vm in self._vms], rows.spans, host=host)
        each = model.read(By.DISK, [disk.index for disk in disks], rows.spans, host=host)
        row_of = {disk.index: row for row, disk in enumerate(disks)}
        for number, vm in enumerate(self._vms):
            yield from _named(f"Virtual Disk({vm.name})", _virtual(rows, sums, number))
            for disk in self._disks(vm):
                name = f"Virtual Disk({vm.name}:{disk.instance})"
                yield from _named(name, _virtual(rows, each, row_of[disk.index]))

    def _disks(self, vm: Vm) -> list[VirtualDisk]:
        return [self._lab.environment.disks[number] for number in vm.disks]


def _leader(vm: Vm) -> int:
    return _FIRST_WORLD + _WORLDS_PER_VM * vm.index


def _adapter_worlds(disks: Sequence[VirtualDisk], leader: int) -> list[str]:
    """One per SCSI adapter of the VM."""
    kinds = {"pvscsi": "PVSCSI", "lsi": "LSI"}
    return sorted({f"{kinds[disk.controller]}-{leader}:{disk.bus}" for disk in disks if disk.controller in kinds})


# --- counters of one row of a reading ---------------------------------------------------------------------------------


def _named(name: str, counters: Columns) -> Columns:
    return ((f"{name}\\{counter}", cells) for counter, cells in counters)


def _queues(rows: _Interval, now: Reading, row: int, depth: Ints) -> Columns:
    """DQLEN, ACTV and QUED of the last second, and what esxtop makes of them."""
    both = now.all_directions()
    active, queued = count(both.outstanding("driver")[row, :, 0]), count(both.queued()[row, :, 0])
    slots = np.maximum(depth, 1)
    yield "Device Q Depth", rows.gauges(depth)
    yield "World Q Depth", rows.gauges(np.zeros_like(depth))
    yield "Active Commands", rows.gauges(active)
    yield "Queued Commands", rows.gauges(queued)
    yield "% Used", rows.ratios(100.0 * active / slots)
    yield "Load", rows.ratios((active + queued) / slots)


def _common(rows: _Interval, reading: Reading, row: int) -> Columns:
    """The 31 of adapters and paths."""
    yield from _disk_counters(rows, reading, row)
    yield from ((counter, rows.zeros()) for counter in _SPLIT)


def _disk_counters(rows: _Interval, reading: Reading, row: int) -> Columns:
    """The 27 that adapters, paths, devices and worlds share."""
    yield from _rates(rows, reading, row)
    yield from ((counter, rows.zeros()) for counter in ("Reserves/sec", "Conflicts/sec"))
    yield from _latencies(rows, reading, row, _BOUNDARIES)
    yield from ((counter, rows.zeros()) for counter in (*_FAILED, *_FAILED_MORE))


def _rates(rows: _Interval, reading: Reading, row: int) -> Columns:
    ops, moved = reading.ops_per_s()[row], reading.bytes_per_s()[row] / _MIB
    yield "Commands/sec", rows.rates(ops[:, READ] + ops[:, WRITE])
    yield "Reads/sec", rows.rates(ops[:, READ])
    yield "Writes/sec", rows.rates(ops[:, WRITE])
    yield "MBytes Read/sec", rows.rates(moved[:, READ])
    yield "MBytes Written/sec", rows.rates(moved[:, WRITE])


def _latencies(rows: _Interval, reading: Reading, row: int, boundaries: Sequence[str]) -> Columns:
    for direction in _DIRECTIONS:
        part = reading.all_directions() if direction == "Command" else reading
        column = WRITE if direction == "Write" else READ
        for boundary in boundaries:
            yield (
                f"Average {boundary} MilliSec/{direction}",
                rows.rates(_latency_us(part, boundary)[row, :, column] / 1e3),
            )


def _latency_us(reading: Reading, boundary: str) -> Floats:
    """(n, w, d) DAVG, KAVG, GAVG or QAVG."""
    if boundary == "Kernel":
        return reading.kernel_us()
    if boundary == "Queue":
        return reading.segment_us("kernel_queue")
    return reading.latency_us("device" if boundary == "Guest" else "driver")


def _virtual(rows: _Interval, reading: Reading, row: int) -> Columns:
    latency_ms = reading.latency_us("vscsi")[row] / 1e3
    yield from _rates(rows, reading, row)
    yield "Average MilliSec/Read", rows.rates(latency_ms[:, READ])
    yield "Average MilliSec/Write", rows.rates(latency_ms[:, WRITE])
