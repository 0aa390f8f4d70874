"""Verdicts over HTTP: whose latency it is, in numbers and words, and what is said where there is no verdict."""

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Estate, Interval, minute, span
from tests.db.estates import SERIALS, batch, every, naa

from gavel.analysis.grade import GradeReason
from gavel.analysis.verdict import Reason
from gavel.api.examples import EXAMPLES
from gavel.api.openapi import document
from gavel.db import live
from gavel.db.engine import transaction
from gavel.db.samples import write_samples
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

DATASTORE, VM, HOST, ESTATE = ScopeKind.DATASTORE, ScopeKind.VM, ScopeKind.HOST, ScopeKind.ESTATE


@pytest.fixture
def engine(client: TestClient) -> Engine:
    engine: Engine = client.app.state.house.engine  # type: ignore[attr-defined]
    return engine


@pytest.fixture
def estate(engine: Engine) -> Estate:
    """Attributed until NOW; without any row yet."""
    made = Estate(engine)
    made.attributed_until(NOW)
    return made


@pytest.fixture
def store(estate: Estate) -> int:
    return estate.id("datastore", "simple")


def ask(client: TestClient, path: str) -> Any:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def ago(minutes: int) -> str:
    return f"{NOW - minutes * MINUTE:%Y-%m-%dT%H:%M:%SZ}"


def between(first: int, last: int) -> str:
    """A range by minutes before NOW."""
    return f"from={ago(first)}&to={ago(last)}"


# --- verdict ----------------------------------------------------------------------------------------------------------


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
    assert said["head"] == f"Kernel queue: 0.44 of 0.93 ms since {NOW - 8 * MINUTE:%H:%M} UTC, 0.44 ms over usual"
    assert said["certainty"] == "Certain"
    assert said["because"] == ["64 I/Os outstanding on a depth of 32", "the array answers in 0.40 ms"]
    assert said["caveats"] == ["Guest not measured; its virtual disk queue is full, so guest queueing is likely"]
    assert said["settles"] == []
    assert said["text"].startswith(f"{said['head']}. Certain. — 64 I/Os outstanding")
    quality = found["quality"]
    assert (quality["grade"], quality["coverage"], quality["queue_depth"]) == ("A", 1, 32)
    assert quality["outstanding_ios"] == 64
    assert quality["modelled_ios"] == pytest.approx(65_000 * 930e-6, rel=1e-6)


def test_the_host_that_most_of_the_kernels_time_passes_through_is_named(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, KERNEL))
    for host, ops in (("esx-1", 60_000), ("esx-2", 1_000)):
        estate.last_minutes(
            ScopeKind.HOST_DEVICE, estate.id("host_device", f"{host}/{naa(SERIALS[0])}"), 5, minute(ops, 0, KERNEL)
        )
    assert ask(client, f"datastores/{store}/verdict")["sentence"]["head"].startswith("Kernel queue on esx-1: ")


def test_the_array_is_named_by_its_name(client: TestClient, estate: Estate, store: int) -> None:
    slow = {**HEALTHY, span(Layer.ARRAY): (2000.0, 1990.0, 2010.0)}
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, slow))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["layer"], found["certainty"]) == ("array", "certain")
    assert found["sentence"]["head"].startswith("Array service on name of array-a: 2.00 of 2.10 ms")


def test_two_layers_that_cannot_be_told_apart_are_both_named_with_what_would_settle_it(
    client: TestClient, estate: Estate, store: int
) -> None:
    blurred: dict[int, Interval] = {
        span(Layer.KERNEL): (312.0, 0.0, 624.0),
        span(Layer.SAN): (218.0, 0.0, 602.0),
        span(Layer.ARRAY): (400.0, 398.5, 401.5),
    }
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 20_000, blurred, outermost_us=836.0))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["certainty"], found["layer"], found["other"]) == ("undetermined", "kernel", "san")
    assert found["sentence"]["head"].startswith("Kernel or SAN: 0.53 of 0.93 ms")
    assert "microsecond counters" in found["sentence"]["settles"][0]


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


