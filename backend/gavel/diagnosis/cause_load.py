"""Reading what causes are decided from: for all objects of a list at once, with as many statements as for one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gavel.db.engine import Connection
from gavel.db.queries.cause_minutes import cause_minutes
from gavel.db.queries.causes import (
    DeviceLoad,
    DiskLoad,
    ObjectTime,
    QueueIssuer,
    VolumeLoad,
    device_loads,
    disk_loads,
    queue_issuers,
    volume_loads,
)
from gavel.db.queries.host_cpu import CpuMinutes, cpu_minutes
from gavel.db.queries.path_loads import PathLoad, PathTime, path_loads
from gavel.db.queries.peer_volumes import ArrayTime, PeerVolume, peer_volumes
from gavel.db.queries.port_use import BusyLink, PortPaths, busy_links, port_paths
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.tasks import TaskRun, task_runs
from gavel.db.series.modes import Storage
from gavel.diagnosis.cause_inputs import CauseInputs
from gavel.diagnosis.diagnose import MINUTE
from gavel.diagnosis.episode import Episode
from gavel.domain.io_path import SPANS, Layer
from gavel.domain.scope import ScopeKind, scope_key
from gavel.findings.binding import PORT_USED, is_hypervisor_slow

_HOST_SIDE = frozenset({Layer.GUEST, Layer.KERNEL})


@dataclass(frozen=True, slots=True)
class CauseQuestion:
    """An object with an excess in `layers`, during an episode. match_ratio: host ÷ array ops, None not measured."""

    subject: EntityRef
    layers: frozenset[Layer]
    episode: Episode
    match_ratio: float | None

    @property
    def time(self) -> ObjectTime:
        return ObjectTime(self.subject.id, self.episode.from_at, self.episode.to_at)


def layers_in(spans: Iterable[int]) -> frozenset[Layer]:
    """Of positions in `SPANS`."""
    return frozenset(layer for span in spans for layer in Layer if SPANS[span][0] <= layer <= SPANS[span][1])


Load = TypeVar("Load", DiskLoad, DeviceLoad, VolumeLoad, QueueIssuer, PathLoad, PortPaths, PeerVolume)


def load_causes(
    connection: Connection, kind: RefKind, questions: Sequence[CauseQuestion], storage: Storage
) -> Mapping[int, CauseInputs]:
    """By id of the object; all of one kind, none twice."""
    if not questions:
        return {}
    host, san, array = (
        [one for one in questions if one.layers & layers]
        for layers in (_HOST_SIDE, frozenset({Layer.SAN}), frozenset({Layer.ARRAY}))
    )
    disks = _by_subject(disk_loads(connection, kind, [one.time for one in questions], storage))
    devices = _by_subject(device_loads(connection, kind, [one.time for one in _either(host, san)], storage))
    volumes = _by_subject(volume_loads(connection, kind, [one.time for one in _either(san, array)], storage))
    issuers = _by_subject(
        queue_issuers(
            connection,
            [(one.time, load.device.id) for one in host for load in _loaded(devices, one)],
            storage,
        )
    )
    times = [_path_time(one, load) for one in san for load in _loaded(devices, one)]
    paths = _by_subject(path_loads(connection, times))
    links = _links(connection, devices, san)
    through = _by_subject(port_paths(connection, times, [link.id for link in links]))
    peers = _by_subject(
        peer_volumes(
            connection,
            [_array_time(one, array_id) for one in array for array_id in _arrays(_loaded(volumes, one))],
        )
    )
    keys = {
        *(scope_key(ScopeKind.VM_DISK, load.disk.id) for own in disks.values() for load in own),
        *(scope_key(ScopeKind.HOST_DEVICE, load.device.id) for own in devices.values() for load in own),
        *(
            scope_key(ScopeKind.VOLUME, volume_id)
            for own in volumes.values()
            for load in own
            for volume_id in (load.volume.id, *load.group_volume_ids)
        ),
    }
    tasks = _tasks(connection, disks, host)
    cpu = _cpu(connection, disks, host)
    stamps = {stamp for one in questions for stamp in one.episode.stamps}
    minutes = cause_minutes(connection, sorted(keys), sorted(stamps), storage)
    return {
        one.subject.id: CauseInputs(
            kind=kind,
            subject=one.subject,
            layers=one.layers,
            episode=one.episode,
            disks=_loaded(disks, one),
            devices=_loaded(devices, one),
            volumes=_loaded(volumes, one),
            issuers=_by_device(_loaded(issuers, one)),
            paths=_loaded(paths, one),
            links=links,
            port_paths=_loaded(through, one),
            peers=_loaded(peers, one),
            tasks=tasks,
            cpu=cpu,
            minutes=minutes,
            match_ratio=one.match_ratio,
        )
        for one in questions
    }


def _tasks(
    connection: Connection, disks: Mapping[int, Sequence[DiskLoad]], questions: Sequence[CauseQuestion]
) -> Sequence[TaskRun]:
    """Of VMs with wait in the hypervisor; without such there is nothing that a task would explain, and nothing is asked."""
    vms = {
        load.vm.id
        for one in questions
        for load in disks.get(one.subject.id, ())
        if load.ops > 0 and bool(is_hypervisor_slow(load.hypervisor_time / load.ops))
    }
    if not vms:
        return ()
    from_at, to_at = min(one.episode.from_at for one in questions), max(one.episode.to_at for one in questions)
    return task_runs(connection, from_at, to_at, sorted(vms))


def _cpu(
    connection: Connection, disks: Mapping[int, Sequence[DiskLoad]], questions: Sequence[CauseQuestion]
) -> CpuMinutes:
    """Of hosts on which I/Os wait above the device or in the kernel's own code; without such nothing is asked."""
    hosts = {
        load.host.id
        for one in questions
        for load in disks.get(one.subject.id, ())
        if load.host is not None
        and load.ops > 0
        and bool(is_hypervisor_slow((load.hypervisor_time + load.service_time) / load.ops))
    }
    stamps = [stamp for one in questions for stamp in one.episode.stamps]
    return cpu_minutes(connection, sorted(hosts), min(stamps), max(stamps)) if hosts and stamps else CpuMinutes()


