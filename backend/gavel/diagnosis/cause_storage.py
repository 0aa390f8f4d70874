"""Causes below the kernel: paths and hosts of the SAN, QoS limits, load of arrays and volumes, initiators nobody monitors. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.severity import elevated_from_us
from gavel.db.queries.causes import DeviceLoad, VolumeLoad
from gavel.db.queries.path_loads import PathLoad
from gavel.db.queries.peer_volumes import PeerVolume
from gavel.db.queries.rows import EntityRef
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseLimit, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, PartMinutes, mean, twin_test
from gavel.diagnosis.cause_words import count, counted, megabytes, percent
from gavel.diagnosis.sentences import duration
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import (
    ARRAY_WIDE,
    LIMIT_USED,
    MAIN_SHARE,
    are_initiators_unmonitored,
    are_non_optimized_paths_used,
    is_path_slow,
    is_qos_limit_binding,
)

# As few active volumes say nothing about an array.
_LEAST_PEERS = 3
_ARRAY_TIME = "array time"


def storage_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """Of the layers SAN and array."""
    if Layer.SAN in inputs.layers:
        yield from _non_optimized(inputs)
        yield from _slow_paths(inputs)
    if Layer.ARRAY in inputs.layers:
        yield from _qos_limits(inputs)
        yield from _array_loads(inputs)
    if inputs.layers & {Layer.SAN, Layer.ARRAY}:
        yield from _unmonitored(inputs)


# --- SAN ----------------------------------------------------------------------------------------------------------------


def _rate(loads: Iterable[PathLoad]) -> float:
    return sum(one.iops or 0.0 for one in loads)


def _hosts(devices: Iterable[DeviceLoad]) -> tuple[EntityRef, ...]:
    return tuple(sorted({one.host for one in devices}, key=lambda host: (host.name, host.id)))


def _on_hosts(hosts: Sequence[EntityRef]) -> str:
    return hosts[0].name if len(hosts) == 1 else counted(len(hosts), "host")


def _weight(devices: Iterable[DeviceLoad]) -> float:
    """Of the object's SAN time."""
    loads = list(devices)
    whole = max((one.san_whole for one in loads), default=0.0)
    return min(sum(one.san_time for one in loads) / whole, 1.0) if whole > 0 else 0.0


def _non_optimized(inputs: CauseInputs) -> Iterator[Candidate]:
    """Non-optimized paths that carry I/O now, and did not before."""
    by_device = _by_device(inputs.paths)
    used = [load for load in inputs.devices if _uses_non_optimized(by_device.get(load.device.id, ()))]
    if not used:
        return
    paths = [path for load in used for path in by_device[load.device.id]]
    off = [path for path in paths if path.is_optimized is False]
    before = [path for path in off if path.normal_iops is not None]
    was_used = any(are_non_optimized_paths_used(_normal_rate(paths), _normal_rate(off)) for _ in before[:1])
    down = sum(path.paths - path.working for path in paths)
    share, hosts = _rate(off) / _rate(paths), _hosts(used)
    lost = f"; {down} of {sum(path.paths for path in paths)} paths down" if down else ""
    yield Candidate(
        kind=CauseKind.NON_OPTIMIZED_IO,
        object=CauseObject(f"non-optimized paths of {_on_hosts(hosts)}", hosts if len(hosts) == 1 else ()),
        object_count=len(used),
        on=CauseObject(_on_hosts(hosts), hosts),
        weight=_weight(used),
        share=share,
        share_of="I/O of these devices",
        iops=_rate(off),
        binds=not was_used,
        is_new=bool(before) and not was_used,
        is_counted=True,
        evidence=(
            CauseEvidence(label="I/O on non-optimized paths", value=_rate(off), unit="IOPS"),
            CauseEvidence(label="Paths down", value=down, unit="count"),
        ),
        headline=f"I/O of {_on_hosts(hosts)} on non-optimized paths{lost}",
        text=f"{percent(share)} of the I/O of {_on_hosts(hosts)} runs on non-optimized paths{lost}",
        needs="samples of the paths before the onset",
    )


def _by_device(paths: Iterable[PathLoad]) -> dict[int, list[PathLoad]]:
    found: dict[int, list[PathLoad]] = defaultdict(list)
    for path in paths:
        found[path.device_id].append(path)
    return found


def _normal_rate(loads: Iterable[PathLoad]) -> float:
    return sum(one.normal_iops or 0.0 for one in loads)


