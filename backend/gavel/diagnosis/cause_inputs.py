"""What the cause of one object's excess is decided from: its elevated and normal minutes, and the busiest parts of it with their limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from gavel.analysis.intervals import Bools
from gavel.db.queries.cause_minutes import CauseMinutes
from gavel.db.queries.causes import DeviceLoad, DiskLoad, QueueIssuer, VolumeLoad
from gavel.db.queries.host_cpu import CpuMinutes
from gavel.db.queries.path_loads import PathLoad
from gavel.db.queries.peer_volumes import PeerVolume
from gavel.db.queries.port_use import BusyLink, PortPaths
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.tasks import TaskRun
from gavel.diagnosis.cause import TwinTest
from gavel.diagnosis.episode import Episode, stamps_us
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind, scope_key
from gavel.findings.minutes import PartMinutes, iops_limit_binds, minutes_at


@dataclass(frozen=True, slots=True)
class CauseInputs:
    """Of one object with an excess in `layers`. Loads are over the episode, `minutes` of its parts in the episode's stamps.

    tasks: of the VMs whose I/Os wait in the hypervisor. cpu: of the hosts on which they wait there or in the kernel's own
    code. links: target ports near their line rate behind its devices; port_paths: what of these devices' I/O went through them.
    match_ratio: host ÷ array ops; None: not measured.
    """

    kind: RefKind
    subject: EntityRef
    layers: frozenset[Layer]
    episode: Episode
    disks: Sequence[DiskLoad] = ()
    devices: Sequence[DeviceLoad] = ()
    volumes: Sequence[VolumeLoad] = ()
    issuers: Mapping[int, Sequence[QueueIssuer]] = field(default_factory=dict)
    paths: Sequence[PathLoad] = ()
    links: Sequence[BusyLink] = ()
    port_paths: Sequence[PortPaths] = ()
    peers: Sequence[PeerVolume] = ()
    tasks: Sequence[TaskRun] = ()
    cpu: CpuMinutes = field(default_factory=CpuMinutes)
    minutes: CauseMinutes | None = None
    match_ratio: float | None = None

    @property
    def is_measured(self) -> bool:
        """Whether anything is known of the parts that have the time of `layers`."""
        parts = (
            ((Layer.GUEST,), self.disks),
            ((Layer.KERNEL,), (*self.disks, *self.devices)),
            ((Layer.SAN,), self.devices),
            ((Layer.ARRAY,), self.volumes),
        )
        return any(self.layers.intersection(layers) and loads for layers, loads in parts)

    def elevated(self, kind: ScopeKind, thing_id: int) -> PartMinutes:
        return self._at(kind, thing_id, self.episode.elevated)

    def normal(self, kind: ScopeKind, thing_id: int) -> PartMinutes:
        return self._at(kind, thing_id, self.episode.normal)

    def first(self, kind: ScopeKind, thing_id: int) -> PartMinutes:
        """The first minutes after the onset."""
        return self._at(kind, thing_id, self.episode.first)

    def _at(self, kind: ScopeKind, thing_id: int, stamps: Sequence[datetime]) -> PartMinutes:
        """One entry per stamp; NaN where the ledger has no row."""
        if self.minutes is None:
            return PartMinutes({})
        return minutes_at(
            scope_key(kind, thing_id),
            stamps_us(stamps),
            self.minutes.keys,
            self.minutes.starts_us,
            self.minutes.columns,
        )


def twin_test(elevated: Bools, normal: Bools, normal_measured: Bools) -> TwinTest:
    """From whether a limit binds in each minute; normal minutes without a row are left out."""
    return TwinTest(
        elevated_minutes=len(elevated),
        binding_minutes=int(elevated.sum()),
        normal_minutes=int(normal_measured.sum()),
        normal_binding_minutes=int((normal & normal_measured).sum()),
    )


def is_at_iops_limit(inputs: CauseInputs, load: DiskLoad) -> bool:
    """Whether a disk's own limit binds in any elevated minute: then it waits for that."""
    if not load.iops_limit:
        return False
    return bool(iops_limit_binds(inputs.elevated(ScopeKind.VM_DISK, load.disk.id), load.iops_limit).any())
