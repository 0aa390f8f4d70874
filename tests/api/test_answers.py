"""Shapes of answers: problems for people, ranges that make sense, pages that are fenced in."""

import dataclasses
import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import Environment, ask
from tests.db.environments import host_inventory

from gavel.api import slots
from gavel.api.app import build
from gavel.api.deps import now
from gavel.config import Settings
from gavel.db import engine as connections
from gavel.db.engine import Engine, Role, open_engine, transaction
from gavel.db.queries.sources import add_source, store_secrets
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import SourceKind


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("from=yesterday", "is no time"),
        ("from=2026-11-21T10:00:00", "time zone"),
        ("from=now&to=-1h", "empty"),
        ("from=-99999d", "longer than 400 days"),
        ("points=5000", "points"),
    ],
)
def test_a_range_that_makes_no_sense_is_explained(client: TestClient, query: str, words: str) -> None:
    answer = client.get(f"/api/v1/datastores/1/series?{query}")
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


@pytest.mark.parametrize("path", ["datastores/7", "vms/7", "hosts/7", "volumes/7", "sources/7", "datastores/7/series"])
def test_what_is_not_there_is_not_found(client: TestClient, path: str) -> None:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 404
    assert "7" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["datastores", "vms", "hosts", "volumes"])
def test_an_empty_environment_is_an_empty_page(client: TestClient, path: str) -> None:
    assert client.get(f"/api/v1/{path}").json() == {"items": [], "total": 0, "limit": 100, "offset": 0}


def test_what_is_on_one_side_only_is_told_with_reason_and_remedy(client: TestClient, engine: Engine) -> None:
    with transaction(engine) as connection:
        source_id = add_source(
            connection,
            kind=SourceKind.VCENTER,
            name="vc",
            address="vc",
            settings={},
            enabled=True,
            now=datetime.now(UTC),
        )
        store_inventory(connection, source_id, InventoryTaken(host_inventory(), datetime.now(UTC)))
    page = client.get(
        "/api/v1/unmatched", params={"kind": "datastore", "needs_action": True, "search": "simple"}
    ).json()
    (simple,) = page["items"]
    assert (simple["shown_at"]["kind"], simple["hosts"], page["total"]) == ("datastore", ["esx-1", "esx-2"], 1)
    assert "No polled array has a volume" in simple["reason"]
    assert simple["remedy"] == "Add its array under Sources."
    assert {"kind": "datastore", "needs_action": 8, "expected": 1} in page["counts"]
    assert client.get("/api/v1/unmatched", params={"kind": "cupboard"}).status_code == 422


def test_a_mistyped_api_address_is_not_a_page(client: TestClient) -> None:
    answer = client.get("/api/v1/datastoers", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("added_s", "enabled", "status", "said"),
    [
        (None, True, "ok", "nothing to poll"),
        (300, False, "ok", "nothing to poll"),
        (10, True, "ok", "no run recorded yet"),
        (300, True, "degraded", "no run recorded yet"),
    ],
)
def test_health_tells_the_storage_mode_and_whether_workers_do_what_there_is_to_do(
    client: TestClient, added_s: float | None, enabled: bool, status: str, said: str
) -> None:
    if added_s is not None:
        here = client.app.state.house  # type: ignore[attr-defined]
        added_at = datetime.now(UTC) - timedelta(seconds=added_s)
        with transaction(here.engine) as connection:
            add_source(
                connection, kind=SourceKind.VCENTER, name="vc", address="vc", settings={}, enabled=enabled, now=added_at
            )
    health = client.get("/api/v1/health").json()
    assert (health["status"], health["storage_mode"]) == (status, "plain")
    parts = {part["name"]: part for part in health["parts"]}
    assert {name: part["status"] for name, part in parts.items()} == {
        "database": "ok", "workers": status, "ledger": "ok", "alerts": "ok",
    }  # fmt: skip
    assert said in parts["workers"]["detail"]


def test_health_names_secrets_that_the_key_file_does_not_open(client: TestClient) -> None:
    here = client.app.state.house  # type: ignore[attr-defined]
    with transaction(here.engine) as connection:
        known = add_source(
            connection,
            kind=SourceKind.VCENTER,
            name="vc",
            address="vc",
            settings={},
            enabled=False,
            now=datetime.now(UTC),
        )
        store_secrets(connection, known, b"envelope", "0123456789abcdef")
    health = client.get("/api/v1/health").json()
    [part] = [part for part in health["parts"] if part["name"] == "secrets"]
    assert (health["status"], part["status"]) == ("degraded", "degraded")
    assert "secrets of 1 sources and channels" in part["detail"]
    assert "another key (0123456789abcdef)" in part["detail"]


