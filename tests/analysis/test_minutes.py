"""A minute of a whole environment: what feeds what, and what bad input ends in."""

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.building import by_default
from tests.analysis.small_environment import (
    FIRST,
    NAN,
    STREAMS,
    TOPOLOGY,
    Minute,
    attribution,
    index,
    minutes_after,
    picked,
    row,
)

from gavel.analysis.attribution import QualityReason, qualities
from gavel.analysis.diagnosis import Reason, case_of, rule
from gavel.analysis.minutes import Attribution
from gavel.analysis.observed import Observed
from gavel.analysis.topology import Pairs, Topology
from gavel.domain.io_path import SPANS, Direction, Layer, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import LEAVES, ScopeKind

ALL = Direction.ALL
KERNEL, SAN, ARRAY = (SPANS.index((layer, layer)) for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY))
REST = SPANS.index((Layer.KERNEL, Layer.SAN))
PLACES = (ScopeKind.HOST, ScopeKind.CLUSTER, ScopeKind.ENVIRONMENT)
HOUR_US = 3_600_000_000


def time_of(found: Attribution, kind: ScopeKind, thing: int, span: int) -> float:
    return float(found.rows[kind].rows.span_time[row(found, kind, thing), ALL, span])


def ops_of(found: Attribution, kind: ScopeKind, thing: int) -> float:
    return float(found.rows[kind].rows.ops[row(found, kind, thing), ALL])


def quality_of(found: Attribution, kind: ScopeKind, thing: int) -> tuple[str, QualityReason]:
    flags = found.rows[kind].notes.quality_reasons[row(found, kind, thing)]
    return str(qualities(np.array([flags]))[0]), QualityReason(int(flags))


def shuffled(observed: Observed, rng: np.random.Generator) -> Observed:
    """Any order, and a third of the samples twice."""

    def mixed(samples: object) -> object:
        rows = np.arange(len(samples.ops))  # type: ignore[attr-defined]
        return picked(samples, rng.permutation(np.concatenate([rows, rows[::3]])))  # type: ignore[type-var]

    parts = {name: mixed(getattr(observed, name)) for name in STREAMS}
    return replace(observed, **parts)  # type: ignore[arg-type]


@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate])  # a seed has nothing to shrink to
@given(st.integers(0, 2**32 - 1))
def test_order_of_arrival_and_repeated_samples_change_nothing(seed: int) -> None:
    """The chains of 6 devices and 6 disks, with other numbers every minute."""
    rng, minutes = np.random.default_rng(seed), 850
    seen = minutes_after(Minute().observed(), minutes, rng)
    plain, mixed = attribution(seen, minutes=minutes), attribution(shuffled(seen, rng), minutes=minutes)
    assert sum(len(plain.rows[kind].thing) for kind in LEAVES) >= 10_000
    for kind in ScopeKind:
        one, two = plain.rows[kind], mixed.rows[kind]
        np.testing.assert_array_equal(one.thing, two.thing)
        for part, names in (("rows", fields(LedgerRows)), ("notes", fields(Notes))):
            for name in names:
                np.testing.assert_array_equal(
                    getattr(getattr(one, part), name.name), getattr(getattr(two, part), name.name)
                )
    for count in ("rounds", "truncates", "latest_agrees", "latest_disagrees"):
        np.testing.assert_array_equal(getattr(plain.evidence, count), getattr(mixed.evidence, count))


def test_hosts_add_up_to_the_cluster_and_to_the_environment() -> None:
    found = attribution(Minute().observed())
    hosts, cluster, environment = (found.rows[kind].rows for kind in PLACES)
    for name in ("ops", "bytes", "segment_time", "span_time"):
        total = getattr(hosts, name).sum(axis=0)
        np.testing.assert_allclose(getattr(cluster, name)[0], total, rtol=1e-9)
        np.testing.assert_allclose(getattr(environment, name)[0], total, rtol=1e-9)
    # Bounds are no sums: hosts are unlike, and counts per second leave open how many I/Os each had. Here, where they differ little, within
    # a thousandth.
    for name in ("span_lower", "span_upper"):
        np.testing.assert_allclose(getattr(cluster, name)[0], getattr(environment, name)[0], rtol=1e-9)
        np.testing.assert_allclose(getattr(cluster, name)[0], getattr(hosts, name).sum(axis=0), rtol=1e-3)


