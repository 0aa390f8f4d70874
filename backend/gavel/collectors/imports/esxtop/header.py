"""From a header to a plan: which cells are read for which object, which world belongs to which VM, and what the file holds besides."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gavel.collectors.imports.esxtop.cells import split_cells
from gavel.collectors.imports.esxtop.columns import (
    COUNTERS,
    KINDS,
    KNOWN_COUNTERS,
    OTHER_OBJECTS,
    PLAIN_DISK_OBJECT,
    EsxtopCounter,
    ObjectKind,
)
from gavel.collectors.imports.esxtop.errors import EsxtopRowError
from gavel.collectors.imports.esxtop.times import TimeZone, parse_zone

# An instance may hold any character; a counter and a host hold no backslash. So: first "(" after the object, last ")" before the counter.
_NAME = re.compile(r"\\\\([^\\]*)\\([^\\(]*)(?:\((.*)\))?\\([^\\]*)", re.DOTALL)
_DISK_SUFFIX = re.compile(r"(.+):((?:scsi|nvme|sata|ide)\d{1,3}:\d{1,3})", re.DOTALL)
_COUNTER_BY_NAME = {(kind, each.written): each for kind, counters in COUNTERS.items() for each in counters}
# Instances of `Vcpu` (group:vm:world:name) and `Network Port` (switch:port:world:vm) that name a VM and its leader world, which issues
# the I/O and has no `Vcpu` of its own.
_SIBLING_WORLD = re.compile(r"\d+:(?P<vm>.+):\d+:(?:NetWorld-VM-|vmast\.|PVSCSI-|LSI-)(?P<world>\d+)(?::\d+)?")
_PROCESS_WORLD = re.compile(r"\d+:(?P<vm>.+):(?P<world>\d+):vmx")
_PORT_WORLD = re.compile(r".+?:\d+:(?P<world>\d+):(?P<vm>.+)")
_MOST_UNKNOWN_NAMES = 20
_CELL_START = re.compile(r'"(?=\\\\)')

ObjectKey = tuple[ObjectKind, str]


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A cell that is read. `position`: in the row, the time stamp being 0."""

    position: int
    key: ObjectKey
    counter: EsxtopCounter


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """Columns of one kind of object as the file writes it."""

    object: str
    instances: int
    columns: int
    used_columns: int


@dataclass(frozen=True, slots=True)
class HeaderReport:
    """What a header holds. Unknown: columns of objects or counters that Gavel has never met."""

    columns: int
    unnamed_columns: int
    used_columns: int
    unknown_columns: int
    unknown_names: tuple[str, ...]
    objects: tuple[ObjectReport, ...]


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """How to read the rows below one header. `zone`: None where the first cell was cut. `duplicates`: later cells of the same name."""

    host: str
    zone: TimeZone | None
    columns: int
    cells: tuple[PlannedCell, ...]
    duplicates: tuple[PlannedCell, ...]
    world_vms: Mapping[str, str]
    report: HeaderReport

    def without(self, kind: ObjectKind) -> "ReadPlan":
        cells, duplicates = (
            tuple(cell for cell in cells if cell.key[0] is not kind) for cells in (self.cells, self.duplicates)
        )
        return replace(self, cells=cells, duplicates=duplicates)


@dataclass(frozen=True, slots=True)
class ColumnName:
    r"""`\\\\host\\object(instance)\\counter`; the instance may be absent."""

    host: str
    object: str
    instance: str
    has_instance: bool
    counter: str


def split_name(name: str) -> ColumnName | None:
    """None for what is no name of a column."""
    match = _NAME.fullmatch(name)
    return match and ColumnName(match[1], match[2], match[3] or "", match[3] is not None, match[4])


def header_cells(line: str, separator: str) -> list[tuple[str, bool]]:
    """The names of a header line, and whether each stood in quotation marks. A VM's name may hold marks and separators itself."""
    try:
        cells = [
            (cell.decode("utf-8", "surrogateescape"), quoted)
            for cell, quoted in split_cells(line.encode("utf-8", "surrogateescape"), separator.encode())
        ]
    except EsxtopRowError:
        cells = []
    if cells and all(_is_whole(cell, quoted) for cell, quoted in cells[1:]):
        return cells
    return list(_cells_by_start(line, separator))


def _is_whole(cell: str, quoted: bool) -> bool:
    """Names of columns start with two backslashes; a part of one holds a backslash and does not. Bare cells have no name."""
    return "\\" not in cell or (quoted and cell.startswith("\\\\"))