def _links(
    connection: Connection, devices: Mapping[int, Sequence[DeviceLoad]], questions: Sequence[CauseQuestion]
) -> Sequence[BusyLink]:
    """Of the target ports behind devices whose I/Os may wait in the SAN."""
    ids = {load.device.id for one in questions for load in devices.get(one.subject.id, ())}
    if not ids:
        return ()
    stamps = [stamp for one in questions for stamp in one.episode.stamps]
    elevated_from = min(one.episode.from_at for one in questions)
    return busy_links(connection, sorted(ids), elevated_from, min(stamps), max(stamps), used=PORT_USED)


def _either(*questions: Sequence[CauseQuestion]) -> list[CauseQuestion]:
    return list({one.subject.id: one for part in questions for one in part}.values())


def _by_subject(loads: Iterable[Load]) -> dict[int, list[Load]]:
    grouped: dict[int, list[Load]] = defaultdict(list)
    for load in loads:
        grouped[load.subject_id].append(load)
    return grouped


def _loaded(loads: Mapping[int, list[Load]], question: CauseQuestion) -> Sequence[Load]:
    return loads.get(question.subject.id, [])


def _by_device(issuers: Iterable[QueueIssuer]) -> dict[int, list[QueueIssuer]]:
    grouped: dict[int, list[QueueIssuer]] = defaultdict(list)
    for one in issuers:
        grouped[one.device_id].append(one)
    return grouped


def _arrays(volumes: Iterable[VolumeLoad]) -> list[int]:
    return list(dict.fromkeys(load.array.id for load in volumes))


def _path_time(question: CauseQuestion, load: DeviceLoad) -> PathTime:
    episode = question.episode
    normal = (episode.normal[0], episode.normal[-1] + MINUTE) if episode.normal else (None, None)
    return PathTime(question.subject.id, load.device.id, episode.from_at, episode.to_at, *normal)


def _array_time(question: CauseQuestion, array_id: int) -> ArrayTime:
    episode = question.episode
    normal = (episode.normal[0], episode.normal[-1] + MINUTE) if episode.normal else (None, None)
    return ArrayTime(question.subject.id, array_id, episode.from_at, episode.to_at, *normal)