def test_an_unreachable_database_is_a_503_with_a_sentence(client: TestClient) -> None:
    here = client.app.state.house  # type: ignore[attr-defined]
    gone = open_engine("postgresql://gavel@127.0.0.1:9/gavel", Role.API)
    client.app.state.house = dataclasses.replace(here, engine=gone, health_engine=gone)  # type: ignore[attr-defined]
    health = client.get("/api/v1/health")
    assert health.status_code == 503
    assert health.json()["status"] == "failed"
    datastores = client.get("/api/v1/datastores")
    assert datastores.status_code == 503
    assert datastores.headers["retry-after"]
    assert "Is it running?" in datastores.json()["detail"]
    client.app.state.house = here  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("limits", "title", "words"),
    [
        ({"statement": 1}, "Database too slow", "a shorter time range"),
        ({"lock": 1}, "Database busy", "Try again in a minute"),
    ],
)
def test_a_question_at_a_limit_of_the_database_is_a_503_that_says_what_to_do(
    client: TestClient,
    engine: Engine,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    limits: dict[str, int],
    title: str,
    words: str,
) -> None:
    usual = connections._LIMITS[Role.API]
    monkeypatch.setattr(slots, "_LIST_STATEMENT_S", limits.get("statement", usual.statement))
    monkeypatch.setitem(connections._LIMITS, Role.API, dataclasses.replace(usual, **limits))
    here, hasty = client.app.state.house, open_engine(settings.database_url, Role.API)  # type: ignore[attr-defined]
    client.app.state.house = dataclasses.replace(here, engine=hasty)  # type: ignore[attr-defined]
    with transaction(engine) as connection:
        connection.execute(text("LOCK TABLE datastore IN ACCESS EXCLUSIVE MODE"))
        found = client.get("/api/v1/datastores")
    client.app.state.house = here  # type: ignore[attr-defined]
    hasty.dispose()
    assert (found.status_code, found.json()["title"]) == (503, title)
    assert words in found.json()["detail"]
    assert found.headers["retry-after"]


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(
        '<!doctype html><html data-time="__SERVER_TIME__"><style nonce="__CSP_NONCE__"></style>'
    )
    (folder / "assets" / "main-1a2b.js").write_text("1")
    (folder / "icon.svg").write_text("<svg/>")
    (tmp_path / "outside.txt").write_text("secret")
    return folder


@pytest.fixture
def pages(settings: Settings, dist: Path) -> TestClient:
    return TestClient(build(settings.model_copy(update={"frontend_dir": dist})), base_url="http://127.0.0.1:8321")


def test_any_address_a_person_opens_is_the_page_with_a_fresh_nonce(pages: TestClient) -> None:
    with pages:
        first, second = (pages.get("/datastores/7", headers={"accept": "text/html"}) for _ in range(2))
    policy = first.headers["content-security-policy"]
    nonce = first.text.split('nonce="')[1].split('"')[0]
    assert f"'nonce-{nonce}'" in policy
    assert "frame-ancestors 'none'" in policy
    assert first.text != second.text
    assert first.headers["cache-control"] == "no-cache"


def test_page_holds_the_time_of_the_server_which_answers_are_dated_by(pages: TestClient) -> None:
    with pages:
        cast("FastAPI", pages.app).dependency_overrides[now] = lambda: datetime(2026, 11, 20, 12, 0, 0, 250_000, UTC)
        page = pages.get("/alerts", headers={"accept": "text/html"})
    assert 'data-time="2026-11-20T12:00:00.250+00:00"' in page.text
    assert page.headers["date"] == "Fri, 20 Nov 2026 12:00:00 GMT"


def test_assets_come_as_the_build_has_compressed_them_to_whoever_takes_that(pages: TestClient, dist: Path) -> None:
    script = b"let a = 1\n" * 1000
    (dist / "assets" / "main-1a2b.js").write_bytes(script)
    (dist / "assets" / "main-1a2b.js.gz").write_bytes(gzip.compress(script, 9))
    with pages:
        packed, plain = (
            pages.get("/assets/main-1a2b.js", headers={"accept-encoding": wanted}) for wanted in ("gzip", "identity")
        )
        again = pages.get("/assets/main-1a2b.js", headers={"if-none-match": packed.headers["etag"]})
    assert packed.content == plain.content == script
    assert int(packed.headers["content-length"]) == len(gzip.compress(script, 9))
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for one in (packed, plain):
        assert one.headers["vary"] == "Accept-Encoding"
        assert one.headers["content-type"].startswith("text/javascript")
        assert "immutable" in one.headers["cache-control"]
    assert again.status_code == 304


def test_assets_are_kept_for_ever_and_files_beside_the_pages_are_not_served(pages: TestClient) -> None:
    with pages:
        assert "immutable" in pages.get("/assets/main-1a2b.js").headers["cache-control"]
        assert pages.get("/icon.svg").status_code == 200
        for path in (
            "/../outside.txt",
            "/assets/../../outside.txt",
            "/%2e%2e/outside.txt",
            "/assets/%2e%2e/%2e%2e/outside.txt",
        ):
            assert "secret" not in pages.get(path).text


def test_search_shows_a_virtual_disk_without_a_file_or_device_too(client: TestClient, environment: Environment) -> None:
    found = ask(client, "search?q=%20&limit=50")
    assert {hit["context"] for hit in found if hit["ref"]["kind"] == "vm"} >= {"VM with Hard disk 1"}
