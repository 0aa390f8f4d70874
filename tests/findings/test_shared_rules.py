"""noisy-neighbor and paths-unbalanced: what VMs and paths do to what they share."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.findings.objects import DATASTORE, DEVICE, NOW, SINCE, host, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_shared import PathBalance, PathShare, SharedLoad, SharedObject
from gavel.findings.model import Finding, ObjectRef
from gavel.findings.rules import noisy_neighbor, paths_unbalanced

RR = "VMW_PSP_RR policy=iops,iops=1000"
BY_LATENCY = "VMW_PSP_RR policy=latency,samplingCycles=16"


def load(
    number: int, iops: float, us: float | None, *, before: float, before_us: float | None, size: float = 8192
) -> SharedLoad:
    return SharedLoad(
        vm=ObjectRef("vm", number, f"vm-{number}"), iops=iops, bytes_per_s=iops * size, us=us, minutes=10, normal_iops=before,
        normal_bytes_per_s=before * 8192, normal_us=before_us,
    )  # fmt: skip


CULPRIT = load(1, 9000, 1900, before=1000, before_us=500)
VICTIM = load(2, 200, 1700, before=210, before_us=500)
STEADY = load(3, 12_000, 1800, before=12_000, before_us=500)


def shared(*loads: SharedLoad, on_queue: bool = True) -> Finding | None:
    return noisy_neighbor.evaluate(
        SharedObject(
            source_id=1, object=ObjectRef("device", 5, DEVICE) if on_queue else ObjectRef("volume", 7, "vol-7"),
            where="queue" if on_queue else "volume", host=host(1) if on_queue else None, carried=DATASTORE, us=1300, normal_us=20,
            loads=loads, from_at=SINCE, to_at=NOW, normal_from_at=SINCE - timedelta(hours=1), normal_to_at=NOW - timedelta(hours=1),
        )
    )  # fmt: skip


def test_noisy_neighbor_is_who_changed_and_not_who_has_the_larger_share() -> None:
    found = shared(STEADY, CULPRIT, VICTIM)
    assert found is not None
    assert found.object == CULPRIT.vm
    assert found.title == "vm-1 makes 2 other VMs wait 1.30 ms longer on the queue of metro-06 on esx-01"
    assert (found.severity, found.confidence) == (Severity.HIGH, Confidence.LIKELY)
    assert {STEADY.vm, VICTIM.vm, host(1), DATASTORE} <= set(found.affected)
    assert kinds(found) == ["spread", "limit"]
    assert "9,000 IOPS in place of 1,000, 100 % of what" in found.cause


@pytest.mark.parametrize(("others", "is_raised"), [(9001, False), (9000, True)])
def test_noisy_neighbor_has_half_of_the_added_io(others: float, is_raised: bool) -> None:
    """The rest is of two more VMs, none of which has more than it."""
    half = (others - 1000) / 2
    more = [load(n, 100 + half, 1900, before=100, before_us=500) for n in (4, 5)]
    assert (shared(CULPRIT, VICTIM, *more) is not None) is is_raised


@pytest.mark.parametrize(("us", "is_raised"), [(700, False), (701, True)])
def test_noisy_neighbor_needs_more_than_a_fifth_of_a_millisecond_of_added_latency(us: float, is_raised: bool) -> None:
    found = shared(CULPRIT, replace(VICTIM, us=us))
    assert (found is not None) is is_raised
    assert found is None or (found.severity is Severity.ELEVATED and kinds(found)[0] == "leave")


@pytest.mark.parametrize(("iops", "is_raised"), [(1499, False), (1500, True)])
def test_noisy_neighbor_has_grown_by_half(iops: float, is_raised: bool) -> None:
    assert (shared(replace(CULPRIT, iops=iops, bytes_per_s=0), VICTIM) is not None) is is_raised


@pytest.mark.parametrize(("iops", "is_raised"), [(1999, False), (2005, True)])
def test_noisy_neighbor_adds_a_tenth_of_all_io(iops: float, is_raised: bool) -> None:
    """Beside a steady VM that has nearly all of it."""
    steady = load(3, 10_000 - iops, 1800, before=10_000 - iops, before_us=500)
    small = replace(CULPRIT, iops=iops, bytes_per_s=0, normal_iops=1000)
    victim = replace(VICTIM, iops=5, normal_iops=5)
    assert (shared(small, steady, victim) is not None) is is_raised


def test_noisy_neighbor_that_was_not_there_before_is_one() -> None:
    assert shared(replace(CULPRIT, normal_iops=0, normal_bytes_per_s=0, normal_us=None), VICTIM) is not None


def test_noisy_neighbor_whose_ios_became_larger_is_one_on_a_volume() -> None:
    larger = load(1, 1000, 1900, before=1000, before_us=500, size=262_144)
    found = shared(larger, VICTIM, on_queue=False)
    assert found is not None
    assert found.title.endswith("longer on volume vol-7")


@pytest.mark.parametrize(
    "victim",
    [
        replace(VICTIM, us=None),
        replace(VICTIM, normal_us=None),
        replace(VICTIM, iops=4.9),
        replace(VICTIM, minutes=5),
    ],
)
def test_noisy_neighbor_of_vms_whose_latency_was_not_measured_or_is_of_few_ios_is_none(victim: SharedLoad) -> None:
    assert shared(CULPRIT, victim) is None


def test_noisy_neighbor_is_none_where_most_of_the_others_wait_as_before() -> None:
    assert shared(CULPRIT, VICTIM, load(4, 500, 510, before=500, before_us=500)) is None


def balance(*iops: float, policy: str = RR, samples: int = 12) -> Finding | None:
    paths = tuple(
        PathShare(f"vmhba{1 + n % 2}:C0:T{n}:L1", f"vmhba{1 + n % 2}", f"52:4a:{n}", own, samples)
        for n, own in enumerate(iops)
    )
    return paths_unbalanced.evaluate(
        PathBalance(
            source_id=1, object=DATASTORE, host=host(1), canonical_name=DEVICE, path_policy=policy, paths=paths,
            from_at=NOW - timedelta(hours=1), to_at=NOW,
        )
    )  # fmt: skip


@pytest.mark.parametrize(("first", "is_raised"), [(300, False), (301, True)])
def test_paths_unbalanced_begins_above_twice_the_mean(first: float, is_raised: bool) -> None:
    found = balance(first, 100, 100, 100)
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "50 % of the I/O of metro-06 on esx-01 uses one of 4 paths"
        assert [row.is_odd for row in found.tables[0].rows] == [True, False, False, False]
        assert kinds(found) == ["repair", "setting"]


@pytest.mark.parametrize(("first", "is_raised"), [(69.9, False), (70, True)])
def test_paths_unbalanced_begins_at_a_hundred_iops(first: float, is_raised: bool) -> None:
    assert (balance(first, 10, 10, 10) is not None) is is_raised


@pytest.mark.parametrize(("first", "is_raised"), [(699, False), (700, True)])
def test_paths_unbalanced_by_latency_is_of_busy_hosts_only_and_the_policy_stays(first: float, is_raised: bool) -> None:
    found = balance(first, 100, 100, 100, policy=BY_LATENCY)
    assert (found is not None) is is_raised
    assert found is None or kinds(found) == ["leave", "repair"]


@pytest.mark.parametrize("policy", ["VMW_PSP_FIXED", "VMW_PSP_MRU", "LB-RR"])
def test_paths_unbalanced_of_other_policies_is_none(policy: str) -> None:
    assert balance(4000, 0, 0, 0, policy=policy) is None


def test_paths_unbalanced_of_two_paths_or_of_less_than_an_hour_is_none() -> None:
    assert balance(4000, 0) is None
    assert balance(4000, 0, 0, 0, samples=8) is None
