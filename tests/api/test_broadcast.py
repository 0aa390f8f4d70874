"""Pages hear of newer minutes and inventories once the answers they ask for then were made again."""

import asyncio

import pytest

from gavel.api.broadcast import Broadcast
from gavel.api.kept import KeptAnswers
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
