"""Lists over HTTP: the rows of the overview beside the inventory's, in its order and with its filters."""

from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, ago, ask, minute, span
from tests.api.test_statements import counted

from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind

MOST_STATEMENTS = 45
SEVERITIES = ("normal", "elevated", "high")
KINDS = {
    "datastores": (ScopeKind.DATASTORE, "datastore", ("simple", "spanned", "nvme")),
    "vms": (ScopeKind.VM, "vm", ("vm-1", "vm-2")),
    "hosts": (ScopeKind.HOST, "esxi_host", ("esx-1", "esx-2")),
    "volumes": (ScopeKind.VOLUME, "volume", ("id-v0", "id-v1", "id-v2")),
}
FILTERS = (
    {"search": "s"},
    {"severity": "elevated"},
    {"severity": "normal"},
    {"layer": "kernel"},
    {"array": "name of"},
    {"array": "no such array"},
    {"vcenter": "vc"},
    {"cluster": "cl"},
    {"owner": "ada"},
    {"application": "finance"},
    {"tag": "tier=gold"},
    {"ip": "10."},
)


@pytest.fixture
def ranked(environment: Environment) -> Environment:
    """Of each kind one object with much excess, one with little, one in health; the others without a row."""
    loads = ((600_000, KERNEL), (6_000, KERNEL), (900_000, HEALTHY))
    for scope, table, names in KINDS.values():
        for name, (ops, spans) in zip(names, loads, strict=False):
            environment.last_minutes(scope, environment.id(table, name), 5, minute(ops, 0, spans))
    environment.last_minutes(ScopeKind.ENVIRONMENT, 0, 5, minute(1_506_000, 0, KERNEL))
    return environment


def ids(found: Any) -> list[int]:
    return [item["id"] for item in found["items"]]


def without_endpoints(found: Any) -> list[Any]:
    """Protocol endpoints hold no data and are in no ranking."""
    return [item for item in found["items"] if not item.get("is_protocol_endpoint")]


def with_query(path: str, **query: str) -> str:
    return f"{path}?{urlencode(query)}"


def test_a_list_by_excess_has_the_order_and_the_rows_of_the_overview(client: TestClient, ranked: Environment) -> None:
    for kind in KINDS:
        found = ask(client, f"{kind}?sort=-excess_outstanding")
        ranking = ask(client, f"overview?kind={kind}")
        assert [item["standing"] for item in without_endpoints(found)] == ranking["items"]
        assert all(item["standing"]["subject"]["id"] == item["id"] for item in found["items"])
        measured = [one for one in ranking["items"] if one["excess_outstanding"] is not None]
        assert len(measured) >= 2
        assert ranking["items"][: len(measured)] == measured, kind
        rank = [(SEVERITIES.index(one["severity"]), one["excess_outstanding"]) for one in measured]
        assert rank == sorted(rank, reverse=True), kind


def test_a_standing_does_not_depend_on_the_order_of_the_list(client: TestClient, ranked: Environment) -> None:
    for kind in KINDS:
        by_excess = {item["id"]: item for item in ask(client, f"{kind}?sort=-excess_outstanding")["items"]}
        for sort in ("name", "-latency", "-iops", "total_latency", "-excess", "-total_iops"):
            found = ask(client, f"{kind}?sort={sort}")
            assert {item["id"]: item for item in found["items"]} == by_excess, (kind, sort)


def test_a_filter_leaves_the_rows_of_the_whole_list_in_their_order(client: TestClient, ranked: Environment) -> None:
    narrower = set()
    for kind, sort in product(KINDS, ("name", "-latency", "-excess_outstanding")):
        whole = ask(client, f"{kind}?sort={sort}")["items"]
        for wanted in FILTERS:
            found = ask(client, with_query(kind, sort=sort, **wanted))
            left = [item for item in whole if item["id"] in ids(found)]
            assert found["items"] == left, (kind, sort, wanted)
            assert found["total"] == len(left)
            if 0 < len(left) < len(whole):
                narrower.add(str(wanted))
            if sort == "name":
                ranking = ask(client, with_query("overview", kind=kind, **wanted))
                subjects = {item["subject"]["id"] for item in ranking["items"]}
                assert subjects == {item["id"] for item in without_endpoints(found)}, (kind, wanted)
    assert len(narrower) >= 6, narrower


