"""Which things are complete already: every source of their chain has passed the minute."""

from collections.abc import Mapping

import numpy as np

from gavel.analysis.intervals import Bools
from gavel.analysis.topology import NONE, Index
from gavel.correlate.topology import Environment
from gavel.domain.scope import ScopeKind


def complete(environment: Environment, passed: frozenset[int]) -> Mapping[ScopeKind, Bools]:
    """By kind, (things,) whether all of a thing's sources are among `passed`."""
    topology = environment.topology
    devices, parts, volumes = topology.devices, topology.parts, topology.volumes
    late_vcenter = np.array([source not in passed for source in environment.source_ids], dtype=np.bool_)
    late_array = np.array([source not in passed for source in environment.array_sources], dtype=np.bool_)
    late_host = late_vcenter[topology.host_source]
    late_unit = _any(volumes.unit, _at(late_array, volumes.array), topology.units) | _at(
        late_array, topology.unit_array
    )
    late_device = late_host[devices.host] | _at(late_unit, devices.unit)
    late_device |= _any(devices.endpoint.left, late_unit[devices.endpoint.right], len(devices))
    late_part = late_host[parts.host] | _at(late_unit, parts.unit)
    late_part |= _any(parts.devices.left, late_device[parts.devices.right], len(parts))

    def late(of_device: Index, of_part: Index, things: int) -> Bools:
        return _any(of_device, late_device, things) | _any(of_part, late_part, things)

    nowhere = np.full(len(devices), NONE)
    late_volume = _at(late_unit, volumes.unit) | _at(_any(devices.unit, late_device, topology.units), volumes.unit)
    found = {
        ScopeKind.HOST_DEVICE: late_device,
        ScopeKind.VM_DISK: _any(parts.disk, late_part, topology.disks),
        ScopeKind.VM: late(nowhere, parts.vm, topology.vms),
        ScopeKind.DATASTORE: late(devices.datastore, parts.datastore, topology.datastores),
        ScopeKind.HOST: late(devices.host, parts.host, topology.hosts),
        ScopeKind.CLUSTER: late(
            topology.host_cluster[devices.host], topology.host_cluster[parts.host], topology.clusters
        ),
        ScopeKind.VOLUME: late_volume | _at(_any(parts.unit, late_part, topology.units), volumes.unit),
        ScopeKind.ARRAY: late_array | _any(volumes.array, late_volume, topology.arrays),
        ScopeKind.ENVIRONMENT: np.array([bool(late_device.any() or late_part.any())]),
    }
    return {kind: ~late for kind, late in found.items()}


def _at(flags: Bools, index: Index) -> Bools:
    """(n,) flags of what `index` points to; False for NONE."""
    if len(flags) == 0:
        return np.zeros(len(index), dtype=np.bool_)
    found: Bools = np.where(index != NONE, flags[index], False)
    return found


def _any(group: Index, flags: Bools, groups: int) -> Bools:
    """(groups,) whether any member has the flag."""
    found = np.zeros(groups, dtype=np.bool_)
    known = group != NONE
    np.logical_or.at(found, group[known], flags[known])
    return found
