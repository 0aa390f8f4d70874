"""Diagnoses over HTTP: whose latency it is, in numbers and words, and what is said where there is no diagnosis."""

import math
from datetime import datetime

import pytest
from fastapi.testclient import TestClient
from tests.api.ledgers import (
    BLURRED,
    HEALTHY,
    KERNEL,
    MINUTE,
    NOW,
    Environment,
    Interval,
    ago,
    ask,
    minute,
    span,
    texts,
)
from tests.db.environments import SERIALS, naa

from gavel.analysis.attribution import QualityReason
from gavel.analysis.diagnosis import Reason
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

DATASTORE, VM = ScopeKind.DATASTORE, ScopeKind.VM


# --- diagnosis -----------------------------------------------------------------------------------------------------------


def test_the_kernel_is_named_with_what_it_takes_since_when_and_why(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 30, minute(60_000, 20_000, HEALTHY))
    full = int(Reason.VIRTUAL_DISK_QUEUE_FULL)
    environment.last_minutes(DATASTORE, store, 8, minute(2_600_000, 1_300_000, KERNEL, reasons=full))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["state"], found["confidence"], found["layer"], found["other"]) == (
        "judged",
        "confirmed",
        "kernel",
        None,
    )
    assert found["subject"] == {"kind": "datastore", "id": store, "name": "simple"}
    assert (found["minutes"], found["baseline_us"], found["share"]) == (5, pytest.approx(602.56), 1)
    assert found["total_us"] == pytest.approx(930)
    assert found["excess_us"] == pytest.approx(438)
    assert found["excess_outstanding"] == pytest.approx(65_000 * 438e-6, rel=1e-6)
    assert found["since_at"] == ago(8)
    assert found["not_measured"] == ["guest"]
    said = found["sentence"]
    assert (
        said["head"]["text"]
        == f"Kernel, mostly kernel queue: 0.44 of 0.93 ms since {NOW - 8 * MINUTE:%H:%M} UTC, 0.44 ms above baseline"
    )
    assert said["confidence"] == "Confirmed"
    assert said["reasons"] == [
        {"code": "outstanding", "text": "64 I/Os outstanding"},
        {"code": "array_latency", "text": "array latency 0.40 ms"},
    ]
    assert said["caveats"] == [
        {
            "code": "guest_not_measured",
            "text": "Guest not measured; virtual disk queue full, guest queueing likely",
        },
        {
            "code": "default_baseline",
            "text": "Baseline: configured default of the array source, no history for this hour yet",
        },
    ]
    assert said["to_confirm"] == []
    assert said["text"].startswith(f"{said['head']['text']}. Confirmed. Evidence: 64 I/Os outstanding")
    quality = found["data_quality"]
    assert (quality["quality"], quality["match_ratio"], quality["queue_depths"]) == ("A", 1, None)
    assert quality["outstanding_ios"] == 64
    assert quality["modelled_ios"] == pytest.approx(65_000 * 930e-6, rel=1e-6)


