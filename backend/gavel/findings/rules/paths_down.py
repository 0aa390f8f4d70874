"""Paths that do not work, or that a host lacks which others of its cluster have."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.commands import path_rescan_command
from gavel.findings.evidence import HostPathCount, PathEvidence
from gavel.findings.model import (
    Advice,
    AdviceCommand,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import counted, listed, names_of

# With one path left the next failure ends all I/O.
_LAST_PATHS = 1
_STATES = "multipathInfo.lun.path.state"


def evaluate(evidence: PathEvidence) -> Finding | None:
    """None where every host has all paths that the best connected one has, and all of them work."""
    short = [host for host in evidence.hosts if host.down or host.total < evidence.most]
    if not short:
        return None
    down, total = sum(len(host.down) for host in short), sum(host.total for host in short)
    left = min(host.least for host in evidence.hosts)
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        part=evidence.adapter or "",
        severity=Severity.HIGH if left <= _LAST_PATHS else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=_title(evidence, short, down, total),
        cause=_cause(evidence, left),
        evidence=_numbers(evidence, down, total, left),
        tables=() if evidence.adapter else (_table(evidence),),
        advice=tuple(_advice(evidence, short)),
        affected=evidence.affected,
        affected_text=f"{counted(evidence.vms, 'VM')} with disks on it" if evidence.vms else "",
        magnitude=float(down + sum(evidence.most - host.total for host in short)),
    )


def _title(evidence: PathEvidence, short: list[HostPathCount], down: int, total: int) -> str:
    hosts = listed(host.host.name for host in short)
    if evidence.adapter:
        return f"All {counted(down, 'path')} of {evidence.adapter} down on {hosts}"
    if down:
        return f"{down} of {counted(total, 'path')} down on {hosts}"
    return f"Fewer paths than other hosts of the cluster on {hosts}"


def _cause(evidence: PathEvidence, left: int) -> str:
    if evidence.adapter:
        reason = (
            f"Every path through {evidence.adapter} is down: adapter, cable, switch port or zoning of that adapter."
        )
    elif evidence.arrays:
        reason = f"The paths that are down lead to {listed(evidence.arrays)}."
    else:
        reason = "The host reports these paths as dead, off or disabled, or does not have them."
    if left == 0:
        return f"{reason} A host has no working path left."
    if left <= _LAST_PATHS:
        return f"{reason} A host has one path left: the next failure ends its I/O."
    return f"{reason} The remaining paths carry all I/O."


def _numbers(evidence: PathEvidence, down: int, total: int, left: int) -> tuple[FindingEvidence, ...]:
    named = [
        ("Paths down", float(down)),
        ("Paths of this adapter" if evidence.adapter else "Paths of these hosts", float(total)),
        ("Working paths of the device with the fewest", float(left)),
    ]
    if not evidence.adapter:
        named.append(("Paths of the best connected host", float(evidence.most)))
    return tuple(
        FindingEvidence(label=label, value=value, unit="paths", to_at=evidence.read_at, counter=_STATES)
        for label, value in named
    )


def _table(evidence: PathEvidence) -> EvidenceTable:
    rows = tuple(
        EvidenceRow(
            host.host,
            (float(host.left), float(host.total), listed(host.down)),
            is_odd=bool(host.down) or host.total < evidence.most,
        )
        for host in evidence.hosts
    )
    return EvidenceTable("Paths by host", (("Working", "paths"), ("All", "paths"), ("Down", "")), rows)


def _advice(evidence: PathEvidence, short: list[HostPathCount]) -> Iterator[Advice]:
    hosts = names_of([host.host for host in short])
    where = "adapter, cable, switch port, zoning and array port" if not evidence.adapter else "adapter, cable and port"
    yield Advice(
        kind=AdviceKind.REPAIR,
        text=f"Repair {where} of the paths that are down on {hosts}, then rescan",
        why="Fewer paths mean less redundancy and less bandwidth. Latency may be normal until the next failure.",
        commands=tuple(_rescan(host, evidence) for host in short),
        takes_effect="live",
        agree=("storage", "virtualization"),
    )


def _rescan(host: HostPathCount, evidence: PathEvidence) -> AdviceCommand:
    return path_rescan_command(
        host.host,
        adapter=evidence.adapter,
        device=evidence.devices[0] if evidence.devices and not evidence.adapter else None,
        current=f"{host.left} of {evidence.most} paths",
        target=f"{evidence.most} paths",
    )


RULE = FindingRule(
    id="paths-down",
    title="Paths down",
    evidence=PathEvidence,
    evaluate=evaluate,
    raised_when="a path is dead, off or disabled, or a host has fewer paths to a device than another host of its cluster",
    cleared_when="the next inventory shows all paths working, as many on every host",
    blind_spots=(
        "Paths that vanished from every host at the same time and are no longer listed",
        "Hosts in maintenance mode, hosts that are not connected, and hosts that list no path of a device are left out",
        "A path that is listed as active and loses frames: see aborts and path latency",
    ),
    references=(
        FindingReference(
            "Broadcom KB 316417: How paths to a storage device are marked as dead",
            "https://knowledge.broadcom.com/external/article/316417",
        ),
    ),
)
