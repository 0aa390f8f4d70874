"""What-if: settings to try on one workload in one device queue, and what they would do, as ranges."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import BodyId, Instant, Number
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.db.queries.queues import Queue
from gavel.db.queries.refs import EntityRef
from gavel.views.backtest import ChangedSetting
from gavel.views.whatif import PartRange, PredictedChange

CeilingName = Literal["threads", "virtual_disk_queue", "device_queue", "iops_limit", "demand"]
PartName = Literal["guest_queue", "hypervisor", "kernel_queue", "kernel_processing", "san", "array"]
WhatIfKind = Literal["datastore", "vm", "host", "device"]

# ESXi takes 16 as the lowest IOPS limit of a virtual disk; no queue of a device or a virtual disk holds more than these.
_Count = Annotated[int, Field(ge=1, le=64)]
_Depth = Annotated[int, Field(ge=1, le=4_096)]
_VirtualDiskQueue = Annotated[int, Field(ge=1, le=1_024)]
_Dsnro = Annotated[int, Field(ge=1, le=256)]
_Threads = Annotated[int, Field(ge=1, le=65_536)]
_IopsLimit = Annotated[int, Field(ge=16, le=10_000_000)]
_Iops = Annotated[Number, Field(gt=0, le=100_000_000)]
_Micros = Annotated[Number, Field(ge=0, le=60_000_000)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WhatIfSubjectIn(_In):
    """device_id: the queue, by its device; default: the one with most I/O. from_at, to_at: the minutes to start from, at most a day;
    default: the newest 10 analyzed ones.
    """

    kind: WhatIfKind
    id: BodyId
    device_id: BodyId | None = None
    from_at: Instant | None = None
    to_at: Instant | None = None


class ScenarioIn(_In):
    """Settings to try; null is as it is. threads: I/Os kept outstanding, all virtual disks together. virtual_disk_queue, iops_limit: of
    each virtual disk. device_depth: configured depth of the device. datastores, hosts: over so many the workload is spread evenly.
    """

    threads: _Threads | None = None
    virtual_disk_queue: _VirtualDiskQueue | None = None
    device_depth: _Depth | None = None
    dsnro: _Dsnro | None = None
    disks: _Count | None = None
    datastores: _Count = 1
    hosts: _Count = 1
    iops_limit: _IopsLimit | None = None
    lifts_iops_limit: bool = False
    demand_iops: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    non_optimized_percent: Annotated[Number, Field(ge=0, le=100)] | None = None
    non_optimized_extra_us: _Micros | None = None


class TypedLoadIn(_In):
    """A workload that is typed in, without an object: IOPS, and µs per I/O in each part of the path."""

    iops: _Iops
    guest_queue_us: _Micros = 0.0
    hypervisor_us: _Micros = 0.0
    kernel_queue_us: _Micros = 0.0
    kernel_processing_us: _Micros = 0.0
    san_us: _Micros = 0.0
    array_us: Annotated[Number, Field(gt=0, le=60_000_000)]
    neighbor_iops: Annotated[Number, Field(ge=0, le=100_000_000)] = 0.0


class TypedSettingsIn(_In):
    """Settings in force with it; null is no limit. device_depth: the effective one (DQLEN)."""

    threads: _Threads | None = None
    virtual_disk_queue: _VirtualDiskQueue | None = None
    device_depth: _Depth | None = None
    disks: _Count = 1
    iops_limit: _IopsLimit | None = None
    demand_iops: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    non_optimized_percent: Annotated[Number, Field(ge=0, le=100)] = 0.0
    non_optimized_extra_us: _Micros | None = None


class TypedIn(_In):
    load: TypedLoadIn
    settings: TypedSettingsIn


class WhatIfIn(_In):
    """Either an object or a typed workload."""

    subject: WhatIfSubjectIn | None = None
    typed: TypedIn | None = None
    scenario: ScenarioIn = ScenarioIn()


class WhatIfReading(Out):
    """One modelled state: iops × total_us = outstanding. in_flight: I/Os in the driver."""

    iops: float
    total_us: float
    outstanding: float
    in_flight: float
    binding: CeilingName
    parts_us: dict[PartName, float]


class WhatIfOpenLoop(Out):
    """IOPS stay as they are."""

    iops: float
    lower_us: float
    upper_us: float | None


class WhatIfCeiling(Out):
    """ios: I/Os that a limit lets be outstanding (threads), past the virtual disks, or in flight (all others)."""

    name: CeilingName
    label: str
    ios: float


class WhatIfSettings(Out):
    """threads: as given, or as measured. device_depth: the effective one (DQLEN). Null: no limit, or not read; is_limit_read: whether
    iops_limit null is no limit."""

    threads: float
    virtual_disk_queue: float | None
    device_depth: float | None
    disks: int
    queues: int
    iops_limit: float | None
    is_limit_read: bool
    demand_iops: float | None
    non_optimized_percent: float


class WhatIfStart(Out):
    """What was measured. carried: the datastore or volume on the device. configured_depth, dsnro: null: not read. history_minutes: of the
    queue's own history, through which R(n) is fitted.
    """

    subject: Answer[EntityRef]
    queue: Answer[Queue]
    queues: list[Answer[Queue]]
    carried: str | None
    configured_depth: int | None
    dsnro: int | None
    is_nvme: bool
    is_competing: bool
    others: list[Answer[EntityRef]]
    array: Answer[EntityRef] | None
    from_at: AwareDatetime
    to_at: AwareDatetime
    minutes: int
    history_minutes: int
    non_optimized_extra_us: float | None


class WhatIfOut(Out):
    """total_us, iops and parts: hull of both loops. slow, fast: closed loop, threads stay outstanding; open_loop: null where the settings
    cannot carry today's IOPS. ceilings: the one that binds first, then the next. is_fitted: the driver's time is fitted to the queue's own
    history, and not only bounded. neighbor_us, neighbor_iops: of the other VMs in the first queue, null: none; array_iops: of the
    whole array, null: not measured; array_in_flight: I/Os of the workload at the array.
    """

    start: WhatIfStart | None
    notes: list[str]
    now: WhatIfSettings
    then: WhatIfSettings
    modelled_now: WhatIfReading
    slow: WhatIfReading
    fast: WhatIfReading
    open_loop: WhatIfOpenLoop | None
    is_fitted: bool
    total_us: Answer[PredictedChange]
    iops: Answer[PredictedChange]
    parts: list[Answer[PartRange]]
    ceilings: list[WhatIfCeiling]
    neighbor_us: Answer[PredictedChange] | None
    neighbor_iops: Answer[PredictedChange] | None
    array_iops: Answer[PredictedChange] | None
    array_in_flight: Answer[PredictedChange]


class TestedOutcome(Out):
    """Means of ten minutes before and after a change, and the range that the first predict. lower, upper: null: no bound.

    is_inside: the range of the latency holds what came after, within 5 %.
    is_direction_right: null: the range lies on both sides of what was before.
    """

    latency_us: Answer[PredictedChange]
    after_us: float
    iops: Answer[PredictedChange]
    after_iops: float
    is_inside: bool
    is_direction_right: bool | None


class TestedChangeOut(Out):
    """read_at: when the inventory showed the change. subject null: see subject_name. outcome null: see reason.

    reason: why there is no outcome, or why it does not count; null: it counts.
    """

    read_at: AwareDatetime
    settings: list[Answer[ChangedSetting]]
    subject_name: str
    subject: Answer[EntityRef] | None
    queue: Answer[Queue] | None
    outcome: TestedOutcome | None
    reason: str | None


class BacktestScoreOut(Out):
    """changes: that count; inside: those whose range holds the outcome. bounded: those with an upper bound; median_width: upper ÷ lower of
    their latency, null: none has one. directed: with a predicted direction; right: of them."""

    changes: int
    inside: int
    bounded: int
    median_width: float | None
    directed: int
    right: int


class BacktestOut(Out):
    """Changes of settings in the last 48 hours, newest first, at most 20."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    changes: list[TestedChangeOut]
    score: BacktestScoreOut
