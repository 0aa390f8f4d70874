"""Verdicts and what they rest on: where the time of one thing's I/Os goes, in one window or over time.

Times are µs per I/O over all timed I/Os of the direction, so that parts add up to the total; null is "not measured", never 0.
"""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.common import Out, Ref
from gavel.api.schemas.series import Unit

DirectionName = Literal["read", "write", "all"]
LayerName = Literal["guest", "kernel", "san", "array"]
CertaintyName = Literal["unknown", "healthy", "certain", "likely", "undetermined"]
GradeName = Literal["A", "B", "C", "D"]
# judged: there is a verdict. too_few: under 30 I/Os, shown greyed. idle: no I/O. not_measured: I/O without any latency.
# no_data: no minute of the window is in the ledger.
StateName = Literal["judged", "too_few", "idle", "not_measured", "no_data"]
# What `expected_us` of SAN and array rests on: their own history of this hour, the setting of the array source (below three days of
# history), or one on this and the other on that. null: neither was measured; of guest and kernel nothing is ever expected.
ExpectedFromName = Literal["history", "setting", "both"]
ResolutionName = Literal["1m", "5m", "1h"]


class WindowOut(Out):
    """What was asked about and over what. `minutes`: how many minutes of [from_at, to_at) are in the ledger.

    `ledger_until_at`: minutes before it have been attributed; null before the first one. Its age is the age of the verdicts.
    """

    subject: Ref
    from_at: AwareDatetime
    to_at: AwareDatetime
    minutes: int
    ledger_until_at: AwareDatetime | None
    resolution: ResolutionName


class LayerOut(Out):
    """A layer, or neighbouring layers that were not told apart (`name` "san_array", `layers` ["san", "array"]).

    `us` with its bounds, per I/O of the whole, so that layers add up; `expected_us` for this hour; `excess_us` over it, never below 0,
    with its bounds; `share`: of the total time. `ops_share`: part of the I/Os whose time here was measured; `measured_us`: per one of
    these, which is how fast the layer is.
    """

    name: str
    label: str
    layers: list[LayerName]
    us: float
    lower_us: float
    upper_us: float
    measured_us: float
    expected_us: float
    excess_us: float
    excess_lower_us: float
    excess_upper_us: float
    share: float | None
    ops_share: float


class PartOut(Out):
    """A segment, or (`is_rest`) the time of layer `layer` that no segment explains. Parts add up to `total_us`."""

    name: str
    label: str
    layer: str
    is_rest: bool
    us: float
    share: float | None


class DirectionOut(Out):
    """One direction of a window, outermost first. `expected_us`: of everything measured. `not_measured`: layers nobody timed."""

    direction: DirectionName
    state: StateName
    ops: float | None
    iops: float | None
    bytes_per_s: float | None
    total_us: float | None
    expected_us: float | None
    layers: list[LayerOut]
    parts: list[PartOut]
    not_measured: list[LayerName]


class WaterfallOut(WindowOut):
    """One window, read, write and all. `expected_from`: what `expected_us` rests on, over reads and writes together."""

    expected_from: ExpectedFromName | None
    directions: list[DirectionOut]


class OccupancyLayerOut(Out):
    """I/Os that were inside on average: I/O-time ÷ wall time, with bounds."""

    name: str
    label: str
    layers: list[LayerName]
    ios: float
    lower_ios: float
    upper_ios: float


class OccupancyOut(WindowOut):
    """Where the I/Os are, reads and writes together. `total_ios`: inside anything measured.

    `layers`: the two between which an undetermined verdict leaves it open are one, "kernel_or_san".
    `outstanding_ios`: what the virtual disks themselves counted, as a cross-check (Little's law); null where they were not asked.
    """

    state: StateName
    total_ios: float | None
    layers: list[OccupancyLayerOut]
    outstanding_ios: float | None
    not_measured: list[LayerName]


class SentenceOut(Out):
    """The verdict in words, in pieces: `head` and `certainty`, then `because` (why), `caveats` and `settles` (what would settle it).

    `text`: all of it in one line.
    """

    head: str
    certainty: str
    because: list[str]
    caveats: list[str]
    settles: list[str]
    text: str


