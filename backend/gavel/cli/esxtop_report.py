"""A capture and its summary as text: what the file holds, then one block per device and one table of virtual disks."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from gavel.collectors.imports.esxtop.capture import EsxtopCapture
from gavel.collectors.imports.esxtop.checks import SelfCheck, is_consistent
from gavel.collectors.imports.esxtop.columns import BOUNDARIES, ObjectKind
from gavel.collectors.imports.esxtop.summary import (
    DIRECTIONS,
    OTHER_WORLDS,
    MinuteSummary,
    ObjectSummary,
    TimePart,
    WorldShare,
)
from gavel.collectors.imports.esxtop.weighted import InstantSummary, LatencyMean
from gavel.domain.text import clean_text

_NAMES = {"guest": "GAVG", "driver": "DAVG", "kernel": "KAVG", "queue": "QAVG"}
_MEANINGS = {
    "guest": "device latency, kernel included",
    "driver": "below the driver: SAN and array",
    "kernel": "kernel, queue included",
    "queue": "kernel queue",
}
_PARTS = {
    "kernel_queue": "kernel queue (QAVG)",
    "kernel_processing": "kernel processing (KAVG − QAVG)",
    "kernel": "kernel (KAVG)",
    "san_and_array": "SAN and array (DAVG)",
}
_NOT_CAPTURED = "n/a"
_BYTES_PER_MB = 1e6
_MOST_UNKNOWN = 5
_MOST_VMS = 8


def report_lines(
    capture: EsxtopCapture, checks: Sequence[SelfCheck], summaries: Sequence[ObjectSummary]
) -> Iterator[str]:
    yield from _file_lines(capture)
    yield from _header_lines(capture)
    yield from _warning_lines(capture)
    yield from _check_lines(checks)
    kinds = {
        ObjectKind.DEVICE: ("Devices", _device_lines),
        ObjectKind.NFS_VOLUME: ("NFS volumes", _device_lines),
        ObjectKind.VIRTUAL_DISK: ("Virtual disks", _disk_lines),
        ObjectKind.ADAPTER: ("Adapters", _adapter_lines),
    }
    for kind, (title, lines) in kinds.items():
        if of_kind := [each for each in summaries if each.kind is kind]:
            yield from ("", title, *lines(of_kind))
    yield ""


def _file_lines(capture: EsxtopCapture) -> Iterator[str]:
    first, last = _at(capture.ended_at_s.min()), _at(capture.ended_at_s.max())
    until = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    yield capture.file
    yield f"  Host         {clean_text(capture.host) or 'not named'}"
    yield f"  Time         {first:%Y-%m-%d %H:%M:%S} – {until} UTC (stamps: {capture.zone.name or 'zone not named'})"
    segments = f" in {len(capture.segments)} segments" if len(capture.segments) > 1 else ""
    refused = f"; {capture.refused_rows} not used" if capture.refused_rows else ""
    yield (
        f"  Rows         {capture.rows}{segments}, every {capture.step_s[capture.has_rates].mean():.1f} s{refused}; "
        f"{int(capture.has_rates.sum())} with rates (the first of a capture has none)"
    )


def _header_lines(capture: EsxtopCapture) -> Iterator[str]:
    report = capture.segments[0].report
    unknown = f", {report.unknown_columns} unknown" if report.unknown_columns else ", none unknown"
    yield f"  Columns      {report.columns:,}, {report.used_columns:,} used{unknown}, {report.unnamed_columns} unnamed"
    rows = [
        (clean_text(each.object), f"{each.instances:,}", f"{each.columns:,}", f"{each.used_columns:,}")
        for each in report.objects
    ]
    yield from _table(("object", "instances", "columns", "used"), rows, indent=4)
    yield from (f"    unknown: {clean_text(name)}" for name in report.unknown_names[:_MOST_UNKNOWN])


def _warning_lines(capture: EsxtopCapture) -> Iterator[str]:
    for warning in capture.warnings:
        where = f"line {warning.line}: " if warning.line is not None else ""
        where += f"column {clean_text(warning.column)}: " if warning.column else ""
        yield f"  Warning      {where}{clean_text(warning.text)}"
    for row in capture.refused:
        column = f", column {clean_text(row.column)}" if row.column else ""
        yield f"  Not used     line {row.line}{column}: {row.reason}"
    if (more := capture.refused_rows - len(capture.refused)) > 0:
        yield f"  Not used     and {more} more rows"


def _check_lines(checks: Sequence[SelfCheck]) -> Iterator[str]:
    if not checks:
        yield "  Self-checks  none possible: no device row has an I/O per second"
        return
    failed = [check for check in checks if check.failed]
    rows = sum(check.rows for check in checks)
    if is_consistent(list(checks)):
        kept = f"{rows - sum(each.failed for each in failed):,} of {rows:,} tests hold"
        yield f"  Self-checks  consistent: {kept}"
    else:
        yield "  Self-checks  inconsistent: counters contradict each other in more than 1 % of the rows. Do not conclude from this file."
    for check in failed:
        yield f"    {check.relation}: not in {check.failed} of {check.rows} rows of {clean_text(check.device)}"


def _device_lines(summaries: Sequence[ObjectSummary]) -> Iterator[str]:
    idle = [each for each in summaries if _is_idle(each)]
    for summary in summaries:
        if not _is_idle(summary):
            yield from _device_block(summary)
    if idle:
        yield f"  No reads or writes: {', '.join(clean_text(each.name) for each in idle)}"


def _is_idle(summary: ObjectSummary) -> bool:
    rates = [summary.rates.get(name) for name in ("reads_per_s", "writes_per_s")]
    if rates == [None, None]:
        return not summary.rates.get("commands_per_s")
    return not any(rates)


def _device_block(summary: ObjectSummary) -> Iterator[str]:
    yield f"  {clean_text(summary.name)}"
    yield f"    {_load(summary)}"
    yield from _latency_lines(summary)
    yield from _part_lines(summary)
    if instants := _instants(summary):
        yield f"    queue         {instants}"
    if summary.worst_minutes:
        yield f"    worst minutes {_minute(summary.worst_minutes[0])}"
        yield from (f"                  {_minute(each)}" for each in summary.worst_minutes[1:])
    if summary.worlds:
        yield f"    I/O by VM     {_worlds(summary.worlds)}"


def _load(summary: ObjectSummary) -> str:
    rates = summary.rates
    parts = [
        f"{_number(rates.get('reads_per_s'))} reads/s",
        f"{_number(rates.get('writes_per_s'))} writes/s",
        f"{_megabytes(rates.get('read_bytes_per_s'))} MB/s read",
        f"{_megabytes(rates.get('write_bytes_per_s'))} MB/s written",
    ]
    parts += [
        f"{rates[name]:.2f} {name.removesuffix('_per_s')}/s"
        for name in ("aborts_per_s", "resets_per_s")
        if rates.get(name)
    ]
    if summary.many_other_commands:
        parts.append(f"{summary.other_share:.0%} of the commands neither read nor write")
    return ", ".join(parts)


def _latency_lines(summary: ObjectSummary) -> Iterator[str]:
    means = [each for by_boundary in summary.latency.values() for each in by_boundary.values() if each]
    if not means:
        yield "    latency       none: no I/O, or not captured"
        return
    together = "per command" if summary.per_command else "all"
    head = ("latency, ms", "read", "write", together, "max", "")
    rows = []
    for boundary in BOUNDARIES_IN_ORDER:
        cells = [summary.latency[direction][boundary] for direction in DIRECTIONS]
        if any(cells):
            rows.append((_NAMES[boundary], *(_ms(each) for each in cells), _largest(cells), _MEANINGS[boundary]))
    yield from _table(head, rows, indent=4, note=f"means over I/Os, ± {means[0].half_us / 1000:g}")


BOUNDARIES_IN_ORDER = tuple(sorted(BOUNDARIES, key=list(_NAMES).index))


def _largest(cells: Iterable[LatencyMean | None]) -> str:
    slowest = max((each for each in cells if each), key=lambda each: each.max_us)
    return f"{slowest.max_us / 1000:.2f} at {_at(slowest.max_at_s):%H:%M:%S}"


def _part_lines(summary: ObjectSummary) -> Iterator[str]:
    """Where the time is."""
    directions = [direction for direction in DIRECTIONS if summary.time_parts[direction]]
    if not directions:
        return
    columns = [summary.time_parts[direction] for direction in directions]
    totals = [sum(part.mean_us for part in parts) for parts in columns]
    rows = [
        (_PARTS[parts[0].name], *(_part(part, total) for part, total in zip(parts, totals, strict=True)))
        for parts in zip(*columns, strict=True)
    ]
    titles = ["per command" if summary.per_command else direction for direction in directions]
    yield from _table(("where the time is, ms (range)", *titles), rows, indent=4)


def _part(part: TimePart, total_us: float) -> str:
    share = f"{part.mean_us / total_us:>5.0%}" if total_us else ""
    return f"{part.mean_us / 1000:.3f} ({part.lower_us / 1000:.3f}–{part.upper_us / 1000:.3f}){share}"


def _instants(summary: ObjectSummary) -> str:
    names = {"active": "ACTV", "queued": "QUED", "used_percent": "%USD", "load_ratio": "LOAD"}
    parts = [
        f"{label} {each.mean:.1f} (max {each.max:g})"
        for name, label in names.items()
        if (each := summary.instants.get(name))
    ]
    depths = {"device_queue_depth": "DQLEN", "world_queue_depth": "WQLEN"}
    parts += [
        f"{label} {_range(each)}" for name, label in depths.items() if (each := summary.instants.get(name)) and each.max
    ]
    return ", ".join(parts)


def _range(instants: InstantSummary) -> str:
    return f"{instants.max:g}" if instants.min == instants.max else f"{instants.min:g}–{instants.max:g}"


def _minute(minute: MinuteSummary) -> str:
    layers = ", ".join(
        f"{_NAMES[boundary]} {value / 1000:.2f}"
        for boundary in BOUNDARIES_IN_ORDER
        if (value := minute.layer_us.get(boundary)) is not None
    )
    queued = f", QUED ≤ {minute.queued_max:g}" if minute.queued_max else ""
    return f"{_at(minute.started_at_s):%Y-%m-%d %H:%M} UTC: {layers} ms, {minute.ios:,.0f} I/Os{queued}"


def _worlds(worlds: Sequence[WorldShare]) -> str:
    parts = [
        f"{OTHER_WORLDS if each.vm is None else clean_text(each.vm)} {each.share:.0%} ({each.commands_per_s:,.1f}/s)"
        for each in worlds[:_MOST_VMS]
    ]
    parts += [f"{len(worlds) - _MOST_VMS} more"] if len(worlds) > _MOST_VMS else []
    vms = sum(each.vm is not None for each in worlds)
    competing = f"; {vms} VMs share the device queue" if vms > 1 else ""
    return ", ".join(parts) + competing


def _disk_lines(summaries: Sequence[ObjectSummary]) -> Iterator[str]:
    busy = [each for each in summaries if not _is_idle(each)]
    rows = []
    for each in busy:
        latencies = [each.latency[direction]["guest"] for direction in DIRECTIONS]
        rows.append(
            (
                f"{clean_text(each.vm or '')} {each.disk}",
                _number(each.rates.get("reads_per_s")),
                _number(each.rates.get("writes_per_s")),
                _megabytes(each.rates.get("read_bytes_per_s")),
                _megabytes(each.rates.get("write_bytes_per_s")),
                *(_ms(latency) for latency in latencies),
                _largest(latencies) if any(latencies) else _NOT_CAPTURED,
            )
        )
    if rows:
        head = ("VM, disk", "reads/s", "writes/s", "MB/s read", "written", "read ms", "write ms", "all ms", "max ms")
        yield from _table(head, rows, indent=2)
    if idle := len(summaries) - len(busy):
        yield f"  {idle} virtual disk{'s' if idle > 1 else ''} without I/O"


def _adapter_lines(summaries: Sequence[ObjectSummary]) -> Iterator[str]:
    rows = []
    for each in summaries:
        depth = each.instants.get("adapter_queue_depth")
        rows.append(
            (
                clean_text(each.name),
                _number(each.rates.get("reads_per_s")),
                _number(each.rates.get("writes_per_s")),
                _megabytes(each.rates.get("read_bytes_per_s")),
                _megabytes(each.rates.get("write_bytes_per_s")),
                _range(depth) if depth else _NOT_CAPTURED,
            )
        )
    yield from _table(("adapter", "reads/s", "writes/s", "MB/s read", "written", "AQLEN"), rows, indent=2)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, indent: int, note: str = "") -> Iterator[str]:
    """The first column to the left, texts of the last one too when it has no title."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    for row in (head, *rows):
        first = row[0].ljust(widths[0])
        rest = [
            cell.ljust(width) if not title else cell.rjust(width)
            for cell, width, title in zip(row[1:], widths[1:], head[1:], strict=True)
        ]
        line = "  ".join((" " * indent + first, *rest)).rstrip()
        yield f"{line}  {note}" if note and row is head else line


def _number(value: float | None) -> str:
    return _NOT_CAPTURED if value is None else f"{value:,.1f}"


def _megabytes(value: float | None) -> str:
    return _NOT_CAPTURED if value is None else f"{value / _BYTES_PER_MB:,.2f}"


def _ms(latency: LatencyMean | None) -> str:
    return _NOT_CAPTURED if latency is None else f"{latency.mean_us / 1000:.3f}"


def _at(at_s: float) -> datetime:
    return datetime.fromtimestamp(at_s, UTC)
