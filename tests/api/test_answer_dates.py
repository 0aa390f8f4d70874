"""Every answer has one Date, by the clock of the product: pages follow it."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from starlette.testclient import TestClient as ListenerClient
from tests.api.serving import served

from gavel import clock
from gavel.api import deps
from gavel.api.app import build
from gavel.config import Settings
from gavel.listener import app as listener

_AT = datetime(2026, 7, 1, 10, 0, tzinfo=UTC)
_DATE = "Wed, 01 Jul 2026 10:00:00 GMT"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_setting", clock.parse(f"@{_AT.timestamp():.0f}"))


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/api/v1/session", "/api/v1/nowhere", "/offline/nowhere/"])
def test_an_answer_has_the_date_of_the_products_clock(client: TestClient, path: str) -> None:
    assert client.get(path).headers.get_list("date") == [_DATE]


def test_an_answer_has_the_date_of_the_instant_that_an_environment_is_held_at(client: TestClient) -> None:
    client.app.dependency_overrides[deps.now] = lambda: _AT  # type: ignore[attr-defined]
    answer = client.get("/api/v1/health")
    assert (answer.headers["date"], answer.json()["now"]) == (_DATE, "2026-07-01T10:00:00Z")


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("path", ["/ping", "/health", "/nowhere"])
def test_an_answer_of_the_listener_has_the_date_of_the_products_clock(engine: Engine, path: str) -> None:
    with ListenerClient(listener.build(engine)) as asked:
        assert asked.get(path).headers.get_list("date") == [_DATE]


@pytest.mark.usefixtures("held")
def test_the_web_server_adds_no_second_date(settings: Settings) -> None:
    with served(build(settings)) as port:
        answer = httpx.get(f"http://127.0.0.1:{port}/api/v1/health", trust_env=False)
    assert answer.headers.get_list("date") == [_DATE]
    assert parsedate_to_datetime(_DATE) == _AT


@pytest.mark.usefixtures("held")
def test_signing_out_ends_the_cookie_without_an_instant(admin: TestClient) -> None:
    ended = admin.delete("/api/v1/session").headers["set-cookie"].lower()
    assert "max-age=0" in ended
    assert "expires" not in ended
