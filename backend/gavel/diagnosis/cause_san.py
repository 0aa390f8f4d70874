"""Causes in the SAN: paths that are slow, non-optimized or down, full target ports, and hosts that alone are slow. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.db.queries.causes import DeviceLoad
from gavel.db.queries.path_loads import PathLoad
from gavel.db.queries.refs import EntityRef
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseObject
from gavel.diagnosis.cause_inputs import CauseInputs, twin_test
from gavel.diagnosis.cause_ports import port_candidates
from gavel.diagnosis.cause_words import counted, counter_time, percent
from gavel.diagnosis.sentences import duration
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import NON_OPTIMIZED_SHARE, are_non_optimized_paths_used, is_path_slow
from gavel.findings.minutes import PartMinutes, divided, mean


def san_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """Of the layer SAN."""
    by_device: dict[int, list[PathLoad]] = defaultdict(list)
    for path in inputs.paths:
        by_device[path.device_id].append(path)
    yield from _off_optimized(inputs, by_device)
    yield from _paths_down(inputs, by_device)
    yield from port_candidates(inputs)
    yield from _slow_paths(inputs)
    yield from _one_host(inputs)


def _rate(loads: Iterable[PathLoad]) -> float:
    return sum(one.iops or 0.0 for one in loads)


def _normal_rate(loads: Iterable[PathLoad]) -> float:
    return sum(one.normal_iops or 0.0 for one in loads)


def _hosts(devices: Iterable[DeviceLoad]) -> tuple[EntityRef, ...]:
    return tuple(sorted({one.host for one in devices}, key=lambda host: (host.name, host.id)))


def _on_hosts(hosts: Sequence[EntityRef]) -> str:
    return hosts[0].name if len(hosts) == 1 else counted(len(hosts), "host")


def _weight(devices: Iterable[DeviceLoad]) -> float:
    """Of the object's SAN time."""
    loads = list(devices)
    whole = max((one.san_whole for one in loads), default=0.0)
    return min(sum(one.san_time for one in loads) / whole, 1.0) if whole > 0 else 0.0


# --- paths that do not carry what they did ------------------------------------------------------------------------------

_PATH_HISTORY = "samples of the paths before the onset"
_OF_DEVICES = "I/O of these devices"


def _off_optimized(inputs: CauseInputs, by_device: Mapping[int, Sequence[PathLoad]]) -> Iterator[Candidate]:
    """Non-optimized paths that carry I/O now and did not before: since the others are down, or although they work."""
    used = [load for load in inputs.devices if _uses_non_optimized(by_device.get(load.device.id, ()))]
    if not used:
        return
    paths = [path for load in used for path in by_device[load.device.id]]
    off, down = [path for path in paths if path.is_optimized is False], _down(paths)
    is_known = any(path.normal_iops is not None for path in paths)
    was_used = bool(are_non_optimized_paths_used(_normal_rate(paths), _normal_rate(off)))
    hosts, share = _hosts(used), _rate(off) / _rate(paths)
    lost = f"; {_of_paths(paths)} down" if down else ""
    has_others = any(path.is_optimized and not path.is_down for path in paths)
    yield Candidate(
        kind=CauseKind.NON_OPTIMIZED_IO if has_others or not down else CauseKind.PATHS_DOWN,
        object=CauseObject(f"paths of {_on_hosts(hosts)}", hosts if len(hosts) == 1 else ()),
        object_count=len(used),
        on=CauseObject(_on_hosts(hosts), hosts),
        weight=_weight(used),
        share=share,
        share_of=_OF_DEVICES,
        iops=_rate(off),
        binds=not was_used,
        is_new=is_known and not was_used,
        is_counted=True,
        evidence=(
            CauseEvidence(label="I/O on non-optimized paths", value=_rate(off), unit="IOPS"),
            CauseEvidence(label="Paths down", value=down, unit="count"),
        ),
        headline=f"I/O of {_on_hosts(hosts)} on non-optimized paths{lost}",
        text=f"{percent(share)} of the I/O of {_on_hosts(hosts)} is on non-optimized paths{lost}",
        needs=_PATH_HISTORY,
    )


