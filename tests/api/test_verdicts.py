"""Verdicts over HTTP: whose latency it is, in numbers and words, and what is said where there is no verdict."""

import math
from datetime import datetime

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import BLURRED, HEALTHY, KERNEL, MINUTE, NOW, Estate, Interval, ago, ask, minute, span
from tests.db.estates import SERIALS, naa

from gavel.analysis.grade import GradeReason
from gavel.analysis.verdict import Reason
from gavel.db.engine import transaction
from gavel.db.samples import advance_watermark
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

DATASTORE, VM = ScopeKind.DATASTORE, ScopeKind.VM


# --- verdict -----------------------------------------------------------------------------------------------------------


def test_the_kernel_is_named_with_what_it_takes_since_when_and_why(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 30, minute(60_000, 20_000, HEALTHY))
    full = int(Reason.VIRTUAL_DISK_QUEUE_FULL)
    estate.last_minutes(DATASTORE, store, 8, minute(2_600_000, 1_300_000, KERNEL, reasons=full))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["state"], found["certainty"], found["layer"], found["other"]) == ("judged", "certain", "kernel", None)
    assert found["subject"] == {"kind": "datastore", "id": store, "name": "simple"}
    assert (found["minutes"], found["expected_us"], found["share"]) == (5, 600, 1)
    assert found["total_us"] == pytest.approx(930)
    assert found["excess_us"] == pytest.approx(438)
    assert found["impact"] == pytest.approx(65_000 * 438e-6, rel=1e-6)
    assert found["since_at"] == ago(8)
    assert found["not_measured"] == ["guest"]
    said = found["sentence"]
    assert (
        said["head"]
        == f"Kernel, mostly its queue: 0.44 of 0.93 ms since {NOW - 8 * MINUTE:%H:%M} UTC, 0.44 ms over expected"
    )
    assert said["certainty"] == "Certain"
    assert said["because"] == ["64 I/Os outstanding", "the array answers in 0.40 ms"]
    assert said["caveats"] == [
        "Guest not measured; its virtual disk queue is full, so guest queueing is likely",
        "What is expected is the setting of the array source: no history of this hour yet",
    ]
    assert said["settles"] == []
    assert said["text"].startswith(f"{said['head']}. Certain. — 64 I/Os outstanding")
    quality = found["quality"]
    assert (quality["grade"], quality["coverage"], quality["queue_depth"]) == ("A", 1, 32)
    assert quality["outstanding_ios"] == 64
    assert quality["modelled_ios"] == pytest.approx(65_000 * 930e-6, rel=1e-6)