class EvidenceOut(Out):
    """One raw number behind a verdict. `precision`: the source's step, in `unit`. `at`: end of the window it is the mean over."""

    side: Literal["array", "host"]
    subject: Ref
    name: str
    label: str
    direction: Literal["read", "write", "mirrored_write", "all"] | None
    counter: str
    value: float
    unit: Unit
    precision: float | None
    source: str
    at: AwareDatetime


class ArrayCountedOut(Out):
    """What the array's own counters say of an I/O, over the same volumes and window as the evidence: µs inside it and at its port.

    Mirrored writes are writes; null: not measured. Layers and parts are fitted to the counters of both sides, so they may differ.
    """

    direction: DirectionName
    inside_us: float | None
    port_us: float | None


class QualityOut(Out):
    """How good the numbers behind a verdict are. `grade_reasons`: why it is not an A, in words. `coverage`: host ÷ array ops of what is
    matched on both sides, `covered_host_iops` ÷ `covered_array_iops`: an array may have volumes that no polled host uses.

    `offset_error_s`: of the worst clock; `missing_s`: seconds in which a side had no sample. `outstanding_ios` (as the virtual disks
    counted them) against `modelled_ios` (IOPS × latency) is Little's check. `queue_depth`: I/Os that the devices in use hold together.
    """

    grade: GradeName | None
    grade_reasons: list[str]
    coverage: float | None
    covered_host_iops: float | None
    covered_array_iops: float | None
    disagreement_us: float | None
    offset_error_s: float | None
    missing_s: float | None
    queue_depth: float | None
    outstanding_ios: float | None
    modelled_ios: float | None


class VerdictOut(WindowOut):
    """Whose latency it is. `layer` is named with `certainty`; `other` stands beside it when undetermined; both null when healthy.

    `share`: of the named layer in the excess. `impact`: I/Os that wait needlessly at any moment.
    `since_at`: first minute of the present run of this verdict, at most 24 h before the window's end; null when the newest minutes say
    something else, or nothing. `until_at`: then the end of the last minute, of the window's last hour, that named what is named, once two
    minutes after it do not; null where it is named still.
    """

    state: StateName
    certainty: CertaintyName
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: SentenceOut
    since_at: AwareDatetime | None
    until_at: AwareDatetime | None
    total_us: float | None
    expected_us: float | None
    expected_from: ExpectedFromName | None
    excess_us: float | None
    impact: float | None
    layers: list[LayerOut]
    not_measured: list[LayerName]
    quality: QualityOut
    evidence: list[EvidenceOut]
    array_counted: list[ArrayCountedOut]


class LayerColumns(Out):
    """A layer over time; each list is as long as `times_ms`."""

    name: str
    label: str
    layers: list[LayerName]
    us: list[float | None]
    lower_us: list[float | None]
    upper_us: list[float | None]


class PartColumns(Out):
    """One band of the stack: a segment, or (`is_rest`) what of layer `layer` no segment explains. Bands add up to `total_us`."""

    name: str
    label: str
    layer: str
    is_rest: bool
    us: list[float | None]


class DirectionColumns(Out):
    """One direction over time. `too_few`: under 30 I/Os in the bucket, to be greyed."""

    direction: DirectionName
    ops: list[float | None]
    bytes: list[float | None]
    total_us: list[float | None]
    too_few: list[bool]
    layers: list[LayerColumns]
    parts: list[PartColumns]


class QueueOut(Out):
    """A device as one host sees it: each host has a queue of its own for it."""

    device: Ref
    host: Ref


class FullestColumns(Out):
    """The fullest queue over time: of `queues`, the one whose I/Os in flight come nearest to its depth in the bucket.

    `queue`: its position in `queues`; null: not known (no depth, no time, or minutes of devices no longer kept). All I/Os of that device
    on that host count, whoever's they are.
    """

    queues: list[QueueOut]
    queue: list[int | None]
    in_flight_ios: list[float | None]
    waiting_ios: list[float | None]
    depth: list[float | None]


