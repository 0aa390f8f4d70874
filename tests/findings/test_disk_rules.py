"""virtual-disk-queue-full, snapshot-chain and lsi-on-busy-disk: what the newest minutes of one virtual disk show."""

from dataclasses import replace

import pytest
from tests.findings.minutes import ten
from tests.findings.objects import DATASTORE, NOW, SINCE, host, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence import BusyDisk
from gavel.findings.model import ObjectRef
from gavel.findings.rules import lsi_on_busy_disk, snapshot_chain, virtual_disk_queue_full

NAN = float("nan")


def disk(controller: str = "PVSCSI", *, iops: float = 9000, snapshots: int = 0, **given: float) -> BusyDisk:
    return BusyDisk(
        source_id=1, disk=ObjectRef("vm_disk", 4, "Hard disk 1"), vm=ObjectRef("vm", 3, "db01"), host=host(1), datastore=DATASTORE,
        controller_type=controller, iops_limit=None, snapshot_depth=snapshots, minutes=ten(iops, **given), from_at=SINCE, to_at=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(("outstanding", "is_raised"), [(59.9, False), (60, True), (64, True), (66, False)])
def test_virtual_disk_queue_full_is_at_the_limit_and_not_above_it(outstanding: float, is_raised: bool) -> None:
    """Above 64 the limit is another one: 254 on newer Linux."""
    found = virtual_disk_queue_full.evaluate(disk(outstanding=outstanding, guest=900))
    assert (found is not None) is is_raised


@pytest.mark.parametrize(("wait", "is_raised"), [(200, False), (201, True)])
def test_virtual_disk_queue_full_needs_wait_in_the_guest(wait: float, is_raised: bool) -> None:
    found = virtual_disk_queue_full.evaluate(disk(outstanding=64, guest=wait))
    assert (found is not None) is is_raised
    assert found is None or (found.confidence is Confidence.CONFIRMED and kinds(found) == ["leave", "spread"])


def test_virtual_disk_queue_full_without_guest_counters_is_likely_and_says_what_is_missing() -> None:
    found = virtual_disk_queue_full.evaluate(disk(outstanding=64, hypervisor=500, kernel=510))
    assert found is not None
    assert found.confidence is Confidence.LIKELY
    assert "in the guest before is not measured" in found.cause
    assert next(one for one in found.evidence if one.label == "Wait in the guest").value is None


def test_virtual_disk_queue_full_by_an_iops_limit_is_the_limits_finding() -> None:
    limited = replace(disk(iops=1500, outstanding=64, hypervisor=4000, kernel=4010), iops_limit=1500)
    assert virtual_disk_queue_full.evaluate(limited) is None
    assert snapshot_chain.evaluate(replace(limited, snapshot_depth=3)) is None


def test_virtual_disk_queue_full_of_a_controller_without_a_known_limit_is_not_raised() -> None:
    assert virtual_disk_queue_full.evaluate(disk("NVMe", outstanding=64, guest=900)) is None


@pytest.mark.parametrize(
    ("snapshots", "wait", "is_raised"), [(1, 900, False), (2, 900, True), (2, 200, False), (2, NAN, False)]
)
def test_snapshot_chain_needs_two_snapshots_and_wait_above_the_device(
    snapshots: int, wait: float, is_raised: bool
) -> None:
    found = snapshot_chain.evaluate(disk(snapshots=snapshots, hypervisor=wait, kernel=wait))
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "2 snapshots beneath Hard disk 1 of db01, 0.90 ms in the hypervisor"
        assert found.confidence is Confidence.LIKELY


@pytest.mark.parametrize(
    ("controller", "outstanding", "is_raised"),
    [
        ("LSI Logic SAS", 23.9, False),
        ("LSI Logic SAS", 24, True),
        ("BusLogic", 30, True),
        ("PVSCSI", 60, False),
        ("LSI Logic", NAN, False),
    ],
)
def test_lsi_on_busy_disk_begins_at_24_outstanding_ios(controller: str, outstanding: float, is_raised: bool) -> None:
    assert (lsi_on_busy_disk.evaluate(disk(controller, outstanding=outstanding)) is not None) is is_raised


@pytest.mark.parametrize(("outstanding", "severity"), [(31, Severity.NORMAL), (32, Severity.ELEVATED)])
def test_lsi_on_busy_disk_is_elevated_once_all_slots_are_taken(outstanding: float, severity: Severity) -> None:
    found = lsi_on_busy_disk.evaluate(disk("LSI Logic", outstanding=outstanding))
    assert found is not None
    assert found.severity is severity