def test_a_healthy_thing_names_no_layer(client: TestClient, estate: Estate, store: int) -> None:
    estate.last_minutes(DATASTORE, store, 12, minute(60_000, 20_000, HEALTHY))
    found = ask(client, f"datastores/{store}/verdict")
    assert (found["certainty"], found["layer"], found["share"]) == ("healthy", None, None)
    assert found["sentence"]["head"] == "Healthy: 0.51 ms per I/O, 10 µs over usual"
    assert found["since_at"] == ago(12)


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


# --- no verdict -------------------------------------------------------------------------------------------------------


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


# --- laws -------------------------------------------------------------------------------------------------------------


def test_latency_of_a_window_is_io_time_over_ops_and_parts_add_up_to_it(
    client: TestClient, estate: Estate, store: int
) -> None:
    """Nine minutes in health with many I/Os, one slow one with few: no average of averages."""
    estate.last_minutes(DATASTORE, store, 10, minute(90_000, 10_000, HEALTHY))
    estate.write([(DATASTORE, store, NOW - 3 * MINUTE, minute(1_000, 4_000, KERNEL))])
    whole = ask(client, f"datastores/{store}/waterfall?{between(10, 0)}")
    healthy_us, slow_us = (sum(us for us, _, _ in spans.values()) for spans in (HEALTHY, KERNEL))
    for direction, healthy, slow in zip(
        whole["directions"], (90_000, 10_000, 100_000), (1_000, 4_000, 5_000), strict=True
    ):
        expected = (9 * healthy * healthy_us + slow * slow_us) / (9 * healthy + slow)
        assert direction["total_us"] == pytest.approx(expected, rel=1e-6)
        assert sum(part["us"] for part in direction["parts"]) == pytest.approx(direction["total_us"])
        assert sum(part["us"] for part in direction["layers"]) == pytest.approx(direction["total_us"], rel=1e-6)
        assert all(one["lower_us"] <= one["us"] <= one["upper_us"] for one in direction["layers"])
    series = ask(client, f"datastores/{store}/latency?{between(10, 0)}")
    for direction, window in zip(series["directions"], whole["directions"], strict=True):
        pairs = list(zip(direction["total_us"], direction["ops"], strict=True))
        assert sum(us * ops for us, ops in pairs) / sum(ops for _, ops in pairs) == pytest.approx(
            window["total_us"], rel=1e-5
        )
        for bucket, total in enumerate(direction["total_us"]):
            assert sum(part["us"][bucket] for part in direction["parts"]) == pytest.approx(total, abs=0.01)


def test_occupancy_is_io_time_over_wall_time(client: TestClient, estate: Estate, store: int) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(2_600_000, 1_300_000, KERNEL))
    found = ask(client, f"datastores/{store}/occupancy")
    assert [(one["name"], round(one["ios"], 1)) for one in found["layers"]] == [
        ("kernel", 28.5),
        ("san", 6.0),
        ("array", 26.0),
    ]
    assert found["total_ios"] == pytest.approx(60.45, rel=1e-6)
    assert found["outstanding_ios"] == 64


# --- over time --------------------------------------------------------------------------------------------------------


