"""Diagnoses and their evidence: the latency of one object by layer, in one window or over time.

Latencies are µs per I/O over all timed I/Os of the direction, so that segments add up to the total; null is "not measured", never 0.
"""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.causes import CauseOut, LayerScoreOut
from gavel.api.schemas.common import Out, Ref
from gavel.api.schemas.sentences import SentenceOut
from gavel.domain.streams import ColumnUnit

DirectionName = Literal["read", "write", "all"]
LayerName = Literal["guest", "kernel", "san", "array"]
SeverityName = Literal["normal", "elevated", "high"]  # how bad, by the excess alone; null: there is no diagnosis
ConfidenceName = Literal["confirmed", "likely", "inconclusive"]  # how sure the layer is; null: no layer is named
QualityName = Literal["A", "B", "C", "D"]
# judged: there is a diagnosis. too_few: under 30 I/Os, shown greyed. idle: no I/O. not_measured: I/O without any latency.
# no_data: no minute of the window is in the ledger.
StateName = Literal["judged", "too_few", "idle", "not_measured", "no_data"]
# What `baseline_us` of SAN and array rests on: their own history of this hour, the setting of the array source (below three days of
# history), or one on this and the other on that. null: neither was measured; the baseline of guest and kernel is always 0.
BaselineFromName = Literal["history", "setting", "both"]
ResolutionName = Literal["1m", "5m", "1h"]


class WindowOut(Out):
    """What was asked about and over what. `minutes`: how many minutes of [from_at, to_at) are in the ledger.

    `ledger_until_at`: minutes before it have been attributed; null before the first one. Its age is the age of the diagnoses.
    """

    subject: Ref
    from_at: AwareDatetime
    to_at: AwareDatetime
    minutes: int
    ledger_until_at: AwareDatetime | None
    resolution: ResolutionName


class LayerOut(Out):
    """A layer, or neighboring layers that are not separable (`name` "san_array", `layers` ["san", "array"]).

    `us` with its range, per I/O of the total, so that layers add up; `baseline_us` for this hour; `excess_us` above it, never below 0,
    with its range; `share`: of the total latency. `ops_share`: share of the I/Os whose time in this layer was measured; `measured_us`:
    latency of these I/Os in the layer.
    """

    name: str
    label: str
    layers: list[LayerName]
    us: float
    lower_us: float
    upper_us: float
    measured_us: float
    baseline_us: float
    excess_us: float
    excess_lower_us: float
    excess_upper_us: float
    share: float | None
    ops_share: float


class PartOut(Out):
    """A segment, or (`is_rest`) the time of layer `layer` that no segment explains. Parts add up to `total_us`.

    `layers`: those that `layer` stands for, as in `LayerOut`.
    """

    name: str
    label: str
    layer: str
    layers: list[LayerName]
    is_rest: bool
    us: float
    share: float | None


class DirectionOut(Out):
    """One direction of a window, outermost first. `baseline_us`: of everything measured. `not_measured`: layers without a counter."""

    direction: DirectionName
    state: StateName
    ops: float | None
    iops: float | None
    bytes_per_s: float | None
    total_us: float | None
    baseline_us: float | None
    layers: list[LayerOut]
    parts: list[PartOut]
    not_measured: list[LayerName]


