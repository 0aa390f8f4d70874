"""A target port of an array whose traffic is at the line rate of its link: more hosts come in through it than it can serve."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.source import Stream
from gavel.findings.binding import BINDING_SHARE, PORT_USED
from gavel.findings.evidence_ports import PortLoad
from gavel.findings.measures import LASTING, depth_together, mean_over, setting, severity_of_wait
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
from gavel.findings.texts import counted, megabytes, milliseconds, number, percent

_MOST_HOSTS = 200


def evaluate(evidence: PortLoad) -> Finding | None:
    """None where the line rate is reached only now and then."""
    if evidence.busy_s < BINDING_SHARE * (evidence.to_at - evidence.from_at).total_seconds():
        return None
    sends = evidence.transmitted >= evidence.received
    carried = max(evidence.transmitted, evidence.received)
    wait = _added_us(evidence)
    severity = Severity.NORMAL if wait is None else severity_of_wait(wait)
    return Finding(
        source_id=evidence.source_id,
        object=evidence.array,
        part=evidence.port,
        severity=severity,
        confidence=Confidence.CONFIRMED,
        title=(
            f"Target port {evidence.port} of {evidence.array.name} at its line rate: {megabytes(carried)} of "
            f"{megabytes(evidence.line_rate)} {'transmitted' if sends else 'received'}"
        ),
        cause=_cause(evidence, sends=sends),
        evidence=tuple(_numbers(evidence)),
        tables=tuple(_tables(evidence)),
        advice=tuple(_advice(evidence, severity)),
        affected=tuple(one.host for one in evidence.hosts[:_MOST_HOSTS]),
        affected_text=_fan_in(evidence) if evidence.hosts else "All hosts with paths to this port share its link.",
        magnitude=carried / evidence.line_rate,
    )


def _added_us(evidence: PortLoad) -> float | None:
    """What paths to this port are slower for sure than the same devices' paths to other ports."""
    if evidence.us is None or evidence.other_us is None:
        return None
    step = evidence.precision_us if evidence.precision_us > 1.0 else 0.0
    return max(evidence.us - evidence.other_us - 1.5 * step, 0.0)


def _cause(evidence: PortLoad, *, sends: bool) -> str:
    way = "Reads" if sends else "Writes"
    first = next(iter(evidence.hosts), None)
    whole = sum(one.bytes_per_s or 0.0 for one in evidence.hosts)
    text = f"{way} through this port wait for its link, which carries no more."
    if first is None or not first.bytes_per_s:
        return text
    share = first.bytes_per_s / whole
    return (
        f"{text} {first.host.name} has {percent(share)} of the traffic of {counted(len(evidence.hosts), 'host')} on it."
    )


def _fan_in(evidence: PortLoad) -> str:
    adapters = sum(one.adapters for one in evidence.hosts)
    return f"{counted(len(evidence.hosts), 'host')} with {counted(adapters, 'adapter')} on this port"


def _numbers(evidence: PortLoad) -> Iterator[FindingEvidence]:
    yield mean_over(evidence, "Transmitted", evidence.transmitted / 1e6, "MB/s", "transmitted_bytes_per_sec")
    yield mean_over(evidence, "Received", evidence.received / 1e6, "MB/s", "received_bytes_per_sec")
    yield setting(evidence, "Line rate", evidence.line_rate / 1e6, "MB/s", "network-interfaces: speed")
    if evidence.us is not None:
        yield mean_over(evidence, "Latency of paths to this port", evidence.us, "µs", "storagePath.totalReadLatency")
    if evidence.other_us is not None:
        yield mean_over(
            evidence, "Latency of paths to other ports", evidence.other_us, "µs", "storagePath.totalReadLatency"
        )
    counter = "queue depth of the devices with a working path to it"
    depths = (one.depth for one in evidence.hosts)
    yield from depth_together(evidence, "Depth of all device queues on this port", depths, counter)


def _tables(evidence: PortLoad) -> Iterator[EvidenceTable]:
    if evidence.hosts:
        columns = (("Traffic", "MB/s"), ("IOPS", "IOPS"), ("Devices", "devices"), ("Depth", "I/Os"))
        rows = tuple(
            EvidenceRow(
                one.host,
                (
                    None if one.bytes_per_s is None else one.bytes_per_s / 1e6,
                    one.iops,
                    float(one.devices),
                    None if one.depth is None else float(one.depth),
                ),
            )
            for one in evidence.hosts[:_MOST_HOSTS]
        )
        yield EvidenceTable("Hosts on this port", columns, rows)


def _advice(evidence: PortLoad, severity: Severity) -> Iterator[Advice]:
    if severity is Severity.NORMAL:
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave it as long as the latency of its volumes is within their tolerance",
            why="A copy or a backup may use all of a link without harm to anyone." + _slower(evidence),
        )
    yield Advice(
        kind=AdviceKind.REPAIR,
        text="Check whether the link came up slower than port and switch can",
        why=f"The array shows {number(evidence.line_rate / 1e6)} MB/s. A worn transceiver or a fixed speed at the switch halves it.",
        agree=("storage",),
    )
    yield Advice(
        kind=AdviceKind.SPREAD,
        text="Spread the hosts over more target ports of the array, and let all paths carry I/O",
        why="Deeper queues on the hosts only move the waiting to the port. Round robin and the latency policy use every optimized path.",
        agree=("storage", "virtualization"),
        next_limit="the links of the hosts' own adapters",
    )
    yield Advice(
        kind=AdviceKind.LIMIT,
        text="Limit the bandwidth of volumes whose I/O can wait, by QoS on the array",
        why="The others wait less then, and these longer.",
        takes_effect="live",
        agree=("storage", "virtualization"),
        next_limit="the limit itself",
    )


def _slower(evidence: PortLoad) -> str:
    if evidence.us is None or evidence.other_us is None:
        return ""
    return f" Its paths take {milliseconds(evidence.us)}, those to other ports {milliseconds(evidence.other_us)}."


RULE = FindingRule(
    id="fan-in-over-port",
    title="Target port at its line rate",
    evidence=PortLoad,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} a target port of an array receives or transmits {percent(PORT_USED)} or more of what its link carries one way"
    ),
    cleared_when="10 minutes later the port is below that for longer",
    blind_spots=(
        "Bursts within 30 seconds: the array counts means over them",
        "Which hosts are on an iSCSI or NVMe/TCP port: all ports of an array have one name there",
        "How many I/Os a port can hold at once: FlashArray documents no such number, so no depth is compared with one",
        "Links of switches between host and array",
    ),
    references=(
        FindingReference("Gavel: every number and what it means, array_port (docs/metrics.md)"),
        FindingReference(
            "Pure Storage REST API 2: network-interfaces/performance",
            "https://code.purestorage.com/swagger/redoc/fa2.26-api-reference.html",
        ),
    ),
    needs=NeededSamples(
        Stream.ARRAY_PORT, missing="no traffic of target ports with a line rate was measured in the last hour"
    ),
)