def _cells_by_start(line: str, separator: str) -> Iterator[tuple[str, bool]]:
    """Names, by how each starts, for headers whose names hold quotation marks, or that have none around their names."""
    if not line.startswith('"'):
        first, *names = re.split(re.escape(separator) + r"(?=\\\\)", line)
        yield first, False
        yield from ((name.removesuffix(separator), False) for name in names)
        return
    for chunk in _CELL_START.split(line[1:]):
        name, _, tail = chunk.rpartition('"')
        yield name, True
        rest = tail.removeprefix(separator)
        yield from ((cell, False) for cell in rest.removesuffix(separator).split(separator) if rest)


@dataclass
class _Survey:
    """What has been seen of a header so far."""

    instances: dict[str, set[str]] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    unknown_names: list[str] = field(default_factory=list)
    unnamed: int = 0
    hosts: dict[str, None] = field(default_factory=dict)
    cells: dict[tuple[ObjectKey, str], PlannedCell] = field(default_factory=dict)
    duplicates: list[PlannedCell] = field(default_factory=list)
    world_vms: dict[str, str] = field(default_factory=dict)

    def see(self, position: int, name: str) -> None:
        match = _NAME.fullmatch(name)
        if match is None:
            self._see_odd(name)
            return
        host, obj, instance, counter = match[1], match[2], match[3], match[4]
        self.hosts[host] = None
        self.columns[obj] = self.columns.get(obj, 0) + 1
        self.instances.setdefault(obj, set()).add(instance or "")
        if obj in ("Vcpu", "Network Port"):
            self._see_world(obj, instance or "")
        kind = KINDS.get(obj)
        if kind is None:
            if obj not in OTHER_OBJECTS and not obj.startswith(("VSAN", "vSAN")):
                self._see_unknown(name)
        elif counter not in KNOWN_COUNTERS:
            self._see_unknown(name)
        else:
            self._plan(position, obj, kind, instance or "", counter)

    def _see_odd(self, name: str) -> None:
        if name.startswith("\\\\"):
            self._see_unknown(name)
        else:
            self.unnamed += 1

    def _see_unknown(self, name: str) -> None:
        self.unknown += 1
        if len(self.unknown_names) < _MOST_UNKNOWN_NAMES:
            self.unknown_names.append(name)

    def _see_world(self, obj: str, instance: str) -> None:
        patterns = (_SIBLING_WORLD, _PROCESS_WORLD) if obj == "Vcpu" else (_PORT_WORLD,)
        for pattern in patterns:
            if match := pattern.fullmatch(instance):
                self.world_vms.setdefault(match["world"], match["vm"])

    def _plan(self, position: int, obj: str, kind: ObjectKind, instance: str, written: str) -> None:
        counter = _COUNTER_BY_NAME.get((kind, written))
        if counter is None or (obj == PLAIN_DISK_OBJECT and (":" in instance or written != "Adapter Q Depth")):
            return
        self.used[obj] = self.used.get(obj, 0) + 1
        key = (kind, instance)
        cell = PlannedCell(position, key, counter)
        if (key, written) in self.cells:
            self.duplicates.append(cell)
        else:
            self.cells[key, written] = cell

    def report(self, columns: int) -> HeaderReport:
        objects = tuple(
            ObjectReport(obj, len(self.instances[obj]), count, self.used.get(obj, 0))
            for obj, count in sorted(self.columns.items(), key=lambda each: (-each[1], each[0]))
        )
        return HeaderReport(
            columns, self.unnamed, sum(self.used.values()), self.unknown, tuple(self.unknown_names), objects
        )


def plan_header(cells: list[tuple[str, bool]]) -> ReadPlan:
    """What to read below this header."""
    survey = _Survey()
    for position, (name, _) in enumerate(cells[1:], 1):
        survey.see(position, name)
    return ReadPlan(
        host=next(iter(survey.hosts), ""),
        zone=parse_zone(cells[0][0]),
        columns=len(cells),
        cells=tuple(survey.cells.values()),
        duplicates=tuple(survey.duplicates),
        world_vms=survey.world_vms,
        report=survey.report(len(cells)),
    )


def split_world(instance: str) -> tuple[str, str]:
    """Device and world id of `Physical Disk Per-Device-Per-World`: devices hold hyphens, too."""
    device, _, world = instance.rpartition("-")
    return device, world


def split_disks(instances: Iterable[str]) -> dict[str, tuple[str, str | None]]:
    """VM and virtual disk of each instance of `Virtual Disk`; no disk for the sum of a VM's disks.

    A VM may be called like a disk (`c:scsi0:0`): then it has disks itself.
    """
    matches = {instance: _DISK_SUFFIX.fullmatch(instance) for instance in instances}
    vms = {match[1] for match in matches.values() if match}
    return {
        instance: (match[1], match[2]) if match and instance not in vms else (instance, None)
        for instance, match in matches.items()
    }
