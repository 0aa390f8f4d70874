"""What a diagnosis rests on, over HTTP: windows, time, contributors, deltas, raw numbers, and questions that make no sense."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
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
    between,
    minute,
    span,
)
from tests.db.environments import SERIALS, batch, every, naa

from gavel.db.engine import transaction
from gavel.db.queries.members import members
from gavel.db.queries.refs import RefKind
from gavel.db.write.samples import write_samples
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

DATASTORE = ScopeKind.DATASTORE


# --- laws --------------------------------------------------------------------------------------------------------------


def test_latency_of_a_window_is_io_time_over_ops_and_parts_add_up_to_it(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Nine minutes in health with many I/Os, one slow one with few: no average of averages."""
    environment.last_minutes(DATASTORE, store, 10, minute(90_000, 10_000, HEALTHY))
    environment.write([(DATASTORE, store, NOW - 3 * MINUTE, minute(1_000, 4_000, KERNEL))])
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


def test_occupancy_is_io_time_over_wall_time(client: TestClient, environment: Environment, store: int) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(2_600_000, 1_300_000, KERNEL))
    found = ask(client, f"datastores/{store}/occupancy")
    assert [(one["name"], round(one["ios"], 1)) for one in found["layers"]] == [
        ("kernel", 28.5),
        ("san", 6.0),
        ("array", 26.0),
    ]
    assert found["total_ios"] == pytest.approx(60.45, rel=1e-6)
    assert found["outstanding_ios"] == 64


def test_ios_that_wait_in_one_of_two_layers_are_inside_neither(
    client: TestClient, environment: Environment, store: int
) -> None:
    """300,000 reads a minute: 1.40 and 1.25 I/Os by the middles of two layers that nobody could tell apart."""
    environment.last_minutes(DATASTORE, store, 5, minute(300_000, 0, BLURRED, outermost_us=836.0))
    assert ask(client, f"datastores/{store}/diagnosis")["confidence"] == "inconclusive"
    found = ask(client, f"datastores/{store}/occupancy")
    assert [(one["name"], one["label"], round(one["ios"], 2)) for one in found["layers"]] == [
        ("kernel_or_san", "Kernel or SAN", 2.65),
        ("array", "Array", 2.0),
    ]
    either = found["layers"][0]
    assert (either["lower_ios"], either["upper_ios"]) == (0, pytest.approx(5_000 * 1_226e-6))
    assert found["total_ios"] == pytest.approx(4.65)


# --- over time ---------------------------------------------------------------------------------------------------------


