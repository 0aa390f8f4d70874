"""The inventory of one vCenter as a whole: kept current by watches, put together from what they hold."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter import parse, parse_vms
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.esxcli import Esxcli, EsxcliError, QueueSettings, queue_settings
from gavel.collectors.hosts.vcenter.watch import Watch
from gavel.collectors.hosts.vcenter.withheld import in_words, missing_on_root
from gavel.domain.errors import DeadlineError, OverloadedError, PermissionMissingError, ProtocolError
from gavel.domain.inventory import DatastoreType, HostInventory, VcenterInfo
from gavel.network import total_deadline

_HOSTS_PER_PAGE: Final = 5  # a host can have thousands of paths
_OTHERS_PER_PAGE: Final = 250
# Queue settings change rarely and cost several calls per host.
_ESXCLI_HOSTS_PER_RUN: Final = 10
_ESXCLI_WITHIN_S: Final = 40.0
_ESXCLI_MAX_AGE: Final = timedelta(hours=6)
# What refuses costs little to ask, and somebody may just have mended it.
_ESXCLI_REFUSED_AGE: Final = timedelta(minutes=15)

_NEVER: Final = datetime.min.replace(tzinfo=UTC)

Objects = Mapping[str, tuple[type, parse.Properties]]


class InventoryReader:
    """Reads everything once and afterwards what changed. `probe_hosts`: whether to ask the hosts' esxcli as well."""

    def __init__(self, client: VcenterClient, *, probe_hosts: bool) -> None:
        self._client = client
        self._hosts = Watch(client, {vim.HostSystem: parse.HOST_PROPERTIES}, page=_HOSTS_PER_PAGE)
        self._others = Watch(
            client,
            {
                vim.ClusterComputeResource: parse.CLUSTER_PROPERTIES,
                vim.Datastore: parse.DATASTORE_PROPERTIES,
                vim.VirtualMachine: parse_vms.VM_PROPERTIES,
            },
            page=_OTHERS_PER_PAGE,
            essence={"config.hardware.device": parse_vms.storage_devices},
        )
        self._probe_hosts = probe_hosts
        self._settings: dict[str, tuple[datetime, QueueSettings]] = {}
        self._refusing: dict[str, str] = {}  # why a host's esxcli is refused, by host key

    def read(self, now: datetime) -> HostInventory:
        """The inventory as it is; `now` decides which hosts' queue settings are due to be read again."""
        hosts, others = self._hosts.update(), self._others.update()
        if self._probe_hosts:
            self._probe(hosts, now)
        settings = {host: known for host, (_, known) in self._settings.items() if host in hosts}
        found = host_inventory(self._client.about(), {**hosts, **others}, self._custom_fields(), settings)
        return replace(found, withheld=in_words(missing_on_root(self._client), self._refusing_by_name(hosts)))

    def _refusing_by_name(self, hosts: Objects) -> Mapping[str, str]:
        return {
            str(hosts[host][1].get("name", host)): reason for host, reason in self._refusing.items() if host in hosts
        }

    def _custom_fields(self) -> dict[int, str]:
        def fields() -> dict[int, str]:
            manager = self._client.content.customFieldsManager
            return {field.key: field.name for field in manager.field} if manager else {}

        return self._client.ask(fields)

    def _probe(self, hosts: Objects, now: datetime) -> None:
        due = [
            host
            for host, (_, properties) in hosts.items()
            if str(properties.get("runtime.connectionState")) == "connected" and self._is_due(host, now)
        ]
        # Those that refuse must not keep the others from their turn.
        due.sort(key=lambda host: self._settings[host][0] if host in self._settings else _NEVER)
        with total_deadline(_ESXCLI_WITHIN_S):
            for host in due[:_ESXCLI_HOSTS_PER_RUN]:
                self._settings[host] = (now, self._asked_again(host, hosts[host][1]))

    def _is_due(self, host: str, now: datetime) -> bool:
        age = _ESXCLI_REFUSED_AGE if host in self._refusing else _ESXCLI_MAX_AGE
        return host not in self._settings or now - self._settings[host][0] > age

    def _asked_again(self, host: str, properties: parse.Properties) -> QueueSettings:
        """What it tells now. A host that refuses or stalls keeps what it told before and is asked again when it is due again."""
        _, known = self._settings.get(host, (_NEVER, QueueSettings()))
        try:
            known = self._read_settings(host, properties)
        except PermissionMissingError as error:
            self._refusing[host] = f"the privilege {error.privilege} is missing"
        except EsxcliError as error:
            self._refusing[host] = str(error)
        except (ProtocolError, OverloadedError, DeadlineError):
            pass  # for now: that says nothing about rights
        else:
            self._refusing.pop(host, None)
        return known

    def _read_settings(self, host: str, properties: parse.Properties) -> QueueSettings:
        modules = {hba.driver for hba in parse.hbas(host, properties) if hba.driver}
        return queue_settings(Esxcli(self._client, host), modules)


def host_inventory(
    vcenter: VcenterInfo, objects: Objects, field_names: Mapping[int, str], settings: Mapping[str, QueueSettings]
) -> HostInventory:
    """Puts the parts together. Pure. `settings`: what esxcli told, by host key."""
    hosts = dict(_of(objects, vim.HostSystem))
    vms = {
        key: properties for key, properties in _of(objects, vim.VirtualMachine) if not parse_vms.is_template(properties)
    }
    datastores = tuple(parse.datastore(key, properties) for key, properties in _of(objects, vim.Datastore))
    vvols = {store.key for store in datastores if store.type is DatastoreType.VVOL}
    luns = {uuid: name for properties in hosts.values() for uuid, name in parse.lun_uuids(properties)}
    told = {host: settings.get(host, QueueSettings()) for host in hosts}
    return HostInventory(
        vcenter=vcenter,
        clusters=tuple(parse.cluster(*found) for found in _of(objects, vim.ClusterComputeResource)),
        hosts=tuple(parse.host(*found) for found in hosts.items()),
        hbas=tuple(told[host].of_hba(hba) for host, props in hosts.items() for hba in parse.hbas(host, props)),
        devices=tuple(
            told[host].of_device(device) for host, props in hosts.items() for device in parse.devices(host, props)
        ),
        paths=tuple(told[host].of_path(path) for host, props in hosts.items() for path in parse.paths(host, props)),
        datastores=datastores,
        vms=tuple(parse_vms.vm(key, properties, field_names) for key, properties in vms.items()),
        disks=tuple(disk for key, props in vms.items() for disk in parse_vms.disks(key, props, luns, vvols)),
    )


def _of(objects: Objects, kind: type) -> Iterator[tuple[str, Any]]:
    return ((key, properties) for key, (found, properties) in objects.items() if issubclass(found, kind))
