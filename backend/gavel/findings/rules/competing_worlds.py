"""Several VMs on a device of a host, so that DSNRO, below the device's own depth, holds their I/Os back."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence
from gavel.findings.binding import COMPETING_VMS
from gavel.findings.commands import dsnro_command
from gavel.findings.evidence import FullQueue
from gavel.findings.measures import severity_of_wait
from gavel.findings.model import Advice, AdviceKind, AdviceTrial, Finding, FindingRule
from gavel.findings.queue_full import (
    BLIND_SPOTS,
    FULL,
    KB_DSNRO,
    QueueState,
    affected,
    affected_text,
    first_advice,
    issuer_text,
    numbers,
    queue_name,
    queue_state,
    tables,
)
from gavel.findings.texts import counted, milliseconds, number


def evaluate(evidence: FullQueue) -> Finding | None:
    """None where the queue is not full, or where another limit than DSNRO makes its depth."""
    state = queue_state(evidence)
    if state is None or not state.is_by_dsnro:
        return None
    return Finding(
        source_id=evidence.source_id,
        object=evidence.device,
        severity=severity_of_wait(state.queue_us),
        confidence=Confidence.CONFIRMED,
        title=f"DSNRO holds {queue_name(evidence)} at {number(state.depth)} of {evidence.configured} slots",
        cause=(
            f"{counted(len(state.active), 'VM')} do I/O on this device of this host, so that ESXi allows DSNRO {number(state.depth)}"
            f" in place of the device's {evidence.configured}; I/Os wait {milliseconds(state.queue_us)} for a slot. {issuer_text(state)}"
        ),
        evidence=numbers(evidence, state),
        tables=tuple(tables(evidence, state)),
        advice=tuple(_advice(evidence, state)),
        affected=affected(evidence, state),
        affected_text=affected_text(state),
        magnitude=state.queue_us,
    )


def _advice(evidence: FullQueue, state: QueueState) -> Iterator[Advice]:
    yield from first_advice(evidence, state)
    target = evidence.configured
    if state.is_array_dominant or target is None:
        return
    yield Advice(
        kind=AdviceKind.SETTING,
        text=f"Set DSNRO of this device to its own queue depth on all {counted(len(evidence.hosts), 'host')} that share it",
        why="On one host alone it would take slots from the others. Above the device's own depth DSNRO has no effect.",
        commands=tuple(
            dsnro_command(one.host, [evidence.canonical_name], one.dsnro, one.queue_depth)
            for one in evidence.hosts
            if one.queue_depth is not None and one.dsnro != one.queue_depth
        ),
        takes_effect="live",
        agree=("virtualization", "storage"),
        next_limit=f"the device's own depth of {target}",
        trial=AdviceTrial(evidence.device, {"dsnro": target}),
    )


RULE = FindingRule(
    id="competing-worlds",
    title="Competing worlds",
    evidence=FullQueue,
    evaluate=evaluate,
    raised_when=f"{FULL}, at least {COMPETING_VMS} VMs do I/O there, and the effective depth is DSNRO, below the device's own depth",
    cleared_when="10 minutes later the queue is full in fewer of them, or DSNRO no longer makes its depth",
    blind_spots=(
        "DSNRO is read by esxcli only: without that privilege the queue is reported as full, without the reason",
        *BLIND_SPOTS,
    ),
    references=(KB_DSNRO,),
)
