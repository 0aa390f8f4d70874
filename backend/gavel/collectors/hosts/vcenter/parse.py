"""What a vCenter's inventory properties mean in Gavel's words. Pure: from pyVmomi's data objects to the domain's."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pyVmomi import vim

from gavel.domain.inventory import (
    Cluster,
    Datastore,
    DatastoreType,
    EsxiHost,
    Hba,
    HostDevice,
    Protocol,
)
from gavel.domain.labels import Label, LabelKind, plain_labels

Properties = Mapping[str, Any]

HOST_PROPERTIES: Final = (
    "name",
    "parent",
    "runtime.connectionState",
    "runtime.inMaintenanceMode",
    "summary.hardware.uuid",
    "summary.config.product",
    "config.storageDevice.hostBusAdapter",
    "config.storageDevice.scsiLun",
    "config.storageDevice.multipathInfo",
    "config.service",
    "configManager.advancedOption",
    "customValue",
)
CLUSTER_PROPERTIES: Final = ("name", "customValue")
DATASTORE_PROPERTIES: Final = (
    "name",
    "info",
    "summary.capacity",
    "summary.type",
    "host",
    "iormConfiguration",
    "customValue",
)
_NTP_SERVICE: Final = "ntpd"


def wwn(signed: int) -> str:
    """16 hex digits of a world wide name, which the API carries as a signed 64-bit number."""
    return f"{signed & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def moid(reference: Any) -> str:
    """Id of a managed object, such as "host-12": unique within a vCenter."""
    return str(reference._moId)  # noqa: SLF001 - pyVmomi has no other name for it


def custom_attributes(properties: Properties, field_names: Mapping[int, str]) -> tuple[Label, ...]:
    """Those that have a value. `field_names`: the vCenter's custom attributes, key → name."""
    values = (
        (field_names[value.key], str(getattr(value, "value", None) or ""))
        for value in properties.get("customValue", ())
        if value.key in field_names
    )
    return plain_labels(LabelKind.ATTRIBUTE, values)


def ntp_running(services: Any) -> bool | None:
    """Whether the host's NTP service runs (vim.host.ServiceInfo); None where it lists none."""
    return next((bool(one.running) for one in services.service if one.key == _NTP_SERVICE), None)


def cluster(key: str, properties: Properties, field_names: Mapping[int, str]) -> Cluster:
    return Cluster(key, properties.get("name", key), custom_attributes(properties, field_names))


def host(key: str, properties: Properties, field_names: Mapping[int, str]) -> EsxiHost:
    """A disconnected host reports little; what it does not report is None."""
    parent, product = properties.get("parent"), properties.get("summary.config.product")
    return EsxiHost(
        key=key,
        name=properties.get("name", key),
        hardware_uuid=properties.get("summary.hardware.uuid"),
        cluster_key=moid(parent) if isinstance(parent, vim.ClusterComputeResource) else None,
        version=product.version if product else None,
        build=product.build if product else None,
        connection_state=str(properties.get("runtime.connectionState", "unknown")),
        in_maintenance=bool(properties.get("runtime.inMaintenanceMode", False)),
        ntp_running=properties.get("config.service"),
        labels=custom_attributes(properties, field_names),
    )


def hbas(host_key: str, properties: Properties) -> Iterator[Hba]:
    for adapter in properties.get("config.storageDevice.hostBusAdapter", ()):
        yield Hba(
            key=f"{host_key}/{adapter.device}",
            host_key=host_key,
            device=adapter.device,
            driver=adapter.driver or None,
            model=adapter.model.strip() or None,
            protocol=_protocol(adapter),
            address=_address(adapter),
            queue_depth=None,
        )


def _protocol(adapter: Any) -> Protocol:
    kinds = vim.host
    is_nvme = getattr(adapter, "storageProtocol", None) == "nvme"
    match adapter:
        case kinds.FibreChannelHba():
            return Protocol.NVME_FC if is_nvme else Protocol.FC
        case kinds.InternetScsiHba():
            return Protocol.ISCSI
        case kinds.TcpHba():
            return Protocol.NVME_TCP
        case kinds.RdmaHba():
            return Protocol.NVME_RDMA
        case kinds.BlockHba() | kinds.ParallelScsiHba() | kinds.SerialAttachedHba() | kinds.PcieHba():
            return Protocol.LOCAL
    return Protocol.UNKNOWN


