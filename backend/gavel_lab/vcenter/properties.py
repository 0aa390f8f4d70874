"""Property values by path: which provider knows them, whether a path exists at all, and their cached XML."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import Any

from pyVmomi import VmomiSupport, vim, vmodl

from gavel_lab.environment import Datastore, EsxiHost, Vm
from gavel_lab.vcenter import containers, datastores, hosts, machines
from gavel_lab.vcenter.custom_fields import custom_values
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import FaultError, markup
from gavel_lab.vcenter.tree import Node

Provider = Callable[[Any, Any], Any]

CACHE_BYTES = 128 * 1024 * 1024
STORAGE_STATE_AGE_S = 5.0

_PROVIDERS: Mapping[Any, Mapping[str, Provider]] = {
    vim.Folder: containers.FOLDER,
    vim.Datacenter: containers.DATACENTER,
    vim.ClusterComputeResource: containers.CLUSTER,
    vim.ResourcePool: containers.RESOURCE_POOL,
    vim.Network: containers.NETWORK,
    vim.HostSystem: hosts.PROPERTIES,
    vim.Datastore: datastores.PROPERTIES,
    vim.VirtualMachine: machines.PROPERTIES,
}


def _custom_values(site: Site, record: Any) -> list[Any]:
    return custom_values(site, record) if isinstance(record, Vm) else []


_ENTITY: Mapping[str, Provider] = {
    "overallStatus": lambda _site, _record: "green",
    "configStatus": lambda _site, _record: "green",
    "configIssue": lambda _site, _record: [],
    "customValue": _custom_values,
    "value": _custom_values,
    "availableField": lambda _site, _record: [],
    "effectiveRole": lambda _site, _record: [-2],
    "permission": lambda _site, _record: [],
    "disabledMethod": lambda _site, _record: [],
    "recentTask": lambda _site, _record: [],
    "declaredAlarmState": lambda _site, _record: [],
    "triggeredAlarmState": lambda _site, _record: [],
    "alarmActionsEnabled": lambda _site, _record: True,
    "tag": lambda _site, _record: [],
}


@lru_cache(maxsize=10_000)
def declared_type(owner: Any, path: str) -> Any:
    """The type the API declares for a property path of `owner`. Raises FaultError (InvalidProperty) when there is none."""
    kind = owner
    for name in path.split("."):
        try:
            kind = kind._GetPropertyInfo(name).type  # noqa: SLF001 - the catalogue offers no public way
        except AttributeError as error:
            raise FaultError(vmodl.query.InvalidProperty(name=path), f"The property '{path}' is not valid.") from error
    return kind


def typed(value: Any, declared: Any) -> Any:
    """`value` as an instance of its declared type, so that it goes over the wire under the right xsi:type."""
    if value is None or declared is object or isinstance(value, (VmomiSupport.DataObject, VmomiSupport.ManagedObject)):
        return value
    return value if isinstance(value, declared) else declared(value)


class Properties:
    """Reads properties of inventory objects of one site. Thread-safe; the XML cache is bounded."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = Lock()
        self._cache: dict[tuple[str, str, str], tuple[Any, bytes]] = {}
        self._cached_bytes = 0
        self._storage_states: dict[int, tuple[float, Any]] = {}

    def names(self, node: Node) -> list[str]:
        """Top-level properties there are values for."""
        return sorted({name for name in {**_ENTITY, **_PROVIDERS[node.type]} if "." not in name})

    def value(self, node: Node, path: str) -> Any:
        """The value at a path (None: unset), typed as declared. Raises FaultError (InvalidProperty) for an unknown path."""
        declared = declared_type(node.type, path)
        providers = _PROVIDERS[node.type]
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            head = ".".join(parts[:length])
            provider = providers.get(head) or _ENTITY.get(head)
            if provider is not None:
                return typed(descend(provider(self._site, node.record), parts[length:]), declared)
        return None

    def markup(self, node: Node, path: str, version: str) -> bytes:
        """The value as a `<val>` element; empty when unset."""
        key, state = (node.moref, path, version), self._state(node, path)
        with self._lock:
            cached = self._cache.get(key)
        if cached is not None and cached[0] == state:
            return cached[1]
        written = markup("val", self.value(node, path), object, version)
        self._keep(key, state, written)
        return written

    def _keep(self, key: tuple[str, str, str], state: Any, written: bytes) -> None:
        with self._lock:
            if self._cached_bytes > CACHE_BYTES:
                self._cache.clear()
                self._cached_bytes = 0
            self._cache[key] = (state, written)
            self._cached_bytes += len(written) + 200

    def _state(self, node: Node, path: str) -> Any:
        """What the value depends on that can change; equal states give equal values."""
        if isinstance(node.record, Vm):
            vm, site = node.record, self._site
            host = site.host_of(vm)
            return host.index, site.is_on(vm), site.name_of(vm), site.is_connected(host)
        if isinstance(node.record, Datastore):
            return self._site.lab.administration.sioc(node.record.index)
        if isinstance(node.record, EsxiHost):
            if path.startswith("config.") and path.split(".")[1] in ("option", "service"):
                return self._site.lab.administration.version
            if path.split(".", 1)[0] == "vm":
                return tuple(vm.index for vm in self._site.vms_on(node.record))
            if path.split(".", 1)[0] == "runtime":
                return self._site.is_connected(node.record)
            if path == "config" or path.startswith("config.storageDevice"):
                return self.storage_state(node.record), self._site.lab.administration.version
        return None

    def storage_state(self, host: EsxiHost) -> Any:
        """Depths and dead paths of a host's devices, looked at every few seconds (stories change them)."""
        known = self._storage_states.get(host.index)
        if known is not None and monotonic() - known[0] < STORAGE_STATE_AGE_S:
            return known[1]
        model, now, environment = self._site.lab.model, self._site.lab_now(), self._site.environment
        depths = tuple(model.max_queue_depth(device, now) for device in host.devices)
        dead = tuple(
            path
            for device in host.devices
            for path in environment.devices[device].paths
            if not model.is_path_usable(path, now)
        )
        self._storage_states[host.index] = (monotonic(), (depths, dead))
        return depths, dead


def descend(value: Any, names: list[str]) -> Any:
    for name in names:
        if value is None:
            return None
        value = getattr(value, name)
    return value
