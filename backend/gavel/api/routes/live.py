"""The live stream: what has newer data than before. Holds no database connection while it is open."""

import asyncio
from collections.abc import AsyncIterable

from fastapi import APIRouter, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from gavel.api.deps import HouseDep, ReaderOnly

router = APIRouter(tags=["live"], dependencies=[ReaderOnly])


@router.get("/live", response_class=EventSourceResponse)
async def live(request: Request, here: HouseDep) -> AsyncIterable[ServerSentEvent]:
    """Server-sent events named `update`, each a `LiveUpdate`; the event id is its revision. Reload everything after a reconnect."""
    async for update in here.broadcast.updates():
        if await request.is_disconnected():
            return
        yield ServerSentEvent(data=update, event="update", id=str(update.revision))
        await asyncio.sleep(0)
