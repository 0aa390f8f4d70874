"""Properties of folders, datacenters, clusters, resource pools and networks."""

from collections.abc import Callable, Mapping
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Cluster, Datacenter
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.tree import Folder, Network, ResourcePool


def _references(site: Site, morefs: list[str] | tuple[str, ...]) -> list[Any]:
    return [site.reference(moref) for moref in morefs]


FOLDER: Mapping[str, Callable[[Site, Folder], Any]] = {
    "name": lambda _site, folder: folder.name,
    "parent": lambda site, folder: site.reference(folder.parent) if folder.parent else None,
    "childType": lambda _site, folder: list(folder.child_types),
    "childEntity": lambda site, folder: _references(site, folder.children),
}


def _of_datacenter(datacenter: Datacenter, records: tuple[Any, ...]) -> list[str]:
    return [one.moref for one in records if one.datacenter == datacenter.index]


DATACENTER: Mapping[str, Callable[[Site, Datacenter], Any]] = {
    "name": lambda _site, datacenter: datacenter.name,
    "parent": lambda site, _datacenter: site.reference("group-d1"),
    "vmFolder": lambda site, datacenter: site.reference(datacenter.vm_folder_moref),
    "hostFolder": lambda site, datacenter: site.reference(datacenter.host_folder_moref),
    "datastoreFolder": lambda site, datacenter: site.reference(datacenter.datastore_folder_moref),
    "networkFolder": lambda site, datacenter: site.reference(datacenter.network_folder_moref),
    "datastore": lambda site, datacenter: _references(site, _of_datacenter(datacenter, site.tree.datastores)),
    "network": lambda site, datacenter: [site.reference(site.tree.networks[datacenter.index].moref)],
    "configuration": lambda _site, _datacenter: vim.Datacenter.ConfigInfo(),
}


def _cluster_hosts(site: Site, cluster: Cluster) -> list[Any]:
    return _references(site, [site.environment.hosts[index].moref for index in cluster.hosts])


def _cluster_datastores(site: Site, cluster: Cluster) -> list[Any]:
    return _references(site, [one.moref for one in site.tree.datastores if one.cluster == cluster.index])


def _cluster_summary(site: Site, cluster: Cluster) -> Any:
    hosts = [site.environment.hosts[index] for index in cluster.hosts]
    cores = sum(host.cpu_cores for host in hosts)
    memory = sum(host.memory_bytes for host in hosts)
    return vim.ClusterComputeResource.Summary(
        totalCpu=cores * 2900,
        totalMemory=memory,
        numCpuCores=cores,
        numCpuThreads=cores * 2,
        effectiveCpu=cores * 2900,
        effectiveMemory=memory // (1 << 20),
        numHosts=len(hosts),
        numEffectiveHosts=len(hosts),
        overallStatus="green",
        currentFailoverLevel=1,
        numVmotions=0,
    )


def _cluster_configuration(_site: Site, _cluster: Cluster) -> Any:
    return vim.cluster.ConfigInfoEx(
        vmSwapPlacement="vmDirectory",
        dasConfig=vim.cluster.DasConfigInfo(enabled=True, admissionControlEnabled=True, failoverLevel=1),
        drsConfig=vim.cluster.DrsConfigInfo(enabled=True, defaultVmBehavior="fullyAutomated", vmotionRate=3),
    )


CLUSTER: Mapping[str, Callable[[Site, Cluster], Any]] = {
    "name": lambda _site, cluster: cluster.name,
    "parent": lambda site, cluster: site.reference(site.environment.datacenters[cluster.datacenter].host_folder_moref),
    "host": _cluster_hosts,
    "datastore": _cluster_datastores,
    "network": lambda site, cluster: [site.reference(site.tree.networks[cluster.datacenter].moref)],
    "resourcePool": lambda site, cluster: site.reference(cluster.resource_pool_moref),
    "summary": _cluster_summary,
    "configurationEx": _cluster_configuration,
    "configuration": lambda _site, _cluster: vim.cluster.ConfigInfo(
        dasConfig=vim.cluster.DasConfigInfo(enabled=True), drsConfig=vim.cluster.DrsConfigInfo(enabled=True)
    ),
}


def _pool_vms(site: Site, pool: ResourcePool) -> list[Any]:
    return _references(site, [vm.moref for vm in site.tree.vms if vm.cluster == pool.cluster.index])


RESOURCE_POOL: Mapping[str, Callable[[Site, ResourcePool], Any]] = {
    "name": lambda _site, _pool: "Resources",
    "parent": lambda site, pool: site.reference(pool.cluster.moref),
    "owner": lambda site, pool: site.reference(pool.cluster.moref),
    "resourcePool": lambda _site, _pool: [],
    "vm": _pool_vms,
}
NETWORK: Mapping[str, Callable[[Site, Network], Any]] = {
    "name": lambda _site, _network: "VM Network",
    "parent": lambda site, network: site.reference(network.datacenter.network_folder_moref),
    "summary": lambda site, network: vim.Network.Summary(
        network=site.reference(network.moref), name="VM Network", accessible=True, ipPoolName=""
    ),
    "host": lambda site, network: _references(
        site,
        [
            host.moref
            for host in site.tree.hosts
            if site.environment.clusters[host.cluster].datacenter == network.datacenter.index
        ],
    ),
    "vm": lambda site, network: _references(
        site,
        [
            vm.moref
            for vm in site.tree.vms
            if site.environment.clusters[vm.cluster].datacenter == network.datacenter.index
        ],
    ),
}
