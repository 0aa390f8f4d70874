"""The environment ranked over HTTP, who may read it, how it is told of news, and how all of it is described."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from sqlalchemy import Engine
from tests.api.description import document
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

from gavel.api.examples import EXAMPLES
from gavel.db import live
from gavel.db.engine import transaction
from gavel.db.write.samples import advance_watermark
from gavel.diagnosis import ranking
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

DATASTORE, VM, HOST, ENVIRONMENT = ScopeKind.DATASTORE, ScopeKind.VM, ScopeKind.HOST, ScopeKind.ENVIRONMENT


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
def ranked(environment: Environment) -> Environment:
    """Three VMs' worth of datastores: one that loses much, one that loses little, one in health; the others without a row."""
    for name, ops, spans in (("simple", 600_000, KERNEL), ("spanned", 6_000, KERNEL), ("nvme", 900_000, HEALTHY)):
        environment.last_minutes(DATASTORE, environment.id("datastore", name), 5, minute(ops, 0, spans))
    environment.last_minutes(ENVIRONMENT, 0, 5, minute(1_506_000, 0, KERNEL))
    return environment


def names(found: Any) -> list[str]:
    return [item["subject"]["name"] for item in found["items"]]


def test_the_ranking_is_by_severity_then_by_excess_outstanding_then_what_has_none_by_name(
    client: TestClient, ranked: Environment
) -> None:
    found = ask(client, "overview")
    assert names(found)[:3] == ["simple", "spanned", "nvme"]
    assert names(found)[3:] == sorted(names(found)[3:])
    assert found["items"][0]["sentence"] == {
        "headline": "Kernel",
        "detail": "0.44 of 0.93 ms, 0.44 ms above baseline",
        "text": "Kernel: 0.44 of 0.93 ms, 0.44 ms above baseline",
    }
    assert found["total"] == 9
    assert found["from_at"] == ago(5)
    assert found["totals"]["by_severity"] == {"elevated": 2, "normal": 1}
    assert found["totals"]["by_confidence"] == {"confirmed": 2}
    assert found["totals"]["by_state"] == {"judged": 3, "no_data": 6}
    environment = found["environment"]
    assert (environment["confidence"], environment["layer"], environment["iops"]) == ("confirmed", "kernel", 25_100)
    assert [one["name"] for one in environment["occupancy"]] == ["kernel", "san", "array"]


def test_the_ranking_has_a_high_excess_of_few_ios_before_an_elevated_one_of_many(
    client: TestClient, ranked: Environment
) -> None:
    slow: dict[int, Interval] = {**HEALTHY, span(Layer.ARRAY): (2100.0, 2090.0, 2110.0)}
    ranked.last_minutes(DATASTORE, ranked.id("datastore", "nfs"), 5, minute(600, 0, slow))
    found = ask(client, "overview")
    assert names(found)[:4] == ["nfs", "simple", "spanned", "nvme"]
    assert [one["severity"] for one in found["items"][:5]] == ["high", "elevated", "elevated", "normal", None]
    first, second = (one["excess_outstanding"] for one in found["items"][:2])
    assert first < second
    assert names(ask(client, "overview?sort=excess_outstanding&order=asc"))[:4] == ["nvme", "spanned", "simple", "nfs"]
    assert found["totals"]["by_severity"] == {"high": 1, "elevated": 2, "normal": 1}


@pytest.mark.parametrize(("kernel_us", "severity", "limited"), [(280, "normal", True), (450, "elevated", False)])
def test_limited_counters_are_told_of_rows_and_diagnoses_alike(
    client: TestClient, environment: Environment, store: int, kernel_us: float, severity: str, limited: bool
) -> None:
    """Whole milliseconds leave all of the kernel open: no layer is named, and only below twice the threshold is it normal."""
    coarse: dict[int, Interval] = {
        span(Layer.KERNEL): (kernel_us, 0, 5000), span(Layer.SAN): (50, 40, 60), span(Layer.ARRAY): (200, 190, 210)
    }  # fmt: skip
    environment.last_minutes(DATASTORE, store, 5, minute(60_000, 0, coarse))
    (row,) = ask(client, "overview?search=simple")["items"]
    for found in (row, ask(client, f"datastores/{store}/diagnosis")):
        assert (found["severity"], found["limited_counters"], found["confidence"], found["layer"]) == (
            severity,
            limited,
            None,
            None,
        )
    assert row["sentence"]["headline"] == severity.capitalize()