def _uses_non_optimized(paths: Sequence[PathLoad]) -> bool:
    off = [path for path in paths if path.is_optimized is False]
    return bool(off) and bool(are_non_optimized_paths_used(_rate(paths), _rate(off)))


def _down(paths: Iterable[PathLoad]) -> int:
    return sum(path.paths for path in paths if path.is_down)


def _of_paths(paths: Sequence[PathLoad]) -> str:
    return f"{_down(paths)} of {counted(sum(path.paths for path in paths), 'path')}"


def _paths_down(inputs: CauseInputs, by_device: Mapping[int, Sequence[PathLoad]]) -> Iterator[Candidate]:
    """Paths that carried I/O before and do not work now, while the others, optimized ones, carry all of it."""
    hit = [load for load in inputs.devices if _has_lost_paths(by_device.get(load.device.id, ()))]
    if not hit:
        return
    paths = [path for load in hit for path in by_device[load.device.id]]
    lost, hosts = [path for path in paths if path.is_down], _hosts(hit)
    share = _normal_rate(lost) / _normal_rate(paths)
    yield Candidate(
        kind=CauseKind.PATHS_DOWN,
        object=CauseObject(f"paths of {_on_hosts(hosts)}", hosts if len(hosts) == 1 else ()),
        object_count=_down(paths),
        on=CauseObject(_on_hosts(hosts), hosts),
        weight=_weight(hit),
        share=share,
        share_of="I/O of these devices before",
        iops=_rate(paths),
        binds=True,
        is_new=True,
        # That fewer paths are left is known, not that they are too few.
        is_counted=False,
        evidence=(
            CauseEvidence(label="Paths down", value=_down(paths), unit="count"),
            CauseEvidence(label="I/O on these paths before", value=_normal_rate(lost), unit="IOPS"),
        ),
        headline=f"{_of_paths(paths)} of {_on_hosts(hosts)} down",
        text=f"{_of_paths(paths)} of {_on_hosts(hosts)} are down, which had {percent(share)} of its I/O before",
        needs=_PATH_HISTORY,
    )


def _has_lost_paths(paths: Sequence[PathLoad]) -> bool:
    """Lost: more than a twentieth of the I/O before, and of what is left of it."""
    lost = [path for path in paths if path.is_down]
    carried = _normal_rate(lost) > NON_OPTIMIZED_SHARE * _normal_rate(paths)
    return carried and _rate(lost) <= NON_OPTIMIZED_SHARE * _rate(paths) and not _uses_non_optimized(paths)


# --- what is slower than its like ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Adapter:
    """Paths through adapters of one name, on all hosts of an object: a fabric is wired to the same adapter everywhere."""

    name: str
    paths: Sequence[PathLoad]

    @property
    def us(self) -> float:
        return _timed([(path.us, path.iops) for path in self.paths])

    @property
    def normal_us(self) -> float:
        return _timed([(path.normal_us, path.normal_iops) for path in self.paths])


def _timed(pairs: Sequence[tuple[float | None, float | None]]) -> float:
    """Mean over I/Os; NaN where no path with I/O was timed."""
    known = [(us, iops) for us, iops in pairs if us is not None and iops]
    whole = sum(iops for _, iops in known)
    return sum(us * iops for us, iops in known) / whole if whole > 0 else float("nan")


def _excess_share(adapters: Sequence[_Adapter], slowest: _Adapter, fastest_us: float) -> float:
    """Which part of the time above the fastest adapter's is the slowest one's."""
    excess = [max(one.us - fastest_us, 0.0) * _rate(one.paths) for one in adapters]
    own = (slowest.us - fastest_us) * _rate(slowest.paths)
    return own / sum(excess) if sum(excess) > 0 else 0.0


