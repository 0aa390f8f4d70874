"""A device queue of a host that is full by its own depth."""

from collections.abc import Iterator

from gavel.domain.hba_modules import DEPTH_PARAMETERS
from gavel.domain.io_path import Confidence
from gavel.findings.evidence import FullQueue
from gavel.findings.measures import severity_of_wait
from gavel.findings.model import Advice, AdviceKind, Finding, FindingRule
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
from gavel.findings.texts import milliseconds, number


def evaluate(evidence: FullQueue) -> Finding | None:
    """None where the queue is not full, or where DSNRO makes its depth: that is "competing-worlds"."""
    state = queue_state(evidence)
    if state is None or state.is_by_dsnro:
        return None
    return Finding(
        source_id=evidence.source_id,
        object=evidence.device,
        severity=severity_of_wait(state.queue_us),
        confidence=Confidence.CONFIRMED,
        title=f"Queue of {queue_name(evidence)} full: ACTV ≈ {state.in_flight:.0f}, DQLEN {number(state.depth)}, QUED ≈ {state.queued:.0f}",
        cause=f"{_reason(evidence, state)} I/Os wait {milliseconds(state.queue_us)} for a slot. {issuer_text(state)}",
        evidence=numbers(evidence, state),
        tables=tuple(tables(evidence, state)),
        advice=tuple(_advice(evidence, state)),
        affected=affected(evidence, state),
        affected_text=affected_text(state),
        magnitude=state.queue_us,
    )


def _reason(evidence: FullQueue, state: QueueState) -> str:
    if evidence.configured is not None and state.depth < evidence.configured:
        return (
            f"The effective depth is {number(state.depth)}, below the configured {evidence.configured}: by DSNRO, by adaptive queue depth"
            " or by Storage I/O Control, which of them was not read."
        )
    return f"All {number(state.depth)} slots of the device queue are in use."


def _advice(evidence: FullQueue, state: QueueState) -> Iterator[Advice]:
    yield from first_advice(evidence, state)
    if state.is_array_dominant or evidence.is_nvme:
        return
    own = next((one for one in evidence.hosts if one.host == evidence.host), None)
    names = DEPTH_PARAMETERS.get(own.module or "") if own is not None else None
    parameter = f", by {names[0]} of driver {own.module}" if names and own is not None else ""
    yield Advice(
        kind=AdviceKind.VENDOR,
        text=f"Ask the array's vendor which depth per device it supports, before the depth is raised on every host{parameter}",
        why="A depth without a source is a guess: hosts × devices × depth must fit into what the array's ports accept.",
        takes_effect="reboot",
        agree=("storage", "virtualization"),
        next_limit="DSNRO, as soon as two VMs do I/O on the device: raise both or neither",
    )


RULE = FindingRule(
    id="device-queue-full",
    title="Device queue full",
    evidence=FullQueue,
    evaluate=evaluate,
    raised_when=FULL,
    cleared_when="10 minutes later the queue is full in fewer of them",
    blind_spots=BLIND_SPOTS,
    references=(KB_DSNRO,),
)
