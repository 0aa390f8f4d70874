"""A capture without names: hosts, VMs, devices, datastores and switches become numbered ones, alike all over the files; numbers stay."""

import re
from collections.abc import Iterator
from typing import IO

from gavel.collectors.anonymous_names import AnonymousNames
from gavel.collectors.imports.esxtop.columns import DEVICE_OBJECT, DISK_OBJECT, NFS_OBJECT, WORLD_OBJECT
from gavel.collectors.imports.esxtop.errors import EsxtopFileError
from gavel.collectors.imports.esxtop.header import header_cells, split_disks, split_name
from gavel.collectors.imports.esxtop.lines import CaptureLines, ReadLimits
from gavel.collectors.imports.esxtop.times import PDH_PREFIXES

_HEADER_STARTS = (*PDH_PREFIXES, *(b'"' + prefix for prefix in PDH_PREFIXES))
# A row of numbers: whatever else stands in it may be a name.
_NUMBERS = re.compile(rb"[0-9\",.\-+/: \teE]*")
# Nothing but hardware and counts of it.
_PLAIN_OBJECTS = frozenset({
    "Memory", "NUMA Node", "PCPU Power State", "Physical Cpu", "Physical Cpu Load", "Physical Disk", "Physical Disk Adapter",
    "Physical Disk Path", "Power",
})  # fmt: skip
_PLAIN_INSTANCE = re.compile(r"(?:_Total|PCPU ?\d+|[A-Za-z]?\d*|vmhba\d+(?::(?:vmhba\d+:)?C\d+:T\d+:L\d+)?)")
_DEVICE_OBJECTS = frozenset({DEVICE_OBJECT, "Physical Disk Partition", WORLD_OBJECT})
_RUNTIME_NAME = re.compile(r"mpx\.vmhba\d+:C\d+:T\d+:L\d+")
# What a vendor puts before the serial; Gavel finds the array by it.
_VENDOR_CHARACTERS = 8
_GROUP = re.compile(r"(\d+):(.+)", re.DOTALL)
_VCPU = re.compile(r"(\d+):(.+):(\d+):(.+)", re.DOTALL)
_WORLD_NAME = re.compile(r"vmx|(?:NetWorld-VM-|vmast\.|PVSCSI-|LSI-)\d+(?::\d+)?")
_PORT = re.compile(r"(.+?):(\d+):(?:(\d+):)?(.+)", re.DOTALL)
_INTERFACE = re.compile(r"vmk\d+|vmnic\d+|Management|Shadow of vmnic\d+")


class Anonymizer:
    """Gives every name a number of its own kind, the same wherever it stands."""

    def __init__(self, names: AnonymousNames) -> None:
        self._names = names

    def lines(self, stream: IO[bytes], file: str) -> Iterator[bytes]:
        """Header and rows, as lines without ends. Lines before the header, and rows that hold more than numbers, are left out.

        Raises EsxtopFileError where there is no header.
        """
        reader = CaptureLines(stream, file, ReadLimits())
        has_header = False
        for line in reader:
            if line.data.startswith(_HEADER_STARTS):
                has_header = True
                yield self.header(line.data)
            elif has_header and _NUMBERS.fullmatch(line.data):
                yield line.data
        if not has_header:
            raise EsxtopFileError(file, "no esxtop batch capture: no line starts with (PDH-CSV 4.0).")

    def header(self, data: bytes) -> bytes:
        """The same header, cell by cell, with other names in it."""
        text = data.decode("utf-8", "surrogateescape")
        cells = header_cells(text, "\t" if "(PDH-TSV" in text[:10] else ",")
        disks = split_disks(
            parts.instance for name, _ in cells[1:] if (parts := split_name(name)) and parts.object == DISK_OBJECT
        )
        made: list[str] = []
        at = 0
        for name, _ in cells:
            place = text.index(name, at)
            made += text[at:place], self._renamed(name, disks)
            at = place + len(name)
        return ("".join(made) + text[at:]).encode("utf-8", "surrogateescape")

    def _renamed(self, name: str, disks: dict[str, tuple[str, str | None]]) -> str:
        parts = split_name(name)
        if parts is None:
            # The first cell holds the zone; a bare one holds a number. Whatever else is no name of a column is left out.
            return name if "\\" not in name else "unnamed"
        host = self._names.numbered("esx", parts.host)
        if not parts.has_instance:
            return f"\\\\{host}\\{parts.object}\\{parts.counter}"
        instance = self._instance(parts.object, parts.instance, disks)
        return f"\\\\{host}\\{parts.object}({instance})\\{parts.counter}"

    def _instance(self, kind: str, instance: str, disks: dict[str, tuple[str, str | None]]) -> str:
        if kind in _DEVICE_OBJECTS:
            return self._device_instance(kind, instance)
        if kind == DISK_OBJECT:
            vm, disk = disks.get(instance, (instance, None))
            return self._names.numbered("vm", vm) + (f":{disk}" if disk else "")
        if kind == NFS_OBJECT:
            return self._names.numbered("datastore", instance)
        if kind in _PLAIN_OBJECTS and _PLAIN_INSTANCE.fullmatch(instance):
            return instance
        return self._of_vm(kind, instance) or self._names.numbered("instance", instance)

    def _device_instance(self, kind: str, instance: str) -> str:
        """Partitions and worlds have a number behind the last hyphen."""
        if kind == DEVICE_OBJECT:
            return self._device(instance)
        device, _, last = instance.rpartition("-")
        return f"{self._device(device)}-{last if last.isdigit() else 0}"

    def _of_vm(self, kind: str, instance: str) -> str | None:
        """Where a VM's name stands among numbers; None for what is not of this form."""
        if kind in ("Group Cpu", "Group Memory") and (group := _GROUP.fullmatch(instance)):
            return f"{group[1]}:{self._names.numbered('vm', group[2])}"
        if kind == "Vcpu" and (world := _VCPU.fullmatch(instance)):
            own = world[4] if _WORLD_NAME.fullmatch(world[4]) else "world"
            return f"{world[1]}:{self._names.numbered('vm', world[2])}:{world[3]}:{own}"
        if kind == "Network Port" and (port := _PORT.fullmatch(instance)):
            client = port[4] if _INTERFACE.fullmatch(port[4]) else self._names.numbered("vm", port[4])
            leader = f"{port[3]}:" if port[3] else ""
            return f"{self._names.numbered('switch', port[1])}:{port[2]}:{leader}{client}"
        return None

    def _device(self, name: str) -> str:
        """With its scheme and vendor, as long as it was; runtime names hold no name of a site."""
        if _RUNTIME_NAME.fullmatch(name):
            return name
        if (volume := self._names.device(name)) is not None:
            return volume
        scheme, dot, rest = name.partition(".")
        if not dot or scheme not in ("naa", "eui"):
            return f"{scheme if scheme in ('t10', 'uuid', 'mpx') else 'device'}.{self._names.numbered('device', name)}"
        number = str(self._names.number("device", name))
        kept = rest[:_VENDOR_CHARACTERS]
        return f"{scheme}.{kept}{number.zfill(max(len(rest) - len(kept), len(number)))}"
