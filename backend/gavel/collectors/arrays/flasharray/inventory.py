"""A FlashArray's items as Gavel's inventory. Pure."""

import ipaddress
from collections.abc import Iterable, Mapping

from gavel.collectors.arrays.flasharray import parse, wire
from gavel.domain.inventory import (
    ArrayDirectory,
    ArrayHost,
    ArrayInfo,
    ArrayPort,
    Connection,
    DirectoryExport,
    Fact,
    Pod,
    PortHealth,
    Volume,
    VolumeGroup,
)
from gavel.domain.labels import LabelKind, labels_of_mapping

VVOL_NAMESPACE = "vasa-integration.purestorage.com"
VVOL_ID_KEY = "PURE_VVOL_ID"


def array_info(
    item: wire.ArrayItem, controllers: Iterable[wire.ControllerItem], version: parse.RestVersion
) -> ArrayInfo:
    model = next((controller.model for controller in controllers if controller.model), None)
    return ArrayInfo(
        key=item.id,
        name=item.name,
        model=model,
        version=item.version,
        facts=(
            Fact("Purity", item.version),
            Fact("REST API", f"{version[0]}.{version[1]}"),
            Fact(
                "Reported latency",
                "includes queue time" if parse.usec_includes_queue(item.version) else "excludes queue time",
            ),
        ),
    )


def volume(item: wire.VolumeItem, tags: Mapping[str, str], vvol_id: str | None) -> Volume:
    qos = item.qos or wire.Qos()
    return Volume(
        key=item.id,
        name=item.name,
        serial=item.serial.upper(),
        size_bytes=item.provisioned,
        pod_key=item.pod.id if item.pod else None,
        volume_group=item.volume_group.name if item.volume_group else None,
        is_protocol_endpoint=item.subtype == "protocol_endpoint",
        qos_iops_limit=qos.iops_limit,
        qos_bytes_per_s_limit=qos.bandwidth_limit,
        vvol_id=vvol_id,
        labels=labels_of_mapping(LabelKind.TAG, tags),
    )


def volume_group(item: wire.VolumeGroupItem) -> VolumeGroup:
    qos = item.qos or wire.Qos()
    return VolumeGroup(item.id, item.name, qos.iops_limit, qos.bandwidth_limit)


def tags_by_volume(items: Iterable[wire.TagItem]) -> dict[str, dict[str, str]]:
    """volume id → tag key → value."""
    found: dict[str, dict[str, str]] = {}
    for item in items:
        if item.resource and item.resource.id and item.value is not None:
            found.setdefault(item.resource.id, {})[item.key] = item.value
    return found


def pod(item: wire.PodItem) -> Pod:
    keys = tuple(array.id for array in item.arrays or () if array.id)
    return Pod(key=item.id, name=item.name, array_keys=keys, array_count=item.array_count or len(keys))


def array_host(item: wire.HostItem) -> ArrayHost:
    # A host of the pod's other array is named "flasharray-2:esx-01".
    owner, colon, _ = item.name.partition(":") if item.is_local is False else ("", "", "")
    return ArrayHost(
        key=item.name,
        name=item.name,
        personality=item.personality,
        is_local=item.is_local is not False,
        wwns=tuple(wwn.replace(":", "").upper() for wwn in item.wwns or ()),
        iqns=tuple(item.iqns or ()),
        nqns=tuple(item.nqns or ()),
        preferred_arrays=tuple(array.id for array in item.preferred_arrays or () if array.id),
        port_health=port_health(item.port_connectivity),
        managed_by=owner if colon and owner else None,
    )


def port_health(connectivity: wire.PortConnectivity | None) -> PortHealth | None:
    """Of "unknown: Unknown." the detail says the same twice; None where the array says nothing."""
    words = [word for word in (connectivity.status, connectivity.details) if word] if connectivity else []
    if not words:
        return None
    state, detail = words[0], words[1] if len(words) > 1 else ""
    return PortHealth(state, detail if detail.rstrip(".").lower() not in ("", state.lower()) else None)


def connection(item: wire.ConnectionItem) -> Connection | None:
    """None for a row that names no volume."""
    if item.volume is None or not item.volume.id:
        return None
    return Connection(
        host_key=item.host.name if item.host else None,
        host_group=item.host_group.name if item.host_group else None,
        volume_key=item.volume.id,
        lun=item.lun,
        nsid=item.nsid,
    )


def line_rates(items: Iterable[wire.InterfaceItem]) -> dict[str, int]:
    """By interface, in lower case: bytes per second one way. A Fibre Channel link is called by what it carries in 8b/10b: 32 Gbit/s are
    3,200 MB/s, and its encoding is left out of that; Ethernet carries what its speed says."""
    return {item.name.lower(): item.speed // (10 if item.interface_type == "fc" else 8) for item in items if item.speed}


def port(item: wire.PortItem, rates: Mapping[str, int]) -> ArrayPort:
    return ArrayPort(
        key=item.name,
        wwn=item.wwn.replace(":", "").upper() if item.wwn else None,
        iqn=item.iqn,
        nqn=item.nqn,
        portal=item.portal,
        line_rate_bytes_per_s=rates.get(item.name.lower()),
    )


def directory(item: wire.DirectoryItem) -> ArrayDirectory:
    return ArrayDirectory(key=item.id, name=item.name, path=item.path)


def export(item: wire.ExportItem) -> DirectoryExport | None:
    if not item.export_name:
        return None
    directory = item.directory.name if item.directory else None
    return DirectoryExport(
        key=f"{directory or ''}/{item.export_name}",
        export_name=item.export_name,
        path=item.path,
        directory=directory,
        enabled=item.enabled is not False,
    )


def file_addresses(items: Iterable[wire.InterfaceItem]) -> tuple[str, ...]:
    """Addresses of interfaces that serve files; NFS clients mount from these."""
    addresses = {
        item.eth.address for item in items if item.eth and item.eth.address and "file" in (item.services or ())
    }
    return tuple(sorted(address for address in addresses if _is_address(address)))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
