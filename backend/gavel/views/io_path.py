"""The I/O path, hop by hop: VM, virtual disk, host queue, path, volume, array; how loaded each is, and the time between."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import numpy as np

from gavel.analysis.ledger import KERNEL, ops_in, rolled_up, timed_ops
from gavel.db.engine import Connection
from gavel.db.queries.hops import PathGroup
from gavel.db.queries.leaves import DiskLeaf
from gavel.db.queries.queues import Queue
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.diagnosis.breakdown import are_coarse
from gavel.diagnosis.contributors import known_rows
from gavel.diagnosis.diagnose import none_if_nan, span_key, span_label, span_layers
from gavel.diagnosis.window import DiagnosisWindow, summed
from gavel.domain.io_path import SEGMENT_STYLES, SPANS, Direction, Layer, LayerName, Segment
from gavel.domain.ledger import LedgerRows, picked
from gavel.views.hops import HopSelection, Loads
from gavel.views.queues import queue_numbers

HopName = Literal["vm", "vm_disk", "queue", "path", "volume", "array"]
PathState = Literal["working", "degraded", "dead"]
_LABELS: Mapping[HopName, str] = {
    "vm": "VM",
    "vm_disk": "Virtual disk",
    "queue": "Host queue",
    "path": "Path",
    "volume": "Volume",
    "array": "Array",
}


_MILLISECOND_US = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLoad:
    """Load of a node; null is "not measured".

    `us`: latency per I/O from this node on, of volumes and arrays as hosts see it; of a path in steps of `precision_us`, of a queue
    estimated from counters with such steps. `ios`: I/Os outstanding from this node on, on average; of a queue the active ones, which fill
    its `depth`. VMs and virtual disks count their I/Os on this path only; queues, paths, volumes and arrays those of all VMs. Paths use
    the whole five-minute samples that overlap the window.
    """

    iops: float | None = None
    us: float | None = None
    precision_us: float | None = None
    ios: float | None = None
    depth: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathNode:
    """One node of the I/O path. `id`: unique in this response; `ref`: the object that has a page; `detail`: its kind; `state`: of paths."""

    id: str
    ref: EntityRef | None
    name: str
    detail: tuple[str, ...]
    state: PathState | None
    load: NodeLoad


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """`nodes`: those with the most outstanding I/Os, of `total`."""

    name: HopName
    label: str
    total: int
    nodes: tuple[PathNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLink:
    """Latency between two nodes, in µs per I/O, with its range where there is one; null: not measured.

    `is_merged`: not separable from other layers, so it holds the time of all `layers`; where `us` is null besides, the link from the
    host queue holds it. The paths of a device share its times.
    """

    from_id: str
    to_id: str
    name: str
    label: str
    layers: tuple[LayerName, ...]
    us: float | None
    lower_us: float | None
    upper_us: float | None
    is_merged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hops(DiagnosisWindow):
    """Hops in the order of the I/O path, VM first; a hop that this path does not have is empty."""

    hops: tuple[Hop, ...]
    links: tuple[PathLink, ...]


def hops(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime | None, to_at: datetime | None
) -> Hops:
    """Of a datastore or a VM. Raises NotFoundError, and ValueError for an empty range."""
    whole = summed(connection, kind, thing_id, from_at, to_at)
    selected = HopSelection.load(connection, whole)
    return Hops(**whole.window.fields, hops=tuple(_hops(selected)), links=tuple(_links(selected)))


# --- nodes -------------------------------------------------------------------------------------------------------------


def _hops(selection: HopSelection) -> Iterator[Hop]:
    yield _hop("vm", selection.vms_total, _vms(selection))
    yield _hop("vm_disk", selection.disks_total, (_disk(selection, leaf) for leaf in selection.disks))
    yield _hop("queue", selection.queues_total, (_queue(selection, queue) for queue in selection.queues))
    yield _hop("path", len(selection.paths), (_path(group) for group in selection.paths))
    yield _hop("volume", selection.volumes_total, (_volume(selection, volume) for volume in selection.volumes))
    arrays = selection.arrays()
    yield _hop("array", len(arrays), (_array(selection, array) for array in arrays))


def _hop(name: HopName, total: int, nodes: Iterable[PathNode]) -> Hop:
    return Hop(name=name, label=_LABELS[name], total=total, nodes=tuple(nodes))


def _vms(selection: HopSelection) -> Iterator[PathNode]:
    """A VM's load is that of its disks here."""
    for vm in selection.vms:
        own = [
            selection.of_disks.row[leaf.disk.id]
            for leaf in selection.all_disks
            if leaf.vm == vm and leaf.disk.id in selection.of_disks.row
        ]
        rows = known_rows(picked(selection.of_disks.series.rows, np.array(own, dtype=np.int64)))
        load = (
            NodeLoad()
            if not own
            else _load(rolled_up(rows, np.zeros(len(own), dtype=np.int64), 1), 0, _wall_s(selection, own))
        )
        yield _node("vm", vm, load=load)