def test_filters_of_severity_and_layer_fit_what_rows_say(client: TestClient, ranked: Environment) -> None:
    whole = ask(client, "datastores")["items"]
    for severity in ("elevated", "high", "normal"):
        wanted = {item["id"] for item in whole if item["standing"]["severity"] == severity}
        assert set(ids(ask(client, f"datastores?severity={severity}"))) == wanted
    assert ids(ask(client, "datastores?severity=elevated&sort=-excess")) == [
        ranked.id("datastore", "simple"),
        ranked.id("datastore", "spanned"),
    ]
    assert ids(ask(client, "datastores?layer=array")) == []


def test_a_severity_asked_for_leaves_out_what_has_cleared(client: TestClient, environment: Environment) -> None:
    simple, nvme = environment.id("datastore", "simple"), environment.id("datastore", "nvme")
    minutes = ((simple, (KERNEL,) * 5), (nvme, (KERNEL,) * 3 + (HEALTHY,) * 2))
    environment.write(
        [
            (ScopeKind.DATASTORE, datastore, NOW - age * MINUTE, minute(600_000, 0, spans))
            for datastore, each in minutes
            for age, spans in zip(range(5, 0, -1), each, strict=True)
        ]
    )
    rows = {item["id"]: item["standing"] for item in ask(client, "datastores")["items"]}
    assert [rows[each]["severity"] for each in (simple, nvme)] == ["elevated", "elevated"]
    assert [rows[each]["until_at"] for each in (simple, nvme)] == [None, ago(2)]
    for path in ("datastores?severity=elevated", "datastores?severity=elevated&sort=-latency"):
        assert ids(ask(client, path)) == [simple], path
    found = ask(client, "overview?severity=elevated")
    assert [item["subject"]["id"] for item in found["items"]] == [simple]
    assert (found["total"], found["totals"]["by_severity"]) == (1, {"elevated": 1})


def test_what_has_cleared_stands_after_what_still_is_elevated_however_bad_it_was(
    client: TestClient, environment: Environment
) -> None:
    simple, nvme, spanned = (environment.id("datastore", name) for name in ("simple", "nvme", "spanned"))
    worse = {**KERNEL, span(Layer.KERNEL): (9000.0, 8900.0, 9100.0)}
    minutes = ((simple, (KERNEL,) * 5), (nvme, (worse,) * 3 + (HEALTHY,) * 2), (spanned, (HEALTHY,) * 5))
    environment.write(
        [
            (ScopeKind.DATASTORE, datastore, NOW - age * MINUTE, minute(600_000, 0, spans))
            for datastore, each in minutes
            for age, spans in zip(range(5, 0, -1), each, strict=True)
        ]
    )
    found = ask(client, "overview")["items"]
    severities = {item["subject"]["id"]: (item["severity"], item["until_at"]) for item in found}
    assert severities[nvme] == ("high", ago(2))
    assert severities[simple] == ("elevated", None)
    assert [item["subject"]["id"] for item in found][:3] == [simple, nvme, spanned]


def test_a_page_of_a_list_is_a_part_of_it(client: TestClient, ranked: Environment) -> None:
    for sort in ("name", "-iops", "-excess_outstanding"):
        whole = ask(client, f"datastores?sort={sort}")
        page = ask(client, f"datastores?sort={sort}&limit=3&offset=2")
        assert page["items"] == whole["items"][2:5], sort
        assert page["total"] == whole["total"]
        assert ids(ask(client, f"datastores?sort={sort}&offset=5000")) == []


def test_a_trend_has_the_total_of_each_two_minutes_of_the_last_hour(client: TestClient, ranked: Environment) -> None:
    (row,) = ask(client, "datastores?search=simple")["items"]
    trend = row["standing"]["trend"]
    assert trend["step_s"] == 120
    assert len(trend["total_us"]) in (30, 31)
    measured = [us for us in trend["total_us"] if us is not None]
    assert len(measured) in (2, 3)
    assert measured == [row["standing"]["total_us"]] * len(measured)
    (without,) = ask(client, "datastores?search=vvol")["items"]
    assert without["standing"]["trend"] is None


def test_a_list_of_any_length_takes_a_bounded_number_of_statements(client: TestClient, ranked: Environment) -> None:
    for kind, sort in product(KINDS, ("name", "-latency", "-excess_outstanding")):
        counts = []
        for limit in (1, 500):
            with counted() as statements:
                ask(client, f"{kind}?sort={sort}&limit={limit}")
            counts.append(len(statements))
        assert max(counts) <= MOST_STATEMENTS, (kind, sort, counts)
