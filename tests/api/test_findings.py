"""Findings through the API: lists with filters, one with evidence and advice, CSV, and who accepts one."""

import csv
import io
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import NOW, Environment, ask

from gavel.api.convert_findings import csv_cell
from gavel.db.engine import transaction
from gavel.db.write.findings import Evaluation, store_evaluation
from gavel.domain.io_path import Confidence, Severity
from gavel.findings.model import Advice, AdviceCommand, AdviceKind, Finding, FindingEvidence, ObjectRef
from gavel.findings.registry import RULES_BY_ID


def finding(environment: Environment, thing: ObjectRef, title: str, severity: Severity, **more: Any) -> Finding:
    command = AdviceCommand(where="ESXi Shell or SSH", change="esxcli storage core adapter rescan --all", on=thing)
    return Finding(
        source_id=environment.vcenter, object=thing, severity=severity, confidence=Confidence.CONFIRMED, title=title, cause="A cable.",
        evidence=(FindingEvidence(label="Paths down", value=4.0, unit="paths", to_at=NOW, counter="path.state", object=thing),),
        advice=(Advice(kind=AdviceKind.REPAIR, text="Repair the cable", commands=(command,), agree=("storage",)),),
        magnitude=4.0, **more,
    )  # fmt: skip


class Store:
    def __init__(self, engine: Engine, environment: Environment) -> None:
        self.engine, self.environment = engine, environment
        self.datastore = ObjectRef("datastore", environment.id("datastore", "simple"), "simple")
        self.host = ObjectRef("host", environment.id("esxi_host", "esx-1"), "esx-1")

    def has(self, found: Sequence[tuple[str, Finding]], at: datetime = NOW) -> None:
        settled = [(rule, self.environment.vcenter) for rule in RULES_BY_ID]
        with transaction(self.engine) as connection:
            store_evaluation(connection, Evaluation(found, list(RULES_BY_ID), settled, at, at))

    def both(self, at: datetime = NOW) -> None:
        self.has(
            [
                (
                    "paths-down",
                    finding(
                        self.environment, self.datastore, "4 of 8 paths down", Severity.HIGH, affected=(self.host,)
                    ),
                ),
                ("unequal-queue-settings", finding(self.environment, self.host, "=2+3", Severity.NORMAL)),
            ],
            at,
        )


@pytest.fixture
def findings(engine: Engine, environment: Environment) -> Store:
    return Store(engine, environment)


def titles(page: Any) -> list[str]:
    return [one["title"] for one in page["items"]]


def test_findings_come_worst_first_with_totals_and_the_first_advice(client: TestClient, findings: Store) -> None:
    findings.both()
    page = ask(client, "findings")
    assert titles(page) == ["4 of 8 paths down", "=2+3"]
    worst = page["items"][0]
    assert worst["object"] == {"kind": "datastore", "id": findings.datastore.id, "name": "simple"}
    assert (worst["rule_title"], worst["advice"], worst["concerns"]) == ("Paths down", "Repair the cable", 1)
    assert page["totals"]["severity"] == {"normal": 1, "elevated": 0, "high": 1}
    assert page["totals"]["state"] == {"open": 2, "accepted": 0, "cleared": 0}
    assert datetime.fromisoformat(page["evaluated_at"]) == NOW


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("severity=high", ["4 of 8 paths down"]),
        ("severity=high&severity=normal&sort=-severity", ["=2+3", "4 of 8 paths down"]),
        ("rule=unequal-queue-settings", ["=2+3"]),
        ("rule=no-such-rule", []),
        ("search=PATHS", ["4 of 8 paths down"]),
        ("search=queue settings", ["=2+3"]),
        ("subject=host", ["=2+3"]),
        ("sort=object", ["=2+3", "4 of 8 paths down"]),
        ("state=cleared", []),
        ("limit=1&offset=1", ["=2+3"]),
    ],
)
def test_findings_are_filtered_and_sorted(client: TestClient, findings: Store, query: str, expected: list[str]) -> None:
    findings.both()
    assert titles(ask(client, f"findings?{query}")) == expected


def test_findings_of_an_object_are_its_own_and_those_that_touch_it(client: TestClient, findings: Store) -> None:
    findings.both()
    of_host = ask(client, f"findings?subject=host&object_id={findings.host.id}")
    assert titles(of_host) == ["4 of 8 paths down", "=2+3"]
    of_store = ask(client, f"findings?subject=datastore&object_id={findings.datastore.id}")
    assert titles(of_store) == ["4 of 8 paths down"]


def test_findings_are_counted_by_object_with_the_worst_severity(client: TestClient, findings: Store) -> None:
    findings.both()
    assert ask(client, "findings/counts?subject=host") == [{"id": findings.host.id, "open": 2, "severity": "high"}]
    assert ask(client, "findings/counts?subject=vm") == []


