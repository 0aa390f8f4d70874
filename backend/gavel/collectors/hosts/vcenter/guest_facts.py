"""What people look for a VM by: its addresses and DNS name as VMware Tools report them, its folder, its resource pool. Pure.

A guest writes its own name and addresses: what is no address is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter.parse import Properties, moid
from gavel.domain.inventory import ToolsState

GUEST_PROPERTIES: Final = (
    "config.uuid",
    "guest.hostName",
    "guest.ipAddress",
    "guest.net",
    "guest.toolsRunningStatus",
    "guest.toolsVersionStatus2",
    "parent",
    "resourcePool",
)
CONTAINER_PROPERTIES: Final = ("name", "parent")
CONTAINERS: Final[tuple[type, ...]] = (vim.Folder, vim.Datacenter, vim.ResourcePool)

_MOST_ADDRESSES = 64
# Folders and pools can be nested without a limit that is documented; a server that nests them in a ring has no end.
_DEEPEST = 64
_RUNNING = frozenset({"guestToolsRunning", "guestToolsExecutingScripts"})


@dataclass(frozen=True, slots=True)
class Container:
    """A folder, a datacenter or a resource pool: its name, and the id of what it lies in."""

    kind: type
    name: str
    parent: str | None


def containers(objects: Mapping[str, tuple[type, Properties]]) -> dict[str, Container]:
    """By id, of all objects that are a folder, a datacenter or a resource pool."""
    return {
        key: Container(kind, str(properties.get("name", key)), _moid_of(properties.get("parent")))
        for key, (kind, properties) in objects.items()
        if issubclass(kind, CONTAINERS)
    }


def network_addresses(interfaces: Iterable[Any]) -> tuple[str, ...]:
    """What is worth remembering of `guest.net`: the addresses; the rest of it is much larger."""
    return tuple(address for interface in interfaces for address in interface.ipAddress or ())


def ip_addresses(properties: Properties) -> tuple[str, ...]:
    """The primary one first, each once, as `ipaddress` writes them."""
    given = (properties.get("guest.ipAddress") or "", *properties.get("guest.net", ()))
    return tuple(dict.fromkeys(filter(None, map(_address, given))))[:_MOST_ADDRESSES]


def dns_name(properties: Properties) -> str | None:
    return (properties.get("guest.hostName") or "").strip() or None


def tools_state(properties: Properties) -> ToolsState | None:
    """None where the vCenter does not say."""
    status = properties.get("guest.toolsRunningStatus")
    if properties.get("guest.toolsVersionStatus2") == "guestToolsNotInstalled":
        return ToolsState.NOT_INSTALLED
    if status is None:
        return None
    return ToolsState.RUNNING if status in _RUNNING else ToolsState.NOT_RUNNING


def folder_path(parent: Any, containers: Mapping[str, Container]) -> str | None:
    """ "dc-east/Finance/ERP", and "dc-east" in the datacenter's own folder. None where it may not be read, and in a vApp."""
    names: list[str] = []
    key = _moid_of(parent)
    for container in _upwards(key, containers):
        above = containers.get(container.parent or "")
        is_hidden = issubclass(container.kind, vim.Folder) and (above is None or issubclass(above.kind, vim.Datacenter))
        if not is_hidden:
            names.append(container.name)
    return "/".join(reversed(names)) or None


def pool_path(pool: Any, containers: Mapping[str, Container]) -> str | None:
    """ "Production/Databases", from below the cluster's own pool; that one itself is "Resources"."""
    names = [container.name for container in _upwards(_moid_of(pool), containers)]
    below_root = names[:-1] or names
    return "/".join(reversed(below_root)) or None


def _upwards(key: str | None, containers: Mapping[str, Container]) -> Iterator[Container]:
    for _ in range(_DEEPEST):
        container = containers.get(key or "")
        if container is None:
            return
        yield container
        key = container.parent


def _moid_of(reference: Any) -> str | None:
    return moid(reference) if reference else None


def _address(text: str) -> str | None:
    try:
        return str(ip_address(text.strip().partition("%")[0]))
    except ValueError:
        return None
