"""The product's side: an environment's batches through its store's form, its clocks and its inventory, to attributed minutes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from tests.truth.per_io.environment import BASE_S, BEFORE_S, FIRST_MINUTE, NOWHERE, Clock, Environment
from tests.truth.per_io.wire import Read

from gavel.analysis.gridded import Stretch
from gavel.analysis.intervals import Rounding
from gavel.analysis.minutes import Attribution, attributed
from gavel.analysis.observed import (
    DirectorySamples,
    GuestSamples,
    HostCounter,
    Latest,
    Observed,
    Proofs,
    Times,
    VolumeSamples,
)
from gavel.analysis.proofs import proven
from gavel.analysis.topology import Devices, DiskParts, Pairs, Topology, Volumes
from gavel.correlate import samples
from gavel.correlate import topology as mapping
from gavel.correlate.samples import Offsets, offsets
from gavel.db.queries import clocks as readings
from gavel.domain.samples import SampleBatch
from gavel.domain.scope import ScopeKind

_US = 1_000_000
_ARRAY_SOURCES = 1000


def told(
    environment: Environment, read: Read, stretch: Stretch | None = None, guests: GuestSamples | None = None
) -> Attribution:
    """All minutes of the environment, or those of a stretch, as the product sees them once it has watched the whole of it."""
    found = mapped(environment)
    every = Stretch(FIRST_MINUTE, environment.minutes)
    seen = replace(observed(environment, found, read), guests=guests)
    if any(vcenter.proven and vcenter.latest_s is not None for vcenter in environment.vcenters):
        # How far an instant strays from the mean is learnt; it differs from environment to environment.
        learnt = proven(attributed(found.topology, seen, every).evidence).scatter_us
        assert learnt is not None
        known = np.array([vcenter.proven for vcenter in environment.vcenters])
        seen = replace(seen, proofs=replace(seen.proofs, scatter_us=np.where(known, learnt, np.nan)))
    return attributed(found.topology, seen, stretch or every)


def observed(environment: Environment, found: mapping.Environment, read: Read) -> Observed:
    clocks = offsets(found, _readings(environment))
    rows = volume_rows(environment)
    nothing = np.zeros(0, np.int64)
    return Observed(
        devices=samples._devices(_stored(read.devices, int), found, clocks),
        disks=samples._disks(_stored(read.disks, int), found, clocks),
        volumes=_volumes(read, found, clocks, rows),
        directories=DirectorySamples(
            unit=nothing,
            times=Times(end_us=nothing, length_us=nothing, offset_us=nothing, error_s=np.zeros(0)),
            ops=np.zeros((0, 2)),
            bytes=np.zeros((0, 2)),
            usec_us=np.zeros((0, 2)),
        ),
        proofs=_proofs(environment),
    )


def _volumes(read: Read, found: mapping.Environment, clocks: Offsets, rows: dict[str, int]) -> VolumeSamples:
    return samples._volumes(_stored(read.volumes, rows.__getitem__), found, clocks)


def _stored(batches: Sequence[SampleBatch], number: object) -> dict[str, np.ndarray]:
    """Batches as the store gives their rows back: by id, in order of time."""
    parts: list[dict[str, np.ndarray]] = []
    for batch in batches:
        ids = np.array([number(key) for key in batch.keys], dtype=np.int64)  # type: ignore[operator]
        parts.append(
            {
                "entity_id": ids[batch.key_index],
                "ts": batch.ended_at_us,
                "interval_s": batch.interval_s,
                **batch.values,
            }
        )
    if not parts:
        raise ValueError("no sample came at all")
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


# --- inventory --------------------------------------------------------------------------------------------------------


def volume_rows(environment: Environment) -> dict[str, int]:
    """Key of a (volume, array) → its place among the volumes of the topology."""
    keys = [
        f"{number}/{array}"
        for number, volume in enumerate(environment.volumes)
        for array in (volume.array, volume.other)
        if array != NOWHERE
    ]
    return {key: place for place, key in enumerate(keys)}


def mapped(environment: Environment) -> mapping.Environment:
    """Ids are positions."""
    topology = topology_of(environment)
    sizes = {
        ScopeKind.HOST_DEVICE: len(environment.devices),
        ScopeKind.VM_DISK: len(environment.disks),
        ScopeKind.VM: len(environment.vm_host),
        ScopeKind.DATASTORE: len(environment.datastores),
        ScopeKind.HOST: len(environment.hosts),
        ScopeKind.VOLUME: len(topology.volumes),
        ScopeKind.ARRAY: len(environment.arrays),
    }
    return mapping.Environment(
        topology=topology,
        ids={kind: np.arange(size) for kind, size in sizes.items()},
        host_keys=[(host.vcenter, f"host-{number}") for number, host in enumerate(environment.hosts)],
        stays={disk: (mapping.Stay(disk, 0),) for disk in range(len(environment.disks))},
        array_sources=[_ARRAY_SOURCES + array for array in range(len(environment.arrays))],
        source_ids=list(range(len(environment.vcenters))),
        pod_keys=[f"pod-{number}" for number in range(topology.pods)],
        directory_ids=np.zeros(0, np.int64),
        directory_units=np.zeros(0, np.int64),
    )


def topology_of(environment: Environment) -> Topology:
    """Hosts, devices, disks, VMs, datastores and arrays keep their places; a volume is a unit."""
    rows = [tuple(map(int, key.split("/"))) for key in volume_rows(environment)]
    stretched = [number for number, volume in enumerate(environment.volumes) if volume.other != NOWHERE]
    devices, disks = environment.devices, environment.disks
    nobody = Pairs(left=_ints(()), right=_ints(()))
    carried = [(place, device) for place, disk in enumerate(disks) for device in disk.devices]
    return Topology(
        devices=Devices(
            host=_ints(device.host for device in devices),
            unit=_ints(device.volume for device in devices),
            datastore=_ints(environment.store_of_volume.get(device.volume, NOWHERE) for device in devices),
            configured_depth=np.array(
                [device.depth[0][1] if device.depth_is_known else np.nan for device in devices], dtype=np.float64
            ),
            endpoint=nobody,
        ),
        parts=DiskParts(
            disk=np.arange(len(disks)),
            vm=_ints(disk.vm for disk in disks),
            host=_ints(environment.vm_host[disk.vm] for disk in disks),
            datastore=_ints(environment.store_of_volume[devices[disk.devices[0]].volume] for disk in disks),
            unit=np.full(len(disks), NOWHERE),
            is_whole=np.zeros(len(disks), np.bool_),
            queue_limit=np.array([disk.queue for disk in disks], dtype=np.float64),
            devices=Pairs(left=_ints(place for place, _ in carried), right=_ints(device for _, device in carried)),
        ),
        volumes=Volumes(
            unit=_ints(volume for volume, _ in rows),
            array=_ints(array for _, array in rows),
            pod=_ints(stretched.index(volume) if volume in stretched else NOWHERE for volume, _ in rows),
            mirrored_on_both=np.array([environment.volumes[volume].both for volume, _ in rows], dtype=np.bool_),
        ),
        units=len(environment.volumes),
        unit_array=np.full(len(environment.volumes), NOWHERE),
        disks=len(disks),
        vms=len(environment.vm_host),
        datastores=len(environment.datastores),
        arrays=len(environment.arrays),
        pods=len(stretched),
        sources=len(environment.vcenters),
        clusters=len(environment.vcenters),
        host_source=_ints(host.vcenter for host in environment.hosts),
        host_cluster=_ints(host.vcenter for host in environment.hosts),
    )


def _ints(numbers: object) -> np.ndarray:
    return np.array(list(numbers), dtype=np.int64)  # type: ignore[call-overload]


# --- clocks and counters ----------------------------------------------------------------------------------------------


def _readings(environment: Environment) -> list[readings.Clock]:
    """Every clock is read once a minute, and misread by as much as the draw says."""
    found: list[readings.Clock] = []
    for number, host in enumerate(environment.hosts):
        found += _read(environment, host.clock, host.vcenter, f"host-{number}")
    for number, array in enumerate(environment.arrays):
        found += _read(environment, array.clock, _ARRAY_SOURCES + number, None)
    return found


def _read(environment: Environment, clock: Clock, source: int, subject: str | None) -> list[readings.Clock]:
    instants = np.arange(-BEFORE_S - 60 + clock.read_phase_s, 60 * environment.minutes + 120, 60.0)
    return [
        readings.Clock(
            source,
            subject,
            datetime.fromtimestamp(BASE_S + at, UTC),
            clock.ahead(max(at, -BEFORE_S)) + clock.wrong_s,
            clock.error_s,
        )
        for at in instants.tolist()
    ]


def _proofs(environment: Environment) -> Proofs:
    """What is proven of each vCenter's counters is what they do."""
    vcenters = environment.vcenters
    rounding = np.full((len(vcenters), len(HostCounter)), int(Rounding.UNPROVEN))
    latest = np.full(len(vcenters), int(Latest.UNPROVEN))
    for number, vcenter in enumerate(vcenters):
        if vcenter.proven:
            rounding[number] = int(Rounding.TRUNCATES if vcenter.truncates else Rounding.ROUNDS)
            latest[number] = int(Latest.MEAN if vcenter.latest_s is None else Latest.INSTANT)
    return Proofs(rounding=rounding, latest=latest)
