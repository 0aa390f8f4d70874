"""Which device each path leads to: a capture names paths by adapter, target and number alone, and counts the I/Os of both. Pure."""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture
from gavel.offline.disk_placement import of_kind

# Both count the same I/Os, each rounded; beyond this share of them apart, it is another device.
_MOST_APART = 0.03
# Where other paths fit nearly as well, nothing is concluded, unless they differ in next to no I/Os.
_CLEARLY_BETTER, _NEGLIGIBLE, _ALIKE = 3.0, 0.02, 0.003
# Targets of one number that are tried in every combination, and adapters of which one may be left out.
_MOST_TARGETS, _MOST_ADAPTERS = 8, 64
# Whatever device a path is asked for, one of so many is another.
_NEAREST = 2
_RUNTIME_NAME = re.compile(r"(?P<adapter>vmhba\d+):(?P<target>C\d+:T\d+):(?P<number>L\d+)")
_LOCAL = "mpx."
_WAYS = ("reads_per_s", "writes_per_s")

Paths = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Fit:
    apart: float
    device: str
    paths: Paths

    @property
    def rank(self) -> tuple[int, int, float]:
        """The better, the less; of those that fit alike the most paths."""
        return int(self.apart / _ALIKE), -len(self.paths), self.apart


def adapter_of(path: str) -> str | None:
    """`vmhba2` of `vmhba2:C0:T1:L3`; None for a name of another form."""
    match = _RUNTIME_NAME.fullmatch(path)
    return match and match["adapter"]


def devices_of_paths(capture: ImportedCapture) -> Mapping[str, str]:
    """The device of each path of a capture, by name; paths of which its I/Os do not say are absent."""
    paths, devices = ({each.name: _counted(each) for each in of_kind(capture, kind)} for kind in ("path", "device"))
    return assign_paths(paths, devices)


def _counted(each: CapturedObject) -> Float64Array:
    """(2·r,) reads, then writes per second; 0 where they were not captured."""
    nothing = np.zeros(len(next(iter(each.columns.values()), ())))
    return np.concatenate([np.nan_to_num(each.columns.get(name, nothing)) for name in _WAYS])


def assign_paths(paths: Mapping[str, Float64Array], devices: Mapping[str, Float64Array]) -> Mapping[str, str]:
    """The device of each path. paths, devices: (r,) I/Os per row by name; without rows of which nothing is known.

    Paths of a device have one number (`L3`) with all targets of its array. Those of which the I/Os do not say are absent.
    """
    found = {path: f"{_LOCAL}{path}" for path in paths if f"{_LOCAL}{path}" in devices}
    left = {path: rates for path, rates in paths.items() if path not in found and rates.sum() > 0}
    wanted = {name: rates for name, rates in devices.items() if name not in found.values() and rates.sum() > 0}
    fits = _Fits.of(_fits(left, wanted))
    for fit in fits.best:
        if fits.is_clear(fit, left):
            found |= dict.fromkeys(fit.paths, fit.device)
    return found


def _fits(paths: Mapping[str, Float64Array], devices: Mapping[str, Float64Array]) -> Iterator[_Fit]:
    ios = {path: float(rates.sum()) for path, rates in paths.items()}
    names = list(devices)
    counted = np.array([devices[name].sum() for name in names])
    for group in _groups(paths):
        near = np.flatnonzero(np.abs(sum(ios[path] for path in group) - counted) <= _MOST_APART * counted)
        if not len(near):
            continue
        rates = np.sum([paths[path] for path in group], axis=0)
        for at in near.tolist():
            apart = float(np.abs(rates - devices[names[at]]).sum() / counted[at])
            if apart <= _MOST_APART:
                yield _Fit(apart, names[at], group)


def _groups(paths: Mapping[str, Float64Array]) -> Iterator[Paths]:
    """What may be all paths of one device: those of one number, with all targets or with some. Others stand alone."""
    by_number: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for path in paths:
        match = _RUNTIME_NAME.fullmatch(path)
        if match is None:
            yield frozenset([path])
        else:
            by_number[match["number"]][match["adapter"], match["target"]] = path
    for own in by_number.values():
        yield from (frozenset(group) for group in _combinations(own))


def _combinations(own: Mapping[tuple[str, str], str]) -> Iterator[Sequence[str]]:
    """Of many targets all, and those of some adapters. At most some 250 for each number: a file may name any number of adapters."""
    if len(own) <= _MOST_TARGETS:
        for size in range(len(own), 0, -1):
            yield from itertools.combinations(sorted(own.values()), size)
        return
    by_adapter: dict[str, list[str]] = defaultdict(list)
    for (adapter, _), path in own.items():
        by_adapter[adapter].append(path)
    for size in _sizes(len(by_adapter)):
        for chosen in itertools.combinations(sorted(by_adapter), size):
            yield [path for adapter in chosen for path in by_adapter[adapter]]


def _sizes(adapters: int) -> Sequence[int]:
    """How many adapters at once: any number of few; of many all, all but one (that of local disks), and one alone."""
    if adapters <= _MOST_TARGETS:
        return range(adapters, 0, -1)
    return (adapters, adapters - 1, 1) if adapters <= _MOST_ADAPTERS else (adapters,)


@dataclass(frozen=True, slots=True)
class _Fits:
    """by_device: all fits of each. nearest: of each path, how far apart its fits with each of its two nearest devices are."""

    by_device: Mapping[str, Sequence[_Fit]]
    nearest: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, fits: Iterable[_Fit]) -> "_Fits":
        by_device: dict[str, list[_Fit]] = defaultdict(list)
        nearest: dict[str, dict[str, float]] = defaultdict(dict)
        for fit in fits:
            by_device[fit.device].append(fit)
            for path in fit.paths:
                own = nearest[path]
                own[fit.device] = min(fit.apart, own.get(fit.device, fit.apart))
                if len(own) > _NEAREST:
                    del own[max(own, key=lambda device: own[device])]
        return cls(by_device, nearest)

    @property
    def best(self) -> Iterator[_Fit]:
        """Of each device: no other of its fits can be clear."""
        return (min(own, key=lambda fit: fit.rank) for own in self.by_device.values())

    def is_clear(self, fit: _Fit, paths: Mapping[str, Float64Array]) -> bool:
        """No other paths of this device, and no other device of these paths, fit nearly as well."""
        limit = _CLEARLY_BETTER * max(fit.apart, _ALIKE)
        others = (other for other in self.by_device[fit.device] if other is not fit and other.apart < limit)
        return not self._has_other_device(fit, limit) and all(
            fit.rank < other.rank and _is_the_same(fit, other, paths) for other in others
        )

    def _has_other_device(self, fit: _Fit, limit: float) -> bool:
        return any(
            apart < limit for path in fit.paths for device, apart in self.nearest[path].items() if device != fit.device
        )


def _is_the_same(fit: _Fit, other: _Fit, paths: Mapping[str, Float64Array]) -> bool:
    """But for paths with next to no I/Os."""
    whole = sum(float(paths[path].sum()) for path in fit.paths)
    moved = sum(float(paths[path].sum()) for path in fit.paths ^ other.paths)
    return moved <= _NEGLIGIBLE * whole
