"""What a capture says: one host, rows in UTC, and the columns of each device, virtual disk, adapter, path, NFS volume and world."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.errors import FileWarning, RefusedRow
from gavel.collectors.imports.esxtop.header import HeaderReport
from gavel.collectors.imports.esxtop.times import Float64Array, TimeZone


@dataclass(frozen=True, slots=True)
class ObjectSeries:
    """The columns of one object, one value per row of the capture; NaN: none, or not captured in that row.

    name: as the host writes it. parent: the device of a world, the VM of a virtual disk. part: the world's id, the disk (`scsi0:0`);
    None for the sum of a VM's disks. columns: `columns.COUNTERS` by name; one that is not in the file is not in here.
    """

    kind: ObjectKind
    name: str
    parent: str | None
    part: str | None
    columns: Mapping[str, Float64Array]

    def column(self, name: str) -> Float64Array | None:
        return self.columns.get(name)


@dataclass(frozen=True, slots=True)
class CaptureSegment:
    """Rows below one header. `first_row`: in the capture's rows."""

    header_line: int
    first_row: int
    rows: int
    report: HeaderReport


@dataclass(frozen=True, slots=True, kw_only=True)
class EsxtopCapture:
    """One file.

    ended_at_s: (n,) end of each row's interval by the host's own clock, seconds since 1970 UTC.
    step_s: (n,) length of the interval, as a mean over ten rows, since stamps have whole seconds.
    has_rates: (n,) False in the first row of each segment, which has instants only.
    latency_half_us: half of the last digit of the latencies.
    world_vms: VM by world id.
    refused_rows: how many rows are not used; `refused` has the first of them.
    """

    file: str
    host: str
    zone: TimeZone
    ended_at_s: Float64Array
    step_s: Float64Array
    has_rates: npt.NDArray[np.bool_]
    objects: tuple[ObjectSeries, ...]
    segments: tuple[CaptureSegment, ...]
    world_vms: Mapping[str, str]
    latency_half_us: float
    warnings: tuple[FileWarning, ...]
    refused: tuple[RefusedRow, ...]
    refused_rows: int

    def of_kind(self, kind: ObjectKind) -> Iterator[ObjectSeries]:
        return (each for each in self.objects if each.kind is kind)

    @property
    def rows(self) -> int:
        return len(self.ended_at_s)
