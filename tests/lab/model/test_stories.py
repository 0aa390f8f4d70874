"""The stories tell what they say: the right layer, the right minutes, the published numbers."""

import numpy as np
import pytest

from gavel_lab.lab import Lab
from gavel_lab.model import ArrayBy, By
from gavel_lab.reading import LAYERS, SEGMENT, Floats, Reading
from gavel_lab.stories import PHASES, Phase, playing

HOUR = 1_780_002_000
EXPECTED_US = {"guest": 0.0, "kernel": 0.0, "san": 100.0, "array": 500.0}
# What the SAN takes more for the bytes of an I/O alone.
BYTES_PER_US = 1600.0
MIRROR_US = 1870.0
HEALTHY_US = 200.0


def inside(phase: Phase) -> Floats:
    """20 s windows wholly within the phase."""
    starts = HOUR + np.arange(60 * phase.start_minute, 60 * phase.end_minute, 20.0)
    return np.stack([starts, starts + 20], axis=1)


def disks_of(lab: Lab, story: str) -> list[int]:
    stores = {store.index for store in lab.environment.datastores if store.story == story}
    return [disk.index for disk in lab.environment.disks if disk.datastore in stores]


def excess(reading: Reading, story: str) -> dict[str, Floats]:
    """Per layer and window: what is above the expected time, over all rows and directions."""
    transfer_us = reading.bytes.sum(axis=(0, 2)) / BYTES_PER_US
    ops = reading.ops.sum(axis=(0, 2))
    mirrored = reading.ops[:, :, 1].sum(axis=0) if story == "non-optimized-paths" else np.zeros_like(ops)
    found = {}
    for layer, segments in LAYERS.items():
        time = reading.io_time_us[..., [SEGMENT[name] for name in segments]].sum(axis=(0, 2, 3))
        added = {"san": transfer_us, "array": MIRROR_US * mirrored}.get(layer, 0)
        expected = EXPECTED_US[layer] * ops + added
        found[layer] = np.maximum(0, time - expected) / ops
    return found


@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: f"{phase.story}@{phase.start_minute}")
def test_the_guilty_layer_has_the_largest_excess_in_every_window_of_its_phase(lab: Lab, phase: Phase) -> None:
    found = excess(lab.model.read(By.DISK, disks_of(lab, phase.story), inside(phase)), phase.story)
    total = sum(found.values())
    if phase.layer is None:
        assert np.asarray(total).max() < HEALTHY_US
        return
    assert np.asarray(total).min() > HEALTHY_US
    for layer, others in found.items():
        assert layer == phase.layer or (found[phase.layer] > others).all()


FAULTS = [phase for phase in PHASES if phase.layer]


@pytest.mark.parametrize("phase", FAULTS, ids=lambda phase: f"{phase.story}@{phase.start_minute}")
def test_the_guilty_segment_is_the_largest_of_its_layer(lab: Lab, phase: Phase) -> None:
    assert phase.layer
    reading = lab.model.read(By.DISK, disks_of(lab, phase.story), inside(phase))
    time = reading.io_time_us.sum(axis=(0, 1, 2))
    assert max(LAYERS[phase.layer], key=lambda name: time[SEGMENT[name]]) == phase.segment


@pytest.mark.parametrize("story", sorted({phase.story for phase in PHASES}))
def test_outside_its_phases_a_story_is_healthy(lab: Lab, story: str, minutes: Floats) -> None:
    calm = minutes[[playing(story, start) is None for start in minutes[:, 0]]]
    found = excess(lab.model.read(By.DISK, disks_of(lab, story), calm), story)
    assert np.asarray(sum(found.values())).max() < HEALTHY_US


def test_datastores_without_a_story_are_healthy_all_the_time(lab: Lab, minutes: Floats) -> None:
    found = excess(lab.model.read(By.DISK, disks_of(lab, None), minutes), "")  # type: ignore[arg-type]
    assert np.asarray(sum(found.values())).max() < HEALTHY_US