def _wall_s(selection: HopSelection, rows: Sequence[int]) -> float:
    return float(selection.of_disks.series.wall_s[list(rows)].max())


def _disk(selection: HopSelection, leaf: DiskLeaf) -> PathNode:
    facts = selection.disk_facts[leaf.disk.id]
    return _node(
        "vm_disk",
        leaf.disk,
        detail=(facts.instance, facts.controller_type),
        load=_known_load(selection.of_disks, leaf.disk.id),
    )


def _queue(selection: HopSelection, queue: Queue) -> PathNode:
    row = selection.of_queues.row.get(queue.device.id)
    load = _known_load(selection.of_queues, queue.device.id)
    if row is not None:
        numbers = queue_numbers(selection.of_queues.series)
        is_coarse = bool(are_coarse(selection.of_queues.series.notes.quality_reasons)[row])
        load = replace(
            load,
            precision_us=_MILLISECOND_US if is_coarse else None,
            ios=none_if_nan(numbers.in_flight_ios[row]),
            depth=none_if_nan(numbers.depth[row]),
        )
    return PathNode(
        id=_id("queue", queue.device.id),
        ref=queue.host,
        name=queue.host.name,
        detail=(queue.device.name,),
        state=None,
        load=load,
    )


def _path(group: PathGroup) -> PathNode:
    state: PathState = "working" if group.working == group.paths else "degraded" if group.working else "dead"
    words = f"{group.working}/{group.paths} {'path' if group.paths == 1 else 'paths'} up"
    return PathNode(
        id=_path_id(group),
        ref=None,
        name=group.adapter or "adapter not read",
        detail=(words,),
        state=state,
        load=NodeLoad(iops=group.iops, us=group.us, precision_us=group.precision_us),
    )


def _volume(selection: HopSelection, volume: EntityRef) -> PathNode:
    limit = selection.volume_facts[volume.id].qos_iops_limit
    detail = () if limit is None else (f"QoS limit {limit:,} IOPS",)
    return _node("volume", volume, detail=detail, load=_known_load(selection.of_volumes, volume.id))


def _array(selection: HopSelection, array: EntityRef) -> PathNode:
    models = {facts.array: facts.model for facts in selection.volume_facts.values()}
    model = models.get(array)
    return _node(
        "array", array, detail=() if model is None else (model,), load=_known_load(selection.of_arrays, array.id)
    )


def _node(hop: HopName, ref: EntityRef, *, load: NodeLoad, detail: tuple[str, ...] = ()) -> PathNode:
    return PathNode(id=_id(hop, ref.id), ref=ref, name=ref.name, detail=detail, state=None, load=load)


def _id(hop: HopName, thing_id: int) -> str:
    return f"{hop}-{thing_id}"


def _path_id(group: PathGroup) -> str:
    return f"path-{group.device_id}-{group.adapter or ''}"


