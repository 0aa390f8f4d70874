"""What hosts and arrays count of the I/Os in their own samples, and show of it: whole numbers, rounded or cut off."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from tests.truth.per_io import events as e
from tests.truth.per_io.environment import NOWHERE, Environment, VCenter
from tests.truth.per_io.events import Log

HOST_S, ARRAY_S = 20, 30
# So far before the first minute and after the last one samples are read.
_MARGIN_S = 80
_WAYS = ("read", "write")
_MS, _US = 1e3, 1e6
Columns = dict[str, np.ndarray]
Whole = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Samples:
    """Samples of one clock: stamps (s since minute 0, by that clock), and edges (stamps + 1) of them in true time."""

    stamps: np.ndarray
    edges: np.ndarray

    def __len__(self) -> int:
        return len(self.stamps)


def samples_of_host(environment: Environment, host: int) -> Samples:
    return _samples(environment.hosts[host].clock.passes, environment.minutes, HOST_S)


def samples_of_array(environment: Environment, array: int) -> Samples:
    return _samples(environment.arrays[array].clock.passes, environment.minutes, ARRAY_S)


def _samples(passes: Callable[[np.ndarray], np.ndarray], minutes: int, length_s: int) -> Samples:
    first, last = -_MARGIN_S // length_s, (60 * minutes + _MARGIN_S) // length_s
    stamps = length_s * np.arange(first, last + 1)
    return Samples(stamps[1:], passes(stamps.astype(np.float64)))


def rounded(numbers: np.ndarray) -> np.ndarray:
    whole: np.ndarray = np.floor(np.nan_to_num(numbers) + 0.5).astype(np.int64)
    return whole


def cut_off(numbers: np.ndarray) -> np.ndarray:
    whole: np.ndarray = np.floor(np.nan_to_num(numbers) + 1e-9).astype(np.int64)
    return whole


# --- sums over the I/Os that ended in each sample ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Counted:
    """I/Os of some things, by (thing, direction, sample): `group` (n,) of each I/O, −1 for none."""

    shape: tuple[int, int, int]
    group: np.ndarray

    def ops(self) -> np.ndarray:
        return self._sums(None)

    def total(self, numbers: np.ndarray) -> np.ndarray:
        return self._sums(numbers)

    def mean(self, numbers: np.ndarray) -> np.ndarray:
        """NaN where no I/O ended."""
        ops, total = self.ops(), self.total(numbers)
        means: np.ndarray = np.divide(total, ops, out=np.full(self.shape, np.nan), where=ops > 0)
        return means

    def _sums(self, numbers: np.ndarray | None) -> np.ndarray:
        kept = self.group >= 0
        weights = None if numbers is None else numbers[kept]
        return np.bincount(self.group[kept], weights, minlength=int(np.prod(self.shape))).reshape(self.shape)


def _counted(things: int, thing: np.ndarray, is_write: np.ndarray, ended: np.ndarray, starts: np.ndarray,
             ends: np.ndarray) -> _Counted:  # fmt: skip
    """thing: (n,) NOWHERE for what is not counted; starts, ends: (samples,) of the part of each sample that is looked at."""
    sample = np.searchsorted(ends, ended, side="left")
    inside = (sample < len(ends)) & (thing != NOWHERE) & ~np.isnan(ended)
    inside &= ended > starts[np.minimum(sample, len(ends) - 1)]
    group = (thing * 2 + is_write) * len(ends) + sample
    return _Counted((things, 2, len(ends)), np.where(inside, group, NOWHERE))


class _Part:
    """Some of the I/Os; a column is only taken when it is asked for."""

    def __init__(self, log: Log, chosen: np.ndarray) -> None:
        self._log, self._index = log, np.flatnonzero(chosen)

    def at(self, column: int) -> np.ndarray:
        times: np.ndarray = self._log.times[column][self._index]
        return times

    def of(self, numbers: np.ndarray) -> np.ndarray:
        return numbers[self._index]


# --- hosts ------------------------------------------------------------------------------------------------------------


def device_counters(environment: Environment, log: Log, host: int, samples: Samples) -> tuple[list[int], Columns]:
    """The host's devices, and by key of each counter (devices, samples) of what it shows."""
    devices = [number for number, device in enumerate(environment.devices) if device.host == host]
    place = _places(devices, len(environment.devices))
    mine = _Part(log, place[log.device] != NOWHERE)
    entered, issued, acknowledged, done = map(mine.at, (e.DEVICE, e.ISSUED, e.ACKNOWLEDGED, e.DEVICE_DONE))
    on = mine.of(log.device)
    counted = _counted(len(devices), place[on], mine.of(log.is_write), done, samples.edges[:-1], samples.edges[1:])
    whole, driver = done - entered, acknowledged - issued
    letters = {"G": whole, "D": driver, "K": whole - driver, "Q": issued - entered}
    if not environment.hosts[host].has_kernel_counters:
        letters = {letter: letters[letter] for letter in "GD"}
    vcenter = environment.vcenters[environment.hosts[host].vcenter]
    show = _whole_of(vcenter)
    found = _traffic("disk", counted, mine.of(log.size), show)
    for way, word in enumerate(_WAYS):
        found[f"disk.number{word.title()}.summation"] = counted.ops()[:, way].astype(np.int64)
    for letter, seconds in letters.items():
        found |= _latencies(counted.mean(seconds), letter, vcenter, show)
    found["disk.maxQueueDepth.average"] = _depths(environment, (on, mine.of(log.stream), entered), devices, samples)
    return devices, found


