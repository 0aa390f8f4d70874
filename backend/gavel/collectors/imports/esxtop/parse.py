"""Reads one esxtop batch capture, as a stream: segments of rows, then arrays. Says of everything it leaves out what and why."""

from dataclasses import replace
from pathlib import Path
from typing import IO

from gavel.collectors.imports.esxtop.assemble import assemble
from gavel.collectors.imports.esxtop.capture import EsxtopCapture
from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.errors import (
    CAPTURE_COMMAND,
    EsxtopFileError,
    EsxtopRowError,
    FileWarning,
    RefusedRow,
)
from gavel.collectors.imports.esxtop.header import (
    ObjectKey,
    ReadPlan,
    header_cells,
    plan_header,
    split_world,
)
from gavel.collectors.imports.esxtop.lines import CaptureLines, ReadLimits, TextLine
from gavel.collectors.imports.esxtop.segment import SegmentRows
from gavel.collectors.imports.esxtop.times import PDH_PREFIXES, TimeZone

_LISTED_ROWS = 20
_LISTED_NAMES = 8
# Captures that were appended to one another, and how many times their numbers they may take side by side.
_MOST_SEGMENTS = 1000
_MOST_SPREAD = 2
_HEADER_STARTS = (*PDH_PREFIXES, *(b'"' + prefix for prefix in PDH_PREFIXES))
_CHOSEN_KINDS = (ObjectKind.DEVICE, ObjectKind.NFS_VOLUME)
_DEFAULT_LIMITS = ReadLimits()


def read_capture(
    source: Path | IO[bytes],
    *,
    file: str | None = None,
    device: str | None = None,
    bias_minutes: int | None = None,
    limits: ReadLimits = _DEFAULT_LIMITS,
) -> EsxtopCapture:
    """The capture in a file or binary stream. Raises EsxtopFileError when it cannot be used.

    file: what messages call it. device: only devices (with their worlds) and NFS volumes whose name contains this. bias_minutes: UTC minus
    local time, for headers that name no zone.
    """
    name = file or (str(source) if isinstance(source, Path) else "standard input")
    reader = _CaptureReader(name, device, bias_minutes, limits)
    if not isinstance(source, Path):
        return reader.read(source)
    try:
        stream = source.open("rb")
    except OSError as error:
        raise EsxtopFileError(name, f"cannot be read ({error.strerror or error}).") from error
    with stream:
        return reader.read(stream)


