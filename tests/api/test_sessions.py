"""Sessions: they make no further ones, end when they are told to or not used, and guessing them is slow."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
import time_machine
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from gavel.admin.access import IDLE_LIMIT, SESSION_LENGTH
from gavel.api.app import build
from gavel.api.throttle import Throttle
from gavel.config import Settings
from gavel.db.engine import reading
from gavel.db.queries.tokens import TokenKind, tokens

OWN = {"sec-fetch-site": "same-origin"}


@pytest.fixture
def signed_in(client: TestClient, admin_token: str) -> TestClient:
    """A browser with the admin's session."""
    assert client.post("/api/v1/session", json={"token": admin_token}).status_code == 200
    return client


def cookie_of(client: TestClient) -> str:
    (value,) = [cookie.value for cookie in client.cookies.jar]
    assert value is not None
    return value


def role_with(client: TestClient, token: str) -> str:
    client.cookies.clear()
    answer = client.get("/api/v1/sources", headers={"authorization": f"Bearer {token}"})
    return "known" if answer.status_code == 200 else "unknown"


def test_session_makes_no_further_session(signed_in: TestClient) -> None:
    session = cookie_of(signed_in)
    answer = signed_in.post("/api/v1/session", json={"token": session}, headers=OWN)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_signing_out_everywhere_ends_every_session_and_no_token(
    signed_in: TestClient, admin_token: str, settings: Settings
) -> None:
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as other:
        other.post("/api/v1/session", json={"token": admin_token})
        assert other.get("/api/v1/session").json()["role"] == "admin"
        answer = signed_in.delete("/api/v1/sessions", headers=OWN)
        assert answer.status_code == 204
        assert other.get("/api/v1/session").json()["role"] == "viewer"
        assert signed_in.get("/api/v1/session").json()["role"] == "viewer"
        assert role_with(signed_in, admin_token) == "known"


def test_signing_out_everywhere_needs_the_admin(client: TestClient) -> None:
    assert client.delete("/api/v1/sessions", headers=OWN).status_code == 403


def test_session_that_is_not_used_ends_and_one_in_use_does_not(signed_in: TestClient) -> None:
    began = datetime.now(UTC)
    nearly = IDLE_LIMIT - timedelta(minutes=5)
    with time_machine.travel(began, tick=False) as clock:
        for _ in range(3):
            clock.shift(nearly)
            assert signed_in.get("/api/v1/session").json()["role"] == "admin"
        clock.shift(IDLE_LIMIT)
        assert signed_in.get("/api/v1/session").json()["role"] == "viewer"


def test_session_in_use_ends_after_its_length(signed_in: TestClient) -> None:
    began = datetime.now(UTC)
    with time_machine.travel(began, tick=False) as clock:
        while datetime.now(UTC) + timedelta(hours=1) < began + SESSION_LENGTH:
            clock.shift(timedelta(hours=1))
            assert signed_in.get("/api/v1/session").json()["role"] == "admin"
        clock.shift(timedelta(hours=1))
        assert signed_in.get("/api/v1/session").json()["role"] == "viewer"


def test_expired_sessions_are_forgotten_when_somebody_signs_in(
    signed_in: TestClient, admin_token: str, engine: Engine
) -> None:
    with time_machine.travel(datetime.now(UTC) + SESSION_LENGTH + timedelta(minutes=1)):
        signed_in.post("/api/v1/session", json={"token": admin_token}, headers=OWN)
    with reading(engine) as connection:
        assert sum(one.is_session for one in tokens(connection, TokenKind.ADMIN)) == 1


def test_cookie_has_a_name_of_its_own_in_each_installation(
    signed_in: TestClient, postgres_url: str, settings: Settings
) -> None:
    (mine,) = (cookie.name for cookie in signed_in.cookies.jar)
    other = settings.model_copy(update={"key_file": settings.data_dir / "other.key"})
    with TestClient(build(other), base_url="http://127.0.0.1:8321") as client:
        theirs = client.app.state.house.cookie  # type: ignore[attr-defined]
        described = client.get("/api/v1/openapi.json").json()["components"]["securitySchemes"]["session"]["name"]
    assert mine.startswith("gavel_session_")
    assert theirs.startswith("gavel_session_")
    assert mine != theirs
    assert described == theirs


