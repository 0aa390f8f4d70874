"""Live news for many listeners: one database listener per process, and the newest state for each stream of events."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import timedelta

import structlog

from gavel import clock
from gavel.api.kept import KeptAnswers
from gavel.api.schemas.system import LiveUpdate
from gavel.db.errors import StorageError
from gavel.db.live import INVENTORY, LEDGER, News, listen

log = structlog.get_logger(__name__)

# News within this time go out as one update.
_GATHER_S = 0.5
_RETRY_S = 2.0
# What kept answers are made from.
_RANKED = (LEDGER, INVENTORY)
# Listeners hear of it after so long at most.
_RENEWAL_S = 5.0
_RECENT = timedelta(minutes=1)
_LISTEN_PAUSE_S = 0.25


class Broadcast:
    """Each listener has room for one pending update: what it missed is contained in the next, since updates say what is newer, not how."""

    def __init__(self, url: str, kept: KeptAnswers) -> None:
        """kept: is made again before listeners hear of newer minutes and inventories, so that what they ask for then is there."""
        self._url = url
        self._kept = kept
        self._renewals: set[asyncio.Task[None]] = set()
        self._revision = 0
        self._newest: LiveUpdate | None = None
        self._changed = asyncio.Event()
        self._pending: list[News] = []
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._listen, daemon=True, name="live news")

    @property
    def revision(self) -> int:
        return self._revision

    def start(self) -> None:
        """Begin to listen; call it on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        """End every stream and the listener; call it on the event loop."""
        self._stopping.set()
        self._changed.set()
        self._thread.join(2 * _LISTEN_PAUSE_S)

    async def updates(self, silent_s: float) -> AsyncIterator[LiveUpdate | None]:
        """Updates from now on, and None where there was none for so long; ends when the process stops.

        The last one comes first, if it is that recent: what a page asked for just before it began to listen may be older.
        """
        seen = self._revision
        if self._newest and clock.now() - self._newest.at < _RECENT:
            yield self._newest
        while not self._stopping.is_set():
            try:
                await asyncio.wait_for(self._changed.wait(), silent_s)
            except TimeoutError:
                yield None
            if self._newest and self._newest.revision > seen:
                seen = self._newest.revision
                yield self._newest

    def _listen(self) -> None:
        while not self._stopping.is_set():
            try:
                for news in listen(self._url, pause_s=_LISTEN_PAUSE_S):
                    if self._stopping.is_set():
                        return
                    if news and self._loop:
                        self._loop.call_soon_threadsafe(self._take, news)
            except Exception as error:
                # Every open page depends on this thread, so no error may end it.
                log.warning("live news interrupted", error=str(error), exc_info=not isinstance(error, StorageError))
                self._stopping.wait(_RETRY_S)

    def _take(self, news: News) -> None:
        if news.stream in _RANKED:
            self._kept.expect()
        self._pending.append(news)
        if len(self._pending) == 1:
            asyncio.get_running_loop().call_later(_GATHER_S, self._publish)

    def _publish(self) -> None:
        gathered, self._pending = self._pending, []
        if any(news.stream in _RANKED for news in gathered):
            renewal = asyncio.create_task(self._renewed(gathered))
            self._renewals.add(renewal)
            renewal.add_done_callback(self._renewals.discard)
        else:
            self._send(gathered)

    async def _renewed(self, gathered: Sequence[News]) -> None:
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.to_thread(self._kept.renew), _RENEWAL_S)
        finally:
            self._send(gathered)

    def _send(self, gathered: Sequence[News]) -> None:
        self._revision += 1
        untils = [news.until_at for news in gathered if news.until_at]
        self._newest = LiveUpdate(
            revision=self._revision,
            at=clock.now(),
            sources=sorted({news.source_id for news in gathered if news.source_id is not None}),
            streams=sorted({news.stream for news in gathered}),
            until_at=max(untils, default=None),
        )
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
