"""A stretched pod whose arrays are unequally far from a host that has no preferred array."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.binding import LEAST_LEG_SPREAD_US, are_legs_apart
from gavel.findings.evidence_settings import HostLeg, HostLegs, StretchedPod
from gavel.findings.measures import mean_over
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import counted, milliseconds, names_of, percent

# Below this the mean of a path is of a few I/Os.
_LEAST_IOPS = 10.0
_COUNTER = "storagePath.totalRead/WriteLatency"


def evaluate(evidence: StretchedPod) -> Finding | None:
    """None where every host has a preference, or the arrays are as near to it as each other, or that was not measured."""
    apart = [host for host in evidence.hosts if _is_apart(host)]
    if not apart:
        return None
    worst = max(apart, key=lambda host: _far(host).us - _near(host).us)
    near, far = _near(worst), _far(worst)
    share = _far_share(apart)
    spread = far.us - near.us
    return Finding(
        source_id=evidence.source_id,
        object=evidence.array,
        part=evidence.pod,
        severity=Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"No preferred array on stretched pod {evidence.pod}: {counted(len(apart), 'host')}",
        cause=(
            f"{percent(share)} of the I/O of {names_of([host.host for host in apart])} goes to the far array, which takes up to"
            f" {milliseconds(spread)} longer: without a preferred array both arrays report their paths as optimized."
        ),
        evidence=tuple(_numbers(evidence, worst)),
        tables=(_table(evidence, apart),),
        advice=(
            Advice(
                kind=AdviceKind.SETTING,
                text=f"Set the preferred array of {names_of([host.host for host in apart])} to the array of its own site",
                why="Paths to the other array then are non-optimized and rest until the near ones fail. For members of a host group it is"
                " set on the host, not on the group.",
                takes_effect="live",
                agree=("storage", "virtualization"),
                next_limit="the near array's ports, which then carry the I/O of both",
            ),
            Advice(
                kind=AdviceKind.SETTING,
                text="Or use round robin by latency on these devices, which leaves slow paths out by itself",
                why="It finds the far array by measuring; a preferred array needs no measuring.",
                takes_effect="live",
                agree=("virtualization",),
            ),
        ),
        affected=(*evidence.objects[:200], *(host.host for host in apart)),
        affected_text=f"{counted(len(evidence.objects), 'datastore')} on this pod",
        magnitude=share * spread,
    )


def _near(host: HostLegs) -> HostLeg:
    return min(host.legs, key=lambda leg: leg.us)


def _far(host: HostLegs) -> HostLeg:
    return max(host.legs, key=lambda leg: leg.us)


def _is_apart(host: HostLegs) -> bool:
    if host.has_preference is not False or len(host.legs) < 2 or min(leg.iops for leg in host.legs) < _LEAST_IOPS:
        return False
    near, far = _near(host), _far(host)
    return bool(are_legs_apart(near.us, far.us, max(near.precision_us, far.precision_us)))


def _far_share(hosts: list[HostLegs]) -> float:
    whole = sum(leg.iops for host in hosts for leg in host.legs)
    return sum(_far(host).iops for host in hosts) / whole


def _numbers(evidence: StretchedPod, worst: HostLegs) -> Iterator[FindingEvidence]:
    for name, leg in (("Near array", _near(worst)), ("Far array", _far(worst))):
        label = f"{name}: {leg.array.name} from {worst.host.name}"
        yield mean_over(evidence, label, leg.us, "µs", _COUNTER, of=leg.array)


def _table(evidence: StretchedPod, apart: list[HostLegs]) -> EvidenceTable:
    columns = (
        ("Preferred array", ""),
        ("Near array", "µs"),
        ("Far array", "µs"),
        ("I/O to the far array", "IOPS"),
    )
    words = {True: "set", False: "none", None: "not read"}
    rows = tuple(
        EvidenceRow(
            host.host,
            (words[host.has_preference], _near(host).us, _far(host).us, _far(host).iops)
            if len(host.legs) > 1
            else (words[host.has_preference], _near(host).us, None, None),
            is_odd=host in apart,
        )
        for host in evidence.hosts[:200]
    )
    return EvidenceTable("Hosts of the pod", columns, rows)


RULE = FindingRule(
    id="no-preferred-array",
    title="No preferred array",
    evidence=StretchedPod,
    evaluate=evaluate,
    raised_when=(
        f"over 1 hour a host without a preferred array does {_LEAST_IOPS:.0f} IOPS or more to each of two arrays of a stretched pod, and "
        f"the paths to one of them take more than {LEAST_LEG_SPREAD_US / 1000:g} ms longer for sure, after the step of the path counters"
    ),
    cleared_when="an hour later each such host has a preferred array, its arrays are as near as each other, or it uses one of them only",
    blind_spots=(
        "Path latencies are whole milliseconds: arrays less than about 2.5 ms apart count as equally near",
        "Hosts that no polled array lists by the addresses of their adapters, and pods of which one array is not polled",
        "Where the near array is by distance: only the latency is measured",
    ),
    references=(
        FindingReference(
            "Pure Storage: ActiveCluster, optimizing host performance with array preferences (from 0.5 ms between the arrays on)",
            "https://support.purestorage.com",
        ),
    ),
)