def test_every_fault_lasts_at_least_8_minutes_and_under_a_quarter_of_the_hour() -> None:
    assert all(8 <= phase.end_minute - phase.start_minute < 15 for phase in PHASES)
    assert all(0 <= phase.start_minute < phase.end_minute <= 60 for phase in PHASES)


def test_each_story_has_a_datastore_of_its_own(lab: Lab) -> None:
    told = [store.story for store in lab.environment.datastores if store.story]
    assert sorted(told) == sorted({phase.story for phase in PHASES} | {"idle"})


# --- the article's incident ------------------------------------------------------------------------------------------


def article(lab: Lab, minute: int) -> Reading:
    disk = next(disk.index for disk in lab.environment.disks if disk.workload == "article")
    starts = HOUR + np.arange(60.0 * minute, 60.0 * (minute + 10), 20.0)
    return lab.model.read(By.DISK, [disk], np.stack([starts, starts + 20], axis=1)).all_directions()


def test_as_found_the_guest_and_the_kernel_queue_behind_32_in_flight(lab: Lab) -> None:
    reading = article(lab, 4)
    assert reading.ops_per_s() == pytest.approx(np.full((1, 30, 1), 65_000), rel=0.02)
    assert (reading.latency_us("vscsi") >= 930).all()
    assert (reading.latency_us("vscsi") <= 985).all()
    assert reading.latency_us("driver") == pytest.approx(np.full((1, 30, 1), 492), rel=0.03)
    assert reading.latency_us("guest") == pytest.approx(np.full((1, 30, 1), 1400), rel=0.02)
    assert reading.outstanding("driver") == pytest.approx(np.full((1, 30, 1), 32), rel=1e-4)
    assert reading.queued() == pytest.approx(np.full((1, 30, 1), 32), rel=0.02)


def test_a_deeper_virtual_disk_queue_moves_the_wait_to_the_kernel_and_gains_nothing(lab: Lab) -> None:
    before, after = article(lab, 4), article(lab, 14)
    assert after.ops_per_s() == pytest.approx(before.ops_per_s(), rel=0.01)
    assert after.latency_us("guest") == pytest.approx(before.latency_us("guest"), rel=0.01)
    assert after.segment_us("guest_queue").max() < 1
    assert after.kernel_us() == pytest.approx(np.full((1, 30, 1), 900), rel=0.02)


def test_a_deeper_device_queue_too_doubles_the_throughput_without_any_queue(lab: Lab) -> None:
    reading = article(lab, 24)
    assert reading.ops_per_s() == pytest.approx(np.full((1, 30, 1), 125_000), rel=0.01)
    assert reading.latency_us("guest") == pytest.approx(np.full((1, 30, 1), 700), rel=0.02)
    assert reading.queued().max() < 0.01


def test_the_device_depth_of_the_article_is_96_only_in_its_third_state(lab: Lab) -> None:
    device = next(
        d for d in lab.environment.devices if lab.environment.volumes[d.volume].name == "sql-01" and d.host == 0
    )
    assert [lab.model.max_queue_depth(device.index, HOUR + 60 * minute) for minute in (2, 10, 20, 30, 40)] == [
        32,
        32,
        32,
        96,
        32,
    ]


# --- the others ------------------------------------------------------------------------------------------------------


def test_a_second_world_takes_the_depth_from_64_to_32(lab: Lab) -> None:
    store = next(store for store in lab.environment.datastores if store.story == "competing-worlds")
    device = lab.environment.device(store.hosts[2], store.extents[0])
    windows = HOUR + np.array([[60.0 * 40, 60.0 * 40 + 20], [60.0 * 50, 60.0 * 50 + 20]])
    assert lab.model.device_depths([device.index], windows).tolist() == [[64, 32]]


