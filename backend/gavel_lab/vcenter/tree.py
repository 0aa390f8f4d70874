"""Which managed objects a vCenter has and how they contain one another: the skeleton every other module hangs values on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyVmomi import VmomiSupport, vim

from gavel_lab.environment import Cluster, Datacenter, Environment, VCenter, Vm
from gavel_lab.vcenter.applications import application

ROOT_FOLDER = "group-d1"


@dataclass(frozen=True, slots=True)
class Folder:
    """One of the folders every datacenter has, the root, or one of VMs of an application."""

    moref: str
    name: str
    parent: str | None  # moref
    child_types: tuple[str, ...]
    children: tuple[str, ...]  # morefs


@dataclass(frozen=True, slots=True)
class ResourcePool:
    """The root resource pool of a cluster."""

    moref: str
    cluster: Cluster


@dataclass(frozen=True, slots=True)
class Network:
    """The VM network of a datacenter: clients that build inventory paths expect one."""

    moref: str
    datacenter: Datacenter


@dataclass(frozen=True, slots=True)
class Node:
    """A managed object of the inventory: its API type, its id, and the record its values come from."""

    type: Any
    moref: str
    record: Any


class Tree:
    """All inventory objects of one vCenter by moref. Immutable: what moves (VMs) is asked elsewhere."""

    def __init__(self, environment: Environment, vcenter: VCenter) -> None:
        self.datacenters = tuple(one for one in environment.datacenters if one.vcenter == vcenter.index)
        self.hosts = tuple(one for one in environment.hosts if one.vcenter == vcenter.index)
        self.clusters = tuple(one for one in environment.clusters if one.vcenter == vcenter.index)
        self.datastores = tuple(one for one in environment.datastores if one.vcenter == vcenter.index)
        self.vms = tuple(one for one in environment.vms if one.vcenter == vcenter.index)
        self.networks = {one.index: Network(f"network-{one.moref}", one) for one in self.datacenters}
        self.vm_folder_of: dict[int, str] = {}  # VM's index → moref
        self.nodes: dict[str, Node] = {}
        for node in self._build(environment):
            self.nodes[node.moref] = node

    def _build(self, environment: Environment) -> Iterator[Node]:
        datacenters = tuple(one.moref for one in self.datacenters)
        yield Node(
            vim.Folder, ROOT_FOLDER, Folder(ROOT_FOLDER, "Datacenters", None, ("Folder", "Datacenter"), datacenters)
        )
        for datacenter in self.datacenters:
            yield Node(vim.Datacenter, datacenter.moref, datacenter)
            yield from self._folders(environment, datacenter)
            network = self.networks[datacenter.index]
            yield Node(vim.Network, network.moref, network)
        for cluster in self.clusters:
            yield Node(vim.ClusterComputeResource, cluster.moref, cluster)
            yield Node(
                vim.ResourcePool, cluster.resource_pool_moref, ResourcePool(cluster.resource_pool_moref, cluster)
            )
        yield from (Node(vim.HostSystem, host.moref, host) for host in self.hosts)
        yield from (Node(vim.Datastore, datastore.moref, datastore) for datastore in self.datastores)
        yield from (Node(vim.VirtualMachine, vm.moref, vm) for vm in self.vms)

    def _folders(self, environment: Environment, datacenter: Datacenter) -> Iterator[Node]:
        here = datacenter.index
        clusters = [one.moref for one in self.clusters if one.datacenter == here]
        applications = list(self._application_folders(environment, datacenter))
        vms = [node.moref for node in applications]
        datastores = [one.moref for one in self.datastores if one.datacenter == here]
        for moref, name, child_type, children in (
            (datacenter.vm_folder_moref, "vm", "VirtualMachine", vms),
            (datacenter.host_folder_moref, "host", "ComputeResource", clusters),
            (datacenter.datastore_folder_moref, "datastore", "Datastore", datastores),
            (datacenter.network_folder_moref, "network", "Network", [self.networks[here].moref]),
        ):
            folder = Folder(moref, name, datacenter.moref, ("Folder", child_type), tuple(children))
            yield Node(vim.Folder, moref, folder)
        yield from applications

    def _application_folders(self, environment: Environment, datacenter: Datacenter) -> Iterator[Node]:
        """Below the datacenter's folder of VMs, one for each application; their VMs know where they lie."""
        by_application: dict[str, list[Vm]] = {}
        for machine in self.vms:
            if environment.clusters[machine.cluster].datacenter == datacenter.index:
                by_application.setdefault(application(machine), []).append(machine)
        for number, (name, members) in enumerate(sorted(by_application.items()), start=1):
            moref = f"{datacenter.vm_folder_moref}-{number}"
            self.vm_folder_of.update((one.index, moref) for one in members)
            children = tuple(one.moref for one in members)
            folder = Folder(moref, name, datacenter.vm_folder_moref, ("Folder", "VirtualMachine"), children)
            yield Node(vim.Folder, moref, folder)


def moref_of(reference: Any) -> str:
    """The id of the object that a reference means."""
    moref: str = reference._GetMoId()  # noqa: SLF001 - pyVmomi's only way to read an id
    return moref


def reference(node: Node) -> Any:
    """The managed object reference clients get for a node."""
    return node.type(node.moref)


def type_name(node: Node) -> str:
    """Its API type name: `HostSystem`."""
    return str(VmomiSupport.GetWsdlName(node.type))
