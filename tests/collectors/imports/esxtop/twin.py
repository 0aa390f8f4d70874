"""Makes esxtop batch captures after the grammar of esxtop, oddities included. Nothing is copied from a recording: all is made up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import cycle, islice

BOUNDARIES = ("Driver", "Kernel", "Guest", "Queue")
RATES = ("Commands/sec", "Reads/sec", "Writes/sec", "MBytes Read/sec", "MBytes Written/sec")
FAULTS = (
    *("Failed Commands/sec", "Failed Reads/sec", "Failed Writes/sec"),
    *("Failed Bytes Read/sec", "Failed Bytes Written/sec", "Failed Reserves/sec", "Aborts/sec", "Resets/sec"),
)
PAE = ("PAE Commands/sec", "PAE Copies/sec", "Split Commands/sec", "Split Copies/sec")
VAAI = (
    *("CReads", "CWrites", "CFailed", "MBytes CReads/sec", "MBytes CWrites/sec", "ATS", "ATS Failed"),
    *("Zeros", "Zeros Failed", "MBytes Zeroed/sec", "Delete", "Deletes Failed", "MBytes Deletes/sec"),
    *(f"Average {how} Latency ms/{what}" for what in ("Clone", "ATS", "Zero") for how in ("Success", "Failure")),
)
START = datetime(2026, 3, 14, 9, 30, 0)  # noqa: DTZ001 (local time of the file)
ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Load:
    """One row of a device. read, write: DAVG, KAVG, QAVG in ms. others: commands that neither read nor write."""

    reads: float = 0.0
    writes: float = 0.0
    others: float = 0.0
    read: tuple[float, float, float] = ZERO
    write: tuple[float, float, float] = ZERO
    active: int = 0
    queued: int = 0
    depth: int = 32

    @property
    def commands(self) -> float:
        return self.reads + self.writes + self.others

    def latencies(self, direction: str) -> dict[str, float]:
        """By boundary. What a direction without I/O has is 0.00, as esxtop writes it."""
        if direction == "Command":
            total = self.reads + self.writes
            reads, writes = self.latencies("Read"), self.latencies("Write")
            return {
                each: (self.reads * reads[each] + self.writes * writes[each]) / total if total else 0.0
                for each in BOUNDARIES
            }
        rate, (driver, kernel, queue) = (self.reads, self.read) if direction == "Read" else (self.writes, self.write)
        if not rate:
            return dict.fromkeys(BOUNDARIES, 0.0)
        return {"Driver": driver, "Kernel": kernel, "Guest": driver + kernel, "Queue": queue}


@dataclass(frozen=True)
class Device:
    """`loads`: per row with rates, repeated as needed. worlds: share of the I/O by world id."""

    name: str
    loads: Sequence[Load]
    worlds: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Machine:
    """A VM: its leader world, and reads/s, writes/s, read ms, write ms of its disks."""

    name: str
    world: int
    disks: Mapping[str, tuple[float, float, float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Twin:
    """A capture. with_all: as `-a` writes it. broken_pcpus: how many cells stand unquoted and without a comma behind them."""

    devices: Sequence[Device] = ()
    machines: Sequence[Machine] = ()
    rows: int = 13
    step_s: float = 5.0
    with_all: bool = True
    host: str = "esx-04.example.com"
    zone: str = "UTC"
    bias: int = 0
    start: datetime = START
    broken_pcpus: int = 2
    trailing_comma: bool = False
    filler: int = 10
    more: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def first_cell(self) -> str:
        return f"(PDH-CSV 4.0) ({self.zone})({self.bias})"

    def stamps(self) -> Iterator[datetime]:
        return (self.start + timedelta(seconds=self.step_s * row) for row in range(self.rows))

    def columns(self) -> list[tuple[str, list[str]]]:
        """Name of each column without the host, and its cells; those of esxtop's first row as zeros where they are rates."""
        columns = [("Memory\\Free MBytes", ["512"] * self.rows)]
        columns += [(f"Group Cpu({n}:group{n})\\% Ready", ["0.02"] * self.rows) for n in range(self.filler)]
        columns += list(self._adapter())
        for device in self.devices:
            columns += list(self._device(device))
        for machine in self.machines:
            columns += list(self._machine(machine))
        return columns + [(name, list(cells)) for name, cells in self.more.items()]

    def _per_row(self, cells: Sequence[str], first: str) -> list[str]:
        return [first, *islice(cycle(cells), self.rows - 1)] if cells else [first] * self.rows

    def _adapter(self) -> Iterator[tuple[str, list[str]]]:
        if self.with_all:
            yield "Physical Disk(vmhba2)\\Adapter Q Depth", ["4096"] * self.rows
        for counter in RATES:
            yield f"Physical Disk Adapter(vmhba2)\\{counter}", self._per_row(["10.00"], "0.00")
        for counter in RATES:
            yield f"Physical Disk Path(vmhba2:C0:T0:L1)\\{counter}", self._per_row(["10.00"], "0.00")

    def _device(self, device: Device) -> Iterator[tuple[str, list[str]]]:
        for counter in self._device_counters():
            cells = [_device_cell(load, counter) for load in device.loads]
            first = (
                cells[0]
                if counter in ("Device Q Depth", "World Q Depth", "Active Commands", "Queued Commands")
                else "0.00"
            )
            yield f"Physical Disk SCSI Device({device.name})\\{counter}", self._per_row(cells, first)
        for world, share in device.worlds.items():
            for counter in ("World Q Depth", "Active Commands", "Queued Commands", *RATES[:3]):
                cells = [_world_cell(load, counter, share) for load in device.loads]
                yield (
                    f"Physical Disk Per-Device-Per-World({device.name}-{world})\\{counter}",
                    self._per_row(cells, "0.00"),
                )

    def _device_counters(self) -> Iterator[str]:
        yield from ("Device Q Depth", "World Q Depth", "Active Commands", "Queued Commands", "% Used", "Load")
        yield from RATES
        directions = ("Command", "Read", "Write") if self.with_all else ("Command",)
        yield from (f"Average {boundary} MilliSec/{each}" for each in directions for boundary in BOUNDARIES)
        if self.with_all:
            yield from (*FAULTS, *VAAI)

    def _machine(self, machine: Machine) -> Iterator[tuple[str, list[str]]]:
        group = 100_000 + machine.world
        for offset, name in ((1, f"NetWorld-VM-{machine.world}"), (2, f"vmast.{machine.world}"), (-1, "vmx")):
            yield f"Vcpu({group}:{machine.name}:{machine.world + offset}:{name})\\% Run", ["1.00"] * self.rows
        yield (
            f"Network Port(vSwitch0:335544:{machine.world}:{machine.name})\\Packets Received/sec",
            ["0.00"] * self.rows,
        )
        total = tuple(sum(each[at] for each in machine.disks.values()) for at in (0, 1))
        everything = {"": (*total, 0.0, 0.0)} if machine.disks else {}
        for disk, (reads, writes, read_ms, write_ms) in {**everything, **machine.disks}.items():
            instance = f"{machine.name}:{disk}" if disk else machine.name
            values = (reads + writes, reads, writes, reads * 8 / 1024, writes * 8 / 1024, read_ms, write_ms)
            for counter, value in zip((*RATES, "Average MilliSec/Read", "Average MilliSec/Write"), values, strict=True):
                yield f"Virtual Disk({instance})\\{counter}", self._per_row([f"{value:.2f}"], "0.00")

    def header(self) -> str:
        names = [f'"{self.first_cell}"', *(f'"\\\\{self.host}\\{name}"' for name, _ in self.columns())]
        return self._line(names, "   -")

    def lines(self) -> list[str]:
        """The rows."""
        columns = [cells for _, cells in self.columns()]
        return [
            self._line([f'"{stamp:%m/%d/%Y %H:%M:%S}"', *(f'"{cells[row]}"' for cells in columns)], "    73.1")
            for row, stamp in enumerate(self.stamps())
        ]

    def _line(self, cells: list[str], bare: str) -> str:
        """Bare cells stand after the first PCPU's columns, here in the midst, and at the end, where no comma follows."""
        if not self.broken_pcpus:
            return ",".join(cells) + ("," if self.trailing_comma else "")
        middle = len(cells) // 2
        parts = [",".join(cells[:middle]), bare] + [f'"0.00",{bare}'] * (self.broken_pcpus - 2)
        return ",".join(parts) + ",".join(cells[middle:]) + f",{bare}"

    def text(self, end: str = "\n") -> str:
        return end.join([self.header(), *self.lines()]) + end

    def data(self) -> bytes:
        return self.text().encode()


