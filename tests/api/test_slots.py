"""Expensive answers leave connections and threads to all other pages, and to health."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from anyio import to_thread
from fastapi import HTTPException
from fastapi.testclient import TestClient
from structlog.testing import capture_logs
from tests.api.ledgers import Environment, ago, ask, between
from tests.api.test_statements import counted
from tests.waiting import HANG_S, join, wait_for

from gavel.api import slots as slots_module
from gavel.api.deps import AppState
from gavel.api.slots import AnswerSlots
from gavel.db.engine import reading

KINDS = ("datastores", "vms", "hosts", "volumes", "arrays")
NARROWED = (
    "sort=-latency",
    "sort=iops",
    "sort=-excess_outstanding",
    "sort=total_latency",
    "layer=kernel",
    "severity=high",
)
LISTS = (
    *(f"{kind}?{narrowed}" for kind in KINDS for narrowed in NARROWED),
    f"overview?from={ago(10)}&to={ago(0)}",
    "groups",
    "unmatched",
)
SUMS = (f"groups/latency?label=application&value=finance&{between(7, 0)}", "findings.csv", "whatif/backtest")
OTHERS = (*KINDS, "overview", "findings", "search?q=a", "health")


def house(client: TestClient) -> AppState:
    found: AppState = client.app.state.house  # type: ignore[attr-defined]
    return found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots_module, "_WAIT_S", 0.0)


@pytest.mark.usefixtures("impatient")
def test_expensive_answers_beyond_three_at_once_are_refused_and_no_others(
    client: TestClient, environment: Environment
) -> None:
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(house(client).rankings.slot())
        for path in (*LISTS, *SUMS):
            answer = client.get(f"/api/v1/{path}")
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "5"), path
            assert "Try again in a few seconds" in answer.json()["detail"]
        for path in OTHERS:
            ask(client, path)
    for path in (*LISTS, *SUMS):
        assert client.get(f"/api/v1/{path}").status_code == 200, path


@pytest.mark.usefixtures("impatient")
def test_overview_beyond_its_slots_is_refused_and_renewed_quietly(client: TestClient, environment: Environment) -> None:
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(house(client).overviews.slot())
        assert client.get("/api/v1/overview").status_code == 429
        ask(client, "volumes?sort=-latency")
        with capture_logs() as logs:
            house(client).kept.renew()
        assert [entry["log_level"] for entry in logs] == ["debug"]
    ask(client, "overview")


def test_slot_that_becomes_free_goes_to_a_waiting_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots_module, "_WAIT_S", HANG_S)
    slots = AnswerSlots(1)
    entered = threading.Event()

    def enter() -> None:
        with slots.slot():
            entered.set()

    with slots.slot():
        waiting = threading.Thread(target=enter, daemon=True)
        waiting.start()
        wait_for(lambda: slots._waiting._value < slots_module._WAITING, "request that waits")
        assert not entered.is_set()
    join(waiting)
    assert entered.is_set()


def test_request_is_refused_at_once_where_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots_module, "_WAIT_S", HANG_S)
    monkeypatch.setattr(slots_module, "_WAITING", 0)
    slots = AnswerSlots(1)
    with slots.slot(), pytest.raises(HTTPException) as refused, slots.slot():
        pass
    assert refused.value.status_code == 429


def test_lists_have_a_statement_limit_of_their_own(client: TestClient, environment: Environment) -> None:
    for path in (*LISTS, *KINDS, "overview"):
        with counted() as statements:
            ask(client, path)
        assert any("statement_timeout = '5s'" in statement for statement in statements), path


@pytest.fixture
def taken_threads(client: TestClient) -> Iterator[None]:
    """All threads in which the API answers pages."""

    async def take() -> list[object]:
        limiter = to_thread.current_default_thread_limiter()
        tokens = [object() for _ in range(int(limiter.available_tokens))]
        for token in tokens:
            limiter.acquire_on_behalf_of_nowait(token)
        return tokens

    async def give_back(tokens: list[object]) -> None:
        for token in tokens:
            to_thread.current_default_thread_limiter().release_on_behalf_of(token)

    portal: Any = client.portal
    tokens = portal.call(take)
    yield
    portal.call(give_back, tokens)


@pytest.mark.usefixtures("taken_threads")
def test_health_answers_while_pages_hold_all_connections_and_threads(client: TestClient) -> None:
    engine = house(client).engine
    pool: Any = engine.pool
    with ExitStack() as held:
        for _ in range(pool.size() + pool._max_overflow):
            held.enter_context(reading(engine))
        assert ask(client, "health")["storage_mode"] == "plain"