def test_outstanding_ios_are_those_of_the_minutes_in_which_the_disks_counted_them(
    client: TestClient, estate: Estate, store: int
) -> None:
    """Two minutes of five have a count, 60 and 30: a minute without one is no minute with none outstanding."""
    for n, outstanding_s in enumerate((3600.0, math.nan, 1800.0, math.nan, math.nan), 1):
        row = minute(2_600_000, 1_300_000, KERNEL, outstanding_s=outstanding_s)
        estate.write([(DATASTORE, store, NOW - n * MINUTE, row)])
    assert ask(client, f"datastores/{store}/verdict")["quality"]["outstanding_ios"] == 45
    assert ask(client, f"datastores/{store}/occupancy")["outstanding_ios"] == 45
    window = f"from={ago(5)}&to={ago(0)}"
    assert ask(client, f"datastores/{store}/latency?{window}&step=60")["queues"]["outstanding_ios"] == [
        None, None, 30, None, 60,
    ]  # fmt: skip
    # Half an hour, or two of them where the clock's half hour lies between the two minutes that have a count.
    whole = ask(client, f"datastores/{store}/latency?{window}&step=1800")["queues"]["outstanding_ios"]
    halves = {round((NOW - n * MINUTE).timestamp()) // 1800 for n in (1, 3)}
    assert [one for one in whole if one is not None] == ([45] if len(halves) == 1 else [30, 60])


def test_a_minute_whose_ios_nobody_counted_has_its_reason_and_thins_out_nothing(
    client: TestClient, estate: Estate, store: int
) -> None:
    """Four minutes at 1,300 IOPS and one of which the ops could not be read: 1,300 IOPS, and the worst grade with its words."""
    unseen = int(GradeReason.SIDE_MISSING | GradeReason.SAMPLE_MISSING)
    nan = math.nan
    blind = minute(nan, nan, {}, device_ops=nan, array_ops=nan, outstanding_s=nan, missing_s=60, grade_reasons=unseen)
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 18_000, KERNEL))
    estate.write([(DATASTORE, store, NOW - MINUTE, blind)])
    page = ask(client, f"datastores/{store}/verdict")
    assert (page["state"], page["minutes"], page["quality"]["grade"]) == ("judged", 5, "D")
    assert page["quality"]["missing_s"] == 60
    assert page["quality"]["grade_reasons"] == [
        "in some minute, a sample is missing", "one side, hosts or array, is not measured",
    ]  # fmt: skip
    assert page["quality"]["modelled_ios"] == pytest.approx(1300 * 930e-6, rel=1e-6)
    (ranked,) = (one for one in ask(client, "overview?kind=datastores")["items"] if one["subject"]["id"] == store)
    assert (ranked["iops"], ranked["grade"]) == (1300, "D")
    alone = f"from={ago(1)}&to={ago(0)}"
    page = ask(client, f"datastores/{store}/verdict?{alone}")
    assert (page["state"], page["total_us"], page["impact"]) == ("not_measured", None, None)
    assert page["sentence"]["text"] == "How many I/Os there were was not measured. No verdict."
    everything = ask(client, f"datastores/{store}/latency?{alone}&step=60")
    assert (everything["minutes_there"], everything["grades"]) == ([1], ["D"])
    assert {number for way in everything["directions"] for number in (*way["ops"], *way["bytes"])} == {None}
    for page_name in ("waterfall", "occupancy", "evidence", "contributors", "deltas", "hops"):
        ask(client, f"datastores/{store}/{page_name}?{alone}")


def test_outstanding_ios_stand_beside_the_fullest_queue_of_one_host_in_one_minute(
    client: TestClient, estate: Estate, store: int
) -> None:
    """Depths of hosts add up to a queue that nobody has, and over two depths the larger one is not in force any more."""
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL, outstanding_s=53 * 60.0, queue_depth=64))
    for host, ops in (("esx-1", 3_780_000), ("esx-2", 1_000_000)):
        device = estate.id("host_device", f"{host}/{naa(SERIALS[0])}")
        estate.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL, queue_depth=64))
        estate.last_minutes(ScopeKind.HOST_DEVICE, device, 3, minute(ops, 0, KERNEL, queue_depth=32))
    because = ask(client, f"datastores/{store}/verdict")["sentence"]["because"]
    assert because[:2] == ["53 I/Os outstanding", "the fullest queue, on esx-1, held 31 of 32, 22 more waited"]


def test_the_queue_that_is_told_of_is_one_of_the_host_that_is_named(
    client: TestClient, estate: Estate, store: int
) -> None:
    """Another host's may be fuller, in which hardly anything waits."""
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    for host, ops, depth in (("esx-1", 3_780_000, 64), ("esx-2", 60_000, 0.5)):
        device = estate.id("host_device", f"{host}/{naa(SERIALS[0])}")
        estate.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL, queue_depth=depth))
    said = ask(client, f"datastores/{store}/verdict")["sentence"]
    assert " on esx-1" in said["head"]
    assert said["because"][1].startswith("the fullest queue, on esx-1, held 31 of 64")


def test_the_host_that_most_of_the_kernels_time_passes_through_is_named(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    for host, ops in (("esx-1", 60_000), ("esx-2", 1_000)):
        estate.last_minutes(
            ScopeKind.HOST_DEVICE, estate.id("host_device", f"{host}/{naa(SERIALS[0])}"), 5, minute(ops, 0, KERNEL)
        )
    assert ask(client, f"datastores/{store}/verdict")["sentence"]["head"].startswith(
        "Kernel on esx-1, mostly its queue: "
    )


def test_of_a_host_the_device_is_named_by_the_datastore_on_it(client: TestClient, estate: Estate) -> None:
    host, device = estate.id("esxi_host", "esx-1"), estate.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    estate.last_minutes(ScopeKind.HOST, host, 5, minute(60_000, 20_000, KERNEL))
    estate.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(60_000, 20_000, KERNEL))
    assert ask(client, f"hosts/{host}/verdict")["sentence"]["head"].startswith(
        "Kernel on the device of simple, mostly its"
    )