def test_a_finding_has_evidence_advice_reasons_and_its_history(client: TestClient, findings: Store) -> None:
    findings.both()
    found = ask(client, f"findings/{ask(client, 'findings')['items'][0]['id']}")
    assert found["evidence"][0]["value"] == 4.0
    assert found["advice_list"][0]["commands"][0]["on"]["name"] == "simple"
    assert found["affected"] == [{"kind": "host", "id": findings.host.id, "name": "esx-1"}]
    assert found["blind_spots"] == list(RULES_BY_ID["paths-down"].blind_spots)
    assert [(one["before"], one["after"], one["by"]) for one in found["history"]] == [(None, "open", "")]
    assert client.get("/api/v1/findings/999").status_code == 404


def test_a_finding_is_accepted_by_name_and_opened_again(admin: TestClient, findings: Store) -> None:
    findings.both()
    path = f"/api/v1/findings/{ask(admin, 'findings')['items'][0]['id']}/accept"
    until = (datetime.now(tz=NOW.tzinfo) + timedelta(days=7)).isoformat()
    taken = admin.post(path, json={"by": "Ada", "why": "cable ordered", "until": until}).json()
    assert (taken["state"], taken["accepted"]["by"], taken["accepted"]["why"]) == ("accepted", "Ada", "cable ordered")
    newest = taken["history"][0]
    assert (newest["after"], newest["by"], newest["note"]) == ("accepted", "Ada", "cable ordered")
    assert ask(admin, "findings?state=accepted")["total"] == 1
    again = admin.delete(path).json()
    assert (again["state"], again["accepted"]) == ("open", None)


def test_a_finding_that_is_cleared_cannot_be_accepted(admin: TestClient, findings: Store) -> None:
    findings.both()
    finding_id = ask(admin, "findings")["items"][0]["id"]
    findings.has([], NOW + timedelta(minutes=5))
    refused = admin.post(f"/api/v1/findings/{finding_id}/accept", json={"by": "Ada", "why": "x"})
    assert refused.status_code == 409
    assert "cleared" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"by": "Ada", "why": "x", "until": "2020-01-01T00:00:00Z"}, 422),
        ({"by": "", "why": "x"}, 422),
        ({"by": "Ada", "why": ""}, 422),
        ({"by": "Ada", "why": "x\x00"}, 422),
    ],
)
def test_an_acceptance_needs_a_name_a_reason_and_a_time_to_come(
    admin: TestClient, findings: Store, body: dict[str, str], status: int
) -> None:
    findings.both()
    path = f"/api/v1/findings/{ask(admin, 'findings')['items'][0]['id']}/accept"
    assert admin.post(path, json=body).status_code == status


def test_accepting_a_finding_needs_the_admin(client: TestClient, findings: Store) -> None:
    findings.both()
    path = f"/api/v1/findings/{ask(client, 'findings')['items'][0]['id']}/accept"
    assert client.post(path, json={"by": "Ada", "why": "x"}).status_code == 403
    assert client.delete(path).status_code == 403


def test_findings_as_csv_have_the_same_filters_and_no_formulas(client: TestClient, findings: Store) -> None:
    findings.both()
    answer = client.get("/api/v1/findings.csv?severity=normal")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    (line,) = csv.DictReader(io.StringIO(answer.text))
    assert (line["rule"], line["title"], line["advice"]) == ("unequal-queue-settings", "'=2+3", "Repair the cable")


@pytest.mark.parametrize(
    "name",
    [
        "=1",
        "+1",
        "-1",
        "@x",
        "\uff1d1+1",
        "\uff0b1",
        "\uff0d1",
        "\uff20SUM(1)",
        "\u2212cmd",
        " =1+1",
        "\t=1",
        "\n=1",
        "\ufeff=1",
        "\u00a0@x",
        "\rx",
    ],
)
def test_findings_as_csv_hold_no_formula_that_the_csv_of_pages_does_not(name: str) -> None:
    assert csv_cell(name) == f"'{name}"
    assert [csv_cell(each) for each in ("a=b", "vm-01", "x @ y", None)] == ["a=b", "vm-01", "x @ y", ""]


def test_rules_of_findings_say_what_they_look_for_and_how_many_are_open(client: TestClient, findings: Store) -> None:
    findings.both()
    rules = {one["id"]: one for one in ask(client, "findings/rules")}
    assert rules.keys() == RULES_BY_ID.keys()
    assert rules["paths-down"]["open"] == 1
    assert rules["paths-down"]["raised_when"] == RULES_BY_ID["paths-down"].raised_when


def test_rules_of_findings_say_what_they_cannot_be_evaluated_on_yet(
    client: TestClient, environment: Environment
) -> None:
    rules = {one["id"]: one["unevaluated"] for one in ask(client, "findings/rules")}
    assert rules["array-saturation"]
    assert rules["paths-down"] == []
    assert all(one["reason"] for waiting in rules.values() for one in waiting)


def test_findings_before_the_first_evaluation_are_none_and_say_so(client: TestClient) -> None:
    page = ask(client, "findings")
    assert (page["items"], page["total"], page["evaluated_at"]) == ([], 0, None)
