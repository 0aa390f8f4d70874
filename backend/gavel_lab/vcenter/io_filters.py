"""I/O filters of clusters (VAIO): installed on all hosts of the cluster that has a disk with one."""

from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Cluster
from gavel_lab.vcenter.site import Site


def of_cluster(site: Site, cluster: Cluster) -> list[Any]:
    """As IoFilterManager lists them."""
    environment = site.environment
    installed = {
        disk.io_filter
        for disk in environment.disks
        if disk.io_filter is not None and environment.vms[disk.vm].cluster == cluster.index
    }
    return [
        vim.IoFilterManager.ClusterIoFilterInfo(
            id=one,
            name="examplereplay",
            vendor="Example Corp.",
            version="2.1.0",
            type="replication",
            summary="Continuous replication of virtual disks",
            releaseDate="2025-03-11",
            opType="install",
        )
        for one in sorted(installed)
    ]