def test_no_io_is_counted_twice() -> None:
    found = attribution(Minute().observed())
    devices = 60 * (300 + 100 + 100 + 30 + 10 + 110 + 100)
    nfs = 60 * 100
    assert found.rows[ScopeKind.ENVIRONMENT].rows.ops[0, ALL] == pytest.approx(devices + nfs)
    assert found.rows[ScopeKind.ARRAY].rows.ops[:, ALL].sum() == pytest.approx(devices + nfs)
    assert found.rows[ScopeKind.DATASTORE].rows.ops[:, ALL].sum() == pytest.approx(devices + nfs)
    assert found.rows[ScopeKind.VM].rows.ops[:, ALL].sum() == pytest.approx(devices + nfs)


def test_a_datastore_is_its_devices_and_what_its_disks_have_above_them() -> None:
    found = attribution(Minute().observed())
    devices, disks = found.rows[ScopeKind.HOST_DEVICE], found.rows[ScopeKind.VM_DISK]
    below = devices.rows.span_time[[row(found, ScopeKind.HOST_DEVICE, one) for one in (0, 1)]].sum(axis=0)
    hypervisor = disks.rows.segment_time[[row(found, ScopeKind.VM_DISK, one) for one in (0, 1)]].sum(axis=0)
    place = found.rows[ScopeKind.DATASTORE].rows.span_time[row(found, ScopeKind.DATASTORE, 0)]
    for span in (SAN, ARRAY):
        np.testing.assert_allclose(place[:, span], below[:, span])
    np.testing.assert_allclose(place[:, KERNEL], below[:, KERNEL] + hypervisor[:, Segment.HYPERVISOR])
    assert hypervisor[ALL, Segment.HYPERVISOR] > 0


def test_a_vm_has_the_queues_of_the_devices_that_its_disks_are_busy_on_each_once() -> None:
    """Disks 0 and 2 are VM 0's, on devices 0, and 2 and 3; then both are on device 0."""

    def depth(minute: Minute, topology: Topology = TOPOLOGY) -> float:
        found = attribution(minute.observed(), topology)
        return float(found.rows[ScopeKind.VM].notes.queue_depth[row(found, ScopeKind.VM, 0)])

    idle = replace(Minute(), parts=Minute().parts | {2: (0, 0, 850)})
    pairs = Pairs(left=index(0, 1, 2, 3, 5, 6), right=index(0, 1, 0, 5, 0, 4))
    shared = replace(TOPOLOGY, parts=replace(TOPOLOGY.parts, devices=pairs))
    assert (depth(Minute()), depth(idle), depth(Minute(), shared)) == (192, 64, 64)


def test_a_disk_on_two_extents_is_the_datastores_and_no_single_volumes() -> None:
    """Which of its I/Os went to which extent is not counted: of its time above the devices a volume has what is confirmed, nothing here."""
    found = attribution(Minute().observed())
    datastore, one = (row(found, ScopeKind.DATASTORE, 1), row(found, ScopeKind.VOLUME, 1))
    own, volumes = found.rows[ScopeKind.DATASTORE].rows, found.rows[ScopeKind.VOLUME].rows
    assert own.segment_time[datastore, ALL, Segment.HYPERVISOR] == pytest.approx(60 * 40 * 40, rel=0.3)
    assert volumes.segment_time[one, ALL, Segment.HYPERVISOR] == 0
    assert volumes.span_upper[one, ALL, KERNEL] >= own.segment_time[datastore, ALL, Segment.HYPERVISOR]


def test_a_stretched_volume_is_the_same_on_both_arrays_which_share_its_io() -> None:
    found = attribution(Minute().observed())
    volumes = found.rows[ScopeKind.VOLUME].rows
    one, two = (row(found, ScopeKind.VOLUME, volume) for volume in (3, 4))
    np.testing.assert_array_equal(volumes.span_time[one], volumes.span_time[two])
    assert volumes.ops[one, ALL] == pytest.approx(60 * 110)
    stretched_writes = 60 * 60
    arrays = found.rows[ScopeKind.ARRAY].rows.ops[:, Direction.WRITE]
    assert arrays.sum() == pytest.approx(60 * (100 + 20 + 30) + stretched_writes)
    assert found.mirroring.host_writes[0] == pytest.approx(stretched_writes)
    assert found.mirroring.array_writes[0] == pytest.approx(2 * stretched_writes)


