"""What stands between a held hour and its readers: one date for all answers, and each question worked out once."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send
from tests.frozen import hour
from tests.frozen.instant import AT, held_instant, shifted_environment
from tests.frozen.serve import Recorded
from tests.shifted import ahead_s


@pytest.fixture
def client() -> Iterator[TestClient]:
    """Every answer is the number of what reached the application so far."""
    count = 0

    def answer(request: Request) -> Response:
        nonlocal count
        count += 1
        return JSONResponse(count, 503 if "fails" in request.url.path else 200)

    app = Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])
    with TestClient(Recorded(app)) as found:
        yield found


def test_the_same_question_has_the_same_answer_and_another_one_its_own(client: TestClient) -> None:
    asked = ["/api/v1/hosts?limit=1", "/api/v1/hosts?limit=2", "/api/v1/hosts?limit=1"]
    assert [client.get(path).json() for path in asked] == [1, 2, 1]
    assert client.get(asked[0], headers={"cookie": "gavel_session=another"}).json() == 3


def test_what_is_written_is_seen_by_whoever_asks_next(client: TestClient) -> None:
    assert client.get("/api/v1/silences").json() == 1
    client.post("/api/v1/silences", json={})
    assert client.get("/api/v1/silences").json() == 3


@pytest.mark.parametrize("begins", ["before", "during"])
def test_an_answer_that_a_write_overlaps_is_not_recorded(begins: str) -> None:
    """The question reads the store before the write commits; its answer arrives after that."""
    stored, gates = ["old"], {name: asyncio.Event() for name in ("read", "written")}

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            await gates["read"].wait()
            stored[0] = "new"
            gates["written"].set()
            return
        found = stored[0]
        gates["read"].set()
        await gates["written"].wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": found.encode()})

    async def ask(recorded: Recorded, method: str) -> str:
        heard: list[Message] = []

        async def send(message: Message) -> None:
            heard.append(message)

        async def receive() -> Message:
            return {"type": "http.request"}

        path = "/api/v1/silences"
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"", "headers": []
        }  # fmt: skip
        await recorded(scope, receive, send)
        return heard[1]["body"].decode() if heard else ""

    async def story() -> str:
        recorded = Recorded(app)
        order = ("GET", "POST") if begins == "before" else ("POST", "GET")
        await asyncio.gather(*(ask(recorded, method) for method in order))
        return await ask(recorded, "GET")

    assert asyncio.run(story()) == "new"


@pytest.mark.parametrize("path", ["/api/v1/session", "/api/v1/fails", "/datastores"])
def test_who_is_signed_in_what_fails_and_pages_are_never_recorded(client: TestClient, path: str) -> None:
    assert [client.get(path).json() for _ in range(2)] == [1, 2]


def test_other_code_makes_another_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "code" / "module.py"
    source.parent.mkdir()
    source.write_text("1")
    monkeypatch.setattr(hour, "ROOT", tmp_path)
    monkeypatch.setattr(hour, "MADE_BY", ("code",))
    first = hour.key()
    (tmp_path / "beside.py").write_text("2")
    assert hour.key() == first
    source.write_text("3")
    assert hour.key() != first


def test_a_product_that_starts_now_shows_the_held_instant() -> None:
    before_s = time.time()
    shift_s = float(shifted_environment()["GAVEL_TEST_CLOCK"])
    started_s = AT.timestamp() - shift_s + ahead_s()
    assert before_s - 1e-3 <= started_s <= time.time() + 1e-3


def test_held_instant_is_fixed_and_another_one_by_a_seed() -> None:
    fixed = held_instant(None)
    assert fixed == held_instant("") == datetime(2026, 7, 15, 14, 29, 30, tzinfo=UTC)
    drawn = {held_instant(str(seed)) for seed in range(20)}
    assert len(drawn - {fixed}) == 20
    assert held_instant("7") in drawn