def _known_load(loads: Loads, thing_id: int) -> NodeLoad:
    row = loads.row.get(thing_id)
    return NodeLoad() if row is None else _load(loads.series.rows, row, float(loads.series.wall_s[row]))


def _load(rows: LedgerRows, row: int, wall_s: float) -> NodeLoad:
    """Everything measured from here on, per I/O that was timed."""
    ops, timed_here = float(rows.ops[row, Direction.ALL]), float(timed_ops(rows)[row, Direction.ALL])
    time, timed = rows.span_time[row, Direction.ALL], rows.span_ops[row, Direction.ALL] > 0
    whole = float(time[timed].sum()) if timed.any() else np.nan
    return NodeLoad(
        iops=none_if_nan(ops / wall_s),
        us=none_if_nan(whole / timed_here) if timed_here > 0 else None,
        ios=none_if_nan(whole / wall_s / 1e6) if ops > 0 else none_if_nan(ops),
    )


# --- the time between --------------------------------------------------------------------------------------------------

_Between = Callable[[str, str], PathLink]


def _links(selection: HopSelection) -> Iterator[PathLink]:
    for leaf in selection.disks:
        yield from _around(selection, leaf)
    for queue in selection.queues:
        yield from _below(selection, queue)
    for volume in selection.volumes:
        if array := selection.volume_facts[volume.id].array:
            yield _timed(selection.of_volumes, volume.id, Layer.ARRAY, Layer.ARRAY)(
                _id("volume", volume.id), _id("array", array.id)
            )


def _around(selection: HopSelection, leaf: DiskLeaf) -> Iterator[PathLink]:
    """From a virtual disk's VM, and on to its queues; where none is listed, straight to its volumes, or on NFS to the array."""
    disk, shown = _id("vm_disk", leaf.disk.id), {queue.device.id for queue in selection.queues}
    yield _timed(selection.of_shown_disks, leaf.disk.id, Layer.GUEST, Layer.GUEST)(_id("vm", leaf.vm.id), disk)
    for device in selection.pairs.disk_queues.get(leaf.disk.id, ()):
        if device in shown:
            is_told_below = _is_shown_below(selection, leaf.disk.id, device)
            yield _hypervisor(selection.of_shown_disks, leaf.disk.id, is_shown_below=is_told_below)(
                disk, _id("queue", device)
            )
    for volume in selection.volumes_without_queue(leaf):
        yield _timed(selection.of_shown_disks, leaf.disk.id, Layer.KERNEL, Layer.SAN)(disk, _id("volume", volume))
    if array := selection.disk_facts[leaf.disk.id].array:
        yield _timed(selection.of_shown_disks, leaf.disk.id, Layer.KERNEL, Layer.ARRAY)(disk, _id("array", array.id))


def _below(selection: HopSelection, queue: Queue) -> Iterator[PathLink]:
    """Paths of a device share its times: there is no counter per path."""
    device, volumes = queue.device.id, selection.volumes_of(queue)
    own = [group for group in selection.paths if group.device_id == device]
    kernel, san = (_timed(selection.of_queues, device, layer, layer) for layer in (Layer.KERNEL, Layer.SAN))
    for group in own:
        above = kernel(_id("queue", device), _path_id(group))
        yield above
        yield from (_without_repeat(san(above.to_id, _id("volume", volume)), above) for volume in volumes)
    if not own:
        both = _timed(selection.of_queues, device, Layer.KERNEL, Layer.SAN)
        yield from (both(_id("queue", device), _id("volume", volume)) for volume in volumes)


