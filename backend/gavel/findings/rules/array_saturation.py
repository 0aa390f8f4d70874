"""An array whose I/Os wait in its own queue as they seldom do, while it works longer on more of them than usual."""

from collections.abc import Iterator
from dataclasses import dataclass

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.binding import BINDING_SHARE, LEAST_ARRAY_HOURS, LEAST_ARRAY_QUEUE_US
from gavel.findings.evidence_arrays import ArrayLoad, ArraySample, UsualArrayLoad
from gavel.findings.measures import LASTING, mean_over, severity_of_wait
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
    NeededHours,
)
from gavel.findings.texts import listed, milliseconds, number

_QUEUE = "queue_usec_per_read_op, …_write_op, …_mirrored_write_op"
_SERVICE = "service_usec_per_read_op, …_write_op, …_mirrored_write_op"
_IOPS = "reads_per_sec, writes_per_sec, mirrored_writes_per_sec"


@dataclass(frozen=True, slots=True)
class _Means:
    """Over the I/Os of the evidence's minutes."""

    iops: float
    service_us: float
    queue_us: float


def evaluate(evidence: ArrayLoad) -> Finding | None:
    """None without days of history, below what the array's hours are like, and where it is no busier than usual."""
    usual = evidence.usual
    if usual is None or usual.hours < LEAST_ARRAY_HOURS or not _lasts(evidence, usual):
        return None
    now = _means(evidence.samples)
    if now is None or now.iops <= usual.iops or now.service_us <= usual.service_us:
        return None
    severity = severity_of_wait(now.queue_us)
    return Finding(
        source_id=evidence.source_id,
        object=evidence.array,
        severity=severity,
        # The wait is the array's own counter; that load is the reason for it is what rose together.
        confidence=Confidence.LIKELY,
        title=f"{evidence.array.name} near saturation: I/Os wait {milliseconds(now.queue_us)} in its own queue",
        cause=(
            f"In 95 % of its hours of the last {number(usual.hours / 24)} days I/Os waited {milliseconds(usual.high_queue_us)} or less."
            f" It has {number(now.iops)} IOPS in place of the usual {number(usual.iops)}, and works {milliseconds(now.service_us)} on each"
            f" in place of {milliseconds(usual.service_us)}."
        ),
        evidence=tuple(_numbers(evidence, usual, now)),
        tables=tuple(_tables(evidence)),
        advice=tuple(_advice(evidence, severity)),
        affected=tuple(one.volume for one in evidence.volumes),
        affected_text="All volumes of the array share its queue.",
        magnitude=now.queue_us,
    )


def _lasts(evidence: ArrayLoad, usual: UsualArrayLoad) -> bool:
    """What was not measured does not count for it."""
    from_us = max(usual.high_queue_us, LEAST_ARRAY_QUEUE_US)
    busy_s = sum(one.interval_s for one in evidence.samples if one.queue_us is not None and one.queue_us >= from_us)
    return busy_s >= BINDING_SHARE * (evidence.to_at - evidence.from_at).total_seconds()


def _means(samples: tuple[ArraySample, ...]) -> _Means | None:
    timed = [
        (one.interval_s * one.iops, one.service_us, one.queue_us)
        for one in samples
        if one.service_us is not None and one.queue_us is not None
    ]
    ops = sum(one[0] for one in timed)
    if ops <= 0:
        return None
    seconds = sum(one.interval_s for one in samples)
    return _Means(
        iops=sum(one.interval_s * one.iops for one in samples) / seconds,
        service_us=sum(weight * service for weight, service, _ in timed) / ops,
        queue_us=sum(weight * queue for weight, _, queue in timed) / ops,
    )


def _numbers(evidence: ArrayLoad, usual: UsualArrayLoad, now: _Means) -> Iterator[FindingEvidence]:
    yield mean_over(evidence, "Array queue", now.queue_us, "µs", _QUEUE)
    yield mean_over(evidence, "Array service", now.service_us, "µs", _SERVICE)
    yield mean_over(evidence, "IOPS of the array", now.iops, "IOPS", _IOPS)
    for label, value, unit, counter in (
        ("Array queue, 95th percentile of hours", usual.high_queue_us, "µs", _QUEUE),
        ("Array service, median of hours", usual.service_us, "µs", _SERVICE),
        ("IOPS of the array, median of hours", usual.iops, "IOPS", _IOPS),
        ("Hours measured", float(usual.hours), "h", "array_wide_1h"),
    ):
        yield FindingEvidence(
            label=label, value=value, unit=unit, counter=counter, from_at=usual.from_at, to_at=evidence.from_at, is_derived=unit != "h"
        )  # fmt: skip


def _tables(evidence: ArrayLoad) -> Iterator[EvidenceTable]:
    if evidence.volumes:
        rows = tuple(EvidenceRow(one.volume, (one.iops_before, one.iops)) for one in evidence.volumes)
        yield EvidenceTable("Volumes with most added I/O", (("IOPS, hour before", "IOPS"), ("IOPS", "IOPS")), rows)


def _advice(evidence: ArrayLoad, severity: Severity) -> Iterator[Advice]:
    names = listed(one.volume.name for one in evidence.volumes)
    which = f", first {names}" if names else ""
    if severity is Severity.NORMAL:
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave it as long as the latency of its volumes is within their tolerance",
            why="The wait is short, on average over all I/O of the array. It shows that little room is left.",
        )
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Move volumes with much added I/O to an array with room{which}",
        why="Deeper queues on the hosts only move the waiting into the array.",
        agree=("storage", "virtualization"),
        next_limit="the other array's own load",
    )
    yield Advice(
        kind=AdviceKind.LIMIT,
        text="Limit the volumes whose I/O can wait, by QoS on the array",
        why="The others wait less then, and these longer.",
        takes_effect="live",
        agree=("storage", "virtualization"),
        next_limit="the limit itself",
    )
    yield Advice(
        kind=AdviceKind.VENDOR,
        text="Ask the vendor which part of the array is short, and what a larger model would change",
        why="Its counters show the wait, not whether controllers, ports or flash are the reason.",
    )


RULE = FindingRule(
    id="array-saturation",
    title="Array saturation",
    evidence=ArrayLoad,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} I/Os wait {LEAST_ARRAY_QUEUE_US / 1000:g} ms or more in the array's own queue, and at least as long as in all but 5 %"
        f" of its hours of the last 30 days, of which {LEAST_ARRAY_HOURS // 24} days or more were measured, while IOPS and service time are"
        " both above the median of these hours"
    ),
    cleared_when="10 minutes later the wait is shorter, or the array has no more I/O than usual",
    blind_spots=(
        f"The first {LEAST_ARRAY_HOURS // 24} days of an array: what is usual for it is not measured yet",
        "A load that comes for more than 5 % of all hours and fills them: it is what is usual",
        "A few volumes that wait, where most of the array's I/O does not: the mean over all of it hides them",
        "Which part of the array is short: controllers, ports and flash are not counted apart",
    ),
    references=(FindingReference("Gavel: every number and what it means, array_wide (docs/metrics.md)"),),
    needs=NeededHours(LEAST_ARRAY_HOURS),
)
