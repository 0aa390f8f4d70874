"""Paths of a host, and which counters are those of each.

The inventory names a path by its runtime name (`vmhba2:C0:T0:L1`); its counters are served under adapter, target and device
(`fc.<node>:<port>-fc.<node>:<port>-naa.…`, `<iqn>-<session>,<iqn>,t,<group>-naa.…`). esxcli knows both names; without it, the
counters' name is built from the inventory, or recognized by the adapter, target and device that stand in it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter.parse import Properties, luns, units, wwn
from gavel.domain.inventory import Path, UnknownPath

_RUNTIME_NAME: Final = re.compile(r"vmhba\d+:C\d+:T\d+:L\d+")
_DIGITS: Final = re.compile(r"(\d+)")
_DEAD: Final = "dead"


@dataclass(frozen=True, slots=True)
class HostPaths:
    """`unknown`: counters that fit none of the paths, although they are of a device of the host."""

    paths: tuple[Path, ...]
    unknown: tuple[UnknownPath, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A path in the inventory. `near`: texts that may stand for its adapter in the counters' name, `far`: for its target."""

    name: str
    device: str
    state: str
    near: tuple[str, ...]
    far: str | None
    uid: str | None
    identity: str

    def is_named(self, uid: str) -> bool:
        return uid.endswith(f"-{self.device}") and (self.far is None or self.fits(uid))

    def fits(self, counter: str) -> bool:
        head = counter.removesuffix(f"-{self.device}").lower()
        return any(_stands_in(text, head) for text in self.near) and (self.far is None or _stands_in(self.far, head))


def host_paths(
    host_key: str, properties: Properties, uids: Mapping[str, str], served: Collection[str] | None
) -> HostPaths:
    """`uids`: runtime name → counters' name, as far as esxcli gave it. `served`: instances that the host's counters have; None
    where they were not asked for, so that a name that was built cannot be compared."""
    names = {lun.key: lun.canonicalName for lun in luns(properties)}
    adapters = {adapter.key: adapter for adapter in properties.get("config.storageDevice.hostBusAdapter", ())}
    listed = [
        (path, _seen(path, adapters.get(path.adapter), names[unit.lun]))
        for unit in units(properties)
        if unit.lun in names
        for path in unit.path
    ]
    # A name that esxcli gave hours ago may mean another path since a restart of the host.
    uids = {path.name: uids[path.name] for _, path in listed if path.name in uids and path.is_named(uids[path.name])}
    seen = sorted((path for _, path in listed), key=lambda path: _natural(path.name))
    confirmed = _confirmed(seen, uids, served or ())
    keys = _keys(seen)
    paths = tuple(
        _path(host_key, path, adapters, own, keys[id(own)], confirmed.get(own.name) or _assumed(own, uids))
        for path, own in listed
    )
    return HostPaths(paths, tuple(_unknown(host_key, seen, confirmed, served or ())))


# --- from the inventory -------------------------------------------------------------------------------------------------


def _path(host_key: str, path: Any, adapters: Mapping[str, Any], seen: _Seen, key: str, counter: str | None) -> Path:
    adapter = adapters.get(path.adapter)
    return Path(
        key=f"{host_key}/{key}",
        host_device_key=f"{host_key}/{seen.device}",
        hba_key=f"{host_key}/{adapter.device}" if adapter else None,
        target=_target(path.transport),
        state=seen.state,
        is_optimized=None,
        name=seen.name,
        counter=counter,
    )


def _seen(path: Any, adapter: Any, device: str) -> _Seen:
    near, far = _near(adapter), _far(path.transport)
    uid = identity = None
    if isinstance(adapter, vim.host.FibreChannelHba) and far:
        uid = identity = f"fc.{near[0]}-fc.{far}-{device}"
    elif isinstance(adapter, vim.host.InternetScsiHba) and near and far:
        portal = next(iter(path.transport.address or ()), None)
        identity = f"{near[0]},{far}{f'@{portal}' if portal else ''}-{device}"
    return _Seen(path.name, device, path.state or path.pathState, near, far, uid, identity or path.name)


def _near(adapter: Any) -> tuple[str, ...]:
    match adapter:
        case None:
            return ()
        case vim.host.FibreChannelHba():
            return (f"{wwn(adapter.nodeWorldWideName)}:{wwn(adapter.portWorldWideName)}",)
        case vim.host.InternetScsiHba():
            return (adapter.iScsiName,) if adapter.iScsiName else ()
        case vim.host.TcpHba() | vim.host.RdmaHba():
            return tuple(filter(None, (adapter.device, getattr(adapter, "associatedPnic", None))))
    return (adapter.device,)


