"""Health of Gavel itself, and signing in."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from fastapi import APIRouter, HTTPException, Request, Response

from gavel import __version__
from gavel.admin import access
from gavel.api.deps import (
    AdminOnly,
    AppDep,
    AppState,
    AskerDep,
    BearerDep,
    NowDep,
    ReaderOnly,
    Role,
    SessionDep,
    address_of,
    app_state,
    asker,
    is_stored,
    now,
    too_often,
)
from gavel.api.guard import is_forwarded
from gavel.api.headers import NO_STORE
from gavel.api.problems import refuses
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.system import Health, HealthPart, Session, SignedIn, TokenIn, WallToken
from gavel.db.engine import reading, transaction
from gavel.db.errors import StorageError, UnavailableError
from gavel.db.queries.health import (
    Stuck,
    deliveries_stuck,
    ledger_until,
    polled_since,
    refuses_writes,
    samples_until,
    sealed_with,
    stored_mode,
    try_to_write,
    workers_seen_at,
)
from gavel.db.queries.kept import Kept, kept
from gavel.db.queries.tokens import TokenKind
from gavel.db.write.alert_memory import first_due_minute
from gavel.embedded.room import ENOUGH_BYTES, LEAST_BYTES, free_bytes

router = APIRouter(tags=["system"])
_WORKERS_LATE_S = 120
_Worst = Literal["ok", "degraded", "failed"]
_WORST_FIRST: tuple[_Worst, ...] = ("failed", "degraded")
_READ_ONLY = (
    "reachable, but it accepts no writes: it is a standby, or set to be read only. Point GAVEL_DATABASE_URL at the primary, or"
    " lift default_transaction_read_only."
)
_SIGN_IN = "Sign in to read the details."
# Beyond the grace that a minute gives to a late source, and some passes of the correlate step.
_LEDGER_LATE = timedelta(minutes=5)


@router.get("/health", responses={503: {"model": Health}})
async def health(request: Request, response: Response, bearer: BearerDep, session: SessionDep) -> Health:
    """Health of Gavel and of each part: 503 when the database cannot be reached, else 200.

    Without signing in only states are returned: details name channels, addresses and folders."""
    house = app_state(request)
    # Pages may hold all connections and threads of the API: health has its own, and no dependency that runs in a thread.
    app = replace(house, engine=house.health_engine)
    at: datetime = request.app.dependency_overrides.get(now, now)()

    def answered() -> Health:
        current = _health(app, at)
        return current if _may_read(request, app, at, bearer, session) else _for_strangers(current)

    found = await asyncio.get_running_loop().run_in_executor(app.health_threads, answered)
    if found.storage_mode is None:
        response.status_code = 503
    return found


def _may_read(request: Request, app: AppState, at: datetime, bearer: BearerDep, session: SessionDep) -> bool:
    try:
        return asker(request, app, at, bearer, session).role is not None
    except (HTTPException, StorageError):  # a wrong token, or nobody can be recognized without the database
        return app.open_reading and not is_forwarded(request.headers)


def _for_strangers(health: Health) -> Health:
    parts = [HealthPart(name=part.name, status=part.status, detail=_SIGN_IN) for part in health.parts]
    return health.model_copy(update={"parts": parts})


def _health(app: AppState, at: datetime) -> Health:
    try:
        with reading(app.engine) as connection:
            mode, is_read_only = stored_mode(connection), refuses_writes(connection)
            polled, seen_at = polled_since(connection), workers_seen_at(connection)
            attributed, sampled = ledger_until(connection), samples_until(connection)
            stuck, unjudged = deliveries_stuck(connection), first_due_minute(connection, at)
            sealed = sealed_with(connection)
    except StorageError as error:
        part = HealthPart(name="database", status="failed", detail=str(error))
        return Health(status="failed", version=__version__, now=at, storage_mode=None, parts=[part])
    workers = _workers(polled, seen_at, at)
    parts = [
        _database(app, mode, is_read_only=is_read_only, is_late=workers.status != "ok"),
        workers,
        _ledger(attributed, sampled),
        _alerts(stuck, unjudged, at),
        *_secrets(app, sealed),
    ]
    worst: _Worst = next((state for state in _WORST_FIRST if any(part.status == state for part in parts)), "ok")
    return Health(status=worst, version=__version__, now=at, storage_mode=mode, parts=parts)


def _database(app: AppState, mode: str, *, is_read_only: bool, is_late: bool) -> HealthPart:
    """Whether it takes what workers write; where these are late, a little is written to see why."""
    if is_read_only:
        return HealthPart(name="database", status="failed", detail=_READ_ONLY)
    free = None if app.database_dir is None else free_bytes(app.database_dir)
    if free is not None and free < LEAST_BYTES:
        return HealthPart(name="database", status="failed", detail=_room_in(app, "full", free))
    if is_late:
        try:
            with transaction(app.engine) as connection:
                try_to_write(connection)
        except UnavailableError as error:
            return HealthPart(name="database", status="failed", detail=str(error))
    if free is not None and free < ENOUGH_BYTES:
        return HealthPart(name="database", status="degraded", detail=_room_in(app, "nearly full", free))
    return HealthPart(name="database", status="ok", detail=f"reachable, {mode} mode")


def _secrets(app: AppState, sealed: Mapping[str, int]) -> list[HealthPart]:
    """Only where some cannot be opened: the key file is not the one they were encrypted with."""
    lost = {key_id: count for key_id, count in sealed.items() if key_id != app.vault.key_id}
    if not lost:
        return []
    detail = (
        f"the secrets of {sum(lost.values())} sources and channels were encrypted with another key ({', '.join(sorted(lost))}) than the key"
        f" file holds ({app.vault.key_id}). Put that key file back, or enter the secrets again under Sources and Channels."
    )
    return [HealthPart(name="secrets", status="degraded", detail=detail)]


def _room_in(app: AppState, how: str, free: int) -> str:
    return (
        f"the disk that holds {app.database_dir} is {how}: {free / 2**20:.0f} MiB free, Gavel wants {ENOUGH_BYTES / 2**20:.0f} MiB."
        " Without room the database writes nothing. Free some space; Gavel goes on by itself then."
    )


def _workers(polled: datetime | None, seen_at: datetime | None, at: datetime) -> HealthPart:
    """Degraded when polling has been due for a while without a run."""
    if polled is None:
        return HealthPart(name="workers", status="ok", detail="no source is enabled: there is nothing to poll")
    waited_s = (at - max(polled, seen_at or polled)).total_seconds()
    said = "no run recorded yet" if seen_at is None else f"last run recorded {(at - seen_at).total_seconds():.0f} s ago"
    return HealthPart(name="workers", status="degraded" if waited_s > _WORKERS_LATE_S else "ok", detail=said)


def _ledger(attributed: datetime | None, sampled: datetime | None) -> HealthPart:
    """Behind the samples that are there, not behind the clock: a source that is away is its own trouble."""
    if sampled is None:
        return HealthPart(name="ledger", status="ok", detail="no samples yet")
    until = f"attributed up to {attributed:%H:%M}" if attributed else "nothing attributed yet"
    late = attributed is None or sampled - attributed > _LEDGER_LATE
    detail = f"{until}, samples are there up to {sampled:%H:%M:%S} UTC"
    return HealthPart(name="ledger", status="degraded" if late else "ok", detail=detail)


def _alerts(stuck: Stuck, unjudged: int | None, at: datetime) -> HealthPart:
    """Whether rules are evaluated and notifications delivered. An alert itself is no fault of Gavel's."""
    behind_s = 0.0 if unjudged is None else at.timestamp() - unjudged * 60
    said = [
        f"alert rules {behind_s / 60:.0f} min behind" if behind_s > _LEDGER_LATE.total_seconds() else "",
        f"channels disabled: {', '.join(stuck.off)}" if stuck.off else "",
        f"notifications not delivered: {stuck.dead}" if stuck.dead else "",
        f"channels failing: {', '.join(stuck.failing)}" if stuck.failing else "",
    ]
    detail = "; ".join(one for one in said if one)
    return HealthPart(
        name="alerts", status="degraded" if detail else "ok", detail=detail or "all notifications delivered"
    )