def test_ios_outstanding_stand_beside_what_the_queues_hold_and_the_fullest_one_is_named(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Two hosts: one holds 32 of 32, the other one 2 of 32. 34 of 64 would look like room: depths are never added up."""
    full, easy = (environment.id("host_device", f"{host}/{naa(SERIALS[0])}") for host in ("esx-1", "esx-2"))
    busy, idle = minute(2_600_000, 1_300_000, KERNEL), minute(162_500, 81_250, HEALTHY)
    first = 4 + NOW.minute % 2
    for n in (first, first - 1):
        environment.write(
            [
                (DATASTORE, store, NOW - n * MINUTE, minute(2_600_000, 1_300_000, KERNEL, queue_depth=64.0)),
                (ScopeKind.HOST_DEVICE, full, NOW - n * MINUTE, busy if n < first else idle),
                (ScopeKind.HOST_DEVICE, easy, NOW - n * MINUTE, idle),
            ]
        )
    found = ask(client, f"datastores/{store}/latency?{between(first + 1, first - 3)}&step=60")["queues"]
    assert found["outstanding_ios"] == [None, 64, 64, None]
    assert found["in_flight_ios"] == [None, *[pytest.approx(65_000 * 492e-6, abs=0.01)] * 2, None]
    assert found["waiting_ios"] == [None, *[pytest.approx(65_000 * 0.8 * 438e-6, abs=0.01)] * 2, None]
    assert found["depth"] == [None] * 4
    fullest = found["fullest"]
    assert [(one["host"]["name"], one["device"]["id"]) for one in fullest["queues"]] == [
        ("esx-1", full),
        ("esx-2", easy),
    ]
    assert fullest["queue"] == [None, 0, 0, None]
    few = 243_750 / 60 * 495e-6
    assert fullest["in_flight_ios"] == [None, pytest.approx(few, abs=0.01), pytest.approx(31.98, abs=0.01), None]
    assert fullest["depth"] == [None, 32, 32, None]
    wide = ask(client, f"datastores/{store}/latency?{between(first, first - 2)}&step=120")["queues"]["fullest"]
    assert wide["in_flight_ios"] == [pytest.approx((few + 31.98) / 2, abs=0.01)]


def test_the_fullest_queue_is_told_where_half_of_the_range_or_more_has_minutes_of_devices_left(
    client: TestClient, store: int
) -> None:
    """They are kept for 48 hours."""
    for days, is_told in ((1, True), (3, True), (5, False)):
        window = between(days * 1440, 0)
        found = ask(client, f"datastores/{store}/latency?{window}")["queues"]["fullest"]
        assert (found is not None) == is_told, days


def test_a_vms_queues_are_those_of_its_own_host_that_its_disks_are_on(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    """One query for one VM, and the relation that all of them are asked by: a VM with disks of every kind."""
    related: list[int] = []
    for key in ("vm-1", "vm-2"):
        vm = environment.id("vm", key)
        found = ask(client, f"vms/{vm}/latency?{between(1, 0)}")["queues"]["fullest"]["queues"]
        with transaction(engine) as connection:
            related = members(connection, RefKind.VM, Stream.HOST_DEVICE, [vm])[vm]
        assert [one["device"]["id"] for one in found] == related
        assert {one["host"]["name"] for one in found} == {"esx-1" if key == "vm-1" else "esx-2"}
    assert len(related) == 1


def test_how_full_a_queue_is_stays_unknown_where_nobody_timed_what_is_below_the_kernel(
    client: TestClient, environment: Environment, store: int
) -> None:
    unsplit = {span(Layer.KERNEL, Layer.ARRAY): (930.0, 900.0, 950.0)}
    one = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    row = minute(60_000, 30_000, unsplit, outstanding_s=float("nan"))
    environment.write([(DATASTORE, store, NOW - MINUTE, row), (ScopeKind.HOST_DEVICE, one, NOW - MINUTE, row)])
    found = ask(client, f"datastores/{store}/latency?{between(1, 0)}")["queues"]
    assert (found["outstanding_ios"], found["in_flight_ios"], found["waiting_ios"]) == ([None], [None], [None])
    assert (found["depth"], found["fullest"]["queue"], found["fullest"]["depth"]) == ([None], [None], [None])


def test_buckets_without_a_minute_are_null_and_few_ios_are_marked(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.write([(DATASTORE, store, NOW - 4 * MINUTE, minute(60_000, 3, KERNEL))])
    found = ask(client, f"datastores/{store}/latency?{between(6, 0)}&step=60")
    assert (found["step_s"], found["resolution"], found["minutes_there"]) == (60, "1m", [0, 0, 1, 0, 0, 0])
    assert found["times_ms"][0] == round((NOW - 6 * MINUTE).timestamp() * 1000)
    assert found["qualities"] == [None, None, "A", None, None, None]
    reads, writes, _ = found["directions"]
    assert reads["total_us"] == [None, None, 930, None, None, None]
    assert reads["too_few"] == [False] * 6
    assert writes["too_few"] == [False, False, True, False, False, False]
    assert [layer["name"] for layer in reads["layers"]] == ["kernel", "san", "array"]
    kernel = reads["layers"][0]
    assert (kernel["lower_us"][2], kernel["us"][2], kernel["upper_us"][2]) == (425, 438, 451)


def test_the_environment_over_time_is_told_as_one_thing_is(client: TestClient, environment: Environment) -> None:
    environment.write([(ScopeKind.ENVIRONMENT, 0, NOW - 2 * MINUTE, minute(60_000, 30_000, KERNEL))])
    found = ask(client, f"environment/latency?{between(3, 0)}&step=60")
    assert (found["subject"]["kind"], found["minutes_there"]) == ("environment", [0, 1, 0])
    assert found["directions"][2]["total_us"] == [None, 930, None]
    assert found["queues"]["fullest"] is None


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
        for what in ("diagnosis", "waterfall", "occupancy", "latency", "contributors", "evidence"):
            answer = client.get(f"/api/v1/{kind}/7/{what}")
            assert answer.status_code == 404, (kind, what)
            assert "7" in answer.json()["detail"]


@pytest.mark.parametrize(
    "path", ["sources/1/diagnosis", "datastores/x/diagnosis", "overview?kind=disks", "overview?sort=age"]
)
def test_what_nobody_can_ask_is_refused(client: TestClient, path: str) -> None:
    assert client.get(f"/api/v1/{path}").status_code == 422


def test_a_range_with_an_end_alone_is_refused(client: TestClient, store: int) -> None:
    answer = client.get(f"/api/v1/datastores/{store}/waterfall?to=-1h")
    assert answer.status_code == 422
    assert "from" in answer.json()["detail"]


# --- what is behind it -------------------------------------------------------------------------------------------------


def test_deltas_have_intervals_that_hold_their_estimate(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 0, KERNEL))
    below: dict[int, Interval] = {**KERNEL, span(Layer.KERNEL): (394.2, 388.0, 400.0)}
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    environment.last_minutes(ScopeKind.HOST_DEVICE, device, 5, minute(60_000, 0, below))
    environment.last_minutes(ScopeKind.VM_DISK, environment.id("vm_disk", "vm-1/scsi0:0"), 5, minute(60_000, 0, KERNEL))
    found = {one["name"]: one for one in ask(client, f"datastores/{store}/deltas")["deltas"]}
    assert list(found) == ["guest_vscsi", "vscsi_device", "device_driver", "driver_array"]
    assert found["guest_vscsi"]["us"] is None
    for name, us, lower, upper in (
        ("vscsi_device", 43.8, 25.0, 63.0),
        # Which I/Os of its devices are of a minute is good to 2 ‰.
        ("device_driver", 394.2, 0.998 * 388.0, 1.002 * 400.0),
        ("driver_array", 69.0, 57.5, 80.5),
    ):
        one = found[name]
        assert [one[part] for part in ("us", "lower_us", "upper_us")] == pytest.approx([us, lower, upper], rel=1e-5)
    assert found["device_driver"]["excess_us"] == pytest.approx(394.2)
    assert (found["driver_array"]["baseline_us"], found["driver_array"]["excess_us"]) == (pytest.approx(102.56), 0)


def test_each_host_tells_its_own_counters_weighted_by_operations_its_depth_and_its_active_vms(
    client: TestClient, environment: Environment, store: int
) -> None:
    """1,000 slow reads and 3,000 fast writes a sample on one host; nothing of the other's latency was measured, and that is no zero."""
    ends = every(20, NOW - 5 * MINUTE + timedelta(seconds=20), 15)
    busy = {"read_ops": 1000, "read_gavg_us": 900, "read_davg_us": 500, "read_kavg_us": 400, "write_ops": 3000}
    fast = {
        "write_gavg_us": 500,
        "write_davg_us": 480,
        "write_kavg_us": 20,
        "precision": 1,
        "queue_depth": [64] * 14 + [32],
    }
    with transaction(environment.engine) as connection:
        for key, columns in (
            (f"esx-1/{naa(SERIALS[0])}", busy | fast),
            (f"esx-2/{naa(SERIALS[0])}", {"read_ops": 20, "write_ops": 0}),
        ):
            write_samples(connection, environment.vcenter, batch(Stream.HOST_DEVICE, key, ends, **columns))
        write_samples(
            connection, environment.vcenter, batch(Stream.VM_DISK, "vm-1/scsi0:0", ends, read_ops=1000, write_ops=0)
        )
    found = ask(client, f"datastores/{store}/hosts?{between(5, 0)}")["hosts"]
    assert [(one["subject"]["kind"], one["subject"]["name"]) for one in found] == [("host", "esx-1"), ("host", "esx-2")]
    first, second = found
    assert first["iops"] == pytest.approx(200)
    assert [first[name] for name in ("gavg_us", "davg_us", "kavg_us", "qavg_us")] == [
        pytest.approx(600), pytest.approx(485), pytest.approx(115), None,
    ]  # fmt: skip
    assert (first["precision_us"], first["queue_depth"], first["vms_active"]) == (1, 64, 1)
    assert second["iops"] == pytest.approx(1)
    assert (second["gavg_us"], second["queue_depth"], second["vms_active"]) == (None, None, None)


def test_evidence_is_the_sources_own_numbers_with_counter_step_and_source(
    client: TestClient, environment: Environment, store: int
) -> None:
    ends = every(20, NOW - 5 * MINUTE + timedelta(seconds=20), 15)
    busy, slow = [1000] * 14 + [6000], [400] * 14 + [1000]
    columns = {"read_ops": busy, "read_gavg_us": slow, "precision": [2] * 15}
    with transaction(environment.engine) as connection:
        write_samples(
            connection, environment.vcenter, batch(Stream.HOST_DEVICE, f"esx-1/{naa(SERIALS[0])}", ends, **columns)
        )
        ends = every(30, NOW - 5 * MINUTE + timedelta(seconds=30), 10)
        write_samples(
            connection,
            environment.array,
            batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=900, read_service_us=300),
        )
    found = ask(client, f"datastores/{store}/diagnosis")["evidence"]
    gavg = next(one for one in found if one["name"] == "read_gavg_us")
    assert gavg["value"] == pytest.approx((14 * 1000 * 400 + 6000 * 1000) / 20_000)
    assert (gavg["counter"], gavg["unit"], gavg["precision"]) == ("disk.totalReadLatency.average", "µs", 1000)
    assert (gavg["side"], gavg["at"]) == ("host", ago(0))
    assert [(one["kind"], one["name"]) for one in gavg["sources"]] == [("source", "source of vcenter")]
    service = next(one for one in found if one["name"] == "read_service_us")
    assert (service["side"], service["value"], service["label"]) == ("array", 300, "Read array service")
    host = ask(client, f"hosts/{ask(client, 'hosts')['items'][0]['id']}/diagnosis")["evidence"]
    labels = {(one["side"], one["label"]) for one in host}
    assert ("array", "Read array service, all hosts") in labels
    assert ("host", "Read GAVG") in labels
    raw = ask(client, f"datastores/{store}/evidence?{between(5, 0)}")
    assert {group["scope"] for group in raw["groups"]} == {"whole", "part"}


