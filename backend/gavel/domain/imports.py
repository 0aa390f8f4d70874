"""Files that people import: what an import is, and the rows of a capture as they are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from gavel.domain.load_runs import TIE_KINDS, RunTie

Float64Array: TypeAlias = npt.NDArray[np.float64]
Int64Array: TypeAlias = npt.NDArray[np.int64]

# Of one upload, and of one part of it.
MOST_BYTES: Final = 8 * 2**30
MOST_CHUNK_BYTES: Final = 2**20
LONGEST_FILE_NAME: Final = 255
# Uploads that are not complete. All of them together must not fill the disk, and pages send one file after another.
MOST_UPLOADS: Final = 8


class ImportState(StrEnum):
    UPLOADING = "uploading"  # parts of it have come
    WAITING = "waiting"  # all of it has come
    READING = "reading"
    READY = "ready"
    FAILED = "failed"


class OffsetOrigin(StrEnum):
    """How it is known how far a capture's clock is ahead of its host's samples."""

    CORRELATION = "correlation"  # of I/Os that both sides count
    GIVEN = "given"  # by a person


@dataclass(frozen=True, slots=True)
class CapturedObject:
    """A device, world, virtual disk or NFS volume of a capture; columns (r,) by counter, NaN not measured.

    parent: the device of a world, the VM of a virtual disk. part: the world's id, the disk. vm_name: of a world, where it is known.
    """

    kind: str
    name: str
    parent: str | None
    part: str | None
    vm_name: str | None
    columns: Mapping[str, Float64Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCapture:
    """A capture of one host. ended_us, length_us: (r,) of its rows, by its own clock in UTC. half_us: half of the last digit of latencies.

    is_consistent: whether its counters agree with one another. report: what the file held, warnings and summary, as JSON.
    """

    host_name: str
    starts_at: datetime
    ends_at: datetime
    ended_us: Int64Array
    length_us: Int64Array
    half_us: float
    is_consistent: bool
    objects: Sequence[CapturedObject]
    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is chosen beside the file, where it does not say. utc_bias_minutes: UTC minus its local time.

    vm_id: the VM that a load tool ran in; disk_id: the virtual disk of it that it ran on, where that was said. datastore_id, volume_id:
    what it ran on, in place of a VM. started_at: when the tool was started, by its own clock. offset_s: how far that clock is ahead.
    """

    utc_bias_minutes: int | None = None
    vm_id: int | None = None
    started_at: datetime | None = None
    offset_s: float | None = None
    disk_id: int | None = None
    datastore_id: int | None = None
    volume_id: int | None = None

    @property
    def ties(self) -> tuple[RunTie, ...]:
        """What was chosen for the result of a load tool to be tied to: one object, where the choice is usable."""
        chosen = {"vm": self.vm_id, "datastore": self.datastore_id, "volume": self.volume_id}
        return tuple(RunTie(kind, found) for kind in TIE_KINDS if (found := chosen[kind]) is not None)

    def as_json(self) -> dict[str, Any]:
        started_at = None if self.started_at is None else self.started_at.isoformat()
        return {
            "utc_bias_minutes": self.utc_bias_minutes,
            "vm_id": self.vm_id,
            "started_at": started_at,
            "offset_s": self.offset_s,
            "disk_id": self.disk_id,
            "datastore_id": self.datastore_id,
            "volume_id": self.volume_id,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ImportOptions":
        """What was stored before there was a choice has none."""
        started_at = stored.get("started_at")
        return cls(
            utc_bias_minutes=stored.get("utc_bias_minutes"),
            vm_id=stored.get("vm_id"),
            started_at=None if started_at is None else datetime.fromisoformat(started_at),
            offset_s=stored.get("offset_s"),
            disk_id=stored.get("disk_id"),
            datastore_id=stored.get("datastore_id"),
            volume_id=stored.get("volume_id"),
        )