def test_outstanding_ios_are_those_of_the_minutes_in_which_the_disks_counted_them(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Two minutes of five have a count, 60 and 30: a minute without one is no minute with none outstanding."""
    for n, outstanding_s in enumerate((3600.0, math.nan, 1800.0, math.nan, math.nan), 1):
        row = minute(2_600_000, 1_300_000, KERNEL, outstanding_s=outstanding_s)
        environment.write([(DATASTORE, store, NOW - n * MINUTE, row)])
    assert ask(client, f"datastores/{store}/diagnosis")["data_quality"]["outstanding_ios"] == 45
    assert ask(client, f"datastores/{store}/occupancy")["outstanding_ios"] == 45
    window = f"from={ago(5)}&to={ago(0)}"
    assert ask(client, f"datastores/{store}/latency?{window}&step=60")["queues"]["outstanding_ios"] == [
        None, None, 30, None, 60,
    ]  # fmt: skip
    # Half an hour, or two of them where the clock's half hour lies between the two minutes that have a count.
    whole = ask(client, f"datastores/{store}/latency?{window}&step=1800")["queues"]["outstanding_ios"]
    halves = {round((NOW - n * MINUTE).timestamp()) // 1800 for n in (1, 3)}
    assert [one for one in whole if one is not None] == ([45] if len(halves) == 1 else [30, 60])


def test_latency_over_time_has_ios_and_bytes_of_each_direction(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Every I/O of these minutes has 4 KiB."""
    environment.write([(DATASTORE, store, NOW - MINUTE, minute(60_000, 18_000, KERNEL))])
    ways = ask(client, f"datastores/{store}/latency?from={ago(1)}&to={ago(0)}&step=60")["directions"]
    assert {way["direction"]: way["ops"] for way in ways} == {"read": [60_000], "write": [18_000], "all": [78_000]}
    assert {way["direction"]: way["bytes"] for way in ways} == {
        "read": [60_000 * 4096],
        "write": [18_000 * 4096],
        "all": [78_000 * 4096],
    }


def test_a_minute_whose_ios_nobody_counted_has_its_reason_and_thins_out_nothing(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Four minutes at 1,300 IOPS and one of which the ops could not be read: 1,300 IOPS, and the worst quality with its words."""
    unseen = int(QualityReason.SIDE_MISSING | QualityReason.SAMPLE_MISSING)
    nan = math.nan
    blind = minute(nan, nan, {}, device_ops=nan, array_ops=nan, outstanding_s=nan, missing_s=60, quality_reasons=unseen)
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 18_000, KERNEL))
    environment.write([(DATASTORE, store, NOW - MINUTE, blind)])
    page = ask(client, f"datastores/{store}/diagnosis")
    assert (page["state"], page["minutes"], page["data_quality"]["quality"]) == ("judged", 5, "D")
    assert page["data_quality"]["missing_s"] == 60
    assert page["data_quality"]["quality_reasons"] == [
        "a sample missing in at least one minute", "one side (hosts or array) not measured",
    ]  # fmt: skip
    assert page["data_quality"]["modelled_ios"] == pytest.approx(1300 * 930e-6, rel=1e-6)
    (ranked,) = (one for one in ask(client, "overview?kind=datastores")["items"] if one["subject"]["id"] == store)
    assert (ranked["iops"], ranked["quality"]) == (1300, "D")
    alone = f"from={ago(1)}&to={ago(0)}"
    page = ask(client, f"datastores/{store}/diagnosis?{alone}")
    assert (page["state"], page["total_us"], page["excess_outstanding"]) == ("not_measured", None, None)
    assert page["sentence"]["text"] == "IOPS not measured. No diagnosis."
    everything = ask(client, f"datastores/{store}/latency?{alone}&step=60")
    assert (everything["minutes_there"], everything["qualities"]) == ([1], ["D"])
    assert {number for way in everything["directions"] for number in (*way["ops"], *way["bytes"])} == {None}
    for page_name in ("waterfall", "occupancy", "evidence", "contributors", "deltas", "hops"):
        ask(client, f"datastores/{store}/{page_name}?{alone}")


def test_outstanding_ios_stand_beside_the_fullest_queue_of_one_host_in_one_minute(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Depths of hosts add up to a queue that nobody has, and over two depths the larger one is not in force any more."""
    environment.last_minutes(
        DATASTORE, store, 5, minute(60_000, 20_000, KERNEL, outstanding_s=53 * 60.0, queue_depth=64)
    )
    for host, ops in (("esx-1", 3_780_000), ("esx-2", 1_000_000)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL, queue_depth=64))
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 3, minute(ops, 0, KERNEL, queue_depth=32))
    found = ask(client, f"datastores/{store}/diagnosis")
    because = texts(found["sentence"]["reasons"])
    assert because[:2] == ["53 I/Os outstanding", "busiest device queue on esx-1: ACTV ≈ 31, DQLEN 32, QUED ≈ 22"]