def _uses_non_optimized(paths: Sequence[PathLoad]) -> bool:
    off = [path for path in paths if path.is_optimized is False]
    return bool(off) and bool(are_non_optimized_paths_used(_rate(paths), _rate(off)))


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
    times = f"{duration(slowest.us)}, other adapter {duration(fastest.us)}"
    yield Candidate(
        kind=CauseKind.SLOW_PATH,
        object=who,
        object_count=sum(path.paths for path in slowest.paths),
        on=CauseObject(_on_hosts(hosts), hosts),
        weight=_weight(devices),
        share=_rate(slowest.paths) / _rate(inputs.paths) if _rate(inputs.paths) > 0 else None,
        share_of="I/O of these devices",
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
        needs="samples of the paths before the onset",
    )


# --- array --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _LimitedVolume:
    load: VolumeLoad
    minutes: PartMinutes
    twin: TwinTest

    @property
    def iops(self) -> float:
        return mean(_array_iops(self.minutes)) or 0.0

    @property
    def bytes_per_s(self) -> float:
        return mean(_array_bytes(self.minutes)) or 0.0

    @property
    def is_by_iops(self) -> bool:
        limit = self.load.qos_iops_limit
        return limit is not None and self.iops >= LIMIT_USED * limit


def _array_iops(minutes: PartMinutes) -> Floats:
    """As the array counted them, its own hosts and all others; those of the hosts where it counted none."""
    own = minutes.total("array_ops")
    return np.where(own > 0, own, minutes.total("ops")) / 60.0


def _array_bytes(minutes: PartMinutes) -> Floats:
    per_s = minutes.bytes_per_s
    factor = np.divide(_array_iops(minutes), minutes.iops, out=np.ones_like(per_s), where=minutes.iops > 0)
    scaled: Floats = per_s * factor
    return scaled


def _qos_limits(inputs: CauseInputs) -> Iterator[Candidate]:
    limited = [_limited(inputs, one) for one in inputs.volumes if one.qos_iops_limit or one.qos_bytes_per_s_limit]
    binding = sorted((one for one in limited if one.twin.is_passed), key=lambda item: -item.load.qos_time)
    if binding:
        yield _qos_candidate(inputs, binding, binds=True)
    elif limited:
        nearest = max(limited, key=lambda item: (item.twin.binding_minutes, item.load.qos_time))
        if nearest.twin.binding_minutes:
            yield _qos_candidate(inputs, [nearest], binds=False)


def _limited(inputs: CauseInputs, load: VolumeLoad) -> _LimitedVolume:
    elevated, normal = (of(ScopeKind.VOLUME, load.volume.id) for of in (inputs.elevated, inputs.normal))
    twin = twin_test(_is_qos_binding(elevated, load), _is_qos_binding(normal, load), ~np.isnan(normal.iops))
    return _LimitedVolume(load, elevated, twin)


def _is_qos_binding(minutes: PartMinutes, load: VolumeLoad) -> Bools:
    limits = (float("nan") if one is None else float(one) for one in (load.qos_iops_limit, load.qos_bytes_per_s_limit))
    iops_limit, bytes_limit = limits
    return is_qos_limit_binding(
        _array_iops(minutes), iops_limit, _array_bytes(minutes), bytes_limit, minutes.per_io("qos_time")
    )


def _qos_candidate(inputs: CauseInputs, volumes: Sequence[_LimitedVolume], *, binds: bool) -> Candidate:
    """volumes: the one with most QoS time first."""
    first, load = volumes[0], volumes[0].load
    is_by_iops = first.is_by_iops
    limit = (load.qos_iops_limit if is_by_iops else load.qos_bytes_per_s_limit) or load.qos_iops_limit or 0
    used = f"{count(first.iops)} of {count(limit)} IOPS"
    if not is_by_iops:
        used = f"{megabytes(first.bytes_per_s)} of {megabytes(limit)}"
    wait = mean(first.minutes.per_io("qos_time")) or 0.0
    more = "" if len(volumes) == 1 else f" and {counted(len(volumes) - 1, 'more volume')} at theirs"
    weight = sum(one.load.qos_time for one in volumes) / load.array_whole if load.array_whole > 0 else 0.0
    where = CauseObject(f"{load.volume.name} on {load.array.name}", (load.array, load.volume))
    main = _main_vm(inputs, load)
    issuing = "" if main is None else f"; {main[0].name} issues {percent(main[1])} of its I/O"
    return Candidate(
        kind=CauseKind.QOS_LIMIT,
        object=CauseObject(f"volume {load.volume.name}", (load.array, load.volume)),
        object_count=len(volumes),
        on=where,
        weight=min(weight, 1.0),
        share=min(weight, 1.0),
        share_of=_ARRAY_TIME,
        iops=first.iops,
        limit=CauseLimit(
            name="QoS limit" if is_by_iops else "QoS bandwidth limit",
            value=limit,
            used=first.iops if is_by_iops else first.bytes_per_s,
            unit="IOPS" if is_by_iops else "bytes/s",
            set_where="array: volume, QoS",
        ),
        twin=first.twin,
        binds=binds,
        is_new=first.twin.is_new,
        is_counted=True,
        evidence=(CauseEvidence(label="QoS rate limit", value=wait, unit="µs"),),
        headline=f"Volume {load.volume.name} at its QoS limit of {used.split(' of ')[1]}{more}",
        text=f"volume {load.volume.name} is at its QoS limit ({used}, QoS rate limit {duration(wait)}){issuing}{more}",
        needs="limit in use in 60 % of the elevated minutes and not in the normal ones before",
    )


