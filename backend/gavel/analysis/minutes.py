"""Whole minutes of the whole environment: from what both sides reported to the rows of the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gavel.analysis.align import tidied
from gavel.analysis.array_side import Mirroring, mirroring
from gavel.analysis.device_leaves import device_leaves
from gavel.analysis.disk_leaves import disk_leaves
from gavel.analysis.gridded import (
    Stretch,
    device_minutes,
    directory_minutes,
    disk_minutes,
    disk_samples,
    volume_minutes,
)
from gavel.analysis.guest_side import guest_side
from gavel.analysis.ledger import rolled_up, without_ops
from gavel.analysis.observed import Observed
from gavel.analysis.parents import Parents, parents
from gavel.analysis.proofs import CounterEvidence, evidence_of
from gavel.analysis.sides import GriddedLeaves, sides, unit_host_ops
from gavel.analysis.topology import Index, Topology, in_minutes
from gavel.domain.io_path import Direction
from gavel.domain.ledger import LedgerRows, Notes, picked
from gavel.domain.scope import ScopeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Ledger rows of one kind: thing (n,) by its position, minute (n,) since 1970. Ops of a row are NaN where no sample has them."""

    thing: Index
    minute: Index
    rows: LedgerRows
    notes: Notes


@dataclass(frozen=True, slots=True)
class Attribution:
    """All rows of a stretch, by kind, and what it teaches about pods and about the counters of vCenters."""

    rows: Mapping[ScopeKind, Rows]
    mirroring: Mirroring
    evidence: CounterEvidence


def attributed(topology: Topology, observed: Observed, stretch: Stretch) -> Attribution:
    """Where the time of every minute went. Order of arrival and repeated samples change nothing."""
    minutes = stretch.minutes
    devices = device_minutes(
        observed.devices,
        topology.host_source[topology.devices.host],
        observed.proofs,
        len(topology.devices),
        stretch,
    )
    told = disk_samples(observed.disks)
    tidy = tidied(told)
    parts = disk_minutes(
        told,
        tidy,
        topology.host_source[topology.parts.host],
        observed.proofs,
        len(topology.parts),
        stretch,
    )
    volumes = volume_minutes(observed.volumes, len(topology.volumes), stretch)
    directories = directory_minutes(observed.directories, topology.units, stretch)
    guests = guest_side(observed.guests, parts, len(topology.parts), stretch)
    both = sides(topology, devices, parts, volumes, directories, guests, minutes)
    device_rows, disk_rows = device_leaves(both), disk_leaves(both)
    rows = {
        ScopeKind.HOST_DEVICE: _present(device_rows, stretch),
        ScopeKind.VM_DISK: _disks(topology, disk_rows, stretch),
    }
    for one in parents(both, device_rows, disk_rows):
        rows[one.kind] = _present(one, stretch)
    host_writes = unit_host_ops(topology, devices, parts, minutes)[:, Direction.WRITE]
    return Attribution(
        rows,
        mirroring(topology, volumes, host_writes, minutes),
        evidence_of(both, observed.devices, tidy, observed.proofs, stretch),
    )


def _present(leaves: GriddedLeaves | Parents, stretch: Stretch) -> Rows:
    index = np.flatnonzero(leaves.is_present)
    minute = stretch.first + index % stretch.minutes
    rows = without_ops(picked(leaves.rows, index), leaves.is_blind[index])
    return Rows(thing=index // stretch.minutes, minute=minute, rows=rows, notes=picked(leaves.notes, index))


def _disks(topology: Topology, parts: GriddedLeaves, stretch: Stretch) -> Rows:
    """The parts of a disk that moved in between are one row; its notes are those of the part that did more."""
    minutes = stretch.minutes
    scope = in_minutes(topology.parts.disk, minutes)
    index = np.flatnonzero(parts.is_present)
    if len(np.unique(scope[index])) == len(index):
        found = _present(parts, stretch)
        return Rows(thing=topology.parts.disk[found.thing], minute=found.minute, rows=found.rows, notes=found.notes)
    rows = picked(parts.rows, index)
    summed = rolled_up(rows, scope[index], topology.disks * minutes)
    busiest = index[np.lexsort((rows.ops[:, Direction.ALL], scope[index]))]
    last = np.flatnonzero(np.append(scope[busiest][1:] != scope[busiest][:-1], True))
    there = scope[busiest][last]
    seen = np.isin(there, scope[index[~parts.is_blind[index]]])
    return Rows(
        thing=there // minutes,
        minute=stretch.first + there % minutes,
        rows=without_ops(picked(summed, there), ~seen),
        notes=picked(parts.notes, busiest[last]),
    )
