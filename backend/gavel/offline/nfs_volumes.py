"""Which NFS volumes the virtual disks that no device carries lie on: a capture does not say, but counts the I/Os of both. Pure."""

from collections.abc import Mapping, Sequence

import numpy as np

from gavel.domain.imports import Float64Array

# Both count the same I/Os; beyond this share of them apart, they are others.
_MOST_APART = 0.03
# A disk's share in a volume's I/Os, where it is on that volume or on another.
_MOST_OFF = 0.2


def assign_to_volumes(
    disks: Mapping[str, Float64Array], volumes: Mapping[str, Float64Array]
) -> Mapping[str, frozenset[str]] | None:
    """The volumes of each disk with I/Os. disks, volumes: (r,) I/Os per second by name.

    Where their I/Os do not say, each may be on any volume. None where the disks count more I/Os than all volumes: they are elsewhere.
    """
    busy = {disk: rates for disk, rates in disks.items() if rates.sum() > 0}
    issued, counted = (sum(float(rates.sum()) for rates in every.values()) for every in (busy, volumes))
    if issued > (1 + _MOST_APART) * counted:
        return None
    names = list(volumes)
    if len(names) < 2 or not busy:
        return {disk: frozenset(names) for disk in busy}
    owners = _owners(list(busy.values()), list(volumes.values()))
    if owners is None:
        return {disk: frozenset(names) for disk in busy}
    return {disk: frozenset([names[owner]]) for disk, owner in zip(busy, owners, strict=True)}


def _owners(disks: Sequence[Float64Array], volumes: Sequence[Float64Array]) -> list[int] | None:
    """The one volume of each disk whose I/Os vary with it; None where that does not explain what the volumes count."""
    issued, counted = np.stack(disks, axis=1), np.stack(volumes, axis=1)
    shares, _, rank, _ = np.linalg.lstsq(issued, counted, rcond=None)
    owners = np.argmax(shares, axis=1)
    whole = np.zeros_like(shares)
    whole[np.arange(len(disks)), owners] = 1.0
    apart = float(np.abs(issued @ whole - counted).sum()) / max(float(counted.sum()), 1e-9)
    if rank < len(disks) or np.abs(shares - whole).max() > _MOST_OFF or apart > _MOST_APART:
        return None
    return [int(owner) for owner in owners]
