"""Adaptive queue depth on some hosts of a target port only."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.commands import device_queue_full_command, host_option_command
from gavel.findings.evidence_settings import HostQueueFull, SharedPorts
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
from gavel.findings.texts import counted, names_of

OPTION = "Disk.QFullSampleSize"
_OFF = 0


def evaluate(evidence: SharedPorts) -> Finding | None:
    """None where all hosts whose setting was read have it alike."""
    on = [host for host in evidence.hosts if host.is_on]
    off = [host for host in evidence.hosts if host.is_on is False]
    if not on or not off:
        return None
    array = "" if evidence.array is None else f" of {evidence.array.name}"
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        severity=Severity.NORMAL,
        confidence=Confidence.CONFIRMED,
        title=f"Adaptive queue depth on {len(on)} of {counted(len(on) + len(off), 'host')} on the same ports{array}",
        cause=(
            f"When a port answers BUSY or QUEUE FULL, {names_of([host.host for host in on])} halve their queues, and the others fill the"
            " slots that become free: those that give way lose."
        ),
        evidence=(
            FindingEvidence(
                label="Target ports in common",
                value=float(len(evidence.ports)),
                unit="ports",
                to_at=evidence.read_at,
                counter="multipathInfo: target of the paths",
            ),
        ),
        tables=(_table(evidence),),
        advice=tuple(_advice(on, off)),
        affected=tuple(host.host for host in evidence.hosts[:200]),
        affected_text=f"{counted(len(evidence.hosts), 'host')} on {counted(len(evidence.ports), 'port')}",
        magnitude=float(len(on)),
    )


def _table(evidence: SharedPorts) -> EvidenceTable:
    columns = ((OPTION, ""), ("Disk.QFullThreshold", ""), ("Set on devices", "devices"))
    rows = tuple(
        EvidenceRow(
            host.host,
            (_cell(host.sample_size), _cell(host.threshold), float(len(host.devices))),
            is_odd=bool(host.is_on),
        )
        for host in evidence.hosts[:200]
    )
    return EvidenceTable("Adaptive queue depth by host", columns, rows)


def _cell(value: int | None) -> float | None:
    return None if value is None else float(value)


def _advice(on: list[HostQueueFull], off: list[HostQueueFull]) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.SETTING,
        text=f"Switch adaptive queue depth off on {names_of([host.host for host in on])}",
        why="An array that queues inside and sends no QUEUE FULL, such as FlashArray, needs it nowhere.",
        commands=tuple(_off_commands(on)),
        takes_effect="live",
        agree=("virtualization", "storage"),
    )
    sizes = sorted({host.sample_size for host in on if host.sample_size})
    if len(sizes) == 1:
        yield Advice(
            kind=AdviceKind.SETTING,
            text=f"Or set it on {names_of([host.host for host in off])} as well, if the array's vendor asks for it",
            why=_range(off, sizes[0]),
            commands=tuple(host_option_command(host.host, OPTION, host.sample_size, sizes[0]) for host in off),
            takes_effect="live",
            agree=("virtualization", "storage"),
        )


def _range(off: list[HostQueueFull], size: int) -> str:
    ranges = {(host.least, host.most) for host in off}
    if len(ranges) == 1 and None not in (known := next(iter(ranges))):
        return f"These hosts allow {known[0]} to {known[1]}; the others have {size}. Disk.QFullThreshold may not be larger."
    return f"The others have {size}. Disk.QFullThreshold may not be larger."


def _off_commands(on: list[HostQueueFull]) -> Iterator[AdviceCommand]:
    for host in on:
        if host.sample_size:
            yield host_option_command(host.host, OPTION, host.sample_size, _OFF)
        if host.devices:
            yield device_queue_full_command(host.host, host.devices)


RULE = FindingRule(
    id="adaptive-depth-partial",
    title="Adaptive queue depth on some hosts",
    evidence=SharedPorts,
    evaluate=evaluate,
    raised_when=(
        "of the connected hosts that use a target port, some have adaptive queue depth on (Disk.QFullSampleSize above 0, or set on a "
        "device) and others do not"
    ),
    cleared_when="the next inventory shows it alike on all hosts of the port",
    blind_spots=(
        "Settings of single devices are read by esxcli only: without that privilege only the host's options count",
        "Hosts of vCenters that are not polled, and hosts that are not connected",
        "Whether the array has answered BUSY or QUEUE FULL at all",
    ),
    references=(
        FindingReference(
            "Broadcom KB 311232: Controlling LUN queue depth throttling in ESXi",
            "https://knowledge.broadcom.com/external/article/311232",
        ),
    ),
)
