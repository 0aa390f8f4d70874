"""What leaves add up to: layers of every datastore, host, cluster, volume, array and of the environment are its outermost boundary."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.building import by_default
from tests.analysis.small_environment import FIRST, TOPOLOGY, Minute, attribution, index, minutes_after, row

from gavel.analysis.diagnosis import Reason, case_of, rule
from gavel.analysis.minutes import Attribution
from gavel.analysis.observed import Latest, Observed
from gavel.analysis.topology import Pairs
from gavel.domain.io_path import SPANS, Direction, Layer, Segment
from gavel.domain.scope import ScopeKind

ALL = Direction.ALL
KERNEL, SAN, ARRAY = (SPANS.index((layer, layer)) for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY))
KINDS = (
    ScopeKind.DATASTORE, ScopeKind.HOST, ScopeKind.CLUSTER, ScopeKind.VOLUME, ScopeKind.ARRAY, ScopeKind.ENVIRONMENT
)  # fmt: skip
# What counters leave open, µs per I/O.
OPEN = 6.0

# As `TOPOLOGY`, but disk 1 has not moved: disks 0 and 1 (parts 0 and 5) share device 0.
SHARED = replace(
    TOPOLOGY,
    parts=replace(
        TOPOLOGY.parts,
        disk=index(0, 1, 2, 3, 4, 6, 5),
        devices=Pairs(left=index(0, 1, 2, 2, 3, 5, 6), right=index(0, 1, 2, 3, 5, 0, 4)),
    ),
    disks=7,
)
# Of the kinds with one thing per place: devices of each, and the NFS disk (part 4), which has none.
DEVICES_OF = {
    ScopeKind.DATASTORE: {0: [0, 1], 1: [2, 3], 2: [4]},
    ScopeKind.HOST: {0: [0, 2, 3, 4, 5], 1: [1]},
    ScopeKind.VOLUME: {0: [0, 1], 1: [2], 2: [3], 3: [4], 4: [4]},
}


def proven(observed: Observed) -> Observed:
    """`latest` is the mean."""
    return replace(observed, proofs=replace(observed.proofs, latest=np.array([Latest.MEAN], dtype=np.int64)))


def us(found: Attribution, kind: ScopeKind, thing: int, span: int) -> float:
    rows, at = found.rows[kind].rows, row(found, kind, thing)
    return float(rows.span_time[at, ALL, span] / rows.ops[at, ALL])


def total_us(found: Attribution, kind: ScopeKind, thing: int) -> float:
    return sum(us(found, kind, thing, span) for span in range(len(SPANS)))


def ruling(found: Attribution, kind: ScopeKind, thing: int) -> tuple[str, int, Reason]:
    rows = found.rows[kind]
    diagnoses = rule(case_of(rows.rows, ALL, by_default(len(rows.thing)), rows.notes.reasons))
    at = row(found, kind, thing)
    return str(diagnoses.confidence[at]), int(diagnoses.named[at]), Reason(int(diagnoses.reasons[at]))


@st.composite
def minutes(draw: st.DrawFn) -> tuple[Minute, dict[int, float], dict[int, float]]:
    """A minute in which disks account for all that their devices did, with what each device's I/Os took at their disks, and above it."""
    times = st.floats(10, 5_000)
    service = {unit: draw(times) for unit in range(5)}
    unit_of = {0: 0, 1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
    above = {device: draw(st.sampled_from([0.0, 40.0, 3_000.0])) for device in unit_of}
    # Both extents hold the same disk, so they have one time above them.
    above[3] = above[2]
    base = Minute().devices
    # What several disks or extents share is reads only, so that one mean is that of the direction.
    rates = {device: (draw(st.integers(5, 900)), draw(st.integers(0, 300)) * (device in (1, 4, 5))) for device in base}
    devices: dict[int, tuple[float, float, float, float]] = {}
    outer = {}
    for device, rate in rates.items():
        driver = service[unit_of[device]] + 32 + draw(st.floats(20, 400))
        gavg = driver + draw(st.sampled_from([5.0, 900.0]))
        devices[device] = (*rate, gavg, driver)
        outer[device] = gavg + above[device]
    unlike = draw(st.floats(0, 0.9))
    mine = (rates[0][0] - 3, rates[0][1])
    whole, share = sum(rates[0]), sum(mine) / sum(rates[0])
    both = np.array([rates[2], rates[3]])
    group = (both.sum(axis=1) @ np.array([outer[2], outer[3]])) / both.sum()
    slow = outer[0] * (1 + unlike * (1 - share) / share)
    fast = (outer[0] * whole - slow * sum(mine)) / 3
    parts = {
        0: (*mine, slow), 5: (3, 0, fast), 1: (*rates[1], outer[1]), 2: (*both.sum(axis=0), group), 3: (*rates[5], outer[5]),
        4: (70, 30, 1500), 6: (*rates[4], outer[4]),
    }  # fmt: skip
    reads, writes = rates[4]
    volumes: dict[int, tuple[float, float, float, float]] = {
        0: (rates[0][0] + rates[1][0], rates[0][1] + rates[1][1], 0, service[0]),
        1: (*rates[2], 0, service[1]),
        2: (*rates[3], 0, service[2]),
        3: (reads, 0, writes, service[3]),
        4: (0, 0, writes, service[3]),
        5: (*rates[5], 0, service[4]),
    }
    return Minute(devices, parts, volumes), outer, above


@settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(minutes())
def test_layers_of_every_sum_of_leaves_are_its_outermost_boundary(
    drawn: tuple[Minute, dict[int, float], dict[int, float]],
) -> None:
    minute, outer, above = drawn
    found = attribution(proven(minute.observed()), SHARED)
    ops = {device: float(sum(numbers[:2])) for device, numbers in minute.devices.items()}
    for kind, things in DEVICES_OF.items():
        for thing, devices in things.items():
            # The NFS disk is on no device of its host.
            alone = 100.0 if (kind, thing) == (ScopeKind.HOST, 0) else 0.0
            total = sum(ops[one] for one in devices) + alone
            mean = (sum(ops[one] * outer[one] for one in devices) + alone * 1500) / total
            hypervisor = sum(ops[one] * above[one] for one in devices) / total
            rows, at = found.rows[kind].rows, row(found, kind, thing)
            told = rows.segment_time[at, ALL, Segment.HYPERVISOR] / rows.ops[at, ALL]
            assert total_us(found, kind, thing) == pytest.approx(mean, abs=OPEN, rel=2e-3), (kind, thing)
            assert told == pytest.approx(hypervisor, abs=OPEN, rel=2e-3), (kind, thing)
    for kind in KINDS:
        rows = found.rows[kind].rows
        assert (rows.span_lower <= rows.span_time * (1 + 1e-9) + 1e-6).all(), kind
        assert (rows.span_time <= rows.span_upper * (1 + 1e-9) + 1e-6).all(), kind
        assert (rows.outermost_lower[:, ALL] <= rows.span_time[:, ALL].sum(axis=1) * (1 + 1e-9) + 1e-6).all(), kind
    for one, many in ((ScopeKind.HOST, ScopeKind.CLUSTER), (ScopeKind.CLUSTER, ScopeKind.ENVIRONMENT)):
        parts, whole = (found.rows[kind].rows.span_time[:, ALL].sum() for kind in (one, many))
        assert whole == pytest.approx(parts)


def unlike_disks() -> Minute:
    """Disks 0 and 1 on device 0, whose mean is 1,000 µs: 590 of it in the kernel, nothing above."""
    minute = Minute()
    minute.devices |= {0: (400, 0, 1000, 410)}
    minute.parts |= {0: (200, 0, 1600), 5: (200, 0, 400)}
    minute.volumes |= {0: (500, 0, 0, 300)}
    return minute


def test_disks_that_fare_unlike_on_one_device_leave_its_kernel_time_as_it_is() -> None:
    minute = unlike_disks()
    minute.devices |= {1: (100, 0, 1000, 410)}
    minute.parts |= {1: (100, 0, 1000)}
    found = attribution(proven(minute.observed()), SHARED)
    for kind in (ScopeKind.DATASTORE, ScopeKind.VOLUME):
        assert us(found, kind, 0, KERNEL) == pytest.approx(590, abs=3), kind
        rows, at = found.rows[kind].rows, row(found, kind, 0)
        assert rows.span_upper[at, ALL, KERNEL] / rows.ops[at, ALL] < 600
    host = found.rows[ScopeKind.HOST].rows
    assert host.segment_time[row(found, ScopeKind.HOST, 1), ALL, Segment.HYPERVISOR] < OPEN * 6_000


def test_disks_beside_other_io_of_a_device_are_held_against_it_together_too() -> None:
    """Half of the device's I/Os are no virtual disk's, so what its disks had at the device is the device's mean at a guess."""
    minute = unlike_disks()
    minute.devices |= {0: (800, 0, 1000, 410)}
    minute.volumes |= {0: (900, 0, 0, 300)}
    found = attribution(proven(minute.observed()), SHARED)
    assert us(found, ScopeKind.DATASTORE, 0, KERNEL) < 600


def test_a_slow_extent_gives_none_of_its_time_to_the_volume_of_the_other() -> None:
    minute = Minute()
    minute.devices |= {2: (300, 0, 390, 380), 3: (100, 0, 121_000, 120_900)}
    minute.parts |= {2: (400, 0, (300 * 390 + 100 * 121_000) / 400)}
    minute.volumes |= {1: (300, 0, 0, 300), 2: (100, 0, 0, 120_500)}
    found = attribution(minute.observed())
    assert us(found, ScopeKind.VOLUME, 1, KERNEL) < 50
    assert ruling(found, ScopeKind.VOLUME, 1)[0] != "confirmed"
    assert us(found, ScopeKind.DATASTORE, 1, KERNEL) < 50
    assert ruling(found, ScopeKind.VOLUME, 2)[:2] == ("confirmed", ARRAY)


def test_hosts_that_fare_unlike_on_a_volume_leave_its_own_layers_as_they_are() -> None:
    """One waits 5 ms in the array and one 0.2: their mean is the volume's, and only theirs."""
    minute = Minute()
    minute.devices |= {0: (300, 0, 240, 230), 1: (300, 0, 5_040, 5_030)}
    minute.parts |= {0: (300, 0, 240), 1: (300, 0, 5_040)}
    minute.volumes |= {0: (600, 0, 0, (130 + 4_930) / 2 - 2)}
    found = attribution(proven(minute.observed()))
    for kind in (ScopeKind.DATASTORE, ScopeKind.VOLUME):
        assert us(found, kind, 0, ARRAY) == pytest.approx(2_530, abs=5), kind
        assert us(found, kind, 0, SAN) == pytest.approx(100, abs=5), kind
        assert ruling(found, kind, 0)[:2] == ("confirmed", ARRAY)
        assert Reason.MINOR_PART_OF_VOLUME not in ruling(found, kind, 0)[2]


def test_a_host_with_less_than_half_of_a_volumes_io_assumes_the_volumes_average() -> None:
    minute = Minute()
    minute.devices |= {0: (300, 0, 9_000, 8_990), 1: (100, 0, 9_000, 8_990)}
    minute.parts |= {0: (300, 0, 9_000), 1: (100, 0, 9_000)}
    minute.volumes |= {0: (400, 0, 0, 500)}
    found = attribution(proven(minute.observed()))
    assert ruling(found, ScopeKind.DATASTORE, 0)[:2] == ("confirmed", SAN)
    confidence, _, reasons = ruling(found, ScopeKind.HOST, 1)
    assert confidence == "likely"
    assert Reason.MINOR_PART_OF_VOLUME in reasons
    confidence, _, reasons = ruling(found, ScopeKind.VM, 1)
    assert Reason.MINOR_PART_OF_VOLUME in reasons


def test_several_disks_of_a_vm_on_one_device_are_no_minor_part_of_it() -> None:
    parts = replace(
        SHARED.parts,
        vm=index(0, 1, 0, 2, 3, 0, 4),
        devices=Pairs(left=index(0, 1, 2, 3, 5, 6), right=index(0, 1, 0, 5, 0, 4)),
    )
    minute = Minute()
    minute.devices |= {0: (300, 0, 900, 600)}
    minute.parts |= {0: (100, 0, 950), 2: (100, 0, 950), 5: (100, 0, 950)}
    found = attribution(proven(minute.observed()), replace(SHARED, parts=parts))
    assert Reason.MINOR_PART_OF_DEVICE not in ruling(found, ScopeKind.VM, 0)[2]


def after_an_idle_minute(busy: bool) -> Observed:
    """Nothing in the first minute but what samples that reach into it counted in all; busy: of disk 0 and its device and volume more."""
    observed = minutes_after(Minute().observed(), 3, np.random.default_rng(1))
    changed = {}
    for name, things, steady in (
        ("devices", "device", 0),
        ("disks", "part", 0),
        ("volumes", "volume", 0),
        ("directories", "unit", None),
    ):
        stream = getattr(observed, name)
        end_us = stream.times.end_us - 6_000_000
        edge_us = (FIRST + 1) * 60_000_000
        crosses = (end_us > edge_us) & (end_us - stream.times.length_us < edge_us)
        share = np.where(end_us <= edge_us, 0.0, np.where(crosses, 0.3, 1.0))
        rate = stream.ops.max(axis=0, keepdims=True) * np.ones_like(stream.ops)
        share = np.where(busy & (getattr(stream, things) == steady), 1.0, share)
        changed[name] = replace(stream, times=replace(stream.times, end_us=end_us), ops=np.rint(rate * share[:, None]))
    return replace(observed, **changed)


@pytest.mark.parametrize("busy", [False, True])
def test_a_place_may_have_been_idle_where_all_of_its_leaves_may(busy: bool) -> None:
    found = attribution(after_an_idle_minute(busy), minutes=2)
    for kind, with_disk_0 in (
        (ScopeKind.VM, 0),
        (ScopeKind.DATASTORE, 0),
        (ScopeKind.HOST, 0),
        (ScopeKind.VOLUME, 0),
        (ScopeKind.ENVIRONMENT, 0),
    ):
        rows = found.rows[kind]
        doubted = (rows.notes.reasons & int(Reason.MAYBE_IDLE)) > 0
        first = rows.minute == FIRST
        assert first.any()
        assert (doubted == (first & ((not busy) | (rows.thing != with_disk_0)))).all(), kind