class WaterfallOut(WindowOut):
    """One window, read, write and all. `baseline_from`: what `baseline_us` rests on, over reads and writes together."""

    baseline_from: BaselineFromName | None
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

    `layers`: the two between which an inconclusive diagnosis leaves it open are one, "kernel_or_san".
    `outstanding_ios`: what the virtual disks themselves counted, as a cross-check (Little's law); null where they were not asked.
    """

    state: StateName
    total_ios: float | None
    layers: list[OccupancyLayerOut]
    outstanding_ios: float | None
    not_measured: list[LayerName]


class EvidenceOut(Out):
    """One raw number behind a diagnosis. `precision`: the source's step, in `unit`. `at`: end of the window it is the mean over.

    `sources`: where it was read, several of what is over several; of a host's own setting its vCenter and the host.
    """

    side: Literal["array", "host"]
    subject: Ref
    name: str
    label: str
    direction: Literal["read", "write", "mirrored_write", "all"] | None
    counter: str
    value: float
    unit: ColumnUnit
    precision: float | None
    sources: list[Ref]
    at: AwareDatetime


class ArrayCountedOut(Out):
    """As reported by the array's own counters, over the volumes and window of the evidence: µs per I/O inside the array and at its port.

    Mirrored writes are writes; null: not measured. Layers and segments are estimated from the counters of both sides; they may differ."""

    direction: DirectionName
    inside_us: float | None
    port_us: float | None


class QueueDepthsOut(Out):
    """Effective depths (DQLEN) of the device queues in use, the largest of the window each; never added up. `hosts`: of the `queues`."""

    lowest: float
    highest: float
    queues: int
    hosts: int


class DataQualityOut(Out):
    """Data quality of a diagnosis. `quality_reasons`: why it is not an A, in words. `match_ratio`: host ÷ array ops of
    what is matched on both sides, `matched_host_iops` ÷ `matched_array_iops`: an array may have volumes that no polled host uses.

    `offset_error_s`: of the worst clock; `missing_s`: seconds in which a side had no sample. `outstanding_ios` (as the virtual disks
    counted them) against `modelled_ios` (IOPS × latency) is Little's check. `queue_depths`: of the device queues in use, each by itself.
    `recalculated_minutes`: minutes of the window that were calculated again because samples arrived or changed after they had been
    diagnosed, the newest time at `recalculated_at`. `has_earlier_rules`: minutes of the window were diagnosed with earlier rules, and their
    samples are no longer kept, or not calculated again yet.
    """

    quality: QualityName | None
    quality_reasons: list[str]
    match_ratio: float | None
    matched_host_iops: float | None
    matched_array_iops: float | None
    disagreement_us: float | None
    offset_error_s: float | None
    missing_s: float | None
    queue_depths: QueueDepthsOut | None
    outstanding_ios: float | None
    modelled_ios: float | None
    recalculated_minutes: int
    recalculated_at: AwareDatetime | None
    has_earlier_rules: bool


class DiagnosisOut(WindowOut):
    """How bad the latency is, and whose it is. `severity`: by the excess alone, null without a diagnosis. `seen_only`: normal, for only
    layers are elevated that are not the object's own: guest and kernel at arrays and volumes, the array at hosts. `limited_counters`:
    normal only since the counters are too coarse to show the excess. `layer` is named with `confidence`; `other` stands beside it when
    inconclusive; all three are null where no layer is named.
    `share`: of the named layer in the excess. `excess_outstanding`: excess latency × IOPS. `since_at`: first minute of the present run of
    this diagnosis, at most 24 h before the window's end; null when the newest minutes have another diagnosis, or none. `until_at`: then
    the end of the last minute, of the window's last hour, with this diagnosis, once two minutes after it have another one; null while it
    continues. `cause`: null where no layer is named, or nothing is known of disks, devices and volumes. `scoreboard`: all four."""

    state: StateName
    severity: SeverityName | None
    seen_only: bool
    limited_counters: bool
    confidence: ConfidenceName | None
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: SentenceOut
    since_at: AwareDatetime | None
    until_at: AwareDatetime | None
    total_us: float | None
    baseline_us: float | None
    baseline_from: BaselineFromName | None
    excess_us: float | None
    excess_outstanding: float | None
    layers: list[LayerOut]
    cause: CauseOut | None
    scoreboard: list[LayerScoreOut]
    not_measured: list[LayerName]
    data_quality: DataQualityOut
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
    """One band of the stack: a segment, or (`is_rest`) what of layer `layer` no segment explains. Bands add up to `total_us`.

    `layers`: those that `layer` stands for, as in `LayerOut`.
    """

    name: str
    label: str
    layer: str
    layers: list[LayerName]
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
    """The fullest queue over time: of `queues`, the one whose active I/Os come nearest to its depth in the bucket.

    `queue`: its position in `queues`; null: not measured (no depth, no latency, or past retention). All I/Os of that queue count.
    """

    queues: list[QueueOut]
    queue: list[int | None]
    in_flight_ios: list[float | None]
    waiting_ios: list[float | None]
    depth: list[float | None]


class QueueColumns(Out):
    """I/Os against queues over time, reads and writes together; each list is as long as `times_ms`, null is "not measured".

    `outstanding_ios`: as reported by the virtual disks. `in_flight_ios`: active in the device queues (ACTV). `waiting_ios`: queued in the
    kernel for a slot (QUED). `depth`: effective depth (DQLEN) of the only queue there is, the largest of the bucket; null where there are
    several, for depths are never added up. `fullest`: one full queue of many does not show in sums; null without any, with too many, or
    where minutes of devices are kept of too little of the range.
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
    qualities: list[QualityName | None]
    directions: list[DirectionColumns]
    queues: QueueColumns


class ContributorOut(Out):
    """`ios`: I/Os of the contributor inside the layer; `us`: latency per I/O. `time_share`: of the object's time in the layer, with range;
    of that of all VMs (hosts) together where this is more; null where that time is 0.

    `is_merged`: (a part of) the time is of neighboring layers that are not separable.
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
    """Top contributors to the layer's time. `ios`: the object's own outstanding I/Os in the layer, as in its occupancy; null: not measured.

    VMs are measured at their virtual disks, hosts at their devices plus what their disks have above these (devices of a host alone).
    `vms_total`, `hosts_total`: how many did I/O. `vms_ios`, `hosts_ios`: all of theirs in the layer; `vms_rest_ios`, `hosts_rest_ios`:
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
    """A difference of neighboring boundaries, reads and writes together, and its baseline; null: not measured."""

    name: Literal["guest_vscsi", "vscsi_device", "device_driver", "driver_array"]
    label: str
    layer: LayerName
    us: float | None
    lower_us: float | None
    upper_us: float | None
    baseline_us: float
    excess_us: float | None
    excess_lower_us: float | None
    excess_upper_us: float | None


class DeltasOut(WindowOut):
    """Outermost first. `driver_array` is compared with the baseline of the whole SAN layer."""

    state: StateName
    baseline_from: BaselineFromName | None
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
