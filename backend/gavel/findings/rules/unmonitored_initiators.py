"""A volume on which the array counts clearly more I/O than all monitored hosts issue."""

from datetime import timedelta

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.binding import LEAST_MATCH, MAIN_SHARE, are_initiators_unmonitored
from gavel.findings.evidence import VolumeMatch
from gavel.findings.measures import mean_over
from gavel.findings.model import Advice, AdviceKind, Finding, FindingReference, FindingRule, NeededMinutes
from gavel.findings.texts import number, percent

# A match of both sides is of an hour, and of three quarters of its minutes at least.
MATCH_WINDOW, MATCH_MINUTES = timedelta(hours=1), 45
# Arrays count whole operations a second: below this the rounding alone may be a tenth of the I/O.
_LEAST_IOPS = 20.0


def evaluate(evidence: VolumeMatch) -> Finding | None:
    """None where both sides count about the same, and of volumes with next to no I/O."""
    if evidence.array_iops < _LEAST_IOPS:
        return None
    ratio = evidence.host_iops / evidence.array_iops
    if not are_initiators_unmonitored(ratio):
        return None
    share, iops = 1.0 - ratio, evidence.array_iops - evidence.host_iops
    name = evidence.volume.name
    return Finding(
        source_id=evidence.source_id,
        object=evidence.volume,
        severity=Severity.ELEVATED if share >= MAIN_SHARE else Severity.NORMAL,
        confidence=Confidence.LIKELY,
        title=f"Unmonitored initiators issue {percent(share)} of the I/O of volume {name}",
        cause=(
            f"The array counts {number(evidence.array_iops)} IOPS on this volume, polled hosts issue {number(evidence.host_iops)}."
            f" {number(iops)} IOPS come from elsewhere: other hosts, another vCenter, a backup proxy, replication or the array itself."
        ),
        evidence=(
            mean_over(
                evidence, "IOPS counted by the array", evidence.array_iops, "IOPS", "reads_per_sec, writes_per_sec"
            ),
            mean_over(
                evidence, "IOPS issued by polled hosts", evidence.host_iops, "IOPS", "disk.numberRead/WriteAveraged"
            ),
            mean_over(evidence, "Host/array match", ratio, "share", "host IOPS ÷ array IOPS", is_derived=True),
            mean_over(evidence, "Minutes without a missing sample", float(evidence.minutes), "min", "ledger"),
        ),
        advice=(
            Advice(
                kind=AdviceKind.REPAIR,
                text=f"Look at the hosts that {evidence.array.name} has connected to volume {name}, and add their vCenter under Sources",
                why="Until then no diagnosis can name who issues this I/O. Sources, Unmatched lists hosts that no vCenter has.",
                agree=("storage", "virtualization"),
            ),
        ),
        affected=(evidence.array,),
        affected_text="Diagnoses of all VMs on this volume see only the rest of its I/O.",
        magnitude=share,
    )


RULE = FindingRule(
    id="unmonitored-initiators",
    title="Unmonitored initiators",
    evidence=VolumeMatch,
    evaluate=evaluate,
    raised_when=(
        f"over 1 hour the polled hosts issue less than {LEAST_MATCH * 100:.0f} % of the I/O that the array counts on a volume, at "
        f"{_LEAST_IOPS:.0f} IOPS or more, over at least {MATCH_MINUTES} minutes in which no sample is missing"
    ),
    cleared_when="an hour's match is at the threshold or above it, or the volume has next to no I/O",
    blind_spots=(
        "Who the initiators are: arrays count I/O by volume here, not by initiator",
        "NFS and vVol datastores, whose I/O the two sides count otherwise",
        "Volumes on arrays that are not polled",
    ),
    references=(FindingReference("Gavel: every number and what it means, host/array match (docs/metrics.md)"),),
    needs=NeededMinutes(
        ((MATCH_WINDOW, timedelta(0)),),
        MATCH_MINUTES,
        f"fewer than {MATCH_MINUTES} minutes of the array's last hour were analyzed",
        per_array=True,
    ),
)
