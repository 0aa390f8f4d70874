"""What guests pushed, as `analysis` takes it: by the virtual disk that each of their disks is, with the offset of the guest's clock."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.observed import GuestSamples, Times
from gavel.analysis.topology import NONE, Index
from gavel.correlate.topology import Environment, parts_at
from gavel.db.engine import Connection
from gavel.db.queries.correlation import matched_disks, samples
from gavel.domain.guest_intervals import LONGEST_INTERVAL_US, MOST_OFFSET_US, IntervalQuality, clock_skew
from gavel.domain.guests import LatencyStep
from gavel.domain.samples import NOT_MEASURED
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

_US = 1_000_000
# Whole seconds of an interval are good to one; what is further apart is a gap.
_SLIT_US = 1_000_000
# Half of the step in which a time is kept; all of a whole ms that a sum may lack; a tick of the slowest kernels.
_HALF_US, _MILLISECOND_US, _TICK_US = 0.5, 1000.0, 10_000.0
_BEFORE = timedelta(microseconds=MOST_OFFSET_US + _SLIT_US)
_AFTER = timedelta(microseconds=MOST_OFFSET_US + LONGEST_INTERVAL_US + _SLIT_US)

_Columns = Mapping[str, npt.NDArray[np.int64]]


def guest_samples(
    connection: Connection, environment: Environment, since: datetime, until: datetime
) -> GuestSamples | None:
    """All that may touch minutes in [since, until); None where no guest's disk is matched."""
    matched = matched_disks(connection)
    if len(matched["id"]) == 0:
        return None
    read = samples(connection, Stream.GUEST_DISK, since - _BEFORE, until + _AFTER)
    columns, row = _of_disks(read, matched["id"])
    disk = _positions(environment.ids[ScopeKind.VM_DISK], matched["vm_disk_id"][row])
    kept = (disk != NONE) & _of_one_agent(disk, matched["token_id"][row], columns["entity_id"])
    columns, row, disk = {name: column[kept] for name, column in columns.items()}, row[kept], disk[kept]
    times = _times(columns, matched["offset_us"][row])
    counts = times.end_us - times.offset_us <= matched["until_us"][row]
    part = parts_at(environment, disk, times.end_us - times.offset_us - times.length_us // 2)
    there = (part != NONE) & counts
    every = _samples_of(columns, part, times)
    return every if there.all() else _only(every, there)


def _positions(ids: Index, wanted: Index) -> Index:
    """(n,) where each is among ordered ids; NONE where it is not."""
    if len(ids) == 0:
        return np.full(len(wanted), NONE)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, NONE)


def _of_disks(columns: _Columns, ids: Index) -> tuple[dict[str, Index], Index]:
    row = _positions(ids, columns["entity_id"])
    known = row != NONE
    return {name: column[known] for name, column in columns.items()}, row[known]


def _of_one_agent(disk: Index, token: Index, entity: Index) -> Bools:
    """Two agents in one guest time the same I/Os: the one that came first counts."""
    # Samples are ordered by their entity, so the first of each pair has the smallest id.
    _, first, which = np.unique(np.stack([disk, token]), axis=1, return_index=True, return_inverse=True)
    mine: Bools = entity == entity[first[which.ravel()]]
    return mine


def _times(columns: _Columns, offset_us: Index) -> Times:
    """Placed by arrival, a sample has no clock of its own, and how far it is off is not known."""
    by_arrival = columns["data_quality"] == IntervalQuality.C
    delays, which = np.unique(offset_us, return_inverse=True)
    skews = [clock_skew(int(delay)) for delay in delays]
    ahead_us = np.array([skew for skew, _ in skews], dtype=np.int64)[which]
    error_s = np.array([error for _, error in skews], dtype=np.float64)[which]
    return Times(
        end_us=columns["ts"],
        length_us=_lengths(columns),
        offset_us=np.where(by_arrival, 0, ahead_us),
        error_s=np.where(by_arrival, np.nan, error_s),
    )


def _lengths(columns: _Columns) -> Index:
    """An interval begins where the one before it ended; kept are whole seconds."""
    ends, length = columns["ts"], columns["interval_s"] * _US
    since = np.diff(ends, prepend=ends[:1])
    same = np.diff(columns["entity_id"], prepend=-1) == 0
    follows = same & (np.abs(since - length) <= _SLIT_US) & (since > 0)
    return np.where(follows, since, length)


def _samples_of(columns: _Columns, part: Index, times: Times) -> GuestSamples:
    ops = _measured(columns, "ops")
    step = columns["latency_step"]
    return GuestSamples(
        part=part,
        times=times,
        ops=ops,
        bytes=_measured(columns, "bytes"),
        latency_us=_measured(columns, "latency_us"),
        half_width_us=_half_width(step, ops),
        is_coarse=step == LatencyStep.TICK,
        by_arrival=columns["data_quality"] == IntervalQuality.C,
    )


def _half_width(step: Index, ops: Floats) -> Floats:
    each = np.where(step == LatencyStep.TICK, _TICK_US, 0.0)[:, None]
    of_sum = np.divide(_MILLISECOND_US, ops, out=np.zeros_like(ops), where=ops > 0)
    half: Floats = _HALF_US + each + np.where((step == LatencyStep.MILLISECOND_SUM)[:, None], of_sum, 0.0)
    return half


def _measured(columns: _Columns, name: str) -> Floats:
    both = np.stack([columns[f"{way}_{name}"] for way in ("read", "write")], axis=1)
    return np.where(both == NOT_MEASURED, np.nan, both)


def _only(samples_: GuestSamples, rows: Bools) -> GuestSamples:
    times = samples_.times
    return GuestSamples(
        part=samples_.part[rows],
        times=Times(
            end_us=times.end_us[rows],
            length_us=times.length_us[rows],
            offset_us=times.offset_us[rows],
            error_s=times.error_s[rows],
        ),
        ops=samples_.ops[rows],
        bytes=samples_.bytes[rows],
        latency_us=samples_.latency_us[rows],
        half_width_us=samples_.half_width_us[rows],
        is_coarse=samples_.is_coarse[rows],
        by_arrival=samples_.by_arrival[rows],
    )