class QueueColumns(Out):
    """I/Os against queues over time, reads and writes together; each list is as long as `times_ms`, null is "not measured".

    `outstanding_ios`: in the virtual disks, as they counted themselves. `in_flight_ios`: at the devices, below the kernel: what fills their
    queues. `waiting_ios`: in the kernel, for room in a queue. `depth`: what the queues of the devices in use hold together, the largest of
    the bucket. `fullest`: one full queue of many does not show in sums; null where there is none to tell of, too many, or too
    little of the range whose minutes of devices are still kept.
    """

    outstanding_ios: list[float | None]
    in_flight_ios: list[float | None]
    waiting_ios: list[float | None]
    depth: list[float | None]
    fullest: FullestColumns | None


class LatencyOut(WindowOut):
    """Over time, columnar. `times_ms`: start of each bucket, ms since 1970, `step_s` apart; a bucket without a minute is all null."""

    step_s: int
    times_ms: list[int]
    minutes_there: list[int]
    grades: list[GradeName | None]
    directions: list[DirectionColumns]
    queues: QueueColumns


class ContributorOut(Out):
    """`ios`: I/Os of this one inside the layer; `us`: per I/O of this one. `time_share`: of the thing's own time in the layer, with
    bounds; of that of all VMs (hosts) together where this is more; null where that time is 0.

    `is_merged`: (a part of) the time is of neighbouring layers that were not told apart.
    """

    subject: Ref
    iops: float
    us: float | None
    ios: float
    lower_ios: float
    upper_ios: float
    time_share: float | None
    share_lower: float | None
    share_upper: float | None
    is_merged: bool


class ContributorsOut(WindowOut):
    """Who the layer's time belongs to. `ios`: the thing's own I/Os inside the layer, as its occupancy tells them; null: not measured.

    VMs are told by their virtual disks, hosts by their devices and what their disks have above these (devices of a host by themselves).
    `vms_total`, `hosts_total`: how many did I/O. `vms_ios`, `hosts_ios`: I/Os of all of them inside; `vms_rest_ios`, `hosts_rest_ios`:
    of `ios` those of none of them. `non_vm_iops`: device ops that no virtual disk explains; null: no device was measured.
    """

    layer: LayerName
    ios: float | None
    vms: list[ContributorOut]
    vms_total: int
    vms_ios: float
    vms_rest_ios: float | None
    hosts: list[ContributorOut]
    hosts_total: int
    hosts_ios: float
    hosts_rest_ios: float | None
    non_vm_iops: float | None


class DeltaOut(Out):
    """A difference of neighbouring boundaries, reads and writes together, against what is expected of it; null: not measured."""

    name: Literal["guest_vscsi", "vscsi_device", "device_driver", "driver_array"]
    label: str
    layer: LayerName
    us: float | None
    lower_us: float | None
    upper_us: float | None
    expected_us: float
    excess_us: float | None
    excess_lower_us: float | None
    excess_upper_us: float | None


class DeltasOut(WindowOut):
    """Outermost first. `driver_array` is compared with what is expected of the whole SAN layer."""

    state: StateName
    expected_from: ExpectedFromName | None
    deltas: list[DeltaOut]


class HostRowOut(Out):
    """A datastore on one host, reads and writes of all its devices there: the host's own counters, means over
    operations; null: not measured.

    `precision_us`: the coarsest step of these latencies. `queue_depth`: the largest of the window. `vms`: with a disk here that run on
    it now; `vms_active`: those that did I/O; null: no virtual disk was measured.
    """

    subject: Ref
    iops: float | None
    gavg_us: float | None
    davg_us: float | None
    kavg_us: float | None
    qavg_us: float | None
    precision_us: float | None
    queue_depth: float | None
    vms: int
    vms_active: int | None


class HostRowsOut(WindowOut):
    """The busiest first. Without devices of its own (NFS, vVol) a host's IOPS are those of its VMs' virtual disks."""

    hosts: list[HostRowOut]
