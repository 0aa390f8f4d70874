"""Which hosts and VMs have samples now, and which of them are left out for a while because asking for them fails."""

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.parse import Properties
from gavel.collectors.hosts.vcenter.watch import PropertyWatch
from gavel.collectors.hosts.vcenter.withheld import named
from gavel.domain.source import Stream

Groups = tuple[tuple[str, tuple[str, ...]], ...]
"""Entities that are asked alike: version of their host ("" for VMs) and their keys."""

SAMPLES_OF: Final[Mapping[Stream, str]] = {
    Stream.HOST_DEVICE: "device",
    Stream.VM_DISK: "virtual disk",
    Stream.PATH: "path",
    Stream.ADAPTER: "adapter",
    Stream.HOST_CPU: "CPU",
}
_LIGHT_PAGE: Final = 1000
_REFUSED_FOR_S: Final = 600.0


class Targets:
    """`refuse` takes an entity out of what is asked of a stream; it comes back by itself."""

    def __init__(self, client: VcenterClient) -> None:
        self._watch = PropertyWatch(
            client,
            {
                vim.HostSystem: ("name", "runtime.connectionState", "summary.config.product"),
                vim.VirtualMachine: ("name", "runtime.connectionState", "runtime.powerState"),
            },
            page=_LIGHT_PAGE,
        )
        self._names: dict[str, str] = {}
        self._refused: dict[tuple[Stream, str], tuple[float, str]] = {}
        self._groups: dict[Stream, tuple[object, Groups]] = {}

    def groups(self, stream: Stream, kind: str) -> Groups:
        """What can have samples: connected hosts by their version, and VMs on such hosts that are not switched off. Gathered anew only when
        something changed."""
        self._forget_old()
        objects = self._watch.update()
        state = (self._watch.revision, frozenset(self._refused))
        if stream not in self._groups or self._groups[stream][0] != state:
            self._groups[stream] = state, self._gathered(stream, kind, objects)
        return self._groups[stream][1]

    def _gathered(self, stream: Stream, kind: str, objects: Mapping[str, tuple[type, Properties]]) -> Groups:
        groups: dict[str, list[str]] = defaultdict(list)
        for key, (found, properties) in objects.items():
            group = _vm_group(properties) if issubclass(found, vim.VirtualMachine) else _host_group(properties)
            if found.__name__.endswith(kind) and group is not None and (stream, key) not in self._refused:
                groups[group].append(key)
                self._names[key] = str(properties.get("name", key))
        return tuple((version, tuple(entities)) for version, entities in sorted(groups.items()))

    def refuse(self, stream: Stream, entity: str, reason: str) -> None:
        """Leaves the entity out for ten minutes."""
        self._refused[stream, entity] = (time.monotonic() + _REFUSED_FOR_S, reason)

    def readmit(self, stream: Stream, entities: Collection[str]) -> None:
        for entity in entities:
            self._refused.pop((stream, entity), None)

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        """Who is left out of a stream and why, each reason a sentence."""
        self._forget_old()
        by_reason: dict[str, list[str]] = defaultdict(list)
        for (refused, entity), (_, reason) in self._refused.items():
            if refused is stream:
                by_reason[reason].append(self._names.get(entity, entity))
        return tuple(_sentence(stream, names, reason) for reason, names in sorted(by_reason.items()))

    def _forget_old(self) -> None:
        now = time.monotonic()
        self._refused = {key: found for key, found in self._refused.items() if found[0] > now}


def _sentence(stream: Stream, names: list[str], reason: str) -> str:
    noun = "VMs" if stream is Stream.VM_DISK else "hosts"
    have, them = ("has", "it") if len(names) == 1 else ("have", "them")
    return (
        f"{named(sorted(names), noun)} {have} no {SAMPLES_OF[stream]} samples: the vCenter answers with a fault ({reason})."
        f" Asked again every ten minutes; look at {them} in vCenter."
    )


def _host_group(properties: Properties) -> str | None:
    if str(properties.get("runtime.connectionState")) != "connected":
        return None
    product = properties.get("summary.config.product")
    return str(product.version) if product else ""


def _vm_group(properties: Properties) -> str | None:
    """A VM of a host that is not connected is still "poweredOn", and asking for it fails."""
    if str(properties.get("runtime.connectionState", "connected")) != "connected":
        return None
    return None if str(properties.get("runtime.powerState")) == "poweredOff" else ""


def halves(entities: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    middle = (len(entities) + 1) // 2
    return tuple(entities[:middle]), tuple(entities[middle:])
