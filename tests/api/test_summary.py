"""All that an object's page shows first, in one answer: the same as each section's own address answers."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import KERNEL, MINUTE, NOW, Environment, ask, between, minute

from gavel.api.schemas.summary import SummaryOut
from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind
from gavel.views.summary import SummarySections

KINDS = {
    "vms": (ScopeKind.VM, "vm", "vm-1"),
    "datastores": (ScopeKind.DATASTORE, "datastore", "simple"),
    "hosts": (ScopeKind.HOST, "esxi_host", "esx-1"),
    "volumes": (ScopeKind.VOLUME, "volume", "id-v0"),
}
HOUR = between(60, 0)
TREND = HOUR.replace("from=", "trend_from=").replace("to=", "trend_to=")


@pytest.fixture
def things(engine: Engine, environment: Environment) -> dict[str, int]:
    """By kind, one with ten minutes of excess in the kernel."""
    with transaction(engine) as connection:
        array = connection.execute(text("SELECT id FROM storage_array")).scalar_one()
    ids = {kind: environment.id(table, name) for kind, (_, table, name) in KINDS.items()} | {"arrays": array}
    scopes = {kind: scope for kind, (scope, _, _) in KINDS.items()} | {"arrays": ScopeKind.ARRAY}
    row = minute(2_600_000, 1_300_000, KERNEL, queue_depth=32.0)
    stamps = [NOW - n * MINUTE for n in range(1, 11)]
    environment.write([(scopes[kind], thing, at, row) for kind, thing in ids.items() for at in stamps])
    return ids


@pytest.mark.parametrize("kind", [*KINDS, "arrays"])
def test_a_summary_has_what_each_section_answers_at_its_own_address(
    client: TestClient, things: dict[str, int], kind: str
) -> None:
    path = f"{kind}/{things[kind]}"
    whole = ask(client, f"{path}/summary?{TREND}")
    series = ask(client, f"{path}/series?{HOUR}")
    own = {
        "object": ask(client, path),
        "diagnosis": ask(client, f"{path}/diagnosis"),
        "waterfall": ask(client, f"{path}/waterfall"),
        "latency": ask(client, f"{path}/latency?{HOUR}"),
        "contributors": ask(client, f"{path}/contributors?layer=kernel"),
        "hosts": ask(client, f"{path}/hosts") if kind == "datastores" else None,
        "happened": {name: series[name] for name in ("from_at", "to_at", "gaps", "events")},
        "failed": [],
    }
    assert whole == own
    assert whole["diagnosis"]["layer"] == "kernel"
    assert len(whole["latency"]["times_ms"]) == 60


@pytest.mark.parametrize("kind", [*KINDS, "arrays"])
def test_a_summary_is_as_it_is_described(client: TestClient, things: dict[str, int], kind: str) -> None:
    answer = client.get(f"/api/v1/{kind}/{things[kind]}/summary?{TREND}")
    SummaryOut.model_validate_json(answer.content)


def test_a_summary_of_a_range_is_about_that_range(client: TestClient, things: dict[str, int]) -> None:
    path = f"datastores/{things['datastores']}"
    whole = ask(client, f"{path}/summary?{between(10, 4)}&{TREND}")
    assert whole["diagnosis"] == ask(client, f"{path}/diagnosis?{between(10, 4)}")
    assert whole["contributors"] == ask(client, f"{path}/contributors?layer=kernel&{between(10, 4)}")
    assert whole["diagnosis"]["minutes"] == 6


def test_a_summary_names_the_section_that_failed_and_has_the_others(
    client: TestClient, things: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: SummarySections) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(SummarySections, "contributors", fails)
    path = f"datastores/{things['datastores']}"
    whole = ask(client, f"{path}/summary")
    (failed,) = whole["failed"]
    assert (failed["section"], failed["status"], whole["contributors"]) == ("contributors", 500, None)
    assert "the log of the API has the details" in failed["detail"]
    assert whole["diagnosis"] == ask(client, f"{path}/diagnosis")
    assert whole["hosts"] == ask(client, f"{path}/hosts")


def _statement(sql: str) -> Any:
    """A section that runs into an error of the database."""
    return lambda sections: sections._connection.execute(text(sql))


@pytest.mark.parametrize(
    ("sql", "status", "detail"),
    [
        ("SELECT 1 FROM no_such_relation", 500, "the log of the API has the details"),
        ("SELECT pg_sleep(60)", 503, "the database canceled a statement"),
    ],
)
def test_a_summary_loses_one_section_to_a_failing_statement(
    client: TestClient, things: dict[str, int], monkeypatch: pytest.MonkeyPatch, sql: str, status: int, detail: str
) -> None:
    path = f"datastores/{things['datastores']}"
    others = {"latency", "contributors", "happened", "diagnosis", "hosts", "object"}
    before = ask(client, f"{path}/summary?{TREND}")
    with monkeypatch.context() as patched:
        limited = f"SET LOCAL statement_timeout = 50; {sql}"
        patched.setattr(SummarySections, "waterfall", _statement(limited))
        whole = ask(client, f"{path}/summary?{TREND}")
    (failed,) = whole["failed"]
    assert (failed["section"], failed["status"], detail in failed["detail"]) == ("waterfall", status, True), failed
    assert {name: whole[name] for name in others} == {name: before[name] for name in others}


def test_a_summary_is_unavailable_when_the_database_goes_away_meanwhile(
    client: TestClient, things: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SummarySections, "waterfall", _statement("SELECT pg_terminate_backend(pg_backend_pid())"))
    answer = client.get(f"/api/v1/vms/{things['vms']}/summary")
    assert (answer.status_code, answer.json()["title"]) == (503, "Database not available")
    assert answer.headers["retry-after"]


def test_a_summary_of_what_is_not_there_is_not_found(client: TestClient, things: dict[str, int]) -> None:
    answer = client.get("/api/v1/vms/4040/summary")
    assert (answer.status_code, "4040" in answer.json()["detail"]) == (404, True)
    assert client.get(f"/api/v1/clusters/{things['vms']}/summary").status_code == 422


def test_a_summary_without_a_minute_in_the_ledger_has_its_object(client: TestClient, environment: Environment) -> None:
    path = f"hosts/{environment.id('esxi_host', 'esx-1')}"
    whole = ask(client, f"{path}/summary")
    assert whole["failed"] == []
    assert whole["diagnosis"]["state"] == "no_data"
    assert whole["object"] == ask(client, path)
