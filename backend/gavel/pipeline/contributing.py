"""Whose I/O-time it is: the thing's time in a layer, split among VMs and among hosts."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.ledger import LedgerRows, non_vm_ops, rolled_up
from gavel.analysis.owners import InLayer, in_layer, shares
from gavel.db.engine import Connection
from gavel.db.queries.rows import Ref, RefKind
from gavel.domain.io_path import Direction, Layer
from gavel.pipeline.judging import known
from gavel.pipeline.owned import Behind, Owned, behind, known_rows
from gavel.pipeline.summing import Sum, Window, summed

MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """`ios`: I/Os of this one inside the layer on average, with bounds; `us` per I/O measured there.

    time_share: of the thing's time in the layer (of that of all listed, where this is more), with bounds; None where that is 0.
    is_merged: (a part of) the time is of neighbouring layers that were not told apart.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributors(Window):
    """The largest first; `*_total`: how many did I/O. `ios`: the thing's own I/Os inside the layer, None where nobody measured it;
    `*_ios`: those of all VMs and all hosts, `*_rest_ios`: those of none of them.

    non_vm_iops: device ops that no virtual disk explains; None without devices that were measured.
    """

    layer: str
    ios: float | None
    vms: tuple[Contributor, ...]
    vms_total: int
    vms_ios: float
    vms_rest_ios: float | None
    hosts: tuple[Contributor, ...]
    hosts_total: int
    hosts_ios: float
    hosts_rest_ios: float | None
    non_vm_iops: float | None


@dataclass(frozen=True, slots=True)
class _Split:
    listed: list[Contributor]
    ios: float
    rest_ios: float | None


def contributors(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime, layer: Layer
) -> Contributors:
    """VMs (of a VM: its disks) by virtual disks; hosts (of a host: its devices) by devices, and what their disks have above these.

    Raises NotFoundError, and ValueError for an empty range.
    """
    found = summed(connection, kind, thing_id, from_at, to_at)
    window = found.window
    made_of = behind(connection, kind, thing_id, window.from_at, window.to_at)
    wall_us = (window.to_at - window.from_at).total_seconds() * 1e6
    own = known_rows(found.found.rows)
    whole = in_layer(_sum(own), layer)
    part = made_of.part_of_shared(float(own.ops[:, Direction.ALL].sum()))
    vms, hosts = (_split(owned, layer, whole, wall_us) for owned in (made_of.by_vm(part), made_of.by_host(part)))
    return Contributors(
        **window.fields,
        layer=layer.name.lower(),
        ios=float(whole.time[0]) / wall_us if whole.measured[0] > 0 else None,
        vms=tuple(vms.listed[:MOST]),
        vms_total=len(vms.listed),
        vms_ios=vms.ios,
        vms_rest_ios=vms.rest_ios,
        hosts=tuple(hosts.listed[:MOST]),
        hosts_total=len(hosts.listed),
        hosts_ios=hosts.ios,
        hosts_rest_ios=hosts.rest_ios,
        non_vm_iops=_not_of_vms(made_of, wall_us / 1e6),
    )


def top_host(connection: Connection, kind: RefKind, found: Sum, layer: Layer, least: float) -> Ref | None:
    """The host (of a host: its device) with more than `least` of a layer's I/O-time."""
    window = found.window
    made_of = behind(connection, kind, window.subject.id, window.from_at, window.to_at)
    own = known_rows(found.found.rows)
    owned = made_of.by_host(made_of.part_of_shared(float(own.ops[:, Direction.ALL].sum())))
    ranked = _split(owned, layer, in_layer(_sum(own), layer), 1e6).listed
    if ranked and ranked[0].time_share is not None and ranked[0].time_share > least:
        return ranked[0].subject
    return None


def _sum(rows: LedgerRows) -> LedgerRows:
    """(1,)"""
    return rolled_up(rows, np.zeros(len(rows), dtype=np.int64), 1)


def _split(owned: Owned, layer: Layer, whole: InLayer, wall_us: float) -> _Split:
    """Owners that did I/O, by I/O-time in the layer, then by name."""
    own = in_layer(owned.rows, layer)
    of_whole, ops = shares(own, whole), owned.rows.ops[:, Direction.ALL]
    listed = [
        Contributor(
            subject=owner,
            iops=float(ops[n]) / wall_us * 1e6,
            us=float(own.time[n] / own.measured[n]) if own.measured[n] > 0 else None,
            ios=float(own.time[n]) / wall_us,
            lower_ios=float(own.lower[n]) / wall_us,
            upper_ios=float(own.upper[n]) / wall_us,
            time_share=known(of_whole.value[n]),
            share_lower=known(of_whole.lower[n]),
            share_upper=known(of_whole.upper[n]),
            is_merged=bool(own.measured[n] > own.own[n]),
        )
        for n, owner in enumerate(owned.owners)
        if ops[n] > 0
    ]
    rest = of_whole.rest / wall_us if whole.measured[0] > 0 else None
    return _Split(sorted(listed, key=lambda one: -one.ios), float(own.time.sum()) / wall_us, rest)


def _not_of_vms(made_of: Behind, wall_s: float) -> float | None:
    """None where no device was measured."""
    devices, disks = made_of.devices, made_of.disks
    if devices is None or len(devices.ids) == 0:
        return None
    return float(non_vm_ops(_sum(devices.rows), _sum(disks.rows))[0, Direction.ALL]) / wall_s
