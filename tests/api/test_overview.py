"""The estate ranked over HTTP, who may read it, how it is told of news, and how all of it is described."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from tests.api.ledgers import BLURRED, HEALTHY, KERNEL, MINUTE, NOW, Estate, Interval, ago, ask, between, minute, span

from gavel.api.examples import EXAMPLES
from gavel.api.openapi import document
from gavel.db import live
from gavel.db.engine import transaction
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

DATASTORE, VM, HOST, ESTATE = ScopeKind.DATASTORE, ScopeKind.VM, ScopeKind.HOST, ScopeKind.ESTATE


FAST: dict[int, Interval] = {
    span(Layer.KERNEL): (0.0, 0.0, 5.0),
    span(Layer.SAN): (50.0, 45.0, 55.0),
    span(Layer.ARRAY): (150.0, 148.5, 151.5),
}


def mean(one: Interval, two: Interval) -> Interval:
    lower, middle, upper = (sum(pair) / 2 for pair in zip(one, two, strict=True))
    return lower, middle, upper


# --- overview ----------------------------------------------------------------------------------------------------------


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
    assert found["items"][0]["sentence"] == "Kernel: 0.44 of 0.93 ms, 0.44 ms over expected"
    assert found["total"] == 9
    assert found["from_at"] == ago(5)
    assert found["totals"]["by_certainty"] == {"certain": 2, "healthy": 1}
    assert found["totals"]["by_state"] == {"judged": 3, "no_data": 6}
    estate = found["estate"]
    assert (estate["certainty"], estate["layer"], estate["iops"]) == ("certain", "kernel", 25_100)
    assert [one["name"] for one in estate["occupancy"]] == ["kernel", "san", "array"]


@pytest.mark.parametrize("kind", ["datastores", "vms", "hosts", "volumes", "arrays"])
def test_everything_ranked_says_on_which_arrays_it_is(client: TestClient, ranked: Estate, kind: str) -> None:
    on = {
        item["subject"]["name"]: [array["name"] for array in item["arrays"]]
        for item in ask(client, f"overview?kind={kind}")["items"]
    }
    (array,) = (item["subject"]["name"] for item in ask(client, "overview?kind=arrays")["items"])
    known = {"datastores": "simple", "vms": "db01", "hosts": "esx-1", "arrays": array}
    assert on[known.get(kind, next(iter(on)))] == [array]
    if kind == "datastores":
        assert on["nfs-elsewhere"] == []


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


def test_what_one_datastore_saves_makes_up_for_nothing_that_another_loses(client: TestClient, estate: Estate) -> None:
    """Half of the I/Os wait 438 µs in the kernel, the other half are 400 µs faster than expected: the mean loses 219 µs."""
    for name, spans in (("simple", KERNEL), ("nvme", FAST)):
        estate.last_minutes(DATASTORE, estate.id("datastore", name), 5, minute(600_000, 0, spans))
    estate.last_minutes(
        ESTATE, 0, 5, minute(1_200_000, 0, {layer: mean(KERNEL[layer], FAST[layer]) for layer in KERNEL})
    )
    for query in ("overview", "overview?search=nvme", "overview?kind=vms"):
        assert ask(client, query)["estate"]["impact"] == pytest.approx(10_000 * 438e-6)
    found = ask(client, "overview")
    assert sum(item["impact"] or 0 for item in found["items"]) == pytest.approx(found["estate"]["impact"])


def test_what_is_on_no_datastore_counts_for_the_estate_too(client: TestClient, estate: Estate) -> None:
    estate.last_minutes(ESTATE, 0, 5, minute(600_000, 0, KERNEL))
    assert ask(client, "overview")["estate"]["impact"] == pytest.approx(10_000 * 438e-6)


def test_where_nobody_measured_a_latency_it_is_not_known_what_is_lost(client: TestClient, estate: Estate) -> None:
    untimed = minute(600_000, 0, {})
    estate.last_minutes(DATASTORE, estate.id("datastore", "simple"), 5, untimed)
    estate.last_minutes(ESTATE, 0, 5, untimed)
    found = ask(client, "overview?search=simple")
    assert [one["impact"] for one in (found["estate"], *found["items"])] == [None, None]


def test_ios_that_wait_in_one_of_two_layers_are_counted_in_neither(client: TestClient, estate: Estate) -> None:
    row = minute(300_000, 0, BLURRED, outermost_us=836.0)
    estate.last_minutes(DATASTORE, estate.id("datastore", "nvme"), 5, row)
    estate.last_minutes(DATASTORE, estate.id("datastore", "simple"), 5, minute(300_000, 0, KERNEL))
    estate.last_minutes(
        ESTATE, 0, 5, minute(600_000, 0, {layer: mean(KERNEL[layer], BLURRED[layer]) for layer in KERNEL})
    )
    for query in ("overview", "overview?search=simple", "overview?kind=hosts"):
        inside = {one["name"]: one for one in ask(client, query)["estate"]["occupancy"]}
        assert list(inside) == ["kernel", "kernel_or_san", "san", "array"]
        assert {name: round(one["ios"], 3) for name, one in inside.items()} == {
            "kernel": 2.19, "kernel_or_san": 2.65, "san": 0.46, "array": 4.0,
        }  # fmt: skip
        open_ = inside["kernel_or_san"]
        assert (open_["label"], open_["layers"]) == ("Kernel or SAN", ["kernel", "san"])
        assert (open_["lower_ios"], open_["upper_ios"]) == (0, pytest.approx(5_000 * 1_226e-6))
        assert all(one["lower_ios"] <= one["ios"] <= one["upper_ios"] for one in inside.values())


def test_the_overview_can_look_back(client: TestClient, estate: Estate, store: int) -> None:
    estate.write([(DATASTORE, store, NOW - 60 * MINUTE, minute(60_000, 0, KERNEL))])
    found = ask(client, f"overview?{between(61, 59)}&search=simple")
    assert found["items"][0]["layer"] == "kernel"
    assert ask(client, "overview?search=simple")["items"][0]["state"] == "no_data"


# --- whoever asks ------------------------------------------------------------------------------------------------------


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


# --- the description ---------------------------------------------------------------------------------------------------


def described_answers() -> Iterator[tuple[str, Any, Any]]:
    """Of each route that answers JSON: its name, the answer's description, and its schema with all that it refers to."""
    described: Any = document()
    for path in described["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                content = response.get("content", {}).get("application/json")
                if status.startswith("2") and content is not None:
                    yield operation["operationId"], content, content["schema"] | {"components": described["components"]}


def test_every_answer_has_an_example_that_is_as_described() -> None:
    answers = {name: (content, schema) for name, content, schema in described_answers()}
    assert EXAMPLES.keys() <= answers.keys()
    assert [name for name, (content, _) in answers.items() if "example" not in content] == []
    for name, (content, schema) in answers.items():
        wrong = [error.message for error in Draft202012Validator(schema).iter_errors(content["example"])]
        assert wrong == [], name


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
