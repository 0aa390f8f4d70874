"""A busy virtual disk on an LSI Logic controller, which has few slots."""

from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.io_path import Confidence, Severity
from gavel.findings.binding import BUSY_LSI
from gavel.findings.evidence import BusyDisk
from gavel.findings.measures import LASTING, mean_over, setting
from gavel.findings.minutes import lasts, mean
from gavel.findings.model import Advice, AdviceKind, Finding, FindingReference, FindingRule

LSI = ("LSI Logic", "LSI Logic SAS", "BusLogic")


def evaluate(evidence: BusyDisk) -> Finding | None:
    """None on other controllers, and where too few I/Os are outstanding, or how many was not measured."""
    if evidence.controller_type not in LSI or not lasts(evidence.minutes.outstanding >= BUSY_LSI):
        return None
    limit, outstanding = QUEUE_LIMITS[evidence.controller_type], mean(evidence.minutes.outstanding) or 0.0
    return Finding(
        source_id=evidence.source_id,
        object=evidence.disk,
        severity=Severity.NORMAL if outstanding < limit else Severity.ELEVATED,
        confidence=Confidence.CONFIRMED,
        title=f"{evidence.disk.name} of {evidence.vm.name} is busy on {evidence.controller_type}: OIO {outstanding:.0f} of {limit}",
        cause=f"{evidence.controller_type} lets the guest have {limit} I/Os outstanding at a disk; PVSCSI allows {QUEUE_LIMITS['PVSCSI']}.",
        evidence=(
            mean_over(evidence, "Outstanding I/O (OIO)", outstanding, "I/Os", "virtualDisk readOIO/writeOIO"),
            mean_over(evidence, "IOPS", mean(evidence.minutes.iops), "IOPS", "virtualDisk numberRead/WriteAveraged"),
            setting(evidence, "Controller", evidence.controller_type, "", "vm.config.hardware.device"),
        ),
        advice=(
            Advice(
                kind=AdviceKind.LEAVE,
                text="Leave it alone, if the application is fast enough",
                why="A change of the controller needs downtime of the VM.",
            ),
            Advice(
                kind=AdviceKind.SETTING,
                text=f"Move {evidence.disk.name} to a PVSCSI controller; its driver has to be in the guest first",
                why="Data disks first: a boot disk needs the driver before it can start.",
                takes_effect="reboot",
                agree=("virtualization",),
                next_limit="the device queue of the host",
            ),
        ),
        affected=(evidence.vm, *([evidence.datastore] if evidence.datastore else [])),
        affected_text="Only this virtual disk.",
        magnitude=outstanding,
    )


RULE = FindingRule(
    id="lsi-on-busy-disk",
    title="LSI controller on a busy disk",
    evidence=BusyDisk,
    evaluate=evaluate,
    raised_when=f"{LASTING} a virtual disk on an LSI Logic or BusLogic controller has {BUSY_LSI} I/Os outstanding or more",
    cleared_when="10 minutes later fewer I/Os are outstanding, or the disk is on another controller",
    blind_spots=(
        "Outstanding I/O is a mean of 20 seconds: shorter bursts are not seen",
        "The limit of 128 I/Os of the whole controller, over all its disks, is not looked at",
    ),
    references=(
        FindingReference(
            "VMware KB 2053145: Queue depths of PVSCSI for workloads with intensive I/O",
            "https://knowledge.broadcom.com/external/article?legacyId=2053145",
        ),
    ),
)