@pytest.mark.parametrize("kind", ["datastores", "vms", "hosts", "volumes", "arrays"])
def test_everything_ranked_says_on_which_arrays_it_is(client: TestClient, ranked: Environment, kind: str) -> None:
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
        ("sort=excess_outstanding&order=asc", ["nvme", "spanned", "simple"]),
        ("sort=name&order=asc&search=s&limit=2", ["nfs", "nfs-elsewhere"]),
        ("severity=normal", ["nvme"]),
        ("severity=elevated", ["simple", "spanned"]),
        ("severity=high", []),
        ("confidence=confirmed", ["simple", "spanned"]),
        ("layer=kernel", ["simple", "spanned"]),
        ("layer=array", []),
        ("search=SPANN", ["spanned"]),
    ],
)
def test_the_ranking_is_sorted_and_filtered(
    client: TestClient, ranked: Environment, query: str, first: list[str]
) -> None:
    assert names(ask(client, f"overview?{query}"))[:3] == first


@pytest.mark.parametrize("kind", ["datastores", "vms", "hosts", "volumes", "arrays", "clusters"])
def test_totals_are_the_sums_of_all_pages(client: TestClient, ranked: Environment, kind: str) -> None:
    ranked.last_minutes(VM, ranked.id("vm", "vm-1"), 5, minute(9_000, 0, KERNEL))
    ranked.last_minutes(HOST, ranked.id("esxi_host", "esx-1"), 5, minute(9_000, 0, KERNEL))
    whole = ask(client, f"overview?kind={kind}")
    pages = [ask(client, f"overview?kind={kind}&limit=2&offset={offset}") for offset in range(0, whole["total"], 2)]
    items = [item for page in pages for item in page["items"]]
    assert items == whole["items"]
    assert len(items) == whole["total"]
    assert sum(item["iops"] or 0 for item in items) == pytest.approx(whole["totals"]["iops"])
    measured = [item for item in items if item["total_us"] is not None and item["iops"]]
    io_time = sum(item["total_us"] * item["iops"] for item in measured)
    mean_us = io_time / sum(item["iops"] for item in measured) if measured else None
    assert whole["totals"]["total_us"] == (None if mean_us is None else pytest.approx(mean_us, rel=1e-3))
    assert sum(item["excess_outstanding"] or 0 for item in items) == pytest.approx(
        whole["totals"]["excess_outstanding"]
    )
    assert all(page["totals"] == whole["totals"] for page in pages)


def test_what_one_datastore_saves_makes_up_for_nothing_that_another_loses(
    client: TestClient, environment: Environment
) -> None:
    """Half of the I/Os wait 438 µs in the kernel, the other half are 400 µs faster than expected: the mean loses 219 µs."""
    for name, spans in (("simple", KERNEL), ("nvme", FAST)):
        environment.last_minutes(DATASTORE, environment.id("datastore", name), 5, minute(600_000, 0, spans))
    environment.last_minutes(
        ENVIRONMENT, 0, 5, minute(1_200_000, 0, {layer: mean(KERNEL[layer], FAST[layer]) for layer in KERNEL})
    )
    for query in ("overview", "overview?search=nvme", "overview?kind=vms"):
        assert ask(client, query)["environment"]["excess_outstanding"] == pytest.approx(10_000 * 438e-6)
    found = ask(client, "overview")
    assert sum(item["excess_outstanding"] or 0 for item in found["items"]) == pytest.approx(
        found["environment"]["excess_outstanding"]
    )


def test_what_is_on_no_datastore_counts_for_the_environment_too(client: TestClient, environment: Environment) -> None:
    environment.last_minutes(ENVIRONMENT, 0, 5, minute(600_000, 0, KERNEL))
    assert ask(client, "overview")["environment"]["excess_outstanding"] == pytest.approx(10_000 * 438e-6)


def test_where_nobody_measured_a_latency_it_is_not_known_what_is_lost(
    client: TestClient, environment: Environment
) -> None:
    untimed = minute(600_000, 0, {})
    environment.last_minutes(DATASTORE, environment.id("datastore", "simple"), 5, untimed)
    environment.last_minutes(ENVIRONMENT, 0, 5, untimed)
    found = ask(client, "overview?search=simple")
    assert [one["excess_outstanding"] for one in (found["environment"], *found["items"])] == [None, None]


