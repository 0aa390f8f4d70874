"""Which samples a query gets: the stamps of its entity's ring and the spans of lab time they stand for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gavel_lab.clocks import SourceClock
from gavel_lab.environment import Datastore, EsxiHost, Vm
from gavel_lab.reading import Floats
from gavel_lab.vcenter.site import Site

REAL_TIME_S = 20
RING_SAMPLES = 180  # one hour
ROLL_UP_S = 300
ROLL_UP_SAMPLES = 288  # one day
INTERVALS = {REAL_TIME_S: RING_SAMPLES, ROLL_UP_S: ROLL_UP_SAMPLES, 1800: 0, 7200: 0, 86400: 0}


@dataclass(frozen=True)
class Range:
    """What part of the ring is wanted: start exclusive, end inclusive (seconds since the epoch); newest `max_samples`."""

    start: float | None
    end: float | None
    max_samples: int | None
    interval_s: int


@dataclass(frozen=True)
class Span:
    """Stamps (oldest first, seconds) and the (w, 2) spans of lab time they end."""

    stamps: NDArray[np.int64]
    windows: Floats


def span(site: Site, record: Any, wanted: Range) -> Span:
    """The samples a record has within the wanted range. Roll-ups are made by the vCenter, on its own clock."""
    if wanted.interval_s != REAL_TIME_S:
        return _cut(site.clock, wanted)
    if isinstance(record, EsxiHost):
        return _cut(site.lab.clocks.hosts[record.index], wanted)
    return _of_vm(site, record, wanted)


def _cut(clock: SourceClock, wanted: Range) -> Span:
    length, keeps = wanted.interval_s, INTERVALS[wanted.interval_s]
    newest = clock.now() // length * length
    oldest = newest - length * keeps
    if wanted.start is None and wanted.end is None and wanted.max_samples is None:
        oldest = newest - min(keeps, 1) * length
    after = oldest if wanted.start is None else max(oldest, wanted.start)
    until = newest if wanted.end is None else min(newest, wanted.end)
    stamps = clock.stamps(after, until, length) if after < until else np.empty(0, dtype=np.int64)
    if wanted.max_samples is not None and length == REAL_TIME_S:
        stamps = stamps[len(stamps) - min(len(stamps), wanted.max_samples) :]
    return Span(stamps, clock.windows(stamps, float(length)))


def _of_vm(site: Site, vm: Vm, wanted: Range) -> Span:
    """A VM's samples bear the stamps of the host that ran it at the time, whichever runs it now."""
    clocks = site.lab.clocks.hosts
    whole = _while_on(site, vm, _cut(clocks[site.host_of(vm).index], wanted))
    if not len(whole.stamps) or not site.lab.placement.moves(vm.index, float(whole.windows[0, 0]), site.lab_now()):
        return whole
    ends = site.clock.to_lab(whole.stamps.astype(np.float64))
    windows = whole.windows.copy()
    for place, at in enumerate(ends):
        host = site.lab.placement.host_of(vm.index, float(at))
        windows[place] = clocks[host].windows(whole.stamps[place : place + 1], float(wanted.interval_s))[0]
    return Span(whole.stamps, windows)


def _while_on(site: Site, vm: Vm, whole: Span) -> Span:
    """Only the samples during all of which the VM was on."""
    if not site.lab.placement.switches(vm.index):
        return whole
    on = np.array([_was_on(site, vm, start, end) for start, end in whole.windows], dtype=bool)
    return Span(whole.stamps[on], whole.windows[on])


def _was_on(site: Site, vm: Vm, start: float, end: float) -> bool:
    placement = site.lab.placement
    return placement.is_on(vm.index, start) and not any(start < at < end for at in placement.switches(vm.index))


def serves_real_time(site: Site, record: Any) -> bool:
    """Hosts and powered-on VMs; a datastore has roll-ups only."""
    if isinstance(record, Vm):
        return site.is_on(record)
    return not isinstance(record, Datastore)
