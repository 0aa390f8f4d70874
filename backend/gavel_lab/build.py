"""The environment of a seed and a scale."""

from gavel_lab.building.arrays import add_arrays
from gavel_lab.building.draft import Draft
from gavel_lab.building.hosts import add_clusters, add_vcenters
from gavel_lab.building.storage import add_datastores
from gavel_lab.building.vms import add_bare_loads, add_vms
from gavel_lab.environment import Environment
from gavel_lab.plan import CLUSTERS, DATASTORES, ClusterPlan, DatastorePlan, Driver, HostPlan, VmPlan
from gavel_lab.scale import DEFAULT, Scale
from gavel_lab.settings import Settings

_DRIVERS: tuple[Driver, ...] = ("nfnic", "lpfc", "qlnativefc")
_DISKS = ("pvscsi:boot", "pvscsi:web", "pvscsi:log", "pvscsi:mail")


def build_environment(seed: int = 1, scale: Scale = DEFAULT, settings: Settings | None = None) -> Environment:
    """Everything that exists in the lab. Equal arguments give equal environments."""
    clusters, datastores = _grown(scale)
    draft = Draft(seed, scale, settings or Settings(), clusters, datastores)
    add_arrays(draft)
    add_vcenters(draft)
    add_clusters(draft)
    add_datastores(draft)
    add_vms(draft)
    add_bare_loads(draft)
    return draft.freeze()


def _grown(scale: Scale) -> tuple[tuple[ClusterPlan, ...], tuple[DatastorePlan, ...]]:
    """The default plan, then what the scale adds."""
    arrays, vcenters = 2 + scale.arrays, 2 + scale.vcenters
    clusters, datastores = list(CLUSTERS), list(DATASTORES)
    for number in range(scale.clusters):
        place = len(clusters)
        clusters.append(_cluster(number, number % vcenters, scale))
        datastores += [
            DatastorePlan(f"grown-{number:03}-{each:03}", place, (number + each) % arrays, _vms(number, each, scale))
            for each in range(scale.datastores_per_cluster)
        ]
    return tuple(clusters), tuple(datastores)


def _cluster(number: int, vcenter: int, scale: Scale) -> ClusterPlan:
    driver = _DRIVERS[number % len(_DRIVERS)]
    names = (f"esx-{number:03}-{each:03}.lab.example" for each in range(scale.hosts_per_cluster))
    return ClusterPlan(f"grown-{number:03}", vcenter, tuple(HostPlan(name, (driver,)) for name in names))


def _vms(cluster: int, datastore: int, scale: Scale) -> tuple[VmPlan, ...]:
    """The VMs dealt to one datastore: every so-manieth of all added ones."""
    places = scale.clusters * scale.datastores_per_cluster
    own = cluster * scale.datastores_per_cluster + datastore
    disks = tuple(_DISKS[disk % len(_DISKS)] for disk in range(scale.disks_per_vm))
    return tuple(
        VmPlan(f"vm-{number:05}", (number // places + datastore) % scale.hosts_per_cluster, disks)
        for number in range(own, scale.vms, places)
    )
