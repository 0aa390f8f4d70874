"""Files that people import: what came, what it holds, and which host and clock it is of."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import INT64_MAX, BodyId, FileName, Number
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.db.queries.refs import EntityRef

FormatName = Literal["esxtop", "fio", "vdbench", "diskspd", "iometer", "sqlio", "hcibench"]
# The export of an array comes as a file of an offline environment.
FileFormatName = Literal["esxtop", "fio", "vdbench", "diskspd", "iometer", "sqlio", "hcibench", "array"]
StateName = Literal["uploading", "waiting", "reading", "ready", "failed"]


class ImportOut(Out):
    """`received_bytes`: of an upload so far; `read_bytes`: of its reading. `host_name`: as the file calls its host, `host`: the one of the
    inventory that it is tied to. `starts_at`, `ends_at`: by the file's own clock. `offset_s`: how far that clock is ahead of the host's
    samples, true within `offset_error_s`; `offset_by`: how that is known, with `correlation` of the I/Os that both sides count. `narrows`:
    the bounds of minutes become narrower by it; `note`: why not, or where not. `subject`, `disk`, `runs`: of a load tool's result, the
    VM, datastore or volume that it is tied to (null: no longer in the inventory), the virtual disk of the VM where it is tied to one, and
    its test runs; `left_out`: how many files of a bundle became no test run. `suggests_offline`: of a capture that can be looked at as
    an offline environment only, as no host of the inventory is its, or samples of its time are no longer kept."""

    id: int
    format: FileFormatName
    file_name: str
    size_bytes: int
    received_bytes: int
    read_bytes: int
    state: StateName
    error: str | None
    created_at: AwareDatetime
    subject: Answer[EntityRef] | None
    disk_id: int | None
    disk: str | None
    runs: int
    left_out: int
    host_name: str | None
    host_id: int | None
    host: str | None
    starts_at: AwareDatetime | None
    ends_at: AwareDatetime | None
    offset_s: float | None
    offset_error_s: float | None
    offset_by: Literal["correlation", "given"] | None
    correlation: float | None
    narrows: bool
    note: str | None
    devices: int
    matched_devices: int
    suggests_offline: bool


class ImportIn(BaseModel):
    """A file that will come in parts. `utc_bias_minutes`: UTC minus the local time of its stamps, where the file names no time zone.
    A load tool's result is tied to one of these, and a capture to none: `vm_id`, the VM that it ran in (`disk_id`: the virtual disk of it
    that it ran on, whose layers then stand beside the run); `datastore_id` or `volume_id`, what it ran on, from several VMs or from
    outside of them. `started_at`: when the tool was started, where its result has no date. `offset_s`:
    how far the clock of the machine that ran it is ahead of that of the hosts' samples."""

    model_config = ConfigDict(extra="forbid")

    format: FormatName
    file_name: FileName
    size_bytes: Annotated[int, Field(ge=1, le=INT64_MAX)]
    utc_bias_minutes: Annotated[int | None, Field(ge=-960, le=960)] = None
    vm_id: BodyId | None = None
    started_at: AwareDatetime | None = None
    offset_s: Annotated[Number | None, Field(ge=-1_000_000, le=1_000_000)] = None
    disk_id: BodyId | None = None
    datastore_id: BodyId | None = None
    volume_id: BodyId | None = None


class UploadPartOut(Out):
    """`received_bytes`: go on from there. `is_complete`: the file is read now."""

    received_bytes: int
    is_complete: bool


class CaptureTieIn(BaseModel):
    """Null: found out from names and I/Os."""

    model_config = ConfigDict(extra="forbid")

    host_id: BodyId | None = None
    offset_s: Annotated[Number | None, Field(ge=-1_000_000, le=1_000_000)] = None


class HostFitOut(Out):
    """A host that a capture may be of. Null: its samples cannot be compared with the capture."""

    host_id: int
    host: str
    correlation: float | None
    offset_s: float | None
    offset_error_s: float | None
    compared_samples: int


class FileWarningOut(Out):
    """What limits the use of a file. `code` is stable."""

    code: str
    text: str
    line: int | None
    column: str | None


class RefusedRowOut(Out):
    line: int
    reason: str
    column: str | None


class CapturedWorldOut(Out):
    """I/Os of one VM's worlds on one device; `vm` null: worlds of no VM. `share` of the device's commands."""

    vm: str | None
    worlds: int
    commands_per_s: float
    share: float
    active_max: float | None
    queued_max: float | None


class CapturedDeviceOut(Out):
    """Means over the capture, of reads and writes together, ± `latency_half_us` of the report; null: not captured, or no I/O."""

    name: str
    reads_per_s: float | None
    writes_per_s: float | None
    gavg_us: float | None
    davg_us: float | None
    kavg_us: float | None
    qavg_us: float | None
    queue_depth: float | None
    active: float | None
    queued: float | None
    queued_max: float | None
    load: float | None
    worlds: list[CapturedWorldOut]


class ImportReportOut(Out):
    """What a capture held. `is_consistent`: its counters agree with one another."""

    rows: int
    rows_with_rates: int
    refused_rows: int
    interval_s: float
    latency_half_us: float
    is_consistent: bool
    warnings: list[FileWarningOut]
    refused: list[RefusedRowOut]
    devices: list[CapturedDeviceOut]
