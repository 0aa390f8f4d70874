"""Who may do what: the setup token works once, reading is free on loopback, writing needs the admin and our own pages."""

import re
import stat
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.api.description import document

from gavel.api.app import build
from gavel.config import Settings
from gavel.domain.errors import SettingsError

# Signing in and out is for everybody; all else that writes, now and in future, is not.
FOR_EVERYBODY = {("POST", "/api/v1/session"), ("DELETE", "/api/v1/session")}
# A question that is too long for an address; nothing is stored.
FOR_READERS = {("POST", "/api/v1/whatif")}


def writes() -> list[tuple[str, str]]:
    paths: Any = document()["paths"]
    found = {
        (method.upper(), re.sub(r"\{\w+\}", "1", path))
        for path, methods in paths.items()
        for method in methods
        if method not in ("get", "head")
    }
    assert found > FOR_EVERYBODY | FOR_READERS
    return sorted(found - FOR_EVERYBODY - FOR_READERS)


def test_writing_without_the_admin_is_refused(client: TestClient) -> None:
    for method, path in writes():
        # Parts of uploads are the only bodies that are no JSON.
        kind = "application/octet-stream" if path.endswith("/parts") else "application/json"
        answer = client.request(method, path, content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 403, (method, path)
        assert "admin" in answer.json()["detail"]


def test_the_setup_token_works_once_and_its_file_is_the_owners_only(client: TestClient, settings: Settings) -> None:
    assert stat.S_IMODE(settings.setup_token_file.stat().st_mode) == 0o600
    token = settings.setup_token_file.read_text().strip()
    first = client.post("/api/v1/session", json={"token": token})
    assert first.status_code == 200
    assert first.json()["admin_token"].startswith("gvl_")
    assert "HttpOnly" in first.headers["set-cookie"]
    client.cookies.clear()
    second = client.post("/api/v1/session", json={"token": token})
    assert second.status_code == 401
    assert not settings.setup_token_file.exists()


def test_the_session_cookie_makes_an_admin_of_our_own_pages_only(client: TestClient, settings: Settings) -> None:
    client.post("/api/v1/session", json={"token": settings.setup_token_file.read_text().strip()})
    assert client.get("/api/v1/session").json() == {"role": "admin", "setup_pending": False}
    foreign = client.post("/api/v1/wall-token", headers={"sec-fetch-site": "cross-site"})
    assert foreign.status_code == 403
    other_origin = client.post("/api/v1/wall-token", headers={"origin": "http://evil.example"})
    assert other_origin.status_code == 403
    neither = client.post("/api/v1/wall-token")
    assert neither.status_code == 403
    own = client.post("/api/v1/wall-token", headers={"sec-fetch-site": "same-origin"})
    assert own.status_code == 201


def test_the_wall_token_reads_and_never_writes(admin: TestClient) -> None:
    wall = admin.post("/api/v1/wall-token").json()["token"]
    headers = {"authorization": f"Bearer {wall}"}
    assert admin.get("/api/v1/session", headers=headers).json()["role"] == "wall"
    assert admin.get("/api/v1/datastores", headers=headers).status_code == 200
    assert admin.post("/api/v1/wall-token", headers=headers).status_code == 403


def test_a_screen_signs_in_with_the_wall_token_for_months_until_there_is_a_new_one(
    admin: TestClient, settings: Settings
) -> None:
    wall = admin.post("/api/v1/wall-token").json()["token"]
    open_settings = settings.model_copy(update={"host": "0.0.0.0"})  # noqa: S104
    with TestClient(build(open_settings), base_url="http://127.0.0.1:8321") as screen:
        assert screen.get("/api/v1/session").json()["role"] == "stranger"
        assert screen.get("/api/v1/overview").status_code == 401
        signed_in = screen.post("/api/v1/session", json={"token": wall})
        assert signed_in.json() == {"role": "wall", "setup_pending": False, "admin_token": None}
        assert "Max-Age=34560000" in signed_in.headers["set-cookie"]
        assert screen.get("/api/v1/overview").status_code == 200
        own = {"sec-fetch-site": "same-origin"}
        assert screen.post("/api/v1/wall-token", headers=own).status_code == 403
        admin.post("/api/v1/wall-token")
        assert screen.get("/api/v1/overview").status_code == 401


def test_after_signing_out_the_old_cookie_opens_nothing(client: TestClient, settings: Settings) -> None:
    client.post("/api/v1/session", json={"token": settings.setup_token_file.read_text().strip()})
    kept = dict(client.cookies)
    own = {"sec-fetch-site": "same-origin"}
    assert client.delete("/api/v1/session", headers=own).status_code == 204
    client.cookies.update(kept)
    assert client.get("/api/v1/session").json()["role"] == "viewer"
    assert client.post("/api/v1/wall-token", headers=own).status_code == 403


def test_an_unknown_bearer_is_told_so_even_for_reading(client: TestClient) -> None:
    answer = client.get("/api/v1/sources", headers={"authorization": "Bearer gvl_nonsense"})
    assert answer.status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8321", "127.0.0.1.evil.example", "", "[::2]"])
def test_a_foreign_host_name_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/health", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8321", "127.0.0.1", "[::1]:8321"])
def test_our_own_host_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/health", headers={"host": host}).status_code == 200


def test_the_public_address_is_one_of_our_own(postgres_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=postgres_url, data_dir=tmp_path, public_url="https://gavel.example")
    with TestClient(build(settings), base_url="https://gavel.example") as client:
        assert client.get("/api/v1/health").status_code == 200


def test_a_body_that_is_no_json_or_too_large_is_refused(admin: TestClient) -> None:
    assert admin.post("/api/v1/sources", content=b"a=b", headers={"content-type": "text/plain"}).status_code == 415
    assert admin.post("/api/v1/sources", json={"name": "x" * 2_000_000}).status_code == 413
    piecemeal = admin.post("/api/v1/sources", content=iter([b"{}"]), headers={"content-type": "application/json"})
    assert piecemeal.status_code == 411


def test_listening_to_strangers_is_refused_before_there_is_an_admin(postgres_url: str, tmp_path: Path) -> None:
    settings = Settings(database_url=postgres_url, data_dir=tmp_path, host="0.0.0.0")  # noqa: S104
    with pytest.raises(SettingsError, match="before it has an admin"), TestClient(build(settings)):
        pass


def test_beyond_loopback_reading_needs_a_token_too(admin: TestClient, admin_token: str, settings: Settings) -> None:
    wall = admin.post("/api/v1/wall-token").json()["token"]
    open_settings = settings.model_copy(update={"host": "0.0.0.0"})  # noqa: S104
    with TestClient(build(open_settings), base_url="http://127.0.0.1:8321") as stranger:
        assert stranger.get("/api/v1/datastores").status_code == 401
        assert stranger.get("/api/v1/datastores", headers={"authorization": f"Bearer {wall}"}).status_code == 200
        assert stranger.get("/api/v1/datastores", headers={"authorization": f"Bearer {admin_token}"}).status_code == 200
