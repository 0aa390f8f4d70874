"""competing-worlds and device-queue-full: a full device queue, and which limit makes its depth."""

from dataclasses import replace

import pytest
from tests.findings.minutes import ten
from tests.findings.objects import DATASTORE, DEVICE, NOW, SINCE, advice, host, kinds

from gavel.domain.io_path import Severity
from gavel.findings.evidence import FullQueue, HostSetting, QueueShare
from gavel.findings.model import AdviceKind, ObjectRef
from gavel.findings.rules import competing_worlds, device_queue_full

NOISY, QUIET = ObjectRef("vm", 1, "noisy"), ObjectRef("vm", 2, "quiet")


def setting(number: int, *, depth: int = 64, dsnro: int | None = 32) -> HostSetting:
    return HostSetting(
        host=host(number), queue_depth=depth, dsnro=dsnro, path_policy=None, module="qlnativefc", module_depth=depth
    )


def queue(**given: float) -> FullQueue:
    numbers = {"in_flight": 32.0, "depth": 32.0, "queue": 450.0, "kernel": 460.0, "array": 400.0} | given
    return FullQueue(
        source_id=1, device=ObjectRef("device", 9, DEVICE), host=host(1), carried=DATASTORE, canonical_name=DEVICE, configured=64,
        dsnro=32, is_nvme=False, hosts=(setting(1), setting(2)),
        issuers=(QueueShare(NOISY, 0.98, 10), QueueShare(QUIET, 0.02, 10)), minutes=ten(65_000, **numbers), from_at=SINCE, to_at=NOW,
    )  # fmt: skip


def test_competing_worlds_dsnro_below_the_devices_depth_with_two_vms_is_named() -> None:
    found = competing_worlds.evaluate(queue())
    assert found is not None
    assert found.title == "DSNRO holds metro-06 on esx-01 at 32 of 64 slots"
    assert "noisy issues 98 % of the I/O in it." in found.cause
    assert found.severity is Severity.ELEVATED
    assert kinds(found) == ["spread", "limit", "setting"]
    commands = advice(found, AdviceKind.SETTING).commands
    assert [(one.on, one.current, one.target) for one in commands] == [(host(1), "32", "64"), (host(2), "32", "64")]
    assert device_queue_full.evaluate(queue()) is None
    trials = [one.trial and (one.trial.object.kind, one.trial.settings) for one in found.advice]
    assert trials == [("device", {"datastores": 2}), None, ("device", {"dsnro": 64})]


def test_competing_worlds_one_vm_alone_is_not_held_by_dsnro() -> None:
    alone = replace(queue(), issuers=(QueueShare(NOISY, 1.0, 10), QueueShare(QUIET, 0.0, 4)))
    assert competing_worlds.evaluate(alone) is None
    assert device_queue_full.evaluate(alone) is not None


@pytest.mark.parametrize("unknown", [{"dsnro": None}, {"configured": None}, {"is_nvme": True}])
def test_competing_worlds_without_both_depths_the_queue_is_full_for_a_reason_that_was_not_read(
    unknown: dict[str, object],
) -> None:
    evidence = replace(queue(), **unknown)  # type: ignore[arg-type]
    assert competing_worlds.evaluate(evidence) is None
    assert device_queue_full.evaluate(evidence) is not None


def test_device_queue_full_by_its_own_depth_asks_the_vendor_and_names_the_drivers_parameter() -> None:
    found = device_queue_full.evaluate(replace(queue(), configured=32, dsnro=32))
    assert found is not None
    assert found.title == "Queue of metro-06 on esx-01 full: ACTV ≈ 32, DQLEN 32, QUED ≈ 29"
    assert kinds(found) == ["spread", "limit", "vendor"]
    assert "ql2xmaxqdepth of driver qlnativefc" in advice(found, AdviceKind.VENDOR).text
    assert not advice(found, AdviceKind.VENDOR).commands


@pytest.mark.parametrize(("in_flight", "is_raised"), [(28.7, False), (28.8, True)])
def test_device_queue_full_begins_at_nine_tenths_of_the_depth(in_flight: float, is_raised: bool) -> None:
    assert (competing_worlds.evaluate(queue(in_flight=in_flight)) is not None) is is_raised


@pytest.mark.parametrize(("error", "is_raised"), [(350.0, False), (349.0, True)])
def test_device_queue_full_needs_a_lower_bound_of_the_queue_time(error: float, is_raised: bool) -> None:
    """Coarse counters leave the wait open: then nothing is raised, however full the queue seems."""
    assert (competing_worlds.evaluate(queue(queue_error_us=error)) is not None) is is_raised


def test_device_queue_full_leaves_depths_alone_where_the_array_takes_longer() -> None:
    found = competing_worlds.evaluate(queue(array=2000.0))
    assert found is not None
    assert kinds(found) == ["leave", "spread", "limit"]


def test_device_queue_full_without_its_depth_measured_nothing_is_said() -> None:
    evidence = queue(depth=float("nan"))
    assert competing_worlds.evaluate(evidence) is None
    assert device_queue_full.evaluate(evidence) is None
