"""What the cause of one object's excess is decided from: its elevated and normal minutes, and the busiest parts of it with their limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.db.queries.cause_minutes import CauseMinutes
from gavel.db.queries.causes import DeviceLoad, DiskLoad, QueueIssuer, VolumeLoad
from gavel.db.queries.path_loads import PathLoad
from gavel.db.queries.peer_volumes import PeerVolume
from gavel.db.queries.rows import EntityRef, RefKind
from gavel.diagnosis.cause import TwinTest
from gavel.diagnosis.episode import Episode, stamps_us
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind, scope_key

MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class PartMinutes:
    """One disk, device or volume in n minutes, (n,) each; NaN where not measured. Times in µs per I/O, rates per second."""

    columns: Mapping[str, Floats]

    def total(self, name: str) -> Floats:
        return self.columns[name]

    @property
    def iops(self) -> Floats:
        return self.columns["ops"] / MINUTE_S

    @property
    def bytes_per_s(self) -> Floats:
        return self.columns["bytes"] / MINUTE_S

    def per_io(self, name: str) -> Floats:
        """µs per I/O."""
        return divided(self.columns[name], self.columns["ops"])

    def ios(self, name: str) -> Floats:
        """I/Os in a part at once, on average over the minute."""
        return self.columns[name] / (MINUTE_S * 1e6)

    @property
    def outstanding(self) -> Floats:
        return self.columns["outstanding_s"] / MINUTE_S


def divided(numbers: Floats, by: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    result: Floats = np.divide(numbers, by, out=np.full(np.shape(numbers), np.nan), where=by > 0)
    return result


def mean(numbers: Floats) -> float | None:
    """Of what was measured; None where nothing was."""
    measured = numbers[~np.isnan(numbers)]
    return float(measured.mean()) if len(measured) else None


@dataclass(frozen=True, slots=True)
class CauseInputs:
    """Of one object with an excess in `layers`. Loads are over the episode, `minutes` of its parts in the episode's stamps.

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
    peers: Sequence[PeerVolume] = ()
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
        key = scope_key(kind, thing_id)
        lo, hi = np.searchsorted(self.minutes.keys, [key, key + 1]).tolist()
        starts, wanted = self.minutes.starts_us[lo:hi], stamps_us(stamps)
        position = np.minimum(np.searchsorted(starts, wanted), max(hi - lo - 1, 0))
        is_there = starts[position] == wanted if hi > lo else np.zeros(len(wanted), dtype=np.bool_)
        return PartMinutes(
            {
                name: np.where(is_there, column[lo:hi][position] if hi > lo else np.nan, np.nan)
                for name, column in self.minutes.columns.items()
            }
        )


def twin_test(elevated: Bools, normal: Bools, normal_measured: Bools) -> TwinTest:
    """From whether a limit binds in each minute; normal minutes without a row are left out."""
    return TwinTest(
        elevated_minutes=len(elevated),
        binding_minutes=int(elevated.sum()),
        normal_minutes=int(normal_measured.sum()),
        normal_binding_minutes=int((normal & normal_measured).sum()),
    )
