"""A clock whose offset is not known well enough, or that drifts, so that minutes of both sides no longer cover the same time."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_sources import ClockState, SourceClocks
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import names_of

# Half of the shortest sample of a vCenter is 10 s: a second is a tenth of what could put I/O into the wrong minute.
MOST_ERROR_S = 1.0
MOST_DRIFT_S = 1.0
# From here on samples of one minute fall into the next.
_HIGH_S = 10.0


def evaluate(evidence: SourceClocks) -> Finding | None:
    """None where each clock's offset is known within a second and stays what it is."""
    wrong = [clock for clock in evidence.clocks if _is_uncertain(clock) or _drifts(clock)]
    if not wrong:
        return None
    worst = max(map(_size_s, wrong))
    return Finding(
        source_id=evidence.source_id,
        object=evidence.source,
        severity=Severity.HIGH if worst >= _HIGH_S else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=_title(wrong),
        cause=" ".join(_reasons(wrong)),
        evidence=tuple(_numbers(wrong)),
        tables=(_table(wrong),),
        advice=tuple(_advice(wrong)),
        affected=tuple(clock.object for clock in wrong if clock.object != evidence.source),
        affected_text="Minutes of both sides no longer cover the same time: ranges widen, and data quality falls.",
        magnitude=worst,
    )


def _is_uncertain(clock: ClockState) -> bool:
    return clock.least_error_s > MOST_ERROR_S


def _drifts(clock: ClockState) -> bool:
    return clock.drift_s is not None and clock.drift_s > MOST_DRIFT_S


def _size_s(clock: ClockState) -> float:
    return max(clock.least_error_s if _is_uncertain(clock) else 0.0, clock.drift_s or 0.0)


def _title(wrong: list[ClockState]) -> str:
    first = max(wrong, key=_size_s)
    names = names_of([clock.object for clock in wrong])
    if _drifts(first):
        return f"Clock of {names} moved by {first.drift_s:.1f} s or more within an hour"
    return f"Clock of {names} is known within ± {first.least_error_s:.1f} s only"


def _reasons(wrong: list[ClockState]) -> Iterator[str]:
    drifting = [clock.object for clock in wrong if _drifts(clock)]
    uncertain = [clock.object for clock in wrong if _is_uncertain(clock)]
    if drifting:
        yield f"The offset of {names_of(drifting)} changes: no time synchronization, or one that steps the clock."
    if uncertain:
        yield (
            f"{names_of(uncertain)} takes so long to answer that the reading of its clock is that uncertain:"
            " the error is half of the answer's time."
        )
    yield "A steady offset is corrected for; one that moves, or that is uncertain, cannot be."


def _numbers(wrong: list[ClockState]) -> Iterator[FindingEvidence]:
    worst = max(wrong, key=_size_s)
    named = (
        ("Clock skew", worst.offset_s, None),
        ("Error of the newest reading", worst.error_s, None),
        ("Smallest error of 10 minutes", worst.least_error_s, None),
        ("Least drift within an hour", worst.drift_s, worst.earlier_at),
    )
    for label, value, since in named:
        yield FindingEvidence(
            label=label,
            value=value,
            unit="s",
            to_at=worst.read_at,
            from_at=since,
            counter="the source's own time, beside Gavel's",
            object=worst.object,
            is_derived=label.startswith("Least"),
        )


def _table(wrong: list[ClockState]) -> EvidenceTable:
    columns = (("Clock skew", "s"), ("± error", "s"), ("Clock skew an hour before", "s"), ("Least drift", "s"))
    rows = tuple(
        EvidenceRow(clock.object, (clock.offset_s, clock.error_s, clock.earlier_offset_s, clock.drift_s))
        for clock in wrong
    )
    return EvidenceTable("Clocks", columns, rows)


def _advice(wrong: list[ClockState]) -> Iterator[Advice]:
    objects = [clock.object for clock in wrong]
    drifting = [clock.object for clock in wrong if _drifts(clock)]
    if drifting:
        yield Advice(
            kind=AdviceKind.REPAIR,
            text=f"Let {names_of(drifting)} follow the NTP servers that all other sources follow",
            why="Arrays, vCenters and hosts need one time: what is compared are the same seconds of both sides.",
            takes_effect="live",
            agree=("storage", "virtualization"),
        )
    if len(drifting) < len(wrong):
        slow = [one for one in objects if one not in drifting]
        yield Advice(
            kind=AdviceKind.REPAIR,
            text=f"Find out why {names_of(slow)} answers that late: load, network, or a proxy in between",
            why="An offset is known to half of the time that the answer took.",
            agree=("virtualization", "storage"),
        )


RULE = FindingRule(
    id="clock-skew",
    title="Clock skew",
    evidence=SourceClocks,
    evaluate=evaluate,
    raised_when=(
        f"for 10 minutes the offset of a clock is known within ± {MOST_ERROR_S:g} s at best, or within an hour it changed by more than"
        f" {MOST_DRIFT_S:g} s beyond the errors of both readings"
    ),
    cleared_when="a reading is within the error again, and an hour later the offset is what it was",
    blind_spots=(
        "A steady offset, however large, is none: it is corrected for, and Sources shows it",
        "Drift of less than a second an hour",
        "Clocks of hosts that vCenter may not be asked for",
    ),
    references=(
        FindingReference(
            "Broadcom KB 312016: clock drift of ESXi 7.0 U3 and later, mended in 7.0 U3o, 8.0 U1d and 8.0 U2",
            "https://knowledge.broadcom.com/external/article/312016",
        ),
    ),
)
