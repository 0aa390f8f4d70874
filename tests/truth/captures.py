"""What an esxtop capture of each host of a lab's vSphere 8 adds: recorded by the lab, read and laid over samples by the product."""

import io
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from tests.truth.campaign import Seen, nothing_known, score_stretch, seen_of
from tests.truth.environments import Drawn, drawn
from tests.truth.per_io.tables import Share
from tests.truth.score import JUDGED, Score, complete

from gavel.analysis.capture_offset import (
    CapturedCounts,
    OffsetProposal,
    StoredCounts,
    measure_agreement,
    propose_offset,
)
from gavel.analysis.captured import CapturedRows, finer_latencies
from gavel.analysis.gridded import Stretch
from gavel.analysis.minutes import Rows
from gavel.analysis.observed import DeviceSamples
from gavel.collectors.imports.esxtop.as_import import read_import
from gavel.correlate.captured_rows import rows_of_device
from gavel.db.queries.imports import CapturedDevice
from gavel.domain.imports import CapturedObject, ImportedCapture, ImportOptions
from gavel.domain.io_path import SPANS, Confidence, Direction, Layer
from gavel.domain.scope import ScopeKind
from gavel_lab.environment import EsxiHost
from gavel_lab.esxtop import EsxtopCapture

_US = 1_000_000
_INTERVAL_S = 5
# Ten samples of the host must lie within a capture, for clocks to be compared; it reaches beyond those at the edges.
_BESIDE_S = 90.0
_COARSE = "8."
_KERNEL = SPANS.index((Layer.KERNEL, Layer.KERNEL))
WITHOUT, WITH = "without a capture", "with one"


