"""A path policy other than the array's vendor publishes for its devices."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.path_policy import PathPolicy
from gavel.findings.commands import path_policy_command
from gavel.findings.evidence import DevicePolicies
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingRule,
)
from gavel.findings.texts import counted
from gavel.findings.vendor_advice import ADVICE, ROUND_ROBIN, VendorAdvice, advice_for

_MOST_OBJECTS = 200


def evaluate(evidence: DevicePolicies) -> Finding | None:
    """None where the policy is as advised, where its options were not read, and of a vendor whose advice is not known."""
    names = [name for _, devices in evidence.hosts for name in devices]
    advice, policy = advice_for(names[0]), PathPolicy.parse(evidence.path_policy)
    if advice is None or not policy.plugin.startswith("VMW_PSP_") or advice.is_met(policy):
        return None
    if policy.plugin == ROUND_ROBIN and policy.text == policy.plugin:
        return None
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        part=f"{evidence.vendor} {evidence.model} {evidence.path_policy}",
        severity=Severity.NORMAL if policy.plugin == ROUND_ROBIN else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"Path policy {_short(policy)} on {counted(len(set(names)), 'device')} of {advice.vendor}",
        cause=f"{advice.vendor} advises {advice.advised}. The devices were claimed before that rule, by another one, or set by hand.",
        evidence=tuple(_numbers(evidence, advice, len(set(names)))),
        tables=(_table(evidence),),
        advice=tuple(_advice(evidence, advice, policy)),
        affected=(*evidence.objects[:_MOST_OBJECTS], *(host for host, _ in evidence.hosts)),
        affected_text=f"{counted(len(evidence.objects), 'shared object')} on {counted(len(evidence.hosts), 'host')}",
        magnitude=float(len(names)),
    )


def _short(policy: PathPolicy) -> str:
    return f"{policy.plugin} with iops={policy.iops}" if policy.iops is not None else policy.plugin


def _numbers(evidence: DevicePolicies, advice: VendorAdvice, devices: int) -> Iterator[FindingEvidence]:
    counter = "esxcli storage nmp device list: Path Selection Policy"
    for label, value, unit in (
        ("Path policy", evidence.path_policy, ""),
        ("Advised", advice.advised, ""),
        ("Devices", float(devices), "count"),
    ):
        yield FindingEvidence(label=label, value=value, unit=unit, to_at=evidence.read_at, counter=counter)


def _table(evidence: DevicePolicies) -> EvidenceTable:
    rows = tuple(EvidenceRow(host, (float(len(names)),)) for host, names in evidence.hosts)
    return EvidenceTable("Devices by host", (("Devices", "count"),), rows)


def _advice(evidence: DevicePolicies, advice: VendorAdvice, policy: PathPolicy) -> Iterator[Advice]:
    if policy.plugin == ROUND_ROBIN:
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave it alone, if paths are evenly used and a failover is fast enough",
            why="Round robin with another number of I/Os uses every path too; the vendor's value fails over sooner.",
        )
    yield Advice(
        kind=AdviceKind.SETTING,
        text=f"Set the policy that {advice.vendor} advises on every host of these devices, and as a claim rule for new ones",
        why="A claim rule counts only for devices that are claimed after it.",
        commands=tuple(
            path_policy_command(host, names, evidence.path_policy, advice.target) for host, names in evidence.hosts
        ),
        takes_effect="live",
        agree=("storage", "virtualization"),
    )


RULE = FindingRule(
    id="path-policy-off-advice",
    title="Path policy off the vendor's advice",
    evidence=DevicePolicies,
    evaluate=evaluate,
    raised_when=(
        "the path policy of devices, or how many I/Os round robin sends down a path, differs from what the vendor publishes for them: "
        f"{'; '.join(f'{one.vendor}: {one.advised}' for one in ADVICE)}"
    ),
    cleared_when="the next inventory shows the advised policy on all of these devices",
    blind_spots=(
        "Vendors without advice that could be proven: of Dell, Hitachi, IBM and others nothing is compared",
        "Options of a policy are read by esxcli only: without that privilege round robin is taken as it is",
        "Devices of the high-performance plug-in (NVMe), whose schemes are others",
    ),
    references=tuple(one.reference for one in ADVICE),
)