def _main_vm(inputs: CauseInputs, load: VolumeLoad) -> tuple[EntityRef, float] | None:
    """The VM with at least half of a volume's I/O, where the object's disks are all on this volume."""
    if len(inputs.volumes) != 1 or not load.ops > 0:
        return None
    ops: dict[EntityRef, float] = defaultdict(float)
    for disk in inputs.disks:
        ops[disk.vm] += disk.ops
    if not ops:
        return None
    vm = max(ops, key=lambda item: (ops[item], -item.id))
    share = min(ops[vm] / load.ops, 1.0)
    return (vm, share) if share >= MAIN_SHARE else None


def _array_loads(inputs: CauseInputs) -> Iterator[Candidate]:
    """At least half of the active volumes slower than before at the same time."""
    for array in dict.fromkeys(load.array for load in inputs.volumes):
        timed = [
            one for one in inputs.peers if one.array_id == array.id and one.us is not None and one.normal_us is not None
        ]
        slower = [one for one in timed if _is_slower(one)]
        if len(timed) < _LEAST_PEERS or len(slower) < ARRAY_WIDE * len(timed):
            continue
        own = [load for load in inputs.volumes if load.array == array]
        weight = sum(one.array_time for one in own) / own[0].array_whole if own[0].array_whole > 0 else 0.0
        grown = max(timed, key=lambda item: item.iops - (item.normal_iops or 0.0))
        added = grown.iops - (grown.normal_iops or 0.0)
        by = f"; most added I/O: volume {grown.volume.name}, + {count(added)} IOPS" if added > 0 else ""
        yield Candidate(
            kind=CauseKind.ARRAY_LOAD,
            object=CauseObject(array.name, (array,)),
            on=CauseObject(array.name, (array,)),
            weight=min(weight, 1.0),
            share=len(slower) / len(timed),
            share_of="active volumes",
            iops=sum(one.iops for one in timed),
            binds=True,
            is_new=True,
            # That volumes slow down together shows where the time is spent, not which resource is short.
            is_counted=False,
            evidence=(
                CauseEvidence(label="Active volumes slower than before", value=len(slower), unit="count"),
                CauseEvidence(label="Active volumes", value=len(timed), unit="count"),
            ),
            headline=f"Load of {array.name}: {len(slower)} of {len(timed)} active volumes slower",
            text=f"load of {array.name}: {len(slower)} of {len(timed)} active volumes are slower than before{by}",
            needs="array-wide performance counters",
        )


def _is_slower(volume: PeerVolume) -> bool:
    if volume.us is None or volume.normal_us is None:
        return False
    return volume.us - volume.normal_us >= float(elevated_from_us(np.array(volume.normal_us)))


# --- both ---------------------------------------------------------------------------------------------------------------


def _unmonitored(inputs: CauseInputs) -> Iterator[Candidate]:
    ratio = inputs.match_ratio
    if ratio is None or not are_initiators_unmonitored(ratio):
        return
    share = max(0.0, 1.0 - ratio)
    where = inputs.volumes[0] if len(inputs.volumes) == 1 else None
    yield Candidate(
        kind=CauseKind.UNMONITORED_INITIATORS,
        object=CauseObject("unmonitored initiators"),
        on=None if where is None else CauseObject(f"volume {where.volume.name}", (where.array, where.volume)),
        weight=share,
        share=share,
        share_of="I/O that the array counted",
        binds=share >= MAIN_SHARE,
        is_new=False,
        is_counted=False,
        evidence=(CauseEvidence(label="Host/array match", value=ratio, unit="share"),),
        headline=f"Unmonitored initiators issue {percent(share)} of the I/O",
        text=f"unmonitored initiators issue {percent(share)} of the I/O that the array counted",
        needs="the vCenters or hosts of these initiators as sources",
    )