def test_a_vvol_has_its_own_volume_and_its_hosts_endpoint() -> None:
    found = attribution(Minute().observed())
    assert ops_of(found, ScopeKind.VOLUME, 5) == ops_of(found, ScopeKind.DATASTORE, 3) == pytest.approx(60 * 100)
    assert time_of(found, ScopeKind.DATASTORE, 3, ARRAY) / (60 * 100) == pytest.approx(502, abs=2)
    device = row(found, ScopeKind.HOST_DEVICE, 5)
    assert found.rows[ScopeKind.HOST_DEVICE].rows.span_ops[device, ALL, SAN] > 0


def test_nfs_is_the_array_or_the_rest_and_its_array_is_not_split() -> None:
    found = attribution(Minute().observed())
    datastore = row(found, ScopeKind.DATASTORE, 4)
    rows = found.rows[ScopeKind.DATASTORE].rows
    measured = np.flatnonzero(rows.span_ops[datastore, ALL])
    assert measured.tolist() == sorted([REST, ARRAY])
    assert time_of(found, ScopeKind.DATASTORE, 4, ARRAY) / ops_of(found, ScopeKind.DATASTORE, 4) == pytest.approx(600)
    assert (rows.segment_ops[datastore, ALL] == 0).all()
    stretched = 110 * 80 / (80 + 90)
    assert ops_of(found, ScopeKind.ARRAY, 1) == pytest.approx(60 * (10 + stretched + 100))


def test_a_disk_that_moved_within_the_minute_is_one_row_of_what_both_hosts_saw() -> None:
    minute = Minute()
    minute.parts[5] = minute.parts[1]
    observed = minute.observed()
    disks = observed.disks
    late = disks.times.end_us > FIRST * 60_000_000 + 20_000_000
    kept = np.flatnonzero(np.where(disks.part == 5, late, np.where(disks.part == 1, ~late, True)))
    found = attribution(replace(observed, disks=picked(disks, kept)))
    assert found.rows[ScopeKind.VM_DISK].thing.tolist().count(1) == 1
    assert ops_of(found, ScopeKind.VM_DISK, 1) == pytest.approx(60 * 100)
    assert QualityReason.SAMPLE_MISSING in quality_of(found, ScopeKind.VM_DISK, 1)[1]
    assert ops_of(found, ScopeKind.VM, 1) == pytest.approx(60 * 100)


# --- bad input --------------------------------------------------------------------------------------------------------


def no_made_up_numbers(found: Attribution) -> None:
    for kind in ScopeKind:
        rows = found.rows[kind].rows
        for name in (one.name for one in fields(LedgerRows)):
            numbers = getattr(rows, name)
            assert (numbers >= 0).all(), (kind, name)
            if not name.endswith("upper"):
                assert np.isfinite(numbers).all(), (kind, name)
        assert (rows.span_lower <= rows.span_time + 1e-6 * rows.span_time + 1e-6).all()
        assert (rows.span_time <= rows.span_upper + 1e-6 * rows.span_time + 1e-6).all()


Spoil = Callable[[np.ndarray], np.ndarray]
SPOILT: dict[str, float] = {"NaN": NAN, "minus one": -1.0, "2^63": 2.0**63, "negative": -40.0, "infinite": np.inf}


@pytest.mark.parametrize("value", SPOILT.values(), ids=SPOILT.keys())
@pytest.mark.parametrize("stream", ["devices", "disks", "volumes", "directories"])
@pytest.mark.parametrize("column", ["ops", "latency"])
def test_a_broken_number_costs_its_own_minute_and_nothing_else(value: float, stream: str, column: str) -> None:
    observed = Minute().observed()
    samples = getattr(observed, stream)
    names = {"devices": "latency_us", "disks": "latency_us", "volumes": "components_us", "directories": "usec_us"}
    name = "ops" if column == "ops" else names[stream]
    numbers = getattr(samples, name).copy()
    numbers[0, 0] = value
    found = attribution(replace(observed, **{stream: replace(samples, **{name: numbers})}))
    no_made_up_numbers(found)
    plain = attribution(Minute().observed())
    # Datastore 1 lies on other devices, disks and volumes than the first of each.
    untouched = [x.rows[ScopeKind.DATASTORE].rows.span_time[row(x, ScopeKind.DATASTORE, 1)] for x in (found, plain)]
    np.testing.assert_array_equal(*untouched)
    if stream != "directories" and not (stream == "disks" and column == "latency"):
        assert quality_of(found, ScopeKind.VM_DISK, 0)[0] in "CD"


