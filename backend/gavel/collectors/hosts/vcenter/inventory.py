"""The inventory of one vCenter as a whole: kept current by watches, put together from what they hold."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter import guest_facts, parse, parse_vms
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.esxcli import HostQueueSettings
from gavel.collectors.hosts.vcenter.io_filters import IoFilterReader
from gavel.collectors.hosts.vcenter.paths import host_paths
from gavel.collectors.hosts.vcenter.probing import HostProbe
from gavel.collectors.hosts.vcenter.tagging import TagReader, TagsRead
from gavel.collectors.hosts.vcenter.tasks import TaskReader
from gavel.collectors.hosts.vcenter.watch import PropertyWatch
from gavel.collectors.hosts.vcenter.withheld import (
    Refusal,
    away,
    in_words,
    missing_on_root,
    unnamed_filters,
    unread,
    unread_tasks,
)
from gavel.domain.inventory import DatastoreType, HostInventory, VcenterInfo
from gavel.domain.labels import LabelKind

_HOSTS_PER_PAGE: Final = 5  # a host can have thousands of paths
_OTHERS_PER_PAGE: Final = 250

# Kinds of objects that tags are read of, by the name that the REST interface has for them.
_TAGGED: Final[Mapping[type, str]] = {
    vim.VirtualMachine: "VirtualMachine",
    vim.Datastore: "Datastore",
    vim.HostSystem: "HostSystem",
    vim.ClusterComputeResource: "ClusterComputeResource",
}

Objects = Mapping[str, tuple[type, parse.Properties]]


class InventoryReader:
    """Reads everything once and afterwards what changed.

    `read_esxcli`: whether to ask the hosts' esxcli as well. `tags`: None where they are not to be read.
    """

    def __init__(self, client: VcenterClient, tags: TagReader | None, *, read_esxcli: bool) -> None:
        self._client = client
        self._tags = tags
        self._hosts = PropertyWatch(
            client,
            {vim.HostSystem: parse.HOST_PROPERTIES},
            page=_HOSTS_PER_PAGE,
            essence={"config.service": parse.ntp_running},
        )
        self._others = PropertyWatch(
            client,
            {
                vim.ClusterComputeResource: parse.CLUSTER_PROPERTIES,
                vim.Datastore: parse.DATASTORE_PROPERTIES,
                vim.VirtualMachine: parse_vms.VM_PROPERTIES,
                **dict.fromkeys(guest_facts.CONTAINERS, guest_facts.CONTAINER_PROPERTIES),
            },
            page=_OTHERS_PER_PAGE,
            essence={
                "config.hardware.device": parse_vms.storage_devices,
                "guest.net": guest_facts.network_addresses,
            },
        )
        self._probe = HostProbe(client, read_esxcli=read_esxcli)
        self._tasks = TaskReader(client)
        self._filters = IoFilterReader(client)

    def read(self, now: datetime) -> HostInventory:
        """The inventory as it is; `now` decides which hosts are due to be asked for what no property holds."""
        hosts, others = self._hosts.update(), self._others.update()
        self._probe.update(hosts, now)
        found = host_inventory(
            self._client.about(), {**hosts, **others}, self._custom_fields(), self._probe.settings, self._probe.served
        )
        found = replace(
            found, hosts=tuple(replace(one, options=self._probe.options.get(one.key, {})) for one in found.hosts)
        )
        found = self._with_filters(found)
        tags = self._read_tags({**hosts, **others})
        names = {key: str(properties.get("name", key)) for key, (_, properties) in (*hosts.items(), *others.items())}
        tasks = self._tasks.read()
        return replace(
            with_tags(found, tags),
            tasks=tasks,
            tasks_are_read=not self._tasks.refused,
            withheld=(
                *in_words(missing_on_root(self._client), self._refusing_by_name(hosts)),
                *(sentence for watch in (self._hosts, self._others) for sentence in unread(watch.unreadable, names)),
                *away(found.hosts),
                *unread_tasks(self._tasks.refused),
                *unnamed_filters(self._filters.refused),
                *tags.withheld,
            ),
        )

    def _with_filters(self, inventory: HostInventory) -> HostInventory:
        """Disks with the names of their I/O filters in place of the ids."""
        wanted = {one for disk in inventory.disks for one in disk.io_filters}
        if not wanted:
            return inventory
        names = self._filters.read(wanted, [one.key for one in inventory.clusters])
        named = (
            replace(disk, io_filters=tuple(sorted(names.get(one, one) for one in disk.io_filters)))
            if disk.io_filters
            else disk
            for disk in inventory.disks
        )
        return replace(inventory, disks=tuple(named))

    def _read_tags(self, objects: Objects) -> TagsRead:
        if self._tags is None:
            return TagsRead({}, is_complete=True)
        tagged = ((key, _type_name(kind)) for key, (kind, _) in objects.items())
        return self._tags.read({key: name for key, name in tagged if name})

    def _refusing_by_name(self, hosts: Objects) -> Mapping[str, Refusal]:
        return {
            str(hosts[host][1].get("name", host)): reason
            for host, reason in self._probe.refusing.items()
            if host in hosts
        }

    def _custom_fields(self) -> dict[int, str]:
        def fields() -> dict[int, str]:
            manager = self._client.content.customFieldsManager
            return {field.key: field.name for field in manager.field} if manager else {}

        return self._client.ask(fields)


def _type_name(kind: type) -> str | None:
    return next((name for wanted, name in _TAGGED.items() if issubclass(kind, wanted)), None)


def with_tags(inventory: HostInventory, tags: TagsRead) -> HostInventory:
    """The inventory with the tags of its objects beside their attributes. Pure."""
    labels = tags.labels
    return replace(
        inventory,
        clusters=tuple(replace(one, labels=one.labels + labels.get(one.key, ())) for one in inventory.clusters),
        hosts=tuple(replace(one, labels=one.labels + labels.get(one.key, ())) for one in inventory.hosts),
        datastores=tuple(replace(one, labels=one.labels + labels.get(one.key, ())) for one in inventory.datastores),
        vms=tuple(replace(one, labels=one.labels + labels.get(one.key, ())) for one in inventory.vms),
        kept_labels=frozenset() if tags.is_complete else frozenset({LabelKind.TAG}),
    )


def host_inventory(
    vcenter: VcenterInfo,
    objects: Objects,
    field_names: Mapping[int, str],
    settings: Mapping[str, HostQueueSettings],
    served: Mapping[str, Collection[str]],
) -> HostInventory:
    """Puts the parts together. Pure. `settings`: what esxcli gave, `served`: instances of the counters, both by host key."""
    hosts = dict(_of(objects, vim.HostSystem))
    vms = {
        key: properties for key, properties in _of(objects, vim.VirtualMachine) if not parse_vms.is_template(properties)
    }
    containers = guest_facts.containers(objects)
    datastores = tuple(parse.datastore(key, properties, field_names) for key, properties in _of(objects, vim.Datastore))
    vvols = {store.key for store in datastores if store.type is DatastoreType.VVOL}
    luns = {uuid: name for properties in hosts.values() for uuid, name in parse.lun_uuids(properties)}
    told = {host: settings.get(host, HostQueueSettings()) for host in hosts}
    seen = {host: host_paths(host, props, told[host].uids, served.get(host)) for host, props in hosts.items()}
    return HostInventory(
        vcenter=vcenter,
        clusters=tuple(parse.cluster(*found, field_names) for found in _of(objects, vim.ClusterComputeResource)),
        hosts=tuple(parse.host(*found, field_names) for found in hosts.items()),
        hbas=tuple(told[host].of_hba(hba) for host, props in hosts.items() for hba in parse.hbas(host, props)),
        devices=tuple(
            told[host].of_device(device) for host, props in hosts.items() for device in parse.devices(host, props)
        ),
        paths=tuple(told[host].of_path(path) for host, found in seen.items() for path in found.paths),
        datastores=datastores,
        vms=tuple(parse_vms.vm(key, properties, field_names, containers) for key, properties in vms.items()),
        disks=tuple(disk for key, props in vms.items() for disk in parse_vms.disks(key, props, luns, vvols)),
        unknown_paths=tuple(path for found in seen.values() for path in found.unknown),
    )


def _of(objects: Objects, kind: type) -> Iterator[tuple[str, Any]]:
    return ((key, properties) for key, (found, properties) in objects.items() if issubclass(found, kind))
