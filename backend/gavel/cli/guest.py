"""Disk counters that guests push. `token` says who may push, `list` what came and which virtual disks it is of, `tie` and `untie` say
so by hand. `script` prints a script for a guest without an agent. `check` reads lines from a file, as an agent would push them (Telegraf:
outputs.file with data_format influx), and shows how Gavel understands them; nothing is stored, and Gavel need not run. Code 1: the file
cannot be read, or no line of it is used."""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from gavel.cli import guest_script, guest_tokens
from gavel.collectors.guest_registry import read_line_protocol
from gavel.collectors.line_protocol import PRECISION_NS
from gavel.config import Settings
from gavel.domain.errors import SettingsError
from gavel.domain.guest_intervals import (
    DiskInterval,
    IntervalQuality,
    LastReading,
    Placed,
    measure_interval,
    order_fault,
)
from gavel.domain.guests import DiskCounters, DiskReading, PushedReadings, RefusalReason
from gavel.domain.samples import NOT_MEASURED

_MOST_BYTES = 512 * 2**20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser("check", help="show how lines in InfluxDB line protocol are understood")
    check.add_argument("file", help="lines; - for standard input")
    check.add_argument("--precision", choices=PRECISION_NS, default="ns", help="unit of the times (default ns)")

    guest_tokens.add_token_arguments(actions.add_parser("token", help="make, list and revoke tokens of guests"))
    guest_script.add_script_arguments(
        actions.add_parser("script", help="print a script that pushes from a guest without an agent")
    )
    actions.add_parser("list", help="disks that are pushed, and the virtual disks that they are")
    tie = actions.add_parser("tie", help="say which virtual disk a disk of a guest is")
    tie.add_argument("disk", type=int, help="its number in `gavel guest list`")
    tie.add_argument("vm", help="name of the VM")
    tie.add_argument("instance", help="the virtual disk, as scsi0:1")
    untie = actions.add_parser("untie", help="forget what was tied by hand")
    untie.add_argument("disk", type=int, help="its number in `gavel guest list`")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    match arguments.action:
        case "token":
            return guest_tokens.run_token(arguments, settings)
        case "script":
            return guest_script.run_script(arguments, settings)
        case "list":
            return guest_tokens.run_list(settings)
        case "tie":
            return guest_tokens.run_tie(settings, arguments.disk, arguments.vm, arguments.instance)
        case "untie":
            return guest_tokens.run_untie(settings, arguments.disk)
        case _:
            return _check(arguments)


def _check(arguments: argparse.Namespace) -> int:
    found = read_line_protocol(_read(arguments.file), arguments.precision)
    print("\n".join(_lines(found)))
    return 0 if found.readings else 1


def _read(file: str) -> bytes:
    try:
        body = sys.stdin.buffer.read(_MOST_BYTES + 1) if file == "-" else _limited(Path(file))
    except OSError as error:
        raise SettingsError(f"{file}: no lines can be read from it ({error.strerror}).") from error
    if len(body) > _MOST_BYTES:
        raise SettingsError(f"{file}: larger than {_MOST_BYTES // 2**20} MiB. Split it.")
    return body


def _limited(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_MOST_BYTES + 1)


def _lines(pushed: PushedReadings) -> Iterator[str]:
    disks: dict[tuple[str, str, str, str], list[DiskReading]] = defaultdict(list)
    for reading in pushed.readings:
        disks[reading.guest.key, reading.agent, reading.kind, reading.disk].append(reading)
    unused = Counter(line.reason for line in pushed.refused)
    for readings in disks.values():
        intervals, faults = _intervals(readings)
        unused += faults
        yield _disk_line(readings, intervals)
    for reason, lines in unused.most_common():
        example = next((f"; line {line.line}: {line.detail}" for line in pushed.refused if line.reason is reason), "")
        yield f"not used: {lines} × {reason.replace('_', ' ')}{example}"
    yield f"{len(pushed.readings)} readings, disks: {len(disks)}, lines refused: {len(pushed.refused)}."


def _intervals(readings: list[DiskReading]) -> tuple[list[DiskInterval], Counter[RefusalReason]]:
    """Of one disk, in the order of the file. Readings without a time make none: a file has no arrival."""
    intervals, faults = [], Counter[RefusalReason]()
    last: LastReading | None = None
    for reading in readings:
        at_us = reading.at_us
        if at_us is None:
            faults[RefusalReason.OUTSIDE_TIME] += 1
            continue
        if last is not None and (fault := order_fault(last, at_us, at_us, at_us)) is not None:
            faults[fault] += 1
            continue
        if last is not None:
            made = measure_interval(last, at_us, Placed(at_us, IntervalQuality.A), reading.numbers, reading.step)
            if isinstance(made, DiskInterval):
                intervals.append(made)
            else:
                faults[made] += 1
        counters = reading.numbers if isinstance(reading.numbers, DiskCounters) else None
        last = LastReading(at_us, at_us, at_us, counters)
    return intervals, faults


def _disk_line(readings: list[DiskReading], intervals: list[DiskInterval]) -> str:
    first = readings[0]
    who = f"{first.guest.host_name:<20} {first.disk:<24} {first.kind.replace('_', ' '):<13} {first.agent:<13}"
    serial = f"  serial {first.identity.serial}" if first.identity.serial else ""
    if not intervals:
        return f"{who} {len(readings)} readings, no interval yet: two readings at most 300 s apart make one{serial}"
    seconds = sum(each.interval_s for each in intervals)
    parts = "  ".join(_direction(intervals, direction, seconds) for direction in ("read", "write"))
    return f"{who} {len(intervals)} intervals, {seconds} s  {parts}{serial}"


def _direction(intervals: list[DiskInterval], direction: str, seconds: int) -> str:
    """Latency is weighted by its I/Os."""
    ops = sum(each.values[f"{direction}_ops"] for each in intervals)
    timed = [each.values for each in intervals if each.values[f"{direction}_latency_us"] != NOT_MEASURED]
    weight = sum(values[f"{direction}_ops"] for values in timed)
    total_us = sum(values[f"{direction}_latency_us"] * values[f"{direction}_ops"] for values in timed)
    latency = f"{total_us / weight / 1000:.3f} ms" if weight else "latency not measured"
    return f"{direction} {ops / seconds:.1f}/s {latency}"