def test_ports_and_owner_of_a_host_on_an_array_come_in_parts(client: TestClient, environment: Environment) -> None:
    array = environment.id("storage_array", "array-a")
    for state, detail, owner in (("healthy", "Redundant", None), ("unknown", None, "array-b"), (None, None, None)):
        with transaction(environment.engine) as connection:
            update = "UPDATE array_host SET port_health = :state, port_health_detail = :detail, managed_by = :owner"
            connection.execute(text(update), {"state": state, "detail": detail, "owner": owner})
        (host,) = ask(client, f"arrays/{array}")["array_hosts"]
        assert host["port_health"] == (state and {"state": state, "detail": detail})
        assert host["managed_by"] == owner


def test_arrays_are_listed_and_shown_with_pods_and_hosts(client: TestClient, environment: Environment) -> None:
    (row,) = ask(client, "arrays")["items"]
    # Seven with data and a protocol endpoint, as the list of its volumes has them.
    assert (row["name"], row["volumes"], row["hosts"], row["pods"]) == ("name of array-a", 8, 1, 1)
    assert row["source"]["id"] == environment.array
    one = ask(client, f"arrays/{row['id']}")
    assert [(pod["name"], pod["stretched"], pod["volumes"]) for pod in one["pod_list"]] == [("pod", True, 1)]
    assert [host["name"] for host in one["array_hosts"]] == ["esx-1"]
    assert client.get("/api/v1/arrays/99").status_code == 404
    ends = every(30, NOW, 2)
    with transaction(environment.engine) as connection:
        write_samples(connection, environment.array, batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=900))
    environment.last_minutes(ScopeKind.ARRAY, row["id"], 5, minute(60_000, 0, KERNEL))
    assert ask(client, f"arrays/{row['id']}/diagnosis")["layer"] == "kernel"
    raw = ask(client, f"arrays/{row['id']}/evidence?{between(5, 0)}")
    assert {(group["scope"], group["entity"]["kind"]) for group in raw["groups"]} >= {("part", "volume")}
    folded = ask(client, f"arrays/{row['id']}/series?{between(5, 0)}")["groups"]
    assert {(group["scope"], group["entity"]["id"]) for group in folded} == {("whole", row["id"])}
    assert {group["side"] for group in folded} >= {"array"}
