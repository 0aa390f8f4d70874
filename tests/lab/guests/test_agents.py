"""Which guests run an agent, and what its lines say: the product's own parser reads them, and they are what the model says."""

import numpy as np
import pytest

from gavel.collectors.guest_registry import read_line_protocol
from gavel.domain.guest_intervals import (
    DiskInterval,
    IntervalQuality,
    LastReading,
    Placed,
    measure_interval,
)
from gavel.domain.guests import DiskCounters, DiskReading, RefusalReason
from gavel_lab.environment import Environment
from gavel_lab.guests.agents import Agent, agents
from gavel_lab.guests.diskio import GuestCounters
from gavel_lab.lab import Lab, create_lab
from gavel_lab.model import By
from gavel_lab.reading import Reading
from gavel_lab.scale import Scale

HOUR_S = 1_780_002_000.0
# In the story of the guest's queue, and in its quiet twin.
QUEUED_S, QUIET_S = HOUR_S + 38 * 60, HOUR_S + 48 * 60


@pytest.fixture(scope="module")
def lab() -> Lab:
    return create_lab(seed=1)


def agent_of(lab: Lab, name: str) -> Agent:
    return next(agent for agent in agents(lab.environment) if agent.vm.name == name)


def counted(lab: Lab, agent: Agent, *at_s: float) -> list[list[DiskReading]]:
    """What the product reads of each push; the first begins at boot."""
    counters = GuestCounters(lab.environment, lab.model, agent, at_s[0])
    found = []
    for at in at_s:
        counters.advance(at)
        found.append(list(read_line_protocol(b"".join(counters.lines()), "ns").readings))
    return found


def between(before: DiskReading, after: DiskReading) -> DiskInterval | RefusalReason:
    assert before.at_us is not None
    assert after.at_us is not None
    assert isinstance(before.numbers, DiskCounters)
    last = LastReading(before.at_us, before.at_us, before.at_us, before.numbers)
    return measure_interval(last, after.at_us, Placed(after.at_us, IntervalQuality.A), after.numbers, after.step)


def test_some_guests_with_linux_push_and_others_do_not(lab: Lab) -> None:
    pushing = {agent.vm.index for agent in agents(lab.environment)}
    assert 10 <= len(pushing) <= len(lab.environment.vms) / 2
    assert not [vm.name for vm in lab.environment.vms if vm.index in pushing and "windows" in vm.guest_id]
    assert {agent.interval_s for agent in agents(lab.environment)} == {10, 20}
    assert {agent.has_serials for agent in agents(lab.environment)} == {True, False}


def test_the_guest_of_the_story_pushes_whatever_the_seed_is() -> None:
    for seed in range(5):
        environment: Environment = create_lab(seed).environment
        assert [agent.has_serials for agent in agents(environment) if agent.vm.name == "batch-02"] == [True]


def test_agents_of_the_default_environment_are_the_same_at_every_scale_and_few_in_the_largest() -> None:
    small = agents(create_lab(seed=1).environment)
    large = agents(create_lab(seed=1, scale=Scale(clusters=2, vms=400)).environment)
    assert [(agent.vm.name, agent.interval_s, agent.ahead_s) for agent in large[: len(small)]] == [
        (agent.vm.name, agent.interval_s, agent.ahead_s) for agent in small
    ]
    assert len(small) < len(large) <= 60


@pytest.mark.parametrize(("begin_s", "waits"), [(QUEUED_S, True), (QUIET_S, False)])
def test_lines_of_an_agent_count_what_its_guest_saw_its_queue_included(lab: Lab, begin_s: float, waits: bool) -> None:
    agent = agent_of(lab, "batch-02")
    before, after = counted(lab, agent, begin_s, begin_s + 10)
    (index,) = [n for n, disk in enumerate(agent.vm.disks) if lab.environment.disks[disk].workload == "crowded"]
    interval = between(before[index], after[index])
    assert isinstance(interval, DiskInterval)
    true = truth(lab, agent.vm.disks[index], begin_s, 10)
    for direction, name in enumerate(("read", "write")):
        assert interval.values[f"{name}_ops"] == pytest.approx(true.ops[0, 0, direction], abs=1)
        assert interval.values[f"{name}_bytes"] == pytest.approx(true.bytes[0, 0, direction], abs=1)
        latency = true.latency_us("guest")[0, 0, direction]
        # A sum of whole ms may lack one, over some hundred thousand I/Os.
        assert interval.values[f"{name}_latency_us"] == pytest.approx(latency, abs=0.6)
        assert (latency - true.latency_us("vscsi")[0, 0, direction] > 300) is np.bool_(waits)
    assert interval.interval_s == 10
    assert interval.values["queue_time_ms"] / 10_000 == pytest.approx(96 if waits else 64, rel=0.01)


def truth(lab: Lab, disk: int, begin_s: float, length_s: float) -> Reading:
    return lab.model.read(By.DISK, [disk], np.array([[begin_s, begin_s + length_s]]))


def test_lines_of_partitions_are_sent_and_are_no_disks(lab: Lab) -> None:
    counters = GuestCounters(lab.environment, lab.model, agent_of(lab, "dwh-01"), HOUR_S)
    pushed = read_line_protocol(b"".join(counters.lines()), "ns")
    assert [reading.disk for reading in pushed.readings] == ["sda", "sdb", "sdc", "sdd"]
    assert [line.reason for line in pushed.refused] == [RefusalReason.NOT_A_DISK]


def test_serial_numbers_are_the_uuids_of_virtual_disks_where_the_guest_sees_them(lab: Lab) -> None:
    for agent in agents(lab.environment):
        (readings,) = counted(lab, agent, HOUR_S)
        for reading, index in zip(readings, agent.vm.disks, strict=True):
            disk = lab.environment.disks[index]
            if disk.controller == "nvme":
                assert reading.identity.serial == "VMware_Virtual_NVMe_Disk_VMware_NVME_0000"
            elif agent.has_serials:
                assert reading.identity.serial == f"naa.{disk.backing_uuid.replace('-', '').lower()}"
            else:
                assert reading.identity.serial is None


def test_stamps_are_multiples_of_the_interval_on_the_guests_clock(lab: Lab) -> None:
    agent = agent_of(lab, "batch-02")
    ((reading, *_),) = counted(lab, agent, HOUR_S - agent.ahead_s)
    assert reading.at_us == round(HOUR_S * 1e6)


@pytest.mark.parametrize("again_after_s", [1.0, 12.0, 250.0])
def test_a_lab_that_is_started_again_has_rebooted_guests_and_its_first_readings_follow_none_of_the_boot_before(
    lab: Lab, again_after_s: float
) -> None:
    agent = agent_of(lab, "batch-02")
    for ran_s in (0.0, 0.5, 40.0):
        *_, old = counted(lab, agent, QUEUED_S, QUEUED_S + ran_s)
        (new,) = counted(lab, agent, QUEUED_S + ran_s + again_after_s)
        found = [between(before, after) for before, after in zip(old, new, strict=True)]
        assert found == [RefusalReason.COUNTER_RESET] * len(agent.vm.disks)
