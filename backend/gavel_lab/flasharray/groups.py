"""Who a performance endpoint has rows for, and how to read them: groups of objects on one array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gavel_lab.environment import ArrayHost
from gavel_lab.flasharray.shaping import Row
from gavel_lab.flasharray.view import ArrayView
from gavel_lab.model import ArrayBy, By
from gavel_lab.reading import MIRRORED_WRITE, READ, WRITE, Floats, Reading

Read = Callable[[Sequence[int], Floats], Reading]


@dataclass(frozen=True)
class Group:
    """Objects that are read together. `rows` go to `read`, one per identity; an identity has the fields that name it."""

    rows: tuple[int, ...]
    identities: tuple[Row, ...]
    read: Read

    def only(self, wanted: Callable[[Row], bool]) -> Group:
        kept = [place for place, identity in enumerate(self.identities) if wanted(identity)]
        return replace(
            self,
            rows=tuple(self.rows[place] for place in kept),
            identities=tuple(self.identities[place] for place in kept),
        )


def reader(view: ArrayView, by: ArrayBy, array: int | None = None) -> Read:
    """Reads what this array, or another one, counts."""
    counting = view.array.index if array is None else array
    return lambda rows, windows: view.lab.model.read_array(by, rows, windows, array=counting)


def _identity(view: ArrayView, name: str, array: int, **more: Any) -> Row:
    """Names of one row: `array` and `member` say where the I/O was served, and only the by-array endpoints show them."""
    where = view.array_reference(array)
    return {"name": name, "context": view.context, "array": where, "member": where, **more}


def _volumes(view: ArrayView, array: int) -> Group:
    volumes = [volume for volume in view.volumes if array in volume.arrays]
    return Group(
        tuple(volume.index for volume in volumes),
        tuple(_identity(view, view.volume_name(volume.index), array, id=volume.id) for volume in volumes),
        reader(view, ArrayBy.VOLUME, array),
    )


def _pods(view: ArrayView, array: int) -> Group:
    pods = [pod for pod in view.pods if array in pod.arrays]
    return Group(
        tuple(pod.index for pod in pods),
        tuple(_identity(view, pod.name, array, id=pod.id) for pod in pods),
        reader(view, ArrayBy.POD, array),
    )


def _peers(view: ArrayView) -> list[int]:
    """The other arrays of this array's pods."""
    return sorted({array for pod in view.pods for array in pod.arrays} - {view.array.index})


def volumes(view: ArrayView) -> list[Group]:
    return [_volumes(view, view.array.index)]


def volumes_by_array(view: ArrayView) -> list[Group]:
    """Local rows, then the remote half of every stretched volume."""
    return [_volumes(view, array) for array in (view.array.index, *_peers(view))]


def pods(view: ArrayView) -> list[Group]:
    return [_pods(view, view.array.index)]


def pods_by_array(view: ArrayView) -> list[Group]:
    return [_pods(view, array) for array in (view.array.index, *_peers(view))]


def volume_groups(view: ArrayView) -> list[Group]:
    index = view.array.index
    identities = tuple(_identity(view, group.name, index, id=group.id) for group in view.volume_groups)
    rows = tuple(group.index for group in view.volume_groups)
    return [Group(rows, identities, reader(view, ArrayBy.VOLUME_GROUP))]


def arrays(view: ArrayView) -> list[Group]:
    index = view.array.index
    identity = _identity(view, view.array.name, index, id=view.array.id)
    return [Group((index,), (identity,), reader(view, ArrayBy.ARRAY))]


def directories(view: ArrayView) -> list[Group]:
    index = view.array.index
    identities = tuple(_identity(view, directory.name, index, id=directory.id) for directory in view.directories)
    rows = tuple(directory.index for directory in view.directories)
    return [Group(rows, identities, reader(view, ArrayBy.DIRECTORY))]


def hosts(view: ArrayView) -> list[Group]:
    """Hosts of this array with what they do here; the peers' hosts with what they do to stretched volumes over there."""
    index = view.array.index
    local = Group(
        tuple(host.index for host in view.hosts),
        tuple(_identity(view, host.name, index) for host in view.hosts),
        reader(view, ArrayBy.ARRAY_HOST),
    )
    remote = Group(
        tuple(remote.host.index for remote in view.remote_hosts),
        tuple(_identity(view, remote.name, remote.array.index) for remote in view.remote_hosts),
        lambda rows, windows: _read_stretched(view, rows, windows),
    )
    return [local, remote]


def paths_of(view: ArrayView, host: ArrayHost) -> list[int]:
    """Paths that start at an initiator of the host object and end on its array."""
    if host.esxi_host is None:
        return []
    initiators = {*host.wwns, *host.iqns, *host.nqns}
    hbas = {
        index
        for index in view.environment.hosts[host.esxi_host].hbas
        if initiators
        & {view.environment.hbas[index].wwpn, view.environment.hbas[index].iqn, view.environment.hbas[index].nqn}
    }
    devices = view.environment.hosts[host.esxi_host].devices
    candidates = (view.environment.paths[path] for device in devices for path in view.environment.devices[device].paths)
    return [path.index for path in candidates if path.hba in hbas and path.array == host.array]


def _read_stretched(view: ArrayView, rows: Sequence[int], windows: Floats) -> Reading:
    """What host objects of a peer do to volumes this array holds too: sums over their paths; writes are mirrored writes."""
    environment = view.environment
    mine = {volume.index for volume in view.volumes if volume.is_stretched}
    owned = [
        [
            path
            for path in paths_of(view, environment.array_hosts[row])
            if environment.devices[environment.paths[path].device].volume in mine
        ]
        for row in rows
    ]
    reading = view.lab.model.read(By.PATH, [path for paths in owned for path in paths], windows)
    ends = np.cumsum([len(paths) for paths in owned])
    places = [np.arange(end - len(paths), end) for end, paths in zip(ends, owned, strict=True)]
    return Reading(
        seconds=reading.seconds,
        ops=_mirrored(np.stack([reading.ops[place].sum(axis=0) for place in places])),
        bytes=_mirrored(np.stack([reading.bytes[place].sum(axis=0) for place in places])),
        io_time_us=_mirrored(np.stack([reading.io_time_us[place].sum(axis=0) for place in places])),
    )


def _mirrored(sums: Floats) -> Floats:
    """(n, w, 2, ...) as (n, w, 3, ...): writes move to the third direction."""
    result = np.zeros((*sums.shape[:2], 3, *sums.shape[3:]))
    result[:, :, READ] = sums[:, :, READ]
    result[:, :, MIRRORED_WRITE] = sums[:, :, WRITE]
    return result


GROUPS: Mapping[str, Callable[[ArrayView], list[Group]]] = {
    "volumes/performance": volumes,
    "volumes/performance/by-array": volumes_by_array,
    "hosts/performance": hosts,
    "hosts/performance/by-array": hosts,
    "pods/performance": pods,
    "pods/performance/by-array": pods_by_array,
    "volume-groups/performance": volume_groups,
    "arrays/performance": arrays,
    "directories/performance": directories,
}