@router.get("/storage", dependencies=[ReaderOnly])
def storage(app: AppDep) -> list[Answer[Kept]]:
    """What is kept, by grain, the finest first: for how long, its size, and how it grows."""
    with reading(app.engine) as connection:
        return kept(connection)


@router.get("/session")
def session(asking: AskerDep, app: AppDep) -> Session:
    return Session(role=asking.role or "stranger", setup_pending=not access.has_admin(app.engine))


@router.post("/session", responses=refuses(401, 429))
def sign_in(body: TokenIn, request: Request, response: Response, app: AppDep, at: NowDep) -> SignedIn:
    """Exchange a setup token (once) or an admin token for a session, a wall token for one as long as it is good.

    A session lasts twelve hours, and two without use; it makes no further ones. Wrong tokens are looked up a few times a minute only."""
    address, given = address_of(request), body.token.strip()
    if not is_stored(app, given) and (wait_s := app.throttle.wait_s(address)) > 0:
        raise too_often(wait_s)
    try:
        signed_in = access.sign_in(app.engine, given, app.setup_file, at)
    except access.TokenRefusedError:
        app.throttle.failed(address, given)
        raise
    app.throttle.succeeded(signed_in.session)
    response.headers.update(NO_STORE)
    response.set_cookie(
        app.cookie, signed_in.session, max_age=int(signed_in.length.total_seconds()),
        httponly=True, samesite="lax", secure=app.secure_cookies, path=app.cookie_path,
    )  # fmt: skip
    role: Role = "wall" if signed_in.kind is TokenKind.WALL else "admin"
    return SignedIn(role=role, setup_pending=False, admin_token=signed_in.admin_token)


@router.delete("/session", status_code=204)
def sign_out(request: Request, response: Response, app: AppDep) -> None:
    """End the session of the cookie, in every browser that holds it."""
    if session := request.cookies.get(app.cookie):
        access.sign_out(app.engine, session)
    _forget(response, app)


@router.delete("/sessions", dependencies=[AdminOnly], status_code=204)
def sign_out_everywhere(response: Response, app: AppDep) -> None:
    """End every session, on every machine. Admin tokens stay good (`gavel token renew` ends those), and so does the wall token."""
    access.sign_out_everywhere(app.engine)
    _forget(response, app)


def _forget(response: Response, app: AppState) -> None:
    # Without `expires`, which a browser would compare with a clock that is not this server's.
    response.set_cookie(
        app.cookie, max_age=0, httponly=True, samesite="lax", secure=app.secure_cookies, path=app.cookie_path
    )


@router.post("/wall-token", dependencies=[AdminOnly], status_code=201)
def new_wall_token(response: Response, app: AppDep, at: NowDep) -> WallToken:
    """A token for wall screens that may only read. The one before it stops working."""
    response.headers.update(NO_STORE)
    return WallToken(token=access.new_wall_token(app.engine, at))