def _address(adapter: Any) -> str | None:
    if isinstance(adapter, vim.host.FibreChannelHba):
        return wwn(adapter.portWorldWideName)
    return adapter.iScsiName or None if isinstance(adapter, vim.host.InternetScsiHba) else None


def devices(host_key: str, properties: Properties) -> Iterator[HostDevice]:
    policies = {unit.lun: unit.policy.policy for unit in units(properties) if unit.policy}
    for lun in luns(properties):
        yield HostDevice(
            key=f"{host_key}/{lun.canonicalName}",
            host_key=host_key,
            canonical_name=lun.canonicalName,
            vendor=_stripped(lun.vendor),
            model=_stripped(lun.model),
            queue_depth=lun.queueDepth or None,
            dsnro=None,
            path_policy=policies.get(lun.key),
            is_protocol_endpoint=bool(lun.protocolEndpoint),
            is_flash=getattr(lun, "ssd", None),
        )


def luns(properties: Properties) -> Iterator[Any]:
    """Devices that hold blocks, and protocol endpoints; not tapes, enclosures and CD-ROMs."""
    for lun in properties.get("config.storageDevice.scsiLun", ()):
        if lun.canonicalName and (lun.lunType == "disk" or lun.protocolEndpoint):
            yield lun


def lun_uuids(properties: Properties) -> Iterator[tuple[str, str]]:
    """Uuid of each device of a host → its canonical name."""
    return ((lun.uuid, lun.canonicalName) for lun in luns(properties))


def units(properties: Properties) -> Iterable[Any]:
    """Paths of a host by the device that they lead to (vim.host.MultipathInfo.LogicalUnit)."""
    info = properties.get("config.storageDevice.multipathInfo")
    return info.lun if info else ()


def datastore(key: str, properties: Properties, field_names: Mapping[int, str]) -> Datastore:
    info, iorm = properties.get("info"), properties.get("iormConfiguration")
    return Datastore(
        key=key,
        name=properties.get("name", key),
        type=_datastore_type(info, properties.get("summary.type", "")),
        uuid=_datastore_uuid(info),
        capacity_bytes=properties.get("summary.capacity"),
        extents=tuple(extent.diskName for extent in info.vmfs.extent)
        if isinstance(info, vim.host.VmfsDatastoreInfo) and info.vmfs
        else (),
        host_keys=tuple(moid(mount.key) for mount in properties.get("host", ())),
        sioc_enabled=None if iorm is None else bool(iorm.enabled),
        sioc_threshold_ms=None if iorm is None else iorm.congestionThreshold,
        labels=custom_attributes(properties, field_names),
        **_remote(info),
    )


def _datastore_type(info: Any, declared: str) -> DatastoreType:
    match info:
        case vim.host.VmfsDatastoreInfo():
            return DatastoreType.VMFS
        case vim.host.NasDatastoreInfo():
            return DatastoreType.NFS
        case vim.host.VvolDatastoreInfo():
            return DatastoreType.VVOL
    return DatastoreType.VSAN if declared == "vsan" else DatastoreType.OTHER


def _datastore_uuid(info: Any) -> str | None:
    """What the counters call the datastore: the VMFS id, else the last part of its URL (ds:///vmfs/volumes/<id>/)."""
    if isinstance(info, vim.host.VmfsDatastoreInfo) and info.vmfs:
        return str(info.vmfs.uuid)
    return info.url.rstrip("/").rpartition("/")[2] or None if info and info.url else None


def _remote(info: Any) -> dict[str, Any]:
    if isinstance(info, vim.host.NasDatastoreInfo) and info.nas:
        return {"nfs_host": info.nas.remoteHost, "nfs_path": info.nas.remotePath}
    if isinstance(info, vim.host.VvolDatastoreInfo) and info.vvolDS:
        arrays = tuple(array.uuid for array in info.vvolDS.storageArray)
        return {"vvol_container_id": info.vvolDS.scId, "vvol_array_ids": arrays}
    return {}


def _stripped(text: str | None) -> str | None:
    return (text or "").strip() or None
