"""More than can be stored at once: few transactions for many pushes, and early refusals instead of late answers."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, cast

import h11
import pytest
from sqlalchemy import Engine
from starlette.testclient import TestClient
from tests.api.serving import answer, connected, served
from tests.waiting import HANG_S, wait_for_event

from gavel.admin.guests import guest_token, make_guest_token
from gavel.api import http_protocol
from gavel.db.engine import Role, open_engine
from gavel.db.queries.guest_tokens import GuestToken
from gavel.domain.guests import PushedReadings
from gavel.ingest.guests import Push, read_line_protocol
from gavel.listener import app as listener_app
from gavel.listener import writer as listener_writer
from gavel.listener.app import build
from gavel.listener.http_protocol import PushProtocol
from gavel.listener.writer import BusyError, Writer

PUSH = Push(cast("GuestToken", None), "127.0.0.1", 0, PushedReadings((), ()))
URL = "/api/v2/write"
_WAIT_S = 30


class Counting(Writer):
    """Stores nothing: notes how many pushes each transaction has, and waits in it as long as `held` is not set."""

    def __init__(self, apart_s: float) -> None:
        super().__init__(cast("Engine", None), lambda: datetime.now(UTC), apart_s=apart_s)
        self.sizes: list[int] = []
        self.held, self.is_in = threading.Event(), threading.Event()

    def _write(self, pushes: Sequence[Push]) -> None:
        self.sizes.append(len(pushes))
        self.is_in.set()
        assert self.held.wait(_WAIT_S)


@pytest.fixture
def started() -> Iterator[Callable[[float], Counting]]:
    made: list[Counting] = []

    def start(apart_s: float) -> Counting:
        made.append(Counting(apart_s))
        made[-1].start()
        return made[-1]

    yield start
    for each in made:
        each.held.set()
        each.stop()


def test_a_push_alone_is_stored_at_once_and_those_that_come_meanwhile_together(
    started: Callable[[float], Counting],
) -> None:
    writer = started(0.0)
    first = writer.submit(PUSH)
    assert writer.is_in.wait(_WAIT_S)
    others = [writer.submit(PUSH) for _ in range(20)]
    writer.held.set()
    for done in (first, *others):
        done.result(_WAIT_S)
    assert writer.sizes == [1, 20]


def test_a_push_withdrawn_by_its_request_costs_the_others_nothing(started: Callable[[float], Counting]) -> None:
    writer = started(0.0)
    stored = writer.submit(PUSH)
    assert writer.is_in.wait(_WAIT_S)
    withdrawn, other = writer.submit(PUSH), writer.submit(PUSH)
    assert withdrawn.cancel()
    assert not stored.cancel()
    writer.held.set()
    for done in (stored, other):
        done.result(_WAIT_S)
    writer.submit(PUSH).result(_WAIT_S)
    assert writer.sizes == [1, 1, 1]


def test_transactions_are_apart_unless_one_is_full(
    started: Callable[[float], Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_writer, "_LINES_AT_ONCE", 10)
    writer = started(3600.0)
    writer.held.set()
    writer.submit(PUSH).result(_WAIT_S)
    later = [writer.submit(PUSH) for _ in range(9)]
    assert not any(done.done() for done in later)
    later.append(writer.submit(PUSH))
    for done in later:
        done.result(_WAIT_S)
    assert writer.sizes == [1, 10]


def test_pushes_are_refused_once_one_waits_longer_than_agents_do(
    started: Callable[[float], Counting], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = started(0.0)
    writer.submit(PUSH)
    assert writer.is_in.wait(_WAIT_S)
    waiting = writer.submit(PUSH)
    assert not writer.is_busy
    monkeypatch.setattr(listener_writer, "_LONGEST_WAIT_S", -1.0)
    with pytest.raises(BusyError):
        writer.submit(PUSH)
    writer.held.set()
    waiting.result(_WAIT_S)
    assert not writer.is_busy


class Watched(Counting):
    """Notes whether another thread could have changed the queue while room in it was checked for a push."""

    other_could_enter: bool | None = None

    @property
    def is_busy(self) -> bool:
        if self.other_could_enter is None:
            with ThreadPoolExecutor(1) as other:
                self.other_could_enter = other.submit(self._enter).result(_WAIT_S)
        return super().is_busy

    def _enter(self) -> bool:
        if entered := self._has_work.acquire(blocking=False):
            self._has_work.release()
        return entered


def test_room_is_checked_and_taken_at_once_by_a_push() -> None:
    """Otherwise a push that passes the check while the writer stops is never answered."""
    writer = Watched(0.0)
    writer.held.set()
    done = writer.submit(PUSH)
    assert writer.other_could_enter is False
    writer.start()
    done.result(_WAIT_S)
    writer.stop()


@pytest.fixture(scope="module")
def engine(module_postgres_url: str) -> Iterator[Engine]:
    made = open_engine(module_postgres_url, Role.WORKER)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def client(module_postgres_url: str) -> Iterator[TestClient]:
    with TestClient(build(open_engine(module_postgres_url, Role.WORKER), apart_s=0)) as made:
        yield made


def test_too_many_under_way_are_told_when_to_come_again(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = make_guest_token(engine, "under way", (), datetime.now(UTC)).text
    headers = {"authorization": f"Token {token}"}
    monkeypatch.setattr(listener_app, "MOST_UNDER_WAY", 0)
    answer = client.post(URL, content="cpu,host=x usage=1", headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")
    monkeypatch.setattr(listener_app, "MOST_UNDER_WAY", 1)
    for _ in range(2):
        assert client.post(URL, content="cpu,host=x usage=1", headers=headers).status_code == 204


def test_the_database_is_asked_once_about_a_token_however_many_come_with_it(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = make_guest_token(engine, "many", (), datetime.now(UTC)).text
    listener = cast("Any", client.app).state.listener
    asked: list[str] = []
    may_answer = threading.Event()

    def slow(engine: Engine, given: str) -> GuestToken | None:
        asked.append(given)
        assert may_answer.wait(_WAIT_S)
        return guest_token(engine, given)

    monkeypatch.setattr(listener_app, "guest_token", slow)
    with ThreadPoolExecutor(8) as pool:
        pushes = [
            pool.submit(client.post, URL, content="cpu,host=x usage=1", headers={"authorization": f"Token {token}"})
            for _ in range(8)
        ]
        while listener.under_way < len(pushes):
            pass
        may_answer.set()
        assert {push.result(_WAIT_S).status_code for push in pushes} == {204}
    assert asked == [token]
    assert not listener.asked


def test_connection_without_a_head_makes_way_for_a_push(
    module_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "MOST_CONNECTIONS", 1)
    app = build(open_engine(module_postgres_url, Role.WORKER))
    with served(app, PushProtocol) as port, connected(port) as silent, connected(port) as sock:
        assert answer(silent) == b""
        sock.sendall(b"GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 204 ")


def test_large_bodies_of_one_token_leave_room_to_others(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = "cpu,host=x usage=1\n" * 2_000
    mine, others = (
        {"authorization": f"Token {make_guest_token(engine, name, (), datetime.now(UTC)).text}"}
        for name in ("large bodies", "large bodies of others")
    )
    reading, may_end = threading.Semaphore(0), threading.Event()

    def held(body: bytes, precision: str) -> PushedReadings:
        reading.release()
        wait_for_event(may_end, "end of the test's bodies")
        return read_line_protocol(body, precision)

    monkeypatch.setattr(listener_app, "read_line_protocol", held)
    with ThreadPoolExecutor(3) as pool:
        try:
            pushes = [pool.submit(client.post, URL, content=large, headers=mine) for _ in range(2)]
            for _ in pushes:
                assert reading.acquire(timeout=HANG_S)
            refused = client.post(URL, content=large, headers=mine)
            pushes.append(pool.submit(client.post, URL, content=large, headers=others))
            assert reading.acquire(timeout=HANG_S)
        finally:
            may_end.set()
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
        assert "with this token" in refused.json()["message"]
        assert {push.result(HANG_S).status_code for push in pushes} == {204}
    assert client.post(URL, content=large, headers=mine).status_code == 204
    assert not cast("Any", client.app).state.listener.bodies_of


def test_connection_beyond_the_limit_is_told_as_agents_understand_it() -> None:
    protocol = PushProtocol.__new__(PushProtocol)
    reader = h11.Connection(h11.CLIENT)
    reader.send(h11.Request(method="GET", target="/", headers=[("host", "x")]))
    reader.send(h11.EndOfMessage())
    reader.receive_data(protocol.full())
    answer, body, end = reader.next_event(), reader.next_event(), reader.next_event()
    assert isinstance(answer, h11.Response)
    assert (answer.status_code, dict(answer.headers)[b"retry-after"]) == (429, b"10")
    assert isinstance(body, h11.Data)
    assert b"too many requests" in body.data
    assert isinstance(end, h11.EndOfMessage)
