"""Causes below the kernel: paths, QoS limits, load of arrays and volumes, initiators nobody monitors. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.severity import elevated_from_us
from gavel.db.queries.causes import VolumeLoad
from gavel.db.queries.peer_volumes import PeerVolume
from gavel.db.queries.refs import EntityRef
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseLimit, CauseObject, TwinTest
from gavel.diagnosis.cause_groups import group_limit_candidates
from gavel.diagnosis.cause_inputs import CauseInputs, twin_test
from gavel.diagnosis.cause_san import san_candidates
from gavel.diagnosis.cause_words import count, counted, megabytes, percent
from gavel.diagnosis.sentences import duration
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import (
    ARRAY_WIDE,
    LEAST_ARRAY_QUEUE_US,
    LIMIT_USED,
    MAIN_SHARE,
    are_initiators_unmonitored,
    is_load_grown,
)
from gavel.findings.minutes import PartMinutes, mean, qos_limit_binds

# As few active volumes say nothing about an array.
_LEAST_PEERS = 3
_ARRAY_TIME = "array time"


def storage_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """Of the layers SAN and array."""
    if Layer.SAN in inputs.layers:
        yield from san_candidates(inputs)
    if Layer.ARRAY in inputs.layers:
        yield from _qos_limits(inputs)
        yield from group_limit_candidates(inputs)
        yield from _array_loads(inputs)
        yield from _volume_loads(inputs)
    if inputs.layers & {Layer.SAN, Layer.ARRAY}:
        yield from _unmonitored(inputs)


# --- array --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _LimitedVolume:
    load: VolumeLoad
    minutes: PartMinutes
    twin: TwinTest

    @property
    def iops(self) -> float:
        return mean(self.minutes.array_iops) or 0.0

    @property
    def bytes_per_s(self) -> float:
        return mean(self.minutes.array_bytes_per_s) or 0.0

    @property
    def is_by_iops(self) -> bool:
        limit = self.load.qos_iops_limit
        return limit is not None and self.iops >= LIMIT_USED * limit


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
    binds = [qos_limit_binds(part, load.qos_iops_limit, load.qos_bytes_per_s_limit) for part in (elevated, normal)]
    twin = twin_test(binds[0], binds[1], ~np.isnan(normal.iops))
    return _LimitedVolume(load, elevated, twin)


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
        queue, queue_before = timed[0].array_queue_us, timed[0].array_normal_queue_us
        is_queueing = queue is not None and queue_before is not None and queue - queue_before >= LEAST_ARRAY_QUEUE_US
        waits = (
            f"; its own queue {duration(queue_before or 0)} to {duration(queue or 0)} per I/O" if is_queueing else ""
        )
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
            # That volumes slow down together shows where the time is spent; that the array's own queue grew, that it has too much to do.
            is_counted=is_queueing,
            evidence=(
                CauseEvidence(label="Active volumes slower than before", value=len(slower), unit="count"),
                CauseEvidence(label="Active volumes", value=len(timed), unit="count"),
                *_queue_evidence(queue, queue_before),
            ),
            headline=f"Load of {array.name}: {len(slower)} of {len(timed)} active volumes slower",
            text=f"load of {array.name}: {len(slower)} of {len(timed)} active volumes are slower than before{waits}{by}",
            needs="a longer wait in the array's own queue than before",
        )


def _queue_evidence(queue_us: float | None, before_us: float | None) -> Iterator[CauseEvidence]:
    """Of the array as a whole; nothing where it was not measured."""
    for label, value in (("Array queue", queue_us), ("Array queue before", before_us)):
        if value is not None:
            yield CauseEvidence(label=label, value=value, unit="µs")


def _is_slower(volume: PeerVolume) -> bool:
    if volume.us is None or volume.normal_us is None:
        return False
    return volume.us - volume.normal_us >= float(elevated_from_us(np.array(volume.normal_us)))


def _volume_loads(inputs: CauseInputs) -> Iterator[Candidate]:
    """A volume that does clearly more than before, while other volumes of its array are no slower."""
    for load in inputs.volumes:
        others = [one for one in inputs.peers if one.array_id == load.array.id and one.volume != load.volume]
        timed = [one for one in others if one.us is not None and one.normal_us is not None]
        slower = [one for one in timed if _is_slower(one)]
        elevated, normal = (of(ScopeKind.VOLUME, load.volume.id) for of in (inputs.elevated, inputs.normal))
        now, before = ((mean(of.array_iops) or 0.0, mean(of.array_bytes_per_s) or 0.0) for of in (elevated, normal))
        grown = [is_load_grown(*pair) for pair in zip(before, now, strict=True)]
        if not timed or len(slower) >= ARRAY_WIDE * len(timed) or not any(grown):
            continue
        who = CauseObject(f"volume {load.volume.name}", (load.array, load.volume))
        change = f"{count(before[0])} to {count(now[0])} IOPS, {megabytes(before[1])} to {megabytes(now[1])}"
        weight = load.array_time / load.array_whole if load.array_whole > 0 else 0.0
        yield Candidate(
            kind=CauseKind.VOLUME_LOAD,
            object=who,
            on=CauseObject(load.array.name, (load.array,)),
            weight=weight,
            share=weight,
            share_of=_ARRAY_TIME,
            iops=now[0],
            binds=True,
            is_new=True,
            # That both grew together is no proof that one made the other.
            is_counted=False,
            evidence=(
                CauseEvidence(label="IOPS before", value=before[0], unit="IOPS"),
                CauseEvidence(label="IOPS", value=now[0], unit="IOPS"),
                CauseEvidence(label="Other active volumes slower than before", value=len(slower), unit="count"),
                CauseEvidence(label="Other active volumes", value=len(timed), unit="count"),
            ),
            headline=f"Own load of {who.name}: {change}",
            text=f"own load of {who.name}, {change}; {len(slower)} of {len(timed)} other active volumes are slower",
            needs="its queue and service time with less load",
        )


# --- both ---------------------------------------------------------------------------------------------------------------


def _unmonitored(inputs: CauseInputs) -> Iterator[Candidate]:
    ratio = inputs.match_ratio
    if ratio is None or not are_initiators_unmonitored(ratio):
        return
    share = max(0.0, 1.0 - ratio)
    where = inputs.volumes[0] if len(inputs.volumes) == 1 else None
    twin = _unmonitored_twin(inputs)
    yield Candidate(
        kind=CauseKind.UNMONITORED_INITIATORS,
        object=CauseObject("unmonitored initiators"),
        on=None if where is None else CauseObject(f"volume {where.volume.name}", (where.array, where.volume)),
        weight=share,
        share=share,
        share_of="I/O that the array counted",
        twin=twin,
        binds=twin.is_passed,
        is_new=twin.is_new,
        # Nothing tells which of their I/Os the others wait for.
        is_counted=False,
        evidence=(CauseEvidence(label="Host/array match", value=ratio, unit="share"),),
        headline=f"Unmonitored initiators issue {percent(share)} of the I/O",
        text=f"unmonitored initiators issue {percent(share)} of the I/O that the array counted",
        needs="the vCenters or hosts of these initiators as sources",
    )


def _unmonitored_twin(inputs: CauseInputs) -> TwinTest:
    """Minutes in which most I/O of the busiest volumes was not of monitored hosts."""
    elevated, normal = (
        [of(ScopeKind.VOLUME, load.volume.id) for load in inputs.volumes] for of in (inputs.elevated, inputs.normal)
    )
    shares = [_unmonitored_shares(minutes) for minutes in (elevated, normal)]
    return twin_test(shares[0] >= MAIN_SHARE, shares[1] >= MAIN_SHARE, ~np.isnan(shares[1]))


def _unmonitored_shares(volumes: Sequence[PartMinutes]) -> Floats:
    """Of the I/Os that the array counted, by minute; NaN where it counted none."""
    if not volumes:
        return np.empty(0)
    monitored = np.sum([np.nan_to_num(one.total("ops")) for one in volumes], axis=0)
    counted_ops = np.sum([np.nan_to_num(one.total("array_ops")) for one in volumes], axis=0)
    missing: Floats = 1.0 - np.divide(
        monitored, counted_ops, out=np.full_like(monitored, np.nan), where=counted_ops > 0
    )
    return missing
