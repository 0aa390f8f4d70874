"""Means are weighted by I/Os and lie within what they are means of; parts of the time add up; I/O belongs to the VM that issues it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.collectors.imports.esxtop.reading import NAA, read
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin, incident

from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.summary import ObjectSummary, summarize
from gavel.collectors.imports.esxtop.weighted import combine_directions


def summary_of(twin: Twin, name: str = NAA) -> ObjectSummary:
    return next(each for each in summarize(read(twin)) if each.name == name)


def mean_us(summary: ObjectSummary, direction: str, boundary: str) -> float:
    latency = summary.latency[direction][boundary]
    assert latency is not None
    return latency.mean_us


def test_latency_is_weighted_by_ios_and_not_by_rows() -> None:
    loads = [Load(reads=900, read=(1, 0, 0)), Load(reads=100, read=(11, 0, 0))]
    summary = summary_of(Twin(devices=[Device(NAA, loads)]))
    assert mean_us(summary, "read", "guest") == pytest.approx(2000)
    assert summary.rates["reads_per_s"] == pytest.approx(500)
    latency = summary.latency["read"]["guest"]
    assert latency is not None
    assert [latency.max_us, latency.half_us, latency.ios] == pytest.approx([11_000, 5, 30_000])
    assert [latency.lower_us, latency.upper_us] == pytest.approx([1995, 2005])


def test_direction_without_io_has_no_latency() -> None:
    summary = summary_of(Twin(devices=[Device(NAA, [Load(reads=10, read=(1, 0, 0))])]))
    assert summary.latency["write"]["guest"] is None
    assert mean_us(summary, "all", "guest") == mean_us(summary, "read", "guest") == 1000
    assert summary.time_parts["write"] == ()


def test_incident_shows_the_kernel_queue() -> None:
    summary = summary_of(incident())
    parts = {part.name: part for part in summary.time_parts["all"]}
    assert parts["kernel_queue"].mean_us == pytest.approx(0.8 * 420 + 0.2 * 430)
    assert parts["san_and_array"].mean_us == pytest.approx(0.8 * 490 + 0.2 * 600)
    assert parts["kernel_processing"].mean_us == pytest.approx(20)
    processing = parts["kernel_processing"]
    assert [processing.lower_us, processing.upper_us] == pytest.approx([10, 30])
    assert sum(part.mean_us for part in parts.values()) == pytest.approx(mean_us(summary, "all", "guest"))
    assert (
        summary.instants["active"].mean,
        summary.instants["queued"].max,
        summary.instants["device_queue_depth"].min,
    ) == (32, 22, 32)


def test_io_belongs_to_vms_and_the_rest_to_other_worlds() -> None:
    worlds = summary_of(incident()).worlds
    assert [(each.vm, each.worlds) for each in worlds] == [("vdi-03", 1), ("SQL02 (old)", 1), (None, 1)]
    assert [each.share for each in worlds] == pytest.approx([0.98, 0.01, 0.01])
    assert worlds[0].active_max == 31


def test_worlds_of_one_vm_count_together() -> None:
    device = Device(NAA, [Load(reads=100, read=(1, 0, 0), active=10)], {7000: 0.6, 6999: 0.2, 1: 0.2})
    worlds = summary_of(Twin(devices=[device], machines=[Machine("vm", 7000)])).worlds
    assert [(each.vm, each.worlds, each.active_max) for each in worlds] == [("vm", 2, 8.0), (None, 1, 2.0)]
    assert [each.share for each in worlds] == pytest.approx([0.8, 0.2])


def test_capture_without_a_is_summarized_per_command() -> None:
    twin = Twin(
        devices=[Device(NAA, [Load(reads=30, writes=10, others=10, read=(1, 0.5, 0.25), write=(1, 0.5, 0.25))])],
        with_all=False,
    )
    summary = summary_of(twin)
    assert summary.per_command
    assert summary.latency["read"]["guest"] is None
    assert mean_us(summary, "all", "guest") == pytest.approx(1500)
    assert [part.name for part in summary.time_parts["all"]] == ["kernel_queue", "kernel_processing", "san_and_array"]
    assert summary.other_share == pytest.approx(0.2)


def test_other_commands_do_not_enter_the_mean_of_reads_and_writes() -> None:
    summary = summary_of(
        Twin(devices=[Device(NAA, [Load(reads=10, writes=10, others=20, read=(1, 0, 0), write=(3, 0, 0))])])
    )
    assert mean_us(summary, "all", "guest") == pytest.approx(2000)
    assert summary.many_other_commands


def test_worst_minutes_are_those_of_highest_latency_with_enough_ios() -> None:
    calm = [Load(reads=100, read=(1, 0, 0))] * 12
    busy = [Load(reads=100, read=(1, 4, 4), queued=9)] * 12
    rare = [Load(reads=0.4, read=(50, 0, 0))] * 12
    summary = summary_of(Twin(devices=[Device(NAA, [*calm, *busy, *rare, *calm])], rows=49))
    worst = summary.worst_minutes[0]
    assert worst.started_at_s % 3600 == 31 * 60
    assert worst.layer_us["guest"] == pytest.approx(5000)
    assert worst.layer_us["queue"] == pytest.approx(4000)
    assert worst.ios == pytest.approx(6000)
    assert worst.queued_max == 9
    assert all(each.started_at_s % 3600 != 32 * 60 for each in summary.worst_minutes)


def test_virtual_disks_are_summarized_without_the_sum_of_their_vm() -> None:
    disks = [each for each in summarize(read(incident())) if each.kind is ObjectKind.VIRTUAL_DISK]
    assert [(each.vm, each.disk) for each in disks] == [
        ("vdi-03", "scsi0:0"),
        ("SQL02 (old)", "scsi0:0"),
        ("vdi-03", "scsi0:1"),
    ]
    assert mean_us(disks[0], "all", "guest") == pytest.approx((39_000 * 930 + 9_800 * 1050) / 48_800)


def test_nfs_volume_has_its_round_trip_and_no_parts() -> None:
    counters = {
        "Reads/sec": "20.00",
        "Writes/sec": "0.00",
        "Commands/sec": "20.00",
        "Average Guest MilliSec/Read": "1.25",
        "Average Guest MilliSec/Write": "0.00",
    }
    more = {f"Physical Disk NFS Volume(nfs (1))\\{name}": ["0.00", *[value] * 12] for name, value in counters.items()}
    summary = summary_of(Twin(more=more), "nfs (1)")
    assert mean_us(summary, "read", "guest") == 1250
    assert summary.time_parts["all"] == ()


rates = st.lists(st.integers(0, 10_000).map(float), min_size=2, max_size=8)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), reads=rates)
def test_weighted_mean_lies_within_the_values(data: st.DataObject, reads: list[float]) -> None:
    latency = st.tuples(*[st.integers(0, 50_000).map(lambda value: value / 100)] * 3)
    loads = [
        Load(
            reads=rate, writes=data.draw(st.sampled_from([0.0, 5.0])), read=data.draw(latency), write=data.draw(latency)
        )
        for rate in reads
    ]
    summary = summary_of(Twin(devices=[Device(NAA, loads)], rows=len(loads) + 1, filler=0))
    for direction in ("read", "write"):
        drivers = [1000 * getattr(load, direction)[0] for load in loads if getattr(load, f"{direction}s") > 0]
        found = summary.latency[direction]["driver"]
        if not drivers:
            assert found is None
            continue
        assert found is not None
        assert min(drivers) - 1e-6 <= found.mean_us <= max(drivers) + 1e-6
        assert found.max_us == pytest.approx(max(drivers))
    overall = summary.latency["all"]["driver"]
    each = [mean.mean_us for way in ("read", "write") if (mean := summary.latency[way]["driver"]) is not None]
    assert (overall is None) == (not each)
    if overall is not None:
        assert min(each) - 1e-6 <= overall.mean_us <= max(each) + 1e-6


def test_both_directions_without_io_have_no_mean() -> None:
    nothing = np.array([math.nan])
    mean, rate = combine_directions(nothing, nothing, np.array([0.0]), np.array([0.0]))
    assert mean is not None
    assert rate is not None
    assert math.isnan(mean[0])
    assert rate[0] == 0
