"""I/O on non-optimized paths of a device while an optimized one works."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.binding import NON_OPTIMIZED_SHARE, are_non_optimized_paths_used
from gavel.findings.evidence import HostPathUse, PathUse
from gavel.findings.measures import mean_over
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import counted, listed, percent

# Below this the path state checks of the hosts themselves are a visible part of the I/O.
_LEAST_IOPS = 10.0


def evaluate(evidence: PathUse) -> Finding | None:
    """None where each host with noticeable I/O keeps it on its optimized paths."""
    used = [host for host in evidence.hosts if _uses(host)]
    if not used:
        return None
    whole = sum(host.iops for host in used)
    off = sum(host.non_optimized_iops for host in used)
    hosts = listed(host.host.name for host in used)
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        severity=Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"{percent(off / whole)} of the I/O of {hosts} on non-optimized paths",
        cause=(
            "These hosts have optimized paths that work and use others as well. On a stretched pod the I/O then crosses to the other array;"
            " on one array it goes through the other controller."
        ),
        evidence=(
            mean_over(evidence, "I/O on non-optimized paths", off, "IOPS", "storagePath.numberRead/WriteAveraged"),
            mean_over(evidence, "All I/O of these hosts", whole, "IOPS", "storagePath.numberRead/WriteAveraged"),
        ),
        tables=(_table(evidence),),
        advice=tuple(_advice(used)),
        affected=tuple(host.host for host in used),
        affected_text=f"{counted(len(used), 'host')} of {len(evidence.hosts)}",
        magnitude=off / whole,
    )


def _uses(host: HostPathUse) -> bool:
    is_used = bool(are_non_optimized_paths_used(host.iops, host.non_optimized_iops))
    return host.optimized_paths > 0 and host.iops >= _LEAST_IOPS and is_used


def _table(evidence: PathUse) -> EvidenceTable:
    columns = (
        ("I/O", "IOPS"),
        ("On non-optimized paths", "IOPS"),
        ("Optimized paths that work", "paths"),
        ("Path policy", ""),
    )
    rows = tuple(
        EvidenceRow(
            one.host, (one.iops, one.non_optimized_iops, float(one.optimized_paths), one.path_policy), is_odd=_uses(one)
        )
        for one in evidence.hosts
    )
    return EvidenceTable("I/O by host", columns, rows)


def _advice(used: list[HostPathUse]) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.REPAIR,
        text=f"Look at the path states of {listed(one.host.name for one in used)}, and whether a failover was left as it was",
        agree=("storage", "virtualization"),
    )
    yield Advice(
        kind=AdviceKind.SETTING,
        text="On a stretched pod, set the preferred array of each host, so that paths to the other array are non-optimized and rest",
        why="With a preferred array, ALUA reports the paths to it as optimized.",
        takes_effect="live",
        agree=("storage",),
    )


RULE = FindingRule(
    id="non-optimized-io",
    title="I/O on non-optimized paths",
    evidence=PathUse,
    evaluate=evaluate,
    raised_when=(
        f"over 20 minutes more than {NON_OPTIMIZED_SHARE * 100:.0f} % of a host's I/O to a device runs on non-optimized paths while an "
        f"optimized one works, at {_LEAST_IOPS:.0f} IOPS or more"
    ),
    cleared_when="20 minutes later its share is at the threshold or below it, or no optimized path works (then see paths down)",
    blind_spots=(
        "Whether a path is optimized is read by esxcli only: without that privilege nothing is raised",
        "Hosts without any optimized path: their I/O has no better way",
        "A latency policy with useANO=1 may use them on purpose, when they are as fast",
    ),
    references=(
        FindingReference(
            "VMware vSphere: Change default parameters for latency round robin",
            "https://docs.vmware.com/en/VMware-vSphere/7.0/com.vmware.vsphere.storage.doc/GUID-1940AE9E-04CF-40BE-BB71-398621F0642E.html",
        ),
    ),
)
