"""A virtual disk at its IOPS limit, or a volume at its QoS limit, with I/Os that wait for it."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence
from gavel.findings.binding import (
    COST_UNIT_BYTES,
    LEAST_HYPERVISOR_US,
    LEAST_QOS_US,
    LIMIT_USED,
    is_rate_at_limit,
)
from gavel.findings.commands import disk_limit_command
from gavel.findings.evidence import LimitedRate
from gavel.findings.measures import LASTING, mean_over, setting, severity_of_wait
from gavel.findings.minutes import iops_limit_binds, lasts, mean, qos_limit_binds
from gavel.findings.model import (
    Advice,
    AdviceKind,
    AdviceTrial,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import counted, megabytes, milliseconds, number

_SEGMENTS = "segment hypervisor (virtual disk − device)"


def evaluate(evidence: LimitedRate) -> Finding | None:
    """None where the limit did not bind in enough minutes, or was not measured in them."""
    return _of_disk(evidence) if evidence.object.kind == "vm_disk" else _of_volume(evidence)


def _of_disk(evidence: LimitedRate) -> Finding | None:
    minutes, limit = evidence.minutes, evidence.iops_limit
    if not limit or not lasts(iops_limit_binds(minutes, limit)):
        return None
    iops, normalized = mean(minutes.iops) or 0.0, mean(minutes.normalized_iops) or 0.0
    wait = mean(minutes.per_io("hypervisor_time")) or 0.0
    is_raw = bool(is_rate_at_limit(iops, limit))
    name = f"{evidence.object.name} of {evidence.owner.name}"
    used = number(iops) if is_raw else f"≈ {number(normalized)}"
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        severity=severity_of_wait(wait),
        # That larger I/Os count several times is documented; that they do so on every version is not proven.
        confidence=Confidence.CONFIRMED if is_raw else Confidence.LIKELY,
        title=f"{name} at its IOPS limit: {used} of {number(limit)}",
        cause=_disk_cause(iops, normalized, limit, wait, is_raw=is_raw),
        evidence=(
            mean_over(evidence, "IOPS", iops, "IOPS", "virtualDisk numberRead/WriteAveraged"),
            mean_over(
                evidence,
                f"In I/Os of {COST_UNIT_BYTES // 1024} KiB",
                normalized,
                "IOPS",
                "IOPS × size",
                is_derived=True,
            ),
            setting(evidence, "IOPS limit", float(limit), "IOPS", "storageIOAllocation.limit"),
            mean_over(evidence, "Wait in the hypervisor", wait, "µs", _SEGMENTS),
        ),
        advice=tuple(_disk_advice(evidence, limit)),
        affected=(evidence.owner,),
        affected_text="Only this virtual disk waits for its limit.",
        magnitude=wait,
    )


def _disk_cause(iops: float, normalized: float, limit: int, wait: float, *, is_raw: bool) -> str:
    if is_raw:
        return f"The limit is in full use ({number(iops)} of {number(limit)} IOPS): ESXi holds I/Os back for {milliseconds(wait)} each."
    return (
        f"{number(iops)} IOPS are below the limit of {number(limit)}, but the I/Os are large:"
        f" as I/Os of {COST_UNIT_BYTES // 1024} KiB they are ≈ {number(normalized)}. ESXi holds them back for {milliseconds(wait)} each."
    )


def _disk_advice(evidence: LimitedRate, limit: int) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.LEAVE,
        text="Leave it, and accept this finding, if the limit is meant to hold this disk back",
        why="A limit that is in use does what it was set for. Other disks are not affected.",
    )
    yield Advice(
        kind=AdviceKind.LIMIT,
        text=f"Raise or remove the IOPS limit of {evidence.object.name} of {evidence.owner.name}",
        why="The command removes it; for another limit, put its number in place of -1.",
        commands=(disk_limit_command(evidence.owner, evidence.object, limit),),
        takes_effect="live",
        agree=("virtualization", "storage"),
        next_limit="the queue of the device that all VMs of the datastore share",
        trial=AdviceTrial(evidence.owner, {"lifts_iops_limit": 1}),
    )


def _of_volume(evidence: LimitedRate) -> Finding | None:
    minutes = evidence.minutes
    if not lasts(qos_limit_binds(minutes, evidence.iops_limit, evidence.bytes_per_s_limit)):
        return None
    iops, carried = mean(minutes.array_iops) or 0.0, mean(minutes.array_bytes_per_s) or 0.0
    wait = mean(minutes.per_io("qos_time")) or 0.0
    used = _used(evidence, iops, carried)
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        part=evidence.group or "",
        severity=severity_of_wait(wait),
        confidence=Confidence.CONFIRMED,
        title=f"{_limited_name(evidence)} at its QoS limit: {used}",
        cause=_volume_cause(evidence, wait),
        evidence=tuple(_volume_numbers(evidence, iops, carried, wait)),
        advice=tuple(_volume_advice(evidence)),
        affected=(evidence.owner,) if evidence.group is None else evidence.volumes[:200],
        affected_text="All hosts and VMs on this volume wait for its limit."
        if evidence.group is None
        else f"{counted(len(evidence.volumes), 'volume')} share this limit.",
        magnitude=wait,
    )


def _limited_name(evidence: LimitedRate) -> str:
    return f"Volume {evidence.object.name}" if evidence.group is None else f"Volume group {evidence.group}"


def _subject(evidence: LimitedRate) -> str:
    return f"volume {evidence.object.name}" if evidence.group is None else f"volume group {evidence.group}"


def _volume_cause(evidence: LimitedRate, wait: float) -> str:
    counts = f"The array itself counts {milliseconds(wait)} per I/O of QoS rate limit on"
    if evidence.group is None:
        return f"{counts} this volume."
    return f"{counts} the {counted(len(evidence.volumes), 'volume')} of this group, which use up its limit together."


def _used(evidence: LimitedRate, iops: float, carried: float) -> str:
    limit = evidence.iops_limit
    if limit and (bool(is_rate_at_limit(iops, limit)) or not evidence.bytes_per_s_limit):
        return f"{number(iops)} of {number(limit)} IOPS"
    return f"{megabytes(carried)} of {megabytes(evidence.bytes_per_s_limit or 0)}"


def _volume_numbers(evidence: LimitedRate, iops: float, carried: float, wait: float) -> Iterator[FindingEvidence]:
    yield mean_over(evidence, "QoS rate limit", wait, "µs", "qos_rate_limit_usec_per_read_op, …_write_op")
    yield mean_over(evidence, "IOPS of the volume", iops, "IOPS", "reads_per_sec, writes_per_sec")
    if evidence.iops_limit:
        yield setting(evidence, "IOPS limit", float(evidence.iops_limit), "IOPS", "volume qos.iops_limit")
    if evidence.bytes_per_s_limit:
        yield mean_over(evidence, "Bandwidth of the volume", carried / 1e6, "MB/s", "IOPS × size", is_derived=True)
        limit = evidence.bytes_per_s_limit / 1e6
        yield setting(evidence, "Bandwidth limit", limit, "MB/s", "volume qos.bandwidth_limit")


def _volume_advice(evidence: LimitedRate) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.LEAVE,
        text="Leave it, and accept this finding, if the limit is meant to hold this volume back",
        why="It protects the other volumes of the array.",
    )
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Move VMs with much I/O from {evidence.object.name} to datastores on other volumes"
        if evidence.group is None
        else f"Move volumes with much I/O out of volume group {evidence.group}",
    )
    yield Advice(
        kind=AdviceKind.LIMIT,
        text=f"Raise or remove the QoS limit of {_subject(evidence)} on {evidence.owner.name}",
        takes_effect="live",
        agree=("storage",),
        next_limit="the array's own load, which the volume's I/O then adds to",
    )


RULE = FindingRule(
    id="iops-limit-at-work",
    title="IOPS limit at work",
    evidence=LimitedRate,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} a virtual disk uses {LIMIT_USED * 100:.0f} % of its IOPS limit while its I/Os wait more than "
        f"{LEAST_HYPERVISOR_US / 1000:g} ms in the hypervisor, or a volume or volume group uses {LIMIT_USED * 100:.0f} % of a QoS "
        f"limit while the array counts more than {LEAST_QOS_US / 1000:g} ms of QoS rate limit per I/O"
    ),
    cleared_when="10 minutes later the limit is in full use in fewer of them, or nothing waits for it",
    blind_spots=(
        "Limits of hosts and of realms on the array; pods have none for I/O",
        "Limits of VMs by resource pool or storage policy that do not appear as the disk's own limit",
        "Virtual disks whose layer above the device cannot be measured: a kernel time in whole milliseconds hides a short wait",
    ),
    references=(
        FindingReference(
            "vSphere API: StorageIOAllocationInfo",
            "https://developer.broadcom.com/xapis/vsphere-web-services-api/8.0u3/vim.StorageResourceManager.IOAllocationInfo.html",
        ),
    ),
)
