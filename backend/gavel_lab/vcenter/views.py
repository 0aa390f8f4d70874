"""Views: named sets of inventory objects that live in a session."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gavel_lab.environment import Cluster, Datacenter, EsxiHost
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.tree import Folder, Node, ResourcePool


@dataclass(frozen=True)
class ContainerView:
    """Everything of some types in a container. `types` empty: everything."""

    container: Node
    types: tuple[Any, ...]
    recursive: bool

    def members(self, site: Site) -> list[Node]:
        found = _descendants(site, self.container) if self.recursive else _children(site, self.container)
        unique = {node.moref: node for node in found}
        return [node for node in unique.values() if not self.types or issubclass(node.type, self.types)]


@dataclass(frozen=True)
class ListView:
    """Exactly the objects it was given."""

    nodes: tuple[Node, ...]

    def members(self, _site: Site) -> list[Node]:
        return list(self.nodes)


View = ContainerView | ListView


def _children(site: Site, node: Node) -> list[Node]:
    nodes = site.tree.nodes
    return [nodes[moref] for moref in _child_ids(site, node)]


def _child_ids(site: Site, node: Node) -> Sequence[str]:
    record = node.record
    if isinstance(record, Folder):
        return record.children
    if isinstance(record, Datacenter):
        return (
            record.vm_folder_moref,
            record.host_folder_moref,
            record.datastore_folder_moref,
            record.network_folder_moref,
        )
    if isinstance(record, Cluster):
        return [*(site.environment.hosts[index].moref for index in record.hosts), record.resource_pool_moref]
    if isinstance(record, ResourcePool):
        return [vm.moref for vm in site.tree.vms if vm.cluster == record.cluster.index]
    if isinstance(record, EsxiHost):
        return [vm.moref for vm in site.vms_on(record)]
    return ()


def _descendants(site: Site, node: Node) -> Iterator[Node]:
    for child in _children(site, node):
        yield child
        yield from _descendants(site, child)
