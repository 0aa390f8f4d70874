"""The ranking of the newest minutes is made once for each state of the store, whoever asks."""

import threading

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import KERNEL, Environment, ask, between, minute

from gavel.api.kept import KeptAnswers
from gavel.db.engine import transaction
from gavel.diagnosis import ranking
from gavel.domain.scope import ScopeKind


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each ranking that is made."""
    calls: list[object] = []
    rank = ranking.overview

    def counted(*arguments: object) -> object:
        calls.append(arguments)
        return rank(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ranking, "overview", counted)
    return calls


def test_who_asks_for_the_same_gets_the_same_until_something_is_written(
    client: TestClient, environment: Environment, made: list[object]
) -> None:
    simple = environment.id("datastore", "simple")
    environment.last_minutes(ScopeKind.DATASTORE, simple, 5, minute(600_000, 0, KERNEL))
    first = ask(client, "overview")
    assert ask(client, "overview") == first
    assert len(made) == 1
    assert ask(client, "overview?kind=hosts") != first
    assert len(made) == 2


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE correlated SET until_at = until_at",
        "INSERT INTO ledger_minute (minute, rules, proof_id) VALUES (date_trunc('minute', now()), 1, NULL)",
        "UPDATE source SET inventory_at = now()",
        "UPDATE source SET name = name || ' (old)'",
        "INSERT INTO label_meaning (meaning, label_name) VALUES ('owner', 'team')",
    ],
)
def test_what_was_written_is_seen_at_once(
    client: TestClient, environment: Environment, made: list[object], change: str
) -> None:
    environment.last_minutes(ScopeKind.DATASTORE, environment.id("datastore", "simple"), 5, minute(600_000, 0, KERNEL))
    ask(client, "overview")
    with transaction(environment.engine) as connection:
        connection.execute(text(change))
    ask(client, "overview")
    assert len(made) == 2


def test_a_range_is_not_kept(client: TestClient, environment: Environment, made: list[object]) -> None:
    environment.last_minutes(ScopeKind.DATASTORE, environment.id("datastore", "simple"), 5, minute(600_000, 0, KERNEL))
    for _ in range(2):
        ask(client, f"overview?{between(10, 0)}")
    assert len(made) == 2


def test_who_asks_meanwhile_waits_for_the_one_that_is_being_made() -> None:
    kept, began, may_end, made = KeptAnswers(), threading.Event(), threading.Event(), list[int]()

    def make() -> bytes:
        made.append(1)
        began.set()
        assert may_end.wait(10)
        return b"found"

    found: list[bytes] = []
    askers = [threading.Thread(target=lambda: found.append(kept.answer("q", lambda: 1, make))) for _ in range(5)]
    for one in askers:
        one.start()
    assert began.wait(10)
    may_end.set()
    for one in askers:
        one.join(10)
    assert (found, made) == ([b"found"] * 5, [1])


def test_what_is_asked_for_is_made_again_when_there_are_newer_minutes() -> None:
    kept, state, made = KeptAnswers(), [1], list[int]()
    again = threading.Event()

    def make() -> bytes:
        made.append(state[0])
        if len(made) > 1:
            again.set()
        return b"%d" % state[0]

    assert kept.answer("q", lambda: state[0], make) == b"1"
    state[0] = 2
    kept.renew()
    assert again.wait(10)
    assert kept.answer("q", lambda: state[0], make) == b"2"
    assert made == [1, 2]
    kept.close()


def test_a_ranking_that_cannot_be_made_is_made_by_the_next_who_asks() -> None:
    kept, fails = KeptAnswers(), [True]

    def make() -> bytes:
        if fails[0]:
            raise ValueError("no such range")
        return b"found"

    with pytest.raises(ValueError, match="no such range"):
        kept.answer("q", lambda: 1, make)
    fails[0] = False
    assert kept.answer("q", lambda: 1, make) == b"found"