def test_a_latency_that_no_io_can_have_is_not_measured() -> None:
    observed = Minute().observed()
    latency = observed.devices.latency_us.copy()
    latency[observed.devices.device == 0] = 2.0**63
    found = attribution(replace(observed, devices=replace(observed.devices, latency_us=latency)))
    device = found.rows[ScopeKind.HOST_DEVICE]
    assert device.rows.span_ops[row(found, ScopeKind.HOST_DEVICE, 0), ALL, SAN] == 0
    assert quality_of(found, ScopeKind.HOST_DEVICE, 0)[0] in "CD"


def test_ops_without_latency_end_in_quality_d_and_no_number() -> None:
    observed = Minute().observed()
    latency = np.full_like(observed.devices.latency_us, NAN)
    empty = replace(observed.disks, latency_us=np.full_like(observed.disks.latency_us, NAN))
    empty = replace(empty, total_us=empty.latency_us, outstanding=empty.latency_us)
    devices = replace(observed.devices, latency_us=latency)
    found = attribution(replace(observed, devices=devices, disks=empty))
    rows = found.rows[ScopeKind.HOST_DEVICE].rows
    assert rows.ops[0, ALL] == pytest.approx(60 * 400)
    assert (rows.span_ops[0, :, [KERNEL, SAN]] == 0).all()
    assert QualityReason.SAMPLE_MISSING in quality_of(found, ScopeKind.HOST_DEVICE, 0)[1]
    no_made_up_numbers(found)


def test_a_missing_minute_of_an_array_is_a_side_missing() -> None:
    observed = Minute().observed()
    kept = np.flatnonzero(~np.isin(observed.volumes.volume, [0, 1, 3, 5]))
    found = attribution(replace(observed, volumes=picked(observed.volumes, kept)))
    assert quality_of(found, ScopeKind.HOST_DEVICE, 0)[0] == "D"
    assert QualityReason.SIDE_MISSING in quality_of(found, ScopeKind.HOST_DEVICE, 0)[1]
    assert time_of(found, ScopeKind.HOST_DEVICE, 0, ARRAY) == 0
    assert QualityReason.SIDE_MISSING not in quality_of(found, ScopeKind.HOST_DEVICE, 3)[1]
    no_made_up_numbers(found)


def test_half_a_minute_of_an_array_is_a_sample_missing() -> None:
    observed = Minute().observed()
    found = attribution(replace(observed, volumes=picked(observed.volumes, np.arange(1, len(observed.volumes.ops)))))
    assert quality_of(found, ScopeKind.HOST_DEVICE, 0)[0] == "C"
    assert QualityReason.SAMPLE_MISSING in quality_of(found, ScopeKind.HOST_DEVICE, 0)[1]


def test_the_minute_in_which_an_array_goes_away_lacks_a_sample_and_contradicts_nobody() -> None:
    """Rates are compared, each over the time in which it was measured: half of the array's operations are not all of them."""
    observed = Minute().observed()
    first = np.flatnonzero((observed.volumes.volume == 0) & (np.arange(len(observed.volumes.ops)) % 2 == 1))
    kept = np.setdiff1d(np.arange(len(observed.volumes.ops)), first)
    found = attribution(replace(observed, volumes=picked(observed.volumes, kept)))
    for kind in (ScopeKind.HOST_DEVICE, ScopeKind.DATASTORE, ScopeKind.VM):
        assert quality_of(found, kind, 0) == ("C", QualityReason.SAMPLE_MISSING)
        notes, whole = found.rows[kind].notes, attribution(observed).rows[kind].notes
        assert notes.array_ops[row(found, kind, 0)] == pytest.approx(whole.array_ops[row(found, kind, 0)])
        assert notes.missing_s[row(found, kind, 0)] == pytest.approx(30)
    # The time inside the array stands for all I/Os of the minute, as its other half does.
    assert time_of(found, ScopeKind.HOST_DEVICE, 0, ARRAY) > 0


