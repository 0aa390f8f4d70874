"""From segments of rows to one capture: UTC, one array per column, no value where there was no I/O, and what limits its use."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gavel.collectors.imports.esxtop.capture import CaptureSegment, EsxtopCapture, ObjectSeries
from gavel.collectors.imports.esxtop.columns import (
    COUNTERS,
    DEVICE_OBJECT,
    DISK_OBJECT,
    NFS_OBJECT,
    CounterDirection,
    CounterNature,
    ObjectKind,
)
from gavel.collectors.imports.esxtop.errors import CAPTURE_COMMAND, EsxtopFileError, FileWarning, RefusedRow
from gavel.collectors.imports.esxtop.header import ObjectKey, split_disks, split_world
from gavel.collectors.imports.esxtop.segment import SegmentRows
from gavel.collectors.imports.esxtop.times import Float64Array, is_uneven, mean_steps, to_utc

_LEAST_ROWS = 2
_MOST_UNKNOWN_PERCENT = 5
_LISTED = 5
_GATE = {
    CounterDirection.READ: "reads_per_s",
    CounterDirection.WRITE: "writes_per_s",
    CounterDirection.COMMAND: "commands_per_s",
}

Columns = dict[str, Float64Array]


def assemble(
    file: str,
    segments: Sequence[SegmentRows],
    warnings: Sequence[FileWarning],
    refused: tuple[RefusedRow, ...],
    refused_rows: int,
) -> EsxtopCapture:
    """Raises EsxtopFileError when fewer than two rows have rates."""
    used = [segment for segment in segments if segment.stamps_s]
    rates = sum(len(segment.stamps_s) - 1 for segment in used)
    if rates < _LEAST_ROWS:
        raise EsxtopFileError(
            file,
            f"{rates} usable rows; at least {_LEAST_ROWS} are needed, and the first row of a capture has no rates. "
            + (f"{refused_rows} rows are not used: line {refused[0].line}: {refused[0].reason}. " if refused else "")
            + f"Capture longer: {CAPTURE_COMMAND}",
        )
    notes = [*warnings]
    first_rows = np.cumsum([0, *(len(segment.stamps_s) for segment in used)])
    timed = [_timed(segment, notes) for segment in used]
    ended_at_s = np.concatenate([utc_s for utc_s, _ in timed])
    has_rates = np.ones(len(ended_at_s), dtype=np.bool_)
    has_rates[first_rows[:-1]] = False
    notes.extend(_order_warnings(ended_at_s, [line for segment in used for line in segment.lines]))
    columns = _columns(used, first_rows, notes)
    _drop_idle_and_first(columns, has_rates)
    objects = tuple(_objects(columns, notes))
    notes.extend(_file_warnings(used, objects))
    return EsxtopCapture(
        file=file,
        host=used[0].plan.host,
        zone=used[0].zone,
        ended_at_s=ended_at_s,
        step_s=np.concatenate([step_s for _, step_s in timed]),
        has_rates=has_rates,
        objects=objects,
        segments=tuple(
            CaptureSegment(segment.header_line, int(first), len(segment.stamps_s), segment.plan.report)
            for segment, first in zip(used, first_rows[:-1], strict=True)
        ),
        world_vms={world: vm for segment in used for world, vm in segment.plan.world_vms.items()},
        latency_half_us=500.0 * 10.0 ** -max(segment.decimals for segment in used),
        warnings=tuple(notes),
        refused=refused,
        refused_rows=refused_rows,
    )


def _timed(segment: SegmentRows, notes: list[FileWarning]) -> tuple[Float64Array, Float64Array]:
    """End and length of each row."""
    zone = segment.zone
    utc_s, changes = to_utc(np.array(segment.stamps_s), zone)
    for change in changes:
        way = "back" if change.shift_s > 0 else "forward"
        text = f"The local clock was set {way} by an hour before this row (time zone {zone.name!r}): corrected."
        notes.append(FileWarning("clock_change", text, segment.lines[change.row]))
    if not zone.is_utc and not any(note.code == "local_time" for note in notes):
        text = (
            f"Stamps are local time of {zone.name or 'an unnamed zone'!r}, UTC minus local {zone.bias_minutes} min: "
            "converted to UTC. ESXi writes UTC."
        )
        notes.append(FileWarning("local_time", text, segment.header_line))
    if segment.day_first:
        notes.append(FileWarning("day_first", "Dates are read as DD/MM/YYYY.", segment.lines[0]))
    if is_uneven(utc_s):
        steps = np.diff(utc_s)
        text = f"Rows are {steps.min():g} to {steps.max():g} s apart: rows are missing, or the host was too busy for esxtop."
        notes.append(FileWarning("uneven_step", text, segment.lines[int(np.argmax(steps)) + 1]))
    return utc_s, mean_steps(utc_s)


def _order_warnings(ended_at_s: Float64Array, lines: Sequence[int]) -> Iterator[FileWarning]:
    back = np.flatnonzero(np.diff(ended_at_s) <= 0)
    if len(back):
        text = f"The time does not advance in {len(back)} of {len(ended_at_s)} rows, first at this line."
        yield FileWarning("time_not_rising", text, lines[int(back[0]) + 1])


def _columns(
    segments: Sequence[SegmentRows], first_rows: Sequence[int] | np.ndarray, notes: list[FileWarning]
) -> dict[ObjectKey, Columns]:
    """Each column over all segments, in its unit; NaN where a segment has it not."""
    rows = int(first_rows[-1])
    columns: dict[ObjectKey, Columns] = {}
    ambiguous: dict[ObjectKey, int] = {}
    negative: dict[str, int] = {}
    for segment, first in zip(segments, first_rows[:-1], strict=True):
        table = segment.table()
        for key in _ambiguous(segment, table):
            ambiguous.setdefault(key, segment.header_line)
        for at, cell in enumerate(segment.plan.cells):
            own = columns.setdefault(cell.key, {})
            if cell.counter.name not in own:
                own[cell.counter.name] = np.full(rows, np.nan)
            values = own[cell.counter.name]
            raw = table[:, at]
            if (raw < 0).any():
                name = f"{cell.key[1]}: {cell.counter.written}"
                negative[name] = negative.get(name, 0) + int((raw < 0).sum())
            values[first : first + len(raw)] = np.where(raw >= 0, raw, np.nan) * cell.counter.scale
    for key, line in ambiguous.items():
        del columns[key]
        text = (
            f"Two objects are called {key[1]!r}, with different values: they cannot be separated, and neither is used."
        )
        notes.append(FileWarning("duplicate_name", text, line))
    for name, count in negative.items():
        notes.append(FileWarning("negative_value", f"{count} negative values are not used.", column=name))
    return columns


def _ambiguous(segment: SegmentRows, table: Float64Array) -> Iterator[ObjectKey]:
    """Objects of which two columns have one name and different values."""
    positions = {(cell.key, cell.counter.name): at for at, cell in enumerate(segment.plan.cells)}
    for at, cell in enumerate(segment.plan.duplicates, len(segment.plan.cells)):
        if not np.array_equal(table[:, at], table[:, positions[cell.key, cell.counter.name]], equal_nan=True):
            yield cell.key


def _drop_idle_and_first(columns: Mapping[ObjectKey, Columns], has_rates: np.ndarray) -> None:
    """Only instants in the first row of a segment; no latency where its own rate is zero or not captured."""
    for (kind, _), own in columns.items():
        idle = {direction: _idle(own, direction) for direction in CounterDirection}
        for counter in COUNTERS[kind]:
            values = own.get(counter.name)
            if values is None or counter.nature is CounterNature.INSTANT:
                continue
            values[~has_rates] = np.nan
            if counter.direction is not None:
                values[idle[counter.direction]] = np.nan


def _idle(own: Columns, direction: CounterDirection) -> np.ndarray:
    """Rows without I/O of this direction. Commands that are neither reads nor writes alone make no latency worth a number."""
    rate = own.get(_GATE[direction])
    if rate is None:
        return np.ones(len(next(iter(own.values()))), dtype=np.bool_)
    active = rate > 0
    reads, writes = own.get("reads_per_s"), own.get("writes_per_s")
    if direction is CounterDirection.COMMAND and reads is not None and writes is not None:
        active = active & (reads + writes > 0)
    idle: np.ndarray = ~active
    return idle


def _objects(columns: Mapping[ObjectKey, Columns], notes: list[FileWarning]) -> Iterator[ObjectSeries]:
    disks = split_disks(name for kind, name in columns if kind is ObjectKind.VIRTUAL_DISK)
    vms_with_disks = {vm for vm, disk in disks.values() if disk is not None}
    odd = []
    for (kind, name), own in columns.items():
        parent = part = None
        if kind is ObjectKind.WORLD:
            parent, part = split_world(name)
        elif kind is ObjectKind.VIRTUAL_DISK:
            parent, part = disks[name]
            if part is None and parent not in vms_with_disks:
                odd.append(name)
                continue
        yield ObjectSeries(kind, name, parent, part, own)
    if odd:
        text = f"{len(odd)} virtual disk columns name no disk of a VM and are not used: {', '.join(odd[:_LISTED])}"
        notes.append(FileWarning("virtual_disk_without_vm", text))


def _file_warnings(segments: Sequence[SegmentRows], objects: Sequence[ObjectSeries]) -> Iterator[FileWarning]:
    """About what was captured."""
    line = segments[0].header_line
    devices = [each for each in objects if each.kind is ObjectKind.DEVICE]
    if devices and not any("read_guest_us" in each.columns or "write_guest_us" in each.columns for each in devices):
        text = f"Captured without -a: no read/write split of latency, no aborts. Capture with: {CAPTURE_COMMAND}"
        yield FileWarning("no_read_write_split", text, line)
    present = {each.object for segment in segments for each in segment.plan.report.objects}
    if DISK_OBJECT not in present:
        yield FileWarning(
            "only_physical_disks", "No virtual disks in the capture: latency as VMs see it is not measured.", line
        )
    elif not present & {DEVICE_OBJECT, NFS_OBJECT}:
        text = "No devices in the capture: kernel and storage latency are not measured."
        yield FileWarning("only_virtual_disks", text, line)
    for report in {segment.plan.report: segment for segment in segments}:
        if 100 * report.unknown_columns > _MOST_UNKNOWN_PERCENT * report.columns:
            text = (
                f"{report.unknown_columns} of {report.columns} columns are unknown, as {report.unknown_names[0]!r}: "
                "a newer ESXi? The header report lists them; please send it."
            )
            yield FileWarning("unknown_columns", text, line)
