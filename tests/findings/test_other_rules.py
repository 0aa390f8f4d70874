"""non-optimized-io, unmonitored-initiators, path-policy-off-advice and latency-policy-options."""

import pytest
from tests.findings.objects import CLUSTER, DATASTORE, DEVICE, NOW, SINCE, advice, host, kinds

from gavel.domain.io_path import Severity
from gavel.findings.evidence import DevicePolicies, HostPathUse, PathUse, VolumeMatch
from gavel.findings.model import AdviceKind, Finding, ObjectRef
from gavel.findings.rules import (
    latency_policy_options,
    non_optimized_io,
    path_policy_off_advice,
    unmonitored_initiators,
)

RR = "VMW_PSP_RR policy=iops,iops=1"


def used(*hosts: HostPathUse) -> Finding | None:
    return non_optimized_io.evaluate(
        PathUse(source_id=1, object=DATASTORE, canonical_name=DEVICE, hosts=hosts, from_at=SINCE, to_at=NOW)
    )


@pytest.mark.parametrize(("off", "is_raised"), [(50, False), (51, True)])
def test_non_optimized_io_begins_above_a_twentieth_of_a_hosts_io(off: float, is_raised: bool) -> None:
    found = used(HostPathUse(host(1), 4, 1000, off, RR), HostPathUse(host(2), 4, 1000, 0, RR))
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "5 % of the I/O of esx-01 on non-optimized paths"
        assert [row.is_odd for row in found.tables[0].rows] == [True, False]
        assert found.affected == (host(1),)


@pytest.mark.parametrize("quiet", [HostPathUse(host(1), 0, 1000, 1000, RR), HostPathUse(host(1), 4, 9, 9, RR)])
def test_non_optimized_io_of_hosts_without_a_better_path_or_without_io_is_none(quiet: HostPathUse) -> None:
    assert used(quiet) is None


def matched(host_iops: float, array_iops: float) -> Finding | None:
    volume, array = ObjectRef("volume", 7, "vol-7"), ObjectRef("array", 1, "array-a")
    return unmonitored_initiators.evaluate(
        VolumeMatch(
            source_id=1, volume=volume, array=array, host_iops=host_iops, array_iops=array_iops, minutes=60, from_at=SINCE, to_at=NOW
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("host_iops", "severity"), [(900, None), (899, Severity.NORMAL), (501, Severity.NORMAL), (500, Severity.ELEVATED)]
)
def test_unmonitored_initiators_begin_below_nine_tenths_and_are_elevated_from_half_on(
    host_iops: float, severity: Severity | None
) -> None:
    found = matched(host_iops, 1000)
    assert (None if found is None else found.severity) is severity


def test_unmonitored_initiators_of_a_volume_with_next_to_no_io_are_not_raised() -> None:
    assert matched(0, 19) is None
    found = matched(0, 20)
    assert found is not None
    assert found.title == "Unmonitored initiators issue 100 % of the I/O of volume vol-7"


def policies(policy: str, name: str = DEVICE) -> DevicePolicies:
    return DevicePolicies(
        source_id=1, object=CLUSTER, vendor="PURE", model="FlashArray", path_policy=policy, hosts=((host(1), (name,)),),
        objects=(DATASTORE,), read_at=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "name", "is_raised"),
    [
        (RR, DEVICE, False),
        ("VMW_PSP_RR policy=latency,latencyEvalTime=180000,samplingCycles=16", DEVICE, False),
        ("VMW_PSP_RR policy=iops,iops=1000", DEVICE, True),
        ("VMW_PSP_RR policy=rr,iops=1000", DEVICE, True),
        ("VMW_PSP_FIXED", DEVICE, True),
        ("VMW_PSP_RR", DEVICE, False),
        ("LB-RR", DEVICE, False),
        ("VMW_PSP_RR policy=iops,iops=1000", "naa.600a098038303053", False),
        ("VMW_PSP_MRU", "naa.600a098038303053", True),
        ("VMW_PSP_FIXED", "naa.60060e8007c3d0000030", False),
    ],
)
def test_path_policy_off_advice_follows_the_vendor_of_the_device(policy: str, name: str, is_raised: bool) -> None:
    """Options that were not read, other plug-ins and vendors without proven advice raise nothing."""
    assert (path_policy_off_advice.evaluate(policies(policy, name)) is not None) is is_raised


def test_path_policy_off_advice_gives_the_change_and_the_way_back() -> None:
    found = path_policy_off_advice.evaluate(policies("VMW_PSP_RR policy=iops,iops=1000"))
    assert found is not None
    assert found.title == "Path policy VMW_PSP_RR with iops=1000 on 1 device of Pure Storage FlashArray"
    assert kinds(found) == ["leave", "setting"]
    (command,) = advice(found, AdviceKind.SETTING).commands
    assert (
        command.change == f"esxcli storage nmp psp roundrobin deviceconfig set --device={DEVICE} --type=iops --iops=1"
    )
    assert (
        command.undo == f"esxcli storage nmp psp roundrobin deviceconfig set --device={DEVICE} --type=iops --iops=1000"
    )


@pytest.mark.parametrize(
    ("options", "is_raised"),
    [
        ("latencyEvalTime=180000,samplingCycles=16,useANO=0", False),
        ("latencyEvalTime=30000,samplingCycles=16,useANO=0", True),
        ("latencyEvalTime=180000,samplingCycles=32", True),
        ("", False),
    ],
)
def test_latency_policy_options_are_compared_with_the_defaults(options: str, is_raised: bool) -> None:
    found = latency_policy_options.evaluate(policies(f"VMW_PSP_RR policy=latency,{options}"))
    assert (found is not None) is is_raised
    if found is not None:
        (command,) = advice(found, AdviceKind.SETTING).commands
        assert command.change.endswith("--type=latency --num-sampling-cycles=16 --latency-eval-time=180000")


def test_latency_policy_options_of_other_policies_are_not_looked_at() -> None:
    assert latency_policy_options.evaluate(policies(f"{RR},latencyEvalTime=30000")) is None
