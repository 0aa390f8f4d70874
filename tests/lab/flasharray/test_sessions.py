"""Sessions: opened by API token, needed for everything, ended by logout, idleness and the fault store."""

import json

import pytest
from tests.lab.flasharray.client import Client

from gavel_lab.flasharray.errors import ApiError
from gavel_lab.flasharray.sessions import MAX_SESSIONS, Sessions
from gavel_lab.serve import Request

EXCHANGE = "grant_type=urn:ietf:params:oauth:grant-type:token-exchange"
INVALID = {"errors": [{"message": "Invalid session."}]}


class Clock:
    """Monotonic seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def sessions(clock: Clock, *, idle_timeout_s: float = 1_800, generations: list[int] | None = None) -> Sessions:
    generation = generations or [0]
    return Sessions("right", "reader", idle_timeout_s, lambda: generation[0], clock)


def test_a_wrong_token_is_refused(client: Client) -> None:
    response = client.login("3c7b0c7a-0000-0000-0000-000000000000")
    assert response.status == 401
    assert "x-auth-token" not in response.headers


def test_login_without_a_token_says_how_to_log_in(client: Client) -> None:
    response = client.app(Request("POST", "/api/2.2/login", "", {}, b'{"username":"a","password":"b"}'))
    assert response.status == 400
    assert "api-token" in json.loads(response.body)["errors"][0]["message"]


@pytest.mark.parametrize("token", [None, "", "nobody's"])
def test_without_a_living_session_the_answer_is_the_vendors_401(client: Client, token: str | None) -> None:
    headers = {} if token is None else {"x-auth-token": token}
    response = client.app(Request("GET", "/api/2.2/volumes", "", headers, b""))
    assert (response.status, json.loads(response.body)) == (401, INVALID)


def test_a_session_opened_under_an_old_version_works_under_a_new_one(new: Client) -> None:
    response = new.app(Request("POST", "/api/2.0/login", "", {"api-token": new.array.api_token}, b""))
    headers = {"x-auth-token": response.headers["x-auth-token"]}
    assert new.app(Request("GET", "/api/2.52/arrays", "", headers, b"")).status == 200


def test_logout_ends_the_session(client: Client) -> None:
    token = client.login().headers["x-auth-token"]
    headers = {"x-auth-token": token}
    assert client.app(Request("POST", "/api/2.2/logout", "", headers, b"")).status == 200
    assert client.app(Request("GET", "/api/2.2/volumes", "", headers, b"")).status == 401
    assert client.app(Request("POST", "/api/2.2/logout", "", headers, b"")).status == 401


def test_use_keeps_a_session_alive_and_idleness_ends_it() -> None:
    clock = Clock()
    open_ones = sessions(clock)
    token, username = open_ones.login("right")
    assert username == "reader"
    for _ in range(5):
        clock.now += 1_800
        open_ones.check(token)
    clock.now += 1_801
    with pytest.raises(ApiError, match="Invalid session"):
        open_ones.check(token)


def test_an_idle_timeout_of_zero_never_ends_a_session() -> None:
    clock = Clock()
    open_ones = sessions(clock, idle_timeout_s=0)
    token, _ = open_ones.login("right")
    clock.now += 10**7
    open_ones.check(token)


def test_a_new_generation_ends_every_session_at_once() -> None:
    generation = [0]
    open_ones = sessions(Clock(), generations=generation)
    before, _ = open_ones.login("right")
    generation[0] += 1
    with pytest.raises(ApiError, match="Invalid session"):
        open_ones.check(before)
    after, _ = open_ones.login("right")
    open_ones.check(after)


def test_a_storm_of_logins_is_refused_before_memory_ends() -> None:
    clock = Clock()
    open_ones = sessions(clock)
    for _ in range(MAX_SESSIONS):
        open_ones.login("right")
    with pytest.raises(ApiError, match="503"):
        open_ones.login("right")
    clock.now += 1_801
    open_ones.login("right")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ("", 400, "unsupported_grant_type"),
        (EXCHANGE, 400, "invalid_request"),
        (f"{EXCHANGE}&subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:jwt", 401, "invalid_client"),
    ],
)
def test_a_token_exchange_is_refused_in_its_own_error_shape(client: Client, form: str, status: int, error: str) -> None:
    response = client.app(Request("POST", "/oauth2/1.0/token", "", {}, form.encode()))
    body = json.loads(response.body)
    assert (response.status, body["error"]) == (status, error)
    assert body.keys() == {"error", "error_description"}
