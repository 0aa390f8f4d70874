"""The live stream: what has newer data than before. Holds no database connection while it is open."""

import asyncio
import time
from collections.abc import AsyncIterable

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from gavel.api.deps import AppDep, AskerDep, ReaderOnly, now

# How often an open stream asks whether whoever opened it may still read.
CHECK_EVERY_S = 60.0

router = APIRouter(tags=["live"], dependencies=[ReaderOnly])


@router.get("/live", response_class=EventSourceResponse)
async def live(request: Request, app: AppDep, asking: AskerDep) -> AsyncIterable[ServerSentEvent]:
    """Server-sent events named `update`, each a `LiveUpdate`; the event id is its revision. Reload everything after a reconnect.

    An update of the last minute comes at once: what was asked for before its `at` may be older.

    Ends within a minute of signing out, and of a token that was revoked or expired."""
    check_at = time.monotonic() + CHECK_EVERY_S
    async for update in app.broadcast.updates(CHECK_EVERY_S):
        if await request.is_disconnected():
            return
        if time.monotonic() >= check_at:
            if not await run_in_threadpool(asking.is_still_good, app, now()):
                return
            check_at = time.monotonic() + CHECK_EVERY_S
        if update is None:
            continue
        yield ServerSentEvent(data=update, event="update", id=str(update.revision))
        await asyncio.sleep(0)
