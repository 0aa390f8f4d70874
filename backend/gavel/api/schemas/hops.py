"""The I/O path of an object, hop by hop, with the load of each hop and the latency between hops."""

from typing import Literal

from gavel.api.schemas.common import Out, Ref
from gavel.api.schemas.diagnoses import LayerName, WindowOut

HopName = Literal["vm", "vm_disk", "queue", "path", "volume", "array"]
PathStateName = Literal["working", "degraded", "dead"]


class LoadOut(Out):
    """Load of a node; null is "not measured".

    `us`: latency per I/O from this node on, of volumes and arrays as hosts see it; of a path in steps of `precision_us`, of a queue
    estimated from counters with such steps. `ios`: I/Os outstanding from this node on, on average; of a queue the active ones, which fill
    its `depth`. VMs and virtual disks count their I/Os on this path only; queues, paths, volumes and arrays those of all VMs. Paths use
    the whole five-minute samples that overlap the window.
    """

    iops: float | None
    us: float | None
    precision_us: float | None
    ios: float | None
    depth: float | None


class HopNodeOut(Out):
    """One node of the I/O path. `id`: unique in this response; `ref`: the object that has a page; `detail`: its kind; `state`: of paths."""

    id: str
    ref: Ref | None
    name: str
    detail: list[str]
    state: PathStateName | None
    load: LoadOut


class HopOut(Out):
    """`nodes`: those with the most outstanding I/Os, of `total`."""

    name: HopName
    label: str
    total: int
    nodes: list[HopNodeOut]


class HopLinkOut(Out):
    """Latency between two nodes, in µs per I/O, with its range where there is one; null: not measured.

    `is_merged`: not separable from other layers, so it holds the time of all `layers`; where `us` is null besides, the link from the
    host queue holds it. The paths of a device share its times.
    """

    from_id: str
    to_id: str
    name: str
    label: str
    layers: list[LayerName]
    us: float | None
    lower_us: float | None
    upper_us: float | None
    is_merged: bool


class HopsOut(WindowOut):
    """Hops in the order of the I/O path, VM first; a hop that this path does not have is empty."""

    hops: list[HopOut]
    links: list[HopLinkOut]