@pytest.fixture
def by_https(settings: Settings, client: TestClient) -> Iterator[TestClient]:
    """Somebody who comes through a proxy with TLS."""
    public = settings.model_copy(update={"public_url": "https://gavel.example"})
    with TestClient(build(public), base_url="https://gavel.example") as found:
        yield found


def test_under_https_the_cookie_is_bound_to_the_host_and_browsers_stay_with_https(
    by_https: TestClient, admin_token: str
) -> None:
    answer = by_https.post("/api/v1/session", json={"token": admin_token})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-gavel_session_")
    assert "Secure" in cookie
    assert "Path=/" in cookie
    assert "Domain" not in cookie
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert by_https.get("/nowhere").headers["strict-transport-security"] == "max-age=31536000"
    assert by_https.get("/api/v1/session").json()["role"] == "admin"


def test_without_https_browsers_are_not_told_to_use_it(client: TestClient) -> None:
    assert "strict-transport-security" not in client.get("/api/v1/health").headers


def test_answers_with_tokens_are_kept_by_nobody(admin: TestClient, admin_token: str) -> None:
    assert admin.post("/api/v1/wall-token").headers["cache-control"] == "no-store"
    assert admin.post("/api/v1/session", json={"token": admin_token}).headers["cache-control"] == "no-store"


# --- guessing ---------------------------------------------------------------------------------------------------------


def guess(number: int) -> str:
    return f"gvl_{number:040d}"


def test_throttled_sign_in_answers_429_and_when_to_come_back(client: TestClient) -> None:
    statuses = [client.post("/api/v1/session", json={"token": guess(n)}).status_code for n in range(40)]
    assert set(statuses) == {401, 429}
    last = client.post("/api/v1/session", json={"token": guess(99)})
    assert 1 <= int(last.headers["retry-after"]) <= 60
    assert last.headers["content-type"] == "application/problem+json"


