"""Which devices the virtual disks of a VM lie on: a capture does not say, but counts the I/Os of both. Pure."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from gavel.domain.imports import Float64Array

# Both count the same I/Os, each rounded; beyond this share of them apart, it is another device.
_MOST_APART = 0.03
# Where a second assignment fits nearly as well, nothing is concluded, unless what is elsewhere in it has next to no I/Os.
_CLEARLY_BETTER, _NEGLIGIBLE = 3.0, 0.02
_MOST_TRIED = 4096

Assignment = Mapping[str, frozenset[str]]


def assign_disks(
    disks: Mapping[str, Float64Array], devices: Mapping[str, Float64Array]
) -> Mapping[str, frozenset[str]]:
    """The devices of each disk of one VM. disks, devices: (r,) I/Os per second by name, of the disk, and of the VM on the device.

    Where their I/Os do not say, each disk may be on any of the devices. Empty without a device.
    """
    anywhere = {disk: frozenset(devices) for disk in disks}
    if len(devices) < 2 or not disks:
        return anywhere
    fits = sorted(
        ((_apart(assigned, disks, devices), assigned) for assigned in _assignments(list(disks), list(devices))),
        key=lambda fit: fit[0],
    )
    if not fits or fits[0][0] > _MOST_APART:
        return anywhere
    best = fits[0][1]
    as_good = [fit for apart, fit in fits[1:] if apart < _CLEARLY_BETTER * max(fits[0][0], _MOST_APART / 10)]
    return anywhere if any(_moved(best, fit, disks) > _NEGLIGIBLE for fit in as_good) else best


def _moved(best: Assignment, fit: Assignment, disks: Mapping[str, Float64Array]) -> float:
    """Share of the I/Os whose disks are elsewhere in the other assignment."""
    ios = {disk: float(np.nansum(rate)) for disk, rate in disks.items()}
    return sum(ios[disk] for disk in disks if best[disk] != fit[disk]) / max(sum(ios.values()), 1e-9)


def _assignments(disks: Sequence[str], devices: Sequence[str]) -> list[Assignment]:
    """Several disks on one device each, or several devices (extents of a datastore) of one disk each. None where they are too many."""
    every: list[Assignment] = []
    if len(devices) ** len(disks) <= _MOST_TRIED:
        every.extend(
            {disk: frozenset([device]) for disk, device in zip(disks, choice, strict=True)}
            for choice in itertools.product(devices, repeat=len(disks))
        )
    if len(disks) ** len(devices) <= _MOST_TRIED:
        for owners in itertools.product(disks, repeat=len(devices)):
            own = {
                disk: frozenset(d for d, owner in zip(devices, owners, strict=True) if owner == disk) for disk in disks
            }
            if all(own.values()):
                every.append(own)
    return list({frozenset(each.items()): each for each in every}.values())


def _apart(assigned: Assignment, disks: Mapping[str, Float64Array], devices: Mapping[str, Float64Array]) -> float:
    """Share of the I/Os that the two sides do not count alike: by groups of disks that have the same devices."""
    apart = 0.0
    groups: dict[frozenset[str], list[str]] = {}
    for disk, own in assigned.items():
        groups.setdefault(own, []).append(disk)
    for own, members in groups.items():
        apart += _difference(_total(disks, members), _total(devices, sorted(own)))
    unused = set(devices) - {device for own in assigned.values() for device in own}
    apart += sum(_difference(np.zeros_like(devices[device]), devices[device]) for device in unused)
    return apart / max(float(np.nansum(_total(devices, list(devices)))), 1e-9)


def _total(rates: Mapping[str, Float64Array], names: Sequence[str]) -> Float64Array:
    total: Float64Array = np.sum([np.nan_to_num(rates[name]) for name in names], axis=0)
    return total


def _difference(counted: Float64Array, issued: Float64Array) -> float:
    return float(np.abs(counted - issued).sum())
