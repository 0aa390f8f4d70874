"""The ranking of the newest minutes is made once for each state of the store, whoever asks."""

import threading
import time

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import KERNEL, Environment, ask, between, minute
from tests.waiting import HANG_S

from gavel import clock
from gavel.api.kept import KeptAnswers
from gavel.db.engine import reading, transaction
from gavel.db.queries.ranking_state import RankingState, ranking_state
from gavel.diagnosis import ranking
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key


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
        "INSERT INTO ledger_minute (minute, rules, proof_id) VALUES (date_trunc('minute', CAST(:now AS timestamptz)), 1, NULL)",
        "UPDATE source SET inventory_at = :now",
        "UPDATE source SET name = name || ' (old)'",
        "INSERT INTO label_meaning (meaning, label_name) VALUES ('owner', 'team')",
        f"INSERT INTO expectation VALUES ({scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID)}, 3, 100, 200, 7, :now)",
    ],
)
def test_what_was_written_is_seen_at_once(
    client: TestClient, environment: Environment, made: list[object], change: str
) -> None:
    environment.last_minutes(ScopeKind.DATASTORE, environment.id("datastore", "simple"), 5, minute(600_000, 0, KERNEL))
    ask(client, "overview")
    with transaction(environment.engine) as connection:
        connection.execute(text(change), {"now": clock.now()})
    ask(client, "overview")
    assert len(made) == 2


def test_time_that_passes_changes_no_state(environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(
            text(
                "INSERT INTO ledger_minute (minute, rules) VALUES (CAST(:now AS timestamptz) - interval '2 hours' + interval '1 second', 1)"
            ),
            {"now": clock.now()},
        )
    with reading(environment.engine) as connection:
        before = ranking_state(connection)
    time.sleep(1.5)
    with reading(environment.engine) as connection:
        assert ranking_state(connection) == before


def test_a_range_is_not_kept(client: TestClient, environment: Environment, made: list[object]) -> None:
    environment.last_minutes(ScopeKind.DATASTORE, environment.id("datastore", "simple"), 5, minute(600_000, 0, KERNEL))
    for _ in range(2):
        ask(client, f"overview?{between(10, 0)}")
    assert len(made) == 2


def state(announced: int, rest: int = 0) -> RankingState:
    return RankingState(str(announced), str(rest))


def test_who_asks_meanwhile_waits_for_the_one_that_is_being_made() -> None:
    kept, began, may_end, made = KeptAnswers(), threading.Event(), threading.Event(), list[int]()

    def make() -> bytes:
        made.append(1)
        began.set()
        assert may_end.wait(HANG_S)
        return b"found"

    found: list[bytes] = []
    askers = [threading.Thread(target=lambda: found.append(kept.answer("q", lambda: state(1), make))) for _ in range(5)]
    for one in askers:
        one.start()
    assert began.wait(HANG_S)
    may_end.set()
    for one in askers:
        one.join(HANG_S)
    assert (found, made) == ([b"found"] * 5, [1])


def test_newer_minutes_have_it_made_again_and_who_asks_meanwhile_does_not_wait() -> None:
    kept, stored, made = KeptAnswers(), [state(1)], list[str]()
    began, may_end = threading.Event(), threading.Event()

    def make() -> bytes:
        made.append(stored[0].announced)
        if len(made) > 1:
            began.set()
            assert may_end.wait(HANG_S)
        return stored[0].announced.encode()

    def asked() -> bytes:
        return kept.answer("q", lambda: stored[0], make)

    assert asked() == b"1"
    stored[0] = state(2)
    kept.expect()
    renewal = threading.Thread(target=kept.renew)
    renewal.start()
    assert began.wait(HANG_S)
    assert asked() == b"1"
    may_end.set()
    renewal.join(HANG_S)
    assert (asked(), made) == (b"2", ["1", "2"])


def test_who_asks_while_it_is_made_again_waits_where_more_changed_than_is_announced() -> None:
    kept, stored = KeptAnswers(), [state(1)]

    def make() -> bytes:
        return stored[0].rest.encode()

    def asked() -> bytes:
        return kept.answer("q", lambda: stored[0], make)

    assert asked() == b"0"
    kept.expect()
    stored[0] = state(2, rest=1)
    assert asked() == b"1"


def test_an_answer_that_is_no_longer_young_is_given_once_more_while_it_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, made, passed, again = KeptAnswers(), list[int](), [0.0], threading.Event()
    monkeypatch.setattr("gavel.api.kept.time.monotonic", lambda: passed[0])

    def make() -> bytes:
        made.append(1)
        if len(made) > 1:
            again.set()
        return str(len(made)).encode()

    def asked() -> bytes:
        return kept.answer("q", lambda: state(1), make)

    assert asked() == b"1"
    passed[0] = 31.0
    assert asked() == b"1"
    assert again.wait(HANG_S)
    # One that is older than a minute is given to nobody.
    passed[0] = 31.0 + 61.0
    assert asked() == b"3"


def test_what_nobody_asks_for_any_more_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, made, passed = KeptAnswers(), list[int](), [0.0]
    monkeypatch.setattr("gavel.api.kept.time.monotonic", lambda: passed[0])

    def make() -> bytes:
        made.append(1)
        return b"found"

    kept.answer("q", lambda: state(1), make)
    passed[0] = 121.0
    kept.expect()
    kept.renew()
    assert made == [1]


def test_an_answer_that_cannot_be_made_again_costs_no_other_its_renewal() -> None:
    kept, state, made = KeptAnswers(), [RankingState("1", "")], list[str]()

    def fail_later() -> bytes:
        made.append("failing")
        if len(made) > 2:
            raise LookupError("a fault of one ranking")
        return b""

    def make() -> bytes:
        made.append("sound")
        return b""

    kept.answer("failing", lambda: state[0], fail_later)
    kept.answer("sound", lambda: state[0], make)
    state[0] = RankingState("2", "")
    kept.expect()
    kept.renew()
    assert made == ["failing", "sound", "failing", "sound"]


def test_a_ranking_that_cannot_be_made_is_made_by_the_next_who_asks() -> None:
    kept, fails = KeptAnswers(), [True]

    def make() -> bytes:
        if fails[0]:
            raise ValueError("no such range")
        return b"found"

    with pytest.raises(ValueError, match="no such range"):
        kept.answer("q", lambda: state(1), make)
    fails[0] = False
    assert kept.answer("q", lambda: state(1), make) == b"found"