def test_buckets_without_a_minute_are_null_and_few_ios_are_marked(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.write([(DATASTORE, store, NOW - 4 * MINUTE, minute(60_000, 3, KERNEL))])
    found = ask(client, f"datastores/{store}/latency?{between(6, 0)}&step=60")
    assert (found["step_s"], found["resolution"], found["minutes_there"]) == (60, "1m", [0, 0, 1, 0, 0, 0])
    assert found["times_ms"][0] == round((NOW - 6 * MINUTE).timestamp() * 1000)
    assert found["grades"] == [None, None, "A", None, None, None]
    reads, writes, _ = found["directions"]
    assert reads["total_us"] == [None, None, 930, None, None, None]
    assert reads["too_few"] == [False] * 6
    assert writes["too_few"] == [False, False, True, False, False, False]
    assert [layer["name"] for layer in reads["layers"]] == ["kernel", "san", "array"]
    kernel = reads["layers"][0]
    assert (kernel["lower_us"][2], kernel["us"][2], kernel["upper_us"][2]) == (425, 438, 451)


@pytest.mark.parametrize(("range_", "step_s"), [("-1h", 60), ("-24h", 300), ("-7d", 900), ("-30d", 3600)])
def test_a_sensible_step_is_chosen_and_never_more_than_a_thousand_buckets(
    client: TestClient, store: int, range_: str, step_s: int
) -> None:
    found = ask(client, f"datastores/{store}/latency?from={range_}")
    assert found["step_s"] == step_s
    assert len(found["times_ms"]) <= 1000


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("from=-24h&step=60", "300 s would do"),
        ("step=61", "multiple"),
        ("step=0", "60"),
        ("from=now&to=-1h", "empty"),
        ("from=yesterday", "is no time"),
    ],
)
def test_a_question_that_makes_no_sense_is_explained(client: TestClient, store: int, query: str, words: str) -> None:
    answer = client.get(f"/api/v1/datastores/{store}/latency?{query}")
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


def test_what_is_not_there_is_not_found(client: TestClient) -> None:
    for kind in ("datastores", "vms", "hosts", "volumes", "arrays"):
        for what in ("verdict", "waterfall", "occupancy", "latency", "contributors", "evidence"):
            answer = client.get(f"/api/v1/{kind}/7/{what}")
            assert answer.status_code == 404, (kind, what)
            assert "7" in answer.json()["detail"]


@pytest.mark.parametrize(
    "path", ["sources/1/verdict", "datastores/x/verdict", "overview?kind=disks", "overview?sort=age"]
)
def test_what_nobody_can_ask_is_refused(client: TestClient, path: str) -> None:
    assert client.get(f"/api/v1/{path}").status_code == 422


def test_a_range_with_an_end_alone_is_refused(client: TestClient, store: int) -> None:
    answer = client.get(f"/api/v1/datastores/{store}/waterfall?to=-1h")
    assert answer.status_code == 422
    assert "from" in answer.json()["detail"]


# --- overview ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def ranked(estate: Estate) -> Estate:
    """Three VMs' worth of datastores: one that loses much, one that loses little, one in health; the others without a row."""
    for name, ops, spans in (("simple", 600_000, KERNEL), ("spanned", 6_000, KERNEL), ("nvme", 900_000, HEALTHY)):
        estate.last_minutes(DATASTORE, estate.id("datastore", name), 5, minute(ops, 0, spans))
    estate.last_minutes(ESTATE, 0, 5, minute(1_506_000, 0, KERNEL))
    return estate


def names(found: Any) -> list[str]:
    return [item["subject"]["name"] for item in found["items"]]


def test_the_ranking_is_by_impact_then_the_healthy_then_what_has_none_by_name(
    client: TestClient, ranked: Estate
) -> None:
    found = ask(client, "overview")
    assert names(found)[:3] == ["simple", "spanned", "nvme"]
    assert names(found)[3:] == sorted(names(found)[3:])
    assert found["items"][0]["sentence"] == "Kernel: 0.44 of 0.93 ms, 0.44 ms over usual"
    assert found["total"] == 9
    assert found["from_at"] == ago(5)
    assert found["totals"]["by_certainty"] == {"certain": 2, "healthy": 1}
    assert found["totals"]["by_state"] == {"judged": 3, "no_data": 6}
    estate = found["estate"]
    assert (estate["certainty"], estate["layer"], estate["iops"]) == ("certain", "kernel", 25_100)
    assert [one["name"] for one in estate["occupancy"]] == ["kernel", "san", "array"]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("sort=iops", ["nvme", "simple", "spanned"]),
        ("sort=iops&order=asc", ["spanned", "simple", "nvme"]),
        ("sort=latency&order=asc", ["nvme", "simple", "spanned"]),
        ("sort=excess", ["simple", "spanned", "nvme"]),
        ("sort=impact&order=asc", ["nvme", "spanned", "simple"]),
        ("sort=name&order=asc&search=s&limit=2", ["nfs", "nfs-elsewhere"]),
        ("certainty=healthy", ["nvme"]),
        ("layer=kernel", ["simple", "spanned"]),
        ("layer=array", []),
        ("search=SPANN", ["spanned"]),
    ],
)
def test_the_ranking_is_sorted_and_filtered(client: TestClient, ranked: Estate, query: str, first: list[str]) -> None:
    assert names(ask(client, f"overview?{query}"))[:3] == first


