"""A host adapter whose own queue is full, so that I/Os of all its devices wait before it."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.source import Stream
from gavel.findings.binding import BINDING_SHARE, DEVICE_QUEUE_USED
from gavel.findings.evidence_ports import AdapterLoad
from gavel.findings.measures import LASTING, depth_together, mean_over
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
    NeededSamples,
)
from gavel.findings.texts import counted, number, percent

_ACTIVE, _QUEUED = "storageAdapter.outstandingIOs.average", "storageAdapter.queued.average"
_DEPTH = "storageAdapter.queueDepth.average"


def evaluate(evidence: AdapterLoad) -> Finding | None:
    """None where I/Os wait only now and then."""
    if evidence.full_s < BINDING_SHARE * (evidence.to_at - evidence.from_at).total_seconds():
        return None
    name, host = evidence.adapter, evidence.host
    return Finding(
        source_id=evidence.source_id,
        object=host,
        part=name,
        # As many again wait as it holds: each I/O waits about as long as the adapter takes for one.
        severity=Severity.HIGH if evidence.queued >= evidence.depth else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=(
            f"Adapter queue of {name} on {host.name} full: {number(evidence.active)} of {number(evidence.depth)} I/Os active,"
            f" {number(evidence.queued)} queued"
        ),
        cause=(
            f"{counted(len(evidence.devices), 'device')} share this adapter. Together they have more I/Os outstanding than it takes,"
            " although no device queue need be full."
        ),
        evidence=tuple(_numbers(evidence)),
        tables=tuple(_tables(evidence)),
        advice=tuple(_advice(evidence)),
        affected=(host,),
        affected_text="All VMs of the host with I/O through this adapter wait for it.",
        magnitude=evidence.queued,
    )


def _numbers(evidence: AdapterLoad) -> Iterator[FindingEvidence]:
    yield mean_over(evidence, "Active in the adapter", evidence.active, "I/Os", _ACTIVE)
    yield mean_over(evidence, "Queued before the adapter", evidence.queued, "I/Os", _QUEUED)
    yield mean_over(evidence, "Adapter queue depth (AQLEN)", evidence.depth, "I/Os", _DEPTH)
    counter = "queue depth of the devices with a path through it"
    depths = (depth for _, depth in evidence.devices)
    yield from depth_together(evidence, "Depth of its device queues together", depths, counter)


def _tables(evidence: AdapterLoad) -> Iterator[EvidenceTable]:
    if evidence.devices:
        rows = tuple(
            EvidenceRow(device, (None if depth is None else float(depth),)) for device, depth in evidence.devices[:200]
        )
        yield EvidenceTable("Devices on this adapter", (("Depth", "I/Os"),), rows)


def _advice(evidence: AdapterLoad) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Spread the I/O of {evidence.host.name} over more adapters: let all paths carry it, or move VMs to other hosts",
        why="Round robin and the latency policy use every optimized path. Deeper device queues only move the waiting to this adapter.",
        agree=("virtualization",),
        next_limit="the line rate of the adapter's link",
    )
    yield Advice(
        kind=AdviceKind.VENDOR,
        text="Ask the adapter's vendor what its driver takes at once, and by which parameter",
        why="Drivers differ in it and in its name, and it has to be alike on all hosts of the cluster.",
        agree=("virtualization", "storage"),
    )


RULE = FindingRule(
    id="adapter-queue-full",
    title="Adapter queue full",
    evidence=AdapterLoad,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} I/Os are queued before an adapter of a host while the active ones reach {percent(DEVICE_QUEUE_USED)} of its queue depth"
        " (AQLEN)"
    ),
    cleared_when="10 minutes later fewer of the samples show I/Os that wait before the adapter",
    blind_spots=(
        "Hosts that do not serve these counters, which is what most vCenters have: without them nothing is raised",
        "Queues that are full for seconds only: a sample is a mean over 20 seconds",
    ),
    references=(
        FindingReference(
            "Broadcom KB 323119: Changing the queue depth for QLogic, Emulex and Brocade HBAs",
            "https://knowledge.broadcom.com/external/article/323119",
        ),
    ),
    needs=NeededSamples(
        Stream.ADAPTER,
        missing="no queue of a host adapter was measured in the last hour; most vCenters do not serve these counters",
    ),
)