def test_queue_depths_are_told_by_queue_and_never_added_up(
    client: TestClient, environment: Environment, store: int
) -> None:
    """The row of the datastore holds 96, as it was stored; a device without I/O has no queue in use."""
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL, queue_depth=96))
    for host, ops, depth in (("esx-1", 40_000, 64), ("esx-2", 20_000, 32)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL, queue_depth=depth))
    found = ask(client, f"datastores/{store}/diagnosis")["data_quality"]["queue_depths"]
    assert found == {"lowest": 32, "highest": 64, "queues": 2, "hosts": 2}
    device = environment.id("host_device", f"esx-2/{naa(SERIALS[0])}")
    environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(0, 0, KERNEL, queue_depth=32))
    found = ask(client, f"datastores/{store}/diagnosis")["data_quality"]["queue_depths"]
    assert found == {"lowest": 64, "highest": 64, "queues": 1, "hosts": 1}


def test_the_queue_that_is_told_of_is_one_of_the_host_that_is_named(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Another host's may be fuller, in which hardly anything waits."""
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    for host, ops, depth in (("esx-1", 3_780_000, 64), ("esx-2", 60_000, 0.5)):
        device = environment.id("host_device", f"{host}/{naa(SERIALS[0])}")
        environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL, queue_depth=depth))
    said = ask(client, f"datastores/{store}/diagnosis")["sentence"]
    assert " on esx-1" in said["head"]["text"]
    assert said["reasons"][1]["text"].startswith("busiest device queue on esx-1: ACTV ≈ 31, DQLEN 64")


def test_the_host_that_most_of_the_kernels_time_passes_through_is_named(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    for host, ops in (("esx-1", 60_000), ("esx-2", 1_000)):
        environment.last_minutes(
            ScopeKind.HOST_DEVICE, environment.id("host_device", f"{host}/{naa(SERIALS[0])}"), 5, minute(ops, 0, KERNEL)
        )
    assert ask(client, f"datastores/{store}/diagnosis")["sentence"]["head"]["text"].startswith(
        "Kernel on esx-1, mostly kernel queue: "
    )


def test_of_a_host_the_device_is_named_by_the_datastore_on_it(client: TestClient, environment: Environment) -> None:
    host, device = environment.id("esxi_host", "esx-1"), environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    environment.last_minutes(ScopeKind.HOST, host, 5, minute(60_000, 20_000, KERNEL))
    environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(60_000, 20_000, KERNEL))
    assert ask(client, f"hosts/{host}/diagnosis")["sentence"]["head"]["text"].startswith(
        "Kernel on the device of simple, mostly kernel"
    )


def test_the_array_is_named_by_its_name(client: TestClient, environment: Environment, store: int) -> None:
    slow = {**HEALTHY, span(Layer.ARRAY): (2000.0, 1990.0, 2010.0)}
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, slow))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["layer"], found["confidence"]) == ("array", "confirmed")
    assert found["sentence"]["head"]["text"].startswith(
        "Array on name of array-a, mostly array service: 2.00 of 2.10 ms"
    )


def test_two_layers_that_cannot_be_told_apart_are_both_named_with_what_would_settle_it(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, BLURRED, outermost_us=836.0))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["confidence"], found["layer"], found["other"]) == ("inconclusive", "kernel", "san")
    assert found["sentence"]["head"]["text"].startswith("Kernel or SAN: 0.53 of 0.93 ms")
    assert "microsecond counters" in found["sentence"]["to_confirm"][0]
    assert texts(found["sentence"]["reasons"])[:2] == [
        "kernel ≤ 0.62 ms above baseline",
        "SAN ≤ 0.50 ms above baseline",
    ]