def test_stretched_writes_take_2_2_ms_and_6_ms_on_non_optimized_paths(lab: Lab) -> None:
    disks = [disk.index for disk in lab.environment.disks if disk.workload == "metro"]
    windows = HOUR + np.array([[60.0 * 5, 60.0 * 6], [60.0 * 16, 60.0 * 17]])
    write = lab.model.read(By.DISK, disks, windows).latency_us("driver")[:, :, 1]
    assert write[:, 0] == pytest.approx(np.full(len(disks), 2200), rel=0.03)
    assert write[:, 1] == pytest.approx(np.full(len(disks), 6000), rel=0.03)


def test_with_the_optimized_paths_down_the_other_array_serves_the_pod(lab: Lab) -> None:
    volume = next(volume for volume in lab.environment.volumes if volume.is_stretched)
    near, far = volume.arrays
    window = HOUR + np.array([[60.0 * 16, 60.0 * 17]])
    assert lab.model.read_array(ArrayBy.VOLUME, [volume.index], window, array=near).ops[0, 0, 0] == 0
    assert lab.model.read_array(ArrayBy.VOLUME, [volume.index], window, array=far).ops[0, 0, 0] > 0
    paths = [path for path in lab.environment.paths if lab.environment.devices[path.device].volume == volume.index]
    assert all(lab.model.is_path_usable(path.index, HOUR + 960) is not path.optimized for path in paths)
    assert all(lab.model.is_path_usable(path.index, HOUR + 60) for path in paths)


def test_san_congestion_shows_on_the_paths_of_fabric_b_only(lab: Lab) -> None:
    store = next(store for store in lab.environment.datastores if store.story == "san-congestion")
    device = lab.environment.device(store.hosts[0], store.extents[0])
    window = HOUR + np.array([[60.0 * 10, 60.0 * 11]])
    fabric = lab.model.read(By.PATH, device.paths, window).all_directions().segment_us("fabric")[:, 0, 0]
    side_b = np.array([lab.environment.ports[lab.environment.paths[path].port].is_side_b for path in device.paths])
    assert (fabric[side_b] > 2000).all()
    assert (fabric[~side_b] < 150).all()


def test_a_busy_cpu_slows_the_completions_of_its_host_alone_and_in_the_twin_none(lab: Lab) -> None:
    names = {host.name: host.index for host in lab.environment.hosts}
    store = next(store for store in lab.environment.datastores if store.story == "host-cpu")
    windows = HOUR + np.array([[60.0 * 7, 60.0 * 8], [60.0 * 18, 60.0 * 19], [60.0 * 40, 60.0 * 41]])
    busy, other = (names[f"esx-0{n}.lab.example"] for n in (6, 5))
    cpu = lab.cpu.shares([busy, other], windows)
    assert (cpu[0, :2] > 0.94).all()
    assert cpu[0, 2] < 0.7
    assert (cpu[1] < 0.7).all()
    devices = [lab.environment.device(host, store.extents[0]).index for host in (busy, other)]
    kernel = lab.model.read(By.DEVICE, devices, windows).all_directions().segment_us("kernel_service")[..., 0]
    assert kernel[0, 0] == pytest.approx(1505, abs=3)
    assert (kernel[0, 1:] < 10).all()
    assert (kernel[1] < 10).all()


def test_a_noisy_neighbour_slows_its_host_mates_and_nobody_else(lab: Lab) -> None:
    names = {vm.name: vm for vm in lab.environment.vms}
    rows = [names[name].disks[0] for name in ("vdi-01", "vdi-04")]
    windows = HOUR + np.array([[60.0 * 20, 60.0 * 21], [60.0 * 30, 60.0 * 31]])
    kernel = lab.model.read(By.DISK, rows, windows).all_directions().layer_us("kernel")[:, :, 0]
    assert kernel[0, 1] - kernel[0, 0] > 300
    assert abs(kernel[1, 1] - kernel[1, 0]) < 1
