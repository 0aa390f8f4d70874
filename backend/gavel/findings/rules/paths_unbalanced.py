"""A round robin policy that puts most of a device's I/O on one of its active paths."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.path_policy import PathPolicy
from gavel.domain.source import Stream
from gavel.findings.commands import round_robin_options_command
from gavel.findings.evidence_shared import PathBalance, PathShare
from gavel.findings.measures import mean_over, setting
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingReference,
    FindingRule,
    NeededSamples,
)
from gavel.findings.texts import number, percent
from gavel.findings.vendor_advice import ROUND_ROBIN

# A path with more than so many times the mean of the active paths.
TIMES_MEAN = 2.0
LEAST_IOPS = 100.0
# The latency policy prefers the faster path and samples the others: only of a busy host a share says something.
LEAST_IOPS_BY_LATENCY = 1000.0
# Of the twelve samples of the hour.
LEAST_SAMPLES = 9
_COUNTER = "storagePath.numberRead/WriteAveraged"


def evaluate(evidence: PathBalance) -> Finding | None:
    """None for other policies, quiet devices, and where every path's I/O is near the mean."""
    policy = PathPolicy.parse(evidence.path_policy)
    least = LEAST_IOPS_BY_LATENCY if policy.by == "latency" else LEAST_IOPS
    paths = [path for path in evidence.paths if path.samples >= LEAST_SAMPLES]
    if policy.plugin != ROUND_ROBIN or len(paths) < len(evidence.paths) or len(paths) < 2 or evidence.iops < least:
        return None
    mean = evidence.iops / len(paths)
    busiest = max(paths, key=lambda path: path.iops)
    if busiest.iops <= TIMES_MEAN * mean:
        return None
    share = busiest.iops / evidence.iops
    name = evidence.object.name
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        part=evidence.host.name,
        severity=Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"{percent(share)} of the I/O of {name} on {evidence.host.name} uses one of {len(paths)} paths",
        cause=_cause(policy, busiest, share, len(paths)),
        evidence=(
            mean_over(evidence, f"I/O on {busiest.name}", busiest.iops, "IOPS", _COUNTER),
            mean_over(evidence, "Mean of the active paths", mean, "IOPS", _COUNTER, is_derived=True),
            mean_over(evidence, "I/O of the device on this host", evidence.iops, "IOPS", _COUNTER),
            setting(evidence, "Path policy", evidence.path_policy, "", "multipathInfo.lun.policy"),
        ),
        tables=(_table(evidence, busiest),),
        advice=tuple(_advice(evidence, policy, busiest)),
        affected=(evidence.host,),
        affected_text=f"One adapter and one port carry {number(busiest.iops)} IOPS; the others could take a part of it.",
        magnitude=share,
    )


def _cause(policy: PathPolicy, busiest: PathShare, share: float, count: int) -> str:
    even = f"Evenly spread it would be {percent(1 / count)}."
    through = "" if busiest.adapter is None else f" through {busiest.adapter}"
    if policy.by == "latency":
        return f"The latency policy sends {percent(share)} of the I/O over {busiest.name}{through}: the other paths answer later. {even}"
    return f"{busiest.name}{through} carries {percent(share)} of the I/O under round robin. {even}"


def _table(evidence: PathBalance, busiest: PathShare) -> EvidenceTable:
    rows = tuple(
        EvidenceRow(
            None,
            (path.name, path.adapter, path.target, path.iops, 100 * path.iops / evidence.iops),
            is_odd=path is busiest,
        )
        for path in sorted(evidence.paths, key=lambda path: -path.iops)[:64]
    )
    columns = (("Path", ""), ("Adapter", ""), ("Target", ""), ("I/O", "IOPS"), ("Share", "%"))
    return EvidenceTable("I/O by path", columns, rows)


def _advice(evidence: PathBalance, policy: PathPolicy, busiest: PathShare) -> Iterator[Advice]:
    if policy.by == "latency":
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave the policy alone: it avoids paths that answer later",
            why="What deserves a look is why they do.",
        )
    yield Advice(
        kind=AdviceKind.REPAIR,
        text=f"Compare latency and errors of the other paths with those of {busiest.name}: adapter, cable, switch port",
        why="A path that was down and came back, or that answers later, gets less I/O.",
        agree=("storage", "virtualization"),
    )
    if policy.by != "latency":
        yield Advice(
            kind=AdviceKind.SETTING,
            text="Read the options of round robin on this device, and set them as the array's vendor advises",
            why="After 1,000 I/Os per path, the default without a rule of the vendor, bursts stay on one path. See path policy off the"
            " vendor's advice for the value.",
            commands=(round_robin_options_command(evidence.host, evidence.canonical_name, evidence.path_policy),),
            takes_effect="live",
            agree=("virtualization", "storage"),
        )


RULE = FindingRule(
    id="paths-unbalanced",
    title="Paths unbalanced",
    evidence=PathBalance,
    evaluate=evaluate,
    raised_when=(
        f"over 1 hour one active path of a device on round robin carries more than {TIMES_MEAN:g} times the mean of its active paths, at "
        f"{LEAST_IOPS:.0f} IOPS or more; by latency, at {LEAST_IOPS_BY_LATENCY:,.0f} IOPS or more"
    ),
    cleared_when="an hour's shares are at the threshold or below it, or the device is quieter than that",
    blind_spots=(
        "Devices with two active paths: neither can have more than twice the mean",
        "Hosts with fewer paths than others of their cluster: see paths down",
        "Fixed and most recently used policies, where one path is meant to carry all",
        "Devices of the high-performance plug-in (HPP)",
    ),
    references=(
        FindingReference(
            "VMware vSphere: Change default parameters for latency round robin",
            "https://docs.vmware.com/en/VMware-vSphere/7.0/com.vmware.vsphere.storage.doc/GUID-1940AE9E-04CF-40BE-BB71-398621F0642E.html",
        ),
    ),
    needs=NeededSamples(
        Stream.PATH,
        f"fewer than {LEAST_SAMPLES} samples of five minutes of any path were measured in the last hour",
        LEAST_SAMPLES,
    ),
)
