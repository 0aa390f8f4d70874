"""One VM whose added I/O makes the other VMs of a queue or volume wait: who changed, and who pays for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from gavel.analysis.severity import ELEVATED_US
from gavel.domain.io_path import Confidence
from gavel.findings.binding import MAIN_SHARE, is_load_grown
from gavel.findings.evidence_shared import LEAST_QUIET_MINUTES, QUIET_BEFORE, SHARED_WIDTH, SharedLoad, SharedObject
from gavel.findings.measures import mean_over, severity_of_wait
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
    NeededMinutes,
    ObjectRef,
)
from gavel.findings.texts import counted, listed, milliseconds, number, percent

# Below this a VM's latency is of too few I/Os.
LEAST_IOPS = 5.0
# Of all I/O there: what adds less makes nobody wait.
LEAST_ADDED = 0.1
# Of the ten minutes.
LEAST_MINUTES = 6


@dataclass(frozen=True, slots=True)
class _Case:
    """share: of the added I/O. victims: those that wait longer, the worst first; added_us: the mean over their I/Os."""

    culprit: SharedLoad
    share: float
    victims: tuple[SharedLoad, ...]
    added_us: float


def evaluate(evidence: SharedObject) -> Finding | None:
    """None where no single VM added half of the new I/O, or none of the others waits noticeably longer."""
    case = _case(evidence)
    if case is None:
        return None
    vm, where = case.culprit.vm, _where(evidence)
    return Finding(
        source_id=evidence.source_id,
        object=vm,
        part=f"{evidence.object.kind}:{evidence.object.id}",
        severity=severity_of_wait(case.added_us),
        confidence=Confidence.LIKELY,
        title=f"{vm.name} makes {counted(len(case.victims), 'other VM')} wait {milliseconds(case.added_us)} longer on {where}",
        cause=(
            f"{vm.name} issues {number(case.culprit.iops)} IOPS in place of {number(case.culprit.normal_iops)}, {percent(case.share)} of"
            f" what {where} has more to do. Since then {listed(one.vm.name for one in case.victims)} wait longer in it."
        ),
        evidence=tuple(_numbers(evidence, case)),
        tables=(_table(evidence, case),),
        advice=tuple(_advice(evidence, case)),
        affected=(evidence.object, *_around(evidence), *(one.vm for one in case.victims)),
        affected_text=f"{counted(len(case.victims), 'VM')} wait longer",
        magnitude=case.added_us,
    )


def _case(evidence: SharedObject) -> _Case | None:
    # Where I/O became larger and not more, bytes say who changed.
    for size in (_ops, _bytes):
        added = {one.vm: max(size(one)[1] - size(one)[0], 0.0) for one in evidence.loads}
        whole = sum(added.values())
        if whole <= 0:
            continue
        culprit = max(evidence.loads, key=lambda load: added[load.vm])
        share = added[culprit.vm] / whole
        is_much = added[culprit.vm] >= LEAST_ADDED * sum(size(one)[1] for one in evidence.loads)
        if share < MAIN_SHARE or not is_much or not _has_grown(*size(culprit)):
            continue
        victims = tuple(sorted((one for one in evidence.loads if one is not culprit and _waits(one)), key=_pays))
        ops = sum(one.iops for one in victims)
        others = sum(one.iops for one in evidence.loads if one is not culprit and one.us is not None)
        if not victims or ops < MAIN_SHARE * others:
            return None
        return _Case(culprit, share, victims, sum(_added_us(one) * one.iops for one in victims) / ops)
    return None


def _ops(load: SharedLoad) -> tuple[float, float]:
    return load.normal_iops, load.iops


def _bytes(load: SharedLoad) -> tuple[float, float]:
    return load.normal_bytes_per_s, load.bytes_per_s


def _has_grown(before: float, now: float) -> bool:
    """A VM that was not there, or idle, is what changed as well."""
    return before <= 0 < now or bool(is_load_grown(before, now))


def _waits(load: SharedLoad) -> bool:
    """Only what was measured in both times. A VM without I/O before has nothing to compare with."""
    measured = load.us is not None and load.normal_us is not None
    enough = load.iops >= LEAST_IOPS and load.minutes >= LEAST_MINUTES
    return measured and enough and _added_us(load) > ELEVATED_US


def _added_us(load: SharedLoad) -> float:
    return (load.us or 0.0) - (load.normal_us or 0.0)


def _pays(load: SharedLoad) -> float:
    return -_added_us(load) * load.iops


def _where(evidence: SharedObject) -> str:
    if evidence.host is None:
        return f"volume {evidence.object.name}"
    name = evidence.object.name if evidence.carried is None else evidence.carried.name
    return f"the queue of {name} on {evidence.host.name}"


def _around(evidence: SharedObject) -> Iterator[ObjectRef]:
    yield from (one for one in (evidence.host, evidence.carried) if one is not None)


def _numbers(evidence: SharedObject, case: _Case) -> Iterator[FindingEvidence]:
    iops, there = (
        "virtualDisk numberRead/WriteAveraged",
        "KAVG" if evidence.host else "array's own latency of the volume",
    )
    for label, value, unit, counter in (
        (f"IOPS of {case.culprit.vm.name}", case.culprit.iops, "IOPS", iops),
        ("Added latency of the other VMs", case.added_us, "µs", "virtualDisk.readLatencyUS, writeLatencyUS"),
        ("Share of the added I/O", 100 * case.share, "%", iops),
        ("Wait per I/O there", evidence.us, "µs", there),
    ):
        yield mean_over(evidence, label, value, unit, counter, is_derived=unit != "IOPS")
    for label, value, unit, counter in (
        (f"IOPS of {case.culprit.vm.name} before", case.culprit.normal_iops, "IOPS", iops),
        ("Wait per I/O there before", evidence.normal_us, "µs", there),
    ):
        yield FindingEvidence(
            label=label, value=value, unit=unit, counter=counter, from_at=evidence.normal_from_at, to_at=evidence.normal_to_at,
            is_derived=unit != "IOPS",
        )  # fmt: skip


def _table(evidence: SharedObject, case: _Case) -> EvidenceTable:
    columns = (("IOPS before", "IOPS"), ("IOPS", "IOPS"), ("Latency before", "µs"), ("Latency", "µs"))
    shown = [case.culprit, *case.victims, *(one for one in evidence.loads if one not in {case.culprit, *case.victims})]
    rows = tuple(
        EvidenceRow(one.vm, (one.normal_iops, one.iops, one.normal_us, one.us), is_odd=one is case.culprit)
        for one in shown[:20]
    )
    return EvidenceTable("VMs that share it", columns, rows)


def _advice(evidence: SharedObject, case: _Case) -> Iterator[Advice]:
    vm = case.culprit.vm.name
    if severity_of_wait(case.added_us).value != "high":
        yield Advice(
            kind=AdviceKind.LEAVE,
            text=f"Leave it alone if {vm} is done soon, and {milliseconds(case.added_us)} more per I/O is tolerable until then",
        )
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Move the busy disks of {vm} to a datastore of their own"
        + (", or the VM to another host" if evidence.host is not None else ""),
        why="A datastore has a volume, and a queue on each host, of its own.",
        agree=("virtualization", "storage"),
        next_limit="the array's ports and load: their I/O stays the same",
    )
    yield Advice(
        kind=AdviceKind.LIMIT,
        text=f"Limit the IOPS of {vm}, between the {number(case.culprit.normal_iops)} of before and the {number(case.culprit.iops)} of now",
        why="The others wait less then, and this VM longer.",
        agree=("virtualization",),
        takes_effect="live",
    )


RULE = FindingRule(
    id="noisy-neighbor",
    title="Noisy neighbor",
    evidence=SharedObject,
    evaluate=evaluate,
    raised_when=(
        f"over 10 minutes the other VMs of a device queue or volume wait more than {ELEVATED_US / 1000:g} ms longer than in a quiet time"
        f" before, and one VM, with at least half as much I/O again as then, has {MAIN_SHARE * 100:.0f} % or more of what was added, and"
        f" added {LEAST_ADDED * 100:.0f} % or more of all I/O there"
    ),
    cleared_when="10 minutes later the others wait as before, or the added I/O is of several VMs",
    blind_spots=(
        "What lasts longer than a day: there is no quiet time left to compare with",
        "VMs on datastores of several extents, and on vVols: their share of one queue or volume is not counted",
        "I/O of hosts that are not polled: see unmonitored initiators",
        "VMs that grow together: none of them has half of it",
    ),
    references=(FindingReference("Gavel: every number and what it means, contributors (docs/metrics.md)"),),
    needs=NeededMinutes(
        tuple((SHARED_WIDTH + before, before) for before in QUIET_BEFORE),
        LEAST_QUIET_MINUTES,
        "no earlier time to compare with: nothing was analyzed 20 minutes before the newest minutes, nor 1, 3, 8 or 24 hours before",
    ),
)
