"""Properties of datastores."""

from collections.abc import Callable, Mapping
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Datastore
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.volumes import info, mount, volume_type


def _summary(site: Site, datastore: Datastore) -> Any:
    return vim.Datastore.Summary(
        datastore=site.reference(datastore.moref),
        name=datastore.name,
        url=datastore.url,
        capacity=datastore.capacity_bytes,
        freeSpace=datastore.free_bytes,
        uncommitted=0,
        accessible=True,
        multipleHostAccess=len(datastore.hosts) > 1,
        type=volume_type(datastore),
        maintenanceMode="normal",
    )


def _capability(_site: Site, datastore: Datastore) -> Any:
    return vim.Datastore.Capability(
        directoryHierarchySupported=True,
        rawDiskMappingsSupported=datastore.kind == "vmfs",
        perFileThinProvisioningSupported=True,
        storageIORMSupported=datastore.kind != "vvol",
        nativeSnapshotSupported=datastore.kind == "vvol",
    )


def _iorm(site: Site, datastore: Datastore) -> Any:
    """Storage I/O Control: off as on a new vCenter, until somebody switches it on. vVol datastores have none."""
    if datastore.kind == "vvol":
        return None
    sioc = site.lab.administration.sioc(datastore.index)
    return vim.StorageResourceManager.IORMConfigInfo(
        enabled=sioc.is_on,
        congestionThresholdMode="manual" if sioc.is_on else "automatic",
        congestionThreshold=sioc.threshold_ms,
        percentOfPeakThroughput=90,
        statsCollectionEnabled=False,
        reservationEnabled=False,
        statsAggregationDisabled=False,
    )


def _hosts(site: Site, datastore: Datastore) -> list[Any]:
    return [
        vim.Datastore.HostMount(key=site.reference(site.environment.hosts[index].moref), mountInfo=mount(datastore))
        for index in datastore.hosts
    ]


def _vms(site: Site, datastore: Datastore) -> list[Any]:
    environment = site.environment
    return [
        site.reference(vm.moref)
        for vm in site.tree.vms
        if vm.datastore == datastore.index
        or any(environment.disks[disk].datastore == datastore.index for disk in vm.disks)
    ]


PROPERTIES: Mapping[str, Callable[[Site, Datastore], Any]] = {
    "name": lambda _site, datastore: datastore.name,
    "parent": lambda site, datastore: site.reference(
        site.environment.datacenters[datastore.datacenter].datastore_folder_moref
    ),
    "info": info,
    "summary": _summary,
    "capability": _capability,
    "iormConfiguration": _iorm,
    "host": _hosts,
    "vm": _vms,
}