_NAMES = {"G": "total", "D": "device", "K": "kernel", "Q": "queue"}


def _latencies(seconds: np.ndarray, letter: str, vcenter: VCenter, show: Whole) -> Columns:
    found = {}
    for way, word in enumerate(_WAYS):
        found[f"disk.{_NAMES[letter]}{word.title()}Latency.average"] = show(seconds[:, way] * _MS)
        if vcenter.version >= 9:
            found[f"storage.latency.{word}{letter}avg.average"] = show(seconds[:, way] * _US)
    return found


def _traffic(group: str, counted: _Counted, size: np.ndarray, show: Whole) -> Columns:
    found = {}
    ops, kilobytes = counted.ops(), counted.total(size) / 1024
    for way, word in enumerate(_WAYS):
        found[f"{group}.number{word.title()}Averaged.average"] = show(ops[:, way] / HOST_S)
        found[f"{group}.{word}.average"] = show(kilobytes[:, way] / HOST_S)
    return found


def _whole_of(vcenter: VCenter) -> Whole:
    return cut_off if vcenter.truncates else rounded


def _depths(environment: Environment, ios: tuple[np.ndarray, ...], devices: list[int], samples: Samples) -> np.ndarray:
    """What DQLEN is at the end of each sample: DSNRO while two VMs compete. ios: device, stream and when they came."""
    on, stream, entered = ios
    vms = np.array([environment.disks[one.disk].vm if one.disk != NOWHERE else NOWHERE for one in environment.streams])
    vm_of, ends, shown = vms[stream], samples.edges[1:], []
    for number in devices:
        device, here = environment.devices[number], on == number
        competing = sum(
            _any_between(np.sort(entered[here & (vm_of == vm)]), ends - 1.0, ends) for vm in np.unique(vms[vms >= 0])
        )
        depth, shared = (np.array([_at(steps, end) for end in ends]) for steps in (device.depth, device.shared_depth))
        shown.append(np.where(competing > 1, np.minimum(depth, shared), depth).astype(np.int64))
    return np.array(shown).reshape(len(devices), len(ends))


