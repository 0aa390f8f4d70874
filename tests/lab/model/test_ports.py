"""Target ports: no link carries more than it can, and what waits for one shows where the facts say it does."""

import numpy as np
import pytest

from gavel_lab.environment import TargetPort
from gavel_lab.lab import Lab
from gavel_lab.model import ArrayBy, By
from gavel_lab.reading import READ, SEGMENT, WRITE, Floats
from gavel_lab.stories import PHASES, Phase

HOUR = 1_780_002_000
# A quiet minute before.
BEFORE = HOUR + np.array([[60.0 * 20, 60.0 * 21]])
# What a read takes at its port without a byte.
OF_ANY_IO_US = 15.0
FULL, TWIN = (phase for phase in PHASES if phase.story.startswith("target-port"))


def inside(phase: Phase) -> Floats:
    starts = HOUR + np.arange(60.0 * phase.start_minute, 60.0 * phase.end_minute, 20.0)
    return np.stack([starts, starts + 20], axis=1)


def media_disks(lab: Lab, phase: Phase) -> list[int]:
    (store,) = (one.index for one in lab.environment.datastores if one.story == phase.story)
    return [disk.index for disk in lab.environment.disks if disk.datastore == store and disk.workload == "media"]


def small_disk(lab: Lab) -> int:
    """One with 16 KiB I/Os on the same ports, always busy."""
    return next(disk.index for disk in lab.environment.disks if disk.workload == "overload")


def carried(lab: Lab, ports: list[TargetPort], windows: Floats) -> Floats:
    """(ports, w, 2) bytes per second sent (READ) and received (WRITE)."""
    rates = np.stack(
        [lab.model.read_array(ArrayBy.PORT, [port.index], windows, array=port.array).bytes_per_s()[0] for port in ports]
    )
    return np.stack([rates[..., READ], rates[..., 1:].sum(axis=2)], axis=2)


def fibre_channel(lab: Lab, array: int) -> list[TargetPort]:
    return [port for port in lab.environment.ports if port.array == array and port.transport == "fc"]


def test_no_port_carries_more_than_its_link_does_in_any_minute(lab: Lab, minutes: Floats) -> None:
    ports = list(lab.environment.ports)
    used = carried(lab, ports, minutes) / np.array([port.line_rate_bytes_per_s for port in ports])[:, None, None]
    assert used.max() == pytest.approx(0.97, rel=1e-4)
    full = {(ports[row].name, int(minute)) for row, minute, _ in np.argwhere(used > 0.9)}
    assert full == {("CT1.FC1", minute) for minute in range(FULL.start_minute, FULL.end_minute)}


def test_ports_of_an_array_carry_what_its_hosts_move_and_no_byte_more(lab: Lab) -> None:
    """Fibre Channel has hosts of the first cluster only, and all of it goes through its ports."""
    environment, windows = lab.environment, inside(FULL)
    ports = [port for array in environment.arrays for port in fibre_channel(lab, array.index)]
    devices = [device.index for device in environment.devices if device.transport == "fc"]
    moved = lab.model.read(By.DEVICE, devices, windows).bytes_per_s().sum(axis=0)
    np.testing.assert_allclose(carried(lab, ports, windows).sum(axis=0), moved, rtol=1e-5)


def test_all_four_ports_carry_the_same_and_only_the_slow_link_is_full(lab: Lab) -> None:
    ports = fibre_channel(lab, 1)
    sent = carried(lab, ports, inside(FULL))[..., READ]
    np.testing.assert_allclose(sent, np.broadcast_to(sent[0], sent.shape), rtol=1e-5)
    speeds = {port.name: port.speed_bits_per_s // 10**9 for port in ports}
    assert speeds == {"CT0.FC0": 32, "CT0.FC1": 32, "CT1.FC0": 32, "CT1.FC1": 16}


def test_reads_wait_for_the_full_link_in_the_transfer_that_the_array_times_and_nowhere_else(lab: Lab) -> None:
    volume = next(one for one in lab.environment.volumes if one.name == "media-16")
    seen = lab.model.read_array(ArrayBy.VOLUME, [volume.index], inside(FULL), array=1)
    assert seen.segment_us("array_port")[0, :, READ].min() > 2500
    assert seen.latency_us("array_internal")[0, :, READ].max() < 250
    quiet, full = (lab.model.read(By.DISK, [small_disk(lab)], windows) for windows in (BEFORE, inside(FULL)))
    assert full.segment_us("fabric")[0, :, READ] == pytest.approx(
        np.full(30, quiet.segment_us("fabric")[0, 0, READ]), rel=0.02
    )
    # The other way of the link is free.
    written = [one.segment_us("array_port")[0, :, WRITE] for one in (quiet, full)]
    assert written[1] == pytest.approx(np.full(30, written[0][0]), rel=1e-4)


def test_only_paths_to_the_full_port_are_slow(lab: Lab) -> None:
    environment = lab.environment
    store = next(one for one in environment.datastores if one.story == "target-port")
    for host in store.hosts:
        device = environment.device(host, store.extents[0])
        us = lab.model.read(By.PATH, device.paths, inside(FULL)).latency_us("driver")[..., READ]
        slow = np.array([environment.ports[environment.paths[path].port].name == "CT1.FC1" for path in device.paths])
        assert slow.tolist().count(True) == 1
        assert (us[slow] > 10_000).all()
        assert (us[~slow] < 800).all()


def test_an_io_waits_for_a_full_link_in_proportion_to_its_size(lab: Lab) -> None:
    """Frames take turns: 16 KiB take a thirty-second of what 512 KiB do, beside what each I/O takes whatever its size."""

    def by_size_us(disk: int) -> float:
        full = lab.model.read(By.DISK, [disk], inside(FULL))
        return (
            float(full.io_time_us[0, :, READ, SEGMENT["array_port"]].sum() / full.ops[0, :, READ].sum()) - OF_ANY_IO_US
        )

    assert by_size_us(media_disks(lab, FULL)[0]) / by_size_us(small_disk(lab)) == pytest.approx(32, rel=0.01)


def test_the_twin_moves_more_and_waits_for_nothing(lab: Lab) -> None:
    """The same threads on an array all of whose links have their full speed."""
    full, twin = (
        lab.model.read(By.DISK, media_disks(lab, phase), inside(phase)).bytes_per_s().sum() for phase in (FULL, TWIN)
    )
    assert 1.1 < twin / full < 1.3
    assert carried(lab, fibre_channel(lab, 0), inside(TWIN)).max() < 0.65 * 3.2e9