def test_the_array_is_named_by_its_name(client: TestClient, estate: Estate, store: int) -> None:
    slow = {**HEALTHY, span(Layer.ARRAY): (2000.0, 1990.0, 2010.0)}
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, slow))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["layer"], found["certainty"]) == ("array", "certain")
    assert found["sentence"]["head"].startswith("Array on name of array-a, mostly its service: 2.00 of 2.10 ms")


def test_two_layers_that_cannot_be_told_apart_are_both_named_with_what_would_settle_it(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, BLURRED, outermost_us=836.0))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["certainty"], found["layer"], found["other"]) == ("undetermined", "kernel", "san")
    assert found["sentence"]["head"].startswith("Kernel or SAN: 0.53 of 0.93 ms")
    assert "microsecond counters" in found["sentence"]["settles"][0]
    assert found["sentence"]["because"][:2] == [
        "the kernel is at most 0.62 ms over expected",
        "the SAN is at most 0.50 ms over expected",
    ]


def test_layers_that_were_not_told_apart_are_one_span_with_both_names(
    client: TestClient, estate: Estate, store: int
) -> None:
    merged: dict[int, Interval] = {
        span(Layer.KERNEL): (10.0, 5.0, 15.0),
        span(Layer.SAN, Layer.ARRAY): (1500.0, 1495.0, 1505.0),
    }
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, merged))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["layer"], found["layer_label"]) == ("san_array", "SAN + array")
    assert found["layers"][1]["layers"] == ["san", "array"]
    assert "Not every layer was measured by itself" in found["sentence"]["caveats"]
    parts = ask(client, f"datastores/{store}/waterfall")["directions"][2]["parts"]
    assert ("san_array_rest", True) in [(part["name"], part["is_rest"]) for part in parts]


def test_a_layer_that_the_newest_minutes_do_not_name_is_said_to_have_ended(
    client: TestClient, estate: Estate, store: int
) -> None:
    """Three slow minutes of five name the kernel; the two after them are healthy."""
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    estate.last_minutes(DATASTORE, store, 1, minute(60_000, 20_000, HEALTHY))
    verdict, overview = f"datastores/{store}/verdict", "overview?search=simple"
    # One minute may be a lull.
    assert [ask(client, verdict)["until_at"], ask(client, overview)["items"][0]["until_at"]] == [None, None]
    estate.last_minutes(DATASTORE, store, 2, minute(60_000, 20_000, HEALTHY))
    found, whole = ask(client, verdict), ask(client, overview)
    (row,) = whole["items"]
    assert (whole["totals"]["by_certainty"], whole["totals"]["ended"]) == ({"certain": 1}, 1)
    assert (found["layer"], found["since_at"], found["until_at"]) == ("kernel", None, ago(2))
    assert found["sentence"]["head"].endswith(f"over expected, until {NOW - 2 * MINUTE:%H:%M} UTC")
    assert (row["layer"], row["until_at"]) == ("kernel", ago(2))
    assert row["sentence"].endswith(f"until {NOW - 2 * MINUTE:%H:%M} UTC")


def test_a_healthy_thing_names_no_layer(client: TestClient, estate: Estate, store: int) -> None:
    estate.last_minutes(DATASTORE, store, 12, minute(60_000, 20_000, HEALTHY))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["certainty"], found["layer"], found["share"]) == ("healthy", None, None)
    assert found["sentence"]["head"] == "Healthy: 0.51 ms per I/O, the kernel 10 µs over expected"
    assert found["since_at"] == ago(12)


def test_what_began_over_an_hour_ago_is_told_to_five_minutes_and_no_single_minute_ends_it(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 240, minute(60_000, 20_000, HEALTHY))
    estate.last_minutes(DATASTORE, store, 190, minute(60_000, 20_000, KERNEL))
    estate.write([(DATASTORE, store, NOW - 100 * MINUTE, minute(60_000, 20_000, HEALTHY))])
    found = ask(client, f"datastores/{store}/verdict")
    begun = datetime.fromisoformat(found["since_at"])
    assert NOW - 195 * MINUTE < begun < NOW - 185 * MINUTE
    assert begun.minute % 5 == 0
    # In the last hour each minute counts.
    estate.write([(DATASTORE, store, NOW - 30 * MINUTE, minute(60_000, 20_000, HEALTHY))])
    assert ask(client, f"datastores/{store}/verdict")["since_at"] == ago(29)