def test_throttled_guesses_do_not_reach_the_database(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(*_: object) -> None:
        nonlocal asked
        asked += 1

    monkeypatch.setattr("gavel.api.deps.role_of", counted)
    for n in range(500):
        client.get("/api/v1/session", headers={"authorization": f"Bearer {guess(n)}"})
    for n in range(500):
        client.get("/api/v1/session", headers={"cookie": f"{client.app.state.house.cookie}={guess(n + 2000)}"})  # type: ignore[attr-defined]
    # A burst of one address, and what comes back while the test runs.
    assert asked <= 20


def test_throttle_lets_a_token_in_that_was_good_before(admin: TestClient, admin_token: str) -> None:
    assert admin.get("/api/v1/session").json()["role"] == "admin"
    for n in range(40):
        admin.post("/api/v1/session", json={"token": guess(n)})
    assert admin.get("/api/v1/session").json()["role"] == "admin"
    assert admin.post("/api/v1/session", json={"token": admin_token}).status_code == 200


def test_page_with_an_old_session_does_not_lock_its_owner_out(client: TestClient, admin_token: str) -> None:
    client.cookies.set(client.app.state.house.cookie, guess(7))  # type: ignore[attr-defined]
    for _ in range(60):
        assert client.get("/api/v1/session").json()["role"] == "viewer"
    assert client.post("/api/v1/session", json={"token": admin_token}, headers=OWN).status_code == 200


@pytest.mark.parametrize("by", ["bearer", "cookie", "sign-in", "wall", "setup"])
def test_throttled_guesses_keep_no_stored_token_out_of_a_process_that_just_started(
    settings: Settings, client: TestClient, by: str
) -> None:
    """The process has seen none of the tokens, and everybody's allowance of wrong ones is spent."""
    given = {"setup": settings.setup_token_file.read_text().strip()}
    if by != "setup":
        signed_in = client.post("/api/v1/session", json={"token": given["setup"]}).json()
        given |= {"bearer": signed_in["admin_token"], "sign-in": signed_in["admin_token"], "cookie": cookie_of(client)}
        given["wall"] = client.post("/api/v1/wall-token", headers=OWN).json()["token"]
    public = settings.model_copy(update={"public_url": "https://gavel.example"})
    with TestClient(build(public), base_url="https://gavel.example") as fresh:
        for n in range(60):
            fresh.get("/api/v1/session", headers={"authorization": f"Bearer {guess(n)}"})
        assert fresh.post("/api/v1/session", json={"token": guess(99)}).status_code == 429
        if by in ("sign-in", "setup"):
            assert fresh.post("/api/v1/session", json={"token": f" {given[by]} "}).status_code == 200
        elif by == "cookie":
            name = fresh.app.state.house.cookie  # type: ignore[attr-defined]
            assert fresh.get("/api/v1/sources", headers={"cookie": f"{name}={given[by]}"}).status_code == 200
        else:
            headers = {"authorization": f"Bearer {given[by]}"}
            assert fresh.get("/api/v1/sources", headers=headers).status_code == 200


def test_session_posted_as_a_token_stays_a_session(signed_in: TestClient) -> None:
    for _ in range(3):
        answer = signed_in.post("/api/v1/session", json={"token": cookie_of(signed_in)}, headers=OWN)
        assert answer.status_code == 401
        assert signed_in.get("/api/v1/session").json()["role"] == "admin"


def test_throttle_reads_the_stored_hashes_once_a_second_whatever_is_guessed() -> None:
    now, read, stored = 0.0, 0, {guess(1)}
    throttle = Throttle(lambda: now)

    def load() -> list[bytes]:
        nonlocal read
        read += 1
        return [sha256(one.encode()).digest() for one in stored]

    for n in range(2, 10_002):
        now = n / 1000
        assert not throttle.is_stored(guess(n), load)
        assert throttle.is_stored(guess(1), load)
    assert read == 10
    stored.add(guess(20_000))
    now += 1
    assert throttle.is_stored(guess(20_000), load)
    # A revoked token costs one more look, and then as little as any other wrong one.
    stored.clear()
    throttle.failed("192.0.2.1", guess(1))
    before = read
    assert not any(throttle.is_stored(guess(1), load) for _ in range(100))
    assert read == before + 1


def evaluated(addresses: int, seconds: float, per_s: float) -> float:
    """Share of a flood of wrong tokens that is looked up."""
    now = 0.0
    throttle = Throttle(lambda: now)
    sent = looked_up = 0
    while now < seconds:
        address = f"192.0.2.{sent % addresses}"
        if throttle.wait_s(address) == 0:
            looked_up += 1
            throttle.failed(address, guess(sent))
        sent += 1
        now += 1 / per_s
    return looked_up / sent


@pytest.mark.parametrize("addresses", [1, 200])
def test_throttle_evaluates_at_most_one_percent_of_a_flood(addresses: int) -> None:
    assert evaluated(addresses, seconds=15, per_s=130) <= 0.01


def test_throttle_counts_an_ipv6_network_as_one_machine() -> None:
    throttle = Throttle(lambda: 0.0)
    for n in range(5):
        throttle.failed(f"2001:db8::{n:x}", guess(n))
    assert throttle.wait_s("2001:db8::ffff") > 0
    assert throttle.wait_s("2001:db8:0:1::1") == 0


def test_throttle_forgives_with_time() -> None:
    now = 0.0
    throttle = Throttle(lambda: now)
    for n in range(5):
        throttle.failed("192.0.2.1", guess(n))
    wait_s = throttle.wait_s("192.0.2.1")
    assert 0 < wait_s <= 6
    now = wait_s
    assert throttle.wait_s("192.0.2.1") == 0
