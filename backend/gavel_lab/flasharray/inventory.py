"""Rows of the inventory endpoints about volumes, hosts and what holds them together. Every row has all fields of REST 2.52."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gavel_lab.environment import ArrayHost, Connection, Pod, Volume, VolumeGroup
from gavel_lab.flasharray.shaping import Row
from gavel_lab.flasharray.view import NO_REFERENCE, ArrayView, RemoteHost

VVOL_TAGS = "vasa-integration.purestorage.com"
_NO_QOS: Mapping[str, Any] = {"bandwidth_limit": None, "iops_limit": None}
_NO_WORKLOAD: Mapping[str, Any] = {**NO_REFERENCE, "configuration": None}
_EVEN_PRIORITY: Mapping[str, Any] = {"priority_adjustment_operator": "+", "priority_adjustment_value": 0}
_NO_SPACE: Mapping[str, Any] = dict.fromkeys(
    (
        "data_reduction",
        "footprint",
        "shared",
        "snapshots",
        "system",
        "thin_provisioning",
        "total_physical",
        "total_provisioned",
        "total_reduction",
        "total_used",
        "unique",
        "used_provisioned",
        "virtual",
        "replication",
        "replication_effective",
        "shared_effective",
        "snapshots_effective",
        "total_effective",
        "unique_effective",
    )
)


def volume_rows(view: ArrayView) -> list[Row]:
    return [_volume(view, volume) for volume in view.volumes]


def _volume(view: ArrayView, volume: Volume) -> Row:
    group = None if volume.volume_group is None else view.environment.volume_groups[volume.volume_group]
    return {
        "id": volume.id,
        "name": view.volume_name(volume.index),
        "context": view.context,
        "connection_count": len(view.connections_of_volume.get(volume.index, ())),
        "created": volume.created_ms,
        "destroyed": False,
        "host_encryption_key_status": "none",
        "pod": view.pod_reference(volume.pod),
        "priority": 0,
        "priority_adjustment": _EVEN_PRIORITY,
        "promotion_status": "promoted",
        "protocol_endpoint": {"container_version": "2" if volume.is_protocol_endpoint else None},
        "provisioned": volume.size_bytes,
        "qos": {"bandwidth_limit": volume.bandwidth_limit_bytes, "iops_limit": volume.iops_limit},
        "requested_promotion_state": "promoted",
        "serial": volume.serial,
        "source": NO_REFERENCE,
        "space": space_of(view, [volume]),
        "subtype": "protocol_endpoint" if volume.is_protocol_endpoint else "regular",
        "time_remaining": None,
        "volume_group": {"id": group.id, "name": group.name} if group else NO_REFERENCE,
        "workload": _NO_WORKLOAD,
    }


def space_of(view: ArrayView, volumes: Iterable[Volume]) -> Row:
    """Space of some volumes together: a share of their size that belongs to each volume's id, at a reduction of 4 to 1."""
    provisioned = used = 0
    for volume in volumes:
        size = 0 if volume.is_protocol_endpoint else volume.size_bytes
        provisioned += size
        used += int(size * (0.05 + 0.25 * view.ids.fraction("used", volume.serial)))
    unique = used // 4
    effective = unique * 4
    return {
        **_NO_SPACE,
        "data_reduction": 4.0 if used else 1.0,
        "footprint": unique,
        "snapshots": 0,
        "thin_provisioning": 1 - used / provisioned if provisioned else 0.0,
        "total_physical": unique,
        "total_provisioned": provisioned,
        "total_reduction": provisioned / unique if unique else 1.0,
        "total_used": used,
        "unique": unique,
        "used_provisioned": provisioned,
        "virtual": used,
        "snapshots_effective": 0,
        "total_effective": effective,
        "unique_effective": effective,
    }


def tag_rows(view: ArrayView) -> list[Row]:
    """The tags VMware's plug-in puts on the volumes of vVols."""
    rows = []
    for volume in view.volumes:
        for key, value in (("PURE_VVOL_ID", volume.vvol_id), ("PURE_VM_ID", volume.vm_instance_uuid)):
            if value is not None:
                rows.append(_tag(view, volume, key, value))
    return rows


def _tag(view: ArrayView, volume: Volume, key: str, value: str) -> Row:
    return {
        "context": view.context,
        "copyable": False,
        "key": key,
        "namespace": VVOL_TAGS,
        "resource": view.volume_reference(volume.index),
        "value": value,
    }


def host_rows(view: ArrayView) -> list[Row]:
    """Hosts of this array, then those its stretched pods bring along."""
    local = [_host(view, host, host.name) for host in view.hosts]
    return local + [_remote_host(view, remote) for remote in view.remote_hosts]


def _host(view: ArrayView, host: ArrayHost, name: str) -> Row:
    connections = view.connections_of_host.get(host.index, ())
    volumes = [view.environment.volumes[connection.volume] for connection in connections]
    return {
        "name": name,
        "context": view.context,
        "chap": dict.fromkeys(("host_password", "host_user", "target_password", "target_user")),
        "connection_count": len(connections),
        "destroyed": False,
        "host_group": {"name": view.group_of(host)},
        "iqns": list(host.iqns),
        "is_local": True,
        "nqns": list(host.nqns),
        "nvme_stretch": "disabled",
        "personality": host.personality,
        "port_connectivity": {"details": "Redundant", "status": "healthy"},
        "preferred_arrays": [view.array_reference(index) for index in host.preferred_arrays],
        "qos": _NO_QOS,
        "space": space_of(view, volumes),
        "time_remaining": None,
        "vlan": None,
        "wwns": list(host.wwns),
    }


