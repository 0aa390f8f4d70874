"""An array over TLS, in order and in trouble: every fault of the store acts on it, and is gone after it."""

import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.lab.flasharray.labs import AT
from tests.waiting import HANG_S

from gavel_lab.clocks import LabTime
from gavel_lab.lab import Lab, create_lab
from gavel_lab.sources import serve_lab

ARRAY = "flasharray-2"
LAST = 1_795_213_020_000  # the newest stamp of 30 s
VOLUMES = "/api/2.26/volumes"
PERFORMANCE = "/api/2.26/volumes/performance"

Fault = Callable[..., object]


class Place:
    """A served array, and how to reach it."""

    def __init__(self, lab: Lab, port: int, certificate: Path) -> None:
        self.lab = lab
        self.array = next(array for array in lab.environment.arrays if array.name == ARRAY)
        self.address = f"https://127.0.0.1:{port}"
        self.certificate = certificate

    def client(self, timeout_s: float = HANG_S) -> httpx.Client:
        """A client that checks the certificate, without a session."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        return httpx.Client(base_url=self.address, verify=context, timeout=timeout_s)

    @contextmanager
    def session(self, timeout_s: float = HANG_S) -> Iterator[httpx.Client]:
        """A client with a session."""
        with self.client(timeout_s) as client:
            client.headers["x-auth-token"] = login(client, self.array.api_token)
            yield client


def login(client: httpx.Client, api_token: str) -> str:
    answer = client.post("/api/2.26/login", headers={"api-token": api_token})
    answer.raise_for_status()
    token: str = answer.headers["x-auth-token"]
    return token


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("lab")
    lab = create_lab(lab_time=LabTime(AT, speed=0), offsets_s={ARRAY: 2.0})
    served = serve_lab(lab, 0, folder)
    yield Place(lab, served.listeners[1].port, folder / "tls" / f"{ARRAY}.crt")
    served.stop()


@pytest.fixture
def fault(place: Place) -> Iterator[Fault]:
    """Puts a fault on the array; all are gone after the test."""
    yield lambda **parameters: place.lab.faults.add({"source": ARRAY, **parameters})
    place.lab.faults.remove()


@pytest.fixture
def session(place: Place) -> Iterator[httpx.Client]:
    with place.session() as client:
        yield client


def rows(client: httpx.Client, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(PERFORMANCE, params=parameters)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_in_order_an_array_answers_over_tls_with_its_own_date(session: httpx.Client) -> None:
    answer = session.get(VOLUMES, headers={"X-Request-ID": "one"})
    assert answer.status_code == 200
    assert answer.headers["X-Request-ID"] == "one"
    assert answer.headers["Content-Type"] == "application/json"
    assert parsedate_to_datetime(answer.headers["Date"]) == datetime.fromtimestamp(int(AT + 2), UTC)


def test_expired_sessions_are_refused_until_a_new_login(place: Place, session: httpx.Client, fault: Fault) -> None:
    fault(kind="expire_sessions")
    refused = session.get(VOLUMES)
    assert (refused.status_code, refused.json()) == (401, {"errors": [{"message": "Invalid session."}]})
    session.headers["x-auth-token"] = login(session, place.array.api_token)
    assert session.get(VOLUMES).status_code == 200


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_overload_says_when_to_come_back_in_both_forms(
    session: httpx.Client, fault: Fault, status: int, form: str
) -> None:
    fault(kind="status", status=status, retry_after_s=7, retry_after_form=form, count=1)
    refused = session.get(VOLUMES)
    assert refused.status_code == status
    assert refused.json()["errors"][0]["message"]
    after = refused.headers["Retry-After"]
    date = parsedate_to_datetime(refused.headers["Date"])
    assert (int(after) if form == "seconds" else (parsedate_to_datetime(after) - date).total_seconds()) == 7
    assert session.get(VOLUMES).status_code == 200


def test_a_500_may_say_that_the_server_is_busy(session: httpx.Client, fault: Fault) -> None:
    fault(kind="status", status=500, message="Server is busy", count=1)
    refused = session.get(VOLUMES)
    assert (refused.status_code, refused.json()["errors"][0]["message"]) == (500, "Server is busy")


def test_login_can_be_overloaded_too(place: Place, fault: Fault) -> None:
    fault(kind="status", status=429, match="/login", count=1)
    with place.client() as client:
        assert client.post("/api/2.26/login", headers={"api-token": place.array.api_token}).status_code == 429
        login(client, place.array.api_token)


def test_a_body_can_be_cut_short(session: httpx.Client, fault: Fault) -> None:
    fault(kind="cut_body", after_bytes=500, match="/performance", count=1)
    with pytest.raises(httpx.RemoteProtocolError):
        session.get(PERFORMANCE)
    assert session.get(PERFORMANCE).status_code == 200


def test_a_black_hole_takes_the_request_and_never_answers(place: Place, fault: Fault) -> None:
    with place.session() as session:
        fault(kind="black_hole", count=1)
        with pytest.raises(httpx.ReadTimeout):
            session.get(VOLUMES, timeout=httpx.Timeout(HANG_S, read=0.5))
        assert session.get(VOLUMES).status_code == 200


def test_a_slow_drip_sends_the_whole_body_piece_by_piece(session: httpx.Client, fault: Fault) -> None:
    whole = session.get("/api/api_version").content
    fault(kind="slow_drip", bytes_per_s=2_000, count=1)
    with session.stream("GET", "/api/api_version") as answer:
        pieces = list(answer.iter_raw())
    assert b"".join(pieces) == whole
    assert len(pieces) > 1


def test_another_certificate_is_refused_by_a_client_that_checks(place: Place, fault: Fault) -> None:
    fault(kind="wrong_certificate")
    with place.client() as client, pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        client.get("/api/api_version")


@pytest.mark.parametrize("by_s", [-40.0, 90.0])
def test_a_shifted_clock_moves_the_date_and_the_stamps_together(tmp_path: Path, by_s: float) -> None:
    lab = create_lab(lab_time=LabTime(AT, speed=0), offsets_s={ARRAY: 2.0})
    served = serve_lab(lab, 0, tmp_path)
    place = Place(lab, served.listeners[1].port, tmp_path / "tls" / f"{ARRAY}.crt")
    recent = {"resolution": 30_000, "start_time": LAST - 240_000}
    with place.session() as session:
        before = max(row["time"] for row in rows(session, **recent))
        lab.faults.add({"source": ARRAY, "kind": "shift_clock", "by_s": by_s})
        after = max(row["time"] for row in rows(session, **recent))
        date = parsedate_to_datetime(session.get(VOLUMES).headers["Date"]).timestamp()
    served.stop()
    assert before == LAST
    assert date == int(AT + 2 + by_s)
    assert after == int((AT + 2 + by_s - 1.5) // 30 * 30_000)


def test_a_renamed_volume_keeps_its_serial_and_the_old_name_is_gone(
    place: Place, session: httpx.Client, fault: Fault
) -> None:
    volume = session.get(VOLUMES).json()["items"][0]
    name = volume["name"]
    try:
        fault(kind="rename_volume", volume=name, name="renamed")
        renamed = session.get(VOLUMES, params={"names": "renamed"}).json()["items"][0]
        assert renamed == {**volume, "name": "renamed"}
        refused = session.get(PERFORMANCE, params={"names": name})
        assert (refused.status_code, refused.json()["errors"][0]["context"]) == (400, name)
        assert rows(session, names="renamed")[0]["id"] == volume["id"]
        connected = {row["volume"]["name"] for row in session.get("/api/2.26/connections").json()["items"]}
        assert "renamed" in connected
        assert name not in connected
    finally:
        place.lab.faults.add({"source": ARRAY, "kind": "rename_volume", "volume": "renamed", "name": name})


@pytest.mark.parametrize(
    ("parameters", "is_json"),
    [({"kind": "garbage"}, False), ({"kind": "html"}, False), ({"kind": "garbage", "text": '{"items": [NaN]}'}, True)],
)
def test_a_success_can_be_no_answer_at_all(
    session: httpx.Client, fault: Fault, parameters: dict[str, str], is_json: bool
) -> None:
    fault(**parameters, count=1)
    answer = session.get(VOLUMES)
    assert answer.status_code == 200
    if is_json:
        assert str(json.loads(answer.content)["items"][0]) == "nan"
    else:
        with pytest.raises(ValueError, match=r"codec|Expecting|decode"):
            json.loads(answer.content)