def test_ios_that_wait_in_one_of_two_layers_are_counted_in_neither(
    client: TestClient, environment: Environment
) -> None:
    row = minute(300_000, 0, BLURRED, outermost_us=836.0)
    environment.last_minutes(DATASTORE, environment.id("datastore", "nvme"), 5, row)
    environment.last_minutes(DATASTORE, environment.id("datastore", "simple"), 5, minute(300_000, 0, KERNEL))
    environment.last_minutes(
        ENVIRONMENT, 0, 5, minute(600_000, 0, {layer: mean(KERNEL[layer], BLURRED[layer]) for layer in KERNEL})
    )
    for query in ("overview", "overview?search=simple", "overview?kind=hosts"):
        inside = {one["name"]: one for one in ask(client, query)["environment"]["occupancy"]}
        assert list(inside) == ["kernel", "kernel_or_san", "san", "array"]
        assert {name: round(one["ios"], 3) for name, one in inside.items()} == {
            "kernel": 2.19, "kernel_or_san": 2.65, "san": 0.46, "array": 4.0,
        }  # fmt: skip
        open_ = inside["kernel_or_san"]
        assert (open_["label"], open_["layers"]) == ("Kernel or SAN", ["kernel", "san"])
        assert (open_["lower_ios"], open_["upper_ios"]) == (0, pytest.approx(5_000 * 1_226e-6))
        assert all(one["lower_ios"] <= one["ios"] <= one["upper_ios"] for one in inside.values())


def test_the_overview_can_look_back(client: TestClient, environment: Environment, store: int) -> None:
    environment.write([(DATASTORE, store, NOW - 60 * MINUTE, minute(60_000, 0, KERNEL))])
    found = ask(client, f"overview?{between(61, 59)}&search=simple")
    assert found["items"][0]["layer"] == "kernel"
    assert ask(client, "overview?search=simple")["items"][0]["state"] == "no_data"


# --- whoever asks ------------------------------------------------------------------------------------------------------


def test_a_wall_token_may_read_all_of_it(
    client: TestClient, admin: TestClient, environment: Environment, store: int
) -> None:
    token = admin.post("/api/v1/wall-token").json()["token"]
    wall = {"authorization": f"Bearer {token}"}
    for path in ("overview", f"datastores/{store}/diagnosis", f"datastores/{store}/latency", "arrays"):
        assert client.get(f"/api/v1/{path}", headers=wall).status_code == 200
    assert client.get("/api/v1/overview", headers={"authorization": "Bearer nobody"}).status_code == 401


def test_the_live_stream_tells_that_minutes_were_attributed(client: TestClient, environment: Environment) -> None:
    """The overview is asked again when `ledger` is among the streams."""
    update = _told_of_minutes(client, environment)
    assert (update.streams, update.sources, update.until_at) == (["ledger"], [], NOW)


def test_the_overview_of_newer_minutes_is_there_when_pages_hear_of_them(
    client: TestClient, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, rank = list[int](), ranking.overview

    def counted(*arguments: Any) -> Any:
        made.append(1)
        return rank(*arguments)

    monkeypatch.setattr(ranking, "overview", counted)
    before = ask(client, "overview")
    environment.last_minutes(ScopeKind.DATASTORE, environment.id("datastore", "simple"), 5, minute(600_000, 0, KERNEL))
    _told_of_minutes(client, environment)
    assert len(made) == 2
    assert ask(client, "overview") != before
    assert len(made) == 2


def _told_of_minutes(client: TestClient, environment: Environment) -> Any:
    """The update that follows on news of minutes."""
    broadcast = client.app.state.house.broadcast  # type: ignore[attr-defined]
    before = broadcast.revision
    # The database hands on what is announced while somebody listens: the listener may be connecting yet.
    for _ in range(60):
        with transaction(environment.engine) as connection:
            live.announce(connection, live.News(None, "ledger", NOW))
        update = client.portal.call(_next_update, broadcast, before)  # type: ignore[union-attr]
        if update is not None:
            return update
    raise AssertionError("no update came")


async def _next_update(broadcast: Any, seen: int) -> Any:
    """None where none came within two seconds."""
    async for update in broadcast.updates(silent_s=2.0):
        if update is None or update.revision > seen:
            return update
    return None


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
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(DATASTORE, store, 3, minute(60_000, 20_000, KERNEL))
    described: Any = document()
    operation = described["paths"]["/api/v1/{kind}/{thing_id}/latency"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    Draft202012Validator(schema | {"components": described["components"]}).validate(
        ask(client, f"datastores/{store}/latency")
    )


# --- whether it is current ---------------------------------------------------------------------------------------------


def test_health_says_when_the_ledger_falls_behind_the_samples(
    client: TestClient, environment: Environment, engine: Engine
) -> None:
    def ledger() -> dict[str, str]:
        parts: list[dict[str, str]] = ask(client, "health")["parts"]
        return next(part for part in parts if part["name"] == "ledger")

    with transaction(engine) as connection:
        advance_watermark(connection, environment.vcenter, Stream.HOST_DEVICE, NOW + 2 * MINUTE)
    assert ledger()["status"] == "ok"
    with transaction(engine) as connection:
        advance_watermark(connection, environment.vcenter, Stream.HOST_DEVICE, NOW + 6 * MINUTE)
    assert ledger()["status"] == "degraded"
    assert f"attributed up to {NOW:%H:%M}" in ledger()["detail"]
