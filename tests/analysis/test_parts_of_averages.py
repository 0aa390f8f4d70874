"""A part of an average: the whole's samples weighted by the part's own I/Os, and how far that may be off."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.small_environment import KB, NAN, Minute, attribution, index, picked, row, times

from gavel.analysis.attribution import QualityReason, qualities
from gavel.analysis.diagnosis import Reason
from gavel.analysis.intervals import Floats, Intervals
from gavel.analysis.minutes import Attribution
from gavel.analysis.observed import DeviceSamples, DirectorySamples, DiskSamples, Observed, VolumeSamples
from gavel.analysis.weighting import Extents, likely_mix, mixed, of_other_size, of_part, with_missing, yielded
from gavel.domain.io_path import SPANS, Direction, Layer, Segment
from gavel.domain.scope import ScopeKind

ALL = Direction.ALL
KERNEL, SAN, ARRAY = (SPANS.index((layer, layer)) for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY))
ROWS = 10_000
seeds = st.integers(0, 2**32 - 1)
law = settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate])


def us(found: Attribution, kind: ScopeKind, thing: int, span: int) -> tuple[float, float, float]:
    """Estimate, lower and upper bound per I/O."""
    at, rows = row(found, kind, thing), found.rows[kind].rows
    ops = rows.span_ops[at, ALL, span]
    return tuple(float(x[at, ALL, span] / ops) for x in (rows.span_time, rows.span_lower, rows.span_upper))  # type: ignore[return-value]


def reasons(found: Attribution, kind: ScopeKind, thing: int) -> Reason:
    return Reason(int(found.rows[kind].notes.reasons[row(found, kind, thing)]))


def quality(found: Attribution, kind: ScopeKind, thing: int) -> str:
    flags = found.rows[kind].notes.quality_reasons[row(found, kind, thing)]
    return str(qualities(np.array([flags]))[0])


def point(value: float, half: float = 0.0) -> Intervals:
    middle = np.array([value])
    return Intervals(lower=middle - half, upper=middle + half, value=middle)


# --- a minute of two hosts on one volume ------------------------------------------------------------------------------


def two_hosts(array_us: tuple[float, float], busy: tuple[float, float, float], steady_ops: float = 200.0) -> Observed:
    """Volume 0 takes so long in its two halves of the minute. Host 0 does `busy` reads in its three samples, host 1 always as many; either
    waits 100 µs more at the driver, and nothing above."""
    first, second = array_us
    middle = (first + second) / 2
    nothing = np.zeros((0, 2))
    ops = np.stack([np.array([*busy, *[steady_ops] * 3]), np.zeros(6)], axis=1)
    driver = np.array([first, middle, second] * 2) + 100.0
    latency = np.stack([driver, driver, np.zeros(6), np.zeros(6)], axis=1)
    devices = DeviceSamples(
        device=np.repeat([0, 1], 3),
        times=times(6, 20),
        ops=ops,
        bytes=ops * KB,
        latency_us=np.stack([latency] * 2, axis=1),
        queue_depth=np.full(6, 64.0),
        is_millisecond=np.zeros(6, np.bool_),
    )
    own = np.stack([driver] * 2, axis=1)
    disks = DiskSamples(
        part=np.repeat([0, 1], 3),
        times=times(6, 20),
        ops=ops,
        bytes=ops * KB,
        latency_us=own,
        total_us=np.floor(own / 1000) * 1000,
        outstanding=np.full((6, 2), NAN),
    )
    both = [busy[0] + busy[1] / 2 + 1.5 * steady_ops, busy[2] + busy[1] / 2 + 1.5 * steady_ops]
    counts = np.stack([np.array(both), np.zeros(2), np.zeros(2)], axis=1)
    components = np.full((2, 3, 5), NAN)
    components[:, 0] = [[first, 0, 0, NAN, 0], [second, 0, 0, NAN, 0]]
    volumes = VolumeSamples(
        volume=index(0, 0), times=times(2, 30), ops=counts, bytes=counts * KB, components_us=components
    )
    seen = Minute().observed()
    directories = DirectorySamples(unit=index(), times=times(0, 30), ops=nothing, bytes=nothing, usec_us=nothing)
    return Observed(devices, disks, volumes, directories, seen.proofs)


def test_a_steady_host_is_told_what_its_own_ios_met_not_what_most_did() -> None:
    """In the slow half the busy host does next to nothing: the volume's mean is near 300 µs, and half of the other's I/Os took 20 ms."""
    found = attribution(two_hosts((300, 20_000), (100_000, 100, 10)))
    value, lower, upper = us(found, ScopeKind.HOST_DEVICE, 1, ARRAY)
    assert value == pytest.approx(10_150, rel=0.05)
    assert lower <= 10_150 <= upper
    assert us(found, ScopeKind.HOST_DEVICE, 0, ARRAY)[0] < 2000


def test_samples_that_differ_leave_a_part_as_much_room_as_they_differ_by() -> None:
    alike, unlike = (attribution(two_hosts((300, other), (2000, 2000, 2000))) for other in (300, 5000))
    width = [us(one, ScopeKind.HOST_DEVICE, 1, ARRAY) for one in (alike, unlike)]
    assert width[0][2] - width[0][1] < 0.25 * 2 * 400
    assert width[1][1] == pytest.approx(0, abs=1)
    assert width[1][2] > 2700


def test_a_host_that_does_all_of_a_volumes_ios_is_no_part() -> None:
    found = attribution(two_hosts((300, 300), (2000, 2000, 2000), steady_ops=0.0))
    value, lower, upper = us(found, ScopeKind.HOST_DEVICE, 0, ARRAY)
    assert value == pytest.approx(300, abs=1)
    assert upper - lower == pytest.approx(4, abs=3)
    assert Reason.MINOR_PART_OF_VOLUME not in reasons(found, ScopeKind.HOST_DEVICE, 0)


def test_less_than_half_of_a_volumes_ios_are_a_minor_part_and_less_than_a_fifth_a_small_one() -> None:
    found = attribution(two_hosts((300, 300), (900, 900, 900)))
    assert Reason.MINOR_PART_OF_VOLUME in reasons(found, ScopeKind.HOST_DEVICE, 1)
    assert Reason.MINOR_PART_OF_VOLUME in reasons(found, ScopeKind.VM_DISK, 1)
    assert Reason.MINOR_PART_OF_VOLUME not in reasons(found, ScopeKind.HOST_DEVICE, 0)
    assert [quality(found, ScopeKind.VM_DISK, disk) for disk in (0, 1)] == ["A", "C"]


def test_a_kernel_excess_that_the_hosts_counters_prove_needs_no_volumes_average() -> None:
    seen = two_hosts((300, 300), (900, 900, 900))
    latency = seen.devices.latency_us.copy()
    latency[seen.devices.device == 1, :, 0] += 5000
    latency[seen.devices.device == 1, :, 2] += 5000
    own = seen.disks.latency_us + np.where(seen.disks.part == 1, 5000.0, 0.0)[:, None]
    disks = replace(seen.disks, latency_us=own, total_us=np.floor(own / 1000) * 1000)
    found = attribution(replace(seen, devices=replace(seen.devices, latency_us=latency), disks=disks))
    assert us(found, ScopeKind.HOST_DEVICE, 1, KERNEL)[1] > 4900
    assert Reason.MINOR_PART_OF_VOLUME not in reasons(found, ScopeKind.HOST_DEVICE, 1)


def test_a_vms_own_counter_is_not_overruled_by_the_average_of_others() -> None:
    """A server outside any vCenter makes the volume's mean 5 ms; the VM's own time is 0.4 ms."""
    seen = two_hosts((300, 300), (2000, 2000, 2000), steady_ops=0.0)
    ops, components = seen.volumes.ops.copy(), seen.volumes.components_us.copy()
    ops[:, 0] *= 5
    components[:, 0, 0] = 5000
    found = attribution(replace(seen, volumes=replace(seen.volumes, ops=ops, components_us=components)))
    for kind in (ScopeKind.VM_DISK, ScopeKind.HOST_DEVICE):
        whole = sum(us(found, kind, 0, span)[0] for span in (KERNEL, SAN, ARRAY))
        assert whole == pytest.approx(400, abs=2)
        assert us(found, kind, 0, ARRAY)[1] < 300
        assert Reason.DISAGREEMENT not in reasons(found, kind, 0)


def test_a_missing_sample_of_the_array_may_have_held_anything_up_to_the_drivers_time() -> None:
    seen = two_hosts((300, 300), (2000, 2000, 2000), steady_ops=0.0)
    latency = seen.devices.latency_us.copy()
    latency[2, :, :2] = 3000
    own = seen.disks.latency_us.copy()
    own[2] = 3000
    late = replace(
        seen, devices=replace(seen.devices, latency_us=latency), disks=replace(seen.disks, latency_us=own, total_us=own)
    )
    half = VolumeSamples(
        volume=index(0),
        times=times(1, 30),
        ops=late.volumes.ops[:1],
        bytes=late.volumes.bytes[:1],
        components_us=late.volumes.components_us[:1],
    )
    found = attribution(replace(late, volumes=half))
    for kind in (ScopeKind.HOST_DEVICE, ScopeKind.VM_DISK):
        _, lower, upper = us(found, kind, 0, ARRAY)
        # Half of the middle sample's 2,000 I/Os and all of the last one's are beside none of the array's.
        assert lower == pytest.approx(150, abs=3)
        assert upper == pytest.approx((3000 * 300 + 1000 * 400 + 2000 * 3000) / 6000, rel=0.02)
        assert us(found, kind, 0, SAN)[1] < 100
        assert Reason.SAMPLE_MISSING in reasons(found, kind, 0)


def test_a_missing_sample_of_the_host_widens_its_own_times() -> None:
    seen = two_hosts((300, 300), (2000, 2000, 2000), steady_ops=0.0)
    kept = np.array([0, 1, 3, 4, 5])
    found = attribution(replace(seen, devices=picked(seen.devices, kept)))
    assert us(found, ScopeKind.HOST_DEVICE, 0, SAN)[2] > 100 + 0.3 * 400
    assert Reason.SAMPLE_MISSING in reasons(found, ScopeKind.HOST_DEVICE, 0)


def test_quality_a_needs_microseconds_at_the_virtual_disk_too() -> None:
    seen = two_hosts((300, 300), (2000, 2000, 2000), steady_ops=0.0)
    assert quality(attribution(seen), ScopeKind.VM_DISK, 0) == "A"
    coarse = replace(seen, disks=replace(seen.disks, latency_us=np.full((6, 2), NAN)))
    found = attribution(coarse)
    assert quality(found, ScopeKind.VM_DISK, 0) == "B"
    flags = found.rows[ScopeKind.VM_DISK].notes.quality_reasons[row(found, ScopeKind.VM_DISK, 0)]
    assert QualityReason.MILLISECONDS in QualityReason(int(flags))


def test_a_disk_over_extents_says_so_and_is_bounded_by_the_fastest_and_the_slowest() -> None:
    minute = Minute()
    minute.devices |= {2: (30, 0, 400, 390), 3: (30, 0, 20_000, 19_990)}
    minute.volumes |= {1: (30, 0, 0, 300), 2: (30, 0, 0, 19_900)}
    minute.parts |= {2: (30, 0, 19_990)}
    found = attribution(minute.observed())
    assert Reason.AMONG_EXTENTS in reasons(found, ScopeKind.VM_DISK, 2)
    value, lower, upper = us(found, ScopeKind.VM_DISK, 2, KERNEL)
    assert lower == 0
    assert upper > 15_000
    # All of its I/Os on the slow extent explain its time without any in the kernel.
    assert value < 500


# --- laws -------------------------------------------------------------------------------------------------------------


@law
@given(seeds)
def test_a_part_that_fares_no_more_unlike_the_rest_than_assumed_lies_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part, share = rng.uniform(1, 5000, ROWS), rng.uniform(0.01, 1, ROWS)
    step = rng.choice([0.0, 100.0, 3000.0], ROWS)
    # The whole's mean is s · part + (1 − s) · rest; the rest differs by a part of what is allowed for.
    apart = rng.uniform(-0.9, 0.9, ROWS) * np.maximum(step, 0.2 * part)
    rest = np.maximum(part + apart, 0.0)
    whole = share * part + (1 - share) * rest
    found = of_part(Intervals(lower=whole, upper=whole, value=whole), whole, share, np.maximum(step, 0.0))
    allowed = np.abs(part - rest) <= np.maximum(0.25 * whole, step)
    assert allowed.mean() > 0.7
    assert ((found.lower <= part + 1e-6) & (part <= found.upper + 1e-6))[allowed].all()


@law
@given(seeds)
def test_an_assumption_never_contradicts_the_parts_own_counters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    value, half = rng.uniform(0, 5000, ROWS), rng.choice([0.5, 50.0, 2000.0], ROWS)
    assumed = Intervals(lower=np.maximum(value - half, 0), upper=value + half, value=value)
    least = rng.uniform(0, 3000, ROWS)
    most = least + rng.uniform(0, 2000, ROWS)
    is_assumed = rng.random(ROWS) < 0.7
    found = yielded(assumed, is_assumed, most, least)
    assert (found.lower <= most)[is_assumed].all()
    assert (found.upper >= least)[is_assumed].all()
    assert (found.lower <= found.upper).all()
    for one, other in ((found.lower, assumed.lower), (found.upper, assumed.upper)):
        np.testing.assert_array_equal(one[~is_assumed], other[~is_assumed])


@law
@given(seeds)
def test_whatever_a_missing_sample_held_lies_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen, missing, most = rng.uniform(1, 3000, ROWS), rng.uniform(0, 0.9, ROWS), rng.uniform(1, 9000, ROWS)
    held = rng.uniform(0, 1, ROWS) * most
    found = with_missing(Intervals(lower=seen, upper=seen, value=seen), missing, seen, most)
    truth = (1 - missing) * seen + missing * held
    assert ((found.lower <= truth + 1e-6) & (truth <= found.upper + 1e-6)).all()


@law
@given(seeds)
def test_any_mix_of_extents_that_their_ios_leave_room_for_lies_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, each = 500, 3
    pair = np.repeat(np.arange(rows), each)
    took = rng.integers(0, 1000, (rows * each, 2)).astype(np.float64)
    others = rng.choice([0.0, 500.0], (rows * each, 2)) * rng.random((rows * each, 2))
    time = rng.uniform(100, 20_000, (rows * each, 2))
    ops = np.add.reduceat(took, np.arange(0, rows * each, each), axis=0)
    extents = Extents(row=pair, device_ops=took + others, disk_ops=ops)
    truth = np.add.reduceat(took * time, np.arange(0, rows * each, each), axis=0) / np.maximum(ops, 1)
    one, mean = stacked(time), stacked(np.full((rows, 2), 1.0))
    found = mixed(mean, extents, one, likely_mix(extents, time, truth))
    busy = ops > 0
    assert (found.lower[..., 0] <= truth + 1e-6)[busy].all()
    assert (truth <= found.upper[..., 0] + 1e-6)[busy].all()
    # The mix that takes as long as the disk did is among those that are possible.
    np.testing.assert_allclose(found.value[..., 0][busy], truth[busy], rtol=1e-6)


def stacked(numbers: Floats) -> Intervals:
    return Intervals(lower=numbers[..., None], upper=numbers[..., None], value=numbers[..., None])


def test_time_at_the_port_may_grow_with_the_size_of_ios_or_not() -> None:
    whole, inside = point(500), point(300)
    large = of_other_size(whole, inside, np.array([8.0]))
    assert (large.lower[0], large.upper[0]) == (500, 300 + 8 * 200)
    small = of_other_size(whole, inside, np.array([0.25]))
    assert (small.lower[0], small.upper[0]) == (300 + 0.25 * 200, 500)
    alike = of_other_size(whole, inside, np.array([1.0]))
    assert (alike.lower[0], alike.value[0], alike.upper[0]) == (500, 500, 500)


@pytest.mark.parametrize("kind", [ScopeKind.HOST_DEVICE, ScopeKind.VM_DISK])
def test_a_host_with_larger_ios_than_the_volumes_average_is_given_more_time_at_the_port(kind: ScopeKind) -> None:
    """The port takes 200 µs on average; the driver leaves room for ten times as much."""
    alike = with_port(two_hosts((300, 300), (200, 200, 200)), port_us=200, size_of_host_1=1)
    unlike = with_port(two_hosts((300, 300), (200, 200, 200)), port_us=200, size_of_host_1=16)
    ratio = 16 / ((1 + 16) / 2)
    assert port_us(attribution(alike), kind, 1) == pytest.approx(200, abs=2)
    assert port_us(attribution(unlike), kind, 1) == pytest.approx(200 + 200 * (ratio - 1) / 2, abs=2)
    smaller = 1 / ((1 + 16) / 2)
    assert port_us(attribution(unlike), kind, 0) == pytest.approx(200 + 200 * (smaller - 1) / 2, abs=2)


def with_port(seen: Observed, *, port_us: float, size_of_host_1: float) -> Observed:
    """Each volume sample with so much port time, all drivers 2 ms slower, and host 1's I/Os so many times as large as host 0's."""
    components = seen.volumes.components_us.copy()
    components[:, 0, 4] = port_us
    latency = seen.devices.latency_us.copy()
    latency[:, :, :2] += 2000
    own = seen.disks.latency_us + 2000
    devices = seen.devices.bytes * np.where(seen.devices.device == 1, size_of_host_1, 1)[:, None]
    disks = seen.disks.bytes * np.where(seen.disks.part == 1, size_of_host_1, 1)[:, None]
    return replace(
        seen,
        devices=replace(seen.devices, latency_us=latency, bytes=devices),
        disks=replace(seen.disks, latency_us=own, total_us=np.floor(own / 1000) * 1000, bytes=disks),
        volumes=replace(seen.volumes, components_us=components, bytes=seen.volumes.bytes * (1 + size_of_host_1) / 2),
    )


def port_us(found: Attribution, kind: ScopeKind, thing: int) -> float:
    """Estimated time at the array's port per I/O."""
    at, rows = row(found, kind, thing), found.rows[kind].rows
    return float(rows.segment_time[at, ALL, Segment.ARRAY_PORT] / rows.ops[at, ALL])
