"""Channels: list, add, change, try, remove; what was sent on them, and what could not be."""

from threading import BoundedSemaphore
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from gavel.admin import channels as use
from gavel.alerting.use.deliver import Trial
from gavel.api.convert_alerts import channel_out, notification_detail, notification_out
from gavel.api.deps import AdminOnly, AnnouncesAlerts, AppDep, NowDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, Id, LongId
from gavel.api.problems import refuses
from gavel.api.ranges import Limit
from gavel.api.schemas.answer import Answer, Page
from gavel.api.schemas.channels import (
    ChannelChange,
    ChannelIn,
    ChannelKindOut,
    ChannelOut,
    ChannelTrial,
    NotificationDetail,
    NotificationOut,
    NotificationState,
    Replayed,
)
from gavel.db.engine import reading, transaction
from gavel.db.errors import NotFoundError
from gavel.db.queries import channels as stored
from gavel.db.queries import notifications as outbox

router = APIRouter(tags=["channels"], dependencies=[ReaderOnly])

# A test message makes this server call an address of the asker's choice: few at a time.
_TRIALS = BoundedSemaphore(4)


@router.get("/channel-kinds")
def channel_kinds() -> list[ChannelKindOut]:
    return [
        ChannelKindOut(
            kind=kind.kind,
            title=kind.title,
            settings_schema=kind.settings.model_json_schema(),
            updates=kind.updates,
        )
        for kind in use.kinds()
    ]


@router.get("/channels")
def channels(app: AppDep) -> list[ChannelOut]:
    with reading(app.engine) as connection:
        loads = stored.loads(connection)
        return [channel_out(row, loads) for row in stored.channel_rows(connection)]


@router.post("/channels", dependencies=[AdminOnly, AnnouncesAlerts], status_code=201, responses=refuses(409))
def add_channel(body: ChannelIn, app: AppDep, at: NowDep) -> ChannelOut:
    channel_id = use.add(
        app.engine,
        app.vault,
        kind=body.kind,
        name=body.name,
        settings=body.settings,
        enabled=body.enabled,
        route=body.route.model_dump(),
        second_id=body.second_id,
        now=at,
    )
    return _load_channel(app, channel_id)


@router.post("/channels/test", dependencies=[AdminOnly], responses=refuses(404, 429))
def try_channel_settings(body: ChannelTrial, app: AppDep, at: NowDep) -> Answer[Trial]:
    """Send a test message without saving anything. Answers within 30 s."""
    with _ChannelTrialSlot():
        if body.channel_id is None:
            return use.try_settings(body.kind, body.settings, app.outside, at)
        return use.try_changed(app.engine, app.vault, body.channel_id, body.settings, app.outside, at)


@router.get("/channels/{channel_id}")
def one_channel(channel_id: Id, app: AppDep) -> ChannelOut:
    return _load_channel(app, channel_id)


@router.patch("/channels/{channel_id}", dependencies=[AdminOnly, AnnouncesAlerts], responses=refuses(409))
def change_channel(channel_id: Id, body: ChannelChange, app: AppDep) -> ChannelOut:
    """What is switched on again, or gets other settings, starts anew: its failures are forgotten."""
    wanted = use.ChannelUpdate(
        name=body.name,
        settings=body.settings,
        enabled=body.enabled,
        route=None if body.route is None else body.route.model_dump(),
        second_id=body.second_id,
    )
    use.change(app.engine, app.vault, channel_id, wanted)
    return _load_channel(app, channel_id)


@router.delete("/channels/{channel_id}", dependencies=[AdminOnly, AnnouncesAlerts], status_code=204)
def remove_channel(channel_id: Id, app: AppDep) -> None:
    use.remove(app.engine, channel_id)


@router.post("/channels/{channel_id}/test", dependencies=[AdminOnly, AnnouncesAlerts], responses=refuses(429))
def try_stored_channel(channel_id: Id, app: AppDep, at: NowDep) -> Answer[Trial]:
    with _ChannelTrialSlot():
        return use.try_stored(app.engine, app.vault, channel_id, app.outside, at)


@router.post("/channels/{channel_id}/replay", dependencies=[AdminOnly, AnnouncesAlerts])
def replay_channel(channel_id: Id, app: AppDep, at: NowDep) -> Replayed:
    """Queues all its dead letters for delivery again."""
    with transaction(app.engine) as connection:
        stored.channel_row(connection, channel_id)
        return Replayed(replayed=outbox.replay(connection, at, channel_id=channel_id))


@router.get("/notifications")
def notifications(
    app: AppDep,
    channel_id: Annotated[int | None, Query(ge=1, le=INT32_MAX, description="of this channel only")] = None,
    state: Annotated[NotificationState | None, Query(description="`dead`: could not be delivered")] = None,
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Page[NotificationOut]:
    """The delivery log: what was sent or is to be, newest first."""
    with reading(app.engine) as connection:
        found = outbox.notifications(connection, channel_id=channel_id, state=state, limit=limit, offset=offset)
    items = [notification_out(row) for row in found.items]
    return Page[NotificationOut](items=items, total=found.total, limit=limit, offset=offset)


@router.get("/notifications/{notification_id}")
def one_notification(notification_id: LongId, app: AppDep) -> NotificationDetail:
    """With every attempt; secrets in requests are masked."""
    with reading(app.engine) as connection:
        row = outbox.notification_row(connection, notification_id)
        return notification_detail(row, outbox.attempts(connection, notification_id))


@router.post("/notifications/{notification_id}/replay", dependencies=[AdminOnly, AnnouncesAlerts])
def replay_notification(notification_id: LongId, app: AppDep, at: NowDep) -> NotificationOut:
    """Queues a dead letter for delivery again, with its former id."""
    with transaction(app.engine) as connection:
        if not outbox.replay(connection, at, notification_id=notification_id):
            outbox.notification_row(connection, notification_id)
            raise NotFoundError(f"Notification {notification_id} is no dead letter: there is nothing to send again.")
        return notification_out(outbox.notification_row(connection, notification_id))


def _load_channel(app: AppDep, channel_id: int) -> ChannelOut:
    with reading(app.engine) as connection:
        return channel_out(stored.channel_row(connection, channel_id), stored.loads(connection))


class _ChannelTrialSlot:
    """A place among the few trials that may run at once; 429 when all are taken."""

    def __enter__(self) -> None:
        if not _TRIALS.acquire(blocking=False):
            raise HTTPException(
                429, "Too many channels are being tried at once. Try again in some seconds.", {"Retry-After": "10"}
            )

    def __exit__(self, *_: object) -> None:
        _TRIALS.release()
