"""sioc-on-all-flash, adaptive-depth-partial and no-preferred-array: at the threshold, just below it, and with what was not read."""

import pytest
from tests.findings.objects import DATASTORE, NOW, SINCE, advice, host, kinds

from gavel.domain.io_path import Severity
from gavel.findings.evidence_settings import (
    FlashSioc,
    HostLeg,
    HostLegs,
    HostQueueFull,
    SharedPorts,
    SiocDatastore,
    StretchedPod,
)
from gavel.findings.model import AdviceKind, Finding, ObjectRef
from gavel.findings.rules import adaptive_depth_partial, no_preferred_array, sioc_on_all_flash

VCENTER, NEAR, FAR = ObjectRef("source", 1, "vc"), ObjectRef("array", 1, "fa-1"), ObjectRef("array", 2, "fa-2")


def sioc(*stores: SiocDatastore) -> Finding | None:
    return sioc_on_all_flash.evaluate(FlashSioc(source_id=1, vcenter=VCENTER, datastores=stores, read_at=NOW))


@pytest.mark.parametrize(("version", "is_deprecated"), [("8.0.2", False), ("8.0.3", True), ("9.0.1", True)])
def test_sioc_on_flash_is_called_deprecated_from_8_0_u3_on(version: str, *, is_deprecated: bool) -> None:
    found = sioc(SiocDatastore(DATASTORE, 30, (version,)))
    assert found is not None
    assert found.title == "Storage I/O Control on for 1 flash datastore"
    assert ("deprecated" in found.cause) is is_deprecated
    assert kinds(found) == ["leave", "setting"]
    (command,) = advice(found, AdviceKind.SETTING).commands
    assert command.change == "Get-Datastore -Name 'metro-06' | Set-Datastore -StorageIOControlEnabled $false"
    assert command.undo.endswith("$true -CongestionThresholdMillisecond 30")


def test_sioc_without_a_datastore_or_a_threshold_that_was_read_invents_nothing() -> None:
    assert sioc() is None
    found = sioc(SiocDatastore(DATASTORE, None, ()))
    assert found is not None
    assert found.tables[0].rows[0].cells == (None, "")
    assert advice(found, AdviceKind.SETTING).commands[0].undo.endswith("$true")


def adaptive(*sizes: int | None, devices: tuple[str, ...] = ()) -> Finding | None:
    """One host for each sample size; devices: set by themselves on the first host."""
    hosts = tuple(
        HostQueueFull(host=host(n), sample_size=size, threshold=8, least=0, most=64, devices=devices if n == 1 else ())
        for n, size in enumerate(sizes, 1)
    )
    return adaptive_depth_partial.evaluate(
        SharedPorts(source_id=1, object=NEAR, array=NEAR, ports=("a", "b"), hosts=hosts, read_at=NOW)
    )


@pytest.mark.parametrize(
    ("sizes", "is_raised"),
    [((32, 0), True), ((32, 64), False), ((0, 0), False), ((32, None), False), ((None, None), False)],
)
def test_adaptive_depth_is_raised_where_some_hosts_have_it_and_others_do_not(
    sizes: tuple[int | None, ...], *, is_raised: bool
) -> None:
    """What was not read is neither on nor off."""
    assert (adaptive(*sizes) is not None) is is_raised


def test_adaptive_depth_gives_the_change_either_way_with_the_range_of_the_hosts() -> None:
    found = adaptive(32, 0)
    assert found is not None
    assert found.title == "Adaptive queue depth on 1 of 2 hosts on the same ports of fa-1"
    off, everywhere = found.advice
    assert off.commands[0].change.endswith("--option=/Disk/QFullSampleSize --int-value=0")
    assert off.commands[0].undo.endswith("--int-value=32")
    assert everywhere.commands[0].on == host(2)
    assert "0 to 64" in everywhere.why


def test_adaptive_depth_that_is_set_on_devices_counts_whatever_the_hosts_options_say() -> None:
    found = adaptive(0, 0, devices=("naa.1", "naa.2"))
    assert found is not None
    (command,) = advice(found, AdviceKind.SETTING).commands
    assert command.change.startswith('for device in naa.1 naa.2; do esxcli storage core device set --device="$device"')
    assert adaptive(None, None, devices=("naa.1",)) is None


def pod(*hosts: HostLegs) -> Finding | None:
    return no_preferred_array.evaluate(
        StretchedPod(
            source_id=1, array=NEAR, pod="metro-pod", hosts=hosts, objects=(DATASTORE,), from_at=SINCE, to_at=NOW
        )
    )  # fmt: skip


def legs(
    near_us: float, far_us: float, *, step: float = 1000, iops: float = 100, preference: bool | None = False
) -> HostLegs:
    own = ((NEAR, near_us), (FAR, far_us))
    return HostLegs(
        host=host(1),
        has_preference=preference,
        legs=tuple(HostLeg(array=array, iops=iops, us=us, precision_us=step) for array, us in own),
    )


@pytest.mark.parametrize(
    ("far_us", "step", "is_raised"), [(3000, 1000, False), (3001, 1000, True), (1500, 1, False), (1501, 1, True)]
)
def test_no_preferred_array_needs_a_millisecond_between_the_arrays_beyond_the_counters_step(
    far_us: float, step: float, *, is_raised: bool
) -> None:
    found = pod(legs(500, far_us, step=step))
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "No preferred array on stretched pod metro-pod: 1 host"
        assert found.severity is Severity.ELEVATED
        assert found.cause.startswith("50 % of the I/O of esx-01 goes to the far array")


@pytest.mark.parametrize(
    "quiet",
    [
        legs(500, 9000, preference=True),
        legs(500, 9000, preference=None),
        legs(500, 9000, iops=9),
        HostLegs(host=host(1), has_preference=False, legs=(legs(500, 9000).legs[0],)),
    ],
)
def test_no_preferred_array_is_not_raised_with_a_preference_or_without_io_to_each_array(quiet: HostLegs) -> None:
    assert pod(quiet) is None
    assert pod() is None


def test_no_preferred_array_names_only_the_hosts_without_one() -> None:
    found = pod(legs(500, 4000), HostLegs(host=host(2), has_preference=True, legs=legs(500, 4000).legs))
    assert found is not None
    assert [row.is_odd for row in found.tables[0].rows] == [True, False]
    assert found.affected == (DATASTORE, host(1))