@pytest.mark.parametrize("kind", ["datastores", "vms", "hosts", "volumes", "arrays", "clusters"])
def test_totals_are_the_sums_of_all_pages(client: TestClient, ranked: Estate, kind: str) -> None:
    ranked.last_minutes(VM, ranked.id("vm", "vm-1"), 5, minute(9_000, 0, KERNEL))
    ranked.last_minutes(HOST, ranked.id("esxi_host", "esx-1"), 5, minute(9_000, 0, KERNEL))
    whole = ask(client, f"overview?kind={kind}")
    pages = [ask(client, f"overview?kind={kind}&limit=2&offset={offset}") for offset in range(0, whole["total"], 2)]
    items = [item for page in pages for item in page["items"]]
    assert items == whole["items"]
    assert len(items) == whole["total"]
    assert sum(item["iops"] or 0 for item in items) == pytest.approx(whole["totals"]["iops"])
    assert sum(item["impact"] or 0 for item in items) == pytest.approx(whole["totals"]["impact"])
    assert all(page["totals"] == whole["totals"] for page in pages)


def test_the_overview_can_look_back(client: TestClient, estate: Estate, store: int) -> None:
    estate.write([(DATASTORE, store, NOW - 60 * MINUTE, minute(60_000, 0, KERNEL))])
    found = ask(client, f"overview?{between(61, 59)}&search=simple")
    assert found["items"][0]["layer"] == "kernel"
    assert ask(client, "overview?search=simple")["items"][0]["state"] == "no_data"


# --- what is behind it ------------------------------------------------------------------------------------------------


def test_contributors_are_vms_and_hosts_by_their_time_in_the_layer(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(80_000, 0, KERNEL))
    for disk, ops in (("vm-1/scsi0:0", 60_000), ("vm-2/scsi0:0", 15_000)):
        estate.last_minutes(ScopeKind.VM_DISK, estate.id("vm_disk", disk), 5, minute(ops, 0, KERNEL))
    for host, ops in (("esx-1", 62_000), ("esx-2", 18_000)):
        device = estate.id("host_device", f"{host}/{naa(SERIALS[0])}")
        estate.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(ops, 0, KERNEL))
    found = ask(client, f"datastores/{store}/contributors?layer=san")
    assert found["layer"] == "san"
    assert [(one["subject"]["name"], one["time_share"]) for one in found["vms"]] == [("db01", 0.8), ("web_02%", 0.2)]
    assert [one["subject"]["name"] for one in found["hosts"]] == ["esx-1", "esx-2"]
    assert found["vms"][0]["us"] == pytest.approx(92)
    assert found["vms"][0]["ios"] == pytest.approx(1_000 * 92e-6)
    assert found["non_vm_iops"] == pytest.approx(5_000 / 60)


def test_contributors_of_an_nfs_datastore_are_told_by_disks_alone(client: TestClient, estate: Estate) -> None:
    nfs = estate.id("datastore", "nfs")
    rest: dict[int, Interval] = {span(Layer.KERNEL, Layer.ARRAY): (900.0, 890.0, 910.0)}
    estate.last_minutes(DATASTORE, nfs, 5, minute(6_000, 0, rest))
    estate.last_minutes(ScopeKind.VM_DISK, estate.id("vm_disk", "vm-1/scsi0:4"), 5, minute(6_000, 0, rest))
    found = ask(client, f"datastores/{nfs}/contributors?layer=array")
    assert [(one["subject"]["name"], one["is_merged"]) for one in found["vms"]] == [("db01", True)]
    assert [one["subject"]["name"] for one in found["hosts"]] == ["esx-1"]
    assert found["non_vm_iops"] is None


