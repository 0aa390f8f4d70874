"""Clocks that are off, clocks that step, and VMs that move."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel_lab.clocks import Clocks, LabTime, SourceClock
from gavel_lab.lab import Lab, create_lab
from gavel_lab.model import By

HOUR = 1_780_002_000
HELD = {"at": float(HOUR), "speed": 0.0}


@given(offset=st.floats(-3, 5), after=st.integers(0, 10_000), length=st.sampled_from([20, 30]))
def test_windows_end_at_the_stamps_of_the_sources_own_clock(offset: float, after: int, length: int) -> None:
    clock = SourceClock(LabTime(**HELD), offset)
    stamps = clock.stamps(after, after + 95, length)
    assert (stamps % length == 0).all()
    assert (stamps > after).all()
    assert (stamps <= after + 95).all()
    windows = clock.windows(stamps, length)
    np.testing.assert_allclose(windows[:, 1] + offset, stamps)
    np.testing.assert_allclose(windows[:, 1] - windows[:, 0], length)


def test_offsets_are_within_bounds_follow_the_seed_and_can_be_fixed(lab: Lab) -> None:
    again = Clocks(lab.environment, LabTime(**HELD), {"flasharray-1": 4.5})
    for mine, same in zip(lab.clocks.hosts, again.hosts, strict=True):
        assert -3 <= mine.offset_s() <= 5
        assert mine.offset_s() == same.offset_s()
    assert again.arrays[0].offset_s() == 4.5


def test_a_clock_that_steps_keeps_the_meaning_of_stamps_given_before() -> None:
    clock = SourceClock(LabTime(**HELD), 1.0)
    before = clock.to_lab(np.array([HOUR - 100.0]))
    clock.shift(-30)
    assert clock.offset_s() == -29
    assert clock.to_lab(np.array([HOUR - 100.0])) == before
    assert clock.to_lab(np.array([HOUR + 50.0])) == HOUR + 79


def test_stamps_that_a_forward_step_left_out_tell_nothing_of_what_comes_after_it() -> None:
    clock = SourceClock(LabTime(**HELD), 1.0)
    clock.shift(45)
    lab_s = clock.to_lab(np.array([HOUR - 9.0, HOUR + 1, HOUR + 2, HOUR + 46, HOUR + 56]))
    assert lab_s.tolist() == [HOUR - 10, HOUR, HOUR, HOUR, HOUR + 10]


def test_replayed_time_starts_where_it_was_told_and_holds_still_at_speed_0() -> None:
    assert LabTime(**HELD).now() == HOUR
    assert LabTime(at=HOUR, speed=1.0).now() >= HOUR


def test_a_vmotion_moves_the_io_from_its_second_on_and_changes_no_past() -> None:
    lab = create_lab()
    vm = next(vm for vm in lab.environment.vms if vm.name == "web-01")
    other = lab.environment.clusters[vm.cluster].hosts[1]
    windows = HOUR + np.array([[0.0, 30.0], [30.0, 60.0], [60.0, 90.0]])
    devices = [
        lab.environment.device(host, lab.environment.disks[vm.disks[0]].volumes[0]).index
        for host in (vm.home_host, other)
    ]
    before = lab.model.read(By.DEVICE, devices, windows)
    lab.placement.move(vm.index, other, HOUR + 30)
    after = lab.model.read(By.DEVICE, devices, windows)
    np.testing.assert_array_equal(after.ops[:, 0], before.ops[:, 0])
    assert before.ops[0, 1].sum() > 0
    assert after.ops[0, 1:].sum() == 0
    assert (after.ops[1, 1:].sum(axis=-1) > before.ops[1, 1:].sum(axis=-1)).all()
    assert lab.placement.host_of(vm.index, HOUR + 29.9) == vm.home_host
    assert lab.placement.moves(vm.index, HOUR, HOUR + 3600) == [(HOUR + 30, vm.home_host, other)]
    disk = lab.model.read(By.DISK, [vm.disks[1]], windows)
    assert (disk.ops.sum(axis=-1) > 0).all()


def test_a_vm_that_is_off_does_nothing_until_it_is_on_again_and_keeps_its_past() -> None:
    lab = create_lab()
    vm = next(vm for vm in lab.environment.vms if vm.name == "web-01")
    windows = HOUR + np.array([[0.0, 30.0], [30.0, 60.0], [60.0, 90.0]])
    device = lab.environment.device(vm.home_host, lab.environment.disks[vm.disks[0]].volumes[0]).index
    before = {
        by: lab.model.read(by, [index], windows).ops for by, index in ((By.DISK, vm.disks[0]), (By.DEVICE, device))
    }
    lab.placement.switch(vm.index, HOUR + 30, on=False)
    with pytest.raises(ValueError, match="web-01 is off already"):
        lab.placement.switch(vm.index, HOUR + 40, on=False)
    lab.placement.switch(vm.index, HOUR + 60, on=True)
    for by, index in ((By.DISK, vm.disks[0]), (By.DEVICE, device)):
        after = lab.model.read(by, [index], windows).ops
        np.testing.assert_array_equal(after[0, 0], before[by][0, 0])
        assert after[0, 1].sum() == 0
        np.testing.assert_allclose(after[0, 2], before[by][0, 2])
    assert [lab.placement.is_on(vm.index, HOUR + at) for at in (29, 31, 61)] == [True, False, True]


def test_commuters_are_back_home_at_the_end_of_every_hour(lab: Lab) -> None:
    commuters = [vm for vm in lab.environment.vms if vm.commute]
    assert commuters
    for vm in commuters:
        moves = lab.placement.moves(vm.index, HOUR, HOUR + 3600)
        assert [(int(at) - HOUR) // 60 for at, _, _ in moves] == [minute for minute, _ in vm.commute]
        assert moves[-1][2] == lab.placement.host_of(vm.index, HOUR + 3600) == vm.home_host


def test_a_vm_cannot_move_where_its_storage_is_not_seen(lab: Lab) -> None:
    vm = next(vm for vm in lab.environment.vms if vm.name == "fast-01")
    hosts = lab.environment.clusters[vm.cluster].hosts
    with pytest.raises(ValueError, match="does not see all datastores of fast-01"):
        lab.placement.move(vm.index, hosts[0], HOUR)
    with pytest.raises(ValueError, match="not in the cluster of fast-01"):
        lab.placement.move(vm.index, 0, HOUR)