def _slow_paths(inputs: CauseInputs) -> Iterator[Candidate]:
    """Only where paths of the same devices are faster: else nothing tells a slow path from a slow array."""
    names = sorted({path.adapter for path in inputs.paths if path.adapter is not None})
    adapters = [_Adapter(name, [path for path in inputs.paths if path.adapter == name]) for name in names]
    timed = [one for one in adapters if not np.isnan(one.us)]
    if len(timed) < 2:
        return
    fastest, slowest = min(timed, key=lambda item: item.us), max(timed, key=lambda item: item.us)
    step = max((path.precision_us or 0.0 for path in inputs.paths), default=0.0)
    if not is_path_slow(slowest.us, fastest.us, step):
        return
    was_slow = bool(is_path_slow(slowest.normal_us, fastest.normal_us, step))
    devices = [load for load in inputs.devices if any(path.device_id == load.device.id for path in slowest.paths)]
    hosts = _hosts(devices)
    who = CauseObject(f"paths through {slowest.name} of {_on_hosts(hosts)}", hosts if len(hosts) == 1 else ())
    times = f"{duration(slowest.us)}, other adapter {counter_time(fastest.us, step if step > 1.0 else 0.0)}"
    yield Candidate(
        kind=CauseKind.SLOW_PATH,
        object=who,
        object_count=sum(path.paths for path in slowest.paths),
        on=CauseObject(_on_hosts(hosts), hosts),
        weight=_weight(devices) * _excess_share(timed, slowest, fastest.us),
        share=_rate(slowest.paths) / _rate(inputs.paths) if _rate(inputs.paths) > 0 else None,
        share_of=_OF_DEVICES,
        iops=_rate(slowest.paths),
        binds=not was_slow,
        is_new=not was_slow and not np.isnan(slowest.normal_us) and not np.isnan(fastest.normal_us),
        is_counted=True,
        evidence=(
            CauseEvidence(label=f"Latency through {slowest.name}", value=slowest.us, unit="µs"),
            CauseEvidence(label=f"Latency through {fastest.name}", value=fastest.us, unit="µs"),
        ),
        headline=f"Slow {who.name}",
        text=f"{who.name} are slow ({times})",
        needs=_PATH_HISTORY,
    )


def _one_host(inputs: CauseInputs) -> Iterator[Candidate]:
    """Of objects that several hosts use: the one of them that waits in the SAN while the others do not."""
    by_host: dict[EntityRef, list[DeviceLoad]] = defaultdict(list)
    for load in inputs.devices:
        by_host[load.host].append(load)
    if len(by_host) < 2:
        return
    slowest = max(by_host, key=lambda host: (sum(load.san_time for load in by_host[host]), -host.id))
    others = [load for host, loads in by_host.items() if host != slowest for load in loads]
    sides = [(_san_us(of, by_host[slowest]), _san_us(of, others)) for of in (inputs.elevated, inputs.normal)]
    slow, was_slow = (np.asarray(is_path_slow(own, rest, np.zeros(len(own)))) for own, rest in sides)
    twin = twin_test(slow, was_slow, ~np.isnan(sides[1][0]) & ~np.isnan(sides[1][1]))
    if not twin.binding_minutes:
        return
    own_us, other_us = mean(sides[0][0]) or 0.0, mean(sides[0][1]) or 0.0
    where = CauseObject(slowest.name, (slowest,))
    yield Candidate(
        kind=CauseKind.ONE_HOST,
        object=where,
        on=where,
        weight=_weight(by_host[slowest]),
        share=_weight(by_host[slowest]),
        share_of="SAN time",
        iops=sum(load.ops for load in by_host[slowest]) / (60.0 * max(load.minutes for load in by_host[slowest])),
        twin=twin,
        binds=twin.is_passed,
        is_new=twin.is_new,
        # Which part of the host's way is slow, its adapter, its cable or its switch port, no counter tells.
        is_counted=False,
        evidence=(
            CauseEvidence(label=f"SAN latency of {slowest.name}", value=own_us, unit="µs"),
            CauseEvidence(label="SAN latency of other hosts", value=other_us, unit="µs"),
        ),
        headline=f"SAN slow for {slowest.name} only",
        text=f"the SAN is slow for {slowest.name} only ({duration(own_us)}, other hosts {duration(other_us)})",
        needs="latency by path of this host",
    )


def _san_us(of: Callable[[ScopeKind, int], PartMinutes], loads: Sequence[DeviceLoad]) -> Floats:
    """By minute, over all these devices' I/Os; NaN where there are none."""
    minutes = [of(ScopeKind.HOST_DEVICE, load.device.id) for load in loads]
    time, ops = (np.sum([np.nan_to_num(one.total(name)) for one in minutes], axis=0) for name in ("san_time", "ops"))
    return divided(time, ops)