def test_deltas_have_intervals_that_hold_their_estimate(client: TestClient, estate: Estate, store: int) -> None:
    estate.last_minutes(DATASTORE, store, 5, minute(60_000, 0, KERNEL))
    below: dict[int, Interval] = {**KERNEL, span(Layer.KERNEL): (394.2, 388.0, 400.0)}
    device = estate.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    estate.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(60_000, 0, below))
    estate.last_minutes(ScopeKind.VM_DISK, estate.id("vm_disk", "vm-1/scsi0:0"), 5, minute(60_000, 0, KERNEL))
    found = {one["name"]: one for one in ask(client, f"datastores/{store}/deltas")["deltas"]}
    assert list(found) == ["guest_vscsi", "vscsi_device", "device_driver", "driver_array"]
    assert found["guest_vscsi"]["us"] is None
    for name, us, lower, upper in (
        ("vscsi_device", 43.8, 25.0, 63.0),
        ("device_driver", 394.2, 388.0, 400.0),
        ("driver_array", 69.0, 57.5, 80.5),
    ):
        one = found[name]
        assert [one[part] for part in ("us", "lower_us", "upper_us")] == pytest.approx([us, lower, upper], rel=1e-5)
    assert found["device_driver"]["excess_us"] == pytest.approx(394.2)
    assert (found["driver_array"]["expected_us"], found["driver_array"]["excess_us"]) == (100, 0)


def test_evidence_is_the_sources_own_numbers_with_counter_step_and_source(
    client: TestClient, estate: Estate, store: int
) -> None:
    ends = every(20, NOW - 5 * MINUTE + timedelta(seconds=20), 15)
    busy, slow = [1000] * 14 + [6000], [400] * 14 + [1000]
    columns = {"read_ops": busy, "read_gavg_us": slow, "precision": [2] * 15}
    with transaction(estate.engine) as connection:
        write_samples(
            connection, estate.vcenter, batch(Stream.HOST_DEVICE, f"esx-1/{naa(SERIALS[0])}", ends, **columns)
        )
        ends = every(30, NOW - 5 * MINUTE + timedelta(seconds=30), 10)
        write_samples(
            connection,
            estate.array,
            batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=900, read_service_us=300),
        )
    found = ask(client, f"datastores/{store}/verdict")["evidence"]
    gavg = next(one for one in found if one["name"] == "read_gavg_us")
    assert gavg["value"] == pytest.approx((14 * 1000 * 400 + 6000 * 1000) / 20_000)
    assert (gavg["counter"], gavg["unit"], gavg["precision"]) == ("disk.totalReadLatency.average", "µs", 1000)
    assert (gavg["side"], gavg["source"], gavg["at"]) == ("host", "source of vcenter", ago(0))
    service = next(one for one in found if one["name"] == "read_service_us")
    assert (service["side"], service["value"], service["label"]) == ("array", 300, "Read array service")
    raw = ask(client, f"datastores/{store}/evidence?{between(5, 0)}")
    assert {group["scope"] for group in raw["groups"]} == {"whole", "part"}


def test_arrays_are_listed_and_shown_with_pods_and_hosts(client: TestClient, estate: Estate) -> None:
    (row,) = ask(client, "arrays")["items"]
    assert (row["name"], row["volumes"], row["hosts"], row["pods"]) == ("name of array-a", 7, 1, 1)
    assert row["source"]["id"] == estate.array
    one = ask(client, f"arrays/{row['id']}")
    assert [(pod["name"], pod["stretched"], pod["volumes"]) for pod in one["pod_list"]] == [("pod", True, 1)]
    assert [host["name"] for host in one["array_hosts"]] == ["esx-1"]
    assert client.get("/api/v1/arrays/99").status_code == 404
    ends = every(30, NOW, 2)
    with transaction(estate.engine) as connection:
        write_samples(connection, estate.array, batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=900))
    estate.last_minutes(ScopeKind.ARRAY, row["id"], 5, minute(60_000, 0, KERNEL))
    assert ask(client, f"arrays/{row['id']}/verdict")["layer"] == "kernel"
    raw = ask(client, f"arrays/{row['id']}/evidence?{between(5, 0)}")
    assert {(group["scope"], group["entity"]["kind"]) for group in raw["groups"]} >= {("part", "volume")}


