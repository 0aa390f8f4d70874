"""As many I/Os outstanding at a virtual disk as its controller allows, with wait above the device."""

from collections.abc import Iterator

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.io_path import Confidence
from gavel.findings.binding import LEAST_GUEST_US, is_virtual_disk_queue_binding
from gavel.findings.evidence import BusyDisk
from gavel.findings.measures import LASTING, mean_over, setting, severity_of_wait
from gavel.findings.minutes import iops_limit_binds, lasts, mean
from gavel.findings.model import Advice, AdviceKind, AdviceTrial, Finding, FindingReference, FindingRule
from gavel.findings.texts import milliseconds

_PVSCSI = "PVSCSI"


def evaluate(evidence: BusyDisk) -> Finding | None:
    """None where the queue is not full, and where an IOPS limit fills it."""
    limit, minutes = QUEUE_LIMITS.get(evidence.controller_type), evidence.minutes
    if limit is None or not lasts(is_virtual_disk_queue_binding(minutes.outstanding, limit, _wait(evidence))):
        return None
    if evidence.iops_limit and lasts(iops_limit_binds(minutes, evidence.iops_limit)):
        return None
    wait, outstanding = mean(_wait(evidence)) or 0.0, mean(minutes.outstanding) or 0.0
    is_guest = mean(minutes.per_io("guest_time")) is not None
    name = f"{evidence.disk.name} of {evidence.vm.name}"
    return Finding(
        source_id=evidence.source_id,
        object=evidence.disk,
        severity=severity_of_wait(wait),
        confidence=Confidence.CONFIRMED if is_guest else Confidence.LIKELY,
        title=f"Virtual disk queue of {name} full: OIO {outstanding:.0f} of {limit}",
        cause=_cause(evidence, wait, limit, is_guest=is_guest),
        evidence=(
            mean_over(evidence, "Outstanding I/O (OIO)", outstanding, "I/Os", "virtualDisk readOIO/writeOIO"),
            mean_over(evidence, "IOPS", mean(minutes.iops), "IOPS", "virtualDisk numberRead/WriteAveraged"),
            mean_over(
                evidence,
                "Wait in the guest",
                mean(minutes.per_io("guest_time")),
                "µs",
                "guest latency − virtual disk latency",
            ),
            mean_over(
                evidence,
                "Wait in the hypervisor",
                mean(minutes.per_io("hypervisor_time")),
                "µs",
                "virtual disk − device",
            ),
            setting(evidence, "Controller", evidence.controller_type, "", "vm.config.hardware.device"),
        ),
        advice=tuple(_advice(evidence)),
        affected=(evidence.vm, *([evidence.datastore] if evidence.datastore else [])),
        affected_text="Only this virtual disk waits.",
        magnitude=wait,
    )


def _wait(evidence: BusyDisk) -> Floats:
    """In the guest where that is measured, else from the virtual disk to the device."""
    guest, hypervisor = (evidence.minutes.per_io(name) for name in ("guest_time", "hypervisor_time"))
    result: Floats = np.where(np.isnan(guest), hypervisor, guest)
    return result


def _cause(evidence: BusyDisk, wait: float, limit: int, *, is_guest: bool) -> str:
    place = "the guest" if is_guest else "the hypervisor"
    missing = "" if is_guest else " How long I/Os wait in the guest before is not measured."
    return (
        f"The guest has as many I/Os outstanding as {evidence.controller_type} allows for one disk ({limit});"
        f" they wait {milliseconds(wait)} each in {place}.{missing}"
    )


def _advice(evidence: BusyDisk) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.LEAVE,
        text="Leave it alone, if the application is fast enough: a queue in the guest is where waiting harms no other VM",
    )
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Give {evidence.vm.name} more virtual disks, on several controllers, and spread its data over them",
        why="Each virtual disk has a queue of its own.",
        agree=("virtualization",),
        next_limit="the device queue of the host, if the disks are on one datastore",
    )
    if evidence.controller_type != _PVSCSI:
        yield Advice(
            kind=AdviceKind.SETTING,
            text=f"Move {evidence.disk.name} to a PVSCSI controller; its driver has to be in the guest first",
            takes_effect="reboot",
            agree=("virtualization",),
            next_limit="the device queue of the host",
            trial=AdviceTrial(evidence.vm, {"virtual_disk_queue": QUEUE_LIMITS[_PVSCSI]}),
        )


RULE = FindingRule(
    id="virtual-disk-queue-full",
    title="Virtual disk queue full",
    evidence=BusyDisk,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} the outstanding I/O of a virtual disk is at its controller's limit (PVSCSI {QUEUE_LIMITS['PVSCSI']}, LSI Logic "
        f"{QUEUE_LIMITS['LSI Logic']}), not above it, and its I/Os wait more than {LEAST_GUEST_US / 1000:g} ms in the guest, or in the "
        "hypervisor where the guest is not measured"
    ),
    cleared_when="10 minutes later the queue is full in fewer of them, or nothing waits",
    blind_spots=(
        "Limits that were changed in the guest: 254 of PVSCSI on newer Linux kernels and after a registry change on Windows",
        "NVMe and SATA controllers, whose limit is not known",
        "Wait in the guest without guest counters: only wait below the virtual disk is seen then",
        "Disks at their IOPS limit: that fills the queue too, and is reported as its cause",
    ),
    references=(
        FindingReference(
            "VMware KB 2053145: Queue depths of PVSCSI for workloads with intensive I/O",
            "https://knowledge.broadcom.com/external/article?legacyId=2053145",
        ),
    ),
)
