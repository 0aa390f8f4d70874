"""Which device each path leads to: a capture names paths by adapter, target and number alone, and counts the I/Os of both. Pure."""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture
from gavel.offline.disk_placement import of_kind

# Both count the same I/Os, each rounded; beyond this share of them apart, it is another device.
_MOST_APART = 0.03
# Where other paths fit nearly as well, nothing is concluded, unless they differ in next to no I/Os.
_CLEARLY_BETTER, _NEGLIGIBLE, _ALIKE = 3.0, 0.02, 0.003
# Targets of one number that are tried in every combination.
_MOST_TARGETS = 8
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
    fits = sorted(_fits(left, wanted), key=lambda fit: fit.rank)
    for fit in fits:
        if _is_clear(fit, fits, left):
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
    """Of many targets all, and those of some adapters."""
    if len(own) <= _MOST_TARGETS:
        for size in range(len(own), 0, -1):
            yield from itertools.combinations(sorted(own.values()), size)
        return
    adapters = sorted({adapter for adapter, _ in own})
    for size in range(len(adapters), 0, -1):
        for chosen in itertools.combinations(adapters, size):
            yield [path for (adapter, _), path in own.items() if adapter in chosen]


def _is_clear(fit: _Fit, fits: Sequence[_Fit], paths: Mapping[str, Float64Array]) -> bool:
    """No other paths of this device, and no other device of these paths, fit nearly as well."""
    limit = _CLEARLY_BETTER * max(fit.apart, _ALIKE)
    rivals = [
        other
        for other in fits
        if other is not fit and other.apart < limit and (other.device == fit.device or other.paths & fit.paths)
    ]
    return all(fit.rank < other.rank and _is_the_same(fit, other, paths) for other in rivals)


def _is_the_same(fit: _Fit, other: _Fit, paths: Mapping[str, Float64Array]) -> bool:
    """But for paths with next to no I/Os."""
    whole = sum(float(paths[path].sum()) for path in fit.paths)
    moved = sum(float(paths[path].sum()) for path in fit.paths ^ other.paths)
    return fit.device == other.device and moved <= _NEGLIGIBLE * whole
