"""What really happened: the model's own time per layer, row and minute, and the diagnosis that it deserves."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.baseline import baseline_us
from gavel.analysis.diagnosis import Case, Diagnoses, rule
from gavel.analysis.gridded import Stretch
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import GUEST, Difference
from gavel.analysis.segments import SPAN_LAYERS
from gavel.domain.io_path import SPANS, Layer
from gavel.domain.scope import ScopeKind
from gavel_lab.environment import Environment
from gavel_lab.lab import Lab
from gavel_lab.model import By
from gavel_lab.reading import LAYERS, SEGMENT

KINDS = {
    ScopeKind.HOST_DEVICE: By.DEVICE,
    ScopeKind.DATASTORE: By.DATASTORE,
    ScopeKind.HOST: By.HOST,
    ScopeKind.VOLUME: By.VOLUME,
    ScopeKind.VM: By.VM,
    ScopeKind.VM_DISK: By.DISK,
}
_NAMES = ("guest", "kernel", "san", "array")
# The segments between two neighbouring boundaries.
_BETWEEN = {
    Difference.GUEST_VSCSI: ("guest_queue",),
    Difference.VSCSI_DEVICE: ("hypervisor",),
    Difference.DEVICE_DRIVER: ("kernel_queue", "kernel_service"),
    Difference.DRIVER_ARRAY: ("fabric",),
}


@dataclass(frozen=True)
class Truth:
    """n rows as the model has them. ops: (n, 3) reads, writes, all; layers: (n, 3, 4) µs per I/O by `Layer`."""

    ops: Floats
    layers: Floats

    @property
    def spans(self) -> Floats:
        """(n, 3, 10)."""
        spans: Floats = self.layers @ SPAN_LAYERS.T
        return spans


def truth(lab: Lab, kind: ScopeKind, things: np.ndarray, minutes: np.ndarray, stretch: Stretch) -> Truth:
    """Of the things (places in the environment) in the minutes, row by row."""
    first = 60.0 * (stretch.first + np.arange(stretch.minutes))
    every = np.unique(things)
    reading = lab.model.read(KINDS[kind], every.tolist(), np.stack([first, first + 60.0], axis=1))
    row, column = np.searchsorted(every, things), minutes - stretch.first
    time, ops = reading.io_time_us[row, column], reading.ops[row, column]
    time, ops = _with_all(time), _with_all(ops)
    layers = np.stack([time[..., _segments(kind, name)].sum(axis=-1) for name in _NAMES], axis=-1)
    return Truth(ops, np.divide(layers, ops[..., None], out=np.zeros_like(layers), where=ops[..., None] > 0))


def true_differences(lab: Lab, datastores: np.ndarray, minutes: np.ndarray, stretch: Stretch) -> Floats:
    """(n, 4) µs per I/O by `Difference`, reads and writes together; NaN where nothing ran."""
    first = 60.0 * (stretch.first + np.arange(stretch.minutes))
    every = np.unique(datastores)
    reading = lab.model.read(By.DATASTORE, every.tolist(), np.stack([first, first + 60.0], axis=1))
    row, column = np.searchsorted(every, datastores), minutes - stretch.first
    time, ops = reading.io_time_us[row, column].sum(axis=1), reading.ops[row, column].sum(axis=1)[:, None]
    times = np.stack([time[:, [SEGMENT[name] for name in names]].sum(axis=1) for names in _BETWEEN.values()], axis=1)
    means: Floats = np.divide(times, ops, out=np.full_like(times, np.nan), where=ops > 0)
    return means


def _with_all(numbers: Floats) -> Floats:
    return np.concatenate([numbers, numbers.sum(axis=1, keepdims=True)], axis=1)


def _segments(kind: ScopeKind, layer: str) -> list[int]:
    """A device times nothing above itself."""
    unseen = {"guest_queue", "hypervisor"} if kind is ScopeKind.HOST_DEVICE else set()
    return [SEGMENT[name] for name in LAYERS[layer] if name not in unseen]


def expectations(environment: Environment, kind: ScopeKind, things: np.ndarray, real: Truth) -> Floats:
    """(n, 4) defaults; writes to a stretched pod are allowed the round trip between its arrays."""
    writes = np.divide(real.ops[:, 1], real.ops[:, 2], out=np.zeros(len(real.ops)), where=real.ops[:, 2] > 0)
    unknown = np.full(len(things), np.nan)
    round_trip = np.array([_round_trip_us(environment, kind, int(thing)) for thing in things])
    return baseline_us(unknown, unknown, round_trip * writes)[0]


def _round_trip_us(environment: Environment, kind: ScopeKind, thing: int) -> float:
    volumes: tuple[int, ...] = ()
    if kind is ScopeKind.HOST_DEVICE:
        volumes = (environment.devices[thing].volume,)
    elif kind is ScopeKind.VOLUME:
        volumes = (thing,)
    elif kind is ScopeKind.DATASTORE:
        volumes = environment.datastores[thing].extents
    elif kind is ScopeKind.VM:
        volumes = tuple(volume for disk in environment.vms[thing].disks for volume in environment.disks[disk].volumes)
    elif kind is ScopeKind.VM_DISK:
        volumes = environment.disks[thing].volumes
    pods = [environment.volumes[volume].pod for volume in volumes]
    stretched = [pod for pod in pods if pod is not None]
    return (
        environment.pods[stretched[0]].inter_array_round_trip_us if stretched and len(stretched) == len(pods) else 0.0
    )


def deserved(real: Truth, expected: Floats, with_guest: Bools) -> Diagnoses:
    """The rule applied to what really happened. with_guest: (n,) rows whose guests are measured."""
    single = [SPANS.index((layer, layer)) for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY)]
    spans = np.full((len(real.ops), len(SPANS)), np.nan)
    spans[:, single] = real.spans[:, 2][:, single]
    spans[:, GUEST] = np.where(with_guest, real.spans[:, 2, GUEST], np.nan)
    outermost = np.nansum(spans, axis=1)
    by_span = expected @ SPAN_LAYERS.T
    return rule(
        Case(
            value=spans,
            lower=spans,
            upper=spans,
            expected=by_span,
            outermost_lower=outermost,
            reasons=np.zeros(len(spans), np.int64),
        )
    )