def _device_cell(load: Load, counter: str) -> str:
    whole = {
        "Device Q Depth": load.depth,
        "World Q Depth": 0,
        "Active Commands": load.active,
        "Queued Commands": load.queued,
        "Delete": 22,
    }
    if counter in whole:
        return str(whole[counter])
    values = {
        "% Used": 100 * load.active / load.depth,
        "Load": (load.active + load.queued) / load.depth,
        "Commands/sec": load.commands,
        "Reads/sec": load.reads,
        "Writes/sec": load.writes,
        "MBytes Read/sec": load.reads * 8 / 1024,
        "MBytes Written/sec": load.writes * 8 / 1024,
    }
    if counter.startswith("Average ") and "MilliSec/" in counter:
        boundary, _, direction = counter.removeprefix("Average ").partition(" MilliSec/")
        return f"{load.latencies(direction)[boundary]:.2f}"
    return f"{values.get(counter, 0.0):.2f}"


def _world_cell(load: Load, counter: str, share: float) -> str:
    values = {"Commands/sec": load.commands, "Reads/sec": load.reads, "Writes/sec": load.writes}
    instants = {"World Q Depth": 0.0, "Active Commands": load.active, "Queued Commands": load.queued}
    if counter in instants:
        return str(round(share * instants[counter]))
    return f"{share * values[counter]:.2f}"


def incident() -> Twin:
    """Two VMs on one device of 32 slots, of which one fills it; and a VM with a disk elsewhere."""
    busy = Load(reads=40_000, writes=10_000, read=(0.49, 0.44, 0.42), write=(0.60, 0.45, 0.43), active=32, queued=22)
    calm = Load(reads=400, writes=100, read=(0.40, 0.01, 0.0), write=(0.50, 0.02, 0.0), active=1)
    return Twin(
        devices=(
            Device("naa.624a9370a934ae2e94a9486b00011010", [busy], {480214: 0.98, 490001: 0.01, 65544: 0.01}),
            Device("t10.ATA_____Disk-7____", [calm], {490001: 1.0}),
            Device("mpx.vmhba0:C0:T5:L0", [Load(others=0.38)]),
        ),
        machines=(
            Machine("vdi-03", 480214, {"scsi0:0": (39_000, 9_800, 0.93, 1.05), "scsi0:1": (0, 0, 0, 0)}),
            Machine("SQL02 (old)", 490001, {"scsi0:0": (400, 100, 0.42, 0.53)}),
        ),
    )
