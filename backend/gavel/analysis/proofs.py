"""What a vCenter's samples prove of its counters: whether they round or truncate, whether `latest` is the mean (attribution.md §3)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.align import MINUTE_US, Samples
from gavel.analysis.attribution import share_of_ops
from gavel.analysis.device_leaves import behind_devices, of_its_disks
from gavel.analysis.gridded import (
    IS_MILLISECOND,
    LATEST,
    MILLISECOND_US,
    TOTAL,
    WHOLE,
    Stretch,
    reported_minutes,
)
from gavel.analysis.instants import over_changes
from gavel.analysis.intervals import Bools, Floats, Intervals, Rounding, from_integer, of_part
from gavel.analysis.observed import DeviceSamples, HostCounter, Latest, Proofs
from gavel.analysis.sides import WAYS, GriddedSides, pick
from gavel.analysis.topology import Index, sums
from gavel.domain.io_path import Direction

# One row may be a glitch.
HANDFUL = 5
# What a counter does, it does always; where a twentieth of the rows say otherwise nothing is proven.
CONTRADICTING = 0.05
TELLING_SAMPLES = 100
STRAY = 0.01
# How far `latest` strays matters where whole milliseconds are too coarse; counted in steps of a quarter from 50 µs on.
SCATTER_US = 50.0 * 1.25 ** np.arange(24)
COARSE_UP_TO_US = 5000.0
ALL_BUT_A_TWENTIETH = 0.95
# Only where host and array see the same I/Os do they time the same ones.
ALL_BUT = 0.05
LEAST_OPS = 30
_COUNTERS = len(HostCounter)
_OF_DEVICES = (HostCounter.GAVG, HostCounter.DAVG, HostCounter.KAVG, HostCounter.QAVG)

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterEvidence:
    """By vCenter: rows that prove rounding or truncation of each `HostCounter`, (S, 5); samples in which `latest` could differ from
    the mean and did not, and those in which it did, (S,); strays: samples by how far the two were apart, up to each of `SCATTER_US`,
    (S, 24). Evidence adds up over time; repeated minutes must not be added again."""

    rounds: Counts
    truncates: Counts
    latest_agrees: Counts
    latest_disagrees: Counts
    strays: Counts | None = None


def proven(evidence: CounterEvidence) -> Proofs:
    """What the evidence is enough for; contradictions prove nothing."""
    rounds, truncates = evidence.rounds, evidence.truncates
    rounding = np.where(
        (rounds >= HANDFUL) & (truncates <= CONTRADICTING * rounds),
        int(Rounding.ROUNDS),
        np.where(
            (truncates >= HANDFUL) & (rounds <= CONTRADICTING * truncates),
            int(Rounding.TRUNCATES),
            int(Rounding.UNPROVEN),
        ),
    )
    agrees, disagrees = evidence.latest_agrees, evidence.latest_disagrees
    telling = agrees + disagrees
    latest = np.where(
        (disagrees >= HANDFUL) & (disagrees >= CONTRADICTING * telling),
        int(Latest.INSTANT),
        np.where((agrees >= TELLING_SAMPLES) & (disagrees <= STRAY * telling), int(Latest.MEAN), int(Latest.UNPROVEN)),
    )
    return Proofs(
        rounding=rounding.astype(np.int64),
        latest=latest.astype(np.int64),
        scatter_us=_scatter(evidence.strays, len(latest)),
    )


def _scatter(strays: Counts | None, sources: int) -> Floats:
    """(S,) µs that all but a twentieth of the samples stay within; NaN before there are enough of them."""
    if strays is None:
        return np.full(sources, np.nan)
    so_far, every = np.cumsum(strays, axis=1), strays.sum(axis=1)
    step = np.argmax(so_far >= ALL_BUT_A_TWENTIETH * every[:, None], axis=1)
    return np.where(every >= TELLING_SAMPLES, SCATTER_US[step], np.nan)


def evidence_of(
    grids: GriddedSides, devices: DeviceSamples, disks: Samples, proofs: Proofs, stretch: Stretch
) -> CounterEvidence:
    """What these minutes and samples prove. disks: tidy, as reported; proofs: as known so far, for the twin of `latest`."""
    topology = grids.topology
    rounds, truncates = (np.zeros((topology.sources, _COUNTERS), np.int64) for _ in range(2))
    of_part_source = topology.host_source[topology.parts.host][disks.entity]
    of_device_source = np.repeat(topology.host_source[topology.devices.host], grids.minutes)
    for counter, source, up, down in (
        *((counter, of_device_source, up, down) for counter, up, down in _device_rows(grids, devices, stretch)),
        (HostCounter.DISK_TOTAL, of_part_source, *_twin_rows(disks, stretch)),
    ):
        rounds[:, counter] += _counted(up, source, topology.sources)
        truncates[:, counter] += _counted(down, source, topology.sources)
    twin_rounding = proofs.rounding[of_part_source, HostCounter.DISK_TOTAL]
    agrees, disagrees = _latest_rows(disks, stretch, twin_rounding)
    return CounterEvidence(
        rounds=rounds,
        truncates=truncates,
        latest_agrees=_counted(agrees, of_part_source, topology.sources),
        latest_disagrees=_counted(disagrees, of_part_source, topology.sources),
        strays=_strays(disks, stretch, twin_rounding, of_part_source, topology.sources),
    )


def _counted(rows: Bools, source: Index, sources: int) -> Counts:
    """Rows of both directions by source."""
    return sums(rows.sum(axis=1).astype(np.float64), source, sources).astype(np.int64)


# --- rounding of device counters: minutes in which host and array time the same I/Os -------------------------------------


def _device_rows(
    grids: GriddedSides, samples: DeviceSamples, stretch: Stretch
) -> list[tuple[HostCounter, Bools, Bools]]:
    """Per counter the rows (D·M, 2) that prove rounding, and truncation."""
    grid, side = grids.devices, behind_devices(grids)
    share = share_of_ops(grid.ops.sum(axis=1), side.ops.sum(axis=1))
    whole = (share >= 1 - ALL_BUT) & (np.abs(side.counted.ratio - 1) <= ALL_BUT)
    complete = ~grid.is_missing & side.is_present & ~side.is_missing
    usable = whole & complete & (grid.highest[:, IS_MILLISECOND] > 0)
    concerned = np.flatnonzero(usable.reshape(-1, grids.minutes).any(axis=1))
    reported = reported_minutes(samples, concerned, len(grids.topology.devices), stretch)
    busy = usable[:, None] & (grid.ops >= LEAST_OPS)
    found = {counter: (np.zeros_like(busy), np.zeros_like(busy)) for counter in _OF_DEVICES}
    for way in WAYS:
        for counter, lower, upper in _others(grids, side.value, share, way):
            up, down = found[counter]
            low, high = (ends[:, way, counter] for ends in (reported.lower, reported.upper))
            with np.errstate(invalid="ignore"):
                up[:, way] = busy[:, way] & (low > upper)
                down[:, way] = busy[:, way] & (high + MILLISECOND_US / 2 < lower)
    return [(counter, *rows) for counter, rows in found.items()]


def _others(
    grids: GriddedSides, array: Intervals, share: Floats, way: Direction
) -> list[tuple[HostCounter, Floats, Floats]]:
    """Per counter the least and the most it can be, by what the others say; NaN where they say nothing."""
    value = grids.devices.value
    device, driver = (pick(value, way, counter) for counter in (HostCounter.GAVG, HostCounter.DAVG))
    outer, inner = of_its_disks(grids, way), of_part(pick(array, way, WHOLE), share)
    kernel_most = outer.upper - inner.lower
    return [
        (HostCounter.GAVG, np.fmax(driver.lower, inner.lower), outer.upper),
        (HostCounter.DAVG, inner.lower, np.fmin(device.upper, outer.upper)),
        (HostCounter.KAVG, np.maximum(device.lower - driver.upper, 0.0), kernel_most),
        (HostCounter.QAVG, np.zeros(len(share)), kernel_most),
    ]


# --- counters of virtual disks: sample by sample, for both times are of the same one -------------------------------------


def _loaded(disks: Samples, stretch: Stretch) -> Bools:
    """(n, 2) samples that end within the stretch, so that none counts for two, and that had I/O enough to have a mean."""
    ends = (disks.end_us - disks.offset_us - 1) // MINUTE_US
    inside = (ends >= stretch.first) & (ends < stretch.first + stretch.minutes)
    loaded: Bools = inside[:, None] & (disks.ops >= LEAST_OPS)
    return loaded


def _twin_rows(disks: Samples, stretch: Stretch) -> tuple[Bools, Bools]:
    """(n, 2) samples whose ms twin lies above all that `latest` allows, and those where it lies half a millisecond below."""
    latest, total = (disks.value.value[..., position] for position in (LATEST, TOTAL))
    lowest, highest = over_changes(np.where(latest > 0, latest, np.nan), disks.ops > 0, disks)
    loaded = _loaded(disks, stretch)
    slack = 0.5 + 0.1 * highest
    with np.errstate(invalid="ignore"):
        return loaded & (total > highest + slack), loaded & (total + MILLISECOND_US / 2 < 0.9 * lowest - 0.5)


def _latest_rows(disks: Samples, stretch: Stretch, rounding: Index) -> tuple[Bools, Bools]:
    """(n, 2) samples in which `latest` agrees with its twin where the samples before and after would not, and those where it does not.

    Where times hardly change an instant agrees as well as a mean does, so that agreement tells nothing.
    """
    latest, total = (disks.value.value[..., position] for position in (LATEST, TOTAL))
    twin = from_integer(total, MILLISECOND_US, np.broadcast_to(rounding[:, None], total.shape))
    inside = (latest >= twin.lower - 0.5) & (latest <= twin.upper + 0.5)
    loaded = _loaded(disks, stretch) & (latest > 0) & ~np.isnan(total)
    elsewhere = np.ones(latest.shape, np.bool_)
    for step in (-1, 1):
        other = np.clip(np.arange(len(latest)) + step, 0, max(len(latest) - 1, 0))
        same = (disks.entity[other] == disks.entity) & (other != np.arange(len(latest)))
        value = latest[other]
        outside = (value < twin.lower - 0.5) | (value > twin.upper + 0.5)
        elsewhere &= same[:, None] & (disks.ops[other] > 0) & outside
    return loaded & inside & elsewhere, loaded & ~inside


def _strays(disks: Samples, stretch: Stretch, rounding: Index, source: Index, sources: int) -> Counts:
    """(S, 24) samples by how far `latest` lies from the middle of its twin; one far off counts as the farthest."""
    latest, total = (disks.value.value[..., position] for position in (LATEST, TOTAL))
    twin = from_integer(total, MILLISECOND_US, np.broadcast_to(rounding[:, None], total.shape))
    with np.errstate(invalid="ignore"):
        counts = _loaded(disks, stretch) & (latest > 0) & (twin.upper <= COARSE_UP_TO_US)
    rows, ways = np.nonzero(counts)
    apart = np.abs(latest[rows, ways] - twin.value[rows, ways])
    step = np.minimum(np.searchsorted(SCATTER_US, apart), len(SCATTER_US) - 1)
    cells = np.bincount(source[rows] * len(SCATTER_US) + step, minlength=sources * len(SCATTER_US))
    return cells.reshape(sources, len(SCATTER_US)).astype(np.int64)
