"""Hosts whose latencies of devices come in whole milliseconds, where finer counters are to be had."""

import re
from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.commands import capture_command
from gavel.findings.evidence_sources import CoarseCounters, CoarseHost
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
    ObjectRef,
)
from gavel.findings.texts import counted, names_of

# The first release with latencies of devices in µs (storage.latency.*).
FINE_FROM = 9
_MAJOR = re.compile(r"\d+")
_COUNTER = "disk.*Latency, storage.latency.*"


def evaluate(evidence: CoarseCounters) -> Finding | None:
    """None where no host delivers whole milliseconds."""
    if not evidence.hosts:
        return None
    able = [one.host for one in evidence.hosts if _is_able(evidence, one)]
    count = len(evidence.hosts)
    return Finding(
        source_id=evidence.source_id,
        object=evidence.source,
        severity=Severity.ELEVATED if able else Severity.NORMAL,
        confidence=Confidence.CONFIRMED,
        title=f"Device latencies of {counted(count, 'host')} come in steps of 1 ms",
        cause=_cause(able),
        evidence=_numbers(evidence, able),
        tables=(_table(evidence),),
        advice=tuple(_advice(evidence, able)),
        affected=tuple(one.host for one in evidence.hosts),
        affected_text="Kernel, SAN and array are often not separable there: differences below 1 ms do not show.",
        magnitude=float(count),
    )


def _is_able(evidence: CoarseCounters, coarse: CoarseHost) -> bool:
    """vCenter and host both know µs. A version that was not read is none."""
    return min(_major(evidence.version), _major(coarse.version or "")) >= FINE_FROM


def _major(version: str) -> int:
    first = _MAJOR.match(version)
    return int(first.group()) if first else 0


def _cause(able: list[ObjectRef]) -> str:
    if able:
        return (
            f"{names_of(able)} and this vCenter are of vSphere {FINE_FROM} or later, which counts them in µs (storage.latency.*), but these"
            " counters are not delivered. Levels of statistics do not hold back samples of 20 s; a missing counter does."
        )
    return (
        f"vSphere before {FINE_FROM} counts the latencies of devices (DAVG, KAVG, GAVG, QAVG) in whole milliseconds at every level of"
        " statistics. Only esxtop on the host has them in µs."
    )


def _numbers(evidence: CoarseCounters, able: list[ObjectRef]) -> tuple[FindingEvidence, ...]:
    named = (
        ("Hosts with steps of 1 ms", float(len(evidence.hosts)), "hosts"),
        ("Hosts with device latencies", float(evidence.hosts_measured), "hosts"),
        (f"Of vSphere {FINE_FROM} or later", float(len(able)), "hosts"),
        ("Version of the vCenter", evidence.version, ""),
    )
    return tuple(
        FindingEvidence(label=label, value=value, unit=unit, to_at=evidence.read_at, counter=_COUNTER)
        for label, value, unit in named
    )


def _table(evidence: CoarseCounters) -> EvidenceTable:
    rows = tuple(
        EvidenceRow(one.host, (one.version, "1 ms"), is_odd=_is_able(evidence, one)) for one in evidence.hosts[:100]
    )
    return EvidenceTable("Hosts", (("ESXi", ""), ("Step", "")), rows)


def _advice(evidence: CoarseCounters, able: list[ObjectRef]) -> Iterator[Advice]:
    if not able:
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave it alone as long as diagnoses name a layer, and accept this finding",
            why="Whole milliseconds show differences of several ms. Diagnoses with limited counters need finer ones.",
        )
    else:
        yield Advice(
            kind=AdviceKind.REPAIR,
            text=f"Look up whether vCenter lists storage.latency.* for {names_of(able)}, and restart its performance service if not",
            why="Sources, test of the connection, says which counters are offered.",
            agree=("virtualization",),
        )
    yield Advice(
        kind=AdviceKind.REPAIR,
        text="Capture esxtop on the hosts in question while it is slow, and look at it with gavel esxtop",
        why="esxtop has DAVG, KAVG, GAVG and QAVG in µs, and ACTV and QUED as they are.",
        commands=tuple(capture_command(one.host) for one in evidence.hosts[:3]),
        takes_effect="live",
        agree=("virtualization",),
    )
    if not able:
        yield Advice(
            kind=AdviceKind.VENDOR,
            text=f"Plan vSphere {FINE_FROM} for vCenter and hosts: it counts these latencies in µs",
            agree=("virtualization",),
        )


RULE = FindingRule(
    id="coarse-counters",
    title="Coarse counters",
    evidence=CoarseCounters,
    evaluate=evaluate,
    raised_when="the newest latencies of a host's devices come in whole milliseconds; one finding for each vCenter",
    cleared_when="all hosts of the vCenter deliver them in µs",
    blind_spots=(
        "Hosts without I/O at any device: they deliver no latency, coarse or fine",
        "Whether finer counters would change a diagnosis: see those with limited counters",
        "Latencies of paths and adapters, which vCenter has in whole milliseconds only",
    ),
    references=(
        FindingReference(
            "Broadcom: Disk I/O Counters of the vSphere Web Services API 8.0 U3",
            "https://developer.broadcom.com/xapis/vsphere-web-services-api/8.0U3/disk_counters.html",
        ),
    ),
)
