"""Limits that volumes of a group share, as causes: all volumes of the group use it up together. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gavel.db.queries.causes import VolumeLoad
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseLimit, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, twin_test
from gavel.diagnosis.cause_words import count, counted, megabytes
from gavel.diagnosis.sentences import duration
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import LIMIT_USED
from gavel.findings.minutes import PartMinutes, mean, qos_limit_binds, sum_of_minutes


def group_limit_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """One for each group whose limit was in use in an elevated minute."""
    by_group: Mapping[tuple[int, str], list[VolumeLoad]] = defaultdict(list)
    for load in inputs.volumes:
        if load.group_name is not None:
            by_group[load.array.id, load.group_name].append(load)
    for loads in by_group.values():
        first = loads[0]
        elevated, normal = (
            sum_of_minutes([of(ScopeKind.VOLUME, volume_id) for volume_id in first.group_volume_ids])
            for of in (inputs.elevated, inputs.normal)
        )
        checks = [
            qos_limit_binds(part, first.group_iops_limit, first.group_bytes_per_s_limit) for part in (elevated, normal)
        ]
        twin = twin_test(checks[0], checks[1], ~np.isnan(normal.iops))
        if twin.binding_minutes:
            yield _candidate(loads, elevated, twin)


def _candidate(loads: Sequence[VolumeLoad], minutes: PartMinutes, twin: TwinTest) -> Candidate:
    """minutes: of all volumes of the group together."""
    first = loads[0]
    iops, bytes_per_s = mean(minutes.array_iops) or 0.0, mean(minutes.array_bytes_per_s) or 0.0
    by_iops = first.group_iops_limit or 0
    is_by_iops = by_iops > 0 and (iops >= LIMIT_USED * by_iops or not first.group_bytes_per_s_limit)
    limit = by_iops if is_by_iops else first.group_bytes_per_s_limit or 0
    allowed = f"{count(limit)} IOPS" if is_by_iops else megabytes(limit)
    used = f"{count(iops)} of {allowed}" if is_by_iops else f"{megabytes(bytes_per_s)} of {allowed}"
    wait = mean(minutes.per_io("qos_time")) or 0.0
    weight = sum(load.qos_time for load in loads) / first.array_whole if first.array_whole > 0 else 0.0
    name = f"volume group {first.group_name}"
    sharing = counted(len(first.group_volume_ids), "volume")
    return Candidate(
        kind=CauseKind.QOS_LIMIT,
        object=CauseObject(name, (first.array,)),
        on=CauseObject(first.array.name, (first.array,)),
        weight=min(weight, 1.0),
        share=min(weight, 1.0),
        share_of="array time",
        iops=iops,
        limit=CauseLimit(
            name="QoS limit of the volume group" if is_by_iops else "QoS bandwidth limit of the volume group",
            value=limit,
            used=iops if is_by_iops else bytes_per_s,
            unit="IOPS" if is_by_iops else "bytes/s",
            set_where="array: volume group, QoS",
        ),
        twin=twin,
        binds=twin.is_passed,
        is_new=twin.is_new,
        is_counted=True,
        evidence=(
            CauseEvidence(label="QoS rate limit", value=wait, unit="µs"),
            CauseEvidence(label="Volumes that share the limit", value=len(first.group_volume_ids), unit="count"),
        ),
        headline=f"{name[0].upper()}{name[1:]} at its QoS limit of {allowed}",
        text=f"{name} is at its QoS limit ({used}, QoS rate limit {duration(wait)}), which {sharing} share",
        needs="limit in use in 60 % of the elevated minutes and not in the normal ones before",
    )
