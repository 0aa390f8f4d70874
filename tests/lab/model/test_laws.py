"""Laws that every second, row and window of the model obeys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavel_lab.environment import CountedOn
from gavel_lab.inputs import Demand
from gavel_lab.lab import Lab, create_lab
from gavel_lab.model import ArrayBy, By
from gavel_lab.reading import BOUNDARIES, SEGMENTS, Floats, Reading
from gavel_lab.scale import Scale
from gavel_lab.settings import Settings

HOUR = 1_780_002_000


def spans(start: float, length_s: float, number: int) -> Floats:
    starts = start + length_s * np.arange(number)
    return np.stack([starts, starts + length_s], axis=1)


def assert_equal(one: Reading, other: Reading) -> None:
    for name in ("seconds", "ops", "bytes", "io_time_us"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_the_same_second_reads_the_same_whichever_window_was_asked_first() -> None:
    forward, backward = create_lab(seed=7), create_lab(seed=7)
    disks = range(len(forward.environment.disks))
    early, late = spans(HOUR + 600, 20, 3), spans(HOUR + 3000, 20, 3)
    first, second = forward.model.read(By.DISK, disks, early), forward.model.read(By.DISK, disks, late)
    assert_equal(backward.model.read(By.DISK, disks, late), second)
    assert_equal(backward.model.read(By.DISK, disks, early), first)


def test_a_row_reads_the_same_alone_and_in_company(lab: Lab) -> None:
    windows = spans(HOUR + 500, 20, 4)
    together = lab.model.read(By.DEVICE, range(len(lab.environment.devices)), windows)
    alone = lab.model.read(By.DEVICE, [5], windows)
    np.testing.assert_allclose(alone.io_time_us[0], together.io_time_us[5], rtol=1e-6)


def test_another_seed_gives_other_numbers(lab: Lab) -> None:
    windows = spans(HOUR, 60, 1)
    other = create_lab(seed=2).model.read(By.DISK, [3], windows)
    assert not np.allclose(other.ops, lab.model.read(By.DISK, [3], windows).ops)


@settings(max_examples=25, deadline=None)
@given(start=st.floats(0, 3500), first=st.floats(0.01, 90), second=st.floats(0.01, 90))
def test_a_window_is_the_sum_of_its_parts(lab: Lab, start: float, first: float, second: float) -> None:
    begin = HOUR + start
    whole = lab.model.read(By.DISK, range(20), np.array([[begin, begin + first + second]]))
    edges = np.array([[begin, begin + first], [begin + first, begin + first + second]])
    parts = lab.model.read(By.DISK, range(20), edges)
    np.testing.assert_allclose(parts.ops.sum(axis=1), whole.ops[:, 0], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(parts.io_time_us.sum(axis=1), whole.io_time_us[:, 0], rtol=1e-5, atol=1e-2)


def test_threads_are_throughput_times_think_time_and_latency_in_every_second(lab: Lab) -> None:
    disks = len(lab.environment.disks)
    demand = Demand(lab.environment)
    for minute in range(60):
        seconds = np.arange(HOUR + 60 * minute, HOUR + 60 * minute + 60)
        windows = np.stack([seconds, seconds + 1.0], axis=1)
        reading = lab.model.read(By.DISK, range(disks), windows).all_directions()
        inputs = demand.at(seconds)
        ops, in_flight = reading.ops[:, :, 0], reading.outstanding("guest")[:, :, 0]
        threads, think_us = inputs.threads[:disks], inputs.think_us[:disks]
        np.testing.assert_allclose(ops * think_us / 1e6 + in_flight, threads, rtol=1e-4)


def test_never_more_in_flight_on_a_device_than_its_depth_and_no_queue_below_it(lab: Lab) -> None:
    devices = range(len(lab.environment.devices))
    full = 0
    for minute in range(60):
        windows = spans(HOUR + 60 * minute, 1, 60)
        reading = lab.model.read(By.DEVICE, devices, windows).all_directions()
        depth = lab.model.device_depths(devices, windows)
        in_flight, queued = reading.outstanding("driver")[:, :, 0], reading.queued()[:, :, 0]
        assert (in_flight <= depth * (1 + 1e-5)).all()
        assert (in_flight[queued > 0.01] > 0.999 * depth[queued > 0.01]).all()
        full += int((queued > 0.01).sum())
    assert full > 1000


def test_never_more_in_a_virtual_disk_than_its_queue_holds(lab: Lab, minutes: Floats) -> None:
    disks = [disk for disk in lab.environment.disks if disk.workload != "article"]
    inside = lab.model.read(By.DISK, [disk.index for disk in disks], minutes).all_directions().outstanding("vscsi")
    limits = np.array([disk.queue_depth for disk in disks])[:, None]
    assert (inside[:, :, 0] <= limits * (1 + 1e-5)).all()


def test_an_iops_limit_and_a_qos_limit_hold(lab: Lab, minutes: Floats) -> None:
    for disk in (disk for disk in lab.environment.disks if disk.iops_limit):
        rate = lab.model.read(By.DISK, [disk.index], minutes).all_directions().ops_per_s()
        assert rate.max() == pytest.approx(disk.iops_limit, rel=1e-4)
    for volume in (volume for volume in lab.environment.volumes if volume.iops_limit):
        rate = lab.model.read(By.VOLUME, [volume.index], minutes).all_directions().ops_per_s()
        assert rate.max() == pytest.approx(volume.iops_limit, rel=1e-3)


def test_latency_at_a_boundary_is_the_sum_of_its_segments(lab: Lab, minutes: Floats) -> None:
    reading = lab.model.read(By.DEVICE, range(len(lab.environment.devices)), minutes)
    busy = reading.ops > 0
    gavg, davg, kavg = reading.latency_us("device"), reading.latency_us("driver"), reading.kernel_us()
    np.testing.assert_allclose(gavg[busy], (davg + kavg)[busy], rtol=1e-12)
    inner = SEGMENTS[BOUNDARIES["driver"] :]
    added = sum((reading.segment_us(name) for name in inner), start=np.zeros_like(davg))
    np.testing.assert_allclose(davg[busy], added[busy], rtol=1e-12)


def test_host_devices_of_all_hosts_add_up_to_the_volume_on_its_array(lab: Lab, minutes: Floats) -> None:
    environment = lab.environment
    for volume in environment.volumes:
        devices = [device.index for device in environment.devices if device.volume == volume.index]
        if volume.is_protocol_endpoint or not devices:
            continue
        hosts = lab.model.read(By.DEVICE, devices, minutes).all_directions()
        arrays = [lab.model.read_array(ArrayBy.VOLUME, [volume.index], minutes, array=array) for array in volume.arrays]
        counted_twice = arrays[1].ops[0, :, 2] + arrays[0].ops[0, :, 2] if volume.is_stretched else 0
        ops = sum(reading.ops[0].sum(axis=1) for reading in arrays) - np.asarray(counted_twice) / 2
        np.testing.assert_allclose(hosts.ops[:, :, 0].sum(axis=0), ops, rtol=1e-5)
        if not volume.is_stretched:
            inner = slice(BOUNDARIES["array"], None)
            array_side = arrays[0].io_time_us[0, :, :, inner].sum(axis=1)
            np.testing.assert_allclose(hosts.io_time_us[:, :, 0, inner].sum(axis=0), array_side, rtol=1e-5)


def test_disks_of_a_host_add_up_to_its_devices_and_devices_to_their_paths_and_adapters(
    lab: Lab, minutes: Floats
) -> None:
    environment = lab.environment
    devices = lab.model.read(By.DEVICE, range(len(environment.devices)), minutes)
    paths = lab.model.read(By.PATH, range(len(environment.paths)), minutes)
    adapters = lab.model.read(By.ADAPTER, range(len(environment.hbas)), minutes)
    for device in environment.devices:
        own = list(device.paths)
        np.testing.assert_allclose(paths.ops[own].sum(axis=0), devices.ops[device.index], rtol=1e-5)
        np.testing.assert_allclose(
            paths.io_time_us[own].sum(axis=0), devices.io_time_us[device.index], rtol=1e-4, atol=1
        )
    np.testing.assert_allclose(adapters.ops.sum(axis=0), devices.ops.sum(axis=0), rtol=1e-5)
    block = [disk.index for disk in environment.disks if disk.directory is None]
    disks = lab.model.read(By.DISK, block, minutes)
    np.testing.assert_allclose(disks.ops.sum(axis=0), devices.ops.sum(axis=0), rtol=1e-5)


def test_array_totals_are_the_sum_of_volumes_directories_and_of_array_hosts(lab: Lab, minutes: Floats) -> None:
    environment = lab.environment
    for array in environment.arrays:
        total = lab.model.read_array(ArrayBy.ARRAY, [array.index], minutes, array=array.index)
        volumes = lab.model.read_array(ArrayBy.VOLUME, range(len(environment.volumes)), minutes, array=array.index)
        files = lab.model.read_array(ArrayBy.DIRECTORY, range(len(environment.directories)), minutes, array=array.index)
        np.testing.assert_allclose(total.ops[0], volumes.ops.sum(axis=0) + files.ops.sum(axis=0), rtol=1e-5, atol=1e-3)
        hosts = lab.model.read_array(
            ArrayBy.ARRAY_HOST, range(len(environment.array_hosts)), minutes, array=array.index
        )
        np.testing.assert_allclose(hosts.ops.sum(axis=0)[:, 0], volumes.ops.sum(axis=0)[:, 0], rtol=1e-5, atol=1e-3)


def test_no_operations_means_no_latency_rather_than_zero(lab: Lab, minutes: Floats) -> None:
    idle = [disk.index for disk in lab.environment.disks if disk.workload == "idle"]
    reading = lab.model.read(By.DISK, idle, minutes)
    assert reading.ops.sum() == 0
    assert np.isnan(reading.latency_us("vscsi")).all()


@pytest.mark.parametrize(("counted_on", "times"), [("one", 1), ("both", 2)])
def test_mirrored_writes_are_counted_on_one_array_or_on_both(counted_on: CountedOn, times: int) -> None:
    lab = create_lab(settings=Settings(mirrored_writes_counted_on=counted_on))
    volume = next(volume for volume in lab.environment.volumes if volume.is_stretched)
    window = spans(HOUR + 300, 60, 1)
    written = lab.model.read(By.VOLUME, [volume.index], window).ops[0, 0, 1]
    for by, row in ((ArrayBy.VOLUME, volume.index), (ArrayBy.POD, 0)):
        sides = [lab.model.read_array(by, [row], window, array=array) for array in volume.arrays]
        assert sum(side.ops[0, 0, 2] for side in sides) == pytest.approx(times * written, rel=1e-5)
        assert sum(side.ops[0, 0, 1] for side in sides) == 0


def test_what_a_scale_adds_changes_no_value_of_what_was_there() -> None:
    """The same thing and second give the same values in an environment of any size, solved in equal steps of time."""
    small = create_lab(seed=5, step_s=5)
    large = create_lab(
        seed=5,
        scale=Scale(vcenters=1, clusters=3, datastores_per_cluster=5, vms=120, bare_volumes=300),
        step_s=5,
    )
    windows = np.array([[HOUR + 20.0 * slot, HOUR + 20.0 * (slot + 1)] for slot in range(4)])
    for by in (By.DISK, By.DEVICE, By.VOLUME):
        rows, others = _named(small, by), _named(large, by)
        assert rows.keys() <= others.keys()
        reading = small.model.read(by, list(rows.values()), windows)
        other = large.model.read(by, [others[name] for name in rows], windows)
        assert reading.ops.sum() > 0
        np.testing.assert_allclose(other.ops, reading.ops, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(other.io_time_us, reading.io_time_us, rtol=1e-5, atol=1e-3)


def test_rows_with_windows_of_their_own_give_what_each_gives_alone(lab: Lab) -> None:
    rows = [0, 3, 7]
    windows = HOUR + np.array(
        [[[2.5, 22.5], [22.5, 42.5]], [[55.0, 75.0], [110.0, 130.0]], [[0.0, 20.0], [20.0, 40.0]]]
    )
    together = lab.model.read(By.DISK, rows, windows)
    depths = lab.model.device_depths(rows, windows)
    for place, row in enumerate(rows):
        alone = lab.model.read(By.DISK, [row], windows[place])
        np.testing.assert_allclose(together.ops[place], alone.ops[0], rtol=1e-12)
        np.testing.assert_allclose(together.io_time_us[place], alone.io_time_us[0], rtol=1e-12)
        assert together.seconds[place].tolist() == alone.seconds.tolist()
        assert depths[place].tolist() == lab.model.device_depths([row], windows[place])[0].tolist()


def _named(lab: Lab, by: By) -> dict[tuple[str, str], int]:
    environment = lab.environment
    vms, hosts, volumes = environment.vms, environment.hosts, environment.volumes
    return {
        By.DISK: {(vms[disk.vm].name, disk.instance): disk.index for disk in environment.disks},
        By.DEVICE: {(hosts[each.host].name, volumes[each.volume].name): each.index for each in environment.devices},
        By.VOLUME: {(environment.arrays[each.array].name, each.name): each.index for each in volumes},
    }[by]
