"""Pages hear of newer minutes and inventories once the answers they ask for then were made again."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import text
from tests.waiting import HANG_S, wait_for

from gavel.api.broadcast import Broadcast
from gavel.api.kept import KeptAnswers
from gavel.db import live
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.live import ALERTS, INVENTORY, LEDGER, News
from gavel.db.queries.ranking_state import RankingState


@pytest.mark.parametrize(("stream", "answered"), [(LEDGER, b"2"), (INVENTORY, b"2"), (ALERTS, b"1")])
def test_what_pages_ask_for_is_made_again_before_they_hear_of_it(
    stream: str, answered: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gavel.api.broadcast._GATHER_S", 0.01)
    kept, stored, bodies = KeptAnswers(), ["1"], list[bytes]()

    def make() -> bytes:
        bodies.append(stored[0].encode())
        return bodies[-1]

    kept.answer("q", lambda: RankingState(stored[0], ""), make)

    async def heard() -> bytes:
        broadcast = Broadcast("postgresql://nowhere", kept)
        updates = broadcast.updates(silent_s=10)
        stored[0] = "2"
        broadcast._take(News(None, stream, None))
        async for update in updates:
            assert update is not None
            assert update.streams == [stream]
            return bodies[-1]
        raise AssertionError("no update came")

    assert asyncio.run(heard()) == answered


_FOREIGN = (
    "upgrade",
    "[]",
    '{"stream": 1}',
    '{"source_id": 1, "stream": "volume", "until_at": "2026-01-01T00:00:00"}',
    "[" * 3900,
)


def test_live_news_follow_notices_that_are_none_of_gavels(postgres_url: str) -> None:
    news = live.listen(postgres_url, pause_s=0.05)
    assert next(news) is None
    engine = open_engine(postgres_url, Role.WORKER)
    with transaction(engine) as connection:
        for body in _FOREIGN:
            connection.execute(text("SELECT pg_notify(:channel, :body)"), {"channel": live.CHANNEL, "body": body})
        live.announce(connection, News(None, ALERTS, None))
    engine.dispose()
    assert wait_for(lambda: next(news), "news after foreign notices") == News(None, ALERTS, None)


def test_live_news_are_listened_for_again_after_an_error_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel.api.broadcast._GATHER_S", 0.01)
    monkeypatch.setattr("gavel.api.broadcast._RETRY_S", 0.01)
    attempts: list[str] = []
    ended = threading.Event()

    def listen(url: str, *, pause_s: float) -> Iterator[News | None]:
        attempts.append(url)
        if len(attempts) == 1:
            raise LookupError(pause_s)
        yield News(None, ALERTS, None)
        while True:
            ended.wait()
            yield None

    monkeypatch.setattr("gavel.api.broadcast.listen", listen)

    async def streams() -> list[str]:
        broadcast = Broadcast("postgresql://nowhere", KeptAnswers())
        broadcast.start()
        try:
            async with asyncio.timeout(HANG_S):
                async for update in broadcast.updates(silent_s=HANG_S):
                    assert update is not None
                    return update.streams
        finally:
            ended.set()
            broadcast.stop()
        raise AssertionError("no update came")

    assert asyncio.run(streams()) == [ALERTS]
