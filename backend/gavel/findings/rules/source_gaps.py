"""More than a hundredth of a day of a source's samples is missing."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_sources import SourceGaps, StreamGap
from gavel.findings.measures import mean_over
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import counted, listed, number

DAY_S = 86_400.0
MISSING_SHARE = 0.01
_HIGH_SHARE = 0.1


def evaluate(evidence: SourceGaps) -> Finding | None:
    """None where no stream, and no host or VM of it, misses more than the share."""
    wrong = sorted(
        (one for one in evidence.gaps if one.missing_s > MISSING_SHARE * DAY_S), key=lambda gap: -gap.missing_s
    )
    if not wrong:
        return None
    worst = wrong[0]
    share = worst.missing_s / DAY_S
    whole = [one for one in wrong if one.reporter is None]
    return Finding(
        source_id=evidence.source_id,
        object=evidence.source,
        severity=Severity.HIGH if any(one.missing_s > _HIGH_SHARE * DAY_S for one in whole) else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"{_minutes(worst.missing_s)} of the last day missing from {evidence.source.name}",
        cause=_cause(evidence, wrong, whole),
        evidence=(
            mean_over(evidence, "Missing, longest", worst.missing_s, "s", "gaps of the collection"),
            mean_over(evidence, "Share of the day", 100 * share, "%", "gaps of the collection", is_derived=True),
            mean_over(evidence, "Gaps", float(sum(one.gaps for one in wrong)), "count", "gaps of the collection"),
        ),
        tables=(_table(wrong),),
        advice=tuple(_advice(evidence, wrong)),
        affected=tuple({one.reporter: None for one in wrong if one.reporter is not None}),
        affected_text="Diagnoses of these minutes are missing, or of a lower data quality.",
        magnitude=share,
    )


def _minutes(seconds: float) -> str:
    return f"{number(seconds / 60)} min"


def _cause(evidence: SourceGaps, wrong: list[StreamGap], whole: list[StreamGap]) -> str:
    reasons = listed(dict.fromkeys(one.reason.rstrip(".") for one in wrong))
    of = (
        f"Whole streams of {evidence.source.name} are missing"
        if whole
        else f"{counted(len({one.reporter for one in wrong}), 'host or VM')} of {evidence.source.name} delivered no samples"
    )
    return f"{of}: {reasons}."


def _table(wrong: list[StreamGap]) -> EvidenceTable:
    columns = (("Stream", ""), ("Missing", "s"), ("Share of the day", "%"), ("Gaps", "count"), ("Reason", ""))
    rows = tuple(
        EvidenceRow(one.reporter, (one.stream, one.missing_s, 100 * one.missing_s / DAY_S, float(one.gaps), one.reason))
        for one in wrong[:100]
    )
    return EvidenceTable("What is missing", columns, rows)


def _advice(evidence: SourceGaps, wrong: list[StreamGap]) -> Iterator[Advice]:
    hosts = [one.reporter.name for one in wrong if one.reporter is not None]
    if hosts:
        yield Advice(
            kind=AdviceKind.REPAIR,
            text=f"Look up in vCenter whether {listed(dict.fromkeys(hosts))} was disconnected, restarted or stopped counting",
            why="The samples of all others of this source arrived.",
            agree=("virtualization",),
        )
    if any(one.reporter is None for one in wrong):
        yield Advice(
            kind=AdviceKind.REPAIR,
            text=f"Look at the runs of {evidence.source.name} under Sources: what failed, since when, and how long each read took",
            why="An ESXi host keeps its samples of 20 s for an hour: longer outages of the collection cannot be read later.",
            agree=("storage", "virtualization"),
        )


RULE = FindingRule(
    id="source-gaps",
    title="Source gaps",
    evidence=SourceGaps,
    evaluate=evaluate,
    raised_when=(
        f"of the last 24 hours more than {MISSING_SHARE * 100:.0f} % (14.4 minutes) is missing of a source's stream, or of one host or VM"
        " in it, and half an hour of backfill did not bring it"
    ),
    cleared_when="the share is at the threshold or below it: filled, or a day ago",
    blind_spots=(
        "A source that does not answer now: its gap is noted once it answers again. Alerts on the age of samples fire before",
        "The time before a source was added",
        "Hosts and VMs that are switched off, disconnected or new: nothing is expected of them",
    ),
    references=(FindingReference("Gavel: every number and what it means, gaps and backfill (docs/metrics.md)"),),
)
