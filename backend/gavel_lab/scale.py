"""How big the estate is. The default is the small one every story fits in; bigger ones keep it and add around it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Counts of what is *added* to the default estate (2 arrays, 2 vCenters, 6 hosts, 14 datastores, 48 VMs).

    Added clusters are alike: `hosts_per_cluster` hosts that all see `datastores_per_cluster` datastores of one extent,
    dealt round over the arrays; `vms` are dealt round over the hosts; `bare_volumes` belong to machines that are no
    ESXi hosts, one load each.
    """

    arrays: int = 0
    vcenters: int = 0
    clusters: int = 0
    hosts_per_cluster: int = 0
    datastores_per_cluster: int = 0
    vms: int = 0
    disks_per_vm: int = 3
    bare_volumes: int = 4

    @classmethod
    def parse(cls, text: str) -> "Scale":
        """`default`, `large`, or `name=count,...` over `default`. Raises ValueError that names the known words."""
        raise NotImplementedError


DEFAULT = Scale()
LARGE = Scale(
    arrays=2,
    vcenters=1,
    clusters=10,
    hosts_per_cluster=10,
    datastores_per_cluster=40,
    vms=2000,
    disks_per_vm=3,
    bare_volumes=1600,
)