def _remote_host(view: ArrayView, remote: RemoteHost) -> Row:
    return {
        **_host(view, remote.host, remote.name),
        "is_local": False,
        "port_connectivity": {"details": "Unknown", "status": "unknown"},
        "space": _NO_SPACE,
    }


def _members(view: ArrayView) -> list[tuple[str, str, ArrayHost]]:
    """(host group, host, the host's record) of every host in a group, remote ones included."""
    named = [(host.name, host) for host in view.hosts]
    named += [(remote.name, remote.host) for remote in view.remote_hosts]
    return [(group, name, host) for name, host in named if (group := view.group_of(host)) is not None]


def host_group_rows(view: ArrayView) -> list[Row]:
    groups: dict[str, list[ArrayHost]] = {}
    for group, _, host in _members(view):
        groups.setdefault(group, []).append(host)
    return [_host_group(view, name, hosts) for name, hosts in groups.items()]


def _host_group(view: ArrayView, name: str, hosts: list[ArrayHost]) -> Row:
    is_local = hosts[0].array == view.array.index
    connected = dict.fromkeys(
        connection.volume for host in hosts for connection in view.connections_of_host.get(host.index, ())
    )
    volumes = [view.environment.volumes[index] for index in connected]
    return {
        "name": name,
        "context": view.context,
        "connection_count": len(volumes),
        "destroyed": False,
        "host_count": len(hosts),
        "is_local": is_local,
        "qos": _NO_QOS,
        "space": space_of(view, volumes) if is_local else _NO_SPACE,
        "time_remaining": None,
    }


def host_group_member_rows(view: ArrayView) -> list[Row]:
    return [
        {"context": view.context, "group": {"name": group}, "member": {"name": name}}
        for group, name, _ in _members(view)
    ]


def pod_rows(view: ArrayView) -> list[Row]:
    return [_pod(view, pod) for pod in view.pods]


def _pod(view: ArrayView, pod: Pod) -> Row:
    volumes = [volume for volume in view.volumes if volume.pod == pod.index]
    space = space_of(view, volumes)
    return {
        "id": pod.id,
        "name": pod.name,
        "context": view.context,
        "array_count": len(pod.arrays),
        "arrays": [_pod_array(view, index) for index in pod.arrays],
        "destroyed": False,
        "eradication_config": {"manual_eradication": "all-enabled"},
        "failover_preferences": [view.array_reference(pod.arrays[0])],
        "footprint": space["unique"],
        "link_source_count": 0,
        "link_target_count": 0,
        "mediator": "purestorage",
        "mediator_version": None,
        "members": [view.array_reference(index) for index in pod.arrays],
        "promotion_status": "promoted",
        "quota_limit": None,
        "requested_promotion_state": "promoted",
        "source": NO_REFERENCE,
        "space": {**space, "replication": 0, "replication_effective": 0, "shared": 0, "shared_effective": 0},
        "time_remaining": None,
    }


def _pod_array(view: ArrayView, index: int) -> Row:
    reference = view.array_reference(index)
    return {
        **reference,
        "frozen_at": None,
        "mediator_status": "online",
        "member": reference,
        "pre_elected": False,
        "progress": None,
        "status": "online",
    }


def volume_group_rows(view: ArrayView) -> list[Row]:
    return [_volume_group(view, group) for group in view.volume_groups]


def _volume_group(view: ArrayView, group: VolumeGroup) -> Row:
    volumes = [volume for volume in view.volumes if volume.volume_group == group.index]
    return {
        "id": group.id,
        "name": group.name,
        "context": view.context,
        "destroyed": False,
        "pod": NO_REFERENCE,
        "priority_adjustment": _EVEN_PRIORITY,
        "qos": {"bandwidth_limit": None, "iops_limit": group.iops_limit},
        "space": space_of(view, volumes),
        "time_remaining": None,
        "volume_count": len(volumes),
        "workload": _NO_WORKLOAD,
    }


def volume_group_member_rows(view: ArrayView) -> list[Row]:
    groups = {group.index: {"id": group.id, "name": group.name} for group in view.volume_groups}
    return [
        {"context": view.context, "group": groups[volume.volume_group], "member": view.volume_reference(volume.index)}
        for volume in view.volumes
        if volume.volume_group is not None
    ]


def connection_rows(view: ArrayView) -> list[Row]:
    return [_connection(view, connection) for connection in (*view.connections, *view.remote_connections)]


def _connection(view: ArrayView, connection: Connection) -> Row:
    host = view.environment.array_hosts[connection.array_host]
    owner = view.environment.arrays[host.array]
    return {
        "context": view.context,
        "host": {"name": host.name if owner == view.array else f"{owner.name}:{host.name}"},
        "host_group": {"name": view.group_of(host)},
        "lun": connection.lun,
        "nsid": connection.nsid,
        "protocol_endpoint": view.volume_reference(connection.protocol_endpoint),
        "volume": view.volume_reference(connection.volume),
    }


ROWS: Mapping[str, Callable[[ArrayView], list[Row]]] = {
    "volumes": volume_rows,
    "volumes/tags": tag_rows,
    "hosts": host_rows,
    "host-groups": host_group_rows,
    "host-groups/hosts": host_group_member_rows,
    "pods": pod_rows,
    "volume-groups": volume_group_rows,
    "volume-groups/volumes": volume_group_member_rows,
    "connections": connection_rows,
}
