"""The way of a thing's I/Os, hop by hop, with the load of each hop and the time between them."""

from typing import Literal

from gavel.api.schemas.common import Out, Ref
from gavel.api.schemas.verdicts import LayerName, WindowOut

HopName = Literal["vm", "vm_disk", "queue", "path", "volume", "array"]
PathStateName = Literal["working", "degraded", "dead"]


class LoadOut(Out):
    """How loaded a node is; null is "not measured".

    `us`: per I/O from here on, of volumes and arrays as hosts see it; of a path in steps of `precision_us`, of a queue fitted to counters
    with such steps. `ios`: I/Os inside from here on, on average; of a queue those in flight below it, which fill its `depth`. Of a VM or
    virtual disk only its I/Os on this way count; queues, paths, volumes and arrays carry everybody's. Paths are told by the whole
    five-minute samples that touch the window.
    """

    iops: float | None
    us: float | None
    precision_us: float | None
    ios: float | None
    depth: float | None


class HopNodeOut(Out):
    """One thing on the way. `id`: its own within this answer; `ref`: whose page tells more; `detail`: what it is; `state`: of paths."""

    id: str
    ref: Ref | None
    name: str
    detail: list[str]
    state: PathStateName | None
    load: LoadOut


class HopOut(Out):
    """`nodes`: those with the most I/Os inside, of `total`."""

    name: HopName
    label: str
    total: int
    nodes: list[HopNodeOut]


class HopLinkOut(Out):
    """The time of an I/O between two nodes, in µs per I/O; null: nobody timed it. Bounds where there are any.

    `is_merged`: it could not be told apart from other layers, so it holds the time of all `layers`; where `us` is null besides, the link
    from the host queue holds it. The paths of a device share its times.
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
    """Hops in the order of an I/O's path, VM first; a hop that this way does not have is empty."""

    hops: list[HopOut]
    links: list[HopLinkOut]
