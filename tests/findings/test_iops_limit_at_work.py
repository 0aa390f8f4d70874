"""iops-limit-at-work: a limit that is in full use and waited for, by its own counters."""

import pytest
from tests.findings.minutes import ten
from tests.findings.objects import NOW, SINCE, advice, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence import LimitedRate
from gavel.findings.minutes import PartMinutes
from gavel.findings.model import AdviceKind, Finding, ObjectRef
from gavel.findings.rules.iops_limit_at_work import evaluate

DISK, VM = ObjectRef("vm_disk", 4, "Hard disk 2"), ObjectRef("vm", 3, "mail-01")
VOLUME, ARRAY = ObjectRef("volume", 7, "vol-7"), ObjectRef("array", 1, "array-a")


def of_disk(minutes: PartMinutes, limit: int = 1500, vm: ObjectRef = VM) -> Finding | None:
    return evaluate(
        LimitedRate(
            source_id=1, object=DISK, owner=vm, iops_limit=limit, bytes_per_s_limit=None, minutes=minutes, from_at=SINCE, to_at=NOW
        )
    )  # fmt: skip


def of_volume(minutes: PartMinutes, iops: int | None = None, bytes_per_s: int | None = None) -> Finding | None:
    return evaluate(
        LimitedRate(
            source_id=1, object=VOLUME, owner=ARRAY, iops_limit=iops, bytes_per_s_limit=bytes_per_s, minutes=minutes,
            from_at=SINCE, to_at=NOW,
        )
    )  # fmt: skip


def test_iops_limit_at_work_a_disk_at_its_limit_is_reported_and_left_alone_first() -> None:
    found = of_disk(ten(1496, hypervisor=4590, kernel=4600))
    assert found is not None
    assert found.title == "Hard disk 2 of mail-01 at its IOPS limit: 1,496 of 1,500"
    assert (found.severity, found.confidence) == (Severity.HIGH, Confidence.CONFIRMED)
    assert kinds(found) == ["leave", "limit"]
    (command,) = advice(found, AdviceKind.LIMIT).commands
    assert command.change.endswith("-DiskLimitIOPerSecond -1")
    assert command.undo.endswith("-DiskLimitIOPerSecond 1500")


@pytest.mark.parametrize(("iops", "is_raised"), [(1424, False), (1425, True)])
def test_iops_limit_at_work_begins_at_95_percent_of_the_limit(iops: float, is_raised: bool) -> None:
    assert (of_disk(ten(iops, hypervisor=4590, kernel=4600)) is not None) is is_raised


@pytest.mark.parametrize(("wait", "is_raised"), [(200, False), (201, True)])
def test_iops_limit_at_work_needs_more_than_a_fifth_of_a_millisecond_of_wait(wait: float, is_raised: bool) -> None:
    assert (of_disk(ten(1500, hypervisor=wait, kernel=wait + 10)) is not None) is is_raised


def test_iops_limit_at_work_wait_at_the_device_is_not_the_limits() -> None:
    assert of_disk(ten(1500, hypervisor=400, kernel=900)) is None


@pytest.mark.parametrize(("minutes", "is_raised"), [(5, False), (6, True)])
def test_iops_limit_at_work_lasts_six_of_ten_minutes(minutes: int, is_raised: bool) -> None:
    assert (of_disk(ten(1500, hypervisor=4590, kernel=4600, lasting=minutes)) is not None) is is_raised


def test_iops_limit_at_work_without_the_wait_measured_nothing_is_said() -> None:
    assert of_disk(ten(1500)) is None


def test_iops_limit_at_work_large_ios_count_several_times_and_that_is_likely_only() -> None:
    """400 I/Os of 128 KiB are 1,600 of 32 KiB."""
    found = of_disk(ten(400, size=131_072, hypervisor=4590, kernel=4600))
    assert found is not None
    assert (found.title, found.confidence) == (
        "Hard disk 2 of mail-01 at its IOPS limit: ≈ 1,600 of 1,500",
        Confidence.LIKELY,
    )
    assert "the I/Os are large" in found.cause


def test_iops_limit_at_work_names_are_quoted_for_powershell() -> None:
    """To PowerShell a curly quote ends a literal too."""
    found = of_disk(ten(1500, hypervisor=4590, kernel=4600), vm=ObjectRef("vm", 3, "a'; Stop-VM b\u2019; c"))
    assert found is not None
    assert "-Name 'a''; Stop-VM b\u2019\u2019; c'" in advice(found, AdviceKind.LIMIT).commands[0].change


@pytest.mark.parametrize(("iops", "qos", "is_raised"), [(9499, 1500, False), (9500, 1500, True), (9500, 200, False)])
def test_iops_limit_at_work_a_volume_needs_the_rate_and_the_arrays_own_qos_time(
    iops: float, qos: float, is_raised: bool
) -> None:
    found = of_volume(ten(iops, array_iops=iops, qos=qos), iops=10_000)
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "Volume vol-7 at its QoS limit: 9,500 of 10,000 IOPS"
        assert kinds(found) == ["leave", "spread", "limit"]


def test_iops_limit_at_work_a_volume_may_be_at_its_bandwidth_limit() -> None:
    found = of_volume(ten(4000, size=65_536, array_iops=4000, qos=900), iops=100_000, bytes_per_s=262_000_000)
    assert found is not None
    assert found.title == "Volume vol-7 at its QoS limit: 262 MB/s of 262 MB/s"
    assert found.severity is Severity.ELEVATED