def _any_between(sorted_times: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    return (np.searchsorted(sorted_times, ends) > np.searchsorted(sorted_times, starts)).astype(np.int64)


def _at(steps: list[tuple[float, float]], at: float) -> float:
    return [value for since, value in steps if since <= at or since == steps[0][0]][-1]


def disk_counters(environment: Environment, log: Log, host: int, samples: Samples) -> tuple[list[int], Columns]:
    """The virtual disks of the host's VMs, as `device_counters`."""
    disks = [number for number, disk in enumerate(environment.disks) if environment.vm_host[disk.vm] == host]
    disk_of = np.array([stream.disk for stream in environment.streams])[log.stream]
    place = _places(disks, len(environment.disks))
    mine = _Part(log, place[disk_of] != NOWHERE)
    thing, is_write = place[mine.of(disk_of)], mine.of(log.is_write)
    began, left = mine.at(e.VSCSI), mine.at(e.DONE)
    vcenter = environment.vcenters[environment.hosts[host].vcenter]
    starts, ends = samples.edges[:-1], samples.edges[1:]
    since = starts if vcenter.latest_s is None else ends - vcenter.latest_s
    counted, latest = (_counted(len(disks), thing, is_write, left, begin, ends) for begin in (starts, since))
    seconds = left - began
    mean, now = counted.mean(seconds), latest.mean(seconds)
    show, show_counts = _whole_of(vcenter), cut_off if vcenter.truncates_counts else rounded
    found = _traffic("virtualDisk", counted, mine.of(log.size), show_counts)
    held = _in_flight((thing, is_write, began, left), len(disks), since, ends)
    for way, word in enumerate(_WAYS):
        found[f"virtualDisk.total{word.title()}Latency.average"] = show(mean[:, way] * _MS)
        found[f"virtualDisk.{word}LatencyUS.latest"] = show(now[:, way] * _US)
        found[f"virtualDisk.{word}OIO.latest"] = show_counts(held[:, way])
    return disks, found


def _in_flight(ios: tuple[np.ndarray, ...], things: int, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(things, 2, samples) I/Os that the virtual disks held on average. ios: disk, is a write, when they came and left."""
    thing, is_write, began, left = ios
    held = np.zeros((things, 2, len(ends)))
    for number in range(things):
        for way in range(2):
            chosen = (thing == number) & (is_write == bool(way))
            came, went = (np.sort(times[chosen & ~np.isnan(times)]) for times in (began, left))
            waited = [elapsed_since(came, at) - elapsed_since(went, at) for at in (starts, ends)]
            length = np.maximum(ends - starts, 1e-9)
            held[number, way] = np.maximum(waited[1] - waited[0], 0.0) / length
    return held


def elapsed_since(sorted_times: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Seconds since each time before `at`, added up."""
    before = np.searchsorted(sorted_times, at)
    sums = np.concatenate([[0.0], np.cumsum(sorted_times)])
    since: np.ndarray = before * at - sums[before]
    return since


def _places(numbers: list[int], size: int) -> np.ndarray:
    """Position of each number in the list; NOWHERE (also asked for as −1) else."""
    place = np.full(size + 1, NOWHERE)
    place[numbers] = np.arange(len(numbers))
    return place


# --- arrays -----------------------------------------------------------------------------------------------------------


def volume_counters(
    environment: Environment, log: Log, array: int, samples: Samples
) -> tuple[list[int], Mapping[str, np.ndarray]]:
    """The array's volumes, and by name of each field (volumes, samples) of what it shows."""
    volumes = [
        number
        for number, one in enumerate(environment.volumes)
        if one.array == array or (one.other == array and one.other != NOWHERE)
    ]
    place = _places(volumes, len(environment.volumes))
    counts = np.array([one.array == array or one.both for one in environment.volumes])
    away = np.array([one.array != array for one in environment.volumes])
    mine = _Part(log, place[log.volume] != NOWHERE)
    volume, is_write = mine.of(log.volume), mine.of(log.is_write)
    # The other half of a stretched volume sees its writes only, and counts them or not.
    thing = np.where(counts[volume] & (is_write | ~away[volume]), place[volume], NOWHERE)
    counted = _counted(len(volumes), thing, is_write, mine.at(e.LEFT_ARRAY), samples.edges[:-1], samples.edges[1:])
    whole = cut_off if environment.arrays[array].truncates else rounded
    rates, bytes_per_s = whole(counted.ops() / ARRAY_S), whole(counted.total(mine.of(log.size)) / ARRAY_S)
    parts = {"service": e.SERVICE, "queue": e.QUEUE, "qos_rate_limit": e.QOS, "san": e.PORT}
    micros = {
        name: np.where(rates > 0, whole(counted.mean(mine.at(column)) * _US), 0) for name, column in parts.items()
    }
    micros["qos_scheduling"] = np.zeros_like(rates)
    stretched = np.array([environment.volumes[number].other != NOWHERE for number in volumes], np.bool_)
    found: dict[str, np.ndarray] = {}
    for word, way, kept in (
        ("read", 0, np.ones_like(stretched)),
        ("write", 1, ~stretched),
        ("mirrored_write", 1, stretched),
    ):

        def chosen(numbers: np.ndarray, kept: np.ndarray = kept, way: int = way) -> np.ndarray:
            return np.where(kept[:, None], numbers[:, way], 0)

        found[f"{word}s_per_sec"] = chosen(rates)
        found[f"{word}_bytes_per_sec"] = chosen(bytes_per_s)
        for name, numbers in micros.items():
            found[f"{name}_usec_per_{word}_op"] = chosen(numbers)
    return volumes, found
