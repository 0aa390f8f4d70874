"""What strangers see: behind a proxy nothing without a token, and beyond this machine neither details nor the description."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from gavel.api.app import build
from gavel.config import Settings

READS = ("/api/v1/sources", "/api/v1/vms", "/api/v1/live", "/api/v1/docs", "/api/v1/openapi.json")
BASE = "http://127.0.0.1:8321"


def test_reading_behind_a_public_address_needs_a_token(
    settings: Settings, client: TestClient, admin_token: str
) -> None:
    public = settings.model_copy(update={"public_url": "https://gavel.example"})
    with TestClient(build(public), base_url="https://gavel.example") as proxied:
        for path in READS:
            assert proxied.get(path).status_code == 401, path
            assert proxied.get(path, headers={"host": "127.0.0.1:8321"}).status_code == 401, path
        assert proxied.get("/api/v1/session").json()["role"] == "stranger"
        bearer = {"authorization": f"Bearer {admin_token}"}
        assert proxied.get("/api/v1/sources", headers=bearer).status_code == 200


@pytest.mark.parametrize("url", ["http://localhost:8321", "http://127.0.0.1:8321/", "http://[::1]:8321"])
def test_reading_stays_open_where_the_public_address_is_this_machine(settings: Settings, url: str) -> None:
    own = settings.model_copy(update={"public_url": url})
    with TestClient(build(own), base_url=BASE) as client:
        assert client.get("/api/v1/sources").status_code == 200


@pytest.mark.parametrize(
    "header",
    ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via", "CF-Connecting-IP"],
)
def test_what_a_proxy_passes_on_is_not_read_openly(client: TestClient, admin_token: str, header: str) -> None:
    passed_on = {header: "203.0.113.9"}
    assert client.get("/api/v1/sources", headers=passed_on).status_code == 401
    assert client.get("/api/v1/session", headers=passed_on).json()["role"] == "stranger"
    bearer = {"authorization": f"Bearer {admin_token}"}
    assert client.get("/api/v1/sources", headers=passed_on | bearer).status_code == 200


@pytest.fixture
def exposed(settings: Settings, client: TestClient, admin_token: str) -> Iterator[TestClient]:
    """A stranger before a Gavel that listens beyond its own machine."""
    everywhere = settings.model_copy(update={"host": "0.0.0.0"})  # noqa: S104
    with TestClient(build(everywhere), base_url=BASE, raise_server_exceptions=False) as found:
        yield found


def test_strangers_learn_of_health_only_the_states(exposed: TestClient, admin_token: str) -> None:
    seen = exposed.get("/api/v1/health")
    whole = exposed.get("/api/v1/health", headers={"authorization": f"Bearer {admin_token}"})
    assert (seen.status_code, whole.status_code) == (200, 200)
    assert [(part["name"], part["status"]) for part in seen.json()["parts"]] == [
        (part["name"], part["status"]) for part in whole.json()["parts"]
    ]
    assert {part["detail"] for part in seen.json()["parts"]} == {"Sign in to read the details."}
    assert any("reachable" in part["detail"] for part in whole.json()["parts"])


def test_health_answers_whoever_comes_with_a_wrong_token(exposed: TestClient) -> None:
    answer = exposed.get("/api/v1/health", headers={"authorization": "Bearer gvl_wrong"})
    assert answer.status_code == 200
    assert {part["detail"] for part in answer.json()["parts"]} == {"Sign in to read the details."}


def test_health_without_a_database_tells_strangers_no_address(settings: Settings, exposed: TestClient) -> None:
    house = exposed.app.state.house  # type: ignore[attr-defined]
    house.engine.dispose()
    url = house.engine.url.set(host="/nowhere/at/all", query={})
    object.__setattr__(house, "engine", type(house.engine)(house.engine.pool, house.engine.dialect, url))
    answer = exposed.get("/api/v1/health")
    assert "nowhere" not in answer.text


@pytest.mark.parametrize("path", ["/api/v1/docs", "/api/v1/openapi.json", "/docs", "/openapi.json", "/redoc"])
def test_strangers_get_no_description(exposed: TestClient, path: str) -> None:
    answer = exposed.get(path)
    assert answer.status_code in (401, 404)
    assert "paths" not in answer.text
