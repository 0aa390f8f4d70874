"""Health of Gavel itself, and signing in."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request, Response

from gavel import __version__
from gavel.api.deps import COOKIE, AdminOnly, House, HouseDep, NowDep, Role, asking
from gavel.api.problems import refuses
from gavel.api.schemas.system import Health, HealthPart, Session, SignedIn, TokenIn, WallToken
from gavel.db.alert_memory import first_due_minute
from gavel.db.engine import reading, transaction
from gavel.db.errors import StorageError, UnavailableError
from gavel.db.queries.health import (
    Stuck,
    deliveries_stuck,
    ledger_until,
    polled_since,
    refuses_writes,
    samples_until,
    stored_mode,
    try_to_write,
    workers_seen_at,
)
from gavel.db.queries.tokens import TokenKind
from gavel.embedded.room import ENOUGH_BYTES, LEAST_BYTES, free_bytes
from gavel.pipeline import access

router = APIRouter(tags=["system"])
_WORKERS_LATE_S = 120
_Worst = Literal["ok", "degraded", "failed"]
_WORST_FIRST: tuple[_Worst, ...] = ("failed", "degraded")
_READ_ONLY = (
    "reachable, but it accepts no writes: it is a standby, or set to be read only. Point GAVEL_DATABASE_URL at the primary, or"
    " lift default_transaction_read_only."
)
# Beyond the grace that a minute gives to a late source, and some passes of the correlate step.
_LEDGER_LATE = timedelta(minutes=5)


@router.get("/health", responses={503: {"model": Health}})
def health(response: Response, here: HouseDep, at: NowDep) -> Health:
    """Whether Gavel works, and what is wrong with which part: 503 when the database cannot be reached, else 200."""
    try:
        with reading(here.engine) as connection:
            mode, is_read_only = stored_mode(connection), refuses_writes(connection)
            polled, seen_at = polled_since(connection), workers_seen_at(connection)
            attributed, sampled = ledger_until(connection), samples_until(connection)
            stuck, unjudged = deliveries_stuck(connection), first_due_minute(connection)
    except StorageError as error:
        response.status_code = 503
        part = HealthPart(name="database", status="failed", detail=str(error))
        return Health(status="failed", version=__version__, now=at, storage_mode=None, parts=[part])
    workers = _workers(polled, seen_at, at)
    parts = [
        _database(here, mode, is_read_only=is_read_only, is_late=workers.status != "ok"),
        workers,
        _ledger(attributed, sampled),
        _alerts(stuck, unjudged, at),
    ]
    worst: _Worst = next((state for state in _WORST_FIRST if any(part.status == state for part in parts)), "ok")
    return Health(status=worst, version=__version__, now=at, storage_mode=mode, parts=parts)


def _database(here: House, mode: str, *, is_read_only: bool, is_late: bool) -> HealthPart:
    """Whether it takes what workers write; where these are late, a little is written to see why."""
    if is_read_only:
        return HealthPart(name="database", status="failed", detail=_READ_ONLY)
    free = None if here.database_dir is None else free_bytes(here.database_dir)
    if free is not None and free < LEAST_BYTES:
        return HealthPart(name="database", status="failed", detail=_room_in(here, "full", free))
    if is_late:
        try:
            with transaction(here.engine) as connection:
                try_to_write(connection)
        except UnavailableError as error:
            return HealthPart(name="database", status="failed", detail=str(error))
    if free is not None and free < ENOUGH_BYTES:
        return HealthPart(name="database", status="degraded", detail=_room_in(here, "nearly full", free))
    return HealthPart(name="database", status="ok", detail=f"reachable, {mode} mode")


def _room_in(here: House, how: str, free: int) -> str:
    return (
        f"the disk that holds {here.database_dir} is {how}: {free / 2**20:.0f} MiB free, Gavel wants {ENOUGH_BYTES / 2**20:.0f} MiB."
        " Without room the database writes nothing. Free some space; Gavel goes on by itself then."
    )


def _workers(polled: datetime | None, seen_at: datetime | None, at: datetime) -> HealthPart:
    """Late when there was something to poll for a while and nobody did."""
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
    """Whether what is to be told is found and can be told. An alert itself is no fault of Gavel's."""
    behind_s = 0.0 if unjudged is None else at.timestamp() - unjudged * 60
    said = [
        f"minutes since {behind_s / 60:.0f} min wait to be judged" if behind_s > _LEDGER_LATE.total_seconds() else "",
        f"{len(stuck.off)} channels are off ({', '.join(stuck.off)})" if stuck.off else "",
        f"{stuck.dead} messages could not be delivered" if stuck.dead else "",
        f"{len(stuck.failing)} channels fail ({', '.join(stuck.failing)})" if stuck.failing else "",
    ]
    detail = "; ".join(one for one in said if one)
    return HealthPart(
        name="alerts", status="degraded" if detail else "ok", detail=detail or "every message was delivered"
    )


@router.get("/session")
def session(known: Annotated[Role | None, Depends(asking)], here: HouseDep) -> Session:
    return Session(role=known or "stranger", setup_pending=not access.has_admin(here.engine))


@router.post("/session", responses=refuses(401))
def sign_in(body: TokenIn, response: Response, here: HouseDep, at: NowDep) -> SignedIn:
    """Exchange a setup token (once) or an admin token for a session of twelve hours, a wall token for one as long as it is good."""
    signed_in = access.sign_in(here.engine, body.token, here.setup_file, at)
    response.set_cookie(
        COOKIE, signed_in.session, max_age=int(signed_in.length.total_seconds()),
        httponly=True, samesite="lax", secure=here.secure_cookies, path="/",
    )  # fmt: skip
    role: Role = "wall" if signed_in.kind is TokenKind.WALL else "admin"
    return SignedIn(role=role, setup_pending=False, admin_token=signed_in.admin_token)


@router.delete("/session", status_code=204)
def sign_out(request: Request, response: Response, here: HouseDep) -> None:
    """End the session of the cookie, for whoever else holds it too."""
    if session := request.cookies.get(COOKIE):
        access.sign_out(here.engine, session)
    response.delete_cookie(COOKIE, path="/")


@router.post("/wall-token", dependencies=[AdminOnly], status_code=201)
def new_wall_token(here: HouseDep, at: NowDep) -> WallToken:
    """A token for wall screens that may only read. The one before it stops working."""
    return WallToken(token=access.new_wall_token(here.engine, at))