def test_seconds_without_a_sample_are_those_of_either_side() -> None:
    observed = Minute().observed()
    assert attribution(observed).rows[ScopeKind.DATASTORE].notes.missing_s == pytest.approx(0, abs=1e-6)
    away = np.flatnonzero(observed.volumes.volume != 0)
    found = attribution(replace(observed, volumes=picked(observed.volumes, away)))
    assert found.rows[ScopeKind.DATASTORE].notes.missing_s[row(found, ScopeKind.DATASTORE, 0)] == pytest.approx(60)
    cut = np.flatnonzero((observed.devices.device != 0) | (np.arange(len(observed.devices.ops)) % 3 > 0))
    found = attribution(replace(observed, devices=picked(observed.devices, cut)))
    assert found.rows[ScopeKind.HOST_DEVICE].notes.missing_s[row(found, ScopeKind.HOST_DEVICE, 0)] == pytest.approx(20)
    assert QualityReason.MATCH_OFF_10 not in quality_of(found, ScopeKind.HOST_DEVICE, 0)[1]
    assert found.rows[ScopeKind.HOST_DEVICE].notes.missing_s[row(found, ScopeKind.HOST_DEVICE, 1)] == 0


def test_a_clock_an_hour_off_is_another_minute_and_no_part_of_this_one() -> None:
    observed = Minute().observed()
    stamps = replace(observed.devices.times, end_us=observed.devices.times.end_us + HOUR_US)
    off = replace(observed, devices=replace(observed.devices, times=stamps))
    assert len(attribution(off).rows[ScopeKind.HOST_DEVICE].thing) == 0
    corrected = replace(stamps, offset_us=np.full_like(stamps.offset_us, HOUR_US))
    right = attribution(replace(observed, devices=replace(observed.devices, times=corrected)))
    plain = attribution(observed)
    np.testing.assert_array_equal(
        right.rows[ScopeKind.HOST_DEVICE].rows.span_time, plain.rows[ScopeKind.HOST_DEVICE].rows.span_time
    )


def test_a_clock_known_within_an_hour_only_is_graded_down() -> None:
    observed = Minute().observed()
    stamps = replace(observed.devices.times, error_s=np.full(len(observed.devices.ops), 3600.0))
    found = attribution(replace(observed, devices=replace(observed.devices, times=stamps)))
    assert quality_of(found, ScopeKind.HOST_DEVICE, 0) == ("C", QualityReason.OFFSET_OVER_5_S)
    no_made_up_numbers(found)


def test_two_volumes_with_one_serial_are_one_unit_and_show_in_the_match_ratio() -> None:
    volumes = replace(TOPOLOGY.volumes, unit=index(0, 0, 2, 3, 3, 4))
    found = attribution(Minute().observed(), replace(TOPOLOGY, volumes=volumes))
    notes = found.rows[ScopeKind.HOST_DEVICE].notes
    device = row(found, ScopeKind.HOST_DEVICE, 0)
    assert notes.array_ops[device] > 60 * 400
    assert QualityReason.MATCH_OFF_5 in quality_of(found, ScopeKind.HOST_DEVICE, 0)[1]
    assert QualityReason.SIDE_MISSING in quality_of(found, ScopeKind.HOST_DEVICE, 2)[1]
    no_made_up_numbers(found)


def test_nothing_at_all_is_no_row() -> None:
    observed = Minute().observed()
    none = np.zeros(0, np.int64)
    empty = Observed(
        picked(observed.devices, none),
        picked(observed.disks, none),
        picked(observed.volumes, none),
        picked(observed.directories, none),
        observed.proofs,
    )
    found = attribution(empty)
    assert all(len(found.rows[kind].thing) == 0 for kind in ScopeKind)


def ruling(found: Attribution, kind: ScopeKind, thing: int) -> tuple[str, Reason]:
    rows = found.rows[kind]
    diagnoses = rule(case_of(rows.rows, ALL, by_default(len(rows.thing)), rows.notes.reasons))
    place = row(found, kind, thing)
    return str(diagnoses.confidence[place]), Reason(int(diagnoses.reasons[place]))


def test_whole_milliseconds_of_zero_are_no_trouble_of_anybodys() -> None:
    minute = Minute()
    minute.volumes |= {1: (30, 0, 0, 150), 2: (10, 0, 0, 150)}
    observed = minute.observed()
    zero = np.where(np.isnan(observed.devices.latency_us), NAN, 0.0)
    coarse = np.ones(len(zero), np.bool_)
    alone = replace(observed.devices, latency_us=zero, is_millisecond=coarse)
    found = attribution(replace(observed, devices=alone))
    confidence, reasons = ruling(found, ScopeKind.HOST_DEVICE, 3)
    assert confidence == ""
    assert Reason.TOO_COARSE in reasons
