"""Explains rows of one environment: what was said, what really happened, and the samples of both sides that it rests on.

.venv/bin/python -m tests.truth.per_io.explain 7                           every row of harsh environment 7 that is wrong
.venv/bin/python -m tests.truth.per_io.explain 7 --said confirmed            … of those that are confirmed
.venv/bin/python -m tests.truth.per_io.explain 7 --kind volume --thing 2   every minute of volume 2
.venv/bin/python -m tests.truth.per_io.explain 7 --kind vm --thing 4 --minute 5    one row with its samples
… --calm, --trap NAME in place of a seed, --window 3 (sums of three minutes; 0: the whole)
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from tests.truth.per_io.draw import calm, harsh
from tests.truth.per_io.environment import BASE_S, CLOSED, NOWHERE, Device, Environment
from tests.truth.per_io.events import simulated
from tests.truth.per_io.judge import Said, said_of
from tests.truth.per_io.product import mapped, observed, told
from tests.truth.per_io.traps import TRAPS
from tests.truth.per_io.truth import LAYERS
from tests.truth.per_io.wire import read

from gavel.analysis.attribution import in_words, qualities
from gavel.analysis.diagnosis import WORDS
from gavel.analysis.observed import Observed, Times
from gavel.analysis.segments import span_name
from gavel.domain.io_path import SPANS
from gavel.domain.scope import ScopeKind

_BESIDE_S = 45


def main(arguments: Sequence[str]) -> int:
    asked = _parser().parse_args(arguments)
    environment = _environment(asked)
    log = simulated(environment)
    batches = read(environment, log)
    rows = said_of(environment, log, told(environment, batches), (asked.window,))
    lines = list(_picture(environment))
    chosen = _chosen(rows, asked)
    for row in chosen:
        lines += _row(rows, int(row))
    if asked.minute is not None and len(chosen):
        seen = observed(environment, mapped(environment), batches)
        kind, thing = ScopeKind[asked.kind.upper()], asked.thing
        length = asked.window or environment.minutes
        lines += _samples(environment, seen, kind, thing, 60 * asked.minute, 60 * (asked.minute + length))
    sys.stdout.write("\n".join([*lines, f"{len(chosen)} of {len(rows)} rows", ""]))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="explain", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--calm", action="store_true", help="a calm environment instead of a harsh one")
    parser.add_argument("--minutes", type=int, default=12)
    parser.add_argument("--trap", choices=sorted(TRAPS), help="a fixed environment instead of a drawn one")
    parser.add_argument("--kind", help="host_device, vm_disk, vm, datastore, host, volume, array")
    parser.add_argument("--thing", type=int)
    parser.add_argument("--minute", type=int, help="first minute of the row, counted from the environment's first")
    parser.add_argument("--window", type=int, default=1, help="minutes that are summed up; 0 is the whole")
    parser.add_argument("--said", help="only rows with this confidence")
    parser.add_argument("--all", action="store_true", help="right rows, too")
    return parser


def _environment(asked: argparse.Namespace) -> Environment:
    if asked.trap:
        return TRAPS[asked.trap].environment()
    return calm(asked.seed, asked.minutes) if asked.calm else harsh(asked.seed, asked.minutes)


def _chosen(rows: Said, asked: argparse.Namespace) -> np.ndarray:
    named = asked.thing is not None
    kept = np.ones(len(rows), np.bool_) if named or asked.all else rows.wrong.astype(np.bool_)
    if asked.kind:
        kept &= rows.kind == int(ScopeKind[asked.kind.upper()])
    if named:
        kept &= rows.thing == asked.thing
    if asked.minute is not None:
        kept &= rows.minute == asked.minute
    if asked.said:
        kept &= rows.confidence == asked.said
    return np.flatnonzero(kept)


# --- what it is -------------------------------------------------------------------------------------------------------


def _picture(environment: Environment) -> Iterator[str]:
    yield f"environment {environment.seed}, {environment.minutes} minutes, {100 * environment.lost:.1f} % of samples lost"
    yield from (f"  {line}" for line in environment.story)
    yield from (f"  vCenter {n}: {vcenter.mode}" for n, vcenter in enumerate(environment.vcenters))
    for n, host in enumerate(environment.hosts):
        clock = host.clock
        known = f"ahead {_steps(clock.ahead_s)} s, read {clock.wrong_s:+.2f} s off (± {clock.error_s})"
        yield f"  host {n} of vCenter {host.vcenter}: {known}" + (f", gone {host.gone}" if host.gone else "")
    for n, array in enumerate(environment.arrays):
        clock = array.clock
        yield f"  array {n}: ahead {_steps(clock.ahead_s)} s, read {clock.wrong_s:+.2f} s off (± {clock.error_s})"
    yield "  datastores: " + "; ".join(f"{n}: volumes {volumes}" for n, volumes in enumerate(environment.datastores))
    for n, device in enumerate(environment.devices):
        disks = [number for number, disk in enumerate(environment.disks) if n in disk.devices]
        vms = sorted({environment.disks[number].vm for number in disks})
        yield (
            f"  device {n}: host {device.host}, volume {device.volume} of array {environment.volumes[device.volume].array}, "
            f"depth {_steps(device.depth)} ({_steps(device.shared_depth)} shared), disks {disks} of VMs {vms}"
        )
    for stream in environment.streams:
        where = next(
            f"{word} {number}"
            for word, number in (("disk", stream.disk), ("device", stream.device), ("outside on volume", stream.volume))
            if number != NOWHERE
        )
        how = f"I/Os at a time, {1e3 * stream.think_s:.1f} ms apart" if stream.kind == CLOSED else "per second"
        sizes = f"{stream.size // 1024} KiB" + (f" and {stream.large // 1024}" if stream.large_share else "")
        yield f"  {where}: {_steps(stream.level)} {how}, {sizes}, {100 * stream.read_share:.0f} % reads"


def _steps(steps: Sequence[tuple[float, float]]) -> str:
    first, *later = steps
    shown = ", ".join(f"{value:g} from {at:.0f} s" for at, value in later[:4])
    return f"{first[1]:g}" + (f" ({shown}{' …' if len(later) > 4 else ''})" if later else "")


def _row(rows: Said, row: int) -> Iterator[str]:
    kind = ScopeKind(int(rows.kind[row])).name.lower()
    quality = qualities(rows.quality_reasons[row : row + 1])[0]
    spans = [int(one) for one in (rows.named[row], rows.other[row]) if one >= 0]
    names = " or ".join(span_name(one) for one in spans)
    judged = "WRONG" if rows.wrong[row] else "right"
    yield ""
    yield (
        f"{kind} {rows.thing[row]} minute {rows.minute[row]}: {judged}: {rows.confidence[row]} {names}, quality {quality}, "
        f"{rows.ops[row]:.0f} ops (true {rows.true_ops[row]:.0f}), {rows.mode[row]}"
    )
    for span in range(len(SPANS)):
        if not np.isnan(rows.value[row, span]):
            low, high = rows.lower[row, span], rows.upper[row, span]
            yield f"    {span_name(span):<20}{rows.value[row, span]:10.1f} [{low:.1f}, {high:.1f}]"
    true = ", ".join(f"{word} {rows.true[row, n]:.1f}" for n, word in enumerate(LAYERS))
    excess = ", ".join(f"{word} {rows.excess[row, n]:.1f}" for n, word in enumerate(LAYERS))
    yield f"    truly {true}; excess {excess}; threshold {rows.threshold[row]:.0f}"
    reasons = [words for flag, words in WORDS.items() if int(rows.reasons[row]) & flag]
    yield f"    reasons: {'; '.join([*reasons, *in_words(int(rows.quality_reasons[row]))])}"


# --- its samples ------------------------------------------------------------------------------------------------------


def _samples(
    environment: Environment, seen: Observed, kind: ScopeKind, thing: int, start: float, end: float
) -> Iterator[str]:
    disks, devices, volumes = _behind(environment, kind, thing)
    yield "samples: from–to in true seconds of the environment as the product places them; µs"
    for place in devices:
        yield f"  device {place}: reads: ops gavg davg kavg qavg | writes | depth"
        for row in _touching(seen.devices.times, seen.devices.device == place, start, end):
            ways = [f"{_n(seen.devices.ops[row, way])} {_many(seen.devices.latency_us[row, way])}" for way in range(2)]
            yield f"    {_when(seen.devices.times, row)} {ways[0]} | {ways[1]} | {_n(seen.devices.queue_depth[row])}"
    for place in disks:
        yield f"  disk {place}: reads: ops latest total outstanding | writes"
        for row in _touching(seen.disks.times, seen.disks.part == place, start, end):
            one = seen.disks
            ways = [
                _many((one.ops[row, way], one.latency_us[row, way], one.total_us[row, way], one.outstanding[row, way]))
                for way in range(2)
            ]
            yield f"    {_when(one.times, row)} {ways[0]} | {ways[1]}"
    topology = mapped(environment).topology
    for place in volumes:
        for position in np.flatnonzero(topology.volumes.unit == place):
            array = topology.volumes.array[position]
            yield f"  volume {place} on array {array}: ops service queue qos sched san: reads | writes | mirrored"
            for row in _touching(seen.volumes.times, seen.volumes.volume == position, start, end):
                many = seen.volumes
                ways = [f"{_n(many.ops[row, way])} {_many(many.components_us[row, way])}" for way in range(3)]
                yield f"    {_when(many.times, row)} {' | '.join(ways)}"


def _behind(environment: Environment, kind: ScopeKind, thing: int) -> tuple[list[int], list[int], list[int]]:
    """Disks, devices and volumes that a thing is measured by."""
    disks = range(len(environment.disks))
    if kind in (ScopeKind.VM_DISK, ScopeKind.VM):
        mine = [n for n in disks if thing == (n if kind is ScopeKind.VM_DISK else environment.disks[n].vm)]
        devices = sorted({device for n in mine for device in environment.disks[n].devices})
    else:
        store = environment.store_of_volume
        keys: dict[ScopeKind, Callable[[int, Device], int | None]] = {
            ScopeKind.HOST_DEVICE: lambda n, _: n,
            ScopeKind.HOST: lambda _, one: one.host,
            ScopeKind.DATASTORE: lambda _, one: store.get(one.volume),
            ScopeKind.VOLUME: lambda _, one: one.volume,
            ScopeKind.ARRAY: lambda _, one: environment.volumes[one.volume].array,
        }
        devices = [n for n, one in enumerate(environment.devices) if keys[kind](n, one) == thing]
        mine = [n for n in disks if set(environment.disks[n].devices) & set(devices)]
    return mine, devices, sorted({environment.devices[n].volume for n in devices})


def _touching(times: Times, those: np.ndarray, start: float, end: float) -> np.ndarray:
    ends = (times.end_us - times.offset_us) / 1e6 - BASE_S
    near = those & (ends > start - _BESIDE_S) & (ends - times.length_us / 1e6 < end + _BESIDE_S)
    rows = np.flatnonzero(near)
    return rows[np.argsort(ends[rows])]


def _when(times: Times, row: int) -> str:
    end = (times.end_us[row] - times.offset_us[row]) / 1e6 - BASE_S
    return f"{end - times.length_us[row] / 1e6:7.1f} – {end:7.1f}"


def _many(numbers: Sequence[float]) -> str:
    return " ".join(_n(number) for number in numbers)


def _n(number: float) -> str:
    return "–" if np.isnan(number) else f"{number:.0f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