# --- expectations -----------------------------------------------------------------------------------------------------


def test_an_arrays_settings_say_what_is_expected_of_it(engine: Engine, client: TestClient) -> None:
    estate = Estate(engine, {"expected_array_us": 100, "pod_round_trip_us": 2000})
    estate.attributed_until(NOW)
    store, stretched = estate.id("datastore", "simple"), estate.id("datastore", "stretched")
    for thing in (store, stretched):
        estate.last_minutes(DATASTORE, thing, 5, minute(30_000, 10_000, HEALTHY))
    plain = ask(client, f"datastores/{store}/waterfall")["directions"]
    assert [one["expected_us"] for one in plain] == [200, 200, 200]
    pod = ask(client, f"datastores/{stretched}/waterfall")["directions"]
    assert [one["expected_us"] for one in pod] == [200, 2200, 700]


def test_a_stored_history_is_expected_instead_and_is_chronic_above_its_cap(
    client: TestClient, estate: Estate, store: int
) -> None:
    hour = (NOW - MINUTE).hour
    estate.expect(DATASTORE, store, {hour: (150.0, 1800.0), (NOW - 6 * MINUTE).hour: (150.0, 1800.0)})
    slow = {**HEALTHY, span(Layer.ARRAY): (2000.0, 1990.0, 2010.0)}
    estate.last_minutes(DATASTORE, store, 5, minute(30_000, 10_000, slow))
    found = ask(client, f"datastores/{store}/verdict")
    assert [layer["expected_us"] for layer in found["layers"]] == [0, 150, 1000]
    assert "Chronic: its own history is slower than may be expected" in found["sentence"]["caveats"]


# --- whoever asks -----------------------------------------------------------------------------------------------------


def test_a_wall_token_may_read_all_of_it(client: TestClient, admin: TestClient, estate: Estate, store: int) -> None:
    token = admin.post("/api/v1/wall-token").json()["token"]
    wall = {"authorization": f"Bearer {token}"}
    for path in ("overview", f"datastores/{store}/verdict", f"datastores/{store}/latency", "arrays"):
        assert client.get(f"/api/v1/{path}", headers=wall).status_code == 200
    assert client.get("/api/v1/overview", headers={"authorization": "Bearer nobody"}).status_code == 401


def test_the_live_stream_tells_that_minutes_were_attributed(client: TestClient, estate: Estate) -> None:
    """The overview is asked again when `ledger` is among the streams."""
    broadcast = client.app.state.house.broadcast  # type: ignore[attr-defined]
    before = broadcast.revision
    with transaction(estate.engine) as connection:
        live.tell(connection, live.News(None, "ledger", NOW))
    update = client.portal.call(_next_update, broadcast, before)  # type: ignore[union-attr]
    assert (update.streams, update.sources, update.until_at) == (["ledger"], [], NOW)


async def _next_update(broadcast: Any, seen: int) -> Any:
    while True:
        async for update in broadcast.updates():
            if update.revision > seen:
                return update


# --- the description --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_every_example_is_an_answer_as_described(name: str) -> None:
    described: Any = document()
    (content,) = [
        operation["responses"]["200"]["content"]["application/json"]
        for path in described["paths"].values()
        for operation in path.values()
        if operation["operationId"] == name
    ]
    assert content["example"] == EXAMPLES[name]
    schema = content["schema"] | {"components": described["components"]}
    Draft202012Validator(schema).validate(EXAMPLES[name])


def test_an_answer_over_time_is_as_described_though_it_is_written_without_its_model(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(DATASTORE, store, 3, minute(60_000, 20_000, KERNEL))
    described: Any = document()
    operation = described["paths"]["/api/v1/{kind}/{thing_id}/latency"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    Draft202012Validator(schema | {"components": described["components"]}).validate(
        ask(client, f"datastores/{store}/latency")
    )