def test_a_vm_with_the_minor_part_of_its_device_is_at_most_likely_by_the_sum_of_the_window(
    client: TestClient, estate: Estate
) -> None:
    vm = estate.id("vm", "vm-1")
    estate.last_minutes(VM, vm, 5, minute(60_000, 0, KERNEL, device_ops=200_000.0))
    minor = ask(client, f"vms/{vm}/verdict")
    assert (minor["certainty"], minor["layer"]) == ("likely", "kernel")
    assert "Assuming its I/Os fare like the device's average" in minor["sentence"]["caveats"]
    # One minute of five said so, the five together do not.
    estate.last_minutes(VM, vm, 5, minute(60_000, 0, KERNEL, device_ops=61_000.0))
    once = minute(20_000, 0, KERNEL, device_ops=61_000.0, reasons=int(Reason.MINOR_PART_OF_DEVICE))
    estate.last_minutes(VM, vm, 1, once)
    assert ask(client, f"vms/{vm}/verdict")["certainty"] == "certain"


def test_a_contradiction_caps_certainty_and_lowers_the_grade(client: TestClient, estate: Estate, store: int) -> None:
    bad = {
        "reasons": int(Reason.DISAGREEMENT),
        "grade_reasons": int(GradeReason.DISAGREEMENT),
        "disagreement_us": 250.0,
    }
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL, **bad))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["certainty"], found["quality"]["grade"]) == ("likely", "C")
    assert found["quality"]["grade_reasons"] == ["measurements of this path contradict each other"]
    assert found["quality"]["disagreement_us"] == 250
    assert any("by 0.25 ms" in caveat for caveat in found["sentence"]["caveats"])


# --- no verdict --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ops", "spans", "state", "words"),
    [
        (0, {}, "idle", "No I/O"),
        (4, KERNEL, "too_few", "Too few I/Os to judge: 20 in 5 min"),
        (60_000, {}, "not_measured", "no latency was measured"),
    ],
)
def test_why_there_is_no_verdict_is_said(
    client: TestClient, estate: Estate, store: int, ops: int, spans: dict[int, Interval], state: str, words: str
) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(ops, 0, spans))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["state"], found["certainty"], found["layer"], found["impact"]) == (state, "unknown", None, None)
    assert words in found["sentence"]["head"]
    assert found["since_at"] is None
    assert ask(client, "overview?search=simple")["items"][0]["state"] == state


def test_what_the_ledger_does_not_have_is_no_data_and_never_zero(client: TestClient, store: int) -> None:
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["state"], found["minutes"], found["total_us"], found["quality"]["grade"]) == (
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


def test_an_idle_thing_holds_no_io(client: TestClient, estate: Estate, store: int) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(0, 0, {}))
    assert ask(client, f"datastores/{store}/occupancy")["total_ios"] == 0
    assert ask(client, f"datastores/{store}/waterfall")["directions"][0]["state"] == "idle"


def test_before_the_first_minute_there_is_an_empty_overview_that_says_so(client: TestClient) -> None:
    found = ask(client, "overview")
    assert (found["items"], found["total"], found["ledger_until_at"]) == ([], 0, None)
    assert found["estate"]["state"] == "no_data"


# --- whether it is current ---------------------------------------------------------------------------------------------


def test_health_says_when_the_ledger_falls_behind_the_samples(
    client: TestClient, estate: Estate, engine: Engine
) -> None:
    def ledger() -> dict[str, str]:
        parts: list[dict[str, str]] = ask(client, "health")["parts"]
        return next(part for part in parts if part["name"] == "ledger")

    with transaction(engine) as connection:
        advance_watermark(connection, estate.vcenter, Stream.HOST_DEVICE, NOW + 2 * MINUTE)
    assert ledger()["status"] == "ok"
    with transaction(engine) as connection:
        advance_watermark(connection, estate.vcenter, Stream.HOST_DEVICE, NOW + 6 * MINUTE)
    assert ledger()["status"] == "degraded"
    assert f"attributed up to {NOW:%H:%M}" in ledger()["detail"]