class _CaptureReader:
    def __init__(self, file: str, device: str | None, bias_minutes: int | None, limits: ReadLimits) -> None:
        self._file = file
        self._device = device
        self._bias_minutes = bias_minutes
        self._limits = limits
        self._segments: list[SegmentRows] = []
        self._warnings: list[FileWarning] = []
        self._refused: list[RefusedRow] = []
        self._refused_rows = 0
        self._values = 0
        self._reads_paths = True
        self._preamble = _Preamble()

    def read(self, stream: IO[bytes]) -> EsxtopCapture:
        lines = CaptureLines(stream, self._file, self._limits)
        for line in lines:
            self._take(line)
        if not self._segments:
            raise EsxtopFileError(self._file, self._preamble.reason())
        if lines.cut_short:
            self._warn(
                "compressed_data_cut",
                "The compressed data end too early: rows up to there are used. Copy the file again.",
            )
        self._require_storage()
        self._require_alike()
        if self._refused_rows and not any(segment.stamps_s for segment in self._segments):
            first = self._refused[0]
            raise EsxtopFileError(self._file, f"no row can be used. {_sentence(first)}", line=first.line)
        return assemble(self._file, self._segments, self._warnings, tuple(self._refused), self._refused_rows)

    def _take(self, line: TextLine) -> None:
        if line.data.startswith(_HEADER_STARTS):
            self._start_segment(line)
        elif not self._segments:
            self._preamble.see(line.data)
            if self._preamble.bytes > self._limits.junk_bytes:
                raise EsxtopFileError(self._file, self._preamble.reason())
        elif line.data.strip():
            self._add_row(line)

    def _start_segment(self, line: TextLine) -> None:
        separator = b"\t" if b"(PDH-TSV" in line.data[:10] else b","
        if len(self._segments) >= _MOST_SEGMENTS:
            raise EsxtopFileError(self._file, f"more than {_MOST_SEGMENTS} headers. Split the file.", line=line.number)
        cells = header_cells(_decoded(line.data), separator.decode())
        plan = self._restricted(plan_header(cells), line)
        if not self._reads_paths:
            plan = plan.without(ObjectKind.PATH)
        if self._segments and plan.host != self._segments[0].plan.host:
            raise EsxtopFileError(
                self._file,
                f"a header of host {plan.host!r} after one of {self._segments[0].plan.host!r}. One file per host: split it here.",
                line=line.number,
            )
        self._segments.append(SegmentRows(plan, self._zone(plan, line), line.number, separator))

    def _zone(self, plan: ReadPlan, line: TextLine) -> TimeZone:
        if plan.zone is not None:
            return plan.zone
        if self._bias_minutes is None:
            raise EsxtopFileError(
                self._file, "the header names no time zone. Give it: --utc-offset +02:00", line=line.number
            )
        return TimeZone("", self._bias_minutes)

    def _restricted(self, plan: ReadPlan, line: TextLine) -> ReadPlan:
        """The plan with the chosen devices alone."""
        if self._device is None or not plan.cells:
            return plan
        cells = tuple(cell for cell in plan.cells if _is_of(cell.key, self._device))
        if not cells:
            names = sorted({cell.key[1] for cell in plan.cells if cell.key[0] in _CHOSEN_KINDS})
            listed = ", ".join(names[:_LISTED_NAMES]) + (" …" if len(names) > _LISTED_NAMES else "")
            raise EsxtopFileError(
                self._file, f"no device contains {self._device!r}. There are: {listed or 'none'}", line=line.number
            )
        duplicates = tuple(cell for cell in plan.duplicates if _is_of(cell.key, self._device))
        return replace(plan, cells=cells, duplicates=duplicates)

    def _add_row(self, line: TextLine) -> None:
        segment = self._segments[-1]
        try:
            segment.add(line)
        except EsxtopRowError as error:
            if line.complete:
                self._refuse(RefusedRow(line.number, str(error), error.column))
            else:
                self._warn("last_row_truncated", f"The last row is cut off ({error}) and not used.", line=line.number)
            return
        self._values += len(segment.wanted)
        if self._values > self._limits.values:
            self._leave_out_paths()
        if self._values > self._limits.values:
            raise EsxtopFileError(
                self._file,
                f"more than {self._limits.values // 1_000_000} million numbers of disks, devices and worlds. "
                "Read one device at a time (--device), or split the file.",
                line=line.number,
            )

    def _leave_out_paths(self) -> None:
        """They are many, and the file says much without them."""
        left_out = sum(segment.leave_out(ObjectKind.PATH) for segment in self._segments if self._reads_paths)
        self._reads_paths = False
        self._values -= left_out
        if left_out:
            self._warn(
                "paths_left_out",
                "Paths are not used: with them, the numbers of this file are more than fit into memory. Capture for a shorter time.",
            )

    def _refuse(self, row: RefusedRow) -> None:
        self._refused_rows += 1
        if len(self._refused) < _LISTED_ROWS:
            self._refused.append(row)
        if self._refused_rows > self._limits.refused_rows:
            raise EsxtopFileError(
                self._file,
                f"more than {self._limits.refused_rows} rows cannot be used. {_sentence(row)}",
                line=row.line,
            )

    def _require_storage(self) -> None:
        if any(segment.plan.cells for segment in self._segments):
            return
        objects = ", ".join(each.object for each in self._segments[0].plan.report.objects[:_LISTED_NAMES])
        raise EsxtopFileError(
            self._file,
            f"captured without disk fields (it has {objects or 'no columns'}). Capture again: {CAPTURE_COMMAND}",
            line=self._segments[0].header_line,
        )

    def _require_alike(self) -> None:
        """Each column is kept over all rows, also those below headers that lack it."""
        columns = {(cell.key, cell.counter.name) for segment in self._segments for cell in segment.plan.cells}
        rows = sum(len(segment.stamps_s) for segment in self._segments)
        if len(columns) * rows > _MOST_SPREAD * self._limits.values:
            raise EsxtopFileError(
                self._file,
                f"its {len(self._segments)} headers have too little in common. Split it where a header begins.",
            )

    def _warn(self, code: str, text: str, *, line: int | None = None) -> None:
        self._warnings.append(FileWarning(code, text, line))


def _is_of(key: ObjectKey, device: str) -> bool:
    """Whether an object is a device or NFS volume whose name contains this, or a world's share of one."""
    kind, name = key
    if kind is ObjectKind.WORLD:
        name = split_world(name)[0]
    return (kind is ObjectKind.WORLD or kind in _CHOSEN_KINDS) and device.lower() in name.lower()


def _sentence(row: RefusedRow) -> str:
    column = f", column {row.column}" if row.column else ""
    return f"Line {row.line}{column}: {row.reason}."


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Preamble:
    """Lines before the first header: banners and notices; without any header, what the file is instead."""

    def __init__(self) -> None:
        self.bytes = 0
        self._hint = ""

    def see(self, data: bytes) -> None:
        self.bytes += len(data) + 1
        if not self._hint:
            self._hint = _hint(data)

    def reason(self) -> str:
        if not self.bytes:
            return "is empty."
        return (
            self._hint
            or f"no esxtop batch capture: no line starts with (PDH-CSV 4.0). Capture on the ESXi host: {CAPTURE_COMMAND}"
        )


def _hint(data: bytes) -> str:
    """What a line without a header before it says about the file."""
    start = data.lstrip(b'"\xef\xbb\xbf ')
    if start.startswith(b"Timestamp") and b"RawData" in data:
        return (
            "a table with RawData (Azure VMware Solution): it lacks the list of counters that its numbers belong to. "
            f"Capture in batch mode: {CAPTURE_COMMAND}"
        )
    if start.startswith(b"top - "):
        return "output of top of Linux, not of esxtop on an ESXi host."
    if b"\x1b" in data:
        return f"a copy of esxtop's screen (it holds escape characters). Batch mode has -b: {CAPTURE_COMMAND}"
    if start.startswith(b"\\\\") or b"\\Physical Disk" in data or b"\\Group Cpu" in data:
        return "a part of a header: its first cell, (PDH-CSV 4.0), is missing. Use the file as esxtop wrote it."
    return ""