@dataclass
class Captures:
    """score: of all minutes, without captures and with them; kernel_us: ranges of the kernel of each device's minute. files: captures;
    narrowing: those of them that do; unequal: rows whose counts of I/Os differ between both."""

    score: dict[str, Score] = field(default_factory=lambda: {WITHOUT: Score(), WITH: Score()})
    kernel_us: dict[str, list[float]] = field(default_factory=lambda: {WITHOUT: [], WITH: []})
    files: int = 0
    narrowing: int = 0
    warnings: int = 0
    unequal: int = 0

    def add(self, other: "Captures") -> None:
        for name, score in other.score.items():
            self.score[name].add(score)
            self.kernel_us[name] += other.kernel_us[name]
        for name in ("files", "narrowing", "warnings", "unequal"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def inconclusive(self, name: str, kinds: tuple[ScopeKind, ...] = JUDGED) -> Share:
        """Of all minutes of the vCenters that count whole milliseconds."""
        rows = [
            (confidence, count)
            for (mode, kind, confidence, _, _), count in self.score[name].diagnoses.items()
            if mode.startswith(_COARSE) and kind in kinds
        ]
        wanted = Confidence.INCONCLUSIVE.value
        return Share(sum(count for each, count in rows if each == wanted), sum(count for _, count in rows))

    def layer(self, name: str, confidence: str, kinds: tuple[ScopeKind, ...] = JUDGED) -> Share:
        """Of the minutes of those vCenters that deserve a diagnosis: those that have one of this confidence, right or wrong."""
        rows = [
            (each, count)
            for (mode, kind, each, _, is_ill), count in self.score[name].diagnoses.items()
            if mode.startswith(_COARSE) and kind in kinds and is_ill
        ]
        return Share(sum(count for each, count in rows if each == confidence), sum(count for _, count in rows))


def capture_campaign(seeds: Iterable[int], most_stretches: int | None = None) -> Captures:
    """Labs of the seeds, spread over the processors."""
    total = Captures()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for one in pool.map(partial(captured, most_stretches=most_stretches), seeds):
            total.add(one)
    return total


def captured(seed: int, most_stretches: int | None = None) -> Captures:
    """One lab: every stretch twice, nothing proven of its counters."""
    found, lab = Captures(), drawn(seed)
    lab = replace(lab, stretches=lab.stretches[:most_stretches])
    for seen in seen_of(lab, nothing_known(len(lab.lab.environment.vcenters))):
        devices = seen.observed.devices
        rows: dict[int, list[CapturedRows]] = {}
        for host in coarse_hosts(lab):
            rows |= _of_host(found, lab, host, devices, seen.stretch)
        finer = replace(devices, finer=finer_latencies(devices, rows))
        narrowed = replace(seen, observed=replace(seen.observed, devices=finer))
        found.unequal += _unequal(found, lab, seen, narrowed)
    return found


def coarse_hosts(drawn_: Drawn) -> list[EsxiHost]:
    """Hosts whose vCenter counts whole milliseconds."""
    environment = drawn_.lab.environment
    return [host for host in environment.hosts if not environment.vcenters[host.vcenter].has_microsecond_family]


def _unequal(found: Captures, lab: Drawn, without: Seen, narrowed: Seen) -> int:
    """Score both, and count the rows that have not the same I/Os in both."""
    before = score_stretch(found.score[WITHOUT], lab, without, "unproven")
    after = score_stretch(found.score[WITH], lab, narrowed, "unproven")
    coarse = [number for host in coarse_hosts(lab) for number in host.devices]
    for name, each in ((WITHOUT, before), (WITH, after)):
        found.kernel_us[name] += _kernel_ranges(each.rows[ScopeKind.HOST_DEVICE], coarse)
    unequal = 0
    for kind in (ScopeKind.HOST_DEVICE, ScopeKind.DATASTORE, ScopeKind.HOST, ScopeKind.VM, ScopeKind.VM_DISK):
        one, other = before.rows[kind], after.rows[kind]
        assert (one.thing == other.thing).all()
        same = (one.rows.ops == other.rows.ops) | (np.isnan(one.rows.ops) & np.isnan(other.rows.ops))
        unequal += int((~same.all(axis=1)).sum())
    return unequal


def _kernel_ranges(rows: Rows, devices: list[int]) -> list[float]:
    """µs per I/O, of complete minutes."""
    chosen = np.flatnonzero(np.isin(rows.thing, devices) & complete(rows))
    ledger = rows.rows
    widths = (ledger.span_upper - ledger.span_lower)[chosen, Direction.ALL, _KERNEL] / ledger.ops[chosen, Direction.ALL]
    known: list[float] = widths[~np.isnan(widths)].tolist()
    return known


# --- one host ---------------------------------------------------------------------------------------------------------


def _of_host(
    found: Captures, drawn_: Drawn, host: EsxiHost, devices: DeviceSamples, stretch: Stretch
) -> dict[int, list[CapturedRows]]:
    """By device, rows of the host's capture as the product takes them; none where both sides are not of one load."""
    imported = _recorded(drawn_, host, stretch)
    found.files += 1
    found.warnings += len(imported.report["warnings"])
    numbers = {drawn_.lab.environment.devices[number].name: number for number in host.devices}
    objects = [one for one in imported.objects if one.kind == "device"]
    pairs = [_pair(devices, numbers[one.name], one, imported) for one in objects]
    offset = propose_offset(pairs)
    if offset is None or not offset.is_usable:
        # As a person gives it: the capture's clock is the host's.
        offset = measure_agreement(pairs, 0.0)
    if not (imported.is_consistent and offset.is_same_load):
        return {}
    found.narrowing += 1
    return {numbers[one.name]: [rows_of_device(_tied(one, imported, offset))] for one in objects}


def _recorded(drawn_: Drawn, host: EsxiHost, stretch: Stretch) -> ImportedCapture:
    """The file of the stretch and what lies beside it."""
    ahead_s = drawn_.lab.clocks.hosts[host.index].offset_s()
    first = int(60 * stretch.first + ahead_s - _BESIDE_S)
    rows = int((60 * stretch.minutes + 2 * _BESIDE_S) / _INTERVAL_S) + 1
    capture = EsxtopCapture(drawn_.lab, host, first, interval_s=_INTERVAL_S, rows=rows)
    text = "".join(f"{line}\n" for line in capture.lines())
    return read_import(io.BytesIO(text.encode()), f"{host.name}.csv", ImportOptions())


def _pair(
    devices: DeviceSamples, number: int, one: CapturedObject, imported: ImportedCapture
) -> tuple[StoredCounts, CapturedCounts]:
    mine = devices.device == number
    rates = one.columns["reads_per_s"] + one.columns["writes_per_s"]
    return (
        StoredCounts(
            end_us=devices.times.end_us[mine],
            length_us=devices.times.length_us[mine],
            ops=devices.ops[mine].sum(axis=1),
        ),
        CapturedCounts(end_us=imported.ended_us, length_us=imported.length_us, ops=rates * imported.length_us / _US),
    )


def _tied(one: CapturedObject, imported: ImportedCapture, offset: OffsetProposal) -> CapturedDevice:
    return CapturedDevice(
        import_id=1,
        device_id=None,
        name=one.name,
        offset_s=offset.offset_s,
        offset_error_s=offset.error_s,
        half_us=imported.half_us,
        ended_us=imported.ended_us,
        length_us=imported.length_us,
        columns=one.columns,
    )
