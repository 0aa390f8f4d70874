"""A virtual disk on several snapshots whose I/Os wait above the device."""

from gavel.domain.io_path import Confidence
from gavel.findings.binding import LEAST_HYPERVISOR_US, LONG_CHAIN, is_chain_long
from gavel.findings.evidence import BusyDisk
from gavel.findings.measures import LASTING, mean_over, setting, severity_of_wait
from gavel.findings.minutes import iops_limit_binds, lasts, mean
from gavel.findings.model import Advice, AdviceKind, Finding, FindingReference, FindingRule
from gavel.findings.texts import counted, milliseconds


def evaluate(evidence: BusyDisk) -> Finding | None:
    """None for a short chain, without wait above the device, and where an IOPS limit explains that wait."""
    minutes, depth = evidence.minutes, evidence.snapshot_depth
    if not lasts(is_chain_long(depth, minutes.per_io("hypervisor_time"))):
        return None
    if evidence.iops_limit and lasts(iops_limit_binds(minutes, evidence.iops_limit)):
        return None
    wait = mean(minutes.per_io("hypervisor_time")) or 0.0
    name = f"{evidence.disk.name} of {evidence.vm.name}"
    return Finding(
        source_id=evidence.source_id,
        object=evidence.disk,
        severity=severity_of_wait(wait),
        confidence=Confidence.LIKELY,
        title=f"{counted(depth, 'snapshot')} beneath {name}, {milliseconds(wait)} in the hypervisor",
        cause=(
            f"A read may have to be looked up in {depth + 1} files, and a write extends the newest. That the chain takes all of the"
            f" {milliseconds(wait)} is not proven: no counter separates it from other work of the hypervisor."
        ),
        evidence=(
            setting(evidence, "Snapshots", float(depth), "count", "vm.snapshot, disk backing parents"),
            mean_over(evidence, "Wait in the hypervisor", wait, "µs", "virtual disk − device"),
            mean_over(evidence, "IOPS", mean(minutes.iops), "IOPS", "virtualDisk numberRead/WriteAveraged"),
        ),
        advice=(
            Advice(
                kind=AdviceKind.REPAIR,
                text=f"Delete unused snapshots of {evidence.vm.name} at a quiet hour, and consolidate if the disk stays on them",
                why="Deleting merges the files: that I/O comes on top of the VM's own until it is done.",
                takes_effect="live",
                agree=("virtualization",),
            ),
        ),
        affected=(evidence.vm, *([evidence.datastore] if evidence.datastore else [])),
        affected_text="The merge of the files is I/O for every VM on the datastore.",
        magnitude=float(depth),
    )


RULE = FindingRule(
    id="snapshot-chain",
    title="Snapshot chain",
    evidence=BusyDisk,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} a virtual disk is on {LONG_CHAIN} snapshots or more and its I/Os wait more than {LEAST_HYPERVISOR_US / 1000:g} ms"
        " in the hypervisor, without an IOPS limit in full use"
    ),
    cleared_when="10 minutes later the chain is shorter, or nothing waits above the device",
    blind_spots=(
        "The age of a snapshot is not read: an old one without wait is not reported",
        "Files that remained after a snapshot was deleted and that vCenter does not list",
        "Array snapshots: they are none of the hypervisor's",
    ),
    references=(
        FindingReference(
            "Broadcom KB 318825: Best practices for VMware snapshots",
            "https://knowledge.broadcom.com/external/article/318825",
        ),
    ),
)