def test_layers_that_were_not_told_apart_are_one_span_with_both_names(
    client: TestClient, environment: Environment, store: int
) -> None:
    merged: dict[int, Interval] = {
        span(Layer.KERNEL): (10.0, 5.0, 15.0),
        span(Layer.SAN, Layer.ARRAY): (1500.0, 1495.0, 1505.0),
    }
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, merged))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["layer"], found["layer_label"]) == ("san_array", "SAN + array")
    assert found["layers"][1]["layers"] == ["san", "array"]
    assert "Not every layer is measured separately" in texts(found["sentence"]["caveats"])
    parts = ask(client, f"datastores/{store}/waterfall")["directions"][2]["parts"]
    assert ("san_array_rest", True) in [(part["name"], part["is_rest"]) for part in parts]


def test_a_layer_that_the_newest_minutes_do_not_name_is_said_to_have_ended(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Three slow minutes of five name the kernel; the two after them are healthy."""
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    environment.last_minutes(DATASTORE, store, 1, minute(60_000, 20_000, HEALTHY))
    diagnosis, overview = f"datastores/{store}/diagnosis", "overview?search=simple"
    # One minute may be a lull.
    assert [ask(client, diagnosis)["until_at"], ask(client, overview)["items"][0]["until_at"]] == [None, None]
    environment.last_minutes(DATASTORE, store, 2, minute(60_000, 20_000, HEALTHY))
    found, whole = ask(client, diagnosis), ask(client, overview)
    (row,) = whole["items"]
    assert (whole["totals"]["by_confidence"], whole["totals"]["ended"]) == ({"confirmed": 1}, 1)
    # What has cleared is counted apart: nothing is elevated any more.
    assert (whole["totals"]["by_severity"], row["severity"], found["severity"]) == ({}, *["elevated"] * 2)
    assert (found["layer"], found["since_at"], found["until_at"]) == ("kernel", None, ago(2))
    assert found["sentence"]["head"]["text"].endswith(f"above baseline, until {NOW - 2 * MINUTE:%H:%M} UTC")
    assert (row["layer"], row["until_at"]) == ("kernel", ago(2))
    assert row["sentence"]["detail"].endswith(f"until {NOW - 2 * MINUTE:%H:%M} UTC")


def test_severity_normal_names_no_layer_and_has_no_confidence(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 12, minute(60_000, 20_000, HEALTHY))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["severity"], found["limited_counters"]) == ("normal", False)
    assert (found["confidence"], found["layer"], found["share"]) == (None, None, None)
    assert found["sentence"]["head"]["text"] == "Normal: 0.51 ms per I/O, the kernel 10 µs above baseline"
    assert found["since_at"] == ago(12)


def test_what_began_over_an_hour_ago_is_told_to_five_minutes_and_no_single_minute_ends_it(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 240, minute(60_000, 20_000, HEALTHY))
    environment.last_minutes(DATASTORE, store, 190, minute(60_000, 20_000, KERNEL))
    environment.write([(DATASTORE, store, NOW - 100 * MINUTE, minute(60_000, 20_000, HEALTHY))])
    found = ask(client, f"datastores/{store}/diagnosis")
    begun = datetime.fromisoformat(found["since_at"])
    assert NOW - 195 * MINUTE < begun < NOW - 185 * MINUTE
    assert begun.minute % 5 == 0
    # In the last hour each minute counts.
    environment.write([(DATASTORE, store, NOW - 30 * MINUTE, minute(60_000, 20_000, HEALTHY))])
    assert ask(client, f"datastores/{store}/diagnosis")["since_at"] == ago(29)


def test_a_vm_with_the_minor_part_of_its_device_is_at_most_likely_by_the_sum_of_the_window(
    client: TestClient, environment: Environment
) -> None:
    vm = environment.id("vm", "vm-1")
    environment.last_minutes(VM, vm, 5, minute(60_000, 0, KERNEL, device_ops=200_000.0))
    minor = ask(client, f"vms/{vm}/diagnosis")
    assert (minor["confidence"], minor["layer"]) == ("likely", "kernel")
    assert "Assumes its I/Os see the device's average latency" in texts(minor["sentence"]["caveats"])
    # One minute of five said so, the five together do not.
    environment.last_minutes(VM, vm, 5, minute(60_000, 0, KERNEL, device_ops=61_000.0))
    once = minute(20_000, 0, KERNEL, device_ops=61_000.0, reasons=int(Reason.MINOR_PART_OF_DEVICE))
    environment.last_minutes(VM, vm, 1, once)
    assert ask(client, f"vms/{vm}/diagnosis")["confidence"] == "confirmed"


def test_a_contradiction_caps_confidence_and_lowers_the_quality(
    client: TestClient, environment: Environment, store: int
) -> None:
    bad = {
        "reasons": int(Reason.DISAGREEMENT),
        "quality_reasons": int(QualityReason.DISAGREEMENT),
        "disagreement_us": 250.0,
    }
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL, **bad))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["confidence"], found["data_quality"]["quality"]) == ("likely", "C")
    assert found["data_quality"]["quality_reasons"] == ["inconsistent counters on this path"]
    assert found["data_quality"]["disagreement_us"] == 250
    assert any("by 0.25 ms" in caveat for caveat in texts(found["sentence"]["caveats"]))


# --- no diagnosis --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ops", "spans", "state", "words"),
    [
        (0, {}, "idle", "No I/O"),
        (4, KERNEL, "too_few", "Too few I/Os: 20 in 5 min"),
        (60_000, {}, "not_measured", "Latency not measured"),
    ],
)
def test_why_there_is_no_diagnosis_is_said(
    client: TestClient,
    environment: Environment,
    store: int,
    ops: int,
    spans: dict[int, Interval],
    state: str,
    words: str,
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(ops, 0, spans))
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["state"], found["severity"], found["confidence"], found["layer"], found["excess_outstanding"]) == (
        state,
        None,
        None,
        None,
        None,
    )
    assert words in found["sentence"]["head"]["text"]
    assert found["since_at"] is None
    assert ask(client, "overview?search=simple")["items"][0]["state"] == state


def test_what_the_ledger_does_not_have_is_no_data_and_never_zero(client: TestClient, store: int) -> None:
    found = ask(client, f"datastores/{store}/diagnosis")
    assert (found["state"], found["minutes"], found["total_us"], found["data_quality"]["quality"]) == (
        "no_data",
        0,
        None,
        None,
    )
    waterfall = ask(client, f"datastores/{store}/waterfall")
    assert [one["state"] for one in waterfall["directions"]] == ["no_data"] * 3
    assert all(one["total_us"] is None and one["ops"] is None for one in waterfall["directions"])
    occupancy = ask(client, f"datastores/{store}/occupancy")
    assert (occupancy["total_ios"], occupancy["outstanding_ios"]) == (None, None)
    latency = ask(client, f"datastores/{store}/latency")
    assert set(latency["minutes_there"]) == {0}
    assert all(set(one["total_us"]) == {None} and one["parts"] == [] for one in latency["directions"])
    contributors = ask(client, f"datastores/{store}/contributors")
    assert (contributors["vms"], contributors["hosts"], contributors["non_vm_iops"]) == ([], [], None)
    assert all(one["us"] is None for one in ask(client, f"datastores/{store}/deltas")["deltas"])


def test_an_idle_thing_holds_no_io(client: TestClient, environment: Environment, store: int) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(0, 0, {}))
    assert ask(client, f"datastores/{store}/occupancy")["total_ios"] == 0
    assert ask(client, f"datastores/{store}/waterfall")["directions"][0]["state"] == "idle"


def test_before_the_first_minute_there_is_an_empty_overview_that_says_so(client: TestClient) -> None:
    found = ask(client, "overview")
    assert (found["items"], found["total"], found["ledger_until_at"]) == ([], 0, None)
    assert found["environment"]["state"] == "no_data"
