"""Evidence of the inventory, put together from rows: what one cause explains is one piece of evidence."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gavel.findings.evidence import (
    DevicePolicies,
    HostPathCount,
    HostSetting,
    PathEvidence,
    SharedDevice,
    SharedSettings,
)
from gavel.findings.evidence_rows import AdapterPaths, DeviceFacts, DeviceOwner, DownPath
from gavel.findings.model import ObjectRef

Owners = Mapping[tuple[int, str], DeviceOwner]
SETTINGS = ("queue_depth", "dsnro", "path_policy")


@dataclass(frozen=True, slots=True)
class PathTrouble:
    """devices: as `devices_with_path_trouble` gives them; down: of these devices."""

    devices: Sequence[DeviceFacts]
    down: Sequence[DownPath]
    adapters: Sequence[AdapterPaths]
    owners: Owners


def object_on(device: DeviceFacts, owners: Owners) -> ObjectRef:
    """The datastore or volume on a device, else the device of this host."""
    owner = owners.get((device.source_id, device.canonical_name))
    return ObjectRef("device", device.id, device.canonical_name) if owner is None else owner.object


def path_evidence(trouble: PathTrouble) -> Iterator[PathEvidence]:
    """One for each adapter without any working path, and one for each datastore, volume or device with trouble beside those."""
    dead = {adapter.id: adapter for adapter in trouble.adapters}
    down_by_device: dict[int, list[DownPath]] = defaultdict(list)
    for path in trouble.down:
        down_by_device[path.device_id].append(path)
    yield from _of_adapters(trouble, down_by_device, dead)
    grouped: dict[tuple[ObjectRef, ObjectRef], list[DeviceFacts]] = defaultdict(list)
    for device in trouble.devices:
        grouped[device.group, object_on(device, trouble.owners)].append(device)
    for (_, owner), devices in grouped.items():
        own = {
            device.id: [path for path in down_by_device[device.id] if path.adapter_id not in dead] for device in devices
        }
        if any(own.values()) or _has_fewer(devices):
            yield _of_object(owner, devices, own, trouble.owners)


def _has_fewer(devices: Sequence[DeviceFacts]) -> bool:
    """Whether one host has fewer paths to a device than another has. A host that lists none was not read."""
    counts: dict[str, set[int]] = defaultdict(set)
    for device in devices:
        if device.paths:
            counts[device.canonical_name].add(device.paths)
    return any(len(count) > 1 for count in counts.values())


def _of_object(
    owner: ObjectRef, devices: Sequence[DeviceFacts], down: Mapping[int, Sequence[DownPath]], owners: Owners
) -> PathEvidence:
    """Devices of several extents of one datastore are added up by host."""
    by_host: dict[ObjectRef, list[DeviceFacts]] = defaultdict(list)
    for device in devices:
        if device.paths:
            by_host[device.host].append(device)
    hosts = tuple(
        HostPathCount(
            host=host,
            total=sum(device.paths for device in own),
            down=tuple(path.name for device in own for path in down[device.id]),
            least=min(device.paths - len(down[device.id]) for device in own),
        )
        for host, own in sorted(by_host.items(), key=lambda pair: pair[0].name)
    )
    first = devices[0]
    known = owners.get((first.source_id, first.canonical_name))
    return PathEvidence(
        source_id=first.source_id,
        object=owner,
        adapter=None,
        hosts=hosts,
        most=max(host.total for host in hosts),
        devices=tuple(sorted({device.canonical_name for device in devices})),
        arrays=_arrays(path for paths in down.values() for path in paths),
        affected=tuple(host.host for host in hosts),
        vms=0 if known is None else known.vms,
        read_at=first.read_at,
    )


def _of_adapters(
    trouble: PathTrouble, down: Mapping[int, Sequence[DownPath]], dead: Mapping[int, AdapterPaths]
) -> Iterator[PathEvidence]:
    through: dict[int, list[tuple[DeviceFacts, DownPath]]] = defaultdict(list)
    for device in trouble.devices:
        for path in down.get(device.id, ()):
            if path.adapter_id is not None and path.adapter_id in dead:
                through[path.adapter_id].append((device, path))
    for adapter_id, pairs in through.items():
        first = pairs[0][0]
        objects = sorted({object_on(device, trouble.owners) for device, _ in pairs}, key=lambda ref: (ref.name, ref.id))
        host = HostPathCount(
            host=first.host,
            total=len(pairs),
            down=tuple(path.name for _, path in pairs),
            least=min(device.paths - device.paths_down for device, _ in pairs),
        )
        yield PathEvidence(
            source_id=first.source_id,
            object=first.host,
            adapter=dead[adapter_id].name,
            hosts=(host,),
            most=host.total,
            devices=tuple(sorted({device.canonical_name for device, _ in pairs})),
            arrays=_arrays(path for _, path in pairs),
            affected=tuple(objects),
            vms=sum(
                _vms(device, trouble.owners)
                for device in {device.canonical_name: device for device, _ in pairs}.values()
            ),
            read_at=first.read_at,
        )


def _vms(device: DeviceFacts, owners: Owners) -> int:
    known = owners.get((device.source_id, device.canonical_name))
    return 0 if known is None else known.vms


def _arrays(paths: Iterable[DownPath]) -> tuple[str, ...]:
    return tuple(sorted({path.array for path in paths if path.array is not None}))


def setting_evidence(devices: Sequence[DeviceFacts], owners: Owners) -> Iterator[SharedSettings]:
    """One for each cluster and setting that differs there."""
    by_name: dict[tuple[int, str], list[DeviceFacts]] = defaultdict(list)
    for device in devices:
        by_name[device.source_id, device.canonical_name].append(device)
    found: dict[tuple[ObjectRef, str], list[list[DeviceFacts]]] = defaultdict(list)
    for same in by_name.values():
        for name in SETTINGS:
            if len({getattr(device, name) for device in same} - {None}) > 1:
                found[_group(same), name].append(same)
    for (group, name), shared in found.items():
        yield SharedSettings(
            source_id=shared[0][0].source_id,
            object=group,
            name=name,
            devices=tuple(_shared(same, owners) for same in shared),
            read_at=shared[0][0].read_at,
        )


def _group(devices: Sequence[DeviceFacts]) -> ObjectRef:
    """The cluster that all hosts are in, else their vCenter."""
    groups = {device.group for device in devices}
    return devices[0].group if len(groups) == 1 else devices[0].source


def _shared(devices: Sequence[DeviceFacts], owners: Owners) -> SharedDevice:
    first = devices[0]
    return SharedDevice(
        object=object_on(first, owners),
        canonical_name=first.canonical_name,
        vendor=first.vendor,
        model=first.model,
        hosts=tuple(host_setting(device) for device in devices),
    )


def host_setting(device: DeviceFacts) -> HostSetting:
    return HostSetting(
        host=device.host,
        queue_depth=device.queue_depth,
        dsnro=device.dsnro,
        path_policy=device.path_policy,
        module=device.module,
        module_depth=device.module_depth,
    )


def policy_evidence(devices: Sequence[DeviceFacts], owners: Owners) -> Iterator[DevicePolicies]:
    """One for each cluster, vendor, model and policy."""
    alike: dict[tuple[ObjectRef, str, str, str], list[DeviceFacts]] = defaultdict(list)
    for device in devices:
        if device.path_policy and device.vendor:
            key = (device.group, device.vendor.strip(), (device.model or "").strip(), device.path_policy)
            alike[key].append(device)
    for (group, vendor, model, policy), own in alike.items():
        by_host: dict[ObjectRef, list[str]] = defaultdict(list)
        for device in own:
            by_host[device.host].append(device.canonical_name)
        yield DevicePolicies(
            source_id=own[0].source_id,
            object=group,
            vendor=vendor,
            model=model,
            path_policy=policy,
            hosts=tuple((host, tuple(names)) for host, names in sorted(by_host.items(), key=lambda pair: pair[0].name)),
            objects=tuple(sorted({object_on(device, owners) for device in own}, key=lambda ref: (ref.name, ref.id))),
            read_at=own[0].read_at,
        )
