"""Rows of the endpoints about the array itself: controllers, ports, initiators, interfaces, directories and exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gavel_lab.environment import Directory, TargetPort
from gavel_lab.flasharray.inventory import space_of
from gavel_lab.flasharray.shaping import Row
from gavel_lab.flasharray.view import NO_REFERENCE, ArrayView

CONTROLLERS = ("CT0", "CT1")
MANAGEMENT_INTERFACES = ("ct0.eth0", "ct1.eth0")
FILE_INTERFACE = "filevip"
_SERVICES = {"fc": "scsi-fc", "iscsi": "iscsi", "nvme-tcp": "nvme-tcp"}
_CREATED_MS = 1_704_067_200_000


def array_rows(view: ArrayView) -> list[Row]:
    space = space_of(view, view.volumes)
    physical = space["total_physical"]
    return [
        {
            **view.reference,
            "_as_of": view.now_ms(),
            "banner": f"{view.array.name}: simulated FlashArray of the Gavel lab, Purity {view.array.purity}",
            "capacity": max(4 * physical, 2**44),
            "console_lock_enabled": False,
            "context": view.context,
            "encryption": {
                "data_at_rest": {"algorithm": "AES-256-CTR", "enabled": True},
                "module_version": "FA-1.3",
            },
            "eradication_config": {
                "disabled_delay": 86_400_000,
                "enabled_delay": 86_400_000,
                "eradication_delay": 86_400_000,
                "manual_eradication": "all-enabled",
            },
            "idle_timeout": view.array.idle_timeout_ms,
            "network_access_policy": NO_REFERENCE,
            "ntp_servers": ["ntp.lab.example"],
            "ntp_symmetric_key": None,
            "os": "Purity//FA",
            "parity": 1.0,
            "scsi_timeout": 60_000,
            "space": {**space, "replication": 0, "shared": 0, "shared_effective": 0, "system": 0},
            "time_zone": "UTC",
            "version": view.array.purity,
        }
    ]


def controller_rows(view: ArrayView) -> list[Row]:
    return [
        {
            "name": name,
            "mode": "primary" if name == CONTROLLERS[0] else "secondary",
            "mode_since": _CREATED_MS,
            "model": view.array.model,
            "status": "ready",
            "type": "array_controller",
            "version": view.array.purity,
        }
        for name in CONTROLLERS
    ]


def with_colons(wwn: str | None) -> str | None:
    """A WWN the way port lists show it; host lists show it without colons."""
    return None if wwn is None else ":".join(wwn[place : place + 2] for place in range(0, len(wwn), 2))


def port_of(port: TargetPort) -> Row:
    """A front-end port as target of a path."""
    return {
        "name": port.name,
        "iqn": port.iqn,
        "nqn": port.nqn,
        "portal": port.portal,
        "wwn": with_colons(port.wwn),
        "failover": None,
    }


def port_rows(view: ArrayView) -> list[Row]:
    return [{"context": view.context, **port_of(port)} for port in view.ports]


def initiator_rows(view: ArrayView) -> list[Row]:
    """Every initiator of a host with every port it can speak to."""
    rows = []
    for host in view.hosts:
        initiators = [("fc", {"wwn": with_colons(wwn)}) for wwn in host.wwns]
        initiators += [("iscsi", {"iqn": iqn}) for iqn in host.iqns]
        initiators += [("nvme-tcp", {"nqn": nqn}) for nqn in host.nqns]
        for transport, names in initiators:
            rows += [_initiator(view, names, port) for port in view.ports if port.transport == transport]
    return rows


def _initiator(view: ArrayView, names: Mapping[str, str | None], port: TargetPort) -> Row:
    return {
        "context": view.context,
        "encryption": {"enabled": False, "mode": None},
        "initiator": {"iqn": None, "nqn": None, "portal": None, "wwn": None, **names},
        "target": port_of(port),
    }


def interface_name(port: TargetPort) -> str:
    """`CT0.FC0` is called `ct0.fc0` where it is a network interface."""
    return port.name.lower()


def interface_rows(view: ArrayView) -> list[Row]:
    management = [
        _interface(
            view, name, "eth", ["management"], 1_000_000_000, _ethernet(f"10.11.{view.array.index}.{10 + place}")
        )
        for place, name in enumerate(MANAGEMENT_INTERFACES)
    ]
    return management + [_port_interface(view, port) for port in view.ports] + _file_interfaces(view)


def _port_interface(view: ArrayView, port: TargetPort) -> Row:
    kind = "fc" if port.transport == "fc" else "eth"
    address = port.portal.rpartition(":")[0] if port.portal else None
    eth = _ethernet(address) if kind == "eth" else _ethernet(None, mtu=None, subtype=None)
    row = _interface(view, interface_name(port), kind, [_SERVICES[port.transport]], port.speed_bits_per_s, eth)
    return {**row, "fc": {"wwn": with_colons(port.wwn)}}


def _file_interfaces(view: ArrayView) -> list[Row]:
    if not view.directories:
        return []
    eth = _ethernet(view.array.file_address, subtype="virtual")
    return [_interface(view, FILE_INTERFACE, "eth", ["file"], 50_000_000_000, eth)]


def _interface(view: ArrayView, name: str, kind: str, services: list[str], speed: int, eth: Row) -> Row:
    mac = view.ids.hex(8, "mac", view.array.name, name)
    mac_address = "24:a9:" + ":".join(mac[place : place + 2] for place in range(0, 8, 2)) if kind == "eth" else None
    return {
        "name": name,
        "attached_servers": [],
        "context": view.context,
        "enabled": True,
        "eth": {**eth, "mac_address": mac_address},
        "fc": {"wwn": None},
        "interface_type": kind,
        "server": NO_REFERENCE,
        "services": services,
        "speed": speed,
    }


def _ethernet(address: str | None, mtu: int | None = 9000, subtype: str | None = "physical") -> Row:
    return {
        "address": address,
        "gateway": None,
        "mtu": mtu,
        "netmask": "255.255.255.0" if address else None,
        "subinterfaces": [],
        "subnet": {"name": None},
        "subtype": subtype,
        "vlan": None,
    }


def directory_reference(directory: Directory) -> Row:
    return {"id": directory.id, "name": directory.name, "resource_type": "directories"}


def directory_rows(view: ArrayView) -> list[Row]:
    return [
        {
            "id": directory.id,
            "name": directory.name,
            "context": view.context,
            "created": _CREATED_MS,
            "destroyed": False,
            "directory_name": directory.name.rpartition(":")[2],
            "file_system": {"id": view.ids.uuid("file system", directory.file_system), "name": directory.file_system},
            "limited_by": {"member": NO_REFERENCE, "policy": NO_REFERENCE},
            "path": directory.path,
            "space": space_of(view, ()),
            "time_remaining": None,
            "workload": {**NO_REFERENCE, "configuration": None},
        }
        for directory in view.directories
    ]


def export_rows(view: ArrayView) -> list[Row]:
    return [_export(view, directory) for directory in view.directories]


def _export(view: ArrayView, directory: Directory) -> Row:
    policy = f"{directory.export_name}-policy"
    server: dict[str, Any] = {
        "id": view.ids.uuid("server", view.array.name),
        "name": "_array_server",
        "resource_type": "servers",
    }
    return {
        "name": f"_array_server::nfs::{directory.export_name}",
        "context": view.context,
        "destroyed": False,
        "directory": directory_reference(directory),
        "enabled": True,
        "export_name": directory.export_name,
        "path": directory.path,
        "policy": {"id": view.ids.uuid("policy", policy), "name": policy, "resource_type": "policies/nfs"},
        "server": server,
        "status": None,
        "workload": {**NO_REFERENCE, "configuration": None},
    }


ROWS: Mapping[str, Callable[[ArrayView], list[Row]]] = {
    "arrays": array_rows,
    "controllers": controller_rows,
    "ports": port_rows,
    "ports/initiators": initiator_rows,
    "network-interfaces": interface_rows,
    "directories": directory_rows,
    "directory-exports": export_rows,
}