def _far(transport: Any) -> str | None:
    match transport:
        case vim.host.FibreChannelTargetTransport():
            return f"{wwn(transport.nodeWorldWideName)}:{wwn(transport.portWorldWideName)}"
        case vim.host.InternetScsiTargetTransport():
            return transport.iScsiName or None
    return None


def _target(transport: Any) -> str | None:
    """The array's port a path ends in: WWPN or iqn. Not reported for NVMe over TCP."""
    if isinstance(transport, vim.host.FibreChannelTargetTransport):
        return wwn(transport.portWorldWideName)
    return _far(transport)


def _keys(seen: Iterable[_Seen]) -> Mapping[int, str]:
    """What makes each path itself, by the id of its record. Sessions of one adapter with one portal differ by nothing but their
    order."""
    times: Counter[str] = Counter()
    keys = {}
    for path in seen:
        times[path.identity] += 1
        number = times[path.identity]
        keys[id(path)] = path.identity if number == 1 else f"{path.identity}#{number}"
    return keys


# --- which counters -----------------------------------------------------------------------------------------------------


def _confirmed(seen: Sequence[_Seen], uids: Mapping[str, str], served: Collection[str]) -> dict[str, str]:
    """Name of a path → its counters' name, where they are served under it."""
    every = frozenset(served)
    found = {}
    for path in seen:
        exact = (name for name in (path.name, uids.get(path.name), path.uid) if name in every)
        if (name := next(exact, None)) is not None:
            found[path.name] = name
    left = _by_device(every - set(found.values()), {path.device for path in seen})
    alike: dict[tuple[object, ...], list[_Seen]] = defaultdict(list)
    for path in seen:
        if path.name not in found:
            alike[path.near, path.far, path.device].append(path)
    paths_of = Counter(path.device for path in seen)
    for (_, _, device), group in alike.items():
        counters = left.get(str(device), [])
        is_local = paths_of[str(device)] == len(counters) == 1  # the only path of a device, whatever names it
        found |= _paired(group, counters if is_local else [counter for counter in counters if group[0].fits(counter)])
    return found


def _paired(group: Sequence[_Seen], counters: Sequence[str]) -> dict[str, str]:
    """Sessions of an adapter with a target differ by a number that the inventory lacks: both sides count them in the order of
    their login, so the first session is the first channel. A path that is dead may have none."""
    alive = [path for path in group if path.state != _DEAD]
    same = next((paths for paths in (group, alive) if len(paths) == len(counters)), ())
    return dict(zip((path.name for path in same), sorted(counters, key=_natural), strict=False))


def _assumed(path: _Seen, uids: Mapping[str, str]) -> str | None:
    """What the counters will be called, where they have none now or were not asked for."""
    return uids.get(path.name) or path.uid or (None if _RUNTIME_NAME.fullmatch(path.name) else path.name)


def _unknown(
    host_key: str, seen: Sequence[_Seen], confirmed: Mapping[str, str], served: Collection[str]
) -> Iterator[UnknownPath]:
    left = _by_device(frozenset(served) - set(confirmed.values()), {path.device for path in seen})
    for device, counters in left.items():
        names = tuple(path.name for path in seen if path.device == device and path.name not in confirmed)
        for counter in counters:
            yield UnknownPath(f"{host_key}/{counter}", host_key, counter, names)


def _by_device(counters: Iterable[str], devices: Collection[str]) -> Mapping[str, list[str]]:
    """Counters of paths by the device that their name ends in; others, such as those of the devices themselves, are left out."""
    found: dict[str, list[str]] = defaultdict(list)
    for counter in sorted(counters):
        ends = (counter[dash.end() :] for dash in re.finditer("-", counter))
        if (device := next((end for end in ends if end in devices), None)) is not None:
            found[device].append(counter)
    return found


def _stands_in(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text.lower())}(?!\w)", name) is not None


def _natural(name: str) -> list[tuple[str, int]]:
    """For sorting by the numbers in a name: "vmhba2:C0:T10:L1" after "vmhba2:C0:T9:L1"."""
    parts = _DIGITS.split(name)
    return [(text, int(number or 0)) for text, number in zip(parts[::2], [*parts[1::2], ""], strict=False)]