def _timed(loads: Loads, thing_id: int, first: Layer, last: Layer) -> _Between:
    """The time of a thing's I/Os in a run of layers, and what was not separable from it."""
    row = loads.row.get(thing_id)
    wanted = SPANS.index((first, last))
    spans = [] if row is None else _touching(loads.series.rows, row, first, last)
    within = [span for span in spans if first <= SPANS[span][0] and SPANS[span][1] <= last]
    if row is None or not spans:
        return _link(span_key(wanted), span_label(wanted), span_layers(wanted))
    rows = loads.series.rows
    ops = float(ops_in(np.where(np.isin(np.arange(len(SPANS)), spans), rows.span_ops[row, Direction.ALL], 0.0)))
    told = SPANS.index((min(first, *(SPANS[s][0] for s in spans)), max(last, *(SPANS[s][1] for s in spans))))
    return _link(
        span_key(told),
        span_label(told),
        span_layers(told),
        float(rows.span_time[row, Direction.ALL, spans].sum()) / ops,
        float(rows.span_lower[row, Direction.ALL, within].sum()) / ops,
        float(rows.span_upper[row, Direction.ALL, spans].sum()) / ops,
        is_merged=len(within) < len(spans),
    )


def _touching(rows: LedgerRows, row: int, first: Layer, last: Layer) -> list[int]:
    """Measured spans that hold any of the layers."""
    measured = np.flatnonzero(rows.span_ops[row, Direction.ALL] > 0).tolist()
    return [span for span in measured if SPANS[span][0] <= last and first <= SPANS[span][1]]


def _without_repeat(link: PathLink, above: PathLink) -> PathLink:
    """Without the time where the link above tells the very same one: nothing told the two apart."""
    if link.us is None or (link.name, link.us) != (above.name, above.us):
        return link
    own = SPANS.index((Layer.SAN, Layer.SAN))
    return replace(link, name=span_key(own), label=span_label(own), us=None, lower_us=None, upper_us=None)


def _is_shown_below(selection: HopSelection, disk_id: int, device_id: int) -> bool:
    """Whether all of a disk's kernel may be what its device's kernel tells: in whole milliseconds, and not surely more than that."""
    loads = selection.of_shown_disks
    row = loads.row.get(disk_id)
    if row is None or not are_coarse(loads.series.notes.quality_reasons)[row]:
        return False
    whole, below = (
        _timed(of, thing_id, Layer.KERNEL, Layer.KERNEL)("", "")
        for of, thing_id in ((loads, disk_id), (selection.of_queues, device_id))
    )
    return whole.lower_us is not None and below.upper_us is not None and whole.lower_us <= below.upper_us


def _hypervisor(loads: Loads, disk_id: int, *, is_shown_below: bool) -> _Between:
    """From the virtual disk to the device: it has no bounds of its own, but is within the kernel of the disk."""
    name, label, layers = (
        Segment.HYPERVISOR.name.lower(),
        SEGMENT_STYLES[Segment.HYPERVISOR].label,
        (Layer.KERNEL.key,),
    )
    row = loads.row.get(disk_id)
    ops = 0.0 if row is None else float(loads.series.rows.segment_ops[row, Direction.ALL, Segment.HYPERVISOR])
    if row is None or not ops > 0:
        return _link(name, label, layers)
    if is_shown_below:
        return _link(name, label, layers, is_merged=True)
    rows = loads.series.rows
    us = float(rows.segment_time[row, Direction.ALL, Segment.HYPERVISOR]) / ops
    around = float(rows.span_ops[row, Direction.ALL, KERNEL])
    if not around > 0:
        return _link(name, label, layers, us)
    return _link(name, label, layers, us, 0.0, max(us, float(rows.span_upper[row, Direction.ALL, KERNEL]) / around))


def _link(
    name: str,
    label: str,
    layers: tuple[LayerName, ...],
    us: float | None = None,
    lower_us: float | None = None,
    upper_us: float | None = None,
    *,
    is_merged: bool = False,
) -> _Between:
    def between(from_id: str, to_id: str) -> PathLink:
        return PathLink(
            from_id=from_id,
            to_id=to_id,
            name=name,
            label=label,
            layers=layers,
            us=us,
            lower_us=lower_us,
            upper_us=upper_us,
            is_merged=is_merged,
        )

    return between
