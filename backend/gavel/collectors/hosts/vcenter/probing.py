"""What is asked host by host, because no property of the inventory holds it: queue settings and names of counters.

It changes rarely and costs several calls per host: so many hosts per run, each again after hours, or once its paths have changed.
"""

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from gavel.collectors.hosts.vcenter import parse
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.esxcli import Esxcli, EsxcliError, HostQueueSettings, queue_settings
from gavel.collectors.hosts.vcenter.host_options import HostOptions
from gavel.collectors.hosts.vcenter.instances import available_metrics
from gavel.collectors.hosts.vcenter.withheld import Refusal
from gavel.domain.errors import DeadlineError, OverloadedError, PermissionMissingError, ProtocolError
from gavel.domain.inventory import HostOption
from gavel.egress.network import total_deadline

_HOSTS_PER_RUN: Final = 10
_WITHIN_S: Final = 40.0
_MAX_AGE: Final = timedelta(hours=6)
# What refuses costs little to ask, and somebody may just have mended it.
_REFUSED_AGE: Final = timedelta(minutes=15)
_NEVER: Final = datetime.min.replace(tzinfo=UTC)

Hosts = Mapping[str, tuple[type, parse.Properties]]


class HostProbe:
    """`settings`: what a host's esxcli gave, `served`: instances that its counters have, `options`: its advanced options, `refusing`: why
    its esxcli is refused; all by the host's key."""

    def __init__(self, client: VcenterClient, *, read_esxcli: bool) -> None:
        self._client = client
        self._read_esxcli = read_esxcli
        self._asked: dict[str, tuple[datetime, object]] = {}  # when, and the paths it had then
        self.settings: dict[str, HostQueueSettings] = {}
        self._options = HostOptions(client)
        self.served: dict[str, frozenset[str]] = {}
        self.options: dict[str, Mapping[str, HostOption]] = {}
        self.refusing: dict[str, Refusal] = {}

    def update(self, hosts: Hosts, now: datetime) -> None:
        """Asks the hosts that are due. One that refuses or stalls keeps what it gave before."""
        connected = {
            host: properties
            for host, (_, properties) in hosts.items()
            if str(properties.get("runtime.connectionState")) == "connected"
        }
        # Whoever was away may have been restarted, and may number its adapters and sessions anew.
        self._asked = {host: asked for host, asked in self._asked.items() if host in connected}
        due = [host for host, properties in connected.items() if self._is_due(host, properties, now)]
        # Those that refuse must not keep the others from their turn.
        due.sort(key=lambda host: self._asked.get(host, (_NEVER, None))[0])
        with total_deadline(_WITHIN_S):
            for host in due[:_HOSTS_PER_RUN]:
                self._ask(host, connected[host])
                self._asked[host] = (now, _path_names(connected[host]))

    def _is_due(self, host: str, properties: parse.Properties, now: datetime) -> bool:
        asked_at, paths = self._asked.get(host, (_NEVER, None))
        age = _REFUSED_AGE if host in self.refusing else _MAX_AGE
        return now - age > asked_at or paths != _path_names(properties)

    def _ask(self, host: str, properties: parse.Properties) -> None:
        # Without them the names of counters are built from the inventory.
        with contextlib.suppress(PermissionMissingError, ProtocolError, OverloadedError, DeadlineError):
            self.served[host] = self._instances(host)
        with contextlib.suppress(PermissionMissingError, ProtocolError, OverloadedError, DeadlineError):
            self.options[host] = self._options.read(properties)
        if not self._read_esxcli:
            return
        try:
            self.settings[host] = self._queue_settings(host, properties)
        except PermissionMissingError as error:
            self.refusing[host] = Refusal(f"the privilege {error.privilege} is missing")
        except EsxcliError as error:
            self.refusing[host] = Refusal(str(error), is_unknown=error.is_unknown)
        except (ProtocolError, OverloadedError, DeadlineError):
            pass  # for now: that says nothing about rights
        else:
            self.refusing.pop(host, None)

    def _instances(self, host: str) -> frozenset[str]:
        served = available_metrics(self._client, "HostSystem", host).values()
        return frozenset().union(*served)

    def _queue_settings(self, host: str, properties: parse.Properties) -> HostQueueSettings:
        modules = {hba.driver for hba in parse.hbas(host, properties) if hba.driver}
        return queue_settings(Esxcli(self._client, host), modules)


def _path_names(properties: parse.Properties) -> object:
    return frozenset((path.name, unit.lun) for unit in parse.units(properties) for path in unit.path)
